"""``fireplan whatif`` and ``numbers``: a game changed, before and after; which numbers move a figure most."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs
from rich.console import Console
from rich.table import Column, Table
from rich.text import Text

from fireplan import compare as comparing
from fireplan.cli._app import BadInputError, gathered, outside, refuse, unknown
from fireplan.cli._compare import Wanted, asked_of, catalogue, catalogue_for, compared, known_games, printed
from fireplan.cli._large import SAMPLE, command, sampled_instead
from fireplan.cli._progress import Bar
from fireplan.cli._sitting import faults_of_sample, sampled_shares
from fireplan.compare import Contender, GameAnswer, Setting, answer, changes, setting
from fireplan.odds import TooLargeError
from fireplan_core import Game, ProcedureError, find_numbers, numbers_of
from fireplan_core.chance import CellError, ChanceError
from fireplan_core.files import FileError, describe
from fireplan_core.play import Catalogue, Variation

if TYPE_CHECKING:
    from fireplan.odds._sample import Engine

TOP = 25
"""Numbers that a ranking shows unless told otherwise."""


@attrs.frozen
class Asked:
    """What is changed, as typed (``GAME.NAME=VALUE``), and whether numbers are to be ranked by what they move.

    ``sample`` are trajectories of a scenario before and after, instead of exact answers (0).
    """

    options: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    ranked_by: str | None = None
    top: int = TOP
    sample: int = 0
    seed: int = 1

    @property
    def typed(self) -> tuple[str, ...]:
        """What is changed, as it is typed again."""
        given = (("--set", self.numbers), ("--option", self.options), ("--chart", self.charts))
        return tuple(word for option, values in given if values for word in (option, *values))


def run_whatif(wanted: Wanted, game: str | None, games: list[str] | None, asked: Asked) -> None:
    """Compare each game as printed with itself changed; or rank the numbers of one table."""
    installed = catalogue()
    if asked.ranked_by is not None:
        from fireplan.cli._ranking import rank

        rank(wanted, installed, game, changes_of(installed, asked), asked)
    elif wanted.engagement is not None and comparing.is_scenario(installed, wanted.engagement):
        _scenario(wanted, installed, games or ([game] if game else None), asked)
    else:
        _engagement(wanted, installed, games if games is not None else [game] if game else None, asked)


def _changed(installed: Catalogue, asked: Asked, faults: list[str]) -> dict[str, Variation]:
    """What is changed, which must be something."""
    if not asked.typed:
        faults.append("Change something: --set, --option GAME.NAME=VALUE or --chart GAME.NAME=FILE.")
    found: dict[str, Variation] = {}
    with gathered(faults):
        found |= changes_of(installed, asked)
    return found


def _engagement(wanted: Wanted, installed: Catalogue, games: list[str] | None, asked: Asked) -> None:
    faults: list[str] = []
    if asked.sample:
        faults.append("--sample is for scenarios; 'fireplan odds --game KEY --sample N' samples an engagement.")
    with gathered(faults):
        asked_of(wanted)
    changed = _changed(installed, asked, faults)
    shown = list(changed)
    if games is not None:
        with gathered(faults):
            shown += known_games(installed, games)
    refuse(faults)
    entrants: list[Contender] = []
    for plain in comparing.contenders(installed, [key for key in installed.games if key in shown]):
        entrants.append(plain)
        if plain.game in changed:
            title = f"{plain.title}, changed"
            entrants.append(Contender(f"{plain.name}*", plain.game, title, changed[plain.game]))
    found = compared(wanted, installed, entrants)
    printed(wanted, found)
    if not wanted.as_json and not wanted.as_csv:
        for key in changed:
            if key in found.games and f"{key}*" in found.games:
                print_changes(found.games[key], found.games[f"{key}*"], Console())


def _scenario(wanted: Wanted, installed: Catalogue, games: list[str] | None, asked: Asked) -> None:
    faults = faults_of_sample(asked.sample, asked.seed)
    if wanted.as_csv or wanted.picture:
        faults.append("--csv and --picture are for engagements; a scenario is printed as a table or with --json.")
    changed = _changed(installed, asked, faults)
    laid: list[Setting] = []
    with gathered(faults):
        laid.append(setting_of(installed, wanted, None))
    for table in laid:
        foreign = [key for key in dict.fromkeys((*changed, *(games or ()))) if key != table.game]
        if foreign:
            faults.append(f"{table.name} is a scenario of {table.game}; {', '.join(foreign)} has no part in it.")
    refuse(faults)
    (table,) = laid
    if asked.sample:
        _sampled(table, changed[table.game], wanted, asked)
        return
    large: TooLargeError | None = None
    with Bar(8) as bar:
        try:
            before, after = (_answer(table, v, bar) for v in (Variation(), changed[table.game]))
        except TooLargeError as error:
            large = error
    if large is not None:
        sys.stderr.write(sampled_instead(large, _exactly(large, table, asked)))
        _sampled(table, changed[table.game], wanted, attrs.evolve(asked, sample=SAMPLE), "rules")
        return
    if wanted.as_json:
        data = {
            "scenario": {"name": table.name, "title": table.title},
            "changed": _overlays(changed[table.game]),
            "games": {table.game: comparing.answer_data(before), f"{table.game}*": comparing.answer_data(after)},
        }
        sys.stdout.write(json.dumps(data, indent=2, ensure_ascii=False) + "\n")
        return
    console = Console()
    console.print(Text(table.title, style="bold"))
    console.print(Text(f"{before.moments} x 1 {before.moment}; every probability is exact.", style="dim"))
    print_changes(before, after, console)


def _answer(table: Setting, variation: Variation, bar: Bar) -> GameAnswer:
    entry = table.catalogue[table.game].game
    try:
        scenario = table.lay(variation)
        return answer(table.game, entry.title, entry.edition, scenario, table.moments(scenario), bar.step)
    except (ProcedureError, ChanceError) as error:
        raise BadInputError(f"This cannot be solved exactly: {error}.") from error
    except FileError as error:
        raise BadInputError(describe(error.faults)) from error


def _exactly(error: TooLargeError, table: Setting, asked: Asked) -> list[tuple[str, str]]:
    """The command for as many minutes as can be followed, if there are any."""
    minutes = int(error.moments * table.lay(Variation()).clock.minutes)
    again = command("whatif", table.name, *asked.typed, "--minutes", minutes)
    return [("exactly, a shorter watch", again)] if minutes else []


def _sampled(table: Setting, variation: Variation, wanted: Wanted, asked: Asked, engine: Engine | None = None) -> None:
    """Shares before and after over so many trajectories of the same seed, with their standard errors."""
    try:
        laid = [table.lay(v) for v in (Variation(), variation)]
        found = [sampled_shares(one, table.moments(one), asked.sample, asked.seed, engine) for one in laid]
    except (ProcedureError, ChanceError) as error:
        raise BadInputError(f"This cannot be sampled: {error}.") from error
    except FileError as error:
        raise BadInputError(describe(error.faults)) from error
    rows = [(what, a, a_error, b, b_error) for (what, a, a_error), (_, b, b_error) in zip(*found, strict=True)]
    if wanted.as_json:
        names = ("before", "before_error", "after", "after_error")
        data = {"exact": False, "trajectories": asked.sample, "changed": _overlays(variation)}
        sampled = {what: dict(zip(names, shares, strict=True)) for what, *shares in rows}
        sys.stdout.write(json.dumps(data | {"sampled": sampled}, indent=2, ensure_ascii=False) + "\n")
        return
    console = Console()
    console.print(Text(f"{table.title}: sampled, {asked.sample:,} trajectories each, seed {asked.seed}", style="bold"))
    shown = Table("", "before", "after", "difference", pad_edge=False)
    for what, a, a_error, b, b_error in rows:
        apart = (a_error**2 + b_error**2) ** 0.5
        shares = (f"{a:.1%} ± {a_error:.1%}", f"{b:.1%} ± {b_error:.1%}")
        shown.add_row(what, *shares, f"{(b - a) * 100:+.1f} ± {apart * 100:.1f} points")
    console.print(shown)
    console.print(Text("± standard errors", style="dim"))


def setting_of(installed: Catalogue, wanted: Wanted, game: str | None) -> Setting:
    refuse(outside("--minutes", wanted.minutes, 1))
    try:
        return setting(installed, wanted.engagement, game, wanted.minutes)
    except FileError as error:
        raise BadInputError(describe(error.faults)) from error


def _overlays(variation: Variation) -> dict[str, Any]:
    return {
        "options": dict(variation.options),
        "charts": {name: str(file) for name, file in variation.charts.items()},
        "numbers": dict(variation.numbers),
    }


def print_changes(before: GameAnswer, after: GameAnswer, console: Console) -> None:
    """The yardsticks before and after; what differs stands out."""
    table = Table("", "before", "after", "difference", title=before.title, pad_edge=False)
    for change in changes(before, after):
        style = "bold yellow" if change.changed else "dim"
        mark = "* " if change.changed else "  "
        table.add_row(
            Text(mark + change.what, style=style),
            *(Text(text, style=style) for text in (change.before, change.after, change.difference)),
        )
    console.print(table)
    console.print(Text("* differs, exactly compared", style="dim"))


# --- what was typed -------------------------------------------------------------------------------


def changes_of(installed: Catalogue, asked: Asked) -> dict[str, Variation]:
    """For each game what is changed, from ``game.name=value``; every fault at once."""
    found: dict[str, dict[str, dict[str, Any]]] = {}
    given: dict[tuple[str, str], str] = {}
    faults: list[str] = []
    typed = (("options", asked.options), ("charts", asked.charts), ("numbers", asked.numbers))
    for kind, text in ((kind, text) for kind, texts in typed for text in texts):
        where, equals, value = text.partition("=")
        key, dot, name = where.strip().partition(".")
        if not equals or not dot:
            faults.append(f"{text!r}: write GAME.NAME=VALUE.")
        elif key not in installed.games:
            faults.append(str(unknown("game", key, list(installed.games))))
        else:
            kept = found.setdefault(key, {"options": {}, "charts": {}, "numbers": {}})[kind]
            faults += _keep(installed[key].game, kind, name, value.strip(), kept)
            before = given.setdefault((kind, where.strip()), value.strip())
            if before != value.strip():
                faults.append(f"{where.strip()}: is changed to {before} and to {value.strip()}; choose one.")
    if faults:
        raise BadInputError("\n".join(faults))
    return {key: Variation(kinds["options"], kinds["charts"], kinds["numbers"]) for key, kinds in found.items()}


def _keep(game: Game, kind: str, name: str, value: str, kept: dict[str, Any]) -> list[str]:
    """Keep one change; what is wrong with it."""
    key = game.key
    if kind == "charts":
        if name not in game.chart_readers:
            return [f"{key}: {unknown('replaceable chart', name, list(game.chart_readers))}"]
        kept[name] = Path(value)
    elif kind == "numbers":
        try:
            named = find_numbers(game.charts, name)
            game.charts_with({}, {name: value})
        except CellError as error:
            return [f"{key}: {error}; 'fireplan numbers {key}' lists them all"]
        kept.update({one.name: value for one in named})
    else:
        known = {option.name: option.values for option in game.options}
        values = {str(v): v for v in known.get(name, ())}
        if name not in known:
            return [f"{key}: {unknown('option', name, list(known))}"]
        if value not in values:
            return [f"{key}.{name}: {unknown('value', value, list(values))}"]
        kept[name] = values[value]
    return []


# --- the list -------------------------------------------------------------------------------------


def run_numbers(key: str, name: str | None, *, as_json: bool) -> None:
    """Print every number of a game, or those under a name."""
    installed = catalogue_for(None, key)
    if key not in installed.games:
        raise unknown("game", key, list(installed.games))
    charts = installed[key].game.charts
    try:
        found = list(numbers_of(charts).values()) if name is None else find_numbers(charts, name)
    except CellError as error:
        raise BadInputError(f"{key}: {error}") from error
    if as_json:
        rows = [
            {
                "name": f"{key}.{named.name}",
                "value": named.cell.value,
                "provenance": named.cell.provenance,
                "rule": named.cell.cite,
                "summary": named.cell.summary,
                "steps": list(named.cell.steps),
            }
            for named in found
        ]
        sys.stdout.write(json.dumps({"game": key, "numbers": rows}, indent=2, ensure_ascii=False) + "\n")
        return
    table = Table(Column("number", overflow="fold"), "value", "provenance", "rule", "meaning", pad_edge=False)
    for named in found:
        cell = named.cell
        table.add_row(*(Text(str(part)) for part in (named.name, cell.value, cell.provenance, cell.cite, cell.summary)))
    Console().print(table)
