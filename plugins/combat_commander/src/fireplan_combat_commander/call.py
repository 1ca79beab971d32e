"""The facts of a request (decks, hands, radio, spotter, terrain), and the parts' base class."""

from collections.abc import Mapping
from importlib.resources.abc import Traversable
from itertools import product

import attrs

from fireplan_core import CardFace, Part, Place, Staging, View, kept, record
from fireplan_core.chance import Chart, Face, read_csv
from fireplan_core.space import Hex, HexFrame, Layout, lettered_columns

MAP = HexFrame(30, Layout(lettered_columns(15), (1, 10), (1, 10)))
"""A map of 15 columns with 10 hexes each (S1); columns B, D, F ... are half a hex lower (D22)."""
REQUEST, DENIED = "artillery_request", "artillery_denied"
YEARS = range(1939, 1946)
PLAIN_CARD, TENS = 100, 10
"""A card's number is its two dice, e.g. 36, plus 100 for the second card with those dice."""

BY_DICE = {
    "a round": ("attack", "defence"),
    "all": (),
    "requests": ("targeting", "drift", "attack", "defence"),
}
"""Maps each value of the option ``cards`` to the rolls that are made with dice (D12)."""


@attrs.frozen
class Card:
    """A Fate card: its order, random hex, dice and trigger."""

    order: str
    random_hex: str
    white: int
    coloured: int
    trigger: str


FateDeck = Mapping[int, Card]
"""Maps each card's number to the card."""


@attrs.frozen
class Kind:
    """A kind of unit: its type, the morale on both sides of its counter, command and quality."""

    type: str
    morale: int
    broken_morale: int
    command: int
    quality: str


def read_decks(file: Traversable) -> Mapping[str, FateDeck]:
    """Map each nation to its deck, which maps card numbers to cards (1)."""
    decks: dict[str, dict[int, Card]] = {}
    for row in read_csv(file):
        number = int(row["card"])
        dice = divmod(number % PLAIN_CARD, TENS)
        decks.setdefault(row["deck"], {})[number] = Card(
            row["order"], row["random_hex"], *dice, row["trigger"]
        )
    return decks


def read_kinds(file: Traversable) -> Mapping[tuple[str, str, str], Kind]:
    """Return the kinds of units, keyed by nation ("" for leaders), type and name."""
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
    """One of the two sides: its nation, its hand size, and whether it defends."""

    name: str
    nation: str
    hand: int
    defends: bool = False


@attrs.frozen
class RadioFacts:
    """The facts of a radio.

    ``radio`` is its row of the chart, and ``smoke`` tells whether it can fire smoke. ``spotter`` is
    the leader who spots, or None in an engagement, and ``stands`` is his hex. ``terrain`` lists
    hexes with their terrain. ``edge`` means that rounds off the map have no effect.
    """

    sides: tuple[Side, ...]
    radio: int
    smoke: bool
    stands: Place
    spotter: str | None = None
    terrain: tuple[tuple[Hex, str], ...] = ()
    edge: bool = False


@record
class UnitState:
    """The condition of a unit: broken, suppressed or eliminated."""

    broken: bool = kept(False, "whether the unit is broken", "17")
    suppressed: bool = kept(False, "whether the unit is suppressed", "17")
    eliminated: bool = kept(False, "whether the unit is eliminated", "17")


