"""Ready delays parts: a fixed delay, a relay, a request chart, a pile of chits, and a track."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar

from fireplan_core import cycle
from fireplan_core.chance import Chance, Die, d6
from fireplan_core.delays import Delays
from fireplan_core.mission import Outcome, Reason, Stage
from fireplan_core.ready_parts.base import Battery, Ready, Stated, read_off
from fireplan_core.record import COUNT, kept, record
from fireplan_core.setups.setup import Clock
from fireplan_core.setups.staging import Staging
from fireplan_core.steps.effects import Effects, emit, push, step, update
from fireplan_core.steps.part import Keeps
from fireplan_core.steps.view import View

WAITING = (Stage.REQUESTED, Stage.DELAYED, Stage.SPOTTING)
"""The stages in which a request is in progress or the asset is ready."""


class _Plain(Ready, Delays):
    """Delays with equal moments, in which requests advance before idle assets may be called for.

    ``minutes`` is the length of a moment, and ``moment_name`` is the game's term for a moment.
    """

    needs: ClassVar[tuple[str, ...]] = ("moment", "delay")
    minutes: Fraction
    moment_name: str = "turn"

    def clock(self) -> Clock:
        """Return a clock whose moments last ``minutes`` each; it resolves times to one moment."""
        return Clock.even(self.minutes, self.moment_name)

    def stage_mission(self, staging: Staging, mission: str) -> None:
        """Stage the record of an asset without a request."""
        staging.mission(mission, self.word, self.keeps.records[0]())

    @step(cite="moment")
    def moment(self, chance: Chance, view: View) -> Effects:
        """Advance the requests in progress, then offer idle assets to their sides."""
        return Effects(
            *(push(self.progress, mission) for mission in view.missions),
            *(push(cycle.opportunity, mission) for mission in view.missions),
        )

    @step(cite="delay")
    def progress(self, chance: Chance, view: View, mission: str) -> Effects:
        """Advance a request, or ask for an order if the asset is ready.

        Do nothing if the asset is idle or its fire is falling.
        """
        now = view.mission(mission)
        if now.stage not in WAITING:
            return Effects()
        if now.outcome is not None and now.outcome >= Outcome.GOOD:
            return Effects(push(cycle.ready, mission, now.outcome, now.answer))
        return Effects(push(self.wait, mission))

    def wait(self, chance: Chance, view: View, mission: str) -> Effects:
        """Advance a request by one moment."""
        raise NotImplementedError


@record
class LinkState:
    """The state of a link: the number of failures, and of moments until readiness.

    Failures are counted only as far as the rules need the count.
    """

    failed: int = kept(0, "the number of times the link has failed", "delay", between=COUNT)
    left: int = kept(
        0,
        "the number of moments until the promised fire is ready",
        "delay",
        between=COUNT,
    )


class FixedDelay(_Plain):
    """Delays whose assets are ready ``delay`` moments after the request.

    With a delay of 0, they are ready in the same moment.

    >>> from fractions import Fraction
    >>> class Signals(FixedDelay):
    ...     cites = {"moment": "2", "delay": "2.1"}
    ...     minutes, delay = Fraction(2), 3
    >>> Signals("my_game", {}, {}).clock().name(0)
    'turn 1'
    """

    delay: Annotated[int, Stated("delay", least=0)]
    keeps = Keeps(assets=(LinkState,))

    def moments(self, view: View, mission: str) -> int:
        """Return the delay of an asset in moments; override it to look the delay up."""
        return self.delay

    @step(cite="delay")
    def request(self, chance: Chance, view: View, mission: str) -> Effects:
        """Begin the delay for a request, or make the asset ready if there is no delay."""
        moments = self.moments(view, mission)
        ready = Effects() if moments else push(cycle.ready, mission, Outcome.GOOD, "at hand")
        return Effects(update(view.own(mission, LinkState), left=moments), ready)

    @step(cite="delay")
    def wait(self, chance: Chance, view: View, mission: str) -> Effects:
        """Count down one moment; after the last moment, the asset is ready."""
        own = view.own(mission, LinkState)
        if own.left > 1:
            return Effects(update(own, left=own.left - 1))
        arrived = emit("arrived", self.cites["delay"], mission=mission)
        return Effects(
            update(own, left=0), arrived, push(cycle.ready, mission, Outcome.GOOD, "at hand")
        )


class DelayByRange(FixedDelay):
    """Delays that depend on the range from the guns to the target.

    ``delays`` maps the range in steps of ``step_m`` metres, rounded up, to moments. A range beyond
    the table uses its first or last entry.

    >>> from fractions import Fraction
    >>> class Flight(DelayByRange):
    ...     cites = {"moment": "2", "delay": "2.1"}
    ...     minutes, step_m, delays = Fraction(1), 1000, {1: 0, 2: 1, 3: 1, 4: 2}
    >>> Flight("my_game", {}, {}).delays[4]
    2
    """

    delay = 0
    step_m: Annotated[int, Stated("delay", least=1)]
    delays: Annotated[Mapping[int, int], Stated("delay")]

    def moments(self, view: View, mission: str) -> int:
        """Return the delay of an asset in moments, by its range."""
        return read_off(self.delays, -(-view.facts(mission, Battery).range_m // self.step_m))


class Relay(FixedDelay):
    """Delays where ``dice`` are thrown each moment until their sum is at least ``needed``.

    The link is lost after ``tries`` failures; 0 means that there is no limit. Without a limit,
    failures are counted up to ``counted``, for use in modifiers (``view.own(mission,
    LinkState).failed``). With ``at_once``, the first throw is made together with the request.
    Modifiers are registered for ``delays.relay``.

    >>> from fractions import Fraction
    >>> class Signals(Relay):
    ...     cites = {"moment": "2", "delay": "2.1", "lost": "2.2"}
    ...     minutes, needed, tries = Fraction(2), 5, 3
    >>> Signals("my_game", {}, {}).answers(4)
    (<Outcome.LATE: 1>, 'not_through', 0)
    """

    modified: ClassVar[tuple[str, ...]] = ("relay",)
    needs: ClassVar[tuple[str, ...]] = ("lost",)
    may: ClassVar[tuple[str, ...]] = ("refused",)
    delay = 0
    at_once: bool = False
    counted: Annotated[int, Stated("delay")] = 0
    dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    needed: Annotated[int, Stated("delay")]
    tries: Annotated[int, Stated("lost", least=0)] = 0

    def answers(self, total: int) -> tuple[Outcome, str, int]:
        """Return the result for a sum: outcome, kind of event, and moments until readiness."""
        if total >= self.needed:
            return Outcome.GOOD, "through", 0
        return Outcome.LATE, "not_through", 0

    @step(cite="delay")
    def request(self, chance: Chance, view: View, mission: str) -> Effects:
        """Reset the link for a new request, and try it immediately if ``at_once`` is set."""
        first_try = push(self.wait, mission) if self.at_once else Effects()
        return Effects(update(view.own(mission, LinkState), failed=0, left=0), first_try)

    @step(cite="delay")
    def wait(self, chance: Chance, view: View, mission: str) -> Effects:
        """Try the link, or count down the moments until the promised fire is ready."""
        own = view.own(mission, LinkState)
        if own.left:
            return super().wait(chance, view, mission)
        failed = own.failed + 1
        (outcome, answer, moments), card = self.thrown(
            chance, view, "relay", self.dice, self.answers
        )
        event = Effects(card, emit(answer, self.cites["delay"], mission=mission))
        if outcome >= Outcome.GOOD:
            now = push(cycle.ready, mission, outcome, answer)
            return Effects(event, update(own, left=moments) if moments else now)
        if outcome is Outcome.REFUSED:
            return Effects(
                event, push(cycle.close, mission, Reason.DENIED, self.rule("refused/delay"))
            )
        if failed == self.tries:
            return Effects(event, push(cycle.close, mission, Reason.LOST, self.cites["lost"]))
        return Effects(update(own, failed=min(failed, self.tries or self.counted)), event)


class SkillCheck(Relay):
    """Delays where the operator rolls each moment until the total does not exceed the skill.

    Each failure adds ``bonus`` to the skill for the next try. Failures are counted up to ``tries``,
    or up to ``counted`` if the tries are unlimited.

    >>> from fractions import Fraction
    >>> class Signals(SkillCheck):
    ...     cites = {"moment": "2", "delay": "2.1", "lost": "2.2"}
    ...     minutes, skill, bonus, tries = Fraction(2), 3, 1, 4
    >>> Signals("my_game", {}, {}).steps()["delays.wait"].cite
    '2.1'
    """

    needed = 0
    skill: Annotated[int, Stated("delay")]
    bonus: Annotated[int, Stated("delay")] = 0

    @step(cite="delay")
    def wait(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll against the skill, with the bonus for the failures so far."""
        own = view.own(mission, LinkState)
        limit = self.skill + self.bonus * own.failed
        passed, card = self.thrown(chance, view, "relay", self.dice, lambda total: total <= limit)
        event = emit("through" if passed else "not_through", self.cites["delay"], mission=mission)
        if passed:
            ready = push(cycle.ready, mission, Outcome.GOOD, "through")
            return Effects(card, event, update(own, failed=0), ready)
        failed = own.failed + 1
        if failed == self.tries:
            lost = push(cycle.close, mission, Reason.LOST, self.cites["lost"])
            return Effects(card, event, lost)
        return Effects(card, event, update(own, failed=min(failed, self.tries or self.counted)))


