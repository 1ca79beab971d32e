"""Requests: the Artillery Request (C1.3) and the options for what lies on the map (C1.33-C1.35).

The orders, their judge and the doctrine are in ``_options``; here they are asked for and carried out. How a
request reaches the battery belongs to ``delays``; where the round lands belongs to ``areas``.
"""

from __future__ import annotations

from fireplan.chance import Chance
from fireplan.mission import (
    REFEREE,
    Form,
    Intent,
    Modifier,
    Order,
    Place,
    Question,
    Reason,
    Refusal,
    Requests,
    Stage,
    Staging,
    Then,
    View,
    ask,
    push,
    put,
    record,
    step,
    tell,
)
from fireplan_asl import _options
from fireplan_asl._options import ON_MAP, Registered, seen
from fireplan_asl._places import hexes_between

LONG_CORRECTIONS = ((13, 2), (7, 1))
"""Hexes from which a predesignated Correction has this drm."""


@record
class Calling:
    """Whether the SR in the air is predesignated to be Converted when it lands (C1.332)."""

    predesignated: bool = False


def _long_correction(view: View, mission: str) -> int:
    """The drm to the Accuracy dr of a predesignated Correction (C1.3)."""
    now = view.mission(mission)
    if not view.seen_by("requests").own(mission, Calling).predesignated:
        return 0
    far = hexes_between(view.frame, now.impact, now.aim)
    return next((drm for least, drm in LONG_CORRECTIONS if far >= least), 0)


