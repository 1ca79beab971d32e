"""Measure the size of each distribution, and how often play passes between parts before firing.

``python benchmarks/rooms.py`` prints both tables. The size of a distribution is the number of nodes
that ``ast.walk`` visits in its sources, so layout and comments do not count.

A change of part is a step whose part differs from that of the step before it, leaving out steps of
the core. Changes are counted from the opening of the engagement ``woods`` to the first round of
fire for effect; the figure is the median over 200 seeds.
"""

from __future__ import annotations

import ast
import sys
from pathlib import Path
from statistics import median

from fireplan.analysis import find_engagement
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, Rulebook, Table, play_out, stage_engagement

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("core", "workbench", "studio", "kit")
GAMES = tuple(sorted(f"plugins/{path.name}" for path in (ROOT / "plugins").iterdir()))
SEEDS = 200


class _FellError(Exception):
    """Raised when the first fire for effect has fallen."""


def nodes_of(room: str) -> int:
    """Return the number of syntax nodes in a distribution's sources, or 0 if it has none."""
    return sum(
        sum(1 for _ in ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
        for path in (ROOT / room / "src").rglob("*.py")
    )


def changes(game: str, seeds: int = SEEDS) -> float:
    """Return the median number of times that play passes from one part to another before the first
    fire for effect falls, over the seeds in which it falls.
    """
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
    counts = {room: nodes_of(room) for room in (*ROOMS, *GAMES)}
    for room, count in counts.items():
        sys.stdout.write(f"{count:>8,}  {room}\n")
    sys.stdout.write(f"{sum(counts[game] for game in GAMES):>8,}  all games\n")
    sys.stdout.write(f"{sum(counts.values()):>8,}  syntax nodes in all\n\n")
    for game in sorted(Catalogue.installed().games):
        sys.stdout.write(
            f"{changes(game):>7g}  changes of part to the first fire for effect: {game}\n"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
