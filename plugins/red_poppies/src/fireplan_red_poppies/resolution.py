"""Resolution of Red Poppies: units and guns, and the end of a turn.

What befalls units joins here from modules of their own: ``_fire_for_effect``, ``_passage`` (entering a hex),
``_combat`` and ``_melee``, ``_march`` (activated units). Values of units are reconstructed test values: the counters
are not in the rules.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import ClassVar

from fireplan_core import Effects, Keeps, Place, Severity, Staging, View, push, step, update
from fireplan_core.chance import Chance
from fireplan_red_poppies._march import Marching
from fireplan_red_poppies._setup import Forces, Staged
from fireplan_red_poppies._troops import Company, Field, Soil, Troops


class RedPoppiesResolution(Staged, Marching):
    """A check for each unit in the hex."""

    keeps = Keeps(units=(Troops,), table=(Field,), ground=(Soil,))
    publishes: ClassVar[tuple[type, ...]] = (Field, Troops)
    severities: ClassVar[Mapping[str, Severity]] = {
        "no effect": Severity.NONE,
        "dispersed and spent": Severity.SUPPRESSED,
        "destroyed": Severity.DESTROYED,
    }

    # --- setting up ------------------------------------------------------------------------------
    def set_up(self, staging: Staging, forces: Forces) -> None:
        """Set up the units, no more in a hex than may be (3.4), and the guns of groups."""
        super().set_up(staging, forces)
        ground = forces.ground
        stops = () if ground is None else tuple(sorted(ground.stops))
        staging.share(self.word, Field(stops=stops, heights=forces.heights, transport=forces.transport))
        for name, one in forces.units.items():
            slot, facts = one.slots[self.word], one.facts[self.word]
            for reason in self._misplaced(one.place, slot.inside, facts):
                staging.cannot(f"{name}: {reason}")
            staging.unit(
                name, one.side, one.place, strength=one.strength, slot=slot, facts=facts, extent=one.extent
            )  # fmt: skip
        stacks = Counter((one.place, one.side, one.facts[self.word].armoured) for one in forces.units.values())
        for (place, side, armoured), count in stacks.items():
            if count > (most := self.room(ground, place)):
                what = "AFV" if armoured else "units other than AFV"
                staging.cannot(f"{staging.frame.label(place)}: {count} {what} of {side}, {most} at most (3.4)")

    @staticmethod
    def _misplaced(place: Place, inside: str, company: Company) -> Iterator[str]:
        """Yield why a unit cannot be where it is put (2.2, 8.31, 8.321); ground that is declared has room for all."""
        ground = company.ground
        if ground is None:
            return
        label = ground.layout.label(place)
        if not ground.in_play(place):
            yield f"{label} is not in play (2.2)"
        if inside and not getattr(ground.plot(place), inside):
            yield f"there is no {inside} in {label} (8.3)"
        if inside == "blockhouse" and company.type != "machine_gun":
            yield "only machine guns can be IN a blockhouse (8.31)"
        if company.armoured and ground.plot(place).quarry:
            yield f"{label} is a quarry, which no tank enters (14.0)"
        if inside == "trench" and not company.on_foot:
            yield "only guns and infantry can be IN a trench (8.321)"

    # --- the end of a turn -----------------------------------------------------------------------
    @step(cite="5.3")
    def turn_over(self, chance: Chance, view: View) -> Effects:
        """End a turn: nobody is spent or moving any more, and gas goes too, if the option says so."""
        fresh = (update(view.unit(unit, Troops), spent=False, moving=False, strayed=False) for unit in view.units)
        halted = (update(view.unit(unit, Troops), carried="") for unit in view.units if view.scenario.mobile)
        field = view.shared(Field)
        # Only who is activated can have dug: elsewhere nobody's shovel is looked for.
        dug = tuple(unit for unit in view.units if view.unit(unit, Troops).dug) if view.scenario.mobile else ()
        return Effects(
            *fresh,
            *halted,
            *([update(field, gas=())] if self.options["gas_lasts"] == "turn" else []),
            *([update(field, met=())] if self.options["fire_on_entry"] == "once_per_marker" else []),
            *([push(self.shovels, dug)] if dug else []),
        )
