"""The facts and records of assets and units, and the decks of tokens and chits."""

import re
from importlib.resources import files
from typing import Literal

import attrs

from fireplan_core import COUNT, Cards, Effects, Place, View, kept, record, update
from fireplan_core.files import entry, flag

DATA = files(__package__) / "data"
SQUARE = 1000
"""Side of a grid square, in metres."""
METRES = (0, 99_999)
"""Range of coordinates in scenario files, in metres."""
CROSSING = re.compile(r"E(\d{1,2})/N(\d{1,2})")
"""Matches the name of a grid intersection, such as E25/N22."""
EVERYWHERE = "everywhere"
"""The plan that a side assumes for enemy assets, whose fire plans it does not know (1)."""
MORALE = ("good", "suppressed", "disrupted", "broken")
"""The levels of morale, best first (18)."""
JAMMABLE = ("comms", "drone")
"""Targets of jamming: signals, and the view from a drone (26)."""
ETX, CHITS, OTHER_CHITS = "etx", "chits", "other chits"
"""Names of the decks: tokens, chits, and the other side's chits if each side has a set (D20)."""

AssetKind = Literal["mortar", "artillery", "fpv"]
UnitKind = Literal["foot", "tracked", "wheeled"]
Role = Literal["platoon", "section", "recce", "fst", "hq", "mortar"]
Terrain = Literal["open", "light_wood", "dense_wood", "light_urban", "urban"]
Army = Literal["NATO", "Russia"]


@attrs.frozen(kw_only=True)
class TerrainEntry:
    """A circle of terrain that obstructs lines of sight."""

    kind: str = entry("dense_wood, urban, crest, light_wood or light_urban", example="dense_wood")
    east: int = entry("its centre, in metres east", range=METRES, example=24_000)
    north: int = entry("its centre, in metres north", range=METRES, example=21_000)
    radius: int = entry("its radius in metres", range=(1, 5000), example=200)


@attrs.frozen(kw_only=True)
class Weapon:
    """An asset: a mortar platoon on the map, or artillery or FPV drones off the map."""

    id: str = entry("its name", example="guns")
    side: str = entry("one of the two sides", example="NATO")
    kind: AssetKind = entry("its kind", example="artillery")
    missions: int = entry("the number of its fire missions", range=(1, 99), example=5)
    target: str = entry("the enemy unit that it is to fire at", example="company")
    plan: tuple[str, ...] = entry(
        "its fire plan: a grid intersection for each turn, such as E25/N22; the last one remains",
        (),
        assumed=(EVERYWHERE,),
    )
    unit: str = entry("the unit on the map, for a mortar", "")
    army: Army = entry("the army of its side", "NATO")
    seen_by: tuple[str, ...] | None = entry(
        "who sees the target (uas, recce, fst, hq), if declared", None
    )
    inside: bool | None = entry("whether the target is inside the plan, if declared", None)
    ground: tuple[TerrainEntry, ...] = entry("terrain of its own", ())


@attrs.frozen(kw_only=True)
class UnitEntry:
    """A unit on the map; the table of units supplies any figures that the file leaves out."""

    id: str = entry("its name", "", example="company")
    side: str = entry("one of the two sides", "", example="Russia")
    east: int = entry(
        "its place, in metres east of the grid's origin", 0, range=METRES, example=24_500
    )
    north: int = entry("its place, in metres north of the origin", 0, range=METRES, example=21_500)
    kind: UnitKind = entry("its kind of movement", "foot")
    role: Role = entry("its role", "platoon")
    cover: Terrain = entry("its cover", "open")
    carrier: str = entry("the tracked platoon whose stack it is in", "")
    mounted: bool = flag("whether it is mounted on that platoon")
    losses: int = entry("hits that it has taken", 0, range=(0, 9))
    dug: Literal["", "digging", "scrape"] = entry("how far it is dug in, for foot", "")
    moved: bool = flag("whether it has just moved")
    rating: int = entry("its rating, for a headquarters", 0, range=(0, 6))
    resilience: int = entry("its resilience", 1, range=(1, 9))
    quality: int = entry("its quality", 1, range=(1, 6))
    lower: int = entry("its quality at half its resilience or less", 1, range=(1, 6))


