"""Kinds of units and the values of their two faces, from the chart ``units.csv`` (3.11)."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files

import attrs

from fireplan_core.chance import read_csv
from fireplan_red_poppies._troops import Face, read_face


@attrs.frozen
class UnitKind:
    """One row: type, both faces, and where the values come from."""

    name: str
    type: str
    formed: Face
    dispersed: Face
    provenance: str


def _read() -> Mapping[str, UnitKind]:
    rows = read_csv(files("fireplan_red_poppies") / "data" / "units.csv")
    kinds = (
        UnitKind(row["kind"], row["type"], read_face(row["formed"]), read_face(row["dispersed"]), row["provenance"])
        for row in rows
    )
    return {kind.name: kind for kind in kinds}


UNIT_KINDS = _read()
