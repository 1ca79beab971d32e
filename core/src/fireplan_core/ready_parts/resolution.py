"""Ready resolution parts: results from a table, checks against a score, hits and wounds."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, Any, ClassVar, get_args, get_type_hints

import attrs

from fireplan_core import cycle
from fireplan_core.chance import Chance, Die, d6
from fireplan_core.mission import Reason, Severity, Shot
from fireplan_core.ready_parts.base import Battery, Ready, Stated
from fireplan_core.record import COUNT, ProcedureError, kept, record
from fireplan_core.resolution import Resolution
from fireplan_core.setups.setup import Cover, Posture, Quality
from fireplan_core.setups.staging import Staging
from fireplan_core.space import Place
from fireplan_core.steps.effects import Effects, emit, push, step, update, within
from fireplan_core.steps.part import Keeps, Modifier
from fireplan_core.steps.view import View


@record
class Losses:
    """A unit's losses: the worst harm so far, and whether the unit was struck in this moment."""

    worst: Severity = kept(Severity.NONE, "the worst harm done to the unit", "strike")
    struck: bool = kept(
        False, "whether it was struck in this moment, if the rules need it", "once/strike"
    )


@attrs.frozen
class Troops:
    """The fixed facts about a unit, in the same terms as an engagement.

    >>> Troops(cover="woods")
    Troops(cover='woods', posture='prone', quality='average')
    """

    cover: Cover = "open"
    posture: Posture = "prone"
    quality: Quality = "average"


def for_troops(
    roll: str, cite: str, summary: str, value: int, **facts: str | tuple[str, ...]
) -> Modifier:
    """Return a modifier that applies only to units with certain facts.

    An example is ``for_troops("attack", "5.2", "dug in", -2, posture="dug_in")``. A tuple of words
    matches any of them. The step that rolls must have the unit among its arguments. Raises
    ValueError for an unknown fact or word.

    >>> for_troops("attack", "5.2", "dug in", -2, posture="dug in")
    Traceback (most recent call last):
    ValueError: dug in (5.2): no unit has posture=dug in; expected ...
    """
    required = {
        name: (values,) if isinstance(values, str) else values for name, values in facts.items()
    }
    allowed = {name: get_args(values) for name, values in get_type_hints(Troops).items()}
    unknown = {
        f"{name}={word}"
        for name, values in required.items()
        for word in values
        if word not in allowed.get(name, ())
    }
    if unknown:
        expected = "; ".join(f"{name}={'|'.join(values)}" for name, values in allowed.items())
        raise ValueError(
            f"{summary} ({cite}): no unit has {', '.join(sorted(unknown))}; expected {expected}"
        )

    def applied(view: View, *args: Any) -> int:
        troops = view.unit_facts(next(arg for arg in args if arg in view.scenario.units), Troops)
        return (
            value
            if all(getattr(troops, name) in values for name, values in required.items())
            else 0
        )

    return Modifier(roll, cite, summary, applied)


