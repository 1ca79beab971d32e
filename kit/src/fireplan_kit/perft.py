"""Perft tables: how many sequences of dice and chits lead from a position to each outcome.

The sequences are counted once and frozen in text files. (Perft is the chess programmers' test of
move generators.)
"""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from fireplan.analysis import find_engagement, shipped_engagements
from fireplan_core import CannotStageError, Place, Scenario
from fireplan_core.chance import ChanceError, RandomFaces, ScriptedFaces
from fireplan_core.play import Table, Thrown, find_scenario, stage_engagement
from fireplan_kit.bench import STANDARD, Bench
from fireplan_kit.check import Flaw, Flaws
from fireplan_kit.ground_laws import view_of_fire
from fireplan_kit.walkers import Tally, by_branches, by_faces, give_standard_orders

FOLDER = Path("data") / "perft"
POSITIONS = 12
"""Maximum number of positions for which perft files of a game are written."""
AFTER = (0, 2, 4, 7, 11, 16)
"""Numbers of throws after which a position is taken."""
WIDEST = 100
"""Maximum number of outcomes of a position's first throw."""
DEEPEST = 3
MOST = 300
"""Maximum number of face combinations played for one more throw; this limits the depth."""
SCENARIO, ENGAGEMENT = "scenario ", "engagement "


@attrs.frozen
class PerftPosition:
    """A start of play, and the throws that lead from it to the position, each as (name, faces)."""

    start: str
    throws: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def lines(self) -> list[str]:
        """Return the position as lines of a perft file, e.g. ``throw: relay: 5``."""
        return [
            f"start: {self.start}",
            *(f"throw: {name}: {' '.join(faces)}" for name, faces in self.throws),
        ]


def starts(bench: Bench) -> list[str]:
    """Return the names of all starts of play, e.g. ``engagement woods``."""
    engagements = ["checks", *shipped_engagements()]
    return [
        *(ENGAGEMENT + name for name in engagements),
        *(SCENARIO + name for name in bench.own_scenarios),
    ]


def table_at(bench: Bench, position: PerftPosition) -> Table:
    """Return the table at a position, waiting for a throw.

    Raises ValueError if the rules ask for throws other than those of the position.
    """
    table = _opened(bench, position.start)
    for name, faces in position.throws:
        event = table.throw_due
        if event is None or event.name != name:
            raise ValueError(
                f"the file throws {name} here, but the rules ask for {event.name if event else 'no throw'}"
            )
        script = tuple(int(face) if face.lstrip("-").isdigit() else face for face in faces)
        table.submit(Thrown(name, ScriptedFaces(script).faces(event)))
        give_standard_orders(table)
    return table


def _opened(bench: Bench, start: str) -> Table:
    if start.startswith(SCENARIO):
        scenario, form = find_scenario(bench.catalogue, start.removeprefix(SCENARIO))
        table = Table(scenario, form.moments, by_kinds=True)
    else:
        name = start.removeprefix(ENGAGEMENT)
        engagement = STANDARD if name == "checks" else find_engagement(name)
        scenario = stage_engagement(bench.catalogue, bench.key, engagement)
        table = Table(scenario, scenario.clock.moments(engagement.minutes), by_kinds=True)
    give_standard_orders(table)
    return table


def count_tallies(table: Table) -> list[Tally]:
    """Return a tally for each number of throws, as deep as ``DEEPEST`` and ``MOST`` allow."""
    return by_faces(table, DEEPEST, MOST)


def text(bench: Bench, position: PerftPosition, table: Table, tallies: list[Tally]) -> str:
    """Return the text of the perft file for a position, with its tallies."""
    lines = [
        f"# What every throw leads to from here. Written by: fireplan check {bench.key} --perft",
        *position.lines(),
        *(
            [f"footprint: {_footprint(table.scenario)}"]
            if position.start.startswith(ENGAGEMENT)
            else []
        ),
    ]
    for depth, tally in enumerate(tallies, start=1):
        lines += _table_of(depth, tally)
    return "\n".join(lines) + "\n"


