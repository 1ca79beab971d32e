"""Numbers, lines, rules and questions that no playthrough, perft table or worked example covers."""

import inspect
import sys
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import attrs

from fireplan.solver import uncollected
from fireplan_core import Ask, Engagement, Game, Scenario, names_under, numbers_of, watched_charts
from fireplan_core.play import Answered, Table
from fireplan_kit.bench import Bench
from fireplan_kit.check import admitted
from fireplan_kit.perft import FOLDER, count_tallies, read_position, table_at
from fireplan_kit.recorded_play import witnesses_are_borne_out


def uncovered(key: str, plugin: Any, engagement: Engagement | None = None) -> dict[str, list[str]]:
    """Return everything that no playthrough, perft table or worked example of a game covers.

    It is listed by heading: ``{"lines": ["areas.py:12"], "numbers": [...]}``. Lines that run only
    in a playthrough or perft table are listed as lines without a witness, because those files
    repeat whatever the rules did when they were written. Files that cannot be played are left out,
    and the result is empty for a game that is not admitted; the checks report both.
    """
    noted, lines = set[str](), set[tuple[str, int]]()
    file = getattr(plugin, "__file__", None)
    with uncollected(), _traced(str(Path(file).parent), lines) if file else nullcontext():
        catalogue, flaws = admitted(key, plugin)
        if flaws:
            return {}
        installed = catalogue[key]
        charts = watched_charts(installed.game.charts, noted.add)
        catalogue.games[key] = attrs.evolve(
            installed, game=attrs.evolve(installed.game, charts=charts)
        )
        try:
            bench = Bench(catalogue, key, engagement)
            witnesses_are_borne_out(bench)
            shown, proven = {*noted}, {*lines}
            tables = list(_met(bench))
        except Exception:  # noqa: BLE001 - the checks report whatever a broken game raises
            return {}
    unrun, unproven = (
        [place for file in bench.installed.files("*.py") for place in _unrun(file, run)]
        for run in (lines, proven)
    )
    names_by_kind = {
        **_of_ledger(installed.game, _cited(tables), noted, shown),
        "lines": unrun,
        "lines without a witness": [line for line in unproven if line not in unrun],
        "questions": sorted(_played(bench.scenario) - _asked(bench, tables)),
    }
    return {kind: names for kind, names in names_by_kind.items() if names}


def _played(scenario: Scenario) -> set[str]:
    """Return the names of the questions that players may meet."""
    return {name for name, asked in scenario.questions.items() if not asked.solver_only}


def _of_ledger(
    game: Game, cited: set[str], noted: set[str], shown: set[str]
) -> dict[str, list[str]]:
    """Return the gaps in a game's evidence, listed by heading.

    They are the implemented rules neither cited nor witnessed, the numbers never read, the rules
    that affect a figure but have no witness, and the numbers without a witness. ``cited`` are the
    rules cited in play, ``noted`` the numbers read at all, and ``shown`` those read before any
    playthrough.
    """
    numbers = {name: named for name, named in numbers_of(game.charts).items() if named.cell.watched}
    read, proven = (
        {full for name in names for full in names_under(numbers, name)} for names in (noted, shown)
    )
    played = [rule for rule in game.ledger.rules.values() if rule.status == "implemented"]
    return {
        "rules": [rule.id for rule in played if rule.id not in cited and not rule.witness],
        "numbers": [name for name in numbers if name not in read],
        "rules without a witness": [rule.id for rule in game.ledger.figures if not rule.witness],
        "numbers without a witness": [name for name in numbers if name not in proven],
    }


@contextmanager
def _traced(package: str, lines: set[tuple[str, int]]) -> Iterator[None]:
    """Add each executed (file, line) in a package's folder to ``lines`` while the context lasts."""

    def trace(frame: FrameType, _event: str, _arg: object) -> Any:
        if not frame.f_code.co_filename.startswith(package):
            return None
        lines.add((frame.f_code.co_filename, frame.f_lineno))
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(before)


def _cited(tables: list[Table]) -> set[str]:
    cited = {entry.event.cite for table in tables for entry in table.log}
    cited |= {definition.cite for table in tables for definition in table.scenario.steps.values()}
    cited |= {modifier.cite for table in tables for modifier in table.scenario.modifiers}
    return {rule.strip() for cite in cited for rule in cite.split(",")}


def _asked(bench: Bench, tables: list[Table]) -> set[str]:
    """Return the names of the questions asked at these tables or reachable by orders and dice."""
    asked = {
        answer.question
        for table in tables
        for answer in table.journal
        if isinstance(answer, Answered)
    }
    try:
        return asked | {top.question for top in bench.orders.tops if isinstance(top, Ask)}
    except Exception:  # noqa: BLE001 - too large, or the checks report what a rule raises
        return asked


def _met(bench: Bench) -> Iterator[Table]:
    """Yield the table at the end of every playthrough and at the position of every perft file."""
    for path in (*bench.playthroughs, *bench.installed.files(f"{FOLDER}/*.txt")):
        try:
            if path in bench.playthroughs:
                yield bench.replayed(path)[0].table
            else:
                table = table_at(bench, read_position(path.read_text(encoding="utf-8")))
                count_tallies(table)
                yield table
        except Exception:  # noqa: BLE001, S112 - the checks report whatever a broken game raises
            continue


def _unrun(file: Path, run: set[tuple[str, int]]) -> Iterator[str]:
    """Yield each function in a file that was never entered, and single lines that never ran.

    ``run`` has (file, line) for every line that ran.
    """
    todo = [compile(file.read_text(encoding="utf-8"), str(file), "exec")]
    while todo:
        code = todo.pop()
        todo += [inner for inner in reversed(code.co_consts) if isinstance(inner, CodeType)]
        if code.co_name.startswith("<") or not code.co_flags & inspect.CO_OPTIMIZED:
            continue  # code of a module, class or comprehension, which is not a named function
        own = {
            number for _, _, number in code.co_lines() if number and number > code.co_firstlineno
        }
        missed = sorted(number for number in own if (str(file), number) not in run)
        if missed == sorted(own):
            yield f"{file.name}:{code.co_firstlineno} {code.co_qualname}"
        else:
            yield from (f"{file.name}:{number}" for number in missed)
