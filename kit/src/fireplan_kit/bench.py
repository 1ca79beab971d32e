"""A bench: one game (or hybrid) with an engagement staged, its chain built once, ready for checks."""

import datetime as dt
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from heapq import nlargest
from pathlib import Path
from typing import Any

import attrs

from fireplan.analysis import shipped_engagements
from fireplan.solver import Analysis, Chain, Compiler, TooLargeError, build_chain, explore_orders
from fireplan.solver.states import busiest, cure
from fireplan.table import Difference, Session, opened, read_playthrough, replay_playthrough
from fireplan_core import (
    Ask,
    CannotStageError,
    Engagement,
    Firer,
    OwnTroops,
    Pending,
    Scenario,
    Stage,
    Target,
)
from fireplan_core.ledger import Ledger
from fireplan_core.play import Catalogue, Variation, shipped_scenarios, stage_engagement

OWN = OwnTroops(distance_m=200, men=20)
STANDARD = Engagement(
    title="checks",
    date=dt.date(1944, 12, 18),
    firer=Firer(nationality="american"),
    target=Target(nationality="german", men=60, frontage_m=90, depth_m=60),
    own_troops=OWN,
    minutes=40,
)
"""The engagement that games are checked on unless another is named: small, with own troops close by."""
FAR = 600
"""Metres to own troops where a game's rules forbid fire so close to them."""


def _staged(
    catalogue: Catalogue, key: str, engagement: Engagement | None, variation: Variation | None
) -> tuple[Engagement, Scenario]:
    """Return the engagement to check on: the one named, else the kit's, if need be with own troops out of harm's way.

    A game's rules may forbid fire so close to own troops, as the kit's engagement has them.
    """
    if engagement is None:
        for found in (
            STANDARD,
            attrs.evolve(STANDARD, own_troops=attrs.evolve(OWN, distance_m=FAR)),
        ):
            with suppress(CannotStageError):
                return found, stage_engagement(catalogue, key, found, variation)
    wanted = engagement or STANDARD
    return wanted, stage_engagement(catalogue, key, wanted, variation)


class Bench:
    """Say what the checks work on. ``moments`` is how many moments are watched."""

    def __init__(
        self,
        catalogue: Catalogue,
        key: str,
        engagement: Engagement | None = None,
        variation: Variation | None = None,
        *,
        at_most: int = 12,
    ) -> None:
        self.key = key
        self.catalogue = catalogue
        self.installed = catalogue[key]
        self.engagement, self.scenario = _staged(catalogue, key, engagement, variation)
        self.moments = min(at_most, self.scenario.clock.moments(self.engagement.minutes))
        self.package = Path(str(self.installed.plugin.__file__)).parent
        keys = {key, *(variation.parts.values() if variation else ())}
        self.ledgers: tuple[Ledger, ...] = tuple(catalogue[k].game.ledger for k in sorted(keys))

    @cached_property
    def analysis(self) -> Analysis:
        """Return exact answers under the standard doctrine."""
        return Analysis(self.scenario, self.moments)

    @property
    def compiler(self) -> Compiler:
        """Return the rows of every step reached."""
        return self.analysis.compiler

    @cached_property
    def chain(self) -> Chain:
        """Return every state under the standard doctrine, strikes set apart where they can be."""
        return build_chain(self.compiler, apart=self.analysis.separable, moments=self.moments)

    @property
    def own_scenarios(self) -> tuple[str, ...]:
        """Return the names of the scenarios that come with the game."""
        return tuple(
            name for name in shipped_scenarios(self.catalogue) if name.startswith(f"{self.key}/")
        )

    @property
    def playthroughs(self) -> tuple[Path, ...]:
        """Return the playthroughs of play that come with the game."""
        return tuple(sorted((self.package / "data" / "playthroughs").glob("*.txt")))

    @property
    def shown(self) -> tuple[Path, ...]:
        """Return everything that shows the game at work: playthroughs, scenarios, frozen tables."""
        data = self.package / "data"
        return (
            *self.playthroughs,
            *sorted((data / "scenarios").glob("*")),
            *sorted((data / "perft").glob("*")),
        )

    def replayed(self, path: Path) -> tuple[Session, tuple[Difference, ...]]:
        """Return the session of a playthrough at its end, and where the rules differ.

        ValueError if it is none.
        """
        playthrough = read_playthrough(path.read_text(encoding="utf-8"))
        session = Session(
            *opened(self.catalogue, playthrough.head(self.catalogue, shipped_engagements()))
        )
        return session, replay_playthrough(playthrough, session)

    @cached_property
    def orders(self) -> Chain:
        """Return every state under every kind of legal order, strikes set apart.

        Its weights are no chances.
        """
        return explore_orders(self.scenario)

    def stages(self, chain: Chain, mission: str) -> tuple[Stage, ...]:
        """Return the stage of a mission at every node.

        A game in which no step reads it has but one.
        """
        key = f"missions/{mission}/stage"
        if key not in chain.keys:
            return (Stage.IDLE,) * len(chain.edges)
        position = chain.keys.index(key)
        return tuple(values[position] for values in chain.values)

    def reader(self, node: int) -> Any:
        """Return how a step reads the state of a node: ``read(key, default)``."""
        return self.chain.reader(node, self.scenario.initial)

    def situations(self, most: int = 400) -> Iterator[tuple[int, Pending]]:
        """Yield nodes with what they do next, evenly spread over the chain, at most so many."""
        stride = max(1, len(self.chain.tops) // most)
        seen: dict[str, int] = {}
        for node in range(0, len(self.chain.tops), stride):
            yield node, self.chain.tops[node]
        for node, top in enumerate(self.chain.tops):
            name = top.question if isinstance(top, Ask) else top.name
            if seen.setdefault(name, node) == node:
                yield node, top

    def cited(self, cite: str) -> bool:
        """Return whether a citation stands in the ledgers of the parts in play."""
        return any(cite in ledger for ledger in self.ledgers)


SHOWN, MANY = 8, 12
"""Keys and steps that a profile lists, and the number of values from which on a cure is named."""


def profile(bench: Bench) -> Iterator[str]:
    """Yield, line by line, how large the chain of a bench is and why.

    Of one that is too large, what it says itself.
    """
    try:
        chain = bench.analysis.plan.chain
    except TooLargeError as error:
        yield f"too large after {error.moments} of {bench.moments} moments: {error}"
    else:
        apart = (
            "places solved one at a time"
            if bench.analysis.separable
            else "all places solved together"
        )
        yield f"{len(chain.links):,} states in {bench.moments} moments, {apart}"
        columns = zip(*chain.values, strict=True)
        held: dict[str, list[Any]] = {
            key: list({*values}) for key, values in zip(chain.keys, columns, strict=True)
        }
        for key, values in nlargest(SHOWN, held.items(), key=lambda item: len(item[1])):
            yield f"  {key} takes {len(values):,} values" + (
                f": {cure(key, values)}" if len(values) >= MANY else ""
            )
    compiler = bench.compiler
    yield f"{compiler.runs:,} runs of rules, {compiler.reads:,} readings"
    for name, met, reads in busiest(compiler)[:SHOWN]:
        yield f"  {name}: {met:,} situations, which depend on up to {reads} values"
