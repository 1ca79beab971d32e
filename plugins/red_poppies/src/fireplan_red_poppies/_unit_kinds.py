"""Kinds of units and the values of their two faces, from the chart ``units.csv`` (3.11)."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

import attrs

from fireplan_core.chance import read_csv
from fireplan_red_poppies._troops import Face


@attrs.frozen
class UnitKind:
    """One row: type, both faces, and where the values come from."""

    name: str
    type: str
    formed: Face
    dispersed: Face
    provenance: str


def _face(text: str) -> Face:
    firepower, reach, melee, cohesion, movement = (int(value) for value in text.split("/"))
    return Face(firepower, reach, melee, cohesion, movement)


def _read() -> Mapping[str, UnitKind]:
    rows = read_csv(files("fireplan_red_poppies") / "data" / "units.csv")
    kinds = (
        UnitKind(row["kind"], row["type"], _face(row["formed"]), _face(row["dispersed"]), row["provenance"])
        for row in rows
    )
    return {kind.name: kind for kind in kinds}


UNIT_KINDS = _read()
