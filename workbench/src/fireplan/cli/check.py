"""``fireplan check``: the conformance kit from the command line."""

from __future__ import annotations

import shlex
from typing import Any

import attrs

from fireplan import api, kit
from fireplan.api import InputError, gathered, refuse, refusing, unknown
from fireplan.cli import _core as core
from fireplan.cli._options import GameKey, Several
from fireplan.cli._print import Bar, say_json, say_line

MOST_SHOWN = 20


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
    ids = [law.id for law in kit.LAWS]
    faults = [str(unknown("check", name, ids)) for name in only or () if name not in ids]
    plugin = gathered(faults, _plugin, game)
    staged = gathered(faults, api.engagement_named, engagement) if engagement else kit.STANDARD
    refuse(faults)
    more = f" --engagement {shlex.quote(engagement)}" if engagement else ""
    found: dict[str, list[kit.Finding]] = {}
    with Bar(len(only or kit.LAWS)) as bar:
        for law, findings in kit.examine(game, plugin, staged, tuple(only or ())):
            found[law.id] = [attrs.evolve(finding, more=more) for finding in findings]
            bar.step(law.id)
    _tell(game, found, {} if only else kit.overlooked(game, plugin, staged), json=json)
    if any(found.values()):
        raise InputError(f"{game} fails a check; see above")


def _plugin(key: str) -> Any:
    """Return the plugin behind an entry point; one that cannot even be imported is bad input."""
    from importlib.metadata import entry_points

    entries = {entry.name: entry for entry in entry_points(group=core.GROUP)}
    if key not in entries:
        raise unknown("game", key, sorted(entries))
    try:
        return entries[key].load()
    except (Exception, SystemExit) as error:
        raise InputError(f"{key} cannot be imported: {kit.raised(error)}") from error


def _tell(game: str, found: dict[str, list[kit.Finding]], unseen: dict[str, list[str]], *, json: bool) -> None:
    """Print what the checks found and what they did not look at."""
    if not json:
        _print_lines(found, unseen)
        return
    checks = [
        {
            "id": law.id,
            "demand": law.demand,
            "made": law.id in found,
            "findings": [
                {"text": finding.flaw.text, "rule": finding.flaw.cite, "command": finding.command}
                for finding in found.get(law.id, ())
            ],
        }
        for law in kit.LAWS
    ]
    say_json({"game": game, "passed": not any(found.values()), "checks": checks, "not_looked_at": unseen})


def _print_lines(found: dict[str, list[kit.Finding]], unseen: dict[str, list[str]]) -> None:
    for law in kit.LAWS:
        if law.id not in found:
            continue
        say_line(f"{'broken' if found[law.id] else 'kept  '} {law.id}: {law.demand.splitlines()[0]}")
        for finding in found[law.id][:MOST_SHOWN]:
            say_line(f"         {finding}")
        if len(found[law.id]) > MOST_SHOWN:
            say_line(f"         and {len(found[law.id]) - MOST_SHOWN} more")
    for what, names in unseen.items():
        more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
        say_line(f"not looked at, {len(names)} {what}: {', '.join(names[:MOST_SHOWN])}{more}")


def _bench(key: str, engagement: core.Engagement) -> kit.Bench:
    """Return the bench of a game that is installed and admitted."""
    _plugin(key)
    catalogue = core.Catalogue.installed()
    if key not in catalogue.games:
        raise InputError(f"{key} is not admitted; see fireplan check {key}")
    with refusing(staging=f"{key} cannot stage the engagement"):
        return kit.Bench(catalogue, key, engagement)


def _print_profile(key: str, engagement: str | None) -> None:
    """Print what makes a game large."""
    bench = _bench(key, api.engagement_named(engagement) if engagement else kit.STANDARD)
    with refusing("followed"):
        for line in kit.profile(bench):
            say_line(line)


def _write_tables(key: str) -> None:
    """Write a game's tables of outcomes anew and name the files."""
    try:
        with refusing():
            written = kit.freeze(_bench(key, kit.STANDARD))
    except (OSError, ValueError) as error:
        raise InputError(f"{key}: {error}") from error
    for path in written:
        say_line(str(path))
