"""The work of the workers: functions of plain hashable arguments whose answers pass from process to process."""

import time  # noqa: TID251 - how long a visitor waits; no figure depends on it
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

import attrs
from markupsafe import Markup

import fireplan as fp
from fireplan import analysis
from fireplan.analysis import (
    FIGURES,
    Comparison,
    Contender,
    Effect,
    Moves,
    Setting,
    Trial,
    Tuner,
    Want,
)
from fireplan.questions.belief import belief_at
from fireplan.questions.position import PositionResult
from fireplan.questions.question import ask, entries, question_named
from fireplan.questions.result import Block
from fireplan.questions.sweep import SweepResult, read_sweep
from fireplan.solver import explore_orders, lifecycle_svg, passages
from fireplan.sweeps import Store, StoreError, solve_point
from fireplan.table import Viewer, reopen, shipped_playthroughs, sides_of
from fireplan_core import REFEREE, Engagement
from fireplan_core.files import Fault, FileError
from fireplan_core.play import (
    Catalogue,
    Variation,
    load_scenario,
    shipped_scenarios,
    stage_engagement,
)
from fireplan_studio.addresses import remembered
from fireplan_studio.film import film_of, kept_back
from fireplan_studio.limits import LIMITS, over

_RANKED = 10_000.0
"""The size of a ranking, for which a game is worked out twice for each of its numbers, and of a film."""
MOST_TUNED = 3
"""Numbers that a proposal changes at most."""


@attrs.frozen
class Entrant:
    """A column that is asked for: a game as printed, or with options, numbers and parts of other games changed."""

    name: str
    game: str
    title: str
    options: tuple[tuple[str, Any], ...] = ()
    parts: tuple[tuple[str, str], ...] = ()
    numbers: tuple[tuple[str, str], ...] = ()

    def contender(self) -> Contender:
        """Return the same for a comparison."""
        changed = self.options or self.parts or self.numbers
        return Contender(self.name, self.game, self.title, self.variation() if changed else None)

    def variation(self) -> Variation:
        """Return what is changed."""
        return Variation(
            options=dict(self.options), parts=dict(self.parts), numbers=dict(self.numbers)
        )


@cache
def catalogue() -> Catalogue:
    """Return the installed games, loaded once in a process."""
    return Catalogue.installed()


def compared(engagement: Engagement, entrants: tuple[Entrant, ...]) -> Comparison:
    """Return a comparison of these columns."""
    return analysis.compare(engagement, catalogue(), [entrant.contender() for entrant in entrants])


def ranked(
    engagement: Engagement, entrant: Entrant, figure: str
) -> tuple[Fraction, tuple[Effect[Fraction], ...]]:
    """Return a figure of a game, and all numbers that it rests on, those that move it farthest first."""
    installed = catalogue()
    table = Setting(installed, entrant.game, entrant.name, entrant.title, engagement)
    found = analysis.sensitivity(table, entrant.variation(), FIGURES[figure])
    return found.value, found.effects


def tuner(engagement: Engagement, entrant: Entrant, texts: tuple[str, ...]) -> Tuner:
    """Return the search for the fewest numbers to change, when it is over."""
    table = Setting(catalogue(), entrant.game, entrant.name, entrant.title, engagement)
    left = analysis.within(LIMITS["tune_seconds"].most)
    return Tuner(table, entrant.variation(), [Want.read(text) for text in texts], left).search(
        MOST_TUNED
    )


def tuned(
    engagement: Engagement, entrant: Entrant, texts: tuple[str, ...]
) -> tuple[str, tuple[Trial, ...]]:
    """Return what was found in words, and the table as it is, then each proposal, or what came nearest."""
    found = tuner(engagement, entrant, texts)
    nearest = [] if found.nearest is found.printed else [found.nearest]
    return found.in_words(MOST_TUNED), (found.printed, *(found.proposals or nearest))


def life_cycle(game: str, engagement: Engagement) -> str:
    """Return the life of a game's missions as a diagram in SVG, found by following the real rules."""
    scenario = stage_engagement(catalogue(), game, engagement)
    found = passages(explore_orders(scenario), scenario, scenario.mission_ids[0])
    return lifecycle_svg(found, catalogue()[game].game.title)


