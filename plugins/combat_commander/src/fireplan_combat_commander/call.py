"""The facts of a request (decks, hands, radio, spotter, ground), and the base of the parts that know them."""

from collections.abc import Mapping
from importlib.resources.abc import Traversable

import attrs

from fireplan_core import Part, Place, Staging, View, kept, record
from fireplan_core.chance import Chart, read_csv
from fireplan_core.space import Hex, HexFrame, Layout, lettered_columns

MAP = HexFrame(30, Layout(lettered_columns(15), (1, 10), (1, 10)))
"""A map of 15 columns with 10 hexes each (S1); columns B, D, F ... lie half a hex lower (D22)."""
REQUEST, DENIED = "artillery_request", "artillery_denied"
YEARS = range(1939, 1946)
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
        found.setdefault(row["deck"], {})[number] = Card(
            row["order"], row["random_hex"], *dice, row["trigger"]
        )
    return found


def read_kinds(file: Traversable) -> Mapping[tuple[str, str, str], Kind]:
    """Return the kinds of units by nation (none for leaders), type and name."""
    return {
        (row["nation"], row["type"], row["name"]): Kind(
            row["type"],
            int(row["morale"]),
            int(row["broken_morale"]),
            int(row["command"]),
            row["quality"],
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


@attrs.frozen
class Call:
    """The facts of one radio: whose, of which row of the chart, who spots for it and from where, on which ground."""

    sides: tuple[Side, ...]
    radio: int
    smoke: bool
    stands: Place
    spotter: str | None = None
    terrain: tuple[tuple[Hex, str], ...] = ()
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
    """Return the facts of an engagement.

    None where something cannot be staged, which the staging is told once.
    """
    it, decks, chart = staging.engagement, part.charts["decks"], part.charts["radios"]
    nations = it.firer.nationality, it.target.nationality
    kinds = [f"{nations[0]}_{kind}" for kind in ("plain", "smoke")]
    rows = [
        row
        for row in chart.rows
        if nations[0] in decks and any(chart.cell(row, kind) != "0" for kind in kinds)
    ]
    reach = {
        row: (int(chart.cell(row, "least_mm")), int(chart.cell(row, "most_mm"))) for row in rows
    }
    radio = next(
        (row for row, (least, most) in reach.items() if least <= it.asset.calibre_mm <= most), None
    )
    there = ", ".join(f"{least}-{most}" for least, most in reach.values())
    faults = {
        f"the decks and radios are those of {YEARS.start} to {YEARS.stop - 1} (1)": it.date.year
        not in YEARS,
        "a leader on the map must place the spotting round (9)": it.observer.kind != "forward",
        "the spotting round goes on a hex that the leader sees (9)": it.observer.sight != "clear",
        "requests go by radio (6)": it.observer.link not in ("radio", "telephone"),
        "no source says how fire is requested at night (9)": it.situation.night,
        f"there are decks of {', '.join(decks)}, not of {' and '.join(nations)} (1)": not {*nations}
        <= {*decks},
        f"there is no {nations[0]} radio of {it.asset.calibre_mm} mm; there are {there} mm (6)": radio
        is None,
    }
    found = [reason for reason, wrong in faults.items() if wrong]
    for reason in found:
        if reason not in staging.reasons:
            staging.cannot(reason)
    if found or radio is None:
        return None
    minutes = part.options["turn_minutes"]
    staging.note(
        f"a round of two player turns is taken as {minutes} minutes: the game gives a turn no length (D13)"
    )
    stands = staging.at(0.0, -float(it.observer.distance_m))
    staging.note(
        "the map reaches as far as the round may drift (14), and the radio fires explosive alone (15)"
    )
    if part.options["cards"] != "all":
        staging.note(
            "decks are fresh in each round, and attack and defence are two dice each (D11, D12)"
        )
    return Call(
        sides_of(staging, part, nations, it.observer.footing), radio, smoke=False, stands=stands
    )


def sides_of(staging: Staging, part: Part, nations: tuple[str, str], task: str) -> tuple[Side, ...]:
    """Return both sides of these nations, with the hands of their tasks (S5)."""
    tasks = {"attack": ("attack", "defence"), "defence": ("defence", "attack")}.get(
        task, ("recon", "recon")
    )
    named = zip((staging.firer, staging.target_side), nations, tasks, strict=True)
    return tuple(
        Side(name, nation, part.number(f"hand_{what}"), what == "defence")
        for name, nation, what in named
    )
