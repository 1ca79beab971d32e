"""``fireplan rules``: what of a game's rules is played, where, and which tests cover it."""

from __future__ import annotations

from fireplan import kit
from fireplan.cli._app import unknown
from fireplan.cli._open import catalogue_with
from fireplan.cli._options import GameKey, Json
from fireplan.cli._print import say_json, say_table, say_text

STATUSES = ["implemented", "open", "not applicable"]


def rules(game: GameKey, /, *, json: Json = False, status: str | None = None) -> None:
    """Show every numbered rule of a game: what it says, whether it is in force here, where, and which tests cover it.

    Parameters
    ----------
    status
        Only rules of this status: implemented, open or 'not applicable'.
    """
    every = kit.coverage(catalogue_with(game), game)
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
