"""Questions about a position: odds, chances, distributions and expectations, exact or sampled."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import reduce
from typing import Any, TypeVar

import attrs

from fireplan import analysis
from fireplan import solver as solving
from fireplan.positions import GROUND, TABLE, Position, StateField, atoms_of, fields_of
from fireplan.questions.answers import ChanceResult, DistributionResult, spoken
from fireplan.questions.conditions import Condition, Dice, Happens, Vocabulary
from fireplan.questions.errors import (
    InputError,
    argument,
    gathered,
    outside,
    refuse,
    refusing,
    unknown,
)
from fireplan.questions.odds_results import OddsResult, SampledOdds
from fireplan.questions.opening import LONGEST
from fireplan.questions.sampling import NONE_MET, Known, Sample, meeting
from fireplan.solver import Analysis, ConditionedAnalysis, Measure, RollCompiler
from fireplan_core import Clock, Game, Scenario
from fireplan_core.chance import Throw
from fireplan_core.play import State, opening
from fireplan_core.space import CoordinateError


@attrs.frozen(eq=False, repr=False)
class Final:
    """A position indexed by field: ``end["1st squad", "broken"]``, ``end["K5", "smoke"]``.

    The first index is an asset, a unit or a place on the ground; ``end["filled"]`` reads a field of
    the table. A third index names the place if an asset has a value for each place. Places are read
    as labels ("K5"). ``fireplan fields`` lists the fields. Raise ``InputError`` for unknown names.
    """

    scenario: Scenario
    read: Callable[[str, Any], Any]

    def __getitem__(self, key: tuple[str, ...] | str) -> Any:
        group, name, *places = (TABLE, key) if isinstance(key, str) else key
        fields, scenario = fields_of(self.scenario), self.scenario
        label, known, prefix = "", fields.table, "shared"
        if scenario.owner(group):
            known, prefix = fields.at if places else fields.of(group), fields.prefix(group)
            label = self._label(places[0]) if places else ""
        elif group != TABLE:
            label, known, prefix = self._label(group), fields.ground, GROUND
        field = known.get(name)
        if field is None:
            raise unknown(f"field of {group}", name, known)
        return self._value(field, prefix, label)

    def _value(self, field: StateField, prefix: str, label: str) -> Any:
        if field.places is None:
            key = field.key(prefix, label)
            value = self.read(key, self.scenario.initial.get(key, field.default))
            return atoms_of(self.scenario).labelled(value, field.hint)
        there = dict(field.places.spread(self.read(field.key("shared"), field.default)))
        return there.get(self.scenario.frame.parse(label), 0)

    def _label(self, text: str) -> str:
        try:
            return self.scenario.frame.label(self.scenario.frame.parse(text.removeprefix("@")))
        except (CoordinateError, ValueError) as error:
            known = (TABLE, *self.scenario.missions, *self.scenario.units)
            raise unknown("asset, unit or place", text, known) from error

    def __contains__(self, group: str) -> bool:
        return bool(self.scenario.owner(group))


R = TypeVar("R", bound=DistributionResult)
SIZE = 1000
"""Number of trajectories suggested when a question is too large to be solved."""


@attrs.frozen
class Given:
    """A condition on a roll or an event, by name."""

    name: str
    said: Any


@attrs.frozen(eq=False)
class Inquiry:
    """A scenario followed from a state to the end of a moment, under conditions.

    ``drawn`` is the sample to draw if the scenario is not solved exactly.
    """

    scenario: Scenario
    state: State | None
    until: int
    conditions: list[Condition]
    rolls: dict[str, tuple[solving.Fits, ...]]
    drawn: Sample
    left_out: frozenset[str] = frozenset()
    """Places where the effects of strikes are not included."""

    @property
    def now(self) -> int:
        """Return the index of the moment at which the inquiry begins."""
        return 0 if self.state is None else self.state.moment

    @property
    def compiler(self) -> RollCompiler:
        """Return a compiler that emits an event for each watched roll."""
        return RollCompiler(self.scenario, self.rolls, self.left_out)

    def analysis(self) -> Analysis:
        """Return the exact analysis of the scenario over these moments."""
        return Analysis(
            self.scenario, self.until - self.now, state=self.state, compiler=self.compiler
        )

    @property
    def known(self) -> Known | None:
        """Return all conditions combined into one, or None if there are none."""

        def both(one: Known, other: Known) -> Known:
            return solving.Jointly(
                (one[0], other[0])
            ), lambda state: one[1](state[0]) and other[1](state[1])

        known = ((condition.measure, condition.holds) for condition in self.conditions)
        return reduce(both, known) if self.conditions else None

    @property
    def said(self) -> str:
        """Return the conditions in words."""
        return ", ".join(condition.text for condition in self.conditions if condition.text)

    @property
    def ends(self) -> str:
        """Return the name of the last moment."""
        return self.scenario.clock.name(self.until - 1)


@attrs.frozen(eq=False, repr=False, slots=False)
class Questions:
    """The questions that can be asked of a position, conditional on ``given``.

    ``by`` sets the time until which play is followed: the end of a named moment ("turn 4"), a
    number of moments since the opening, or None for the usual length of the scenario.
    """

    at: Position
    game: Game
    usual: int
    conditions: tuple[Given | Happens, ...] = ()

    # --- questions -------------------------------------------------------------------------------
    def given(self, *events: Happens | str, **named: Any) -> Questions:
        """Return the questions conditional on events and rolls.

        ``given(happens("fall"))`` requires an event. ``given(contact=dice(4, 2))``,
        ``given(access="red")`` and ``given(contact=5)`` (the total) fix the result of the next roll
        of that name. ``given(initiative={"couplets": 3})`` and ``given(fall=False)`` apply to the
        next event of a kind. Raise ``InputError`` for unknown names.
        """
        more: list[Given | Happens] = [
            Happens(one) if isinstance(one, str) else one for one in events
        ]
        more += [Given(name, said) for name, said in named.items()]
        found = Questions(self.at, self.game, self.usual, (*self.conditions, *more))
        found._resolved()
        return found

    def odds(
        self, by: str | int | None = None, *, sample: int = 0, seed: int = 1
    ) -> OddsResult | SampledOdds:
        """Return every yardstick from here to a time, with the curve of delivery over the minutes.

        Only events from here on count. ``sample`` is the number of trajectories to draw instead of
        solving exactly. Raise ``InputError`` listing every fault, or if the question is too large
        to be solved.
        """
        asked = self._inquiry(by, sample, seed)
        scenario, line = self.at.scenario, str(self.at)
        if sample:
            walked = asked.drawn.walked(
                scenario, asked.until, begun=asked.state, known=asked.known, compiler=asked.compiler
            )
            told: dict[str, Any] = {
                "rests_on": scenario.provenance,
                "line": line,
                "condition": asked.said,
            }
            return SampledOdds(scenario.title, asked.until, asked.drawn, *walked, **told)
        with _too_large(asked):
            solved, given, chance = self._under(asked)
            answer = analysis.answer(self.game, solved, given=given)
        return OddsResult(scenario.title, answer, line, asked.ends, asked.said, chance)

    def chance(
        self, event: Happens | str, by: str | int | None = None, *, sample: int = 0, seed: int = 1
    ) -> ChanceResult:
        """Return the chance that an event happens from here on: a kind, or ``happens(...)``.

        ``sample`` is the number of trajectories to draw instead of solving exactly. Raise
        ``InputError`` listing every fault, or if the question is too large to be solved.
        """
        faults: list[str] = []
        wanted = gathered(
            faults, self._vocabulary.event, Happens(event) if isinstance(event, str) else event
        )
        asked = self._inquiry(by, sample, seed, faults)
        found = self._asked(ChanceResult, asked, wanted.measure, f"Chance of {wanted.text}")
        true = sum(
            (share for state, share in found.shares.items() if wanted.holds(state)), Fraction(0)
        )
        return attrs.evolve(found, shares={True: true, False: 1 - true})

    def distribution(
        self,
        of: Callable[[Final], Hashable],
        by: str | int | None = None,
        *,
        sample: int = 0,
        seed: int = 1,
    ) -> DistributionResult:
        """Return the distribution of a function of the position (``Final``) at a time.

        For example: ``distribution(lambda end: (end["1st squad", "broken"], end["2nd squad",
        "broken"]))``. Only the fields that the function reads are tracked. Raises the same errors
        as ``chance``.
        """
        asked = self._inquiry(by, sample, seed)
        kinds = {kind for condition in asked.conditions for kind in condition.measure.kinds}
        with _too_large(asked):
            idle = set[str]() if sample else {*asked.analysis().idle_places(kinds)}
        what = getattr(of, "__name__", "").replace("<lambda>", "") or "What it comes to"
        while True:
            ending = solving.ending_in(
                asked.scenario, asked.until, lambda read: of(Final(asked.scenario, read)), idle
            )
            longer = attrs.evolve(
                asked, scenario=ending, until=asked.until + 1, left_out=frozenset(idle)
            )
            try:
                found = self._asked(DistributionResult, longer, solving.ending(), what)
                break
            except solving.NeededPlaceError as needed:
                idle.remove(needed.scope)
        shares = {state[0]: share for state, share in found.shares.items()}
        return attrs.evolve(found, shares=shares, until=asked.ends)

    def expect(
        self,
        of: Callable[[Final], Fraction | int],
        by: str | int | None = None,
        *,
        sample: int = 0,
        seed: int = 1,
    ) -> Fraction:
        """Return the expected value of a numeric function of the position at a time."""
        return self.distribution(of, by, sample=sample, seed=seed).expect()

    # --- how they are answered -------------------------------------------------------------------
    def _asked(self, kind: type[R], asked: Inquiry, measure: Measure, what: str) -> R:
        told = kind(str(self.at), asked.ends, what, {}, asked.said, words=spoken(self.at.scenario))
        if size := asked.drawn.trajectories:
            known = asked.known
            both = solving.Jointly((known[0], measure)) if known else measure
            (counts,) = solving.sample(
                asked.compiler, [both], asked.until, size, asked.drawn.seed, state=asked.state
            )
            kept = meeting(counts.counts, known)
            if not (total := sum(kept.values())):
                raise InputError(NONE_MET)
            shares = {state: Fraction(count, total) for state, count in kept.items()}
            return attrs.evolve(
                told,
                shares=shares,
                condition_chance=Fraction(total, size),
                sample=asked.drawn,
                kept=total,
            )
        with _too_large(asked):
            analysis, given, chance = self._under(asked)
            return attrs.evolve(
                told, shares=(given or analysis).solve(measure).shares, condition_chance=chance
            )

    def _under(self, asked: Inquiry) -> tuple[Analysis, ConditionedAnalysis | None, Fraction]:
        """Return the analysis, its conditions, and their chance, given the dice already thrown."""
        analysis, known = asked.analysis(), asked.known
        if known is None:
            return analysis, None, Fraction(1)
        seen, first = analysis.given(*known), asked.conditions[0]
        if not (both := seen.chance):
            raise InputError(
                "What is given cannot happen by then, so that nothing can be expected where it does."
            )
        if self.at.faces:
            both /= analysis.given(first.measure, first.holds).chance
        return analysis, seen, both

    @property
    def _vocabulary(self) -> Vocabulary:
        return Vocabulary.of(self.at.scenario)

    def _resolved(self) -> tuple[list[Condition], dict[str, tuple[solving.Fits, ...]]]:
        """Return the conditions, thrown dice first, and the tests for the rolls to watch."""
        rolls: dict[str, list[solving.Fits]] = {}
        faults: list[str] = []
        vocabulary = self._vocabulary
        found = [vocabulary.fallen(*self._under_way(), rolls)] if self.at.faces else []
        for one in self.conditions:
            if isinstance(one, Given):
                found.append(gathered(faults, vocabulary.given, one.name, one.said, rolls))
            else:
                found.append(gathered(faults, vocabulary.event, one))
        refuse(faults)
        return found, {name: tuple(tests) for name, tests in rolls.items()}

    def _under_way(self) -> tuple[str, Dice]:
        waits = self.at.table().waits_for
        if not isinstance(waits, Throw):
            raise InputError(
                "Finish the throw first: what its dice mean together cannot be told from some of them."
            )
        return waits.name, Dice(*self.at.faces)

    def _inquiry(
        self, by: str | int | None, sample: int, seed: int, known: Sequence[str] = ()
    ) -> Inquiry:
        """Return the inquiry; raise ``InputError`` with every fault, including ``known``."""
        faults, drawn = [*known], Sample(sample, seed, "rules")
        until = gathered(faults, self._until, by)
        resolved = gathered(faults, self._resolved)
        refuse([*faults, *drawn.faults()])
        return Inquiry(self.at.scenario, self._begun, until, *resolved, drawn)

    @property
    def _begun(self) -> State | None:
        """Return the state from which play continues, or None at the opening."""
        return None if self.at.state == opening(self.at.scenario) else self.at.state

    def _until(self, by: str | int | None) -> int:
        """Return the number of moments from the opening to this time."""
        now = self.at.moment
        return (
            max(self.usual, now + 1) if by is None else played_by(self.at.scenario.clock, now, by)
        )


def played_by(clock: Clock, now: int, by: str | int) -> int:
    """Return the number of moments from the opening to the end of a moment, such as "turn 4".

    An integer is returned unchanged. Raise ``InputError`` for a moment that has passed or does not
    exist.
    """
    if isinstance(by, int):
        refuse(outside("by", by, now + 1, now + LONGEST))
        return by
    name = clock.name
    begun = [_begins(name(number), str(by)) for number in range(now, now + LONGEST + 1)]
    first = begun.index(True) if True in begun else len(begun)
    if False not in begun[first:]:
        raise InputError(
            f"{argument('by')}: there is no moment {by!r} to come; the next are {name(now)}, {name(now + 1)}."
        )
    return now + begun.index(False, first)


def _begins(name: str, said: str) -> bool:
    rest = name.removeprefix(said) if name.startswith(said) else "0"
    return not rest[:1].isalnum()


@contextmanager
def _too_large(asked: Inquiry) -> Iterator[None]:
    try:
        with refusing("solved"):
            yield
    except solving.TooLargeError as error:
        name = asked.scenario.clock.name(asked.now + error.moments - 1)
        ways = (
            [f"ask up to an earlier time ({argument('by')}={name!r} is not too large)"]
            if error.moments
            else []
        )
        ways.append(f"draw a sample: {argument('sample')}={SIZE}")
        raise InputError(
            f"This is too large to be solved exactly: {error}. Instead {', or '.join(ways)}."
        ) from error