class CallPart(Part):
    """A part that stores the facts of the request and of both decks."""

    def stage(self, staging: Staging) -> None:
        """Stage the radio and the decks of an engagement."""
        call = call_of(staging, self)
        if call is not None:
            self.stage_call(staging, call)

    def stage_call(self, staging: Staging, call: RadioFacts) -> None:
        """Stage both decks and each asset's facts."""
        for side in call.sides:
            rows = tuple(sorted(self.charts["decks"][side.nation]))
            cells = {(row, "cards"): "1" for row in rows}
            staging.deck(side.name, Chart(side.name, rows, ("cards",), cells, "printed"))
            staging.printed(side.name, self.faces(side.nation))
        for roll in BY_DICE[self.options["cards"]]:
            pairs = product(range(1, 7), repeat=2)
            staging.printed(
                roll,
                {TENS * first + second: CardFace(dice=(first, second)) for first, second in pairs},
            )
        for mission in staging.assets:
            slot = self.keeps.assets[0]() if self.keeps.assets else None  # type: ignore[operator] # a record's class
            staging.mission(mission, self.word, slot, call)

    def faces(self, nation: str) -> dict[Face, CardFace]:
        """Map the card numbers of a nation's deck to the printed faces.

        Triggers that have no effect are left out.
        """
        deck: FateDeck = self.charts["decks"][nation]
        return {
            number: CardFace(
                card.order or "other_order",
                (card.white, card.coloured),
                card.trigger if card.trigger in self.triggers else "",
                card.random_hex,
            )
            for number, card in deck.items()
        }

    @property
    def triggers(self) -> tuple[str, ...]:
        """Return the triggers of cards that take effect; an option ignores all of them (2, D12)."""
        if self.options["triggers"] == "ignored":
            return ()
        return ("time", "sniper", "event") if self.lasting else ("time",)

    @property
    def lasting(self) -> bool:
        """Return whether all rolls use cards from decks that last beyond a round (D11, D12)."""
        return bool(self.options["cards"] == "all")

    def call(self, view: View, mission: str | None = None) -> RadioFacts:
        """Return the facts of an asset; without ``mission``, those of the first asset.

        The sides, the terrain and the map's edge are the same for all assets.
        """
        return view.facts(mission or view.missions[0], RadioFacts)

    def side(self, view: View, name: str) -> Side:
        """Return the facts of the side called ``name``: its nation, hand size and posture."""
        return next(side for side in self.call(view).sides if side.name == name)

    def cards(self, view: View, side: str) -> FateDeck:
        """Return a side's deck, which maps card numbers to cards."""
        deck: FateDeck = self.charts["decks"][self.side(view, side).nation]
        return deck


def call_of(staging: Staging, part: CallPart) -> RadioFacts | None:
    """Return the facts of an engagement; report its faults and return None if there are any."""
    engagement, decks, chart = staging.engagement, part.charts["decks"], part.charts["radios"]
    nations = engagement.firer.nationality, engagement.target.nationality
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
        (
            row
            for row, (least, most) in reach.items()
            if least <= engagement.asset.calibre_mm <= most
        ),
        None,
    )
    calibres = ", ".join(f"{least}-{most} mm" for least, most in reach.values()) or "none"
    faults = {
        f"the decks and radios are for {YEARS.start} to {YEARS.stop - 1} (1)": engagement.date.year
        not in YEARS,
        "a leader on the map must place the spotting round (9)": engagement.observer.kind
        != "forward",
        "the leader must see the hex of the spotting round (9)": engagement.observer.sight
        != "clear",
        "requests need a radio (6)": engagement.observer.link not in ("radio", "telephone"),
        "no source covers requests at night (9)": engagement.situation.night,
        f"there are decks for {', '.join(decks)}, not for {' and '.join(nations)} (1)": not {
            *nations
        }
        <= {*decks},
        f"there is no {nations[0]} radio of {engagement.asset.calibre_mm} mm; the calibres are: {calibres} (6)": radio
        is None,
    }
    reasons = [reason for reason, wrong in faults.items() if wrong]
    for reason in reasons:
        if reason not in staging.reasons:
            staging.cannot(reason)
    if reasons or radio is None:
        return None
    minutes = part.options["turn_minutes"]
    staging.note(
        f"a round of two player turns counts as {minutes} minutes: the game gives no length (D13)"
    )
    stands = staging.at(0.0, -float(engagement.observer.distance_m))
    staging.note(
        "the map is large enough for any drift (14), and the radio fires only high explosive (15)"
    )
    if part.options["cards"] != "all":
        staging.note(
            "decks are shuffled in each round, and attack and defence rolls are two dice each (D11, D12)"
        )
    return RadioFacts(
        sides_of(staging, part, nations, engagement.observer.footing),
        radio,
        smoke=False,
        stands=stands,
    )


def sides_of(staging: Staging, part: Part, nations: tuple[str, str], task: str) -> tuple[Side, ...]:
    """Return both sides, the firing side first, with the hand sizes of their tasks (S5).

    ``task`` is the firing side's: attack, defence, or any other text for recon by both sides.
    ``nations`` has the sides' nations in the same order.
    """
    tasks = {"attack": ("attack", "defence"), "defence": ("defence", "attack")}.get(
        task, ("recon", "recon")
    )
    pairs = zip((staging.firer, staging.target_side), nations, tasks, strict=True)
    return tuple(
        Side(name, nation, part.number(f"hand_{posture}"), posture == "defence")
        for name, nation, posture in pairs
    )
