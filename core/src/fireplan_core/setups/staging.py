"""Staging, in which the parts of a table set up a neutral engagement in turn.

The order is: areas (with the frame), delays (with the clock), observers, resolution (with the
units), requests. The target's centre lies at the origin; the observer and the firer's own troops
lie north of the target.
"""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from math import ceil, sqrt
from typing import Any, Protocol

from fireplan_core.chance import Chart, Deck, Face
from fireplan_core.files import Complaint
from fireplan_core.mission import REFEREE
from fireplan_core.setups.setup import (
    CardFace,
    Clock,
    Engagement,
    Feature,
    MissionSetup,
    Setup,
    UnitSetup,
)
from fireplan_core.space import Frame, Place
from fireplan_core.space.frames import Outline


class StagingAreas(Protocol):
    """The methods of the areas part that staging needs."""

    def frame(self) -> Frame:
        """Return the table's frame, which provides places, labels and distances."""

    def middle(self) -> Place:
        """Return the place that represents the centre of an engagement's target."""

    def aim_at(self, place: Place) -> tuple[Place, ...]:
        """Return the aim points from which fire hits a place."""


RESERVED = ("table", "ground")
"""Names that no asset or unit may have, because positions use them for the table and the ground."""


class CannotStageError(Exception):
    """An error for an engagement or a file that a game cannot represent.

    ``reasons`` lists every reason; ``complaints`` lists them with their keys in the file.
    """

    def __init__(self, reasons: list[str], complaints: Iterable[Complaint] = ()) -> None:
        self.complaints = (*complaints, *(("", reason, "") for reason in reasons))
        self.reasons = [f"{key}: {reason}" if key else reason for key, reason, _ in self.complaints]
        super().__init__(self.reasons)

    def __str__(self) -> str:
        return "; ".join(self.reasons)


