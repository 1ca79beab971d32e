"""Ready resolution: troops staged from an engagement.

Results looked up, checks against a score, hits and wounds.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, ClassVar, get_args, get_type_hints

import attrs

from fireplan_core import cycle
from fireplan_core.chance import Chance, Die, d6
from fireplan_core.mission import Reason, Severity, Shot
from fireplan_core.ready_parts.base import Ready
from fireplan_core.record import Place, kept, record
from fireplan_core.resolution import Resolution
from fireplan_core.setups.setup import Cover, Posture, Quality
from fireplan_core.setups.staging import Staging
from fireplan_core.steps.effects import Effects, emit, push, step, update, within
from fireplan_core.steps.part import Keeps, Modifier
from fireplan_core.steps.view import View


@record
class Losses:
    """The worst that has befallen a unit."""

    worst: Severity = kept(Severity.NONE, "the worst that has befallen the unit", "strike")
    struck: bool = kept(
        False, "whether it was struck in this moment, where that counts", "once/strike"
    )


@attrs.frozen
class Troops:
    """Say what does not change about a unit, in the words of an engagement."""

    cover: Cover = "open"
    posture: Posture = "prone"
    quality: Quality = "average"


def for_troops(
    roll: str, cite: str, summary: str, value: int, **facts: str | tuple[str, ...]
) -> Modifier:
    """Return a modifier for units with such facts: ``for_troops("attack", "5.2", "dug in", -2, posture="dug_in")``.

    A tuple of words means any of them. The step that rolls has the unit among its arguments. Raises
    ValueError for a fact or a word that no unit has.
    """
    wanted = {name: (words,) if isinstance(words, str) else words for name, words in facts.items()}
    known = {name: get_args(words) for name, words in get_type_hints(Troops).items()}
    odd = {
        f"{name}={word}"
        for name, words in wanted.items()
        for word in words
        if word not in known.get(name, ())
    }
    if odd:
        every = "; ".join(f"{name}={'|'.join(words)}" for name, words in known.items())
        raise ValueError(
            f"{summary} ({cite}): no unit has {', '.join(sorted(odd))}; expected {every}"
        )

    def applied(view: View, *args: Any) -> int:
        troops = view.unit_facts(next(arg for arg in args if arg in view.scenario.units), Troops)
        return value if all(getattr(troops, name) in words for name, words in wanted.items()) else 0

    return Modifier(roll, cite, summary, applied)


class _Units(Ready, Resolution):
    """The target is spread as units of ``men_a_unit`` men over its rectangle, each attacked by itself.

    With ``once`` a unit is struck once in a moment, however many fire.
    """

    needs: ClassVar[tuple[str, ...]] = ("strike",)
    may: ClassVar[tuple[str, ...]] = ("suffer", "once")
    least: ClassVar[Mapping[str, int]] = {"men_a_unit": 1}
    men_a_unit: int = 10
    once: bool = False
    keeps = Keeps(units=(Losses,))

    def stage(self, staging: Staging) -> None:
        """Spread the target over its rectangle; the firer's own troops stand at one place."""
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
        """Stage one unit, unharmed."""
        staging.unit(unit, side, place, strength=men, slot=Losses(), facts=troops)

    @step(cite="strike")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Attack every unit at the place."""
        units = [
            unit
            for unit in view.units_at(place)
            if not (self.once and view.unit(unit, Losses).struck)
        ]
        noted = [update(view.unit(unit, Losses), struck=True) for unit in units if self.once]
        return Effects(*noted, *(push(self.attack, mission, unit, shot.strength) for unit in units))

    def opens(self, view: View) -> bool:
        """Return whether anybody may have been struck in the last moment."""
        return self.once and any(view.mission(mission).fell for mission in view.missions)

    @step(cite="once/strike")
    def opening(self, chance: Chance, view: View) -> Effects:
        """Let everybody be struck again, place by place."""
        places = dict.fromkeys(view.place_of(unit) for unit in view.units)
        return Effects(
            *(within(view.scope(at), push(self.afresh, view.missions[0], at)) for at in places)
        )

    @step(cite="once/strike")
    def afresh(self, chance: Chance, view: View, mission: str, place: Place) -> Effects:
        """Let those at a place be struck again."""
        return Effects(
            *(update(view.unit(unit, Losses), struck=False) for unit in view.units_at(place))
        )

    def attack(
        self, chance: Chance, view: View, mission: str, unit: str, strength: Fraction
    ) -> Effects:
        """Attack one unit with fire of that strength."""
        raise NotImplementedError

    def suffer(self, view: View, unit: str, severity: Severity) -> Effects:
        """The unit is worse off, unless it was already."""
        own = view.unit(unit, Losses)
        if severity <= own.worst:
            return Effects()
        return Effects(
            update(own, worst=severity),
            emit("suffered", self.rule("suffer/strike"), unit=unit, severity=severity),
        )


class TableLookUp(_Units):
    """Dice are thrown for each unit and their sum looked up in the chart named ``chart``.

    Entries are the keys of ``severities``. Modifiers are registered for ``resolution.attack``.
    """

    chart: str
    dice: ClassVar[Mapping[str, Die]] = {"coloured": d6, "white": d6}

    def column(self, view: View, mission: str, unit: str, strength: Fraction) -> str:
        """Return the column for this attack: by default the first one for normal, the last for weaker fire."""
        columns = self.charts[self.chart].columns
        return str(columns[0] if strength >= 1 else columns[-1])

    @step(cite="strike")
    def attack(
        self, chance: Chance, view: View, mission: str, unit: str, strength: Fraction
    ) -> Effects:
        """Throw and look up."""
        column = self.charts[self.chart].column(self.column(view, mission, unit, strength))
        word, card = self.thrown(
            chance, view, "attack", self.dice, lambda total: self.severities[column(total)]
        )
        return Effects(card, self.suffer(view, unit, word))


@record
class Attack:
    """One throw for everything under fire."""

    degree: int = kept(
        -1, "how the fire strikes, by the game's degrees from 0; -1: not thrown", "strike"
    )


class OneForAll(TableLookUp):
    """One throw (or card) serves everything under a fall: the chart's first column says how it strikes in the open.

    Its entries are ``severities``, written from the least to the worst; a modifier of 1 means the
    next of them. Modifiers are registered for ``resolution.attack``, and to the throw itself for
    ``resolution.strikes``.
    """

    places_apart = False
    keeps = Keeps(table=(Attack,))

    @step(cite="strike")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Throw for all where the first troops are struck."""
        first = bool(view.units_at(place)) and view.shared(Attack).degree < 0
        thrown = push(self.strikes, mission) if first else Effects()
        return Effects(thrown, super().strike(chance, view, mission, place, shot))

    @step(cite="strike")
    def strikes(self, chance: Chance, view: View, mission: str) -> Effects:
        """Throw how the fire strikes."""
        chart, degrees = self.charts[self.chart], tuple(self.severities)
        found, card = self.thrown(
            chance,
            view,
            "strikes",
            self.dice,
            lambda total: degrees.index(chart.cell(total, chart.columns[0])),
        )
        return Effects(card, update(view.shared(Attack), degree=found))

    @step(cite="strike")
    def attack(
        self, chance: Chance, view: View, mission: str, unit: str, strength: Fraction
    ) -> Effects:
        """Read the one throw for one unit."""
        degrees = tuple(self.severities.values())
        degree = view.shared(Attack).degree + chance.drm("attack")
        return self.suffer(view, unit, degrees[min(max(degree, 0), len(degrees) - 1)])

    @step(cite="strike")
    def spent(self, chance: Chance, view: View, mission: str) -> Effects:
        """Let the next fall have a throw of its own."""
        return Effects(update(view.shared(Attack), degree=-1), super().spent(chance, view, mission))


