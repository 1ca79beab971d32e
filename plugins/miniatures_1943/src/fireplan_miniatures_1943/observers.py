"""Observers: which points of the ground a friendly ground base sees. Sight itself is declared, not traced."""

from __future__ import annotations

import attrs

from fireplan_core import Observers, Place, Sight, Staging, View


@attrs.frozen
class Watch:
    """What the friendly bases on the table see of the target area, as the engagement declares it."""

    sight: Sight


@attrs.frozen
class Watchers:
    """The bases of a scenario file that observe for a side, and how far they see, in yards."""

    bases: tuple[str, ...]
    yards: int


class M1943Observers(Observers):
    """Any friendly base on the ground may observe; aircraft and men off the table do not (6.2.b, 6.2.c)."""

    def stage(self, staging: Staging) -> None:
        """Take the declared sight for that of all friendly bases."""
        observer = staging.engagement.observer
        on_table = observer.kind == "forward"
        ground = on_table and observer.sight == "clear"
        if not on_table and observer.kind != "none":
            staging.note(f"an observer of kind {observer.kind} is no base on the ground: barrages are blind")
        sight = Sight(
            ground=ground,
            burst=on_table and observer.sight != "none",
            known_enemy=ground and staging.engagement.target.identified,
        )
        for asset in staging.assets:
            staging.mission(asset, self.word, facts=Watch(sight))

    def sees(self, view: View, mission: str, place: Place) -> Sight:
        """What the engagement declares for the whole target area; in a scenario file what its bases see.

        There a base on the table sees every point within the scenario's visibility; lines of sight are another
        chapter of the rules, and bases that see nothing are declared so.
        """
        watchers = view.scenario.missions[mission].facts[self.word]
        if not isinstance(watchers, Watchers):
            return view.facts(mission, Watch).sight
        stands = (view.place_of(base) for base in watchers.bases)
        seen = any(at is not None and view.frame.gap(at, place) <= watchers.yards**2 for at in stands)
        return Sight(ground=seen, burst=seen, known_enemy=seen)
