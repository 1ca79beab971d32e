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
from fireplan.draw.svg import filled_template
from fireplan.solver import Compiler, Count
from fireplan_core import WORDS, CannotStageError, Engagement, Scenario
from fireplan_core.chance import RandomFaces
from fireplan_core.play import (
    Catalogue,
    Table,
    Variation,
    play_out,
    replay,
    stage_engagement,
)
from fireplan_core.sources import parsed
from fireplan_kit.bench import Bench
from fireplan_kit.check import Flaw, Flaws, raised
from fireplan_kit.laws import compiled_branches, followed
from fireplan_kit.names_in_sources import compared_gaps, own_frames
from fireplan_kit.scaffolding import Space, rendered


@attrs.frozen
class Meeting:
    """The result of trying a combination of parts: a refusal, or figures from play.

    ``parts`` maps each part to the game that supplies it. ``delivered`` is the exact chance that
    fire for effect falls within the moments followed. ``mass`` is the total probability of all
    outcomes, which should be 1. ``replayed`` is true if a game played with dice and its replay
    ended in the same state. After a refusal, the figures keep their defaults.
    """

    parts: Mapping[str, str]
    refusal: str = ""
    delivered: Fraction = Fraction(0)
    mass: Fraction = Fraction(0)
    replayed: bool = False


def combinations(games: tuple[str, ...]) -> Iterator[dict[str, str]]:
    """Yield every combination of the five parts of these games, as a mapping from part to game.

    >>> len(list(combinations(("asl", "red_poppies"))))
    32
    """
    for chosen in product(games, repeat=len(WORDS)):
        yield dict(zip(WORDS, chosen, strict=True))


def meet(
    catalogue: Catalogue, engagement: Engagement, parts: Mapping[str, str], moments: int = 2
) -> Meeting:
    """Try a table of parts for a few moments and return the result.

    A refusal to stage is part of the result; any other error is raised.

    >>> from fireplan_core.play import Catalogue
    >>> hybrid = dict.fromkeys(("observers", "requests", "areas", "resolution"), "asl")
    >>> hybrid["delays"] = "red_poppies"
    >>> catalogue = Catalogue.installed(only=("asl", "red_poppies"))
    >>> meeting = meet(catalogue, STANDARD, hybrid, moments=1)
    >>> meeting.refusal, meeting.mass
    ('', Fraction(1, 1))
    """
    try:
        scenario = stage_engagement(
            catalogue, parts["requests"], engagement, Variation(parts=parts)
        )
    except CannotStageError as error:
        return Meeting(parts, "; ".join(error.reasons))
    delivered, mass = chance_of_fire(scenario, moments)
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
    return filled_template(
        __package__,
        "tables.md.j2",
        **shown,
        refused=sorted(refused.items()),
        tried=len(swaps),
    )


def _swaps(games: tuple[str, ...]) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield (game, change in words, parts): each game as it is, then each exchange of one part."""
    for game in games:
        own = dict.fromkeys(WORDS, game)
        yield game, "its own parts", own
        for word in WORDS:
            for other in games:
                if other != game:
                    yield game, f"{word} of {other}", own | {word: other}


def chance_of_fire(scenario: Scenario, moments: int) -> tuple[Fraction, Fraction]:
    """Return the exact chance that fire falls within these moments, and the sum of all chances.

    Strikes on places are not followed.

    >>> from fireplan_core.play import Catalogue
    >>> bench = Bench(Catalogue.installed(only=("red_poppies",)), "red_poppies")
    >>> falls, whole = chance_of_fire(bench.scenario, 2)
    >>> whole
    Fraction(1, 1)
    """
    branches = compiled_branches(Compiler(scenario))
    *_, (_, shares) = followed(scenario, Count("fall", most=1), moments, branches, struck=False)
    return shares.get(1, Fraction(0)), sum(shares.values(), Fraction(0))


LEAST, MISSIONS, MORE = 2, 40, 200
"""The fewest missions played on a table if fire is on target, the most if it is not, and the number
needed to conclude that it never is."""
NEUTRAL, MINUTES, FEWEST = "neutral", 40, 6
AREAS = "src/fireplan_{key}/areas.py"
NEUTRAL_GAMES: Mapping[str, tuple[Space, tuple[tuple[str, str], ...]]] = {
    "hex": ("hex", ()),
    "plane": (
        "plane",
        (
            ("PlaneFrame(1.0)", "PlaneFrame()"),
            (
                "    def __init__(self",
                '''    def middle(self):
        """Return the middle of the target, away from the origin, where every frame agrees."""
        return (300, -200)

    def __init__(self''',
            ),
        ),
    ),
    "vertex": ("hex", (("HexFrame", "VertexFrame"),)),
    "cleared": (
        "hex",
        (
            ('options["turns_of_fire"]', "3"),
            (
                "from fireplan_core.ready_parts import",
                "from fireplan_core import Effects, step, update\nfrom fireplan_core.ready_parts import",
            ),
            (
                "    def middle(self)",
                '''    @step(cite="4.2")
    def fallen(self, chance, view, mission):
        """Clear the aim once fire has fallen."""
        cleared = update(view.mission(mission), aim=None)
        return Effects(super().fallen(chance, view, mission), cleared)

    def middle(self)''',
            ),
        ),
    ),
}
"""Maps each neutral game to its space, and to the changes in its areas.