@attrs.frozen(kw_only=True)
class Jamming:
    """Jamming that the scenario declares: its side, target and turns (26, D28)."""

    side: str = entry("the side that is jammed", example="Russia")
    what: Literal["comms", "drone"] = entry(
        "its signals or the sight of its drone", example="comms"
    )
    turns: tuple[int, ...] = entry("the turns with jamming; by default all", (), range=(1, 99))


@record
class UnitState:
    """The current state of a unit: its losses, morale and markers."""

    losses: int = kept(0, "hits taken", "14", between=COUNT)
    morale: str = kept("good", "its morale", "18", among=MORALE)
    dug: str = kept(
        "", "whether it is digging or in a shell scrape", "21", among=("", "digging", "scrape")
    )
    moved: bool = kept(False, "whether it has moved this turn", "12")
    acted: bool = kept(False, "whether it has acted this turn", "5")


@record
class FireMissionState:
    """An asset's remaining fire missions, and the choices made for its current fire mission."""

    left: int = kept(1, "fire missions left", "7", between=COUNT)
    plan: Place = kept(None, "the grid intersection of a rewritten plan", "2", assumed=None)
    orders: str = kept(
        "",
        "whether its plan was rewritten this turn, free or at the cost of its turn",
        "2, 3",
        among=("", "free", "turn"),
        assumed="",
    )
    unit: str = kept("", "the unit fired at", "7", among="unit")
    by: tuple[str, ...] = kept((), "who sees the target", "8")
    marker: int = kept(0, "the value of the Target marker played", "24", between=(0, 6))
    own_chit: bool = kept(False, "whether chit 3 was played for the firer's own artillery", "25")
    cost: int = kept(0, "electronic warfare tokens that the fire adds", "22", between=COUNT)
    taps: int = kept(0, "further shots fired immediately after the first", "16", between=COUNT)


@record
class Interference:
    """The effects of enemy chits on the current fire mission."""

    hindered: int = kept(0, "modifier from enemy chits", "25", between=(-20, 20))
    jammed: int = kept(0, "jamming dice against it", "25", between=COUNT)


@record
class Activity:
    """The sides' drones, and the assets, drones and sides that have finished their turn."""

    flyers: tuple[str, ...] = kept((), "the sides that have a drone", "10", among="side")
    drones: tuple[tuple[str, Place], ...] = kept(
        (), "the side and the intersection of each drone on the map", "10"
    )
    acted: frozenset[str] = kept(
        frozenset(),
        "assets, drones and sides that have finished their turn",
        "5",
    )


@record
class Signals:
    """The turn: its sides, the first to activate, initiative, ratings and jamming."""

    sides: tuple[str, ...] = kept(
        (), "the sides whose activations alternate; none in an engagement", "5", among="side"
    )
    first: str = kept("", "the side that activates first in the first turn", "4", among="side")
    modifiers: tuple[int, ...] = kept((), "the initiative modifier of each side", "4")
    ratings: tuple[int, ...] = kept((), "the ratings of the headquarters", "4")
    warfare: bool = kept(True, "whether the sides wage electronic warfare", "23")
    jammed: tuple[tuple[str, str, int], ...] = kept(
        (), "side, comms or drone, turn (0: every turn) of jamming", "26"
    )


def body_of(view: View, unit: str) -> UnitEntry:
    """Return a unit's facts, or the facts of a foot platoon if another game staged the unit."""
    body = view.scenario.units[unit].facts.get("resolution")
    return body if isinstance(body, UnitEntry) else UnitEntry()


