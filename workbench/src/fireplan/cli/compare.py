"""``fireplan compare``: one engagement answered by several games; and how commands print comparisons."""

from __future__ import annotations

import sys
from pathlib import Path
from shutil import get_terminal_size

from fireplan import api, comparison
from fireplan.api import Result, besides, unwritable
from fireplan.cli import _options
from fireplan.cli._open import catalogue
from fireplan.cli._options import Csv, HouseRules, Minutes, Picture, Several, Yes, given_facts
from fireplan.cli._print import Bar, asking, say_wrapped


def compare(  # noqa: PLR0913 - what is compared and how it is told
    engagement: str | None = None,
    /,
    *,
    games: Several = None,
    minutes: Minutes = None,
    json: bool = False,
    csv: Csv = False,
    picture: Picture = None,
    explain: bool = False,
    yes: Yes = False,
    rules: HouseRules = None,
    facts: _options.Facts = None,
) -> None:
    """Answer one engagement with every installed game, side by side.

    :param engagement: A shipped engagement (woods, dug_in, open_attack, strongpoint) or the path of your own file;
        woods by default.
    :param games: These games alone, by the keys that 'fireplan games' lists, separated by commas or spaces, or all. By
        default the games that are from their rulebook, and all where a table of all has room.
    :param json: Print JSON with exact rationals instead of the table.
    :param picture: Also draw footprints, first falls and delivery over time into this file (.svg or .png).
    :param explain: Also print what each yardstick means, with a figure of this comparison read aloud.
    """
    faults = how_faults(json=json, csv=csv, picture=picture)
    if explain and (json or csv):
        faults.append("--explain goes with the table alone; leave out --json and --csv.")
    installed = catalogue()
    others = [] if games or json or csv else [key for key in installed.games if key not in comparison.usual(installed)]
    if others and len(installed.games) <= api.room_for(get_terminal_size().columns):
        games, others = ["all"], []
    with Bar() as bar, besides(faults):
        found = api.compare(
            engagement,
            games=games,
            minutes=minutes,
            house_rules=rules,
            explain=explain,
            catalogue=installed,
            progress=bar.step_of,
            begin=asking("watch fewer minutes", yes=yes),
            **given_facts(facts),
        )
    tell(found, json=json, csv=csv, picture=picture)
    if others:
        say_wrapped(f"Also installed: {', '.join(others)}. --games all compares them too.")


def how_faults(*, json: bool, csv: bool, picture: Path | None) -> list[str]:
    """Return what is wrong with how a result is to be told."""
    faults = [fault] if (fault := unwritable(picture)) else []
    return [*faults, "--json and --csv cannot both be printed; choose one."] if json and csv else faults


def tell(result: Result, *, json: bool = False, csv: bool = False, picture: Path | None = None) -> None:
    """Print a result in the form asked for, and draw it where that is asked for."""
    if picture is not None:
        result.save(picture)
    if json:
        sys.stdout.write(result.json())
    elif csv:
        sys.stdout.write(result.csv())
    else:
        result.print()
        if picture is not None:
            sys.stdout.write(f"Picture: {picture}\n")
