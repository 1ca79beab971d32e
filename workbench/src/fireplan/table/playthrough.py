"""Playthroughs: games recorded as text that reads like a report and can be replayed.

A playthrough has a head, then a line for each input (``> german: call``, ``> roll contact: coloured
4, white 3``), and indented below it each resulting ruling with its rule. Lines that begin with
``#`` are comments. This module parses such texts; ``playthrough_replay`` writes them and checks
them against the rules.
"""

import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import BytesIO
from pathlib import Path
from typing import Any

import attrs

from fireplan.errors import InputError
from fireplan.table.head import (
    ENGAGEMENT,
    MOST_MOMENTS,
    SCENARIO,
    Head,
    make_head,
    with_versions,
)
from fireplan.table.suffixes import SUFFIX
from fireplan_core.play.catalogue import Catalogue

FIRST_LINE = "fireplan playthrough 1"
MOST_CHARACTERS = 128_000
"""Maximum length of a playthrough; a game of a few hundred inputs has 50,000 characters."""
MOST_LINES = 10_000
_HEAD_KEYS = ("title", "game", SCENARIO, ENGAGEMENT, "moments", "edition", "plugin")
_PLAIN = {"yes": True, "no": False}


def shipped_playthroughs(catalogue: Catalogue) -> dict[str, Traversable]:
    """Map ``game/name`` to each playthrough in the games' ``data/playthroughs`` folders."""
    return dict(_in_data(catalogue, "playthroughs", SUFFIX))


def _in_data(catalogue: Catalogue, folder: str, ending: str) -> Iterator[tuple[str, Traversable]]:
    for key, installed in sorted(catalogue.games.items()):
        directory = files(getattr(installed.plugin, "__name__", __package__)) / "data" / folder
        for file in (
            sorted(directory.iterdir(), key=lambda file: file.name) if directory.is_dir() else ()
        ):
            if file.name.endswith(ending):
                yield f"{key}/{file.name.removesuffix(ending)}", file


def unlisted_scenarios(catalogue: Catalogue) -> dict[str, Traversable]:
    """Map names to scenario files that position lines may name, but that are not listed.

    They come from playthroughs that contain their scenario's text, and from ``data/readings``.
    """
    stored = BytesIO()
    with zipfile.ZipFile(stored, "w") as archive:
        for name, content in _unlisted_contents(catalogue):
            archive.writestr(f"{name}.toml", content)
    # A second archive reads the files, because one opened for writing would fail when it is
    # garbage-collected.
    readable = zipfile.ZipFile(stored)
    readable.filename = ""
    return {
        file.removesuffix(".toml"): zipfile.Path(readable, file) for file in readable.namelist()
    }


def _unlisted_contents(catalogue: Catalogue) -> Iterator[tuple[str, str | bytes]]:
    """Yield the name and the content of each file of ``unlisted_scenarios``."""
    for name, file in shipped_playthroughs(catalogue).items():
        playthrough = read_playthrough(file.read_text(encoding="utf-8"))
        if playthrough.text is not None and playthrough.kind == SCENARIO and not playthrough.charts:
            chosen = ", ".join(
                f"{option} = {json.dumps(value)}" for option, value in playthrough.options.items()
            )
            yield name, (f"options = {{ {chosen} }}\n" if chosen else "") + playthrough.text
    for name, file in _in_data(catalogue, "readings", ".toml"):
        yield name, file.read_bytes()


@attrs.frozen
class PlaythroughLine:
    """A line of a playthrough's body.

    ``number`` counts the lines of the file from 1; ``kind`` is ``input``, ``ruling`` or
    ``comment``.
    """

    number: int
    kind: str
    text: str


@attrs.frozen
class Playthrough:
    """A parsed playthrough: its source, and the lines of its body.

    ``reference`` is the shipped scenario or engagement that it names; ``text`` contains the source
    if it is not shipped, otherwise None.
    """

    kind: str
    reference: str
    game: str
    options: Mapping[str, Any]
    moments: int | None
    text: str | None
    charts: Mapping[str, str]
    lines: tuple[PlaythroughLine, ...]

    @property
    def inputs(self) -> tuple[PlaythroughLine, ...]:
        """The lines that are inputs."""
        return tuple(line for line in self.lines if line.kind == "input")

    def head(
        self,
        catalogue: Catalogue,
        engagements: Mapping[str, Traversable],
        folder: Path | None = None,
    ) -> Head:
        """Return the head from which the playthrough's table is opened.

        If a folder is given, the scenario's file must be inside it. Raise ``InputError`` if there
        is no such scenario, or if it is of another game.
        """
        if self.text is None:
            game = self.game if self.kind == ENGAGEMENT else None
            head = make_head(catalogue, self.reference, game, engagements, self.options, folder)
        else:
            own = Head(
                kind=self.kind,
                name=self.reference,
                text=self.text,
                game=self.game,
                options=self.options,
            )
            head = with_versions(catalogue, attrs.evolve(own, charts=self.charts))
        if self.game and head.game != self.game:
            raise InputError(f"{self.reference} is a scenario of {head.game}, not of {self.game}")
        return attrs.evolve(head, moments=self.moments)