def dialled(
    engagement: Engagement, entrant: Entrant, names: tuple[str, ...]
) -> tuple[Fraction, ...] | str:
    """Return these figures of a game, or why it cannot be staged or solved."""
    table = Setting(catalogue(), entrant.game, entrant.name, entrant.title, engagement)
    try:
        solved = Moves.of(table, entrant.variation()).analysis
        return tuple(FIGURES[name].of(solved) for name in names)
    except Exception as error:  # noqa: BLE001 - told in the place of the figures, and the other games go on
        return analysis.broken(error)


def filmed(path: str, side: str, _inputs: int) -> tuple[str, str, Markup]:
    """Return the title of a game, a side and its film of it; it is made anew after more inputs.

    Of a journal, or a shipped playthrough by its name. Without a side it is who may see the most.
    """
    session = fp.load(path).session
    side = side or next(
        each for each in (REFEREE, *sides_of(session.scenario)) if not kept_back(session, each)
    )
    return session.scenario.title, side, film_of(session, side)


def answered(line: str, goal: str, by: str) -> tuple[str, fp.Result, tuple[str, ...]]:
    """Return the full line of a position, what may be expected of it or the best orders, and what a link remembers.

    Raises ``InputError`` with everything that is wrong. The best orders hang on the time that there
    was: no figures.
    """
    at = fp.position(line)
    found = at.best(goal, seconds=LIMITS["best_seconds"].most) if goal else _expected(at, by)
    return str(at), found, remembered(catalogue(), [at.game.key], "" if goal else found.json())


def asked(line: str, goal: str, by: str) -> tuple[str, tuple[Block, ...], str, tuple[str, ...]]:
    """Return the same for a page: the answer in words, and as Markdown."""
    full, found, now = answered(line, goal, by)
    return full, tuple(found.blocks()), found.markdown(), now


def _expected(at: PositionResult, by: str = "") -> fp.Result:
    try:
        return at.odds(by or None)
    except (
        fp.InputError
    ):  # what is wrong with the question is said again; what is too large is sampled
        return at.odds(by or None, sample=LIMITS["trajectories"].most)


def put_question(name: str, said: tuple[tuple[str, str], ...]) -> tuple[fp.Result, tuple[str, ...]]:
    """Return the answer of a question to what was said of it, and what a link remembers of that.

    Raises ``InputError`` with everything that is wrong.
    """
    kind = question_named(name)
    values: dict[str, Any] = {}
    for key, value in said:
        several = key in entries(kind) and entries(kind)[key].kind is tuple
        values[key] = [*values.get(key, []), value] if several else value
    if "seconds" in entries(kind):
        values.setdefault("seconds", LIMITS["best_seconds"].most)
    result: fp.Result = ask(kind, values, remote=True)
    timed = "seconds" in entries(kind)  # what was found depends on the time that there was
    games = [key for key in catalogue().games if any(key in value for _, value in said)]
    told = "" if timed else result.json()
    return result, remembered(catalogue(), games or catalogue().games, told)


def put_question_page(
    name: str, said: tuple[tuple[str, str], ...]
) -> tuple[tuple[Block, ...], str, tuple[str, ...]]:
    """Return the same for a page: the answer in words, and as Markdown."""
    result, now = put_question(name, said)
    return tuple(result.blocks()), result.markdown(), now


def shipped_names(kind: str | None) -> tuple[str, ...]:
    """Return the names that a form proposes for what is named: "game", "engagement", "position" ..."""
    installed = catalogue()
    known: dict[str, Iterable[str]] = {
        "game": installed.games,
        "engagement": analysis.shipped_engagements(),
        "scenario": shipped_scenarios(installed),
        "position": shipped_scenarios(installed),
        "playthrough": shipped_playthroughs(installed),
    }
    return tuple(known.get(kind or "", ()))


