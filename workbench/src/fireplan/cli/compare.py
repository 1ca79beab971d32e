"""``fireplan compare``: one engagement answered by several games."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from shutil import get_terminal_size
from typing import Any

from fireplan import api, comparison
from fireplan.api import Result, besides, catalogue
from fireplan.cli._asked import asks
from fireplan.cli._print import say_wrapped


@asks(api.compare)
def compare(
    *, games: str | Iterable[str] | None = None, json: bool, csv: bool, explain: bool = False, **asked: Any
) -> Iterator[Result]:
    """Compare all games where the terminal has room for them, and say which others there are where it has not."""
    faults = ["--explain goes with the table alone; leave out --json and --csv."] if explain and (json or csv) else []
    installed = catalogue()
    others = [] if games or json or csv else [key for key in installed.games if key not in comparison.usual(installed)]
    if others and len(installed.games) <= api.room_for(get_terminal_size().columns):
        games, others = ["all"], []
    with besides(faults):
        found = api.compare(games=games, explain=explain, catalogue=installed, **asked)
    yield found
    if others:
        say_wrapped(f"Also installed: {', '.join(others)}. --games all compares them too.")
