"""What stands on the table: assets and units as files say them, what becomes of them, and the decks of signals."""

import re
from importlib.resources import files
from typing import Literal

import attrs

from fireplan_core import COUNT, Cards, Effects, Place, View, kept, record, update
from fireplan_core.files import entry, flag

DATA = files(__package__) / "data"
SQUARE = 1000
"""Metres along a grid square."""
METRES = (0, 99_999)
CROSSING = re.compile(r"E(\d{1,2})/N(\d{1,2})")
MORALE = ("good", "suppressed", "disrupted", "broken")
JAMMABLE = ("comms", "drone")
ETX, CHITS, OTHER_CHITS = "etx", "chits", "other chits"
"""The decks: tokens, chits of both sides, and those of the other side where each has a set (D20)."""

AssetKind = Literal["mortar", "artillery", "fpv"]
UnitKind = Literal["foot", "tracked", "wheeled"]
Role = Literal["platoon", "section", "recce", "fst", "hq", "mortar"]
Terrain = Literal["open", "light_wood", "dense_wood", "light_urban", "urban"]
Army = Literal["NATO", "Russia"]


@attrs.frozen(kw_only=True)
class Ground:
    """A disc of terrain that obstructs sight."""

    kind: str = entry("dense_wood, urban, crest, light_wood or light_urban", example="dense_wood")
    east: int = entry("metres east, of its centre", range=METRES, example=24_000)
    north: int = entry("metres north", range=METRES, example=21_000)
    radius: int = entry("metres from its centre", range=(1, 5000), example=200)


@attrs.frozen(kw_only=True)
class Weapon:
    """An asset: a mortar platoon on the map, artillery or FPV off it."""

    id: str = entry("its name", example="guns")
    side: str = entry("one of the two sides", example="NATO")
    kind: AssetKind = entry("what it is", example="artillery")
    missions: int = entry("its fire missions", range=(1, 99), example=5)
    target: str = entry("the enemy unit that it is to fire at", example="company")
    plan: tuple[str, ...] = entry(
        "the grid intersection planned for each turn, as E25/N22; the last one stays", ()
    )
    unit: str = entry("the unit on the map, for a mortar", "")
    army: Army = entry("whose figures it has: those of its side", "NATO")
    seen_by: tuple[str, ...] | None = entry(
        "who sees the target (uas, recce, fst, hq), where it is declared", None
    )
    inside: bool | None = entry("whether the target is inside the plan, where it is declared", None)
    ground: tuple[Ground, ...] = entry("terrain of its own", ())


@attrs.frozen(kw_only=True)
class Body:
    """A unit on the map; what is left out of its figures comes from the table of units."""

    id: str = entry("its name", "", example="company")
    side: str = entry("one of the two sides", "", example="Russia")
    east: int = entry("metres east of the grid's origin", 0, range=METRES, example=24_500)
    north: int = entry("metres north of it", 0, range=METRES, example=21_500)
    kind: UnitKind = entry("how it moves", "foot")
    role: Role = entry("what it is", "platoon")
    cover: Terrain = entry("what it stands in", "open")
    carrier: str = entry("the tracked platoon in whose stack it is", "")
    mounted: bool = flag("whether it is mounted there")
    losses: int = entry("hits that it has taken", 0, range=(0, 9))
    dug: Literal["", "digging", "scrape"] = entry("how foot is dug in", "")
    moved: bool = flag("whether it has just moved")
    rating: int = entry("rating of a headquarters", 0, range=(0, 6))
    resilience: int = entry("its resilience", 1, range=(1, 9))
    quality: int = entry("its quality", 1, range=(1, 6))
    lower: int = entry("its quality from half its resilience on", 1, range=(1, 6))


@attrs.frozen(kw_only=True)
class Jamming:
    """A jamming, which the scenario states: what it strikes, and when (26, D28)."""

    side: str = entry("the side that it strikes, be it the one that jams", example="Russia")
    what: Literal["comms", "drone"] = entry(
        "its signals, or the sight of its drone", example="comms"
    )
    turns: tuple[int, ...] = entry("the turns in which it does; none: in all", (), range=(1, 99))


@record
class Condition:
    """Say how a unit is."""

    losses: int = kept(0, "hits taken", "14", between=COUNT)
    morale: str = kept("good", "its morale", "18", among=MORALE)
    dug: str = kept(
        "", "whether it is digging or in a shell scrape", "21", among=("", "digging", "scrape")
    )
    moved: bool = kept(False, "whether it has moved this turn", "12")
    acted: bool = kept(False, "whether it has acted this turn", "5")


@record
class Call:
    """Say what an asset has left, and what was declared of the fire under way."""

    left: int = kept(1, "fire missions left", "7", between=COUNT)
    plan: Place = kept(None, "the grid intersection planned anew", "2")
    unit: str = kept("", "the unit fired at", "7")
    by: tuple[str, ...] = kept((), "who sees the target", "8")
    marker: int = kept(0, "what the Target marker played adds", "24", between=(0, 6))
    own_chit: bool = kept(False, "whether 3A was played", "25")
    cost: int = kept(0, "tokens that the fire makes", "22", between=COUNT)
    taps: int = kept(0, "shots at once after the first", "16", between=COUNT)


