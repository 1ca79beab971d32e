"""The neutral life of a mission: the only steps the core owns. The parts of one mission meet here.

``opportunity -> request -> (delay) -> ready -> release -> (clearance) -> shot -> landed -> fall -> strikes``;
``cease`` stops the fire and leaves the asset in hand, ``close`` ends the mission.
"""

from __future__ import annotations

from fractions import Fraction

from fireplan_core.chance import Chance
from fireplan_core.mission import FINAL, Intent, Reason, Stage
from fireplan_core.record import Place
from fireplan_core.steps.effects import Effects, emit, push, update
from fireplan_core.steps.part import StepDef
from fireplan_core.steps.view import View

OPEN_TO_REQUEST = (Stage.IDLE, Stage.ENDED)


class Cycle:
    """The steps ``core.*``, bound to which steps the parts of this table have."""

    def __init__(self, known: frozenset[str]) -> None:
        self._known = known

    def _if_known(self, word: str, name: str, *args: object) -> Effects:
        full = f"{word}.{name}"
        return Effects(push(full, *args)) if full in self._known else Effects()

    def steps(self) -> dict[str, StepDef]:
        """All of them, by full name."""
        found = (
            self.moment, self.opportunity, self.request, self.ready, self.release, self.shot, self.landed,
            self.convert, self.converted, self.fall, self.fallen, self.linger, self.cease, self.close,
        )  # fmt: skip
        return {f"core.{f.__name__}": StepDef(f"core.{f.__name__}", "", f, f.__doc__ or "") for f in found}

    def moment(self, _chance: Chance, view: View) -> Effects:
        """A moment: what must be resolved first, the delays, then every mission's area does what it does at its end."""
        return Effects(
            self._if_known("resolution", "opening"),
            push("delays.moment"),
            *(self._if_known("areas", "moment", mission) for mission in view.missions),
        )

    def opportunity(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The side may ask for fire with an idle asset."""
        now = view.mission(mission)
        if now.stage not in OPEN_TO_REQUEST or now.reason in FINAL:
            return Effects()
        return Effects(push("requests.opportunity", mission))

    def request(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Fire has been asked for; the delay begins."""
        now = view.mission(mission)
        if now.stage not in OPEN_TO_REQUEST or now.reason in FINAL:
            return Effects()
        cite = view.scenario.parts.requests.cites["requested"]
        return Effects(
            update(now, stage=Stage.REQUESTED, reason=None),
            emit("requested", cite, mission=mission),
            self._if_known("delays", "request", mission),
        )

    def ready(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The asset is at hand: the side says what it shall do."""
        if view.mission(mission).stage in OPEN_TO_REQUEST:
            return Effects()
        return Effects(push("requests.ready", mission))

    def release(self, _chance: Chance, view: View, mission: str, intent: Intent) -> Effects:
        """A shot is to leave for the recorded aim, if the link still allows it."""
        return Effects(
            update(view.mission(mission), intent=intent),
            self._if_known("delays", "clearance", mission),
            push("core.shot", mission),
        )

    def shot(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The shot leaves, unless it was stopped."""
        if view.mission(mission).intent is None:
            return Effects()
        return Effects(push("areas.land", mission))

    def landed(self, _chance: Chance, view: View, mission: str, place: Place) -> Effects:
        """The shot is on the ground: a spotting round to be seen, or fire for effect."""
        now = view.mission(mission)
        where = update(now, previous=now.impact, impact=place)
        if now.intent is Intent.EFFECT:
            return Effects(where, push("core.fall", mission))
        gap = view.frame.gap(now.target, place)
        cite = view.scenario.parts.areas.cites["spotting"]
        return Effects(
            where,
            update(now, stage=Stage.SPOTTING, intent=None),
            emit("spotting", cite, mission=mission, impact=place, gap=gap),
            self._if_known("delays", "released", mission, Intent.SPOTTING),
            self._if_known("requests", "landed", mission),
        )

    def convert(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Fire for effect where the last round lies, without a new shot."""
        return Effects(
            update(view.mission(mission), intent=Intent.EFFECT),
            self._if_known("delays", "clearance", mission),
            push("core.converted", mission),
        )

    def converted(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The conversion takes effect, unless it was stopped."""
        if view.mission(mission).intent is None:
            return Effects()
        return Effects(push("core.fall", mission))

    def fall(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Fire for effect falls at the impact and strikes every place it covers."""
        scenario = view.scenario
        now = view.mission(mission)
        areas = scenario.parts.areas
        seen = view.seen_by("areas")
        strikes: dict[Place, Fraction] = {}
        own = False
        for unit in view.units:
            setup = scenario.units[unit]
            place = view.place_of(unit)
            strength = areas.covers(seen, mission, place, setup.extent)
            if strength:
                strikes[place] = max(strength, strikes.get(place, strength))
                own = own or setup.side == view.side(mission)
        # An asset may have a target of its own; one that is a corner stands for the hexes that meet there.
        wanted = view.frame.cells(now.target, 0.0)
        middle = scenario.centre if scenario.centre in wanted else wanted[0]
        on_target = bool(areas.covers(seen, mission, middle, Fraction(0)))
        return Effects(
            update(now, stage=Stage.FALLING, intent=None, fell=True),
            emit(
                "fall",
                areas.cites["fall"],
                mission=mission,
                impact=now.impact,
                gap=view.frame.gap(now.target, now.impact),
                on_target=on_target,
                own_under_fire=own,
            ),
            *(
                push("resolution.strike", mission, place, strikes[place], scope=f"place {view.frame.label(place)}")
                for place in areas.in_order(seen, mission, tuple(strikes))
            ),
            self._if_known("resolution", "spent", mission),
            push("core.fallen", mission),
        )

    def fallen(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Fire for effect has fallen, and its strikes are done; unless that ended the mission, it goes on."""
        if view.mission(mission).stage is not Stage.FALLING:
            return Effects()
        return Effects(
            self._if_known("areas", "fallen", mission),
            self._if_known("delays", "released", mission, Intent.EFFECT),
        )

    def linger(self, _chance: Chance, view: View, mission: str) -> Effects:
        """The fire no longer falls by itself; what it left stays on the ground."""
        cite = view.scenario.parts.areas.cites["lingering"]
        return Effects(update(view.mission(mission), stage=Stage.LINGERING), emit("lingering", cite, mission=mission))

    def cease(self, _chance: Chance, view: View, mission: str, reason: Reason, cite: str) -> Effects:
        """The fire stops and its marker goes; the asset may still be at hand."""
        now = view.mission(mission)
        stage = now.stage
        return Effects(
            update(now, stage=Stage.DELAYED, intent=None, aim=None, previous=None, impact=None, forced=False),
            emit("ceased", cite, mission=mission, reason=reason),
            *(self._if_known(word, "ceased", mission, stage) for word in ("areas", "requests", "delays")),
        )

    def close(self, _chance: Chance, view: View, mission: str, reason: Reason, cite: str) -> Effects:
        """The mission ends; for good when the asset is exhausted or lost."""
        return Effects(
            update(
                view.mission(mission),
                stage=Stage.ENDED,
                reason=reason,
                intent=None,
                aim=None,
                previous=None,
                impact=None,
                forced=False,
            ),
            emit("ended", cite, mission=mission, reason=reason),
            *(self._if_known(word, "closed", mission) for word in ("areas", "requests", "delays")),
        )
