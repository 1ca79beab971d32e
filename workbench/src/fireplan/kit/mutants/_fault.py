"""Say what a fault is: which sound game is broken, how, and which check is meant to catch it.

All of ``faults.toml``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any

import attrs
import tomli

from fireplan.kit._new import Space

IMPORTS = (
    "from fireplan_core import Effects, Form, Reason, Refusal, Shot, Update, cycle, emit, orders, push, step, update"
)
"""Say what the methods that are put in need."""
HEAD = '"""\n\nfrom'
FIRST_ATTRIBUTE = "    cites: ClassVar = {"


@attrs.frozen
class Edit:
    """A text of a file of the game's package, and what stands in its place."""

    file: str
    old: str
    new: str


@attrs.frozen
class Fault:
    """A seeded fault; ``without`` names files (by a part of their path) that are left out."""

    id: str
    check: str
    edits: tuple[Edit, ...]
    space: Space
    without: tuple[str, ...]


def _edits(row: Mapping[str, Any]) -> Iterator[Edit]:
    """The edits of a fault as the file has it: some texts, or a method put before a part's first class attribute."""
    if "method" in row:
        imports = "\n".join(filter(None, (IMPORTS, row.get("imports"))))
        yield Edit(row["file"], HEAD, HEAD.replace("from", f"{imports}\nfrom"))
        yield Edit(row["file"], FIRST_ATTRIBUTE, f"\n{row['method']}\n{FIRST_ATTRIBUTE}")
    elif "old" in row:
        yield Edit(row["file"], row["old"], row["new"])
    yield from (Edit(**edit) for edit in row.get("edits", ()))


FAULTS: tuple[Fault, ...] = tuple(
    Fault(row["id"], row["check"], tuple(_edits(row)), row.get("space", "hex"), tuple(row.get("without", ())))
    for row in tomli.loads((files(__package__) / "faults.toml").read_text(encoding="utf-8"))["fault"]
)