def _table_of(depth: int, tally: Tally) -> list[str]:
    ways = sum(count for count, _ in tally.values())
    chance = sum((share for _, share in tally.values()), Fraction(0))
    rows = [
        f"  {count:>9}  {share!s:>17}  {label}" for label, (count, share) in sorted(tally.items())
    ]
    return [f"throws: {depth}, {ways} sequences, chance {chance}", *rows]


def _footprint(scenario: Scenario) -> str:
    """Return one line on fire for effect at the target: its cells, hectares and units covered."""
    areas, mission = scenario.parts.areas, scenario.mission_ids[0]
    aim: Place = areas.aim_at(scenario.missions[mission].target)[0]
    view = view_of_fire(scenario, aim)
    cells, hectares = areas.footprint(view, mission)
    covered = [
        unit
        for unit in scenario.unit_ids
        if areas.covers(view, mission, view.place_of(unit), scenario.units[unit].extent)
    ]
    return f"{len(cells)} cells, {hectares:.4f} ha; at the target it covers {', '.join(covered) or 'nobody'}"


def read_position(written: str) -> PerftPosition:
    """Return the position that a perft file describes; raise ValueError if it has no start."""
    start, throws = "", []
    for line in written.splitlines():
        head, _, rest = line.partition(": ")
        if head == "start":
            start = rest
        elif head == "throw":
            name, _, faces = rest.partition(": ")
            throws.append((name, tuple(faces.split())))
    if not start.startswith((SCENARIO, ENGAGEMENT)):
        raise ValueError(
            "no start: add a line 'start: engagement NAME' or 'start: scenario GAME/NAME'"
        )
    return PerftPosition(start, tuple(throws))


def drawn_positions(bench: Bench) -> list[PerftPosition]:
    """Return up to ``POSITIONS`` positions, reached from every start with seeded dice."""
    by_state: dict[tuple[Any, ...], PerftPosition] = {}
    begun = starts(bench)
    for number in range(len(AFTER)):
        for index, start in enumerate(begun):
            if len(by_state) < POSITIONS:
                position = _after(
                    bench, start, AFTER[(number + index) % len(AFTER)], seed=number + 1
                )
                if position is not None:
                    by_state.setdefault((start, table_at(bench, position).state), position)
    return list(by_state.values())


def _after(bench: Bench, start: str, after: int, seed: int) -> PerftPosition | None:
    try:
        table = _opened(bench, start)
    except CannotStageError:
        return None
    faces, throws = RandomFaces(seed), []
    for _ in range(after):
        event = table.throw_due
        if event is None:
            break
        fell = faces.faces(event)
        throws.append((event.name, tuple(map(str, fell))))
        table.submit(Thrown(event.name, fell))
        give_standard_orders(table)
    event = table.throw_due
    thrown = len(throws) == after and event is not None and len(event.space) <= WIDEST
    return PerftPosition(start, tuple(throws)) if thrown else None


def freeze(bench: Bench) -> list[Path]:
    """Write a game's perft files and return their paths.

    The positions of existing files are counted again; a game without files gets positions reached
    with seeded dice. Raises ``ValueError`` if the game is not a package and so has no folder.
    """
    if bench.installed.folder is None:
        raise ValueError("the game is not a package, so there is no folder for perft tables")
    folder = bench.installed.folder / FOLDER
    files = sorted(folder.glob("*.txt"))
    chosen = [(file.name, read_position(file.read_text(encoding="utf-8"))) for file in files]
    if not chosen:
        for number, position in enumerate(drawn_positions(bench), start=1):
            name = position.start.replace("/", " ").rpartition(" ")[2].replace("_", "-")
            chosen.append((f"{number:02}-{name}-{len(position.throws)}.txt", position))
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, position in chosen:
        path = folder / name
        reached = _reached(bench, position)
        if reached is None:  # this start no longer leads to a throw
            path.unlink(missing_ok=True)
            continue
        table = table_at(bench, reached)
        path.write_text(text(bench, reached, table, count_tallies(table)), encoding="utf-8")
        written.append(path)
    return written


