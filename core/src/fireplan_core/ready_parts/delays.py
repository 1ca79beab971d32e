"""Ready delays: a fixed delay, a relay with retry, a pile of chits, a track.

Each with a plain clock.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

from fireplan_core import cycle
from fireplan_core.chance import Chance, Die, d6
from fireplan_core.delays import Delays
from fireplan_core.mission import Outcome, Reason, Stage
from fireplan_core.ready_parts.base import Ready, read_off
from fireplan_core.record import COUNT, kept, record
from fireplan_core.setups.setup import Clock
from fireplan_core.setups.staging import Staging
from fireplan_core.steps.effects import Effects, emit, push, step, update
from fireplan_core.steps.part import Keeps
from fireplan_core.steps.view import View

WAITING = (Stage.REQUESTED, Stage.DELAYED, Stage.SPOTTING)
"""The stages in which an asset is on its way or at hand."""


class _Plain(Ready, Delays):
    """A clock of equal moments.

    In each, assets asked for make progress, then idle ones may be asked for.

    ``minutes`` is the length of a moment, ``moment_name`` what the game calls it.
    """

    needs: ClassVar[tuple[str, ...]] = ("moment", "delay")
    minutes: Fraction
    moment_name: str = "turn"

    def clock(self) -> Clock:
        """Moments of ``minutes``; times are true to one of them."""
        return Clock.even(self.minutes, self.moment_name)

    def stage_mission(self, staging: Staging, mission: str) -> None:
        """Nothing under way."""
        staging.mission(mission, self.word, self.keeps.records[0]())

    @step(cite="moment")
    def moment(self, chance: Chance, view: View) -> Effects:
        """First those under way, then those idle."""
        return Effects(
            *(push(self.progress, mission) for mission in view.missions),
            *(push(cycle.opportunity, mission) for mission in view.missions),
        )

    @step(cite="delay")
    def progress(self, chance: Chance, view: View, mission: str) -> Effects:
        """An asset that was asked for comes nearer, or is at hand.

        One that is falling or idle does neither.
        """
        now = view.mission(mission)
        if now.stage not in WAITING:
            return Effects()
        if now.outcome is not None and now.outcome >= Outcome.GOOD:
            return Effects(push(cycle.ready, mission, now.outcome, now.answer))
        return Effects(push(self.wait, mission))

    def wait(self, chance: Chance, view: View, mission: str) -> Effects:
        """Come nearer by one moment."""
        raise NotImplementedError


@record
class LinkState:
    """Say how often the link has failed, as far as a rule of the game looks at it, and what it has brought."""

    failed: int = kept(0, "how often the link has failed", "delay", between=COUNT)
    left: int = kept(
        0,
        "moments still to pass until the fire that was promised is at hand",
        "delay",
        between=COUNT,
    )


class FixedDelay(_Plain):
    """Ready ``delay`` moments after the request (0: in the same moment)."""

    least: ClassVar[Mapping[str, int]] = {"delay": 0}
    delay: int
    keeps = Keeps(assets=(LinkState,))

    def moments(self, view: View, mission: str) -> int:
        """Return how long this asset takes; override to look it up."""
        return self.delay

    @step(cite="delay")
    def request(self, chance: Chance, view: View, mission: str) -> Effects:
        """Begin the delay."""
        left = self.moments(view, mission)
        ready = Effects() if left else push(cycle.ready, mission, Outcome.GOOD, "at hand")
        return Effects(update(view.own(mission, LinkState), left=left), ready)

    @step(cite="delay")
    def wait(self, chance: Chance, view: View, mission: str) -> Effects:
        """Count one moment less to wait."""
        own = view.own(mission, LinkState)
        if own.left > 1:
            return Effects(update(own, left=own.left - 1))
        arrived = emit("arrived", self.cites["delay"], mission=mission)
        return Effects(
            update(own, left=0), arrived, push(cycle.ready, mission, Outcome.GOOD, "at hand")
        )


class Relay(FixedDelay):
    """Each moment ``dice`` are thrown until their sum reaches ``needed``.

    After ``tries`` failures the link is lost.

    ``tries`` 0 means no limit; then failures are counted up to ``counted``, for a modifier that goes by them
    (``view.own(mission, LinkState).failed``). ``at_once`` has the first throw made with the request. Modifiers are
    registered for ``delays.relay``.
    """

    needs: ClassVar[tuple[str, ...]] = ("lost",)
    may: ClassVar[tuple[str, ...]] = ("refused",)
    delay = 0
    at_once: bool = False
    counted: int = 0
    dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    least: ClassVar[Mapping[str, int]] = {"tries": 0}
    needed: int
    tries: int = 0

    def answers(self, total: int) -> tuple[Outcome, str, int]:
        """Return how a throw answers the request, in what word, and after how many moments the asset is at hand."""
        return (
            (Outcome.GOOD, "through", 0)
            if total >= self.needed
            else (Outcome.LATE, "not_through", 0)
        )

    @step(cite="delay")
    def request(self, chance: Chance, view: View, mission: str) -> Effects:
        """Start anew: every request needs a link of its own."""
        tried = push(self.wait, mission) if self.at_once else Effects()
        return Effects(update(view.own(mission, LinkState), failed=0, left=0), tried)

    @step(cite="delay")
    def wait(self, chance: Chance, view: View, mission: str) -> Effects:
        """Try the link, or wait for what was promised."""
        own = view.own(mission, LinkState)
        if own.left:
            return super().wait(chance, view, mission)
        failed = own.failed + 1
        (outcome, answer, later), card = self.thrown(chance, view, "relay", self.dice, self.answers)
        told = Effects(card, emit(answer, self.cites["delay"], mission=mission))
        if outcome >= Outcome.GOOD:
            now = push(cycle.ready, mission, outcome, answer)
            return Effects(told, update(own, left=later) if later else now)
        if outcome is Outcome.REFUSED:
            return Effects(
                told, push(cycle.close, mission, Reason.DENIED, self.rule("refused/delay"))
            )
        if failed == self.tries:
            return Effects(told, push(cycle.close, mission, Reason.LOST, self.cites["lost"]))
        return Effects(update(own, failed=min(failed, self.tries or self.counted)), told)


class RequestChart(Relay):
    """Dice on a request chart each moment: the chart named ``chart`` says of their sum how the request is answered.

    Its column ``outcome`` is refused, late, good or very_good; ``answer`` is the game's own word,
    which names an event; ``moments``, if there is such a column, says after how many moments the
    fire is at hand (it is good then). Late answers are rolled again, ``tries`` times at most; a
    refused request ends, and may be made again.
    """

    chart: str

    def answers(self, total: int) -> tuple[Outcome, str, int]:
        """Return what the chart says."""
        chart = self.charts[self.chart]
        later = int(chart.cell(total, "moments")) if "moments" in chart.columns else 0
        return Outcome[chart.cell(total, "outcome").upper()], chart.cell(total, "answer"), later


@record
class Chits:
    """The chits still in the pile, in the order of the game's ``pile``, and how often fire was denied."""

    left: tuple[int, ...] = kept((), "the chits still in the pile, in its order", "delay")
    denied: int = kept(0, "how often fire was denied", "delay", between=COUNT)


