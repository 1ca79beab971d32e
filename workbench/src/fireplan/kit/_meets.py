"""The law of hybrids: every part of a game stands at a neutral game's table, and every neutral part at its own."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module, invalidate_caches
from pathlib import Path
from typing import Any

from fireplan.kit._bench import Bench
from fireplan.kit._check import Flaw, Flaws, raised
from fireplan.kit._new import SPACES, Space, rendered
from fireplan_core import WORDS, CannotStageError, Scenario
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, Table, Variation, play_out, stage_engagement

MISSIONS = 40
"""Missions played on each table: if fire can fall, it falls in one of them."""
NEUTRAL, MINUTES, FEWEST = "neutral", 40, 6

MIDDLE = """
    def middle(self) -> tuple[int, ...]:
        return self.places.parse("J8")
"""


@contextmanager
def imported(key: str, files: Mapping[str, str]) -> Iterator[Any]:
    """Lend the module of a game that is written from these files; afterwards nothing of it is left."""
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
            for name in [name for name in sys.modules if name.partition(".")[0] == f"fireplan_{key}"]:
                del sys.modules[name]


def parts_stand_at_a_neutral_table(bench: Bench) -> Flaws:
    """Check that each part of the game, put to a plain new game, and each of that put to it, refuses or fires.

    None of these tables raises an exception, and on none missions go on without fire and without an end.
    """
    if not _comes_to(bench.scenario):
        return []  # it does not fire at its own table either, which is the matter of another law
    faults: Flaws = []
    for space in SPACES:
        key = f"{NEUTRAL}_{space}"
        with imported(key, _neutral(key, space)) as plugin:
            catalogue = Catalogue()
            catalogue.admit(bench.installed.plugin)
            catalogue.admit(plugin)
            for word in WORDS:
                for host, guest in ((key, bench.key), (bench.key, key)):
                    faults += _met(bench, catalogue, host, {word: guest})
    return faults


def _neutral(key: str, space: Space) -> dict[str, str]:
    """Return the files of a new game that stages engagements where any game can aim: in the middle of its map."""
    files = rendered(key, space)
    if space == "hex":
        files[f"src/fireplan_{key}/areas.py"] += MIDDLE
    return files


def _met(bench: Bench, catalogue: Catalogue, host: str, parts: Mapping[str, str]) -> Iterator[Flaw]:
    """Yield what is wrong with a table of one game with a part of another."""
    ((word, guest),) = parts.items()
    what = f"{host} with the {word} of {guest}"
    try:
        scenario = stage_engagement(catalogue, host, bench.engagement, Variation(parts=parts))
        if not _comes_to(scenario):
            yield Flaw(f"{what}: in {MISSIONS} missions fire never falls, and not all tell their end: a silent 0 %")
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
        told = {entry.event.kind for entry in play_out(Table(scenario, moments), RandomFaces(seed)).log}
        if "fall" in told:
            return True
        every_end &= "ended" in told
    return every_end