class _Units(Ready, Resolution):
    """Resolution that divides the target into units, each of which is attacked separately.

    A unit has ``men_a_unit`` men. With ``once``, a unit is struck at most once in a moment.
    """

    needs: ClassVar[tuple[str, ...]] = ("strike",)
    may: ClassVar[tuple[str, ...]] = ("suffer", "once")
    men_a_unit: Annotated[int, Stated("strike", least=1)] = 10
    once: bool = False
    keeps = Keeps(units=(Losses,))

    def stage(self, staging: Staging) -> None:
        """Stage the target's units over its rectangle, and the firer's own troops at one place."""
        super().stage(staging)
        target = staging.engagement.target
        troops = Troops(target.cover, target.posture, target.quality)
        for number, (place, men) in enumerate(
            staging.bodies(max(1, round(target.men / self.men_a_unit))), start=1
        ):
            self.stage_unit(staging, f"t{number}", staging.target_side, place, men, troops)
        own = staging.engagement.own_troops
        if own is not None and staging.own_place is not None:
            self.stage_unit(staging, "o1", staging.firer, staging.own_place, own.men, Troops())

    def stage_unit(
        self, staging: Staging, unit: str, side: str, place: Place, men: int, troops: Troops
    ) -> None:
        """Stage an unharmed unit with these troops at a place."""
        staging.unit(unit, side, place, strength=men, slot=Losses(), facts=troops)

    @step(cite="strike")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Attack every unit at the place.

        With ``once``, skip units that were already struck in this moment.
        """
        units = [
            unit
            for unit in view.units_at(place)
            if not (self.once and view.unit(unit, Losses).struck)
        ]
        marks = [update(view.unit(unit, Losses), struck=True) for unit in units if self.once]
        return Effects(*marks, *(push(self.attack, mission, unit, shot.strength) for unit in units))

    def opens(self, view: View) -> bool:
        """Return whether ``once`` is set and any unit may have been struck."""
        return self.once and any(view.mission(mission).fell for mission in view.missions)

    @step(cite="once/strike")
    def opening(self, chance: Chance, view: View) -> Effects:
        """Make all units eligible to be struck again, place by place."""
        places = dict.fromkeys(view.place_of(unit) for unit in view.units)
        return Effects(
            *(
                within(view.scope(place), push(self.afresh, view.missions[0], place))
                for place in places
            )
        )

    @step(cite="once/strike")
    def afresh(self, chance: Chance, view: View, mission: str, place: Place) -> Effects:
        """Make the units at a place eligible to be struck again."""
        return Effects(
            *(update(view.unit(unit, Losses), struck=False) for unit in view.units_at(place))
        )

    def attack(
        self, chance: Chance, view: View, mission: str, unit: str, strength: Fraction
    ) -> Effects:
        """Attack a unit with fire of this strength, where 1 is full strength."""
        raise NotImplementedError

    def suffer(self, view: View, unit: str, severity: Severity) -> Effects:
        """Return the effects of harm to a unit; empty if the unit has already suffered as much."""
        own = view.unit(unit, Losses)
        if severity <= own.worst:
            return Effects()
        return Effects(
            update(own, worst=severity),
            emit("suffered", self.rule("suffer/strike"), unit=unit, severity=severity),
        )


class TableLookUp(_Units):
    """Resolution that throws dice for each unit and looks up the sum in the chart named ``chart``.

    The entries in the chart are keys of ``severities``. Modifiers are registered for
    ``resolution.attack``.

    >>> from fireplan_core import Severity
    >>> class Shells(TableLookUp):
    ...     cites, chart = {"strike": "5.1"}, "harm"
    ...     severities = {"none": Severity.NONE, "pinned": Severity.SUPPRESSED}
    >>> Shells("my_game", {}, {}).steps()["resolution.attack"].cite
    '5.1'
    """

    modified: ClassVar[tuple[str, ...]] = ("attack",)
    severities: ClassVar[Mapping[str, Severity]]
    chart: str
    dice: ClassVar[Mapping[str, Die]] = {"coloured": d6, "white": d6}

    def column(self, view: View, mission: str, unit: str, strength: Fraction) -> str:
        """Return the chart's column for an attack.

        It is the first column for normal fire and the last column for weaker fire.
        """
        columns = self.charts[self.chart].columns
        return str(columns[0] if strength >= 1 else columns[-1])

    @step(cite="strike")
    def attack(
        self, chance: Chance, view: View, mission: str, unit: str, strength: Fraction
    ) -> Effects:
        """Throw the dice for a unit, and apply the chart's result."""
        column = self.charts[self.chart].column(self.column(view, mission, unit, strength))
        severity, card = self.thrown(
            chance, view, "attack", self.dice, lambda total: self._severity(column(total))
        )
        return Effects(card, self.suffer(view, unit, severity))

    def _severity(self, entry: str) -> Severity:
        """Return the severity of a chart's entry; raise ``ProcedureError`` if it has none."""
        if entry not in self.severities:
            raise ProcedureError(
                f"the chart {self.chart} has the entry {entry!r}, but severities has only"
                f" {', '.join(self.severities)}"
            )
        return self.severities[entry]


@record
class Attack:
    """The result of the single throw for all units under one fall of shot."""

    degree: int = kept(
        -1, "the degree of the strike, counted from 0; -1 if not thrown yet", "strike"
    )


