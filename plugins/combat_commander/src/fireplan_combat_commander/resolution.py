"""Resolution: a card for each hex, a card of its own deck for each unit there (16-18)."""

from math import ceil
from typing import ClassVar

import attrs

from fireplan_combat_commander.areas import Aftermath, Ground
from fireplan_combat_commander.call import Call, Kind, Nerve
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
"""What the cover of an engagement is here: terrain and fortification."""


@record
class Works:
    """What has become of the fortification of a hex."""

    destroyed: bool = kept(False, "whether its fortification is destroyed", "18")


@attrs.frozen
class Troop:
    """A unit's facts: its kind, what it is in, whether it moves or stands in wire."""

    kind: Kind
    terrain: str = "open"
    works: str = ""
    moving: bool = False
    wire: bool = False


class CCResolution(Fate, Resolution):
    """Each hex draws an attack card, each unit in it defends with one.

    All draw from the same two decks.
    """

    publishes = (Nerve, Aftermath)
    keeps = Keeps(units=(Nerve,), table=(Aftermath,), ground=(Works,))
    severities: ClassVar = {
        "suppressed": Severity.SUPPRESSED,
        "broken": Severity.REDUCED,
        "eliminated": Severity.DESTROYED,
    }

    def __init__(self, game: str, options: Options, charts: Charts) -> None:
        super().__init__(game, options, charts)
        # D12: by dice no hex knows of another, so that each is solved by itself.
        self.places_apart = not self.lasting  # type: ignore[misc] # of this table

    def stage_call(self, staging: Staging, call: Call) -> None:
        """Stage the units of an engagement as squads, and what all parts know."""
        super().stage_call(staging, call)
        target, own = staging.engagement.target, staging.engagement.own_troops
        terrain, works = IN[target.cover]
        works = works or ("foxhole" if target.posture == "dug_in" else "")
        troop = Troop(
            self.squad(target.nationality, target.quality),
            terrain,
            works,
            target.posture == "moving",
        )
        squads = staging.bodies(ceil(target.men / self.number("men_a_squad")))
        for number, (place, men) in enumerate(squads, start=1):
            staging.unit(
                f"t{number}", staging.target_side, place, strength=men, slot=Nerve(), facts=troop
            )
        if own is not None and staging.own_place is not None:
            kind = Troop(self.squad(staging.engagement.firer.nationality, "average"))
            staging.unit(
                "o1", staging.firer, staging.own_place, strength=own.men, slot=Nerve(), facts=kind
            )

    def squad(self, nationality: str, quality: str) -> Kind:
        """Return the squad of a nation that stands for troops of a quality."""
        kinds: dict[tuple[str, str, str], Kind] = self.charts["kinds"]
        return next(
            kind
            for (of, _, _), kind in kinds.items()
            if of == nationality and kind.quality == quality
        )

    @step(cite="15, 16, D14")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """15: smoke harms nobody; 16: explosive attacks each hex with a card of its own."""
        if shot.kind is not FireKind.HE:
            return Effects()
        return Effects(
            push(self.settle) if self.lasting else Effects(), push(self.attack, mission, place)
        )

    @step(cite="20")
    def settle(self, _chance: Chance, view: View) -> Effects:
        """20: break whom a sniper has hit while the round was on its way."""
        unit, aftermath = view.peek_shared(Ground).sniped, view.shared(Aftermath)
        if not unit or unit == aftermath.settled or unit not in view.units:
            return Effects()
        return Effects(update(aftermath, settled=unit), push(self.breaks, unit))

    def sniped(self, view: View, unit: str) -> Effects:
        """20: the unit breaks."""
        return Effects(push(self.breaks, unit))

    def smoke_goes(self, view: View) -> Effects:
        """19: leave it to the areas, which take it off when the fire has fallen."""
        aftermath = view.shared(Aftermath)
        return Effects(
            update(aftermath, smoke=aftermath.smoke + 1)
            if view.peek_shared(Ground).smoke
            else Effects()
        )

    @step(cite="D7")
    def spent(self, _chance: Chance, view: View, mission: str) -> Effects:
        """D7: hexes without unit draw no card, unless the option says so."""
        if not self.lasting:
            return Effects()
        turned = self.options["empty_hexes"] == "card" and view.mission(mission).kind is FireKind.HE
        empty = [cell for cell in view.footprint(mission)[0] if turned and not view.units_at(cell)]
        return Effects(push(self.settle), *(push(self.attack, mission, cell) for cell in empty))

    @step(cite="20")
    def closed(self, _chance: Chance, _view: View, _mission: str) -> Effects:
        """20: a sniper hits also when the round has left the map."""
        return Effects(push(self.settle), push(self.forget)) if self.lasting else Effects()

    @step(cite="20")
    def forget(self, _chance: Chance, view: View) -> Effects:
        """Forget what the impact has left."""
        return Effects(update(view.shared(Aftermath), settled="", smoke=0))

    @step(cite="3, 16")
    def attack(self, chance: Chance, view: View, mission: str, place: Place) -> Effects:
        """16: turn the attack card of a hex."""
        side = view.side(mission)
        roll, card = self.turn(
            chance, view, side, "attack", lambda card: card.white + card.coloured
        )
        return Effects(card, push(self.under_fire, mission, place, roll))

    @step(cite="16, 17, 18, D17")
    def under_fire(
        self, _chance: Chance, view: View, mission: str, place: Place, roll: int
    ) -> Effects:
        """18: a fortification is destroyed by a roll of just 20 less the FP.

        17: then every unit there defends.
        """
        radio, chart = self.call(view, mission).radio, self.charts["radios"]
        total = int(chart.cell(radio, "fp")) + roll
        units = view.units_at(place)
        works, told = view.ground(place, Works), Effects()
        standing = not works.destroyed
        just = roll == int(chart.cell(radio, "destroys"))
        if standing and just and any(view.unit_facts(u, Troop).works for u in units):
            told = Effects(update(works, destroyed=True), emit("works_destroyed", "18", at=place))
            standing = self.options["destroyed_cover"] == "kept"
        return Effects(told, *(push(self.defend, mission, unit, total, standing) for unit in units))

    def strength(self, view: View, unit: str, *, standing: bool) -> int:
        """17: return morale, cover and command: what a unit adds to its card."""
        troop, nerve = view.unit_facts(unit, Troop), view.unit(unit, Nerve)
        morale = troop.kind.broken_morale if nerve.broken else troop.kind.morale
        if self.options["suppressed_morale"] and nerve.suppressed:
            morale += self.options["suppressed_morale"]
        works = troop.works if standing else ""
        cover = max(self.number(f"cover_{where}") for where in (troop.terrain, works) if where)
        return morale - troop.wire * self.number("wire") + cover + self.command(view, unit)

    def command(self, view: View, unit: str) -> int:
        """17, D18: return the command of unbroken leaders in the same hex, for squads and teams."""
        if view.unit_facts(unit, Troop).kind.type == "leader":
            return 0
        side, here = view.unit_side(unit), view.units_at(view.place_of(unit))
        leaders = [
            u for u in here if view.unit_side(u) == side and view.unit_facts(u, Troop).kind.command
        ]
        fit = [
            u for u in leaders if not (view.unit(u, Nerve).broken or view.unit(u, Nerve).eliminated)
        ]
        return sum(view.unit_facts(u, Troop).kind.command for u in fit)

    @step(cite="3, 17, D6, D18")
    def defend(
        self, chance: Chance, view: View, mission: str, unit: str, total: int, *standing: bool
    ) -> Effects:
        """17: turn a card of the owner's deck for a unit, against the attack total of its hex."""
        if view.unit(unit, Nerve).eliminated:
            return Effects()
        side, firer = view.unit_side(unit), view.side(mission)
        if self.options["defence_deck"] == "opponent":
            side = next(one.name for one in self.call(view).sides if one.name != firer)
        margin = total - self.strength(view, unit, standing=all(standing))
        # The whole sum is asked for: cards told as those of attacks are keep what is known of the
        # deck simple.
        total, card = self.turn(
            chance, view, side, "defence", lambda card: card.white + card.coloured
        )
        return Effects(
            card, push(self.result, unit, int(margin > total)) if margin >= total else Effects()
        )

    @step(cite="17, D4, D21")
    def result(self, _chance: Chance, view: View, unit: str, beaten: int) -> Effects:
        """17: beaten, it breaks, or is eliminated when broken.

        On a tie it is suppressed, or breaks if it moves.
        """
        nerve = view.unit(unit, Nerve)
        if nerve.broken:
            worse = beaten or self.options["tie_broken"] == "eliminates"
        else:
            again = self.options["tie_suppressed"] == "breaks" and nerve.suppressed
            worse = beaten or view.unit_facts(unit, Troop).moving or again
        if worse:
            return Effects(push(self.breaks, unit))
        told = (
            Effects()
            if nerve.broken
            else emit("suffered", "17", unit=unit, severity=Severity.SUPPRESSED)
        )
        return Effects() if nerve.suppressed else Effects(update(nerve, suppressed=True), told)

    @step(cite="17, 20")
    def breaks(self, _chance: Chance, view: View, unit: str) -> Effects:
        """17: a unit breaks; a broken one is eliminated."""
        nerve = view.unit(unit, Nerve)
        if nerve.eliminated:
            return Effects()
        if nerve.broken:
            gone = emit("suffered", "17", unit=unit, severity=Severity.DESTROYED)
            return Effects(update(nerve, eliminated=True), gone)
        return Effects(
            update(nerve, broken=True), emit("suffered", "17", unit=unit, severity=Severity.REDUCED)
        )
