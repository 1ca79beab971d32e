"""Resolution: an attack card for each hex, and a defence card for each unit in it (16 to 18)."""

from math import ceil
from typing import ClassVar

import attrs

from fireplan_combat_commander.areas import Aftermath, MapState
from fireplan_combat_commander.call import Kind, RadioFacts, UnitState
from fireplan_combat_commander.fate import Fate
from fireplan_core import (
    FireKind,
    Keeps,
    Place,
    Resolution,
    Severity,
    Shot,
    Staging,
    View,
    kept,
    record,
)
from fireplan_core.chance import Chance
from fireplan_core.game import Charts, Options
from fireplan_core.steps.effects import Effects, emit, push, step, update

IN = {
    "open": ("open", ""),
    "woods": ("woods", ""),
    "buildings": ("building", ""),
    "trench": ("open", "trench"),
}
"""Maps each cover of an engagement to its terrain and fortification."""


@record
class Works:
    """The state of a hex's fortification."""

    destroyed: bool = kept(False, "whether its fortification is destroyed", "18")


@attrs.frozen
class UnitFacts:
    """The facts of a unit: its kind, terrain, fortification, and whether it moves or is in wire."""

    kind: Kind
    terrain: str = "open"
    works: str = ""
    moving: bool = False
    wire: bool = False