def alive(view: View, unit: str) -> bool:
    """Return whether a unit is neither eliminated nor broken, so that it is in play (14, 18)."""
    now = view.peek_unit(unit, UnitState)
    return now.losses < body_of(view, unit).resilience and now.morale != "broken"


def own(view: View, side: str) -> list[str]:
    """Return the names of a side's units that are still on the table."""
    return [unit for unit in view.units if view.unit_side(unit) == side and alive(view, unit)]


def may_act(view: View, side: str) -> bool:
    """Return whether a side has a unit that can still act this turn (5)."""
    return any(not view.peek_unit(unit, UnitState).acted for unit in own(view, side))


def jammed(view: View, side: str, what: str) -> bool:
    """Return whether a side's comms or drone are jammed this turn (26)."""
    turns = {turn for *target, turn in view.peek_shared(Signals).jammed if target == [side, what]}
    return bool(turns) and (0 in turns or view.moment() + 1 in turns)


def metres(view: View, a: Place, b: Place) -> float:
    """Return the distance between two places, in metres (D9: counters are points)."""
    return view.frame.gap_metres(view.frame.gap(a, b))


def in_squares(view: View, crossing: Place, place: Place, *, inside: bool = False) -> bool:
    """Return whether a place is in the four squares around an intersection.

    A place on their border counts, unless the place must be ``inside``.
    """
    centre, point = view.frame.metres(crossing), view.frame.metres(place)
    offset = max(abs(a - b) for a, b in zip(centre, point, strict=True))
    return offset < SQUARE if inside else offset <= SQUARE


def crossing_at(view: View, place: Place) -> Place:
    """Return the grid intersection nearest to a place."""
    east, south = (SQUARE * float(round(x / SQUARE)) for x in view.frame.metres(place))
    return view.frame.nearest(east, south)


def crossing(text: str) -> Place:
    """Return the place of a grid intersection: E25/N22 is 25 km east and 22 km north."""
    east, north = CROSSING.fullmatch(text).groups()  # type: ignore[union-attr]
    return SQUARE * int(east), -SQUARE * int(north)


def sides(view: View) -> tuple[str, ...]:
    """Return the names of the sides, beginning with the firing side."""
    units = (view.unit_side(unit) for unit in view.units)
    return tuple(dict.fromkeys((view.scenario.firer, *map(view.side, view.missions), *units)))


# --- tokens, Target markers, chits ----------------------------------------------------------------
def drawn(side: str) -> str:
    """Return the name of the pile for tokens that a side has drawn face down (22)."""
    return f"{side} drawn"


def hand(view: View, deck: str, side: str) -> tuple[int, ...]:
    """Return the values of a side's Target markers or chits, greatest first.

    ``deck`` is ``ETX`` for the markers, or the name of a deck of chits.
    """
    held = ((kinds, count) for kinds, count in Cards(view, deck).pile(side) if kinds)
    cards = (kinds[0] for kinds, count in held for _ in range(count))
    return tuple(sorted((card for card in cards if card), reverse=True))


def chit_deck(view: View, side: str, sets: str) -> str:
    """Return the name of the deck from which a side draws chits (D20).

    ``sets`` is the value of the option ``chit_sets``.
    """
    return CHITS if sets == "one" or side == view.scenario.firer else OTHER_CHITS


def draw_face_down(view: View, side: str, count: int) -> Effects:
    """Return the effects of drawing ``count`` tokens face down for a side (22, D14).

    If the pool has fewer tokens, the side draws all of them.
    """
    decks, pool, pile = view.decks(), view.scenario.decks[ETX], (ETX, drawn(side), ())
    out = {entry[:-1]: entry[-1] for entry in decks.out}
    drawn_before = sum(number for key, number in out.items() if key[0] == ETX)
    remaining = sum(number for _, number in pool) - drawn_before
    out[pile] = out.get(pile, 0) + min(count, remaining)
    return Effects(
        update(decks, out=tuple(sorted((*key, number) for key, number in out.items() if number)))
    )
