"""Digging: a shovel now, and in administration a scrape, a bomb stop, or one bomb stop less (5.3, 6.4, 8.33).

What a scrape is worth against fire is the resolution's, what a bomb stop cuts is ``_passage``'s.
"""

from collections.abc import Iterator
from functools import partial

from fireplan_core import Form, Refusal, Resolution, Slot, View, orders
from fireplan_core.chance import Chance
from fireplan_core.space import neighbours
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_red_poppies._ground import Side, side_of
from fireplan_red_poppies._troops import FOOT, Company, Field, Soil, Troops, ground_of


def refuse_digging(view: View, unit: str) -> Refusal | None:
    """Return why a unit cannot dig; None for guns and infantry (6.41)."""
    return None if view.unit_facts(unit, Company).type in FOOT else Refusal.of("6.41", "digs_on_foot")


class Digging(Resolution):
    """Steps of shovels."""

    @step(cite="5.3, 6.41")
    def shovels(self, chance: Chance, view: View, units: tuple[str, ...]) -> Effects:
        """Ask whoever has dug this turn, and lives, what comes of it."""
        dug = [unit for unit in units if view.unit(unit, Troops).dug]
        if not dug:
            return Effects()
        unit, *others = dug
        down = update(view.unit(unit, Troops), dug=False)
        if view.unit(unit, Troops).destroyed:
            return Effects(down, push(self.shovels, tuple(others)))
        return Effects(down, ask(view.unit_side(unit), self.shovel, unit, tuple(others)))

    @orders(cite="6.41, 6.42, 8.2, 8.33")
    def shovel(self, view: View, unit: str, others: tuple[str, ...]) -> Iterator[Form]:
        """Ask what becomes of a shovel: a scrape or a bomb stop, or a bomb stop is removed with it."""
        field, at, what = view.shared(Field), view.place_of(unit), "the hex side, as its two hexes"
        again = push(self.shovels, others)

        def put(side: Side, *, laid: bool) -> Effects:
            stops = {*field.stops, side} if laid else {*field.stops} - {side}
            event = emit("bomb_stop", "6.41, 8.33", unit=unit, side=side, laid=laid)
            return Effects(update(field, stops=tuple(sorted(stops))), event, again)

        dug = Effects(update(view.ground(at, Soil), scrape=True), emit("scrape", "6.41", at=at), again)
        yield Form("scrape", "6.41, 8.2", does=dug)
        link = Slot("side", what, _links(view, unit), Refusal.of("8.33", "bomb_stop_link"))
        yield Form("stop", "6.41, 8.33", (link,), partial(put, laid=True))
        stop = Slot("side", what, _stops(view, unit), Refusal.of("6.41, 6.42", "no_bomb_stop"))
        yield Form("clear", "6.41, 6.42", (stop,), partial(put, laid=False))


def _links(view: View, unit: str) -> tuple[Side, ...]:
    """Return the hex sides where a unit IN a trench may cut the link to the next (8.33)."""
    here, ground, stops = view.place_of(unit), ground_of(view, unit), view.shared(Field).stops
    if view.unit(unit, Troops).inside != "trench":
        return ()
    return tuple(side_of(here, h) for h in sorted(neighbours(here)) if ground.linked(here, h, stops))


def _stops(view: View, unit: str) -> tuple[Side, ...]:
    """Return the bomb stops about the hex that can be removed: none where enemies are across the hex side (6.42)."""
    here, own, stops = view.place_of(unit), view.unit_side(unit), view.shared(Field).stops
    clear = (h for h in sorted(neighbours(here)) if all(view.unit_side(u) == own for u in view.units_at(h)))
    return tuple(side for side in (side_of(here, h) for h in clear) if side in stops)
