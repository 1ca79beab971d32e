"""A bench: a game (or hybrid) staged on an engagement, with a chain built once for all checks."""

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cached_property, partial
from heapq import nlargest
from pathlib import Path
from typing import Any

import attrs

from fireplan.analysis import shipped_engagements
from fireplan.solver import Analysis, Chain, Compiler, TooLargeError, build_chain, explore_orders
from fireplan.solver.states import busiest, cure
from fireplan.table import Difference, Session, read_playthrough, replay_playthrough, scenario_of
from fireplan_core import (
    CannotStageError,
    Engagement,
    Firer,
    OwnTroops,
    Pending,
    Scenario,
    Stage,
    Target,
)
from fireplan_core.chance import RandomFaces
from fireplan_core.ledger import Ledger
from fireplan_core.play import (
    Catalogue,
    Table,
    Variation,
    play_out,
    shipped_scenarios,
    stage_engagement,
)

OWN = OwnTroops(distance_m=200, men=20)
STANDARD = Engagement(
    title="checks",
    date=dt.date(1944, 12, 18),
    firer=Firer(nationality="american"),
    target=Target(nationality="german", men=60, frontage_m=90, depth_m=60),
    own_troops=OWN,
    minutes=40,
)
"""The engagement on which games are checked by default: small, with own troops close by."""
FAR = 600
"""Distance to own troops, in metres, for games that forbid fire as close as in ``STANDARD``."""


def _staged(
    catalogue: Catalogue, key: str, engagement: Engagement | None, variation: Variation | None
) -> tuple[Engagement, Scenario]:
    """Return the engagement to check on, and the scenario staged from it.

    The default is ``STANDARD``; its own troops are moved away if the game's rules forbid fire so
    close to them.
    """
    if engagement is None:
        for candidate in (
            STANDARD,
            attrs.evolve(STANDARD, own_troops=attrs.evolve(OWN, distance_m=FAR)),
        ):
            with suppress(CannotStageError):
                return candidate, stage_engagement(catalogue, key, candidate, variation)
    chosen = engagement or STANDARD
    return chosen, stage_engagement(catalogue, key, chosen, variation)


def _or_too_large(build: Callable[[], Chain]) -> Chain | TooLargeError:
    """Return the chain that ``build`` makes, or its error if the chain is too large.

    The error is stored like a chain, so that no check builds the chain again.
    """
    try:
        return build()
    except TooLargeError as error:
        return error


def _built(chain: Chain | TooLargeError) -> Chain:
    if isinstance(chain, TooLargeError):
        raise chain.with_traceback(None)
    return chain


