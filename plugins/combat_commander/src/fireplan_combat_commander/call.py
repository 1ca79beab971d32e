"""The facts of a request (decks, hands, radio, spotter, ground), and the base of the parts that know them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from importlib.resources.abc import Traversable

import attrs

from fireplan_core import Part, Place, Staging, View, kept, record
from fireplan_core.chance import Chart, read_csv
from fireplan_core.space import Hex, HexFrame, Layout, lettered_columns

MAP = HexFrame(30, Layout(lettered_columns(15), (1, 10), (1, 10)))
"""A map of 15 columns with 10 hexes each (S1); columns B, D, F ... lie half a hex lower (D22)."""
REQUEST, DENIED = "artillery_request", "artillery_denied"
SECOND_HAND = "Combat Commander: Europe is played from second-hand sources: the rulebook was not at hand"
FIRST_YEAR, LAST_YEAR = 1939, 1945
PLAIN_CARD, TENS = 100, 10
"""A card's number is its white die and its coloured die, and a hundred more on the second card with these dice."""


@attrs.frozen
class Card:
    """A card of fate, as far as artillery asks."""

    order: str
    random_hex: str
    white: int
    coloured: int
    trigger: str

    @property
    def total(self) -> int:
        """Return the sum of its dice."""
        return self.white + self.coloured


FateDeck = Mapping[int, Card]


@attrs.frozen
class Kind:
    """A kind of unit as its counter says: its type, morale on both sides, the command of a leader, its quality."""

    type: str
    morale: int
    broken_morale: int
    command: int
    quality: str


def read_decks(file: Traversable) -> Mapping[str, FateDeck]:
    """Return the decks by nation, each with its cards by number (1)."""
    found: dict[str, dict[int, Card]] = {}
    for row in read_csv(file):
        number = int(row["card"])
        dice = divmod(number % PLAIN_CARD, TENS)
        found.setdefault(row["deck"], {})[number] = Card(row["order"], row["random_hex"], *dice, row["trigger"])
    return found


def read_kinds(file: Traversable) -> Mapping[tuple[str, str, str], Kind]:
    """Return the kinds of units by nation (none for leaders), type and name."""
    return {
        (row["nation"], row["type"], row["name"]): Kind(
            row["type"], int(row["morale"]), int(row["broken_morale"]), int(row["command"]), row["quality"]
        )
        for row in read_csv(file)
    }


@attrs.frozen
class Side:
    """One of the two sides: its nation, whose deck it has, how many cards it holds, whether it defends."""

    name: str
    nation: str
    hand: int
    defends: bool = False


@attrs.frozen(eq=False)
class Call:
    """The facts of one radio: whose, of which row of the chart, who spots for it and from where, on which ground."""

    sides: tuple[Side, ...]
    radio: int
    smoke: bool
    stands: Place
    spotter: str | None = None
    terrain: Mapping[Hex, str] = attrs.field(factory=dict)
    edge: bool = False


@record
class Nerve:
    """How a unit is."""

    broken: bool = kept(False, "whether it is broken", "17")
    suppressed: bool = kept(False, "whether it is suppressed", "17")
    eliminated: bool = kept(False, "whether it is eliminated", "17")


class Knowing(Part):
    """A part that knows the facts of the request, and from whose deck who draws."""

    def stage(self, staging: Staging) -> None:
        """Stage what an engagement says."""
        call = call_of(staging, self)
        if call is not None:
            self.stage_call(staging, call)

    def stage_call(self, staging: Staging, call: Call) -> None:
        """Stage both decks and the facts of each asset."""
        for side in call.sides:
            rows = tuple(sorted(self.charts["decks"][side.nation]))
            cells = {(row, "cards"): "1" for row in rows}
            staging.deck(side.name, Chart(side.name, rows, ("cards",), cells, "printed"))
        for mission in staging.assets:
            slot = self.keeps.assets[0]() if self.keeps.assets else None  # type: ignore[operator] # a class
            staging.mission(mission, self.word, slot, call)
        staging.note(SECOND_HAND)

    def call(self, view: View, mission: str | None = None) -> Call:
        """Return the facts of an asset; what concerns both sides every asset knows."""
        return view.facts(mission or view.missions[0], Call)

    def side(self, view: View, name: str) -> Side:
        """Return a side by its name."""
        return next(side for side in self.call(view).sides if side.name == name)

    def cards(self, view: View, side: str) -> FateDeck:
        """Return the cards of a side's deck by number."""
        found: FateDeck = self.charts["decks"][self.side(view, side).nation]
        return found