class DrawPile(_Plain):
    """A chit is drawn each moment and not put back, until one of ``grants`` comes up.

    One of ``denies`` ends the request; the ``last_denial``-th of them loses the asset. Other chits
    only cost the moment. An empty pile exhausts the asset.
    """

    needs: ClassVar[tuple[str, ...]] = ("denied", "lost")
    pile: ClassVar[Mapping[str, int]]
    grants: ClassVar[tuple[str, ...]]
    denies: ClassVar[tuple[str, ...]] = ()
    least: ClassVar[Mapping[str, int]] = {"last_denial": 1}
    last_denial: int = 2
    keeps = Keeps(assets=(Chits,))

    def stage_mission(self, staging: Staging, mission: str) -> None:
        """Fill the pile."""
        staging.mission(mission, self.word, Chits(left=tuple(self.pile.values())))

    @step(cite="delay")
    def wait(self, chance: Chance, view: View, mission: str) -> Effects:
        """Draw a chit."""
        own = view.own(mission, Chits)
        left = own.left
        if not any(left):
            return Effects(push(cycle.close, mission, Reason.EXHAUSTED, self.cites["lost"]))
        kind = chance.draw("chit", **dict(zip(self.pile, left, strict=True))).exact()
        drawn = update(
            own, left=tuple(n - (name == kind) for name, n in zip(self.pile, left, strict=True))
        )
        told = emit("drawn", self.cites["delay"], mission=mission, chit=kind)
        if kind in self.grants:
            return Effects(drawn, told, push(cycle.ready, mission, Outcome.GOOD, kind))
        if kind not in self.denies:
            return Effects(drawn, told)
        denied = own.denied + 1
        reason, cite = (
            (Reason.LOST, "lost") if denied >= self.last_denial else (Reason.DENIED, "denied")
        )
        return Effects(
            drawn,
            update(own, denied=denied),
            told,
            push(cycle.close, mission, reason, self.cites[cite]),
        )


@record
class Marker:
    """The box in which the marker stands; 0 is where it starts."""

    box: int = kept(0, "the box in which the marker stands", "delay", between=COUNT)


class Track(_Plain):
    """A marker moves along ``boxes`` boxes, each moment as many as ``moves`` says of a die.

    Ready at the last.

    Sums beyond the table are read as its first or last entry. Modifiers are registered for
    ``delays.advance``.
    """

    dice: ClassVar[Mapping[str, Die]] = {"white": d6}
    least: ClassVar[Mapping[str, int]] = {"boxes": 1}
    boxes: int
    moves: ClassVar[Mapping[int, int]]
    keeps = Keeps(assets=(Marker,))

    @step(cite="delay")
    def request(self, chance: Chance, view: View, mission: str) -> Effects:
        """Set the marker before the first box."""
        return Effects(update(view.own(mission, Marker), box=0))

    @step(cite="delay")
    def wait(self, chance: Chance, view: View, mission: str) -> Effects:
        """Move the marker."""
        own = view.own(mission, Marker)
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
        return (
            Effects(moved, push(cycle.ready, mission, Outcome.GOOD, "home"))
            if box == self.boxes
            else moved
        )