class ScoreCheck(_Units):
    """Each unit throws dice against its score; every check failed makes it worse by one step.

    A check fails above the score. Modifiers are registered for ``resolution.check``.
    """

    dice: ClassVar[Mapping[str, Die]] = {"coloured": d6, "white": d6}
    score: int

    def score_of(self, view: View, unit: str) -> int:
        """Return the score of a unit; override to look it up."""
        return self.score

    @step(cite="strike")
    def attack(
        self, chance: Chance, view: View, mission: str, unit: str, strength: Fraction
    ) -> Effects:
        """Have the unit check."""
        return Effects(push(self.check, unit))

    @step(cite="strike")
    def check(self, chance: Chance, view: View, unit: str) -> Effects:
        """Pass, or be worse off."""
        worst = view.unit(unit, Losses).worst
        if worst is Severity.DESTROYED:
            return Effects()
        score = self.score_of(view, unit)
        passed, card = self.thrown(chance, view, "check", self.dice, lambda total: total <= score)
        return (
            Effects(card) if passed else Effects(card, self.suffer(view, unit, Severity(worst + 1)))
        )


@record
class Wounds:
    """What hits have done to a unit."""

    wounds: int = kept(0, "wounds", "strike", between=(0, 20))


class HitsAndWounds(_Units):
    """Dice for each unit: each of ``hit`` or more hits; of a hit another die saves.

    What is not saved wounds.

    ``wounds`` wounds destroy a unit, fewer reduce it; hits that were all saved suppress it. ``dice_of`` says how many
    dice, ``save_of`` from which face on one saves. Modifiers for ``resolution.hits`` and ``resolution.saves`` count for
    each die.
    """

    may: ClassVar[tuple[str, ...]] = ("save",)
    least: ClassVar[Mapping[str, int]] = {"hit": 1, "wounds": 1}
    die: ClassVar[Die] = d6
    hit: int
    wounds: int
    keeps = Keeps(units=(Wounds,))

    def dice_of(self, view: View, mission: str, unit: str, strength: Fraction) -> int:
        """Return how many dice are thrown for a unit."""
        raise NotImplementedError

    def save_of(self, view: View, unit: str) -> int:
        """Return from which face on a die saves a unit from a hit; by default none does."""
        return self.die.faces[-1] + 1

    @step(cite="strike")
    def attack(
        self, chance: Chance, view: View, mission: str, unit: str, strength: Fraction
    ) -> Effects:
        """Throw how often the unit is hit."""
        if view.unit(unit, Wounds).wounds >= self.wounds:
            return Effects()
        found = self._count(chance, "hits", self.dice_of(view, mission, unit, strength), self.hit)
        said = emit("hits", self.cites["strike"], unit=unit, hits=found)
        return Effects(said, push(self.save, unit, found)) if found else Effects(said)

    @step(cite="save/strike")
    def save(self, chance: Chance, view: View, unit: str, hits: int) -> Effects:
        """Throw how many of the hits are saved; the others wound."""
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
        found: int = chance.fold(roll, self.die, [(dice, read)]).add.exact()
        return found


@record
class Fired:
    """What an asset has fired."""

    fired: int = kept(0, "how often it has fired for effect", "depletion", between=(0, 100))


class Depletion(_Units):
    """After ``fires`` fires an asset has fired its last, or (0: not counted) after dice that show ``depleted`` or less.

    Put it before the other resolution: ``class MyResolution(Depletion, TableLookUp)``. Modifiers
    are registered for ``resolution.depletion``.
    """

    needs: ClassVar[tuple[str, ...]] = ("depletion",)
    depletion_dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    depleted: int = 0
    fires: int = 0
    keeps = Keeps(assets=(Fired,))

    @step(cite="depletion")
    def spent(self, chance: Chance, view: View, mission: str) -> Effects:
        """Count, or throw, whether there is more to fire."""
        own = view.own(mission, Fired)
        if self.fires:
            empty, follows = own.fired + 1 >= self.fires, Effects(update(own, fired=own.fired + 1))
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