def call_of(staging: Staging, part: Knowing) -> Call | None:
    """Return the facts of an engagement; None where something cannot be staged, which the staging is told."""
    engagement = staging.engagement
    before = len(staging.reasons)
    refuse = partial(_refuse, staging)
    if not FIRST_YEAR <= engagement.date.year <= LAST_YEAR:
        refuse(f"the decks and radios are those of {FIRST_YEAR} to {LAST_YEAR} (1)")
    if engagement.observer.kind != "forward":
        refuse("a leader on the map must place the spotting round (9)")
    if engagement.observer.sight != "clear":
        refuse("the spotting round goes on a hex that the leader sees (9)")
    if engagement.observer.link not in ("radio", "telephone"):
        refuse("requests go by radio (6)")
    if engagement.situation.night:
        refuse("no source says how fire is requested at night (9)")
    sides = _sides(staging, part)
    radio = _radio(staging, part)
    if len(staging.reasons) > before or None in sides or radio is None:
        return None
    row, smoke = radio
    stands = staging.at(0.0, -float(engagement.observer.distance_m))
    minutes = part.options["turn_minutes"]
    staging.note(f"a round of two player turns is taken as {minutes} minutes: the game gives a turn no length (D13)")
    staging.note("the map is taken to reach as far as the round may drift (14)")
    return Call(tuple(side for side in sides if side), row, smoke, stands)


def _refuse(staging: Staging, reason: str) -> None:
    """Give a reason once, whichever part finds it."""
    if reason not in staging.reasons:
        staging.cannot(reason)


def nation_of(word: str) -> str:
    """Return the deck of a nationality."""
    return {"soviet": "russian"}.get(word, word)


def _sides(staging: Staging, part: Knowing) -> tuple[Side | None, ...]:
    """Return both sides, with hands as the footing of the observer has them (S5)."""
    engagement = staging.engagement
    footing = engagement.observer.footing
    firing, other = {"attack": ("attack", "defence"), "defence": ("defence", "attack")}.get(footing, ("recon", "recon"))
    named = (
        (staging.firer, engagement.firer.nationality, firing),
        (staging.target_side, engagement.target.nationality, other),
    )
    for _, nationality, _ in named:
        if nation_of(nationality) not in part.charts["decks"]:
            known = ", ".join(part.charts["decks"])
            _refuse(staging, f"there is no deck of nationality {nationality}; there are {known} (1)")
    return tuple(
        Side(name, nation_of(word), part.number(f"hand_{task}"), task == "defence")
        if nation_of(word) in part.charts["decks"]
        else None
        for name, word, task in named
    )


def _radio(staging: Staging, part: Knowing) -> tuple[int, bool] | None:
    """Return the row of the radio of that calibre, and whether it has smoke."""
    chart, mm = part.charts["radios"], staging.engagement.asset.calibre_mm
    nation = nation_of(staging.engagement.firer.nationality)
    if nation not in part.charts["decks"]:
        return None
    owned = {
        row: chart.cell(row, f"{nation}_smoke") != "0"
        for row in chart.rows
        if (chart.cell(row, f"{nation}_plain"), chart.cell(row, f"{nation}_smoke")) != ("0", "0")
    }
    for row, smoke in owned.items():
        if int(chart.cell(row, "least_mm")) <= mm <= int(chart.cell(row, "most_mm")):
            return row, smoke
    there = ", ".join(f"{chart.cell(row, 'least_mm')}-{chart.cell(row, 'most_mm')}" for row in owned)
    _refuse(staging, f"there is no {nation} radio of {mm} mm; there are {there} mm (6)")
    return None