def judged(text: str) -> tuple[tuple[Fault, ...], tuple[Block, ...]]:
    """Return what is wrong with the text of a scenario file, line by line, or what may be expected of it."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.toml"
        file.write_text(text, encoding="utf-8")
        try:
            load_scenario(catalogue(), file)
        except FileError as error:
            return error.faults, ()
        return (), tuple(_expected(fp.position(str(file))).blocks())


def planned(folder: str, text: str) -> str:
    """Keep the plan of a sweep that is sound; return by what name.

    Raises ``InputError`` with all that is wrong.
    """
    with TemporaryDirectory() as beside:
        (sketch := Path(beside) / "plan.toml").write_text(text, encoding="utf-8")
        points = len(read_sweep(sketch).points)
    kept = _sweep_folder(folder, sha256(text.encode()).hexdigest()[:16])
    if wrong := over("sweep_points", points) or over("sweeps", len({kept, *kept.parent.glob("*")})):
        raise fp.InputError(wrong)
    kept.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(
        "w", dir=kept, delete=False, encoding="utf-8"
    ) as draft:  # never written through a link
        draft.write(text)
    Path(draft.name).replace(kept / "plan.toml")
    return kept.name


def _sweep_folder(folder: str, name: str) -> Path:
    """Return the folder of a sweep below that of the tables.

    Raise ``InputError`` where a link leads elsewhere.
    """
    kept = Path(folder) / "sweeps" / name
    if kept.is_symlink() or kept.parent.is_symlink():
        raise fp.InputError(
            "The folder of the sweeps is a link to another folder: move the link away."
        )
    return kept


def swept(folder: str, kept: str, _from: int) -> tuple[str, int, int, tuple[Block, ...]]:
    """Solve more of a sweep for about a second: its plan, how much is done, of how much, and at the end the answer."""
    if not (plan := _sweep_folder(folder, kept) / "plan.toml").is_file() or plan.is_symlink():
        raise fp.InputError("There is no such sweep here: send its plan again.")
    text, grid, until = plan.read_text(encoding="utf-8"), read_sweep(plan), time.monotonic() + 1
    found = SweepResult(grid, plan.with_suffix(".sqlite"))
    try:
        with Store(found.results, grid) as store:
            done = store.done()
            left = [point for point in grid.points if point.number not in done]
            for solved, point in enumerate(left):
                if (
                    solved and time.monotonic() > until
                ):  # one is solved, or asking again would lead nowhere
                    return text, len(done) + solved, len(grid.points), ()
                store.keep([solve_point(point)])
            store.finish()
    except StoreError as error:
        raise fp.InputError(str(error).replace(f"{plan.parent}/", "")) from error
    return text, len(grid.points), len(grid.points), tuple(found.blocks())


def foreseen(path: str, side: str, _inputs: int) -> tuple[tuple[str, ...], Mapping[str, str]]:
    """Return in words what a side may expect as a journal's game stands, and what comes of each order, by order."""
    session, _ = reopen(Path(path), catalogue(), read_only=True)
    orders = [order.text for order in Viewer(session, side).form().orders if not order.refusal]
    weighed = analysis.weighed(session, side, orders)
    lines = (f"{order}: {words}" for order, words in weighed.items())
    return (*analysis.odds_lines(session, side), *lines), weighed


def inferred(path: str, side: str, _inputs: int) -> tuple[str, ...]:
    """Return in words what a side may infer, as a journal's game stands, of what is kept from it.

    Or why not.
    """
    try:
        lines: Any = belief_at(fp.load(path).session, side).blocks()
        return tuple(line.text for line in lines)
    except fp.InputError as error:
        return error.faults


_ALL = (
    compared,
    ranked,
    dialled,
    tuned,
    life_cycle,
    filmed,
    foreseen,
    inferred,
    asked,
    judged,
    planned,
    swept,
    put_question_page,
)
WORK: Mapping[str, Callable[..., Any]] = {work.__name__: work for work in _ALL}
"""The functions by the name they are asked for with."""


def size_of(name: str, arguments: tuple[Any, ...]) -> float:
    """Return about how much work it is to call one of them: the minutes that are watched, of all games together."""
    if name == "compared":
        engagement, entrants = arguments
        return float(engagement.minutes * len(entrants))
    return _RANKED if name in ("ranked", "filmed") else 0
