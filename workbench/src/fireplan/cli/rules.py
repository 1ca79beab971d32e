"""``fireplan rules``: what of a game's rules is played, where, and which tests cover it."""

from __future__ import annotations

from difflib import get_close_matches

from fireplan import kit
from fireplan.cli import _core as core
from fireplan.cli._app import BadInputError, unknown
from fireplan.cli._open import catalogue_with
from fireplan.cli._options import GameKey, Json
from fireplan.cli._print import say_json, say_line, say_table, say_text

STATUSES = ["implemented", "open", "not applicable"]


def rules(game: GameKey, rule: str | None = None, /, *, json: Json = False, status: str | None = None) -> None:
    """Show every numbered rule of a game: what it says, whether it is in force here, where, and which tests cover it.

    :param rule: The number of one rule: also print the steps that cite it, the numbers that rest on it, and its tests
        by name.
    :param status: Only rules of this status: implemented, open or 'not applicable'.
    """
    installed = catalogue_with(game)
    if rule is not None:
        if status is not None:
            raise BadInputError("--status chooses among all rules; leave it out, or name no rule.")
        _print_page(installed, game, rule, as_json=json)
        return
    every = kit.coverage(installed, game)
    if status is not None and status not in STATUSES:
        raise unknown("status", status, STATUSES)
    rows = [row for row in every if status in (None, row["status"])]
    if json:
        say_json({"game": game, "rules": rows})
        return
    cells = []
    for row in rows:
        summary = row["summary"] + (f" ({row['reason']})" if row["reason"] else "")
        cells.append((row["id"], summary, row["status"], len(row["cited"]), len(row["tests"])))
    if rows:
        say_table(("rule", "summary", "status", "cited", "tests"), cells, pad_edge=True)
    say_text("  ".join(f"{name}: {sum(row['status'] == name for row in every)}" for name in STATUSES))


def _print_page(installed: core.Catalogue, game: str, rule: str, *, as_json: bool) -> None:
    """Print what there is to one rule."""
    rules = installed[game].game.ledger.rules
    if rule not in rules:
        near = get_close_matches(rule, rules, n=3, cutoff=0.5)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise BadInputError(f"{game} has no rule {rule!r}.{hint} 'fireplan rules {game}' lists them all.")
    page = kit.rule_page(installed, game, rule)
    if as_json:
        say_json({"game": game, **page.data()})
    else:
        say_line("\n".join(page.lines()))
