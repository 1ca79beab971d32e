"""Parts of different games at one table: which of them can meet, and how each stands at a neutral game's table."""

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
from fireplan_kit.new_game import SPACES, rendered


@attrs.frozen
class Meeting:
    """Say what came of a table: whose parts, why they cannot meet, or what was found.

    ``delivered`` is the exact chance that fire for effect has fallen within the moments followed, ``mass`` the sum of
    all chances; ``replayed`` is whether a game played with dice and its replay ended alike.
    """

    parts: Mapping[str, str]
    refusal: str = ""
    delivered: Fraction = Fraction(0)
    mass: Fraction = Fraction(0)
    replayed: bool = False


def tables(games: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yield every choice of the five parts among some games."""
    for chosen in product(games, repeat=len(WORDS)):
        yield dict(zip(WORDS, chosen, strict=True))


def meet(
    catalogue: Catalogue, engagement: Engagement, parts: Mapping[str, str], moments: int = 2
) -> Meeting:
    """Try out one table for a few moments. What is no refusal to stage is an error, and raised."""
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
    """Return some meetings as Markdown: how many play, every single swap, who refuses which shipped engagement."""
    known = {tuple(meeting.parts.values()): meeting for meeting in meetings}
    swaps, refused = list(_swaps(tuple(installed.games))), []
    for name, (game, what, parts) in product(shipped_engagements(), swaps):
        try:
            stage_engagement(installed, game, find_engagement(name), Variation(parts=parts))
        except CannotStageError as error:
            refused.append((name, game, what, error.reasons))
    swapped = [(game, what, known[tuple(parts.values())]) for game, what, parts in swaps]
    shown = {"games": installed.games, "meetings": meetings, "swapped": swapped, "refused": refused}
    return written(__package__, "tables.md.j2", **shown)


def _swaps(games: tuple[str, ...]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield each game with its own parts, then with one part of each of the others."""
    for game in games:
        own = dict.fromkeys(WORDS, game)
        yield game, "its own parts", own
        for word in WORDS:
            for other in games:
                if other != game:
                    yield game, f"{word} of {other}", own | {word: other}


def follow(scenario: Scenario, moments: int) -> tuple[Fraction, Fraction]:
    """Return the chance that fire has fallen within so many moments, and the sum of all chances, both exact.

    What strikes do to units is left out where the mission cannot read it back: scoped steps are not
    followed.
    """
    compiler = Compiler(scenario)

    def branches(pending: Pending, read: Read) -> Iterator[tuple[int, int, Outcome]]:
        rows = compiler.rows(pending, read)
        return ((row.weight, rows.total, row.outcome) for row in rows.rows)

    *_, (_, shares) = followed(scenario, Count("fall", most=1), moments, branches, struck=False)
    return shares.get(1, Fraction(0)), sum(shares.values(), Fraction(0))


MISSIONS = 40
"""Missions played on each table: if fire can fall, it falls in one of them."""
NEUTRAL, MINUTES, FEWEST = "neutral", 40, 6


@contextmanager
def imported(key: str, files: Mapping[str, str]) -> Iterator[Any]:
    """Lend the module of a game that is written from these files.

    Afterwards nothing of it is left.
    """
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
    """Check that each part of the game, put to a plain new game, and each of that put to it, refuses or fires.

    None of these tables raises an exception, and on none missions go on without fire and without an
    end.
    """
    if not _comes_to(bench.scenario):
        return []  # it does not fire at its own table either, which is the matter of another law
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
    """Yield what is wrong with a table of one game with a part of another."""
    ((word, guest),) = parts.items()
    what = f"{host} with the {word} of {guest}"
    try:
        scenario = stage_engagement(catalogue, host, bench.engagement, Variation(parts=parts))
        if not _comes_to(scenario):
            yield Flaw(
                f"{what}: in {MISSIONS} missions fire never falls, and not all tell their end: a silent 0 %"
            )
    except CannotStageError:
        return  # a refusal with its reasons
    except Exception as error:  # noqa: BLE001 - whatever a broken part raises must be told, not thrown
        flaw = raised(error)
        yield Flaw(f"{what}: {flaw.text}", flaw.cite if bench.cited(flaw.cite) else "")


def _comes_to(scenario: Scenario) -> bool:
    """Return whether fire falls in one of the missions played by the standard orders, or all of them tell their end."""
    moments = max(FEWEST, scenario.clock.moments(MINUTES))
    every_end = True
    for seed in range(MISSIONS):
        told = {
            entry.event.kind for entry in play_out(Table(scenario, moments), RandomFaces(seed)).log
        }
        if "fall" in told:
            return True
        every_end &= "ended" in told
    return every_end