class OneForAll(TableLookUp):
    """Resolution with a single throw (or card) for all units under one fall of shot.

    The throw is looked up in the chart's first column. The chart gives the result for units in the
    open, as a key of ``severities``, which are ordered from least to most severe. Modifiers to the
    throw are registered for ``resolution.strikes``. Modifiers registered for ``resolution.attack``
    shift a unit's result by that many severities.

    >>> from fireplan_core import Severity
    >>> class Shells(OneForAll):
    ...     cites, chart = {"strike": "5.1"}, "harm"
    ...     severities = {"none": Severity.NONE, "pinned": Severity.SUPPRESSED}
    >>> Shells.places_apart
    False
    """

    modified: ClassVar[tuple[str, ...]] = ("strikes", "attack")
    places_apart = False
    keeps = Keeps(table=(Attack,))

    @step(cite="strike")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Attack every unit at the place, after the single throw if this fall has had none yet."""
        first = bool(view.units_at(place)) and view.shared(Attack).degree < 0
        thrown = push(self.strikes, mission) if first else Effects()
        return Effects(thrown, super().strike(chance, view, mission, place, shot))

    @step(cite="strike")
    def strikes(self, chance: Chance, view: View, mission: str) -> Effects:
        """Throw the dice once for all units under this fall, and record the degree of harm."""
        chart, degrees = self.charts[self.chart], tuple(self.severities)

        def degree_of(total: int) -> int:
            entry = chart.cell(total, chart.columns[0])
            self._severity(entry)
            return degrees.index(entry)

        degree, card = self.thrown(chance, view, "strikes", self.dice, degree_of)
        return Effects(card, update(view.shared(Attack), degree=degree))

    @step(cite="strike")
    def attack(
        self, chance: Chance, view: View, mission: str, unit: str, strength: Fraction
    ) -> Effects:
        """Apply the result of the single throw to a unit, after the unit's modifiers."""
        degrees = tuple(self.severities.values())
        degree = view.shared(Attack).degree + chance.drm("attack")
        return self.suffer(view, unit, degrees[min(max(degree, 0), len(degrees) - 1)])

    @step(cite="strike")
    def spent(self, chance: Chance, view: View, mission: str) -> Effects:
        """Forget the result of the last throw, so that dice are thrown again for the next fall."""
        return Effects(update(view.shared(Attack), degree=-1), super().spent(chance, view, mission))


class ScoreCheck(_Units):
    """Resolution where each unit throws dice against its score.

    A check fails if the sum is above the score, and a failed check makes the unit's severity one
    step worse. Modifiers are registered for ``resolution.check``.

    >>> class Shells(ScoreCheck):
    ...     cites, score = {"strike": "5.1"}, 7
    ...
    ...     def score_of(self, view, unit):
    ...         return 8 if view.unit_facts(unit, Troops).quality == "veteran" else self.score
    >>> Shells("my_game", {}, {}).steps()["resolution.check"].cite
    '5.1'
    """

    modified: ClassVar[tuple[str, ...]] = ("check",)
    dice: ClassVar[Mapping[str, Die]] = {"coloured": d6, "white": d6}
    score: Annotated[int, Stated("strike")]

    def score_of(self, view: View, unit: str) -> int:
        """Return the score of a unit; override it to look the score up."""
        return self.score

    @step(cite="strike")
    def attack(
        self, chance: Chance, view: View, mission: str, unit: str, strength: Fraction
    ) -> Effects:
        """Begin a unit's check against its score."""
        return Effects(push(self.check, unit))

    @step(cite="strike")
    def check(self, chance: Chance, view: View, unit: str) -> Effects:
        """Throw dice for a unit's check; if it fails, make its severity one step worse.

        A destroyed unit makes no check.
        """
        worst = view.unit(unit, Losses).worst
        if worst is Severity.DESTROYED:
            return Effects()
        score = self.score_of(view, unit)
        passed, card = self.thrown(chance, view, "check", self.dice, lambda total: total <= score)
        return (
            Effects(card) if passed else Effects(card, self.suffer(view, unit, Severity(worst + 1)))
        )


MOST_WOUNDS = 20
"""Maximum number of wounds that can be counted."""


@record
class Wounds:
    """The number of wounds that a unit has suffered."""

    wounds: int = kept(0, "wounds", "strike", between=(0, MOST_WOUNDS))