class RequestChart(Relay):
    """Delays where dice are thrown each moment and looked up on the request chart ``chart``.

    The column ``outcome`` contains refused, late, good or very_good. The column ``answer`` contains
    the game's own term, which is also the kind of the event emitted. An optional column ``moments``
    contains the number of moments until a granted fire is ready. Late requests are rolled again, up
    to ``tries`` times. A refused request ends, but may be repeated.

    >>> from fractions import Fraction
    >>> from fireplan_core.chance import Chart
    >>> class Signals(RequestChart):
    ...     cites = {"moment": "2", "delay": "2.1", "lost": "2.2"}
    ...     minutes, chart = Fraction(2), "requests"
    >>> cells = {(1, "outcome"): "late", (1, "answer"): "wait"}
    >>> cells |= {(4, "outcome"): "good", (4, "answer"): "granted"}
    >>> requests = Chart("requests", (1, 4), ("outcome", "answer"), cells, "printed")
    >>> Signals("my_game", {}, {"requests": requests}).answers(6)
    (<Outcome.GOOD: 2>, 'granted', 0)
    """

    needed = 0
    chart: str

    def answers(self, total: int) -> tuple[Outcome, str, int]:
        """Return the chart's result for a sum: outcome, answer, and moments until readiness."""
        chart = self.charts[self.chart]
        later = int(chart.cell(total, "moments")) if "moments" in chart.columns else 0
        return Outcome[chart.cell(total, "outcome").upper()], chart.cell(total, "answer"), later


