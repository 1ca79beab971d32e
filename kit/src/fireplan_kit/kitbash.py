"""Parts of different games at one table: which combinations can be staged, and how they play."""

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from importlib import import_module, invalidate_caches
from itertools import product
from pathlib import Path
from typing import Any

import attrs

from fireplan.analysis import find_engagement, shipped_engagements
from fireplan.draw.svg import written
from fireplan.solver import Compiler, Count
from fireplan_core import WORDS, CannotStageError, Engagement, Pending, Scenario
from fireplan_core.chance import RandomFaces
from fireplan_core.play import (
    Catalogue,
    Outcome,
    Table,
    Variation,
    play_out,
    replay,
    stage_engagement,
)
from fireplan_core.play.scenario import Read
from fireplan_kit.bench import Bench
from fireplan_kit.check import Flaw, Flaws, raised
from fireplan_kit.laws import followed
from fireplan_kit.scaffolding import SPACES, rendered


@attrs.frozen
class Meeting:
    """The result of trying a table of parts: a refusal, or figures from play.

    ``parts`` maps each part to its game. ``delivered`` is the exact chance that fire for effect has
    fallen within the moments followed, and ``mass`` is the sum of all chances; ``replayed`` is true
    if a game played with dice and its replay ended in the same state.
    """

    parts: Mapping[str, str]
    refusal: str = ""
    delivered: Fraction = Fraction(0)
    mass: Fraction = Fraction(0)
    replayed: bool = False


def tables(games: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yield every combination of the five parts of these games, as a mapping from part to game."""
    for chosen in product(games, repeat=len(WORDS)):
        yield dict(zip(WORDS, chosen, strict=True))


def meet(
    catalogue: Catalogue, engagement: Engagement, parts: Mapping[str, str], moments: int = 2
) -> Meeting:
    """Try a table of parts for a few moments and return the result.

    A refusal to stage is part of the result; any other error is raised.
    """
    try:
        scenario = stage_engagement(
            catalogue, parts["requests"], engagement, Variation(parts=parts)
        )
    except CannotStageError as error:
        return Meeting(parts, "; ".join(error.reasons))
    delivered, mass = follow(scenario, moments)
    table = play_out(Table(scenario, moments), RandomFaces(4))
    replayed = replay(scenario, moments, table.journal).state == table.state
    return Meeting(parts, "", delivered, mass, replayed)


def markdown(installed: Catalogue, meetings: Sequence[Meeting]) -> str:
    """Return the meetings as Markdown: how many play, every swap of one part, every refusal."""
    by_parts = {tuple(meeting.parts.values()): meeting for meeting in meetings}
    swaps = list(_swaps(tuple(installed.games)))
    refused: dict[tuple[str, str], list[str]] = {}
    for name, (game, change, parts) in product(shipped_engagements(), swaps):
        try:
            stage_engagement(installed, game, find_engagement(name), Variation(parts=parts))
        except CannotStageError as error:
            for reason in error.reasons:
                refused.setdefault((name, reason), []).append(f"{game} with {change}")
    swapped = [
        (game, word, [by_parts[tuple((own | {word: other}).values())] for other in installed.games])
        for game in installed.games
        for own in [dict.fromkeys(WORDS, game)]
        for word in WORDS
    ]
    shown = {"games": installed.games, "meetings": meetings, "swapped": swapped}
    return written(
        __package__, "tables.md.j2", **shown, refused=sorted(refused.items()), tried=len(swaps)
    )


def _swaps(games: tuple[str, ...]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield (game, change in words, parts): each game unchanged, then with one foreign part."""
    for game in games:
        own = dict.fromkeys(WORDS, game)
        yield game, "its own parts", own
        for word in WORDS:
            for other in games:
                if other != game:
                    yield game, f"{word} of {other}", own | {word: other}


def follow(scenario: Scenario, moments: int) -> tuple[Fraction, Fraction]:
    """Return the exact chance that fire falls within these moments, and the sum of all chances.

    Strikes on places are not followed.
    """
    compiler = Compiler(scenario)

    def branches(pending: Pending, read: Read) -> Iterator[tuple[int, int, Outcome]]:
        rows = compiler.rows(pending, read)
        return ((row.weight, rows.total, row.outcome) for row in rows.rows)

    *_, (_, shares) = followed(scenario, Count("fall", most=1), moments, branches, struck=False)
    return shares.get(1, Fraction(0)), sum(shares.values(), Fraction(0))


MISSIONS = 40
"""Number of missions played on each table, enough for fire to fall at least once if it can."""
NEUTRAL, MINUTES, FEWEST = "neutral", 40, 6


@contextmanager
def imported(key: str, files: Mapping[str, str]) -> Iterator[Any]:
    """Import a game from a mapping of paths to text; unload the game when the context ends."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        source = str(Path(folder) / "src")
        sys.path.insert(0, source)
        invalidate_caches()
        try:
            yield import_module(f"fireplan_{key}")
        finally:
            sys.path.remove(source)
            for name in [
                name for name in sys.modules if name.partition(".")[0] == f"fireplan_{key}"
            ]:
                del sys.modules[name]


def parts_stand_at_a_neutral_table(bench: Bench) -> Flaws:
    """Check that each part of the game works in a plain new game, and each plain part in the game.

    Such a table must be refused, or fire must fall, or every mission must end; no table may raise
    an exception.
    """
    if not _fires_or_ends(bench.scenario):
        return []  # no fire at its own table either: L14-ends reports it
    faults: Flaws = []
    for space in SPACES:
        key = f"{NEUTRAL}_{space}"
        with imported(key, rendered(key, space)) as plugin:
            catalogue = Catalogue()
            catalogue.admit(bench.installed.plugin)
            catalogue.admit(plugin)
            for word in WORDS:
                for host, guest in ((key, bench.key), (bench.key, key)):
                    faults += _met(bench, catalogue, host, {word: guest})
    return faults


def _met(bench: Bench, catalogue: Catalogue, host: str, parts: Mapping[str, str]) -> Iterator[Flaw]:
    """Yield the flaws found when one game uses a part of another."""
    ((word, guest),) = parts.items()
    table = f"{host} with the {word} of {guest}"
    try:
        scenario = stage_engagement(catalogue, host, bench.engagement, Variation(parts=parts))
        if not _fires_or_ends(scenario):
            yield Flaw(
                f"{table}: in {MISSIONS} missions fire never falls, and some have no end: the chance of fire would be"
                " a silent 0 %"
            )
    except CannotStageError:
        return  # a refusal with its reasons
    except Exception as error:  # noqa: BLE001 - report whatever a broken part raises
        flaw = raised(error)
        yield Flaw(f"{table}: {flaw.text}", flaw.cite if bench.cited(flaw.cite) else "")


def _fires_or_ends(scenario: Scenario) -> bool:
    """Return whether fire falls in a mission played by standard orders, or all the missions end."""
    moments = max(FEWEST, scenario.clock.moments(MINUTES))
    every_end = True
    for seed in range(MISSIONS):
        kinds = {
            entry.event.kind for entry in play_out(Table(scenario, moments), RandomFaces(seed)).log
        }
        if "fall" in kinds:
            return True
        every_end &= "ended" in kinds
    return every_end