class Bench:
    """A game staged for the checks; ``moments`` is the number of moments that the checks follow.

    Each check adds to ``notes`` the cases that it leaves out because they are too large.
    >>> from fireplan_core.play import Catalogue
    >>> bench = Bench(Catalogue.installed(only=("asl",)), "asl")
    >>> bench.engagement.target.men, bench.moments
    (60, 12)
    """

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
        keys = {key, *(variation.parts.values() if variation else ())}
        self.notes: list[str] = []
        self.ledgers: tuple[Ledger, ...] = tuple(catalogue[k].game.ledger for k in sorted(keys))

    @cached_property
    def analysis(self) -> Analysis:
        """Return the exact analysis of the scenario under the standard orders."""
        return Analysis(self.scenario, self.moments)

    @property
    def compiler(self) -> Compiler:
        """Return the analysis's compiler, which contains the rows of every step reached."""
        return self.analysis.compiler

    @property
    def chain(self) -> Chain:
        """Return the chain of all states under the standard orders.

        It has no states of strikes if the game allows strikes to be solved separately. Raises
        ``TooLargeError``.
        """
        return _built(self._chain)

    @cached_property
    def _chain(self) -> Chain | TooLargeError:
        return _or_too_large(
            partial(build_chain, self.compiler, apart=self.analysis.separable, moments=self.moments)
        )

    @property
    def own_scenarios(self) -> tuple[str, ...]:
        """Return the names of the scenarios that ship with the game, e.g. ``game/name``."""
        return tuple(
            name for name in shipped_scenarios(self.catalogue) if name.startswith(f"{self.key}/")
        )

    @property
    def playthroughs(self) -> tuple[Path, ...]:
        """Return the paths of the playthroughs that ship with the game."""
        return self.installed.files("data/playthroughs/*.txt")

    @property
    def shown(self) -> tuple[Path, ...]:
        """Return the paths of the playthroughs, scenarios and perft tables of the game."""
        return (
            *self.playthroughs,
            *self.installed.files("data/scenarios/*"),
            *self.installed.files("data/perft/*"),
        )

    @property
    def texts(self) -> Iterator[str]:
        """Yield the texts of the files ``shown``, of all scenarios and of the worked examples."""
        yield from (path.read_text(encoding="utf-8") for path in self.shown)
        form = self.installed.game.scenarios
        yield from (
            file.read_text(encoding="utf-8") for file in (form.shipped.values() if form else ())
        )
        for rule in self.installed.game.ledger.rules.values():
            yield from (f"{witness.position}\n{witness.play}" for witness in rule.witness)

    def replayed(self, path: Path) -> tuple[Session, tuple[Difference, ...]]:
        """Replay a playthrough; return the session at its end and the differences from the file.

        Raises ValueError if the file is not a playthrough.
        """
        playthrough = read_playthrough(path.read_text(encoding="utf-8"))
        session = Session(
            *scenario_of(self.catalogue, playthrough.head(self.catalogue, shipped_engagements()))
        )
        return session, replay_playthrough(playthrough, session)

    def played(self, seed: int) -> Table:
        """Return the table after play by the standard orders with seeded dice."""
        return play_out(Table(self.scenario, self.moments), RandomFaces(seed))

    @property
    def orders(self) -> Chain:
        """Return the chain of all states under every legal order, without the states of strikes.

        The weights of its edges are not chances. Raises ``TooLargeError``.
        """
        return _built(self._orders)

    @cached_property
    def _orders(self) -> Chain | TooLargeError:
        return _or_too_large(partial(explore_orders, self.scenario))

    def stages(self, chain: Chain, mission: str) -> tuple[Stage, ...]:
        """Return a mission's stage at every node of a chain.

        Every stage is ``IDLE`` if no step of the game reads the stage.
        """
        key = f"missions/{mission}/stage"
        if key not in chain.keys:
            return (Stage.IDLE,) * len(chain.edges)
        position = chain.keys.index(key)
        return tuple(values[position] for values in chain.values)

    def reader(self, node: int) -> Any:
        """Return a function that reads the state at a node: ``read(key, default)``, as steps do."""
        return self.chain.reader(node, self.scenario.initial)

    def situations(self, most: int = 400) -> Iterator[tuple[int, Pending]]:
        """Yield nodes of the chain, each with its next step or question.

        About ``most`` nodes come first, evenly spread, then the first node of every step and
        question.
        """
        stride = max(1, len(self.chain.tops) // most)
        seen: dict[str, int] = {}
        for node in range(0, len(self.chain.tops), stride):
            yield node, self.chain.tops[node]
        for node, top in enumerate(self.chain.tops):
            name = top.name
            if seen.setdefault(name, node) == node:
                yield node, top

    def cited(self, cite: str) -> bool:
        """Return whether a ledger of the parts in play contains the cited rule."""
        return any(cite in ledger for ledger in self.ledgers)


SHOWN, MANY = 8, 12
"""Number of keys and steps in a profile, and number of values at which a key gets advice."""


def profile(bench: Bench) -> Iterator[str]:
    """Yield the lines of a profile: the size of the chain, and the keys and steps that enlarge it.

    >>> from fireplan_core.play import Catalogue
    >>> bench = Bench(Catalogue.installed(only=("red_poppies",)), "red_poppies", at_most=2)
    >>> next(profile(bench))
    '... states in 2 moments, places solved one at a time'
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
        values_by_key: dict[str, list[Any]] = {
            key: list({*values}) for key, values in zip(chain.keys, columns, strict=True)
        }
        for key, values in nlargest(SHOWN, values_by_key.items(), key=lambda item: len(item[1])):
            advice = f": {cure(key, values)}" if len(values) >= MANY else ""
            yield f"  {key} takes {len(values):,} values{advice}"
    compiler = bench.compiler
    yield f"steps were run {compiler.runs:,} times and read {compiler.reads:,} values"
    for name, situations, reads in busiest(compiler)[:SHOWN]:
        yield f"  {name}: {situations:,} situations, which depend on up to {reads} values"
