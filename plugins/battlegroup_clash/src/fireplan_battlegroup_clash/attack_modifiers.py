"""Modifiers of the attack: who observes it, cover, movement, markers and chits (12, 21, 24, 25)."""

from collections.abc import Callable
from functools import partial

from fireplan_battlegroup_clash.facts import (
    FireMissionState,
    Interference,
    UnitEntry,
    UnitState,
    Weapon,
)
from fireplan_core import View
from fireplan_core.steps.part import Modifier, Part

SEEN = {"uas": "the drone sees it", "recce": "recce sees it", "fst": "a fire support team sees it"}
COVERS = ("light_wood", "dense_wood", "light_urban", "urban")
DUG = {"digging": "digging", "scrape": "in a shell scrape"}
Value = Callable[[View, str, str], int]


def modifiers(part: Part) -> tuple[Modifier, ...]:
    """Return the modifiers for the attack: observers, cover, movement, markers, chits (12)."""
    listed: list[tuple[str, str, Value]] = [
        *(("12", words, partial(_observed, part, role)) for role, words in SEEN.items()),
        *(("12", f"in {name.replace('_', ' ')}", partial(_cover, part, name)) for name in COVERS),
        *(("12, 21", words, partial(_dug, part, name)) for name, words in DUG.items()),
        ("D7", "a headquarters sees it", partial(_headquarters, part)),
        ("12", "moved", partial(_moved, part)),
        ("12", "tracked", lambda view, _, unit: _of(part, view, unit, "tracked", "tracked")),
        (
            "24",
            "Target marker",
            lambda view, mission, _: view.peek(mission, FireMissionState).marker,
        ),
        (
            "25",
            "own chit 3",
            lambda view, m, _: (
                part.number("chit_3a") if view.peek(m, FireMissionState).own_chit else 0
            ),
        ),
        (
            "25",
            "enemy chits",
            lambda view, mission, _: view.peek(mission, Interference).hindered,
        ),
    ]
    return tuple(Modifier("attack", cite, words, value) for cite, words, value in listed)


def _observed(part: Part, role: str, view: View, mission: str, _unit: str) -> int:
    by = view.peek(mission, FireMissionState).by
    worse = role == "recce" and "fst" in by and part.options["spotters"] == "better"
    return part.number(role) if role in by and not worse else 0


def _headquarters(part: Part, view: View, mission: str, _unit: str) -> int:
    by = view.peek(mission, FireMissionState).by
    return part.options["hq_drm"] if "hq" in by and not {"fst", "recce"} & set(by) else 0


def _of(part: Part, view: View, unit: str, kind: str, name: str) -> int:
    return part.number(name) if view.unit_facts(unit, UnitEntry).kind == kind else 0


def _cover(part: Part, name: str, view: View, mission: str, unit: str) -> int:
    if view.unit_facts(unit, UnitEntry).cover != name:
        return 0
    shelters = ("scrape", "digging") if part.options["digging_is_scrape"] else ("scrape",)
    wood = name.endswith("wood") and view.facts(mission, Weapon).kind == "artillery"
    if wood and view.unit(unit, UnitState).dug not in shelters:
        return 0
    return _of(part, view, unit, "foot", name)


def _dug(part: Part, name: str, view: View, _mission: str, unit: str) -> int:
    return _of(part, view, unit, "foot", name) if view.unit(unit, UnitState).dug == name else 0


def _moved(part: Part, view: View, mission: str, unit: str) -> int:
    hindered = view.facts(mission, Weapon).kind != "fpv" and view.unit(unit, UnitState).moved
    return part.number("moved") if hindered else 0
