"""Check tables opened by another version of their game, and tables continued as two copies."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import attrs
from around import Known
from oracle import must
from tables import give, random_move
from twins import apart_from
from world import World

from fireplan.errors import InputError, JournalError
from fireplan.table import Session, differences, reopen, scenario_of
from fireplan_core import Ask, ProcedureError
from fireplan_core.numbers import names_under, numbers_of, with_numbers
from fireplan_core.play import Catalogue, Variation, load_scenario, replay, shipped_scenarios

TRIED = 8
"""Maximum number of changed numbers tried until one affects the game that was played."""
FORWARD = 30
"""Maximum number of further inputs until a secret is asked for."""
BACK = 0.8
"""Chance that two tables part at an earlier secret, if there was one, instead of a later one."""


def versions(world: World, known: Known, path: Path) -> None:
    """Reopen the table with a number changed: the first input that it affects must be reported."""
    oracle = known.oracle
    entry = world.installed[oracle.head.game]
    read: set[str] = set()
    noting = Variation(note=read.add)
    file = shipped_scenarios(world.installed)[oracle.head.name]
    scenario, _ = load_scenario(world.installed, file, variation=noting)
    read.clear()
    replay(scenario, oracle.moments, oracle.inputs)
    names = [name.partition(".")[2] for name in sorted(read) if name.partition(".")[2]]
    numbers = numbers_of(entry.game.charts)
    named = [numbers[full] for name in names for full in islice(names_under(numbers, name), 2)]
    cells = [one for one in named if one.cell.steps] or list(numbers.values())[:1]
    world.found["opened by other rules"] += 1
    row = None
    for _ in range(TRIED):
        number = world.dice.choice(cells)
        charts = with_numbers(
            entry.game.charts, {number.name: str(world.dice.choice(number.cell.steps))}
        )
        games = Catalogue()
        other = attrs.evolve(entry, game=attrs.evolve(entry.game, charts=charts))
        games.games = {**world.installed.games, oracle.head.game: other}
        try:
            row = oracle.first_difference(*scenario_of(games, oracle.head))
        except (InputError, ProcedureError):
            continue
        if row is not None:
            break
    try:
        session, head = reopen(path, games, read_only=True)
        words = differences(session, head, games)
        session.journal.close()
    except (InputError, JournalError, ProcedureError) as error:
        words = str(error)
        if "does not fit" not in words:
            return
    else:
        must(
            f"chart {number.chart}" in words,
            f"{number.name} was changed, and nothing is said of it",
        )
    if row is None:
        same = words.startswith("every input has the same effects, but")
        must(same, f"{number.name} changes nothing, but: {words}")
    else:
        place = f"after input {row} (" if row else "before the first input"
        must(
            words.startswith(place) or f"input {row} does not fit" in words,
            f"input {row} differs, but: {words}",
        )


def fork(world: World, known: Known) -> None:
    """Continue the table as two copies that differ in a secret: nobody else may tell them apart."""
    oracle = known.oracle
    secret = [0]
    one = Session(oracle.scenario, oracle.moments)
    for number, row in enumerate(oracle.rows):
        if asks_in_secret(one) and not one.revealed:
            secret.append(number)
        one.take(row)
    if one.revealed or world.dice.random() < BACK:
        one = Session(oracle.scenario, oracle.moments)
        for row in oracle.rows[: secret[-1 - world.dice.randrange(min(3, len(secret)))]]:
            one.take(row)
    for _ in range(FORWARD):
        if one.table.waits_for is None:
            return
        if apart_from(world.installed, oracle.head, one.rows, world.dice, world.found):
            world.found["tables that part in a secret"] += 1
            return
        give(one, random_move(one, world.dice))


def asks_in_secret(session: Session) -> bool:
    """Return whether the table waits for an order that the other side is not told about."""
    waits = session.table.waits_for
    return isinstance(waits, Ask) and session.scenario.questions[waits.question].secret
