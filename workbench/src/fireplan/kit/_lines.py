"""The law of the notation: every position that random play comes to reads back from its line."""

from collections.abc import Iterator

from fireplan.comparison import shipped_engagements
from fireplan.kit._bench import Bench
from fireplan.kit._check import Flaws, tidy
from fireplan.kit._play import wander
from fireplan.positions import Position, PositionError, Source, Sources, position_of
from fireplan_core.play import shipped_scenarios

INPUTS, MOMENTS, STAGED = 60, 6, 2
"""Inputs of a sitting of random orders and dice, its moments, and how many shipped engagements are tried."""


def positions_read_back(bench: Bench) -> Flaws:
    """Check that the line of every position that random play comes to reads back as that position, and as that line.

    Tried in the game's own scenarios, and in the first shipped engagements that it can stage.
    """
    sources = Sources(bench.catalogue, shipped_engagements())
    return tidy(fault for source in staged(sources, bench.key) for fault in _unlike(source, sources))


def staged(sources: Sources, key: str) -> Iterator[Source]:
    """Yield the scenarios that come with a game, and the first shipped engagements that it can stage."""
    yield from (Source(name=name) for name in shipped_scenarios(sources.catalogue) if name.startswith(f"{key}/"))
    tried = 0
    for name in shipped_engagements():
        source = Source(name=name, game=key)
        try:
            sources.scenario(source)
        except PositionError:
            continue
        yield source
        tried += 1
        if tried == STAGED:
            return


def _unlike(source: Source, sources: Sources) -> Iterator[str]:
    """Yield what is wrong with the first position of a sitting that does not read back."""
    scenario = sources.scenario(source)
    for table in wander(scenario, MOMENTS, seed=1, most=INPUTS):
        position = Position.of(source, scenario, table.state)
        line = str(position)
        try:
            read = position_of(line, sources)
        except PositionError as error:
            yield f"the line of a position is refused: {error}: {line}"
            return
        if read != position or str(read) != line:
            now, then = read.state.values, position.state.values
            keys = sorted({key for key in (*now, *then) if now.get(key) != then.get(key)})
            yield f"a position reads back as another ({', '.join(keys) or 'its line or agenda'}): {line}"
            return
