"""Link the documentation's examples to the static studio beside it.

Where the documentation is built with ``-D live_studio=studio/``, each ``fireplan compare`` and
``fireplan whatif`` of a page has a link below it to the same question in the site that
``fireplan site build docs/_build/studio`` writes.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from typing import Any

from docutils import nodes

from fireplan.analysis import DEFAULT, shipped_engagements
from fireplan.positions import facts
from fireplan_studio import address

PLAIN = {"--json", "--csv", "--explain", "--yes"}
"""Flags that change how an answer is printed, not the question."""


def flags_of(words: list[str]) -> dict[str, list[str]]:
    """Return the values of each flag; words without a flag are under ""."""
    given: dict[str, list[str]] = {"": []}
    flag = ""
    for word in words:
        if word.startswith("--"):
            flag, _, value = word.partition("=")
            given.setdefault(flag, []).extend([value] if value else [])
        else:
            given[flag].append(word)
    for each in PLAIN & given.keys():
        # A flag takes no value, so the word after it is the engagement.
        given[""] += given.pop(each)
    return given


def address_of(command: str) -> str | None:
    """Return the studio's URL for a command, or None if the studio cannot answer it."""
    if not command.startswith(("fireplan compare", "fireplan whatif")) or {*"|<>\\"} & {*command}:
        return None
    if ".toml" in command:  # a file of the reader, which the site cannot open
        return None
    words = shlex.split(command)
    given = flags_of(words[2:])
    engagement = (given.pop("") or [DEFAULT])[0]
    if engagement not in shipped_engagements():
        return None
    asked: dict[str, Any] = {"engagement": "" if engagement == DEFAULT else engagement}
    for flag, values in given.items():
        name = flag[2:].replace("-", "_")
        if name in facts():
            asked["minutes" if name == "minutes" else f"e.{name}"] = values[0]
        elif name in ("set", "option", "games"):
            asked[name] = [
                each
                for value in values
                for each in (value.split(",") if name == "games" else [value])
            ]
        else:
            return None
    if words[1] == "compare":
        asked["games"] = ",".join(asked.get("games", ()))
        return None if "set" in asked or "option" in asked else address("/compare", asked)
    named = {each.partition(".")[0] for kind in ("set", "option") for each in asked.get(kind, ())}
    if len(named) != 1 or {*asked.pop("games", named)} != named:
        return None
    for kind in {"set", "option"} & asked.keys():
        asked[kind] = sorted(each.partition(".")[2] for each in asked[kind])
    return address("/whatif", {**asked, "game": named.pop()})


def commands_of(block: str) -> Iterator[str]:
    """Yield the commands in a console block."""
    return (line[2:] for line in block.splitlines() if line.startswith("$ "))


def add_links(app: Any, doctree: nodes.document, page: str) -> None:
    """Add the links to its questions below each console block."""
    if not app.config.live_studio:
        return
    up = "../" * page.count("/")
    for block in list(doctree.findall(nodes.literal_block)):
        found = [each for command in commands_of(block.astext()) if (each := address_of(command))]
        if found:
            line = nodes.paragraph()
            for each in found:
                line += nodes.reference(
                    "", "Open in the studio", refuri=f"{up}{app.config.live_studio}#{each}"
                )
                line += nodes.Text(" ")
            block.parent.insert(block.parent.index(block) + 1, line)