class HitsAndWounds(_Units):
    """Resolution with dice for each unit, in which every hit that is not saved is a wound.

    A die that shows ``hit`` or more is a hit. A unit is destroyed by ``wounds`` wounds, reduced by
    fewer, and suppressed if all hits were saved. ``dice_of`` returns the number of dice, and
    ``save_of`` the lowest face that saves. Modifiers for ``resolution.hits`` and
    ``resolution.saves`` apply to each die.

    >>> class Shells(HitsAndWounds):
    ...     cites = {"strike": "5.1"}
    ...     hit, wounds = 5, 2
    ...
    ...     def dice_of(self, view, mission, unit, strength):
    ...         return 3 if strength >= 1 else 1
    >>> Shells("my_game", {}, {}).steps()["resolution.save"].cite
    '5.1'
    """

    modified: ClassVar[tuple[str, ...]] = ("hits", "saves")
    may: ClassVar[tuple[str, ...]] = ("save",)
    die: ClassVar[Die] = d6
    hit: Annotated[int, Stated("strike", least=1)]
    wounds: Annotated[int, Stated("suffer/strike", least=1, most=MOST_WOUNDS)]
    keeps = Keeps(units=(Wounds,))

    def dice_of(self, view: View, mission: str, unit: str, strength: Fraction) -> int:
        """Return the number of dice to throw for an attack on a unit."""
        raise NotImplementedError

    def save_of(self, view: View, unit: str) -> int:
        """Return the lowest face that saves a unit from a hit; by default, no face saves it."""
        return self.die.faces[-1] + 1

    @step(cite="strike")
    def attack(
        self, chance: Chance, view: View, mission: str, unit: str, strength: Fraction
    ) -> Effects:
        """Throw dice for hits on a unit, then let it throw for saves.

        A unit that already has all its wounds is not attacked.
        """
        if view.unit(unit, Wounds).wounds >= self.wounds:
            return Effects()
        hits = self._count(chance, "hits", self.dice_of(view, mission, unit, strength), self.hit)
        event = emit("hits", self.cites["strike"], unit=unit, hits=hits)
        return Effects(event, push(self.save, unit, hits)) if hits else Effects(event)

    @step(cite="save/strike")
    def save(self, chance: Chance, view: View, unit: str, hits: int) -> Effects:
        """Throw dice to save a unit from hits; each hit not saved is a wound, up to ``wounds``."""
        own = view.unit(unit, Wounds)
        wounds = min(
            own.wounds + hits - self._count(chance, "saves", hits, self.save_of(view, unit)),
            self.wounds,
        )
        short_of_last = Severity.REDUCED if wounds else Severity.SUPPRESSED
        severity = Severity.DESTROYED if wounds == self.wounds else short_of_last
        return Effects(update(own, wounds=wounds), self.suffer(view, unit, severity))

    def _count(self, chance: Chance, roll: str, dice: int, least: int) -> int:
        least -= chance.drm(roll)
        if least > self.die.faces[-1]:
            return 0
        read = {face: (int(face >= least), False) for face in self.die.faces}
        count: int = chance.fold(roll, self.die, [(dice, read)]).add.exact()
        return count


class SavesByCover(HitsAndWounds):
    """Resolution in which the cover of a unit decides which dice save it from hits.

    ``saves`` maps a cover to the lowest face that saves; in any other cover no face saves.
    """

    saves: Mapping[str, int]

    def save_of(self, view: View, unit: str) -> int:
        """Return the lowest face that saves a unit, by its cover."""
        cover = view.unit_facts(unit, Troops).cover
        return self.saves[cover] if cover in self.saves else super().save_of(view, unit)


class DicePool(SavesByCover):
    """Resolution that throws the same number of dice for hits on each unit: ``pool``.

    >>> class Shells(DicePool):
    ...     cites = {"strike": "5.1", "save": "5.2"}
    ...     hit, wounds, pool = 5, 2, 3
    ...     saves = {"woods": 5, "trench": 4}
    >>> Shells("my_game", {}, {}).steps()["resolution.save"].cite
    '5.2'
    """

    pool: Annotated[int, Stated("strike", least=1)]

    def dice_of(self, view: View, mission: str, unit: str, strength: Fraction) -> int:
        """Return the number of dice, which is the same for every battery."""
        return self.pool