def _reached(bench: Bench, position: PerftPosition) -> PerftPosition | None:
    """Return the position if its throws still fit the rules, else another with the same start.

    Returns None if no throw can be reached from the start.
    """
    try:
        table_at(bench, position)
    except (ValueError, ChanceError):
        after = len(position.throws)
        others = (
            _after(bench, position.start, n, seed)
            for n in range(after, -1, -1)
            for seed in range(1, 9)
        )
        return next((other for other in others if other is not None), None)
    return position


# --- checks --------------------------------------------------------------------------------------
def walkers_agree(bench: Bench) -> Flaws:
    """Check that counts by branches, by every face and by cards dealt are the same.

    The chances that they give must not sum to more than 1.
    """
    faults: Flaws = []
    table = Table(bench.scenario, bench.moments, by_kinds=True)
    faces = RandomFaces(7)
    give_standard_orders(table)
    for number in range(8):
        if (event := table.throw_due) is None:
            break
        faced = by_faces(table, DEEPEST, MOST)
        branches = by_branches(table, len(faced))
        if branches != faced:
            faults.append(
                f"after {number} throws the counts differ: by branches {branches}, by faces {faced}"[
                    :600
                ]
            )
        depth = len(faced) if table.scenario.decks else 0
        dealt = by_faces(Table(bench.scenario, bench.moments, table.state), depth, MOST)
        if any(
            cards.get(label, (0, 0))[1] != kinds[label][1]
            for cards, kinds in zip(dealt, branches, strict=False)
            for label in kinds
        ):
            faults.append(
                f"after {number} throws the chances differ: by kinds of cards {branches}, by cards dealt {dealt}"[
                    :600
                ]
            )
        if any(sum(share for _, share in tally.values()) > 1 for tally in branches):
            faults.append(f"after {number} throws the chances sum to more than 1")
        table.submit(Thrown(event.name, faces.faces(event)))
        give_standard_orders(table)
    return faults


def _counted_alike(bench: Bench) -> Iterator[str]:
    """Yield a flaw for each position where counting faces and following branches disagree."""
    for position in drawn_positions(bench):
        table = table_at(bench, position)
        tallies = count_tallies(table)
        if by_branches(table, len(tallies)) != tallies:
            yield f"{position.start}: playing every face and following branches give different counts"


def tables_are_frozen(bench: Bench) -> Flaws:
    """Check that outcomes match the game's perft tables, counted by branches and by faces.

    A game without a package has no tables; the two counts are compared where seeded dice lead.
    """
    if bench.installed.folder is None:
        return list(_counted_alike(bench))
    files = bench.installed.files(f"{FOLDER}/*.txt")
    if not files:
        return [
            f"no perft table in {FOLDER.as_posix()}: write them with fireplan check {bench.key} --perft"
        ]
    faults: Flaws = []
    for file in files:
        written = file.read_text(encoding="utf-8")
        try:
            position = read_position(written)
            table = table_at(bench, position)
            tallies = count_tallies(table)
            now = text(bench, position, table, tallies)
            if now != written:
                faults.append(_difference(file.name, written, now))
            if by_branches(table, len(tallies)) != tallies:
                faults.append(
                    f"{file.name}: playing every face and following branches give different counts"
                )
        except (ValueError, ChanceError) as error:
            faults.append(f"{file.name}: {error}")
    return faults


def _difference(name: str, written: str, now: str) -> Flaw:
    """Return a flaw that quotes the first line that differs, with the rule it cites.

    If one text only continues the other, the flaw has their numbers of lines.
    """
    old, new = written.splitlines(), now.splitlines()
    for number, (before, after) in enumerate(zip(old, new, strict=False), start=1):
        if before != after:
            cite = before.partition("[")[2].partition("]")[0]
            return Flaw(
                f"{name} line {number}: the file has {before.strip()!r}, but the rules give {after.strip()!r}",
                cite,
            )
    return Flaw(f"{name}: the file has {len(old)} lines, but the rules give {len(new)}")