# --- reading ------------------------------------------------------------------------------------
def read_playthrough(text: str) -> Playthrough:
    """Parse the text of a playthrough.

    Raise ``InputError`` at the first line that does not belong in a playthrough.
    """
    rows = _rows(text)
    if not rows or rows[0].strip() != FIRST_LINE:
        raise InputError(
            f"line 1: expected {FIRST_LINE!r}; this is not a playthrough, or its format has a"
            " different version"
        )
    head: dict[str, str] = {}
    options: dict[str, Any] = {}
    blocks: dict[str, list[str]] = {}
    block: list[str] | None = None
    start = len(rows)
    for number, row in enumerate(rows[1:], start=2):
        if row.startswith("|"):
            if block is None:
                raise InputError(
                    f"line {number}: a line that begins with '|' must follow 'text:' or 'chart NAME:'"
                )
            block.append(row[2:] if row.startswith("| ") else row[1:])
            continue
        block = None
        if row.startswith("#"):
            continue
        if not row.strip():
            start = number
            break
        key, colon, value = row.partition(":")
        key, value = key.strip(), value.strip()
        kind, _, name = key.partition(" ")
        if not colon:
            raise InputError(
                f"line {number}: expected 'key: value' in the head, got {row.strip()!r}"
            )
        if key == "text" or (kind == "chart" and name):
            block = blocks.setdefault("" if key == "text" else name.strip(), [])
        elif kind == "option" and name:
            options[name.strip()] = option_value(value)
        elif key in _HEAD_KEYS:
            head[key] = value
        else:
            raise InputError(
                f"line {number}: the head has no key {key!r}; expected {', '.join(_HEAD_KEYS)} or option NAME",
            )
    return _playthrough(head, options, blocks, tuple(_body(rows, start)))


def _rows(text: str) -> list[str]:
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"longer than {MOST_CHARACTERS:,} characters: is it the right file?")
    rows = text.splitlines()
    if len(rows) > MOST_LINES:
        raise InputError(f"longer than {MOST_LINES:,} lines: is it the right file?")
    return rows


def _playthrough(
    head: Mapping[str, str],
    options: Mapping[str, Any],
    blocks: Mapping[str, list[str]],
    lines: tuple[PlaythroughLine, ...],
) -> Playthrough:
    kinds = [kind for kind in (SCENARIO, ENGAGEMENT) if kind in head]
    if len(kinds) != 1:
        raise InputError("the head must name either a scenario or an engagement")
    if kinds == [ENGAGEMENT] and not head.get("game"):
        raise InputError("an engagement needs 'game: KEY' in the head")
    moments = head.get("moments", "")
    if moments and not (re.fullmatch(r"[0-9]{1,5}", moments) and 0 < int(moments) <= MOST_MOMENTS):
        raise InputError(
            f"moments: expected a whole number from 1 to {MOST_MOMENTS:,}, got {moments[:20]!r}"
        )
    texts = {name: "\n".join(rows) + "\n" for name, rows in blocks.items()}
    return Playthrough(
        kind=kinds[0],
        reference=head[kinds[0]],
        game=head.get("game", ""),
        options=options,
        moments=int(moments) if moments else None,
        text=texts.pop("", None),
        charts=texts,
        lines=lines,
    )


def _body(rows: list[str], start: int) -> Iterator[PlaythroughLine]:
    for number, row in enumerate(rows[start:], start=start + 1):
        text = row.strip()
        if text.startswith(">"):
            yield PlaythroughLine(number, "input", text[1:].strip())
        elif not text or text.startswith("#"):
            yield PlaythroughLine(number, "comment", row.rstrip())
        else:
            yield PlaythroughLine(number, "ruling", text)


def option_value(text: str) -> Any:
    """Return the value of an option from its text: an integer, yes or no, or a word."""
    return int(text) if re.fullmatch(r"-?[0-9]{1,18}", text) else _PLAIN.get(text, text)
