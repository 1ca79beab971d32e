"""Satisfying the hits of a Final Barrage Result: step losses, retreat, fatigue (12.4).

The arithmetic of steps and markers comes first, then ``Satisfying``, a base class of
``WarResolution`` that asks the owner and updates the state. ``ground`` finds the hexes for a
retreat.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations
from operator import sub
from typing import Any, Final

import attrs

from fireplan_core import (
    Effect,
    Form,
    Modifier,
    Order,
    Place,
    Refusal,
    Resolution,
    Severity,
    Slot,
    View,
    orders,
)
from fireplan_core.chance import Chance, Die
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_wacht_am_rhein.ground import GroundMap, exposed, retreat_hexes
from fireplan_wacht_am_rhein.setup import Firing, Sighting, UnitEntry, UnitState

LOSSES_THEN_RETREAT: Final = "losses_then_retreat"
RETREAT_FIRST: Final = "retreat_first"
STAND: Final = "stand"
"""The order to lose a second step instead of retreating, if a unit passes its check (12.4.2)."""


@attrs.frozen
class Satisfied:
    """A satisfied Final Barrage Result: each unit's remaining steps, and the survivors' markers.

    ``losses`` + ``retreat`` + ``overkill`` is the number of hits.
    """

    steps: tuple[int, ...]
    losses: int
    retreat: bool
    overkill: int
    shift: bool

    @property
    def moves(self) -> bool:
        """Return whether any survivors retreat."""
        return self.retreat and any(self.steps)

    @property
    def fatigue(self) -> bool:
        """Return whether survivors get a Fatigue marker (12.4.2a)."""
        return self.overkill > 0 and any(self.steps)


def satisfy(
    steps: Sequence[int],
    hits: int,
    *,
    shift: bool,
    policy: str = LOSSES_THEN_RETREAT,
    can_retreat: bool = True,
    stands: int | None = None,
) -> Satisfied:
    """Return the result of satisfying ``hits`` among units with these ``steps``, in this order.

    No unit loses a second step before every unit has lost one (12.4.1a), and then only if no
    retreat was possible from the outset (12.4.2). Each loss falls on the first unit in order that
    may lose a step. A retreat of all units satisfies one hit at most (12.4.1b) and brings an
    artillery shift (12.4.3). All other hits are overkill. ``shift`` means that the barrage itself
    brings an artillery shift. ``policy`` tells whether the units lose steps first or retreat first.
    ``stands`` is the index of the unit that loses a second step instead of the retreat (12.4.2).
    """
    remaining = list(steps)
    lost = [0] * len(remaining)
    retreat = can_retreat and hits > 0 and policy == RETREAT_FIRST
    open_hits = hits - int(retreat)
    losses = 0
    while open_hits:
        able = [i for i, n in enumerate(remaining) if n > 0 and (lost[i] == 0 or not can_retreat)]
        if not able:
            break
        chosen = min(able, key=lambda i: (lost[i], i))
        remaining[chosen] -= 1
        lost[chosen] += 1
        losses += 1
        open_hits -= 1
    if open_hits and can_retreat and not retreat and any(remaining):
        if stands is not None and remaining[stands]:
            remaining[stands] -= 1
            losses += 1
        else:
            retreat = True
        open_hits -= 1
    return Satisfied(tuple(remaining), losses, retreat, open_hits, shift or retreat)


def open_ground_losses(steps: Sequence[int], *, each: bool) -> tuple[int, ...]:
    """Return each unit's remaining steps after a retreat into open terrain next to enemies.

    With ``each``, every unit loses a step, otherwise only the strongest unit does. An option
    decides, because the rule on these losses (11.7.6) is not in the chapter. Barrage Magnitude does
    not limit them (12.4.2).
    """
    if each:
        return tuple(max(0, left - 1) for left in steps)
    strongest = max(range(len(steps)), key=lambda i: steps[i], default=0)
    return tuple(left - (i == strongest and left > 0) for i, left in enumerate(steps))


NAMED_ORDERS = 4
"""Maximum number of units for which every order of losses is offered.

