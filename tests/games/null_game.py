"""An invented game: the smallest complete plugin, which proves that the core needs no other.

Metres, minutes and dice are made up. It also shows authors what the five parts look like, and what
scenario files may contain.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import ClassVar

import attrs

from fireplan_core import (
    Areas,
    Clock,
    Delays,
    Effects,
    Form,
    Game,
    Intent,
    Keeps,
    Modifier,
    Observers,
    Order,
    Outcome,
    Parts,
    PartTypes,
    Place,
    Reason,
    Refusal,
    Requests,
    Resolution,
    ScenarioFile,
    ScenarioForm,
    Severity,
    Shot,
    Sight,
    Slot,
    Stage,
    Staging,
    View,
    ask,
    cycle,
    emit,
    hookimpl,
    kept,
    orders,
    push,
    record,
    step,
    update,
)
from fireplan_core.chance import Chance, d6
from fireplan_core.ledger import read_ledger
from fireplan_core.space import Hex, HexFrame, Layout, disc, distance, lettered_columns
from fireplan_core.space import step as hex_step

FRAME = HexFrame(100, Layout(lettered_columns(26), (1, 30), (0, 30)))
HERE = Path(__file__).parent


class NullObservers(Observers):
    """Observers who see everything."""

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        return Sight(ground=True, burst=True)

    def stage(self, staging: Staging) -> None:
        pass


class NullRequests(Requests):
    """Requests that ask for fire when idle, aim at the target and convert when near."""

    cites: ClassVar = {"requested": "N1"}

    def stage(self, staging: Staging) -> None:
        pass

    @orders(cite="N1")
    def ask(self, view: View, m: str) -> Iterator[Form]:
        yield Form("ask", "N1", does=push(cycle.request, m), summary="ask for fire")
        yield Form("pass", "N1", summary="do not")

    def usual(self, view: View, m: str) -> Order:
        now = view.mission(m)
        if now.stage is Stage.SPOTTING and distance(now.impact, now.target) <= 1:
            return Order.of("convert")
        return Order.of("aim", at=now.target)

    @orders(cite="N3", standard=usual)
    def aim(self, view: View, m: str) -> Iterator[Form]:
        near = disc(view.mission(m).target, 2)
        at = Slot("at", "where", near, free=True)
        yield Form("aim", "N3", (at,), partial(self.shoot, view, m), summary="fire a round there")
        yield Form(
            "convert",
            "N6",
            does=partial(self.convert, view, m),
            summary="fire for effect where the round lies",
        )
        yield Form(
            "cancel",
            "N1",
            does=push(cycle.close, m, Reason.CANCELLED, "N1"),
            summary="end the mission",
        )

    def shoot(self, view: View, m: str, at: Place) -> Effects | Refusal:
        now = view.mission(m)
        if now.stage not in (Stage.DELAYED, Stage.REQUESTED, Stage.SPOTTING):
            return Refusal("N4", "fire for effect is not moved")
        if distance(at, now.target) > 2:
            return Refusal("N3", "that is not near the target")
        return Effects(update(now, aim=at), push(cycle.release, m, Intent.SPOTTING))

    def convert(self, view: View, m: str) -> Effects | Refusal:
        now = view.mission(m)
        if now.stage is not Stage.SPOTTING:
            return Refusal("N6", "there is no spotting round to convert")
        if distance(now.impact, now.target) > 1:
            return Refusal("N6", "the round lies more than one hex from the target")
        return Effects(push(cycle.convert, m))

    @step(cite="N1")
    def opportunity(self, chance: Chance, view: View, m: str) -> Effects:
        return Effects(ask(view.side(m), self.ask, m))

    @step(cite="N3")
    def ready(self, chance: Chance, view: View, m: str) -> Effects:
        if view.mission(m).stage is Stage.FALLING:
            return Effects()
        return Effects(ask(view.side(m), self.aim, m))


@record
class NullLink:
    """The state of the link to the battery."""

    tried: bool = kept(False, "whether the battery has been tried", "N2")


class NullDelays(Delays):
    """Delays that need a d6 in each moment."""

    keeps = Keeps(assets=(NullLink,))

    def clock(self) -> Clock:
        return Clock(Fraction(5), Fraction(5), lambda k: f"moment {k + 1}", "moment")

    def stage(self, staging: Staging) -> None:
        staging.mission("a", self.word, NullLink())

    @step(cite="N1")
    def moment(self, chance: Chance, view: View) -> Effects:
        return Effects(
            *(push(cycle.opportunity, m) for m in view.missions),
            *(push(self.reach, m) for m in view.missions),
        )

    @step(cite="N2")
    def reach(self, chance: Chance, view: View, m: str) -> Effects:
        now = view.mission(m)
        if now.stage in (Stage.IDLE, Stage.ENDED, Stage.FALLING):
            return Effects()
        roll = chance.dice("reach", white=d6)
        link = view.own(m, NullLink)
        if not link.tried and roll.total == 1:
            return Effects(push(cycle.close, m, Reason.LOST, "N2"))
        if roll.total + chance.drm(roll) >= 3:
            ready = push(cycle.ready, m, Outcome.GOOD, "reached")
            return Effects(update(link, tried=True), emit("reached", "N2", mission=m), ready)
        return Effects(update(link, tried=True), emit("not_reached", "N2", mission=m))


@record
class NullFire:
    """A record of the number of falls still to come."""

    falls: int = kept(0, "falls that are still to come", "N4")


class NullAreas(Areas):
    """Areas of 100 m hexes."""

    keeps = Keeps(assets=(NullFire,), units=(NullFire,))

    cites: ClassVar = {"spotting": "N3", "fall": "N4", "lingering": "N4"}

    def frame(self) -> HexFrame:
        return FRAME

    def stage(self, staging: Staging) -> None:
        staging.mission("a", self.word, NullFire())

    @step(cite="N3")
    def land(self, chance: Chance, view: View, m: str) -> Effects:
        roll = chance.dice("accuracy", white=d6)
        if roll.total <= 2:
            return Effects(push(cycle.landed, m, view.mission(m).aim))
        return Effects(push(self.direction, m))

    @step(cite="N3")
    def direction(self, chance: Chance, view: View, m: str) -> Effects:
        return Effects(push(self.extent, m, chance.dice("direction", coloured=d6).total.exact()))

    @step(cite="N3")
    def extent(self, chance: Chance, view: View, m: str, direction: int) -> Effects:
        far = chance.dice("extent", white=d6).total.halved_up().exact()
        return Effects(push(cycle.landed, m, hex_step(view.mission(m).aim, direction, far)))

    @step(cite="N4")
    def fallen(self, chance: Chance, view: View, m: str) -> Effects:
        fire = view.own(m, NullFire)
        return Effects(update(fire, falls=1 if fire.falls == 0 else 3))

    @step(cite="N4")
    def moment(self, chance: Chance, view: View, m: str) -> Effects:
        fire = view.own(m, NullFire)
        if fire.falls == 1:
            return Effects(update(fire, falls=2))
        if fire.falls == 2:
            return Effects(push(cycle.fall, m))
        if fire.falls == 3:
            return Effects(update(fire, falls=0), push(cycle.close, m, Reason.DELIVERED, "N4"))
        return Effects()

    def covers(self, view: View, m: str, place: Place, extent: Fraction) -> Fraction:
        impact = view.mission(m).impact
        return Fraction(int(impact is not None and distance(impact, place) <= 1))

    def footprint(self, view: View, m: str) -> tuple[tuple[Place, ...], float]:
        return disc(view.mission(m).impact, 1), 7 * 0.866


@record
class NullMan:
    """The state of the observer."""

    state: Severity = kept(Severity.NONE, "how he stands", "N5")


@attrs.frozen
class NullCover:
    """The cover of a unit."""

    open: bool


class NullResolution(Resolution):
    """Resolution with a d6 for each unit."""

    keeps = Keeps(units=(NullMan,))

    severities: ClassVar = {"suppressed": Severity.SUPPRESSED, "destroyed": Severity.DESTROYED}

    def stage(self, staging: Staging) -> None:
        cover = NullCover(staging.engagement.target.cover == "open")
        for i, place in enumerate(staging.target_places()):
            for j in range(2):
                staging.unit(f"t{i}{j}", "target", place, strength=1, slot=NullMan(), facts=cover)
        if staging.own_place is not None:
            staging.unit("o", "firer", staging.own_place, strength=1, slot=NullMan(), facts=cover)

    def modifiers(self) -> tuple[Modifier, ...]:
        return (
            Modifier(
                "hit",
                "N5",
                "in the open",
                lambda view, m, unit: int(view.unit_facts(unit, NullCover).open),
            ),
        )

    @step(cite="N5")
    def strike(self, chance: Chance, view: View, m: str, place: Place, shot: Shot) -> Effects:
        return Effects(*(push(self.hit, m, unit) for unit in view.units_at(place)))

    @step(cite="N5")
    def hit(self, chance: Chance, view: View, m: str, unit: str) -> Effects:
        man = view.unit(unit, NullMan)
        if man.state is Severity.DESTROYED:
            return Effects()
        roll = chance.dice("hit", white=d6)
        final = roll.total + chance.drm(roll)
        worse = (
            Severity.DESTROYED
            if final >= 6
            else Severity.SUPPRESSED
            if final >= 4
            else Severity.NONE
        )
        if worse <= man.state:
            return Effects()
        return Effects(update(man, state=worse), emit("suffered", "N5", unit=unit, severity=worse))


@attrs.frozen(kw_only=True)
class NullUnit:
    """A unit in a hex."""

    id: str = attrs.field(metadata={"help": "a name of its own", "example": "t1"})
    place: Hex = attrs.field(metadata={"help": "its hex", "parse": FRAME.parse, "example": "K9"})
    open: bool = attrs.field(default=False, metadata={"help": "whether he lies in the open"})


@attrs.frozen(kw_only=True)
class NullScenario(ScenarioFile):
    """A scenario file: fire at a hex, and the units present."""

    target: Hex = attrs.field(
        metadata={"help": "where fire is wanted", "parse": FRAME.parse, "example": "K9"}
    )
    unit: tuple[NullUnit, ...] = attrs.field(default=(), metadata={"help": "who is about"})

    def check(self) -> Iterator[tuple[str, str, str]]:
        names = [unit.id for unit in self.unit]
        for i, name in enumerate(names):
            if name in names[:i]:
                yield f"unit[{i}].id", f'"{name}" stands twice', "give each unit a name of its own"


def stage(form: NullScenario, staging: Staging, _parts: Parts) -> None:
    staging.place = form.target
    staging.mission("a", "delays", NullLink())
    staging.mission("a", "areas", NullFire())
    for unit in form.unit:
        staging.unit(
            unit.id, "target", unit.place, strength=1, slot=NullMan(), facts=NullCover(unit.open)
        )
    if not form.unit:
        staging.cannot("there is nobody to fire at")


@hookimpl
def fireplan_game() -> Game:
    return Game(
        "null",
        "Null game",
        "ours",
        read_ledger(HERE / "null_rules.toml"),
        parts=PartTypes(NullObservers, NullRequests, NullDelays, NullAreas, NullResolution),
        scenarios=ScenarioForm(NullScenario, stage, {"outpost": HERE / "null_outpost.toml"}),
    )
