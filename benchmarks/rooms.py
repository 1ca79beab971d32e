"""Counts of the house: lines of product code by room, and how often a mission changes part on its way to its fire.

``python benchmarks/rooms.py`` prints both. A change of room is a step of another part than the step before it, steps
of the core left out, from the opening of engagement ``woods`` to the first fall of fire for effect; the figure is the
median over 200 seeds.
"""

from __future__ import annotations

import sys
from pathlib import Path
from statistics import median

from fireplan.comparison import find_engagement
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, Rulebook, Table, play_out, stage_engagement

ROOT = Path(__file__).resolve().parents[1]
ROOMS = (
    "core/src/fireplan_core",
    "workbench/src/fireplan",
    *sorted(f"plugins/{p.name}" for p in (ROOT / "plugins").iterdir()),
)
SEEDS = 200


class _FellError(Exception):
    """The first fire for effect has fallen."""


def lines_of(folder: Path) -> int:
    """Count the lines of all modules below a folder."""
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in folder.rglob("*.py"))


def changes(game: str, seeds: int = SEEDS) -> float:
    """Return the median number of changes of part up to the first fire for effect, of missions that ever fire."""
    catalogue = Catalogue.installed({game})
    engagement = find_engagement("woods")
    scenario = stage_engagement(catalogue, game, engagement)
    moments = scenario.clock.moments(engagement.minutes)
    found = []
    for seed in range(seeds):
        walked: list[str] = []
        run = Rulebook.run

        def noted(self, step, chance_of, read, walked=walked, run=run):
            outcome = run(self, step, chance_of, read)
            word = step.name.partition(".")[0]
            if step.name == "core.fallen":
                raise _FellError
            if word != "core" and walked[-1:] != [word]:
                walked.append(word)
            return outcome

        Rulebook.run = noted
        try:
            play_out(Table(scenario, moments), RandomFaces(seed))
        except _FellError:
            found.append(len(walked) - 1)
        finally:
            Rulebook.run = run
    return median(found)


def main() -> int:
    """Print both tables."""
    counts = {room: lines_of(ROOT / room) for room in ROOMS}
    for room, count in counts.items():
        sys.stdout.write(f"{count:>7,}  {room}\n")
    sys.stdout.write(f"{sum(counts.values()):>7,}  product code\n\n")
    for game in sorted(Catalogue.installed().games):
        sys.stdout.write(
            f"{changes(game):>7g}  changes of part to the first fire for effect: {game}\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