class Staging:
    """A scenario under construction, from an engagement or from a game's own scenario file.

    Points are in metres east and south of the target's centre; north is towards the firer.
    ``assets`` lists the ids of the missions to stage, one for each asset. Parts call ``mission``,
    ``unit``, ``share``, ``cannot`` and ``note``. A game sets ``aim_point`` if its target is not a
    place where troops can stand (e.g. a vertex), and ``mobile`` if units can move.

    >>> from fireplan_core.space import PlaneFrame
    >>> class Guns(Areas):
    ...     def frame(self):
    ...         return PlaneFrame()
    >>> staging = Staging("A raid at dawn", Guns("my_game", {}, {}))
    >>> staging.unit("t1", "target", (0, 0), strength=10, slot=None, facts=None)
    >>> staging.setup(Clock.even(2, "turn")).target_strength
    10
    """

    def __init__(
        self, title: str, areas: StagingAreas, engagement: Engagement | None = None
    ) -> None:
        self.title = title
        self.areas = areas
        self._engagement = engagement
        self.frame = areas.frame()
        self.firer = "firer"
        self.target_side = "target"
        self.assets: tuple[str, ...] = ("a",)
        self.mobile = False
        self.aim_point: Place | None = None
        self.place: Place | None = None
        self.missions: dict[str, dict[str, Any]] = {}
        self.units: dict[str, UnitSetup] = {}
        self.shared: dict[str, Any] = {}
        self.reasons: list[str] = []
        self.notes: list[str] = []
        self.features: dict[Feature, None] = {}
        self.decks: dict[str, Deck] = {}
        self.hands: dict[tuple[str, str], str] = {}
        self.faces: dict[str, dict[Face, CardFace]] = {}

    @property
    def engagement(self) -> Engagement:
        """The engagement to stage; raises ValueError if a scenario file is staged instead."""
        if self._engagement is None:
            raise ValueError("there is no engagement: a scenario file is being staged")
        return self._engagement

    def at(self, east: float, south: float) -> Place:
        """Return the place nearest to a point given in metres from the centre of the target."""
        x, y = self.frame.metres(self.centre)
        return self.frame.nearest(x + east, y + south)

    @property
    def centre(self) -> Place:
        """The centre of the target: ``place`` if a file sets it, or else the areas' ``middle``."""
        return self.areas.middle() if self.place is None else self.place

    @property
    def own_place(self) -> Place | None:
        """The place of the firer's own troops, or None if there are none nearby."""
        own = self.engagement.own_troops
        return None if own is None else self.at(0.0, -float(own.distance_m))

    def target_places(self) -> tuple[Place, ...]:
        """Return the places with their centres in the target's rectangle, innermost first.

        If there are none, return only the centre of the target.
        """
        half_width = self.engagement.target.frontage_m / 2
        half_depth = self.engagement.target.depth_m / 2
        x, y = self.frame.metres(self.centre)
        cells = [
            cell
            for cell in self.frame.cells(self.centre, max(half_width, half_depth))
            if abs(self.frame.metres(cell)[0] - x) <= half_width
            and abs(self.frame.metres(cell)[1] - y) <= half_depth
        ]
        return tuple(sorted(cells, key=lambda cell: (self.frame.gap(self.centre, cell), cell))) or (
            self.centre,
        )

    def bodies(self, count: int) -> Iterator[tuple[Place, int]]:
        """Yield a place and a number of men for each of ``count`` units.

        The units are spread over the target's rectangle in rows.
        """
        target = self.engagement.target
        rows = max(1, min(count, round(sqrt(count * target.depth_m / target.frontage_m))))
        columns = ceil(count / rows)
        for number in range(count):
            row, column = divmod(number, columns)
            east = ((column + 1 / 2) / columns - 1 / 2) * target.frontage_m
            south = ((row + 1 / 2) / rows - 1 / 2) * target.depth_m
            yield self.at(east, south), target.men // count + (number < target.men % count)

    def mission(
        self,
        mission: str,
        word: str,
        slot: Any = None,
        facts: Any = None,
        *,
        side: str | None = None,
        target: Place | None = None,
    ) -> None:
        """Stage a part's opening record (``slot``) and constant ``facts`` for a mission.

        ``side`` and ``target`` are needed only if they differ from the scenario's.
        """
        self._named(mission)
        entry = self.missions.setdefault(
            mission, {"slots": {}, "facts": {}, "side": None, "target": None}
        )
        for name, value in (("side", side), ("target", target)):
            if value is not None:
                entry[name] = value
        if slot is not None:
            entry["slots"][word] = slot
        if facts is not None:
            entry["facts"][word] = facts

    def unit(  # noqa: PLR0913 - one argument for each property of a unit
        self,
        unit: str,
        side: str,
        place: Place,
        *,
        strength: int,
        slot: Any,
        facts: Any,
        extent: Fraction = Fraction(0),
        also: Mapping[str, Any] | None = None,
    ) -> None:
        """Stage a unit with the resolution part's slot and facts.

        ``strength`` is its weight in the target, such as its number of men. ``extent`` is half its
        width in metres if it is wider than a place. ``also`` maps the words for other parts to
        their slots for the unit.
        """
        self._named(unit)
        slots = {"resolution": slot, **(also or {})}
        self.units[unit] = UnitSetup(side, place, strength, extent, slots, {"resolution": facts})

    def _named(self, name: str) -> None:
        if not name or "/" in name or name in RESERVED:
            needs = f"a name must not be empty, contain '/' or be one of {', '.join(RESERVED)}"
            reason = f"{name!r} cannot be the name of an asset or a unit: {needs}"
            if reason not in self.reasons:
                self.cannot(reason)

    def share(self, word: str, slot: Any) -> None:
        """Stage ``slot`` as the record that the part ``word`` keeps of the whole table."""
        self.shared[word] = slot

    def deck(self, name: str, cards: Chart) -> None:
        """Stage a deck from a one-column chart with the number of cards of each kind.

        Parts that share a deck must stage the same cards.
        """
        deck = tuple((row, int(cards.cell(row, cards.columns[0]))) for row in cards.rows)
        if self.decks.setdefault(name, deck) != deck:
            self.cannot(f"two parts declare different decks called {name!r}")

    def printed(self, deck: str, faces: Mapping[Face, CardFace]) -> None:
        """Record the text printed on each card of a deck, by which players name the cards.

        For a draw from no deck, give the name of its roll.
        """
        self.faces[deck] = dict(faces)

    def hand(self, deck: str, pile: str, side: str) -> None:
        """Make a pile of a deck into a side's hand.

        Only that side sees the cards drawn into the pile; if ``side`` is empty, all sides see them.
        By default, a pile named after a side is that side's hand. Draw a card into a hand when the
        side looks at it; until then other sides regard it as not yet drawn.
        """
        self.hands[deck, pile] = side

    def feature(self, words: str, place: Place | None = None, outline: Outline = ()) -> None:
        """Add a feature for maps: a short text, and a place or an outline in metres."""
        self.features[Feature(words, place, outline)] = None

    def cannot(self, reason: str) -> None:
        """Add a reason why the game cannot represent this engagement."""
        self.reasons.append(reason)

    def note(self, text: str) -> None:
        """Add a note on the provenance of the figures, e.g. an assumption made in staging."""
        if text not in self.notes:
            self.notes.append(text)

    def setup(self, clock: Clock) -> Setup:
        """Return the finished setup.

        Raises ``CannotStageError`` with all reasons given to ``cannot``, and those for a unit that
        has the name of an asset and for a side that has the name of the referee.
        """
        # Ownership and visibility are looked up by name only, so names must be unique.
        for name in self.units:
            if name in self.missions:
                self.cannot(f"{name!r} is the name of an asset: give the unit another name")
        sides = [entry["side"] for entry in self.missions.values()] + [
            unit.side for unit in self.units.values()
        ]
        if REFEREE in sides:
            self.cannot(f"no side can be called {REFEREE!r}: the referee sees everything")
        if self.reasons:
            raise CannotStageError(self.reasons)
        target = self.centre if self.aim_point is None else self.aim_point
        return Setup(
            title=self.title,
            missions={
                key: MissionSetup(
                    entry["side"] or self.firer,
                    target if entry["target"] is None else entry["target"],
                    entry["slots"],
                    entry["facts"],
                )
                for key, entry in self.missions.items()
            },
            units=self.units,
            shared=self.shared,
            features=tuple(self.features),
            decks=self.decks,
            hands={
                **{(deck, side): side for deck in self.decks for side in filter(None, sides)},
                **self.hands,
            },
            printed=self.faces,
            frame=self.frame,
            clock=clock,
            firer=self.firer,
            centre=self.centre,
            mobile=self.mobile,
            provenance=tuple(self.notes),
            engagement=self._engagement,
        )