@record
class Interference:
    """Say what the other side's chits do to the fire under way."""

    hindered: int = kept(0, "modifier by enemy chits", "25", between=(-20, 20))
    jammed: int = kept(0, "jamming dice against it", "25", between=COUNT)


@record
class Activity:
    """Say what the sides have done: where their drones stand, and which assets and sides are done for the turn."""

    flyers: tuple[str, ...] = kept((), "the sides that have a drone", "10")
    drones: tuple[tuple[str, Place], ...] = kept(
        (), "the side and the intersection of each drone on the map", "10"
    )
    acted: frozenset[str] = kept(
        frozenset(), "assets, drones and sides that are done for the turn", "5"
    )


@record
class Signals:
    """Say how the turn stands: who begins it, modifiers for initiative and ratings of the sides."""

    sides: tuple[str, ...] = kept(
        (), "the sides whose activations alternate; none in an engagement", "5"
    )
    first: str = kept("", "who begins the first turn", "4")
    modifiers: tuple[int, ...] = kept((), "what each side adds for initiative", "4")
    ratings: tuple[int, ...] = kept((), "the ratings of the headquarters", "4")
    warfare: bool = kept(True, "whether the sides wage electronic warfare", "23")
    jammed: tuple[tuple[str, str, int], ...] = kept(
        (), "side, comms or drone, turn (0: every turn) of jamming", "26"
    )


def body_of(view: View, unit: str) -> Body:
    """Return what is known of a unit beforehand; a platoon of foot where another game staged it."""
    found = view.scenario.units[unit].facts.get("resolution")
    return found if isinstance(found, Body) else Body()


def alive(view: View, unit: str) -> bool:
    """Return whether a unit is still on the table (14, 18)."""
    now = view.peek_unit(unit, Condition)
    return now.losses < body_of(view, unit).resilience and now.morale != "broken"


def own(view: View, side: str) -> list[str]:
    """Return the units of a side that are still on the table."""
    return [unit for unit in view.units if view.unit_side(unit) == side and alive(view, unit)]


def may_act(view: View, side: str) -> bool:
    """Return whether a side has a unit that can still act this turn (5)."""
    return any(not view.peek_unit(unit, Condition).acted for unit in own(view, side))


def jammed(view: View, side: str, what: str) -> bool:
    """Return whether a side's signals (comms), or the sight of its drone, are jammed this turn (26)."""
    turns = {turn for *which, turn in view.peek_shared(Signals).jammed if which == [side, what]}
    return bool(turns) and (0 in turns or view.moment() + 1 in turns)


def metres(view: View, one: Place, other: Place) -> float:
    """Return the distance of two places in metres (D9: counters are points)."""
    return view.frame.gap_metres(view.frame.gap(one, other))


def in_squares(view: View, crossing: Place, place: Place, *, inside: bool = False) -> bool:
    """Return whether a place lies in the four squares that meet at an intersection, or wholly ``inside``."""
    here, there = view.frame.metres(crossing), view.frame.metres(place)
    far = max(abs(a - b) for a, b in zip(here, there, strict=True))
    return far < SQUARE if inside else far <= SQUARE


def crossing_at(view: View, place: Place) -> Place:
    """Return the grid intersection nearest to a place."""
    east, south = (SQUARE * float(round(x / SQUARE)) for x in view.frame.metres(place))
    return view.frame.nearest(east, south)


def crossing(text: str) -> Place:
    """Return the place of a grid intersection: E25/N22 is 25 km east and 22 km north of the grid's origin."""
    east, north = CROSSING.fullmatch(text).groups()  # type: ignore[union-attr]
    return SQUARE * int(east), -SQUARE * int(north)


def sides(view: View) -> tuple[str, ...]:
    """Return the sides, the one that asks for fire first."""
    units = (view.unit_side(unit) for unit in view.units)
    return tuple(dict.fromkeys((view.scenario.firer, *map(view.side, view.missions), *units)))


# --- tokens, Target markers, chits ----------------------------------------------------------------
def drawn(side: str) -> str:
    """Return the pile of tokens that a side has drawn, face down (22)."""
    return f"{side} drawn"


def hand(view: View, deck: str, side: str) -> tuple[int, ...]:
    """Return the cards in a side's hand, the greatest first: its Target markers (0: none), or its chits."""
    found = (kinds[0] for kinds, count in Cards(view, deck).pile(side) for _ in range(count))
    return tuple(sorted((card for card in found if card), reverse=True))


def chit_deck(view: View, side: str, sets: str) -> str:
    """Return the deck from which a side draws chits (D20)."""
    return CHITS if sets == "one" or side == view.scenario.firer else OTHER_CHITS


def draw_face_down(view: View, side: str, count: int) -> Effects:
    """Return that a side draws so many tokens face down, or all that are left of the pool (22, D14)."""
    decks, pool, pile = view.decks(), view.scenario.decks[ETX], (ETX, drawn(side), ())
    out = {entry[:-1]: entry[-1] for entry in decks.out}
    left = sum(number for _, number in pool) - sum(
        number for key, number in out.items() if key[0] == ETX
    )
    out[pile] = out.get(pile, 0) + min(count, left)
    return Effects(
        update(decks, out=tuple(sorted((*key, number) for key, number in out.items() if number)))
    )
