"""``fireplan games``, ``rules`` and ``graph``: what is installed, what of the rules is in force, how missions live."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from rich.console import Console
from rich.text import Text

from fireplan.cli._app import BadInputError, refuse, unknown, unwritable, write
from fireplan.cli._compare import catalogue_for, engagement_named
from fireplan_core import CannotStageError
from fireplan_core.play import Catalogue, stage_engagement


def run_games(*, as_json: bool) -> bool:
    """Print the installed games; False when some failed to load."""
    catalogue = Catalogue.installed()
    found = [
        {
            "key": key,
            "title": entry.game.title,
            "edition": entry.game.edition,
            "distribution": entry.distribution,
            "version": entry.version,
            "capabilities": list(entry.game.capabilities),
            "options": {
                option.name: {"values": list(option.values), "rule": option.cite, "summary": option.summary}
                for option in entry.game.options
            },
        }
        for key, entry in catalogue.games.items()
    ]
    problems = [
        {"entry_point": p.entry_point, "distribution": p.distribution, "reason": p.reason} for p in catalogue.problems
    ]
    if as_json:
        sys.stdout.write(json.dumps({"games": found, "problems": problems}, indent=2, default=str) + "\n")
        return not problems
    console = Console(highlight=False)
    for game in found:
        console.print(Text(f"{game['key']}", style="bold"), Text(f"{game['title']}, {game['edition']}"))
        console.print(Text(f"    {game['distribution']} {game['version']}"))
        if game["capabilities"]:
            console.print(Text(f"    can: {', '.join(game['capabilities'])}"))
    for problem in problems:
        console.print(Text(f"{problem['entry_point']} ({problem['distribution']}) failed: {problem['reason']}"))
    return not problems


def run_rules(key: str, status: str | None, *, as_json: bool) -> None:
    """Print the ledger of a game."""
    from rich.table import Table

    from fireplan.kit import coverage

    catalogue = catalogue_for(None, key)
    if key not in catalogue.games:
        raise unknown("game", key, list(catalogue.games))
    every = coverage(catalogue, key)
    known = ["implemented", "open", "not applicable"]
    if status is not None and status not in known:
        raise unknown("status", status, known)
    rows = [row for row in every if status in (None, row["status"])]
    if as_json:
        sys.stdout.write(json.dumps({"game": key, "rules": rows}, indent=2, ensure_ascii=False) + "\n")
        return
    counts = {name: sum(row["status"] == name for row in every) for name in known}
    console = Console()
    table = Table("rule", "summary", "status", "cited", "tests", show_lines=False)
    for row in rows:
        summary = row["summary"] + (f" ({row['reason']})" if row["reason"] else "")
        table.add_row(
            *(Text(str(value)) for value in (row["id"], summary, row["status"], len(row["cited"]), len(row["tests"])))
        )
    if rows:
        console.print(table)
    console.print(Text("  ".join(f"{name}: {count}" for name, count in counts.items())))


def run_graph(key: str, engagement: str | None, picture: Path | None) -> None:
    """Print the life cycle of a game's missions, and draw it if asked."""
    from fireplan.odds import explore_orders, lifecycle_svg, mermaid, passages

    catalogue = catalogue_for(None, key)
    if key not in catalogue.games:
        raise unknown("game", key, list(catalogue.games))
    refuse(unwritable(picture))
    try:
        scenario = stage_engagement(catalogue, key, engagement_named(engagement))
    except CannotStageError as error:
        raise BadInputError(f"{key} cannot stage this engagement: " + "; ".join(error.reasons)) from error
    found = passages(explore_orders(scenario), scenario, scenario.mission_ids[0])
    if picture is not None:
        write(picture, lifecycle_svg(found, catalogue[key].game.title))
    sys.stdout.write(mermaid(found))