The maps consist of hexes, of vertices, and of a plane in yards whose target is not at the origin.
One game clears its aim when fire has fallen.
"""


@contextmanager
def imported(key: str, files: Mapping[str, str]) -> Iterator[Any]:
    """Import a game from a mapping of paths to texts; unload the game when the context ends.

    Yields the package ``fireplan_KEY``, which is below ``src`` in the mapping.
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
    """Check that each part of the game works in a plain new game, and each plain part in the game.

    Such a table must be refused, or fire must fall, or every mission must end; no table may raise
    an exception. Where fire is on target in both games, it must be on target at their tables too.
    Outside the areas, no part may treat a gap, which is in map units, as metres.
    """
    faults: Flaws = list(_gaps_as_metres(bench))
    own = _seen(bench.scenario)
    if not own & {FALLS, ALL_END}:
        return faults  # the game's own scenario never fires, which L14-ends reports
    for name, (space, changes) in NEUTRAL_GAMES.items():
        key = f"{NEUTRAL}_{name}"
        files = rendered(key, space)
        areas = AREAS.format(key=key)
        for old, new in changes:
            files[areas] = files[areas].replace(old, new)
        with imported(key, files) as plugin:
            catalogue = Catalogue()
            catalogue.admit(bench.installed.plugin)
            catalogue.admit(plugin)
            hits = ON_TARGET in own & _seen(stage_engagement(catalogue, key, bench.engagement))
            for word in WORDS:
                for host, guest in ((key, bench.key), (bench.key, key)):
                    faults += _flaws_together(bench, catalogue, host, {word: guest}, hits=hits)
    return faults


def _gaps_as_metres(bench: Bench) -> Iterator[str]:
    """Yield a flaw for each comparison of a gap with a number, outside the game's areas.

    A measurement in one of the game's own frames is a flaw too.
    """
    areas = {kind.__name__ for kind in type(bench.scenario.parts.areas).__mro__}
    for path in bench.installed.files("*.py"):
        for line in compared_gaps(parsed(path), areas):
            yield (
                f"{path.name}:{line} compares a gap, which is a squared distance in the units of the"
                " map: use view.frame.gap_metres(gap)"
            )
        for line in own_frames(parsed(path), areas):
            yield (
                f"{path.name}:{line} measures in its own frame: at a table with another game's"
                " map use view.frame"
            )


def _flaws_together(
    bench: Bench, catalogue: Catalogue, host: str, parts: Mapping[str, str], *, hits: bool
) -> Iterator[Flaw]:
    """Yield the flaws found when the game ``host`` uses a part of another game.

    ``parts`` maps the part to that game. ``hits`` is true if fire is on target in both games by
    themselves.
    """
    ((word, guest),) = parts.items()
    table = f"{host} with the {word} of {guest}"
    try:
        scenario = stage_engagement(catalogue, host, bench.engagement, Variation(parts=parts))
        seen = _seen(scenario)
        if not seen & {FALLS, ALL_END}:
            yield Flaw(
                f"{table}: in {MISSIONS} missions fire never falls, and some have no end: the chance of fire would be"
                " 0 % without a warning"
            )
        elif hits and ON_TARGET not in seen and ON_TARGET not in _seen(scenario, MORE):
            yield Flaw(
                f"{table}: in {MORE} missions fire is never on target, as it is in both games by themselves: measure"
                " in the frame of the table (view.frame), not in the game's own"
            )
    except CannotStageError:
        return  # the game refused the table and gave its reasons
    except Exception as error:  # noqa: BLE001 - report whatever a broken part raises
        flaw = raised(error)
        yield Flaw(f"{table}: {flaw.text}", flaw.cite if bench.cited(flaw.cite) else "")


FALLS, ON_TARGET, ALL_END = "fire falls", "fire is on target", "every mission ends"


def _seen(scenario: Scenario, missions: int = MISSIONS) -> frozenset[str]:
    """Return the subset of ``FALLS``, ``ON_TARGET`` and ``ALL_END`` that played missions show.

    Missions are played by the standard orders, up to ``missions`` of them, or fewer once fire is on
    target. ``ALL_END`` means that every mission played has ended.
    """
    moments = max(FEWEST, scenario.clock.moments(MINUTES))
    seen = set[str]()
    every_end = True
    for seed in range(missions):
        events = [
            entry.event for entry in play_out(Table(scenario, moments), RandomFaces(seed)).log
        ]
        falls = [event for event in events if event.kind == "fall"]
        seen |= {FALLS} if falls else set()
        seen |= {ON_TARGET} if any(event["on_target"] for event in falls) else set()
        if ON_TARGET in seen and seed + 1 >= LEAST:
            return frozenset(seen)
        every_end &= any(event.kind == "ended" for event in events)
    return frozenset((*seen, ALL_END) if every_end else seen)