With more units only the standard order is offered, but players may enter any other.
"""
Result = tuple[int, bool]
"""A Final Barrage Result: hits, and whether there is an artillery shift."""


@attrs.frozen
class Choice:
    """An owner's choice of how to satisfy hits.

    ``units`` is the order in which units lose steps, ``to`` is the hex of a retreat, and ``by`` is
    the unit that tries to stand.
    """

    policy: str
    units: tuple[str, ...]
    to: Place | None = None
    by: str = ""


class Satisfying(Resolution):
    """The part of the resolution that satisfies hits on a hex as the owner of its units decides."""

    die: Die

    # --- looking up ------------------------------------------------------------------------------
    def ground(self, view: View, mission: str) -> GroundMap:
        """Return the map, which is a fact of the firing side."""
        return view.facts(mission, Firing).ground

    def observed(self, view: View, mission: str, place: Place) -> bool:
        """Return whether the barrage on a hex is observed."""
        if view.scenario.mobile:
            return bool(view.peek(mission, Sighting).observed)
        return view.sees(mission, place).ground

    def present(self, view: View, place: Place) -> tuple[str, ...]:
        """Return the names of the units at a place that have steps left."""
        return tuple(unit for unit in view.units_at(place) if view.unit(unit, UnitState).steps > 0)

    def affected(self, view: View, mission: str, place: Place) -> tuple[str, ...]:
        """Return the names of the units that the Final Barrage Result affects (12.4.0).

        An observed barrage affects only observed units, or all units by option; an unobserved one
        affects all units. Aircraft observe only units in open terrain or using road movement
        (12.1.6f).
        """
        present = self.present(view, place)
        if self.options["affected"] == "all" or not self.observed(view, mission, place):
            return present
        covered = view.scenario.mobile and self.ground(view, mission).at(place).covering
        hidden = covered and view.peek(mission, Sighting).air
        troops = {unit: view.unit_facts(unit, UnitEntry) for unit in present}
        return tuple(
            unit
            for unit, facts in troops.items()
            if not facts.unobserved and (facts.on_road or not hidden)
        )

    def _enemies(self, view: View, side: str) -> tuple[Place, ...]:
        """Return the places occupied by enemies of a side."""
        places = {view.place_of(unit) for unit in view.units if view.unit_side(unit) != side}
        return tuple(sorted(places - {None}))

    def hexes(
        self, view: View, mission: str, place: Place, units: tuple[str, ...]
    ) -> tuple[Place, ...]:
        """Return the hexes into which all these units can retreat; empty if one of them cannot."""
        if not units or not all(view.unit_facts(unit, UnitEntry).can_retreat for unit in units):
            return ()
        side = view.unit_side(units[0])
        own = [unit for unit in view.units if view.unit_side(unit) == side and unit not in units]
        friends = [(view.place_of(unit), view.unit(unit, UnitState).steps) for unit in own]
        steps = sum(view.unit(unit, UnitState).steps for unit in units)
        return retreat_hexes(
            view.frame, self.ground(view, mission), place, steps, friends, self._enemies(view, side)
        )

    def can_retreat(self, view: View, mission: str, place: Place, units: tuple[str, ...]) -> bool:
        """Return whether these units can retreat.

        Every unit must be free to retreat, and on a map there must be a hex for them (11.7).
        """
        if view.scenario.mobile:
            return bool(self.hexes(view, mission, place, units))
        return all(view.unit_facts(unit, UnitEntry).can_retreat for unit in units)

    # --- the question ----------------------------------------------------------------------------
    def _losses(self, view: View, mission: str, place: Place, affected: tuple[str, ...]) -> Order:
        """Return the standard order: step losses before a retreat, the strongest unit first."""
        order = tuple(sorted(affected, key=lambda unit: (-view.unit(unit, UnitState).steps, unit)))
        if not view.scenario.mobile:
            return Order.of(LOSSES_THEN_RETREAT, units=order)
        to = (*self.hexes(view, mission, place, affected), None)[0]
        return Order.of(LOSSES_THEN_RETREAT, units=order, to=to)

    def _usual(self, view: View, mission: str, place: Place, result: Result) -> Order:
        affected = self.affected(view, mission, place)
        usual = self._losses(view, mission, place, affected)
        able = self.can_retreat(view, mission, place, affected)
        if self.options["hits"] == RETREAT_FIRST and able:
            return Order(RETREAT_FIRST, usual.values)
        if (
            view.scenario.mobile
            and not self._end(view, affected, result, usual.verb, able=able).moves
        ):
            return Order.of(usual.verb, units=usual["units"], to=None)
        return usual

    def _end(
        self, view: View, affected: tuple[str, ...], result: Result, policy: str, *, able: bool
    ) -> Satisfied:
        """Return the losses and markers of the affected units under a policy.

        ``able`` means that they can retreat.
        """
        before = [view.unit(unit, UnitState).steps for unit in affected]
        return satisfy(before, result[0], shift=result[1], policy=policy, can_retreat=able)

    @orders(cite="12.4.1, 12.4.2, 12.4.2a, 12.4.3", standard=_usual)
    def satisfy(self, view: View, mission: str, place: Place, result: Result) -> Iterator[Form]:
        """Yield the orders for the owner of units hit: lose steps first, or retreat first (12.4.1).

        The slots are the order in which units lose steps and, on a map, the hex for a retreat. By
        option a unit may also try to stand (12.4.2).
        """
        affected = self.affected(view, mission, place)
        usual = self._losses(view, mission, place, affected)["units"]
        orders = tuple(permutations(affected)) if len(affected) <= NAMED_ORDERS else (usual,)
        losses = Slot("units", "the order in which units lose steps", orders, free=True)
        hexes: tuple[Place, ...] = ()
        if view.scenario.mobile:
            hexes = self.hexes(view, mission, place, affected)
        to = Slot("to", "the hex for a retreat, or none", hexes or (None,), free=True)
        nowhere = Slot("to", "none: no unit retreats", (None,))

        def slots(end: Satisfied | None = None, *, stays: bool = False) -> tuple[Slot, ...]:
            if not view.scenario.mobile:
                return (losses,)
            if stays or end is None:
                return (losses, nowhere if stays else to)
            remarks = tuple(self._eliminating(view, mission, affected, end, hexes))
            return (losses, attrs.evolve(to, remarks=remarks))

        def does(policy: str) -> Callable[..., Effect | Refusal]:
            return lambda **values: self._satisfy(
                view, mission, place, result, Choice(policy, **values)
            )

        able = self.can_retreat(view, mission, place, affected)
        ends = {
            policy: self._end(view, affected, result, policy, able=able)
            for policy in (LOSSES_THEN_RETREAT, RETREAT_FIRST)
        }
        same = len({attrs.astuple(end) for end in ends.values()}) == 1
        for policy, cite in ((LOSSES_THEN_RETREAT, "12.4.1a"), (RETREAT_FIRST, "12.4.1b")):
            end = ends[policy]
            yield Form(
                policy,
                cite,
                slots(end, stays=policy == LOSSES_THEN_RETREAT and able and not end.moves),
                does(policy),
                fields={"losses": end.losses, "retreats": end.moves, "same": same and able},
            )
        if self.options["stand"]:
            by = Slot("by", "the unit that loses a second step instead", usual, free=True)
            yield Form(STAND, "12.4.2", (*slots(), by), does(STAND))

    def _eliminating(
        self,
        view: View,
        mission: str,
        affected: tuple[str, ...],
        end: Satisfied,
        hexes: tuple[Place, ...],
    ) -> Iterator[tuple[Place, str]]:
        """Yield each hex to which the retreat itself would eliminate units, with a remark on it.

        ``end`` is the result before the retreat costs steps (11.7.6).
        """
        for to in hexes if end.moves else ():
            after = self._in_the_open(view, mission, affected, end.steps, to)
            ends = zip(affected, end.steps, after, strict=True)
            if lost := [unit for unit, before, left in ends if before and not left]:
                yield to, f"eliminates {' and '.join(lost)}"

    def _satisfy(
        self, view: View, mission: str, place: Place, result: Result, choice: Choice
    ) -> Effect | Refusal:
        affected = self.affected(view, mission, place)
        if sorted(choice.units) != sorted(affected):
            return Refusal.of("12.4.1a", "each_once", affected=affected)
        able = self.can_retreat(view, mission, place, affected)
        if choice.policy == RETREAT_FIRST and not able:
            return Refusal.of("12.4.1b", "none_may_retreat")
        stays = choice.policy == LOSSES_THEN_RETREAT and not (
            self._end(view, affected, result, choice.policy, able=able).moves
        )
        if able and view.scenario.mobile and not stays:
            hexes = self.hexes(view, mission, place, affected)
            if choice.to not in hexes:
                names = ", ".join(view.frame.label(hex_) for hex_ in hexes)
                return Refusal.of("12.4.1b", "retreat_hexes", names=names)
        if choice.policy != STAND:
            return push(self.satisfied, mission, place, result, choice)
        wrong = _refuse_stand(view, choice.by, affected, result[0], able=able)
        return wrong or push(self.stand, mission, place, result, choice)

    # --- steps -----------------------------------------------------------------------------------
    @step(cite="12.4.1")
    def final(
        self, _chance: Chance, view: View, mission: str, place: Place, result: Result
    ) -> Effects:
        """Ask the owner how to satisfy the hits; without hits, satisfy the result at once.

        If the barrage affects no unit, do nothing.
        """
        affected = self.affected(view, mission, place)
        if not affected:
            return Effects()
        if result[0]:
            return Effects(ask(view.unit_side(affected[0]), self.satisfy, mission, place, result))
        usual = self._losses(view, mission, place, affected)
        return Effects(
            push(
                self.satisfied,
                mission,
                place,
                result,
                Choice(usual.verb, usual["units"], usual.get("to")),
            )
        )

    @step(cite="12.4.2")
    def stand(
        self, chance: Chance, view: View, mission: str, place: Place, result: Result, choice: Choice
    ) -> Effects:
        """Roll the proficiency check of the unit that tries to stand.

        The modified die must be below the unit's rating.
        """
        rating = view.unit_facts(choice.by, UnitEntry).proficiency or 0
        roll = chance.dice("proficiency", d10=self.die)
        passed = bool(roll.total + chance.drm(roll) < rating)
        return Effects(
            emit("proficiency", "12.4.2", unit=choice.by, rating=rating, passed=passed),
            self._carried_out(view, mission, place, result, choice, stands=passed),
        )

    @step(cite="12.4.1, 12.4.2, 12.4.2a, 12.4.3")
    def satisfied(
        self,
        _chance: Chance,
        view: View,
        mission: str,
        place: Place,
        result: Result,
        choice: Choice,
    ) -> Effects:
        """Satisfy the hits with step losses, retreat and overkill, and mark the survivors."""
        return self._carried_out(view, mission, place, result, choice)

    def _carried_out(
        self,
        view: View,
        mission: str,
        place: Place,
        result: Result,
        choice: Choice,
        *,
        stands: bool = False,
    ) -> Effects:
        units = choice.units
        if not units:
            return Effects()
        hits, shift = result
        before = [view.unit(unit, UnitState).steps for unit in units]
        able = self.can_retreat(view, mission, place, units)
        second = units.index(choice.by) if stands else None
        done = satisfy(
            before, hits, shift=shift, policy=choice.policy, can_retreat=able, stands=second
        )
        to = choice.to if done.moves else None
        after = (
            done.steps if to is None else self._in_the_open(view, mission, units, done.steps, to)
        )
        changes = zip(units, before, after, strict=True)
        effects = Effects(
            *(self._mark(view, unit, had, has, done, to) for unit, had, has in changes)
        )
        if not hits:
            return effects
        # Unaffected units stay, so the hex becomes empty only if every unit retreats.
        stay = not done.retreat and any(after)
        others = any(unit not in units for unit in self.present(view, place))
        lifted = []
        if not able and max(map(sub, before, done.steps)) > 1:
            lifted.append("no retreat is possible")
        if after != done.steps:
            lifted.append("retreat into the open next to enemies")
        return Effects(
            *(emit("magnitude_lifted", "12.4.2", place=place, why=why) for why in lifted),
            effects,
            emit("overkill", "12.4.1, 12.4.2a", place=place, hits=done.overkill)
            if done.overkill
            else Effects(),
            Effects() if stay or others else emit("emptied", "12.5.0", place=place),
        )

    def _in_the_open(
        self, view: View, mission: str, units: tuple[str, ...], steps: tuple[int, ...], to: Place
    ) -> tuple[int, ...]:
        """Return each unit's steps left after the retreat itself, which may cost steps (11.7.6)."""
        enemies = self._enemies(view, view.unit_side(units[0]))
        if not exposed(view.frame, self.ground(view, mission), to, enemies):
            return steps
        return open_ground_losses(steps, each=self.options["open_retreat"] == "each_unit")

    def _mark(
        self, view: View, unit: str, had: int, has: int, done: Satisfied, to: Place | None
    ) -> Effects:
        """Return the effects of the result on a unit's steps, markers and hex.

        ``had`` and ``has`` are its steps before and after the result.
        """
        body = view.unit(unit, UnitState)
        # A retreat gives a shift marker only to a unit that has none; a result adds one up to the
        # limit that the option sets.
        shifted = done.shift and body.shift < (1 if done.retreat else self.options["shift_markers"])
        fatigued = done.fatigue and not body.fatigue
        severity = _severity(had, has, marks=shifted or fatigued or done.retreat)
        if severity is Severity.NONE:
            return Effects()
        shifted, fatigued = shifted and has > 0, fatigued and has > 0
        columns, moves = body.shift + shifted, done.retreat and has > 0
        rules = {"12.4.1a": has < had, "12.4.1b": moves, "12.4.3": shifted, "12.4.2a": fatigued}
        suffered = emit(
            "suffered",
            ", ".join(rule for rule, applies in rules.items() if applies),
            unit=unit,
            severity=severity,
            lost=had - has,
            retreats=moves,
            to=to if moves else None,
            marked=shifted or fatigued,
            shift=columns if shifted else 0,
            fatigue=fatigued,
        )
        if has == 0:
            return Effects(update(body, steps=0), _moved(view, unit, None), suffered)
        fatigue, retreated = body.fatigue or done.fatigue, body.retreated or done.retreat
        return Effects(
            update(body, steps=has, shift=columns, fatigue=fatigue, retreated=retreated),
            Effects() if to is None else _moved(view, unit, to),
            suffered,
        )

    @step(cite="12.4.3")
    def turn_over(self, _chance: Chance, view: View) -> Effects:
        """Remove every Artillery Shift marker at the end of the Ground Assault Segment."""
        places = sorted({view.place_of(unit) for unit in view.units} - {None})
        marked = [
            unit
            for place in places
            for unit in self.present(view, place)
            if view.unit(unit, UnitState).shift
        ]
        return Effects(
            *(update(view.unit(unit, UnitState), shift=0) for unit in marked),
            *(emit("shift_removed", "12.4.3", unit=unit) for unit in marked),
        )

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the one modifier of the proficiency check: for a leader (12.4.2)."""
        drm = self.number("leader_proficiency_drm")

        def leader(view: View, *args: Any) -> int:
            return drm if view.unit_facts(args[-1].by, UnitEntry).leader else 0

        return (Modifier("proficiency", "12.4.2", "leader", leader),)


def _refuse_stand(
    view: View, by: str, affected: tuple[str, ...], hits: int, *, able: bool
) -> Refusal | None:
    """Return the reason why a unit may not try to stand (12.4.2), or None if it may.

    ``able`` means that the affected units can retreat.
    """
    if by not in affected:
        return Refusal.of("12.4.2", "not_affected", by=by, affected=affected)
    if not able:
        return Refusal.of("12.4.2", "no_retreat")
    if hits <= len(affected):
        return Refusal.of("12.4.2", "second_step_spared", hits=hits, count=len(affected))
    if view.unit_facts(by, UnitEntry).proficiency is None:
        return Refusal.of("12.4.2", "no_proficiency", by=by)
    if (steps := view.unit(by, UnitState).steps) <= 1:
        return Refusal.of("12.4.2", "too_few_steps", by=by, steps=steps)
    return None


def _moved(view: View, unit: str, to: Place | None) -> Effects:
    """Return the effects that move a unit to another hex, or off the map when it is eliminated."""
    return Effects(update(view.unit_neutral(unit), place=to)) if view.scenario.mobile else Effects()


def _severity(had: int, has: int, *, marks: bool) -> Severity:
    if has == 0:
        return Severity.DESTROYED
    if has < had:
        return Severity.REDUCED
    return Severity.SUPPRESSED if marks else Severity.NONE
