"""``fireplan check``: the conformance kit from the command line."""

from __future__ import annotations

from fireplan import api, kit
from fireplan.api import InputError, refusing
from fireplan.cli import _core as core
from fireplan.cli._options import GameKey, Several
from fireplan.cli._print import Bar, say_line
from fireplan.cli.compare import tell


def check(
    game: GameKey,
    /,
    *,
    engagement: str | None = None,
    only: Several = None,
    perft: bool = False,
    profile: bool = False,
    json: bool = False,
) -> None:
    """Hold a game to the checks that every game must pass, and say what breaks them, by which rule.

    :param engagement: The engagement to try them on; the kit's own small one by default.
    :param only: Only these checks, by their ids (docs/checks.md), e.g. L03-mass.
    :param perft: Do not check: write the game's tables of what every throw leads to anew (data/perft of its package).
    :param profile: Do not check: say how large the game is on the engagement, and which values and steps make it so.
    :param json: Print JSON instead of lines.
    """
    if perft:
        if engagement or only or json:
            raise InputError("--perft writes every table anew and checks nothing: leave the other options out.")
        _write_tables(game)
        return
    if profile:
        if only or json:
            raise InputError("--profile checks nothing: leave --only and --json out.")
        _print_profile(game, engagement)
        return
    with Bar() as bar:
        found = api.check(game, only or (), engagement=engagement, progress=bar.step_of)
    tell(found, json=json)
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
