"""Requests and delays: each piece may fire at a hex each turn; time of flight depends on range.

A piece may have several shells in the air.
"""

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import partial
from typing import ClassVar

import attrs

from fireplan_battletech.forms import Gun, Kind, Weapons, map_of
from fireplan_battletech.units import Spotted, best, bonuses
from fireplan_core import (
    COUNT,
    Clock,
    Delays,
    Keeps,
    Part,
    Place,
    Requests,
    Staging,
    View,
    cycle,
    kept,
    record,
)
from fireplan_core.chance import Chance
from fireplan_core.mission import FINAL, Intent, Outcome, Reason, Stage
from fireplan_core.steps.effects import Effects, ask, emit, push, step, update
from fireplan_core.steps.questions import Form, Refusal, Slot, orders

ANYBODY = "*"
"""Takes the place of a spotter's name if the observer belongs to another game."""


@attrs.frozen
class ShellInFlight:
    """A shell in the air: its target hex, and the facts of its launch.

    ``by`` are the spotters that could see the hex at launch, ``misses`` is the number of observed
    misses, and ``bonus`` is the best spotter's modifier.
    """

    at: Place
    by: tuple[str, ...] = (ANYBODY,)
    misses: int = 0
    bonus: int = 0


@record
class Plotted:
    """A piece's shells in flight and number of shots, and its moves this turn and so far."""

    shells: tuple[ShellInFlight, ...] = kept(
        (), "the shells in the air, in the order of launch", "5"
    )
    landing: ShellInFlight | None = kept(None, "the shell that is landing, or landed last", "3")
    fired: int = kept(0, "shells fired, if they are counted", "5", between=COUNT)
    moved: bool = kept(False, "whether the piece has moved this turn", "9")
    moves: int = kept(0, "moves of the piece so far", "12", between=COUNT)


@attrs.frozen
class Known:
    """A piece's record of firing at one hex: the observed misses, and when it last hit.

    ``hit`` is the number of moves that the piece had made by then, or -1 if it has not hit.
    """

    at: Place
    misses: int = 0
    hit: int = -1


@record
class HexRanging:
    """A piece's observed misses and hits, by hex."""

    known: tuple[Known, ...] = kept(
        (), "observed misses and hits for each hex that the piece fired at", "10, 12"
    )


@record
class Flight:
    """The flight times of a piece's shells in the air."""

    left: tuple[int, ...] = kept(
        (), "turns of flight left for each shell in the air, in the order of launch", "8"
    )
    due: int = kept(0, "the shell that lands now, counted from 0", "8", between=COUNT)


