"""The user's own scenario and engagement files, as position lines name them.

A line names the game, the file and the digest of its content (``GAME/mine.toml#1f2e...``), and
carries the whole file if asked. The charts that a scenario names belong to its content.
"""

from __future__ import annotations

import re
from hashlib import sha256
from pathlib import Path

import attrs

from fireplan import table
from fireplan.errors import REMOTE, InputError
from fireplan.positions import Source, with_facts
from fireplan.questions import opening
from fireplan_core import Engagement, Scenario
from fireplan_core.files import MAX_BYTES, Document, read_ordinary, write_toml
from fireplan_core.play import Catalogue

DIGITS = 12
"""Length of the digest of a file's content in a line."""
MOST_EMBEDDED = 40_000
"""Maximum number of characters of the files in a line."""


def game_of(path: str) -> str:
    """Return the game that a scenario file names, empty if it names none or cannot be read."""
    if REMOTE.get() or not path.endswith(".toml") or not opening.is_there(path):
        return ""
    try:
        text = read_ordinary(Path(path), MAX_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError):
        return ""
    named = re.search(r'^game\s*=\s*"(\w+)"', text, re.MULTILINE)
    return named[1] if named else ""


def own_source(head: table.Head, source: Source) -> Source:
    """Return the source of a table opened from a file; its name ends with the content's digest."""
    name = f"{head.name}#{_digest(head)}"
    return attrs.evolve(source, name=name if source.game else f"{head.game}/{name}")


def embedded(head: table.Head, source: Source) -> Source:
    """Return a source with the text of its files; raise ``InputError`` if they are too large."""
    files = (("", head.text), *head.charts.items())
    if (size := sum(len(text) for _, text in files)) > MOST_EMBEDDED:
        raise InputError(
            f"{head.name}: the file has {size:,} characters, but a line can hold at most {MOST_EMBEDDED:,}."
        )
    return attrs.evolve(source, files=files)


def own_head(installed: Catalogue, source: Source) -> table.Head:
    """Return the head of the table that a source with the user's own file describes.

    Raise ``InputError`` if the file is missing, may not be read, or has changed since the line was
    written.
    """
    name, _, digest = source.name.rpartition("#")
    key, path = (source.game, name) if source.game else name.split("/", 1)
    if source.files:
        text, *charts = (text for _, text in source.files)
        names = [chart for chart, _ in source.files[1:]]
        kind = "engagement" if source.game else "scenario"
        head = table.Head(
            kind=kind, name=path, text=text, game=key, charts=dict(zip(names, charts, strict=True))
        )
        if _digest(head) != digest:
            raise InputError(
                f"{path}: the file in this line differs from the file that the line was written for."
            )
        return head
    if REMOTE.get():
        raise InputError(f"{path}: files are read only for requests from this machine.")
    if not opening.is_there(path):
        raise InputError(
            f"{path}: the file of this position is missing; restore the file, or write the line with"
            " embed=True, so that the line contains the file."
        )
    head = table.make_head(installed, path, source.game or None, {})
    if (now := _digest(head)) != digest:
        raise InputError(
            f"{path}: the file has changed since this line was written (its digest was {digest}"
            f" and is now {now}); open the file itself, or restore it."
        )
    return head


def stage_own_file(installed: Catalogue, source: Source) -> tuple[Scenario, int]:
    """Return the scenario of a source with the user's own file, and its number of moments.

    Raise the errors of ``own_head``, and ``InputError`` if the game cannot stage the file.
    """
    head = own_head(installed, source)
    if source.facts:
        engagement = Document.of("engagement", head.text).read(Engagement)
        head = attrs.evolve(head, text=write_toml(with_facts(engagement, dict(source.facts))))
    return table.scenario_of(installed, head, changes=source.variation)


def _digest(head: table.Head) -> str:
    content = sha256(head.text.encode())
    for name, text in sorted(head.charts.items()):
        content.update(f"\0{name}\0{text}".encode())
    return content.hexdigest()[:DIGITS]