@record
class Chits:
    """An asset's pile: the number of chits left of each kind, and the number of denials.

    The kinds are in the order of ``DrawPile.pile``.
    """

    left: tuple[int, ...] = kept((), "the number of chits left of each kind", "delay")
    denied: int = kept(0, "the number of times fire was denied", "delay", between=COUNT)


class DrawPile(_Plain):
    """Delays where a chit is drawn each moment until one of the kinds in ``grants`` comes up.

    Drawn chits are not replaced. A chit of a kind in ``denies`` ends the request, and the asset is
    lost at denial number ``last_denial``. Any other chit costs a moment. An empty pile exhausts the
    asset.

    >>> from fractions import Fraction
    >>> class Signals(DrawPile):
    ...     cites = {"moment": "2", "delay": "2.1", "denied": "2.2", "lost": "2.3"}
    ...     minutes, pile, grants = Fraction(2), {"red": 2, "black": 5}, ("black",)
    >>> Signals("my_game", {}, {}).steps()["delays.wait"].cite
    '2.1'
    """

    needs: ClassVar[tuple[str, ...]] = ("denied", "lost")
    pile: ClassVar[Mapping[str, int]]
    grants: ClassVar[tuple[str, ...]]
    denies: ClassVar[tuple[str, ...]] = ()
    last_denial: Annotated[int, Stated("lost", least=1)] = 2
    keeps = Keeps(assets=(Chits,))

    def stage_mission(self, staging: Staging, mission: str) -> None:
        """Stage the record of an asset with a full pile of chits."""
        staging.mission(mission, self.word, Chits(left=tuple(self.pile.values())))

    @step(cite="delay")
    def wait(self, chance: Chance, view: View, mission: str) -> Effects:
        """Draw a chit for a request, and apply its result; without chits, the mission ends."""
        own = view.own(mission, Chits)
        left = own.left
        if not any(left):
            return Effects(push(cycle.close, mission, Reason.EXHAUSTED, self.cites["lost"]))
        kind = chance.draw("chit", **dict(zip(self.pile, left, strict=True))).exact()
        drawn = update(
            own, left=tuple(n - (name == kind) for name, n in zip(self.pile, left, strict=True))
        )
        event = emit("drawn", self.cites["delay"], mission=mission, chit=kind)
        if kind in self.grants:
            return Effects(drawn, event, push(cycle.ready, mission, Outcome.GOOD, kind))
        if kind not in self.denies:
            return Effects(drawn, event)
        denied = own.denied + 1
        reason, cite = (
            (Reason.LOST, "lost") if denied >= self.last_denial else (Reason.DENIED, "denied")
        )
        return Effects(
            drawn,
            update(own, denied=denied),
            event,
            push(cycle.close, mission, reason, self.cites[cite]),
        )


