"""Observers of Red Poppies: infantry on the map, or an aircraft that sees every vertex (4.7, 6.1, 7.21).

Which mode carries the word to the guns is the delays' business; whether a cross hair may be placed without
sight is the requests'. In an engagement the sight is declared; over the ground of a scenario it is traced.
"""

from __future__ import annotations

from fractions import Fraction

import attrs

from fireplan_core import Effects, Observers, Place, Sight, Stage, Staging, View, record, step, update
from fireplan_core.chance import Chance
from fireplan_core.space import Hex
from fireplan_red_poppies._ground import Ground
from fireplan_red_poppies._massed import Massed
from fireplan_red_poppies._modes import flown
from fireplan_red_poppies._sight import Rules, blocked

CLOUDS = {"barrage": ", 7.43", "smoke": ", 7.52"}
"""The rules of what may fill a hex, beyond those of concealment itself."""

HEX_M = 182.88
"""200 yards (2.2)."""


@attrs.frozen
class Watch:
    """What the engagement declares of the observer's sight of the target and the ground about it.

    ``on_foot`` is whether infantry sees it too, where the word goes by runner instead of the group's own mode (7.21).
    """

    ground: bool
    burst: bool
    known_enemy: bool
    on_foot: bool = False


@attrs.frozen(eq=False)
class Eyes:
    """Who observes for a group of a scenario, over which ground: nobody's eyes are needed where it is ``flown``.

    ``infantry`` is all that its side has: whoever observes when a call goes by runner, whatever the own mode (7.21).
    """

    ground: Ground
    units: tuple[str, ...]
    flown: bool = False
    infantry: tuple[str, ...] = ()


@record
class Word:
    """What a group's present call is: for smoke, and by runner."""

    smoke: bool = False
    runner: bool = False


@record
class Fate:
    """Of a unit that may observe: whether it is destroyed. Only laid for observers that fire may reach."""

    lost: bool = False


class RedPoppiesObservers(Observers):
    """Any friendly infantry; for a trench set the designated company; or an aircraft."""

    def stage(self, staging: Staging) -> None:
        """Declare the sight; an observer who is nobody's infantry on the map cannot be represented."""
        engagement = staging.engagement
        watch = engagement.observer
        clear = watch.sight == "clear"
        on_foot = clear and watch.kind not in ("aircraft", "none", "offboard")
        if flown(engagement):
            clear = True
        elif watch.kind in ("none", "offboard"):
            staging.cannot(
                f"observer kind {watch.kind}: off-map artillery needs friendly infantry on the map to "
                "observe, or an aircraft (6.1, 7.21)"
            )
        elif engagement.situation.night and round(watch.distance_m / HEX_M) > self.number("night_hexes"):
            staging.cannot("at night a line of sight reaches two hexes, about 370 m (4.82)")
        facts = Watch(
            ground=clear,
            burst=clear or watch.sight == "burst_only",
            known_enemy=clear and engagement.target.identified,
            on_foot=on_foot,
        )
        for mission in staging.assets:
            staging.mission(mission, self.word, facts=facts)

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """The declared sight, alike for every place about the target; in a scenario the best of its observers'."""
        eyes, runner = view.scenario.missions[mission].facts.get(self.word), view.own(mission, Word).runner
        if not isinstance(eyes, Eyes):
            facts = view.facts(mission, Watch)
            if runner and not facts.on_foot:
                return Sight(ground=False, burst=False, rule="6.1, 7.21", why="no infantry sees it to send a runner")
            return Sight(facts.ground, facts.burst, known_enemy=facts.known_enemy)
        if eyes.flown and not runner:
            return Sight(ground=True, burst=True, rule="4.7, 7.21", why="aircraft")
        found = None
        for unit in eyes.infantry if runner else eyes.units:
            at = view.place_of(unit)
            if at is None or (not view.scenario.mobile and view.unit(unit, Fate).lost):
                continue
            stopped = self._stopped(view, eyes, at, place)
            if stopped is None:
                rule = "4.1, 6.1, 7.21" if len(place) == 2 else "4.1, 4.92, 6.1, 7.21"
                return Sight(ground=True, burst=True, rule=rule, why=unit)
            found = found or Sight(ground=False, burst=False, rule=stopped[0], why=f"{unit}: {stopped[1]}")
        return found or Sight(ground=False, burst=False, rule="6.1, 7.21", why="no infantry is left to observe")

    def _stopped(self, view: View, eyes: Eyes, observer: Hex, place: Place) -> tuple[str, str] | None:
        """What keeps a unit from seeing the place: the rules and words; None when it sees it (4.1, 4.8)."""
        causes: dict[Hex, str] = {}

        def conceals(hex_: Hex) -> bool:
            found = (self.fills(view, mission, hex_) for mission in view.missions)
            cause = "dark" if eyes.ground.dark else next(filter(None, found), "")
            causes[hex_] = cause
            return bool(cause)

        options = self.options
        rules = Rules(
            eyes.ground.wheat,
            open_below=options["lower_obstacle"] == "open",
            strict=options["farthest_tie"] == "strict",
            touching=options["night_touch"] == "crossed" and eyes.ground.dark,
        )
        found = blocked(eyes.ground, observer, place, conceals, rules)
        if found is None:
            return None
        by = CLOUDS.get(causes.get(found.at, ""), "") if "4.82" in found.cite else ""
        return f"{found.cite}{by}", f"{found.what} in {view.frame.label(found.at)}"

    def fills(self, view: View, mission: str, hex_: Hex) -> str:
        """Whether a barrage or smoke of this mission fills the hex, and which (4.8, 7.43, 7.52)."""
        facts = view.scenario.missions[mission].facts.get(self.word)
        barrage = isinstance(facts, Massed)
        thick = not facts.before if isinstance(facts, Massed) else view.own(mission, Word).smoke
        if not thick or view.mission(mission).stage is not Stage.FALLING:
            return ""
        covered = view.scenario.parts.areas.covers(view.seen_by("areas"), mission, hex_, Fraction(0))
        return ("barrage" if barrage else "smoke") if covered else ""

    @step(cite="7.21")
    def sent(self, _chance: Chance, view: View, mission: str, runner: bool) -> Effects:  # noqa: FBT001
        """How the word of the present call goes: a runner takes it from any infantry."""
        return Effects(update(view.own(mission, Word), runner=runner))

    @step(cite="7.52")
    def load(self, _chance: Chance, view: View, mission: str, shell: str) -> Effects:
        """Whether the fire that was called for will be smoke."""
        return Effects(update(view.own(mission, Word), smoke=shell == "smoke"))

    @step(cite="3.73, 6.1")
    def lost(self, _chance: Chance, view: View, unit: str) -> Effects:
        """A company that observed has been destroyed, and sees nothing any more."""
        return Effects(update(view.unit(unit, Fate), lost=True))