def gun_of(staging: Staging, part: Part) -> Gun:
    """Return the piece that represents an engagement's battery, by weapon and calibre."""
    asset, spacing = staging.engagement.asset, part.number("hex_metres")
    least: dict[Kind, int] = {
        "thumper": 0,
        "sniper": part.number("sniper_mm"),
        "long_tom": part.number("long_tom_mm"),
    }
    heavier = [name for name, calibre in least.items() if asset.calibre_mm >= calibre]
    weapon: Kind = "arrow_iv" if asset.weapon == "rocket" else heavier[-1]
    staging.note(
        f"{asset.calibre_mm} mm {asset.weapon} counts as {weapon}, our choice; a hex is {spacing} m (6)"
    )
    predesignated = (
        asset.preregistered and part.options.get("predesignated") and staging.frame == map_of(part)
    )
    hexes = -(-asset.range_m // spacing)
    return Gun(
        id="a", weapon=weapon, hexes=hexes, designated=(staging.centre,) if predesignated else ()
    )


class BattleTechRequests(Requests):
    """The requests part: piece and hex are named in the targeting phase (5, 6)."""

    cites: ClassVar[Mapping[str, str]] = {"requested": "5"}
    publishes = (Plotted,)
    keeps = Keeps(assets=(Plotted,))

    def stage(self, staging: Staging) -> None:
        """Stage one piece for the engagement's battery; refuse tasks that no piece can perform."""
        gun = gun_of(staging, self)
        if staging.engagement.asset.weapon == "mortar":
            staging.cannot("the sources have no piece that represents a mortar (6)")
        if gun.hexes > self.reach(gun):
            staging.cannot(
                f"the target is {gun.hexes} hexes away, and the {gun.weapon} reaches {self.reach(gun)} (6)"
            )
        if staging.engagement.situation.bombardment:
            staging.cannot("the sources do not cover a bombardment before play (8)")
        for mission in staging.assets:
            staging.mission(mission, self.word, Plotted(), gun)
        staging.note(
            "one piece fires for the battery, because each piece ranges in separately (10)"
        )

    @orders(cite="5")
    def fire(self, view: View, mission: str) -> Iterator[Form]:
        """Yield the orders for a piece in a turn: fire at a hex, hold fire, or move first.

        Moving follows rule 12, firing rule 5.
        """
        at = Slot("at", "a hex of the map", view.aim_at(view.mission(mission).target), free=True)
        yield Form("fire", "1, 5", (at,), partial(self.launch, view, mission))
        yield Form("hold", "5")
        yield Form("move", "12", does=partial(self.move, view, mission))

    def launch(self, view: View, mission: str, at: Place) -> Effects | Refusal:
        """Return the effects of firing at a hex, or a refusal (5, 6, D14).

        Firing is refused if the hex is out of range, if it is off the map although the target is on
        it, or if the piece has no shells left. Only spotters that can see the hex now can spot when
        the shell lands (3).
        """
        gun, now, own = view.facts(mission, Gun), view.mission(mission), view.own(mission, Plotted)
        weapons: Weapons = self.charts["weapons"]
        frame = view.frame
        if frame.on_map(now.target) and not frame.on_map(at):
            return Refusal.of("5", "off_map")
        reach, fired = self.reach(gun), own.fired
        if (far := gun.hexes_to(at)) > reach:
            return Refusal.of("6", "out_of_reach", far=far, weapon=gun.weapon, reach=reach)
        if gun.shots is not None and fired >= gun.shots:
            return Refusal.of("5, D14", "no_shell_left")
        sight = view.sees(mission, at)
        by = sight.by if isinstance(sight, Spotted) else ()
        names = tuple(spotter.id for spotter in by) if by or not sight.ground else (ANYBODY,)
        misses = next(
            (hex_.misses for hex_ in view.peek(mission, HexRanging).known if hex_.at == at), 0
        )
        shell = ShellInFlight(at, names, misses, sum(bonuses(best(by, self), self).values()))
        return Effects(
            update(own, shells=(*own.shells, shell), fired=fired + (gun.shots is not None)),
            update(
                now, strength=Fraction(weapons.rings[gun.weapon][0], self.number("usual_damage"))
            ),
            emit("launched", "5", mission=mission, at=at),
            push(cycle.request, mission),
        )

    def reach(self, gun: Gun) -> int:
        """Return the maximum range of a piece, in hexes (6, 14)."""
        weapons: Weapons = self.charts["weapons"]
        reach = weapons.range_hexes[gun.weapon]
        more = reach * self.number("oblique_range_percent") if gun.oblique else 0
        whole = self.number("percent")
        return reach + (
            more // whole if self.options["oblique_range"] == "down" else -(-more // whole)
        )

    def move(self, view: View, mission: str) -> Effects | Refusal:
        """Return the effects of moving the piece, or a refusal if it has moved or cannot (12).

        The piece may fire after moving; hits that it made earlier are no longer automatic.
        """
        own = view.own(mission, Plotted)
        if not view.facts(mission, Gun).move or own.moved:
            return Refusal.of("12", "stays")
        moved = Effects(
            update(own, moved=True, moves=own.moves + 1), emit("moved", "12", mission=mission)
        )
        return Effects(moved, ask(view.side(mission), self.fire, mission))

    @step(cite="5")
    def opportunity(self, chance: Chance, view: View, mission: str) -> Effects:
        """Ask the side whether a piece fires, even if the piece has shells in the air."""
        reset = (
            update(view.own(mission, Plotted), moved=False)
            if view.facts(mission, Gun).move
            else Effects()
        )
        return Effects(reset, ask(view.side(mission), self.fire, mission))

    @step(cite="3, 5")
    def ready(self, chance: Chance, view: View, mission: str) -> Effects:
        """Land the shell that the delays part marks as due, by default the first one fired.

        Without shells in the air, close the mission.
        """
        own, now = view.own(mission, Plotted), view.mission(mission)
        shells = own.shells
        if not shells:
            return Effects(push(cycle.close, mission, Reason.DELIVERED, "5"))
        shell = shells[due := view.peek(mission, Flight).due]
        return Effects(
            update(own, shells=(*shells[:due], *shells[due + 1 :]), landing=shell),
            update(now, aim=shell.at),
            push(cycle.release, mission, Intent.EFFECT),
        )


def _turns(numbers: Iterable[int]) -> str:
    """Return the numbers of turns in words, such as "turns 4, 5 and 6"."""
    *ahead, last = map(str, numbers)
    return f"turns {', '.join(ahead)} and {last}" if ahead else f"turn {last}"


class BattleTechDelays(Delays):
    """The delays part: targeting, then landing, in turns of ten seconds (8)."""

    publishes = (Flight,)
    keeps = Keeps(assets=(Flight,))

    def contradictions(self, view: View) -> Iterator[str]:
        """Yield a fault for each piece whose flight times do not match its shells in flight (8)."""
        for mission in view.missions:
            shells, left = view.peek(mission, Plotted).shells, view.own(mission, Flight).left
            if len(shells) != len(left):
                yield f"{mission}: expected a time of flight (left) for each shell in the air: {len(shells)} (8)"

    def board(self, view: View, side: str) -> tuple[str, ...]:
        """Return a line for each own piece with shells in the air: the turns when they are due."""
        now = view.moment() + 1
        flights = {mission: view.own(mission, Flight).left for mission in view.owned(side)}
        return tuple(
            f"shells of the {mission} in the air are due in {_turns(now + turns for turns in left)}"
            for mission, left in flights.items()
            if left
        )

    def clock(self) -> Clock:
        """Return a clock with turns of ten seconds (8)."""
        return Clock.even(
            Fraction(self.number("turn_seconds"), self.number("seconds")), "turn", "8"
        )

    def stage(self, staging: Staging) -> None:
        """Set up each piece with no shells in flight."""
        for mission in staging.assets:
            staging.mission(mission, self.word, Flight(), gun_of(staging, self))

    @step(cite="8, D11")
    def moment(self, chance: Chance, view: View) -> Effects:
        """Play a turn: shells fly on, pieces fire, and shells that are due land (8, D11)."""
        idle = (push(cycle.opportunity, mission) for mission in view.missions)
        fly, arrive = (
            (push(self.fly, mission) for mission in view.missions),
            (push(self.arrive, mission) for mission in view.missions),
        )
        return Effects(*fly, *idle, *arrive)

    @step(cite="8")
    def request(self, chance: Chance, view: View, mission: str) -> Effects:
        """Set the turns of flight of the most recently fired shell; the piece can fire again."""
        gun, own, now = view.facts(mission, Gun), view.own(mission, Flight), view.mission(mission)
        shells, weapons = view.peek(mission, Plotted).shells, self.charts["weapons"]
        turns_of: Mapping[int, int] = weapons.turns_of_flight
        hexes = gun.hexes_to(shells[-1].at) if shells else gun.hexes
        turns = next(
            (turns_of[most] for most in turns_of if hexes <= most), self.number("longest_flight")
        )
        return Effects(
            update(own, left=(*own.left, turns)),
            update(now, stage=Stage.IDLE) if shells else Effects(),
        )

    @step(cite="8")
    def fly(self, chance: Chance, view: View, mission: str) -> Effects:
        """Reduce the remaining flight of each shell by one turn."""
        own = view.own(mission, Flight)
        left = own.left
        return Effects(update(own, left=tuple(turns - 1 for turns in left))) if left else Effects()

    @step(cite="8, D6")
    def arrive(self, chance: Chance, view: View, mission: str) -> Effects:
        """Land the shells that are due, one at a time in the order of launch.

        Once the mission has ended for good, the shells in the air are forgotten. If another game's
        requests part corrects a shot that has landed, the piece is ready at once.
        """
        own, now = view.own(mission, Flight), view.mission(mission)
        left, stage = own.left, now.stage
        due = next((number for number, turns in enumerate(left) if turns <= 0), None)
        if now.reason in FINAL:
            return Effects(update(own, left=())) if left else Effects()
        if due is None:  # another game's requests part may correct a shot that has landed
            again = not left and stage in (Stage.DELAYED, Stage.SPOTTING)
            return (
                Effects(push(cycle.ready, mission, Outcome.GOOD, "at hand")) if again else Effects()
            )
        return Effects(
            update(own, left=(*left[:due], *left[due + 1 :]), due=due),
            update(now, stage=Stage.DELAYED) if stage in (Stage.IDLE, Stage.ENDED) else Effects(),
            push(cycle.ready, mission, Outcome.GOOD, "arrives"),
            push(self.arrive, mission)
            if any(turns <= 0 for turns in left[due + 1 :])
            else Effects(),
        )