@record
class TrackMarker:
    """A request's marker on the track: the number of its box, 0 at the start."""

    box: int = kept(0, "the box of the marker", "delay", between=COUNT)


class Track(_Plain):
    """Delays where dice are thrown each moment to move a marker along a track of ``boxes`` boxes.

    The asset is ready when the marker reaches the last box. ``moves`` maps the sum of the dice to a
    number of boxes; a sum beyond the table uses its first or last entry. Modifiers are registered
    for ``delays.advance``.

    >>> from fractions import Fraction
    >>> class Signals(Track):
    ...     cites = {"moment": "2", "delay": "2.1"}
    ...     minutes, boxes, moves = Fraction(2), 4, {1: 0, 2: 1, 6: 2}
    >>> [kind.__name__ for kind in Signals.keeps.records]
    ['TrackMarker']
    """

    modified: ClassVar[tuple[str, ...]] = ("advance",)
    dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    boxes: Annotated[int, Stated("delay", least=1)]
    moves: ClassVar[Mapping[int, int]]
    keeps = Keeps(assets=(TrackMarker,))

    @step(cite="delay")
    def request(self, chance: Chance, view: View, mission: str) -> Effects:
        """Place the request's marker in front of the first box."""
        return Effects(update(view.own(mission, TrackMarker), box=0))

    @step(cite="delay")
    def wait(self, chance: Chance, view: View, mission: str) -> Effects:
        """Roll to move the marker; when it reaches the last box, the asset is ready."""
        own = view.own(mission, TrackMarker)
        box = own.box
        moves, card = self.thrown(
            chance, view, "advance", self.dice, lambda total: read_off(self.moves, total)
        )
        box = min(self.boxes, box + moves)
        moved = Effects(
            card,
            update(own, box=box),
            emit("advanced", self.cites["delay"], mission=mission, box=box),
        )
        if box == self.boxes:
            return Effects(moved, push(cycle.ready, mission, Outcome.GOOD, "home"))
        return moved
