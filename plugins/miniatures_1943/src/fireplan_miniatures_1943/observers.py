"""Observers: which points of the ground a friendly ground base sees. Sight itself is declared, not traced."""

from __future__ import annotations

import attrs

from fireplan.mission import Observers, Place, Sight, Staging, View


@attrs.frozen
class Watch:
    """What the friendly bases on the table see of the target area, as the engagement declares it."""

    sight: Sight


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

    def sees(self, view: View, mission: str, place: Place) -> Sight:  # noqa: ARG002 - one sight for the whole area
        """The declared sight; it holds for every point of the target area."""
        return view.facts(mission, Watch).sight