class DicePerGun(SavesByCover):
    """Resolution that throws a die for each gun of the battery, up to ``dice_most``.

    >>> class Shells(DicePerGun):
    ...     cites, saves = {"strike": "5.1"}, {"trench": 4}
    ...     hit, wounds = 5, 2
    >>> Shells("my_game", {}, {})
    Traceback (most recent call last):
    ValueError: Shells.dice_most: expected 1 or more, it is missing
    """

    dice_most: Annotated[int, Stated("strike", least=1)]

    def dice_of(self, view: View, mission: str, unit: str, strength: Fraction) -> int:
        """Return the number of dice: one for each gun, up to the maximum."""
        return min(view.facts(mission, Battery).guns, self.dice_most)


@record
class MenLost:
    """The number of men that a unit has lost."""

    lost: int = kept(0, "men lost", "strike", between=COUNT)


class FixedDamage(_Units):
    """Resolution without dice: each unit under fire loses a fixed number of men.

    ``men_lost`` maps a cover to the number of men that a unit loses under fire of full strength; in
    any other cover a unit loses none. Weaker fire costs the same share of this number, rounded
    down. A unit that has lost all its men is destroyed; a unit that has lost fewer is reduced.

    >>> class Shells(FixedDamage):
    ...     cites, men_lost = {"strike": "5.1"}, {"open": 6, "woods": 3}
    >>> [kind.__name__ for kind in Shells.keeps.records]
    ['Losses', 'MenLost']
    """

    men_lost: Annotated[Mapping[str, int], Stated("strike")]
    keeps = Keeps(units=(MenLost,))

    @step(cite="strike")
    def attack(
        self, chance: Chance, view: View, mission: str, unit: str, strength: Fraction
    ) -> Effects:
        """Add to a unit's losses: it is reduced, or destroyed if no men are left."""
        own, men = view.unit(unit, MenLost), view.scenario.units[unit].strength
        points = self.men_lost.get(view.unit_facts(unit, Troops).cover, 0)
        lost = min(men, own.lost + int(points * strength))
        if lost == own.lost:
            return Effects()
        severity = Severity.DESTROYED if lost == men else Severity.REDUCED
        return Effects(update(own, lost=lost), self.suffer(view, unit, severity))


MOST_FIRES = 100
"""Maximum number of an asset's fires for effect that can be counted."""


@record
class Fired:
    """The number of times that an asset has fired for effect."""

    fired: int = kept(
        0, "the number of times it has fired for effect", "depletion", between=(0, MOST_FIRES)
    )


class Depletion(_Units):
    """Resolution where an asset is exhausted after firing a number of times, or by dice.

    The asset is exhausted after firing ``fires`` times. If ``fires`` is 0, dice are thrown each
    time it fires, and a sum of ``depleted`` or less exhausts it. List this class before the other
    resolution class: ``class MyResolution(Depletion, TableLookUp)``. Modifiers are registered for
    ``resolution.depletion``.

    >>> class Shells(Depletion, ScoreCheck):
    ...     cites = {"strike": "5.1", "depletion": "5.4"}
    ...     score, fires = 7, 3
    >>> Shells("my_game", {}, {}).steps()["resolution.spent"].cite
    '5.4'
    """

    modified: ClassVar[tuple[str, ...]] = ("depletion",)
    needs: ClassVar[tuple[str, ...]] = ("depletion",)
    depletion_dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    depleted: Annotated[int, Stated("depletion")] = 0
    fires: Annotated[int, Stated("depletion", most=MOST_FIRES)] = 0
    keeps = Keeps(assets=(Fired,))

    def fires_of(self, view: View, mission: str) -> int:
        """Return how often an asset may fire, or 0 for dice; override it to look the number up."""
        return self.fires

    @step(cite="depletion")
    def spent(self, chance: Chance, view: View, mission: str) -> Effects:
        """Count this firing or throw for depletion; end the mission if the asset is exhausted."""
        own = view.own(mission, Fired)
        if fires := self.fires_of(view, mission):
            empty, follows = own.fired + 1 >= fires, Effects(update(own, fired=own.fired + 1))
        else:
            dice = self.depletion_dice
            empty, follows = self.thrown(
                chance, view, "depletion", dice, lambda total: total <= self.depleted
            )
        over = (
            push(cycle.close, mission, Reason.EXHAUSTED, self.cites["depletion"])
            if empty
            else Effects()
        )
        return Effects(super().spent(chance, view, mission), follows, over)
