"""Observers of Red Poppies: infantry on the map, or an aircraft that sees every vertex (4.7, 6.1, 7.21).

Which mode carries the word to the guns is the delays' business; whether a cross hair may be placed without
sight is the requests'. In an engagement the sight is declared; over the ground of a scenario it is traced.
"""

from __future__ import annotations

from fractions import Fraction

import attrs

from fireplan.chance import Chance
from fireplan.mission import Observers, Place, Sight, Stage, Staging, Then, View, put, record, step
from fireplan.space import Hex
from fireplan_red_poppies._ground import Ground
from fireplan_red_poppies._massed import Massed
from fireplan_red_poppies._modes import flown
from fireplan_red_poppies._sight import sees

NIGHT_HEXES = 2
"""How far a line of sight reaches at night (4.82)."""

HEX_M = 182.88
"""200 yards (2.2)."""


@attrs.frozen
class Watch:
    """What the engagement declares of the observer's sight of the target and the ground about it."""

    ground: bool
    burst: bool
    known_enemy: bool


@attrs.frozen(eq=False)
class Eyes:
    """Who observes for a group of a scenario, over which ground: nobody's eyes are needed where it is ``flown``."""

    ground: Ground
    units: tuple[str, ...]
    flown: bool = False
    dark: bool = False
    wheat: bool = False


@record
class Haze:
    """Whether a group's present call is for smoke."""

    smoke: bool = False


class RedPoppiesObservers(Observers):
    """Any friendly infantry; for a trench set the designated company; or an aircraft."""

    def stage(self, staging: Staging) -> None:
        """Declare the sight; an observer who is nobody's infantry on the map cannot be represented."""
        engagement = staging.engagement
        watch = engagement.observer
        clear = watch.sight == "clear"
        if flown(engagement):
            clear = True
        elif watch.kind in ("none", "offboard"):
            staging.cannot(
                f"observer kind {watch.kind}: off-map artillery needs friendly infantry on the map to "
                "observe, or an aircraft (6.1, 7.21)"
            )
        elif engagement.situation.night and round(watch.distance_m / HEX_M) > NIGHT_HEXES:
            staging.cannot("at night a line of sight reaches two hexes, about 370 m (4.82)")
        facts = Watch(
            ground=clear,
            burst=clear or watch.sight == "burst_only",
            known_enemy=clear and engagement.target.identified,
        )
        for mission in staging.assets:
            staging.mission(mission, self.word, facts=facts)

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """The declared sight, alike for every place about the target; in a scenario the best of its observers'."""
        eyes = view.scenario.missions[mission].facts.get(self.word)
        if not isinstance(eyes, Eyes):
            facts = view.facts(mission, Watch)
            return Sight(facts.ground, facts.burst, known_enemy=facts.known_enemy)
        clear = eyes.flown or any(self._clear(view, eyes, view.place_of(unit), place) for unit in eyes.units)
        return Sight(ground=clear, burst=clear)

    def _clear(self, view: View, eyes: Eyes, observer: Hex | None, place: Place) -> bool:
        """Whether a unit, if it is still on the map, sees the place (4.1, 4.8)."""
        if observer is None:
            return False

        def conceals(hex_: Hex) -> bool:
            return eyes.dark or any(self._hidden_by(view, mission, hex_) for mission in view.missions)

        below = self.options["lower_obstacle"] == "open"
        return sees(eyes.ground, observer, place, conceals, wheat=eyes.wheat, open_below=below)

    def _hidden_by(self, view: View, mission: str, hex_: Hex) -> bool:
        """Whether a barrage or smoke of this mission fills the hex (4.8, 7.43, 7.52)."""
        facts = view.scenario.missions[mission].facts.get(self.word)
        thick = not facts.before if isinstance(facts, Massed) else view.own(mission, Haze).smoke
        if not thick or view.mission(mission).stage is not Stage.FALLING:
            return False
        return bool(view.scenario.parts.areas.covers(view.seen_by("areas"), mission, hex_, Fraction(0)))

    @step(cite="7.52")
    def load(self, _chance: Chance, view: View, mission: str, shell: str) -> Then:
        """Whether the fire that was called for will be smoke."""
        return Then(put(view.own(mission, Haze), smoke=shell == "smoke"))