class AslRequests(Requests):
    """Calls when idle; then one option a fire phase."""

    cites = {"requested": "C1.2"}  # noqa: RUF012 - declared by the base

    def stage(self, staging: Staging) -> None:
        """Lay down the Pre-Registered hexes."""
        places = frozenset({staging.centre}) if staging.engagement.asset.preregistered else frozenset[Place]()
        for mission in staging.assets:
            staging.mission(mission, self.word, Calling(), Registered(places))

    def modifiers(self) -> tuple[Modifier, ...]:
        """The drm of a predesignated Conversion after a long Correction."""
        return (Modifier("areas.accuracy", "C1.3", "predesignated and Corrected far", _long_correction),)

    def questions(self) -> dict[str, Question]:
        """Whether to call, what to do when the battery is at hand, and the opponent's answer to a blind AR."""
        return {
            "call": Question(
                lambda _view, _mission: (
                    Form("call", "C1.2", "have the Observer call for fire"),
                    Form("pass", "C1.2", "do not call"),
                ),
                self._no_objection,
                lambda _view, _mission: Order.of("call"),
            ),
            "fire": Question(
                _options.forms,
                lambda view, order, mission: _options.refuse(view, order, mission, self.options),
                lambda view, mission: _options.standard(view, mission, self.options),
            ),
            "blind": Question(
                lambda _view, _mission: (
                    Form("cancel", "C1.3", "have the Fire Mission Cancelled"),
                    Form("allow", "C1.3", "let it go on"),
                ),
                self._no_objection,
                lambda _view, _mission: Order.of("cancel"),
            ),
        }

    @staticmethod
    def _no_objection(_view: View, _order: Order, _mission: str) -> Refusal | None:
        return None

    # --- asking ----------------------------------------------------------------------------------
    @step(cite="C1.2")
    def opportunity(self, chance: Chance, view: View, mission: str) -> Then:  # noqa: ARG002 - no dice here
        """Ask whether fire is wanted."""
        return Then(ask(view.side(mission), "call", mission, then="called"))

    @step(cite="C1.2")
    def called(self, chance: Chance, view: View, mission: str, order: Order) -> Then:  # noqa: ARG002 - no dice here
        """The Observer starts to call, or not."""
        return Then(push("core.request", mission)) if order.verb == "call" else Then()

    @step(cite="C1.33")
    def ready(self, chance: Chance, view: View, mission: str) -> Then:  # noqa: ARG002 - no dice here
        """With contact and access: one option."""
        return Then(ask(view.side(mission), "fire", mission, then="obey"))

    # --- obeying ---------------------------------------------------------------------------------
    @step(cite="C1.33")
    def obey(self, chance: Chance, view: View, mission: str, order: Order) -> Then:  # noqa: ARG002 - no dice here
        """Carry the option out."""
        now = view.mission(mission)
        match order.verb:
            case "convert":
                return Then(put(now, aim=None), push("core.convert", mission))
            case "spot":
                return self._spot(view, mission)
            case "cancel":
                cite = "C1.336" if now.stage is Stage.SPOTTING else "C1.337"
                return Then(push("core.cease", mission, Reason.CANCELLED, cite))
            case "remove":
                return Then(push("core.close", mission, Reason.DELIVERED, "C1.343"))
            case "replace":
                done = now.stage is Stage.LINGERING
                reason, cite = (Reason.DELIVERED, "C1.343") if done else (Reason.CANCELLED, "C1.336")
                return Then(
                    push("core.cease", mission, reason, cite),
                    push("request", mission, order["at"], Intent.SPOTTING),
                )
            case "place" | "fire" | "correct" | "correct_convert":
                return self._request(view, mission, order)
            case _:
                return Then()

    def _request(self, view: View, mission: str, order: Order) -> Then:
        """An AR, for a new round or a Correction."""
        now = view.mission(mission)
        at, stage = order["at"], now.stage
        if not view.sees(mission, at).ground:
            return self._unseen(view, mission, at)
        forced = stage in ON_MAP and not seen(view, mission).burst
        effect = order.verb == "fire" or stage is Stage.FALLING
        predesignated = order.verb == "correct_convert"
        return Then(
            put(now, aim=at, forced=forced),
            put(view.own(mission, Calling), predesignated=True) if predesignated else Then(),
            push("core.release", mission, Intent.EFFECT if effect else Intent.SPOTTING),
        )

    @step(cite="C1.3")
    def request(self, chance: Chance, view: View, mission: str, at: Place, intent: Intent) -> Then:  # noqa: ARG002 - no dice here
        """A new AR, after what lay on the map has been removed."""
        if not view.sees(mission, at).ground:
            return self._unseen(view, mission, at)
        return Then(put(view.mission(mission), aim=at), push("core.release", mission, intent))

    def _unseen(self, view: View, mission: str, at: Place) -> Then:
        """No LOS to the AR: it comes off, actions end, and the opponent may have the Fire Mission Cancelled."""
        stage = view.mission(mission).stage
        told = tell("unseen", "C1.3", mission=mission, at=at)
        if stage is Stage.LINGERING:
            return Then(told, self._spot(view, mission))
        if stage is not Stage.FALLING:
            return Then(told)
        side = view.side(mission)
        opponent = next((s for s in map(view.unit_side, view.units) if s != side), REFEREE)
        return Then(told, ask(opponent, "blind", mission, then="blind"))

    @step(cite="C1.3")
    def blind(self, chance: Chance, view: View, mission: str, order: Order) -> Then:  # noqa: ARG002 - no dice here
        """The opponent's answer to an AR without LOS."""
        return Then(push("core.cease", mission, Reason.CANCELLED, "C1.3")) if order.verb == "cancel" else Then()

    @staticmethod
    def _spot(view: View, mission: str) -> Then:
        """A SR takes the place of the FFE:C."""
        now = view.mission(mission)
        return Then(put(now, aim=None, intent=Intent.SPOTTING), push("core.landed", mission, now.impact))

    # --- afterwards ------------------------------------------------------------------------------
    @step(cite="C1.322, C1.332")
    def landed(self, chance: Chance, view: View, mission: str) -> Then:  # noqa: ARG002 - no dice here
        """The AR comes off; a predesignated SR is Converted, if its hex meets C1.333."""
        calling = view.own(mission, Calling)
        off = put(view.mission(mission), aim=None)
        if not calling.predesignated:
            return Then(off)
        done = put(calling, predesignated=False)
        if seen(view, mission).may_fire_there:
            return Then(off, done, push("core.convert", mission))
        return Then(off, done)

    @step(cite="C1.21")
    def ceased(self, chance: Chance, view: View, mission: str, stage: Stage) -> Then:  # noqa: ARG002 - no dice here
        """A predesignation ends with its SR."""
        return Then(put(view.own(mission, Calling), predesignated=False))
