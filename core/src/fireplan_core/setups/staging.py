"""Staging: how the parts of a table set up a neutral engagement, one after the other.

Order: areas (which bring the frame), delays (which bring the clock), observers, resolution (which
brings the units), requests. The target's centre lies at the origin; the observer and the firer's
own troops lie north of it.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from math import ceil, sqrt
from typing import Any, Protocol

from fireplan_core.chance import Chart, Deck
from fireplan_core.mission import REFEREE
from fireplan_core.record import Place
from fireplan_core.setups.setup import Clock, Engagement, Feature, MissionSetup, Setup, UnitSetup
from fireplan_core.space import Frame


class Ground(Protocol):
    """Say what staging asks the areas part of the table."""

    def frame(self) -> Frame:
        """Return the places and distances of the table."""

    def middle(self) -> Place:
        """Return the place that stands for the centre of an engagement's target."""

    def aim_at(self, place: Place) -> tuple[Place, ...]:
        """Return the points that may be aimed at to hit a place."""


RESERVED = ("table", "ground")
"""Say what no asset and no unit is called: a position says by these what belongs to none of them."""


class CannotStageError(Exception):
    """An engagement that a game cannot represent; ``reasons`` says every reason."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__(reasons)
        self.reasons = reasons

    def __str__(self) -> str:
        return "; ".join(self.reasons)


class Staging:
    """A scenario under construction, from an engagement or from a game's own scenario file.

    Metres east and south of the target's centre; north is towards the firer.

    ``assets`` are the ids of the missions to stage (one an asset). Parts call ``mission``, ``unit``, ``share``,
    ``cannot`` and ``note``; the target area's places are
    ``target_places``, the place in its middle is ``centre``. A game whose fire is wanted at another kind of point than
    troops stand on (a vertex) sets ``aim_point``; one whose units can be moved by fire sets ``mobile``.
    """

    def __init__(self, title: str, areas: Ground, engagement: Engagement | None = None) -> None:
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

    @property
    def engagement(self) -> Engagement:
        """Return the engagement to be staged.

        ``ValueError`` when a scenario file is staged instead.
        """
        if self._engagement is None:
            raise ValueError("there is no engagement: a scenario file is being staged")
        return self._engagement

    def at(self, east: float, south: float) -> Place:
        """Return the place at a point, in metres from the centre of the target."""
        x, y = self.frame.metres(self.centre)
        return self.frame.nearest(x + east, y + south)

    @property
    def centre(self) -> Place:
        """Return the centre of the target: ``place`` if a scenario file sets it, else the areas' middle."""
        return self.areas.middle() if self.place is None else self.place

    @property
    def own_place(self) -> Place | None:
        """Return the place of the firer's own troops, or None when there are none near."""
        own = self.engagement.own_troops
        return None if own is None else self.at(0.0, -float(own.distance_m))

    def target_places(self) -> tuple[Place, ...]:
        """Return the places that the target's rectangle touches with their centre, nearest to its centre first."""
        half_width = self.engagement.target.frontage_m / 2
        half_depth = self.engagement.target.depth_m / 2
        x, y = self.frame.metres(self.centre)
        found = [
            cell
            for cell in self.frame.cells(self.centre, max(half_width, half_depth))
            if abs(self.frame.metres(cell)[0] - x) <= half_width
            and abs(self.frame.metres(cell)[1] - y) <= half_depth
        ]
        return tuple(sorted(found, key=lambda cell: (self.frame.gap(self.centre, cell), cell))) or (
            self.centre,
        )

    def bodies(self, count: int) -> Iterator[tuple[Place, int]]:
        """Yield where each of so many units stands, in rows over the target's rectangle, and how many men it has."""
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
        """Stage a part's slot and facts for a mission (one an asset).

        Side and target where they are its own.
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

    def unit(  # noqa: PLR0913 - what is staged of a unit is what it is
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
        """Stage a unit.

        Slot and facts are the resolution part's, ``also`` holds slots of other parts by word.
        """
        self._named(unit)
        slots = {"resolution": slot, **(also or {})}
        self.units[unit] = UnitSetup(side, place, strength, extent, slots, {"resolution": facts})

    def _named(self, name: str) -> None:
        if not name or "/" in name or name in RESERVED:
            needs = f"it needs letters, no '/', and to be none of {', '.join(RESERVED)}"
            reason = f"{name!r} cannot be the name of an asset or a unit: {needs}"
            if reason not in self.reasons:
                self.cannot(reason)

    def share(self, word: str, slot: Any) -> None:
        """Stage a part's slot of the table as a whole."""
        self.shared[word] = slot

    def deck(self, name: str, cards: Chart) -> None:
        """Stage a deck, its kinds counted by a chart of one column.

        Parts that share it bring the same.
        """
        found = tuple((row, int(cards.cell(row, cards.columns[0]))) for row in cards.rows)
        if self.decks.setdefault(name, found) != found:
            self.cannot(f"two parts bring different decks called {name!r}")

    def hand(self, deck: str, pile: str, side: str) -> None:
        """Let a pile of a deck be a side's hand: that side alone sees which cards are drawn into it ("": all do).

        A pile that bears a side's name is its hand unless this says otherwise. Cards of a hand are
        to be drawn when the side looks at them: to whoever does not see them they are not drawn
        yet.
        """
        self.hands[deck, pile] = side

    def feature(
        self, words: str, place: Place | None = None, outline: tuple[tuple[float, float], ...] = ()
    ) -> None:
        """Note what lies on the ground, for maps: in a word or two, at a place or within an outline in metres."""
        self.features[Feature(words, place, outline)] = None

    def cannot(self, reason: str) -> None:
        """Give a reason why this engagement cannot be represented.

        All parts' reasons are collected.
        """
        self.reasons.append(reason)

    def note(self, text: str) -> None:
        """Note what the figures rest on: an assumption of the staging, a reconstructed chart."""
        if text not in self.notes:
            self.notes.append(text)

    def setup(self, clock: Clock) -> Setup:
        """Close the staging; raises ``CannotStageError`` with all reasons that were given."""
        # Who owns what, and who may see it, is told by the name alone.
        for name in self.units:
            if name in self.missions:
                self.cannot(f"{name!r} is the name of an asset: give the unit another")
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
            frame=self.frame,
            clock=clock,
            firer=self.firer,
            centre=self.centre,
            mobile=self.mobile,
            provenance=tuple(self.notes),
            engagement=self._engagement,
        )
