"""The tables of a sheet that do not depend on the ready parts it chooses."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, Literal

import attrs

from fireplan.sheets.tables import whole_numbers_in
from fireplan_core import CardFace, Modifier
from fireplan_core.chance import Chart
from fireplan_core.files import Complaint, entry
from fireplan_core.game import Option
from fireplan_core.ledger import Rule, Status
from fireplan_core.mission import Outcome
from fireplan_core.ready_parts import ModifierConditions, PlainScenario, modifier_when
from fireplan_core.sentences import BEST, TABLES
from fireplan_core.setups.setup import Cover, Posture, Quality
from fireplan_core.space import HexFrame, Layout, PlaneFrame, VertexFrame, lettered_columns

VERSION = 1
"""The version of sheets, which the key ``sheet`` states."""
METRES = 6
"""Maximum number of digits of a range in metres."""
Provenance = Literal["printed", "derived", "reconstructed"]


@attrs.frozen(kw_only=True)
class SheetMap:
    """The map of a sheet: hexes, corners of hexes, or a table without a grid."""

    kind: Literal["hexes", "corners", "table"] = entry("hexes, corners of hexes, or a table")
    metres: int | Fraction = entry("metres across a hex, or in a unit of the table", example=100)
    columns: int = entry("number of columns of hexes, lettered from A", 20, range=(1, 100))
    rows: int = entry("number of rows of hexes", 16, range=(1, 100))

    def check(self) -> Iterator[Complaint]:
        """Yield a fault if the unit of length is not positive."""
        if self.metres <= 0:
            yield "metres", f"expected more than 0, got {self.metres}", "such as metres = 100"

    def frame(self) -> HexFrame | VertexFrame | PlaneFrame:
        """Return the frame of the map, which provides places, labels and distances."""
        if self.kind == "table":
            return PlaneFrame(float(self.metres))
        layout = Layout(lettered_columns(self.columns), (1, self.rows), (1, self.rows))
        kind = HexFrame if self.kind == "hexes" else VertexFrame
        return kind(float(self.metres), layout)


@attrs.frozen(kw_only=True)
class SheetTable:
    """A table of results: rows by the sum of a roll, entries separated by commas."""

    columns: tuple[str, ...] = entry(
        "the headings of the entries; of results, the first for full and the last for weaker fire",
        ("result",),
    )
    rows: Mapping[str, str] = entry(
        'entries by sum or span of sums; several entries are one text, such as "pinned, 2"',
        example={"2-6": "-", "7-12": "pinned"},
    )
    provenance: Provenance = entry("where the figures come from", "printed")
    rule: str = entry("the rule that states the table", "")

    def chart(self, name: str) -> Chart:
        """Return the table as a chart; raises ValueError for a gap, an overlap or a wrong row."""
        cells: dict[tuple[int, str], str] = {}
        rows: list[int] = []
        for label, text in self.rows.items():
            entries = [part.strip() for part in text.split(",")]
            if len(entries) != len(self.columns) or not all(entries):
                raise ValueError(
                    f'row "{label}": expected {len(self.columns)} entries'
                    f' ({", ".join(self.columns)}) separated by commas, got "{text}"'
                )
            for row in whole_numbers_in(label):
                if row in rows:
                    raise ValueError(f'row "{label}" overlaps another: {row} appears twice')
                rows.append(row)
                cells |= {(row, column): e for column, e in zip(self.columns, entries, strict=True)}
        missing = sorted(set(range(min(rows, default=0), max(rows, default=0))) - set(rows))
        if missing or not rows:
            raise ValueError(f"no row for {', '.join(map(str, missing)) or 'any sum'}")
        columns = self.columns
        return Chart(name, tuple(sorted(rows)), columns, cells, self.provenance, self.rule)


@attrs.frozen(kw_only=True)
class SheetDeck:
    """A deck of numbered cards."""

    cards: Mapping[str, int] = entry(
        "how many cards there are of each number or span of numbers", example={"1-8": 5}
    )
    provenance: Provenance = entry("where the figures come from", "printed")
    rule: str = entry("the rule that states the deck", "")
    columns: tuple[Literal["name", "dice", "sign", "place"], ...] = entry(
        "what is printed on the cards: a name, dice, a sign that acts when drawn, a place",
        ("name",),
    )
    faces: Mapping[str, str] = entry(
        'what is printed on each number or span of numbers; several entries are one text, such as "fog, 2-5"'
        " with the columns name and dice, and - means nothing",
        attrs.Factory(dict),
        example={"1-4": "fog", "5-8": "barrage"},
    )

    def counts(self) -> dict[int, int]:
        """Map each card number to its number of copies; raises ValueError for an unusable deck."""
        counts: dict[int, int] = {}
        for label, count in self.cards.items():
            for number in whole_numbers_in(label):
                if number in counts:
                    raise ValueError(f"card {number} appears twice")
                if not 1 <= count <= MOST_CARDS:
                    raise ValueError(f"expected 1 to {MOST_CARDS} cards of {label}, got {count}")
                counts[number] = count
        if not counts:
            raise ValueError("the deck has no cards")
        return counts

    def chart(self, name: str) -> Chart:
        """Return a chart of the copies of each card; raises ValueError for an unusable deck."""
        counts = self.counts()
        cells = {(number, "copies"): str(copies) for number, copies in counts.items()}
        return Chart(name, tuple(counts), ("copies",), cells, self.provenance, self.rule)

    def printed(self) -> dict[int, CardFace]:
        """Return the printed face of each card by its number; empty if the deck does not list them.

        Raises ValueError for a card without a face, a face without a card, and wrong entries.
        """
        printed: dict[int, CardFace] = {}
        for label, text in self.faces.items():
            entries = [part.strip() for part in text.split(",")]
            if len(entries) != len(self.columns) or not all(entries):
                raise ValueError(
                    f'"{label}": expected {", ".join(self.columns)} separated by commas, got "{text}"'
                )
            pairs = zip(self.columns, entries, strict=True)
            values = {column: "" if entry == "-" else entry for column, entry in pairs}
            numbers = _dice_on_card(values.pop("dice", ""))
            for number in whole_numbers_in(label):
                if number in printed:
                    raise ValueError(f"card {number} appears twice")
                printed[number] = CardFace(dice=numbers, **values)
        for cards, others, problem in (
            (self.counts(), printed, "nothing is printed on card"),
            (printed, self.counts(), "the deck has no card"),
        ):
            if printed and (missing := sorted(set(cards) - set(others))):
                raise ValueError(f"{problem} {', '.join(map(str, missing))}")
        return printed


def _dice_on_card(text: str) -> tuple[int, ...]:
    """Return the dice in a text such as ``3-6``; raises ValueError for other texts."""
    dice = text.split("-") if text else []
    if not all(die.isdecimal() and len(die) <= _DIGITS for die in dice):
        raise ValueError(f'expected dice such as "3-6", got "{text}"')
    return tuple(map(int, dice))


_DIGITS = 3
MOST_CARDS = 200
"""Maximum number of cards with the same number in a deck."""


@attrs.frozen(kw_only=True)
class SheetOption:
    """An option of the rules, which decides one figure; its first value is the default."""

    name: str = entry("its name, in lower-case letters", example="short_delay")
    sets: str = entry("the figure that it decides, with its part", example="delays.delay")
    values: Mapping[str, int | bool] = entry(
        "the figure for each value of the option, the default first",
        example={"printed": 2, "quick": 1},
    )
    rule: str = entry("rule number", example="2.4")
    summary: str = entry("what the option decides", example="how long guns take")

    def option(self) -> Option:
        """Return the option as a game declares it."""
        return Option(self.name, tuple(self.values), self.rule, self.summary)


@attrs.frozen(kw_only=True)
class SheetModifier:
    """A modifier of a roll, with optional conditions, all of which must hold."""

    roll: str = entry("the roll, with its part", example="resolution.attack")
    rule: str = entry("rule number", example="5.2")
    summary: str = entry("the reason, in players' words", example="dug in")
    value: int = entry("the value added", range=(-100, 100), example=-2)
    cover: tuple[Cover, ...] = entry("covers of the units to which it applies", ())
    posture: tuple[Posture, ...] = entry("postures of the units to which it applies", ())
    quality: tuple[Quality, ...] = entry("qualities of the units to which it applies", ())
    guns: str = entry("number of guns of the battery, such as 9-500", "")
    calibre_mm: str = entry("calibre of the battery in millimetres, such as 150-914", "")
    range_m: str = entry("range from the guns to the target in metres, such as 0-2000", "")
    night: bool | None = entry("whether it is night", None)
    outcome: Literal["", "good", "very_good"] = entry("how the request was answered", "")
    failures: int = entry(
        "add the value for each failure of the link, up to this number", 0, range=(0, 100)
    )

    @property
    def of_unit(self) -> bool:
        """True if the modifier depends on a unit."""
        return bool(self.cover or self.posture or self.quality)

    @property
    def of_battery(self) -> bool:
        """True if the modifier depends on a battery or its mission."""
        given = self.guns or self.calibre_mm or self.range_m or self.outcome or self.failures
        return bool(given) or self.night is not None

    def conditions(self) -> ModifierConditions:
        """Return the conditions of the modifier; raises ValueError for a wrong span."""
        return ModifierConditions(
            cover=self.cover,
            posture=self.posture,
            quality=self.quality,
            guns=whole_numbers_in(self.guns) if self.guns else None,
            calibre_mm=whole_numbers_in(self.calibre_mm) if self.calibre_mm else None,
            range_m=whole_numbers_in(self.range_m, METRES) if self.range_m else None,
            night=self.night,
            outcome=Outcome[self.outcome.upper()] if self.outcome else None,
            failures=self.failures,
        )

    def modifier(self) -> Modifier:
        """Return the modifier as its part declares it; raises ValueError for a wrong span."""
        name = self.roll.partition(".")[2]
        return modifier_when(name, self.rule, self.summary, self.value, self.conditions())


@attrs.frozen
class SheetRule(Rule):
    """A rule of the game; it counts as implemented unless the sheet gives another status."""

    status: Status = entry("whether the game carries out the rule", "implemented")


SheetScenario: Any = attrs.make_class(
    "SheetScenario",
    {
        "name": attrs.field(
            type=str, metadata={"help": "its name, in lower-case letters", "example": "first"}
        ),
        **{
            field.name: attrs.field(default=field.default, type=field.type, metadata=field.metadata)
            for field in attrs.fields(PlainScenario)
            if field.name not in {"game", "charts"}
        },
    },
    frozen=True,
    kw_only=True,
)
"""A plain scenario inside a sheet, which also has a name."""


SheetSentences: Any = attrs.make_class(
    "SheetSentences",
    {
        BEST: attrs.field(
            type=tuple[str, ...],
            default=(),
            metadata={"help": "kinds of event, from best to worst for the side that throws"},
        ),
        **{
            table: attrs.field(
                type=Mapping[str, str],
                factory=dict,
                metadata={"help": f"sentences for {table}, by name"},
            )
            for table in TABLES
        },
    },
    frozen=True,
    kw_only=True,
)
"""Sentences of a sheet that replace the common ones, by table and name."""


@attrs.frozen(kw_only=True)
class SheetHead:
    """The keys that every sheet has, whichever parts it chooses."""

    sheet: int = entry("the version of sheets", range=(VERSION, VERSION))
    key: str = entry("the game's key: lower-case letters, digits and _", example="my_game")
    title: str = entry("the game's title", example="My game")
    edition: str = entry("the edition of its rules", "")
    summary: str = entry("what the procedure models", "", multiline=True)
    capabilities: tuple[str, ...] = entry(
        "other capabilities of the game", (), example=("friendly fire",)
    )
    map: SheetMap = entry("the map")
    rule: tuple[SheetRule, ...] = entry("the rules")
    table: Mapping[str, SheetTable] = entry("tables of results", attrs.Factory(dict))
    deck: Mapping[str, SheetDeck] = entry("decks of cards", attrs.Factory(dict))
    option: tuple[SheetOption, ...] = entry("options of the rules", ())
    modifier: tuple[SheetModifier, ...] = entry("modifiers of rolls", ())
    sentences: SheetSentences = entry("the game's own sentences", attrs.Factory(SheetSentences))
    scenario: tuple[SheetScenario, ...] = entry("the scenarios")
