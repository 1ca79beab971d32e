"""Check that positions are read back as written: ``python benchmarks/positions.py [HOW_MANY]``.

All shipped scenarios and engagements are played at random; every position is written, read back and
compared. The script prints the numbers of positions and of different positions for each game, and
how long reading took.
"""

from __future__ import annotations

import random
import sys
import time
from itertools import count

from fireplan.analysis import shipped_engagements
from fireplan.positions import Position, Source, Sources, position_of
from fireplan_core import Ask
from fireplan_core.chance import RandomFaces
from fireplan_core.files import FileError
from fireplan_core.play import Answered, Catalogue, Table, Thrown, shipped_scenarios

MOMENTS, INPUTS = 12, 200


def main(wanted: int) -> None:
    """Check at least this many positions of each game; exit if a line does not read back as
    written.
    """
    catalogue = Catalogue.installed()
    sources = Sources(catalogue, shipped_engagements())
    for game in catalogue.games:
        tables = [
            Source(name=name)
            for name in shipped_scenarios(catalogue)
            if name.startswith(f"{game}/")
        ]
        tables += [
            source
            for name in shipped_engagements()
            if _staged(sources, source := Source(name=name, game=game))
        ]
        seen, different, slowest, took = 0, set(), 0.0, 0.0
        for seed in count():
            for position in _played(tables[seed % len(tables)], sources, seed):
                line = str(position)
                begin = time.perf_counter()
                read = position_of(line, sources)
                spent = time.perf_counter() - begin
                if read != position or str(read) != line:
                    raise SystemExit(
                        f"{game}: this line does not read back as it was written: {line}"
                    )
                seen, took, slowest = seen + 1, took + spent, max(slowest, spent)
                different.add(line)
            if seen >= wanted:
                break
        print(
            f"{game:20} {seen:6,} positions, {len(different):6,} different; read in {took / seen * 1000:.2f} ms,"
            f" the slowest in {slowest * 1000:.1f} ms"
        )


def _staged(sources: Sources, source: Source) -> bool:
    try:
        sources.scenario(source)
    except FileError:
        return False
    return True


def _played(source: Source, sources: Sources, seed: int) -> list[Position]:
    scenario = sources.scenario(source)
    table, choose, faces = Table(scenario, MOMENTS), random.Random(seed), RandomFaces(seed)
    found = []
    while table.waits_for is not None and len(found) < INPUTS:
        found.append(Position.of(source, scenario, table.state))
        waits = table.waits_for
        if isinstance(waits, Ask):
            order = choose.choice(table.rulebook.legal(waits, table.read))
            table.submit(Answered(waits.question, order))
        else:
            table.submit(Thrown(waits.name, faces.faces(waits)))
    return found


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