class CCResolution(Fate, Resolution):
    """The resolution part: an attack card for each hex, and a defence card for each unit."""

    publishes = (UnitState, Aftermath)
    keeps = Keeps(units=(UnitState,), table=(Aftermath,), ground=(Works,))
    severities: ClassVar = {
        "suppressed": Severity.SUPPRESSED,
        "broken": Severity.REDUCED,
        "eliminated": Severity.DESTROYED,
    }

    def __init__(self, game: str, options: Options, charts: Charts) -> None:
        super().__init__(game, options, charts)
        # With dice (D12) the hexes are independent, so each is solved separately.
        self.places_apart = not self.lasting  # type: ignore[misc] # set for each table

    def stage_call(self, staging: Staging, call: RadioFacts) -> None:
        """Stage the call, and an engagement's troops as squads."""
        super().stage_call(staging, call)
        target, own = staging.engagement.target, staging.engagement.own_troops
        terrain, works = IN[target.cover]
        works = works or ("foxhole" if target.posture == "dug_in" else "")
        troop = UnitFacts(
            self.squad(target.nationality, target.quality),
            terrain,
            works,
            target.posture == "moving",
        )
        squads = staging.bodies(ceil(target.men / self.number("men_a_squad")))
        for number, (place, men) in enumerate(squads, start=1):
            staging.unit(
                f"t{number}",
                staging.target_side,
                place,
                strength=men,
                slot=UnitState(),
                facts=troop,
            )
        if own is not None and staging.own_place is not None:
            kind = UnitFacts(self.squad(staging.engagement.firer.nationality, "average"))
            staging.unit(
                "o1",
                staging.firer,
                staging.own_place,
                strength=own.men,
                slot=UnitState(),
                facts=kind,
            )

    def on_counter(self, view: View, unit: str) -> tuple[str, ...]:
        """Return the texts on a unit's counter: visible morale, and a leader's command (17)."""
        troop = view.unit_facts(unit, UnitFacts)
        broken = view.peek_unit(unit, UnitState).broken
        morale = troop.kind.broken_morale if broken else troop.kind.morale
        command = (f"command {troop.kind.command}",) if troop.kind.command else ()
        return (f"morale {morale}", *command)

    def squad(self, nationality: str, quality: str) -> Kind:
        """Return the kind of squad that represents a nation's troops of a quality."""
        kinds: dict[tuple[str, str, str], Kind] = self.charts["kinds"]
        return next(
            kind
            for (nation, _, _), kind in kinds.items()
            if nation == nationality and kind.quality == quality
        )

    @step(cite="15, 16, D14")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Draw a card to attack this hex; a smoke round attacks nothing (15, 16)."""
        if shot.kind is not FireKind.HE:
            return Effects()
        return Effects(
            push(self.settle) if self.lasting else Effects(), push(self.attack, mission, place)
        )

    @step(cite="20")
    def settle(self, _chance: Chance, view: View) -> Effects:
        """Break the unit that a sniper hit while the round drifted (20)."""
        unit, aftermath = view.peek_shared(MapState).sniped, view.shared(Aftermath)
        if not unit or unit == aftermath.settled or unit not in view.units:
            return Effects()
        return Effects(update(aftermath, settled=unit), push(self.breaks, unit))

    def sniped(self, view: View, unit: str) -> Effects:
        """Return the effects of breaking a sniped unit (20)."""
        return Effects(push(self.breaks, unit))

    def smoke_goes(self, view: View) -> Effects:
        """Return the effects of counting one more smoke marker to remove after the impact (19)."""
        aftermath = view.shared(Aftermath)
        return Effects(
            update(aftermath, smoke=aftermath.smoke + 1)
            if view.peek_shared(MapState).smoke
            else Effects()
        )

    @step(cite="D7")
    def spent(self, _chance: Chance, view: View, mission: str) -> Effects:
        """Emit an event if no unit is under fire, then apply a sniper's hit and attack empty hexes.

        Empty hexes are attacked only if an option says so (D7). With dice instead of lasting decks,
        no sniper's hit is applied and no empty hex attacked.
        """
        area = view.footprint(mission)[0]
        empty = [cell for cell in area if not view.units_at(cell)]
        explosive = view.mission(mission).kind is FireKind.HE
        nobody = explosive and len(empty) == len(area)
        said = emit("nobody", "16", mission=mission) if nobody else Effects()
        if not self.lasting:
            return Effects(said)
        turned = empty if explosive and self.options["empty_hexes"] == "card" else []
        attacks = (push(self.attack, mission, cell) for cell in turned)
        return Effects(said, push(self.settle), *attacks)

    @step(cite="20")
    def closed(self, _chance: Chance, _view: View, _mission: str) -> Effects:
        """Apply a sniper's hit even if the round has left the map (20)."""
        return Effects(push(self.settle), push(self.forget)) if self.lasting else Effects()

    @step(cite="20")
    def forget(self, _chance: Chance, view: View) -> Effects:
        """Clear the record of a sniper's hit and of the smoke to remove after an impact."""
        return Effects(update(view.shared(Aftermath), settled="", smoke=0))

    @step(cite="3, 16")
    def attack(self, chance: Chance, view: View, mission: str, place: Place) -> Effects:
        """Turn the attack card for a hex (16)."""
        side = view.side(mission)
        roll, card = self.turn(
            chance, view, side, "attack", lambda card: card.white + card.coloured
        )
        return Effects(card, push(self.under_fire, mission, place, roll))

    @step(cite="16, 17, 18, D17")
    def under_fire(
        self, _chance: Chance, view: View, mission: str, place: Place, roll: int
    ) -> Effects:
        """Make every unit in the hex defend against the attack (17).

        A roll of exactly 20 minus the FP first destroys the fortification (18).
        """
        radio, chart = self.call(view, mission).radio, self.charts["radios"]
        total = int(chart.cell(radio, "fp")) + roll
        units = view.units_at(place)
        works, event = view.ground(place, Works), Effects()
        standing = not works.destroyed
        exact = roll == int(chart.cell(radio, "destroys"))
        if standing and exact and any(view.unit_facts(u, UnitFacts).works for u in units):
            event = Effects(update(works, destroyed=True), emit("works_destroyed", "18", at=place))
            standing = self.options["destroyed_cover"] == "kept"
        return Effects(
            event, *(push(self.defend, mission, unit, total, standing) for unit in units)
        )

    def strength(self, view: View, unit: str, *, standing: bool) -> int:
        """Return the value added to a unit's defence card: morale, cover, wire and command (17).

        The cover of a fortification counts only while it is ``standing``.
        """
        troop, state = view.unit_facts(unit, UnitFacts), view.unit(unit, UnitState)
        morale = troop.kind.broken_morale if state.broken else troop.kind.morale
        if self.options["suppressed_morale"] and state.suppressed:
            morale += self.options["suppressed_morale"]
        works = troop.works if standing else ""
        cover = max(self.number(f"cover_{kind}") for kind in (troop.terrain, works) if kind)
        return morale - troop.wire * self.number("wire") + cover + self.command(view, unit)

    def command(self, view: View, unit: str) -> int:
        """Return the total command of friendly unbroken leaders in a unit's hex (17, D18).

        It is 0 for a leader.
        """
        if view.unit_facts(unit, UnitFacts).kind.type == "leader":
            return 0
        side, here = view.unit_side(unit), view.units_at(view.place_of(unit))
        leaders = [
            u
            for u in here
            if view.unit_side(u) == side and view.unit_facts(u, UnitFacts).kind.command
        ]
        fit = [
            u
            for u in leaders
            if not (view.unit(u, UnitState).broken or view.unit(u, UnitState).eliminated)
        ]
        return sum(view.unit_facts(u, UnitFacts).kind.command for u in fit)

    @step(cite="3, 17, D6, D18")
    def defend(
        self, chance: Chance, view: View, mission: str, unit: str, total: int, *standing: bool
    ) -> Effects:
        """Turn a unit's defence card against the attack total of its hex (17)."""
        if view.unit(unit, UnitState).eliminated:
            return Effects()
        side, firer = view.unit_side(unit), view.side(mission)
        if self.options["defence_deck"] == "opponent":
            side = next(other.name for other in self.call(view).sides if other.name != firer)
        margin = total - self.strength(view, unit, standing=all(standing))
        # As for attacks, only the sum of the card's dice is read, so that less of the deck's
        # composition has to be tracked.
        total, card = self.turn(
            chance, view, side, "defence", lambda card: card.white + card.coloured
        )
        return Effects(
            card, push(self.result, unit, int(margin > total)) if margin >= total else Effects()
        )

    @step(cite="17, D4, D21")
    def result(self, _chance: Chance, view: View, unit: str, beaten: int) -> Effects:
        """Break a beaten unit; on a tie suppress it, or break it if it is moving (17).

        By default a tie also breaks a suppressed unit (D4), and only suppresses a broken one (D21).
        A broken unit that breaks again is eliminated.
        """
        state = view.unit(unit, UnitState)
        if state.broken:
            worse = beaten or self.options["tie_broken"] == "eliminates"
        else:
            again = self.options["tie_suppressed"] == "breaks" and state.suppressed
            worse = beaten or view.unit_facts(unit, UnitFacts).moving or again
        if worse:
            return Effects(push(self.breaks, unit))
        if state.suppressed:
            return Effects()
        event = (
            Effects()
            if state.broken
            else emit("suffered", "17", unit=unit, severity=Severity.SUPPRESSED)
        )
        return Effects(update(state, suppressed=True), event)

    @step(cite="17, 20")
    def breaks(self, _chance: Chance, view: View, unit: str) -> Effects:
        """Break a unit, or eliminate it if it is already broken (17)."""
        state = view.unit(unit, UnitState)
        if state.eliminated:
            return Effects()
        if state.broken:
            event = emit("suffered", "17", unit=unit, severity=Severity.DESTROYED)
            return Effects(update(state, eliminated=True), event)
        return Effects(
            update(state, broken=True), emit("suffered", "17", unit=unit, severity=Severity.REDUCED)
        )
