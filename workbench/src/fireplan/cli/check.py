"""``fireplan check``: the conformance kit from the command line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fireplan import api, kit
from fireplan.api import InputError, Result, refusing
from fireplan.cli import _core as core
from fireplan.cli._asked import asks
from fireplan.cli._print import say_line


@asks(api.check)
def check(
    game: str, *, json: bool, csv: bool, perft: bool = False, profile: bool = False, **asked: Any
) -> Iterator[Result]:
    """Write tables of outcomes or a profile where that is wanted; end with a fault where a check is not passed."""
    if perft:
        if json or csv or asked.keys() - {"progress"}:
            raise InputError("--perft writes every table anew and checks nothing: leave the other options out.")
        _write_tables(game)
        return
    if profile:
        if json or csv or "only" in asked:
            raise InputError("--profile checks nothing: leave --only, --json and --csv out.")
        _print_profile(game, asked.get("engagement"))
        return
    found = api.check(game, **asked)
    yield found
    if not found.passed:
        raise InputError(f"{game} fails a check; see above")


def _bench(key: str, engagement: core.Engagement | None) -> kit.Bench:
    """Return the bench of a game that is installed and admitted."""
    api.plugin(key)
    catalogue = core.Catalogue.installed()
    if key not in catalogue.games:
        raise InputError(f"{key} is not admitted; see fireplan check {key}")
    with refusing(staging=f"{key} cannot stage the engagement"):
        return kit.Bench(catalogue, key, engagement)


def _print_profile(key: str, engagement: str | None) -> None:
    """Print what makes a game large."""
    bench = _bench(key, api.engagement_named(engagement) if engagement else None)
    with refusing("followed"):
        for line in kit.profile(bench):
            say_line(line)


def _write_tables(key: str) -> None:
    """Write a game's tables of outcomes anew and name the files."""
    try:
        with refusing():
            written = kit.freeze(_bench(key, None))
    except (OSError, ValueError) as error:
        raise InputError(f"{key}: {error}") from error
    for path in written:
        say_line(str(path))
