"""Resolution: the roll against the target unit, hits on its stack, morale, and suppression."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import ClassVar

from fireplan_battlegroup_clash import attack_modifiers, facts, rallying
from fireplan_battlegroup_clash.facts import (
    MORALE,
    FireMissionState,
    Interference,
    Signals,
    UnitEntry,
    UnitState,
    Weapon,
    alive,
)
from fireplan_battlegroup_clash.setup import Staged
from fireplan_core import Event, FireKind, Place, Resolution, Severity, Shot, View
from fireplan_core.chance import Chance, Die, d6
from fireplan_core.five_parts import parts_of
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_core.steps.part import Keeps, Modifier
from fireplan_core.steps.questions import Form, Refusal, Slot, orders

GOOD, SUPPRESSED, DISRUPTED, BROKEN = range(len(MORALE))
ROLES = {
    "fst": "fire support team",
    "hq": "headquarters",
    "mortar": "mortar platoon",
} | {role: role for role in ("platoon", "section", "recce")}
"""Maps each role to its name in the game."""
MINUS_DIE = Die(6, -6)
"""A jamming die, which subtracts 1 to 6."""


class BGCResolution(Staged, Resolution):
    """The resolution part: hits, loss of morale and suppression."""

    publishes = (UnitState,)
    keeps = Keeps(units=(UnitState,))
    severities: ClassVar[Mapping[str, Severity]] = {
        "suppressed": Severity.SUPPRESSED,
        "hit": Severity.REDUCED,
        "eliminated": Severity.DESTROYED,
    }
    least_weighed = Severity.REDUCED  # suppression is left out: nearly all fire causes it (15)

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield a fault for each unit off the map, or with more hits than its resilience."""
        for unit in view.units:
            if view.place_of(unit) is None:
                yield f"{unit}: it has no place, but no unit leaves the map (12, 14)"
            losses, most = view.unit(unit, UnitState).losses, facts.body_of(view, unit).resilience
            if losses > most:
                yield f"{unit}: expected losses of 0 to {most}, its resilience, got {losses} (14)"

    def modifiers(self) -> tuple[Modifier, ...]:
        """Return the modifiers of the attack and of the rolls for morale."""
        return (*attack_modifiers.modifiers(self), *rallying.modifiers(self))

    def on_counter(self, view: View, unit: str) -> tuple[str, ...]:
        """Return the texts on a unit's counter: role, movement, resilience and quality."""
        body = facts.body_of(view, unit)
        half = f"/{body.lower}" if body.lower != body.quality else ""
        return (
            ROLES[body.role],
            "infantry" if body.kind == "foot" else body.kind,
            f"resilience {body.resilience}",
            f"quality {body.quality}{half}",
        )

    def board(self, view: View, side: str) -> tuple[str, ...]:
        """Return lines of text about units in stacks, mounted units and units in cover (12, 20)."""
        bodies = {unit: facts.body_of(view, unit) for unit in view.units if alive(view, unit)}
        stacked = [
            f"{unit}: {'mounted on' if body.mounted else 'stacked with'} {body.carrier}"
            for unit, body in bodies.items()
            if body.carrier
        ]
        covered = {
            cover: [unit for unit, body in bodies.items() if body.cover == cover]
            for cover in attack_modifiers.COVERS
        }
        return (
            *stacked,
            *(
                f"in {cover.replace('_', ' ')}: {', '.join(units)}"
                for cover, units in covered.items()
                if units
            ),
        )

    def recovers(self, event: Event) -> bool:
        """Return whether the event is a rally to good morale (19)."""
        return event.kind == "rallied" and event["morale"] == MORALE[GOOD]

    # --- the attack -------------------------------------------------------------------------------
    @step(cite="7, 15, 17")
    def strike(self, chance: Chance, view: View, mission: str, place: Place, shot: Shot) -> Effects:
        """Attack one unit of the place if fire lands there, and suppress all its units.

        Where fire only suppresses, no unit is attacked. Hits come before suppression, or after it
        by option (D1).
        """
        if shot.kind is not FireKind.HE:
            return Effects()
        units = [unit for unit in view.units_at(place) if alive(view, unit)]
        declared = view.peek(mission, FireMissionState).unit
        target = declared if declared in units else next(iter(units), "")
        fired = (
            Effects(push(self.attack, mission, target))
            if target and shot.strength >= 1
            else Effects()
        )
        pinned = Effects(*(push(self.suppress, mission, unit) for unit in units))
        return Effects(fired, pinned) if self.options["order"] == "hits" else Effects(pinned, fired)

    @step(cite="7, 12, 13")
    def attack(self, chance: Chance, view: View, mission: str, unit: str) -> Effects:
        """Roll two dice, subtract a die for each jamming, and look up the number of hits."""
        jam = view.peek(mission, Interference).jammed
        dice = (
            0
            if jam
            and self.options["jam_die"] == "once"
            and view.peek(mission, FireMissionState).taps
            else jam
        )
        roll = chance.dice(
            "attack", first=d6, second=d6, **{f"jamming{n + 1}": MINUS_DIE for n in range(dice)}
        )
        chart, kind = self.charts["results"], view.facts(mission, Weapon).kind
        below = chart.rows[0] if self.options["outside_rows"] == "nothing" else None
        total = roll.total + chance.drm(roll)
        hits = total.look_up(
            lambda n: 0 if below is not None and n < below else int(chart.cell(n, kind))
        )
        follows = push(self.stack, unit, hits, 0, 0, 0) if hits else Effects()
        stacked = any(self._rider(view, unit, mounted=mounted) for mounted in (False, True))
        return Effects(emit("hits", "13", unit=unit, hits=hits, stacked=stacked), follows)

    # --- hits ------------------------------------------------------------------------------------
    @step(cite="14, 20")
    def stack(
        self, chance: Chance, view: View, unit: str, left: int, own: int, inside: int, riding: int
    ) -> Effects:
        """Roll for each hit on a tracked platoon that carries infantry.

        The embedded section takes the hit, or mounted infantry takes an additional hit. ``left`` is
        the number of hits still to allot; ``own``, ``inside`` and ``riding`` are the hits so far on
        the platoon, the section and the mounted infantry. The event gives the number of the hit
        that the die allots, or 0 if there is only one.
        """
        section, mounted = (self._rider(view, unit, mounted=mounted) for mounted in (False, True))
        if not left or not (section or mounted):
            taken = {unit: own + left, section: inside, mounted: riding}
            return Effects(
                *(push(self.take, target, hits) for target, hits in taken.items() if hits)
            )
        each = left if self.options["stack_dice"] == "once" else 1
        number = 0 if left == each and not own + inside else own + inside + 1
        roll = chance.dice("stack", white=d6).total
        if section and roll <= self.number("embedded"):
            struck = emit("struck", "20", unit=section, hits=each, number=number, rider="")
            return Effects(struck, push(self.stack, unit, left - each, own, inside + each, riding))
        rider = mounted if mounted and roll >= self.number("mounted") else ""
        struck = emit("struck", "20", unit=unit, hits=each, number=number, rider=rider)
        more = each if rider else 0
        return Effects(
            struck, push(self.stack, unit, left - each, own + each, inside, riding + more)
        )

    def _rider(self, view: View, unit: str, *, mounted: bool) -> str:
        """Return a platoon's embedded section or mounted infantry, or "" if it has none."""
        stack = (
            view.units_at(view.place_of(unit))
            if view.unit_facts(unit, UnitEntry).kind == "tracked"
            else ()
        )
        fits = (
            other
            for other in stack
            if view.unit_facts(other, UnitEntry).carrier == unit and alive(view, other)
        )
        return next(
            (other for other in fits if view.unit_facts(other, UnitEntry).mounted == mounted), ""
        )

    @step(cite="14, 18")
    def take(self, chance: Chance, view: View, unit: str, hits: int) -> Effects:
        """Subtract hits from the resilience and lower morale by one level.

        A disrupted unit rolls to hold instead. In basic mode morale does not change.
        """
        now, body = view.unit(unit, UnitState), view.unit_facts(unit, UnitEntry)
        losses, level = min(body.resilience, now.losses + hits), MORALE.index(now.morale)
        if losses == body.resilience or self.options["mode"] == "basic":
            return self._becomes(view, unit, losses, level)
        if level == DISRUPTED:
            needed = rallying.quality(
                body, losses if self.options["quality_read"] == "after" else now.losses, level
            )
            return Effects(self._becomes(view, unit, losses, level), push(self.hold, unit, needed))
        return self._becomes(view, unit, losses, level + 1)

    @step(cite="18")
    def hold(self, chance: Chance, view: View, unit: str, needed: int) -> Effects:
        """Roll for a disrupted unit under fire, which breaks if the die is above ``needed``.

        Modifiers change ``needed``, not the die.
        """
        roll = chance.dice("morale", white=d6)
        if roll.total <= rallying.held(chance.drm(roll)):
            return Effects(emit("holds", "18", unit=unit))
        return self._becomes(view, unit, view.unit(unit, UnitState).losses, BROKEN)

    @step(cite="15")
    def suppress(self, chance: Chance, view: View, mission: str, unit: str) -> Effects:
        """Suppress a unit in good morale; mortars and FPV suppress only dismounted foot.

        An option spares friends. In basic mode there is no suppression.
        """
        now, body = view.unit(unit, UnitState), view.unit_facts(unit, UnitEntry)
        spared = self.options["friends"] == "enemies" and view.unit_side(unit) == view.side(mission)
        fits = view.facts(mission, Weapon).kind == "artillery" or (
            body.kind == "foot" and not body.mounted
        )
        if (
            now.morale != MORALE[GOOD]
            or self.options["mode"] == "basic"
            or spared
            or not fits
            or not alive(view, unit)
        ):
            return Effects()
        return self._becomes(view, unit, now.losses, SUPPRESSED)

    def _becomes(self, view: View, unit: str, losses: int, level: int) -> Effects:
        """Return the effects of new hits and a new morale level on a unit, with an event.

        The event is ``suffered`` if the severity is worse than before. In either event, ``earlier``
        counts the hits before these, ``left`` is the resilience that remains, and ``morale`` is the
        new morale, or "" if it does not change.
        """
        now, body = view.unit(unit, UnitState), view.unit_facts(unit, UnitEntry)
        before = severity(body, now.losses, MORALE.index(now.morale))
        after = severity(body, losses, level)
        hits, left = losses - now.losses, body.resilience - losses
        morale = "" if MORALE[level] == now.morale else MORALE[level]
        event = (
            emit(
                "suffered",
                "14, 15, 18",
                unit=unit,
                severity=after,
                hits=hits,
                earlier=now.losses,
                left=left,
                morale=morale,
            )
            if after > before
            else emit(
                "weakened",
                "14, 15, 18",
                unit=unit,
                hits=hits,
                earlier=now.losses,
                left=left,
                morale=morale,
            )
        )
        return Effects(update(now, losses=losses, morale=MORALE[level]), event)

    # --- the turn --------------------------------------------------------------------------------
    @step(cite="19")
    def opening(self, chance: Chance, view: View) -> Effects:
        """Try to rally each suppressed or disrupted unit in the command phase."""
        return Effects(*(push(self.rally, unit) for unit in view.units))

    @step(cite="19")
    def rally(self, chance: Chance, view: View, unit: str) -> Effects:
        """Roll the unit's quality or less to improve its morale by one level."""
        now = view.unit(unit, UnitState)
        level = MORALE.index(now.morale)
        if level not in (SUPPRESSED, DISRUPTED) or not alive(view, unit):
            return Effects()
        roll = chance.dice("rally", white=d6)
        if roll.total > rallying.held(chance.drm(roll)):
            return Effects()
        better = MORALE[level - 1]
        return Effects(update(now, morale=better), emit("rallied", "19", unit=unit, morale=better))

    @step(cite="5, 21")
    def manoeuvre(self, chance: Chance, view: View, side: str) -> Effects:
        """Ask a side which of its units acts, and how."""
        return Effects(ask(side, self.troops, side))

    @orders(cite="5, 21")
    def troops(self, view: View, side: str) -> Iterator[Form]:
        """Yield the orders for a side's troops: a unit stays, digs in or moves (5, 21).

        The sources give no movement allowances, so moves have no limit.
        """
        able = tuple(unit for unit in facts.own(view, side) if not view.unit(unit, UnitState).acted)
        foot = (unit for unit in able if view.unit_facts(unit, UnitEntry).kind == "foot")
        shallow = tuple(unit for unit in foot if view.unit(unit, UnitState).dug != "scrape")
        deep = Refusal.of("21", "digs_shallow")
        unit = Slot("unit", "the unit that acts", able)
        digger = Slot("unit", "the unit that digs in", shallow, other=deep)
        yield Form("stay", "5", (unit,), partial(self._stay, view))
        yield Form("dig", "21", (digger,), partial(self._dig, view))
        if view.scenario.mobile:
            places = tuple(dict.fromkeys(map(view.place_of, able)))
            to = Slot("to", "any place on the map", places, free=True)
            yield Form("move", "21", (unit, to), partial(self._move, view))

    def _stay(self, view: View, unit: str) -> Effects:
        return Effects(update(view.unit(unit, UnitState), acted=True))

    def _dig(self, view: View, unit: str) -> Effects:
        dug = "scrape" if view.unit(unit, UnitState).dug else "digging"
        return Effects(
            update(view.unit(unit, UnitState), dug=dug, acted=True),
            emit("dug", "21", unit=unit, how=dug),
        )

    def _move(self, view: View, unit: str, to: Place) -> Effects:
        stack = [
            other
            for other in view.units
            if other == unit or view.unit_facts(other, UnitEntry).carrier == unit
        ]
        moved = (
            update(view.unit(other, UnitState), dug="", moved=True, acted=True) for other in stack
        )
        placed = (update(view.unit_neutral(other), place=to) for other in stack)
        return Effects(*moved, *placed, emit("moved", "21", unit=unit, at=to))

    @step(cite="16")
    def spent(self, chance: Chance, view: View, mission: str) -> Effects:
        """Let the requests part offer a second shot."""
        return Effects(push(parts_of(view).requests.paid, mission))

    @step(cite="5, 12")
    def turn_over(self, chance: Chance, view: View) -> Effects:
        """Remove Moved and Acted markers, if sides alternate."""
        units = view.units if view.peek_shared(Signals).sides else ()
        return Effects(
            *(update(view.unit(unit, UnitState), moved=False, acted=False) for unit in units)
        )


def severity(body: UnitEntry, losses: int, level: int) -> Severity:
    """Return the severity, on the scale of all games, of these losses and this morale level."""
    if losses >= body.resilience or level == BROKEN:
        return Severity.DESTROYED
    return Severity.REDUCED if losses else Severity.SUPPRESSED if level else Severity.NONE
