"""What a fault is: which sound game is broken, how, and which check is meant to catch it."""

from __future__ import annotations

import attrs

from fireplan.kit._new import Space


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
    edits: tuple[Edit, ...] = ()
    space: Space = "hex"
    without: tuple[str, ...] = ()


def in_hexes(name: str, check: str, file: str, old: str, new: str) -> Fault:
    """Return a fault of the scaffold over hexes: a text of a file with another in its place."""
    return Fault(name, check, (Edit(file, old, new),))


def in_plane(name: str, check: str, file: str, old: str, new: str) -> Fault:
    """Return a fault of the scaffold in the plane: a text of a file with another in its place."""
    return Fault(name, check, (Edit(file, old, new),), "plane")


def with_method(name: str, check: str, file: str, imports: str, code: str, space: Space = "hex") -> Fault:
    """Return a method more (or instead) in the part of a file, put before its first class attribute."""
    head = '"""\n\nfrom'
    return Fault(
        name,
        check,
        (
            Edit(file, head, f'"""\n\n{imports}\nfrom'),
            Edit(file, "    cites: ClassVar = {", f"{code}\n    cites: ClassVar = {{"),
        ),
        space,
    )


STEP = "from fireplan_core import Effects, Reason, Refusal, Shot, Update, cycle, emit, push, step, update"
"""What the methods that are put in need."""
