"""The functions that workers run: their arguments are hashable, their answers can be pickled."""

import json
import time  # noqa: TID251 - limits the wait for a sweep; no figure depends on it
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from fractions import Fraction
from functools import cache, lru_cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from tempfile import NamedTemporaryFile, TemporaryDirectory
from typing import Any

import attrs
from markupsafe import Markup

import fireplan as fp
from fireplan import analysis, sheets, sweeps
from fireplan.analysis import (
    FIGURES,
    Comparison,
    Contender,
    Effect,
    FigureTarget,
    Setting,
    TriedChanges,
    Tuner,
    plays_alike,
)
from fireplan.errors import besides, given_twice
from fireplan.positions import facts, with_facts
from fireplan.questions.belief import belief_at
from fireplan.questions.question import (
    Begin,
    Progress,
    QuestionClass,
    arguments_of,
    ask_question,
    at_most,
    question_named,
    silent,
)
from fireplan.questions.result import Block
from fireplan.questions.review import Review, review_of
from fireplan.questions.sweep import SweepResult, read_sweep
from fireplan.solver import (
    Analysis,
    Compiler,
    expected_seconds,
    explore_orders,
    lifecycle_svg,
    passages,
    playout,
)
from fireplan.sweeps import Store, results_file_of, solve_point
from fireplan.table import Viewer, Words, reopen, shipped_playthroughs, sides_of
from fireplan_core import REFEREE, Engagement, Scenario
from fireplan_core.chance import RandomFaces
from fireplan_core.files import Document, Fault, FileError
from fireplan_core.play import (
    Answered,
    Catalogue,
    Variation,
    load_scenario,
    shipped_scenarios,
    stage_engagement,
)
from fireplan_studio.addresses import remembered
from fireplan_studio.film import film_of, kept_back, short_film_of
from fireplan_studio.limits import LIMITS, over
from fireplan_studio.open_session import last_order

_within_limit = at_most(LIMITS["job_seconds"].most, "watch fewer minutes")
BEGIN: ContextVar[Begin] = ContextVar("BEGIN", default=_within_limit)
"""Called with the expected time of an answer in seconds before it is worked out."""
PROGRESS: ContextVar[Progress] = ContextVar("PROGRESS", default=silent)
"""Called after each step of an answer."""
_DESIGNED = 4
"""Number of steps in the answer for a sheet, one for each measure."""
_RANKED = 10_000.0
"""The size of the job of a ranking (which solves a game twice for each number) or of a film."""
MOST_TUNED = 3
"""Maximum number of numbers that a proposal may change."""


@attrs.frozen
class Entrant:
    """A column of a comparison: a game as printed, or with changed options, numbers and parts.

    ``name`` is the key of the column, ``game`` the key of the game.
    """

    name: str
    game: str
    title: str
    options: tuple[tuple[str, Any], ...] = ()
    parts: tuple[tuple[str, str], ...] = ()
    numbers: tuple[tuple[str, str], ...] = ()
    harm: bool = True
    """True if the effect on the target, which takes longest, is worked out too."""

    def contender(self) -> Contender:
        """Return the column in the form that ``analysis.compare`` takes."""
        changed = self.options or self.parts or self.numbers
        variation = self.variation() if changed else None
        return Contender(self.name, self.game, self.title, variation, harm=self.harm)

    def variation(self) -> Variation:
        """Return the changes to the game."""
        return Variation(
            options=dict(self.options), parts=dict(self.parts), numbers=dict(self.numbers)
        )


@cache
def catalogue() -> Catalogue:
    """Return the installed games, loaded once per process."""
    return sheets.installed()


def compared(engagement: Engagement, entrants: tuple[Entrant, ...]) -> Comparison:
    """Return the comparison of these columns for an engagement."""
    columns = [entrant.contender() for entrant in entrants]

    def step(name: str, yardstick: str) -> None:
        PROGRESS.get()(4 * len(columns), f"{name}: {yardstick}")

    return analysis.compare(engagement, catalogue(), columns, step, BEGIN.get())


def ranked(
    engagement: Engagement, entrant: Entrant, figure: str
) -> tuple[Fraction, tuple[Effect[Fraction], ...]]:
    """Return a figure of a game, and the effect of each number on it, greatest first."""
    installed = catalogue()
    table = Setting(installed, entrant.game, entrant.name, entrant.title, engagement)
    ranking = analysis.sensitivity(
        table, entrant.variation(), FIGURES[figure], PROGRESS.get(), BEGIN.get()
    )
    return ranking.value, ranking.effects


def tuner(engagement: Engagement, entrant: Entrant, texts: tuple[str, ...]) -> Tuner:
    """Return the finished search for the fewest numbers to change to reach these targets."""
    table = Setting(catalogue(), entrant.game, entrant.name, entrant.title, engagement)
    deadline = analysis.time_left(LIMITS["tune_seconds"].most)
    wants = [FigureTarget.read(text) for text in texts]
    search = Tuner(table, entrant.variation(), wants, deadline, begin=BEGIN.get())
    return search.search(MOST_TUNED, PROGRESS.get())


def tuned(
    engagement: Engagement, entrant: Entrant, texts: tuple[str, ...]
) -> tuple[str, tuple[TriedChanges, ...]]:
    """Return the result in words, and a tuple: the unchanged game, then the proposals.

    If there are no proposals, the nearest miss follows instead, unless it is the unchanged game.
    """
    search = tuner(engagement, entrant, texts)
    nearest = [] if search.nearest is search.printed else [search.nearest]
    return search.in_words(MOST_TUNED), (search.printed, *(search.proposals or nearest))


def life_cycle(game: str, engagement: Engagement) -> str:
    """Return the diagram of the life of a game's missions as SVG, found by following its rules."""
    scenario = stage_engagement(catalogue(), game, engagement)
    return _life_of(scenario, catalogue()[game].game.title)


def _life_of(scenario: Scenario, title: str) -> str:
    transitions = passages(explore_orders(scenario), scenario, scenario.mission_ids[0])
    return lifecycle_svg(transitions, title)


@attrs.frozen
class Trial:
    """A sheet's text, tried in an engagement; the dice of its story come from a seed.

    Unless ``harm`` is set, the effect on the target, which takes longest, is left out.
    """

    text: str
    engagement: Engagement
    harm: bool = False
    seed: int = 1


@attrs.frozen
class Designed:
    """The results of a sheet: its faults, or its figures."""

    faults: tuple[Fault, ...] = ()
    key: str = ""
    title: str = ""
    comparison: Comparison | None = None


@attrs.frozen
class Lived:
    """The life of a sheet's missions as SVG, and the story of one of them.

    ``story`` has the name of each moment of the story with its events in words. ``without`` is the
    reason if there is no life or story.
    """

    life: str = ""
    story: tuple[tuple[str, tuple[str, ...]], ...] = ()
    without: str = ""


def designed(trial: Trial) -> Designed:
    """Return the figures of a sheet in an engagement, or the faults of the sheet.

    Only this answer knows the sheet: no other visitor sees its game.
    """
    try:
        own, key = _only_game(trial.text)
    except FileError as error:
        return Designed(error.faults)
    game = own[key].game
    contender = Contender(key, key, game.title, harm=trial.harm)
    comparison = analysis.compare(
        trial.engagement,
        own,
        [contender],
        lambda _name, what: PROGRESS.get()(_DESIGNED, what),
        BEGIN.get(),
    )
    return Designed(key=key, title=game.title, comparison=comparison)


def lived(trial: Trial) -> Lived:
    """Return the life of a sheet's missions and the story of one; empty for a sheet with faults."""
    answer = Lived()
    try:
        own, key = _only_game(trial.text)
    except FileError:
        return answer
    try:
        scenario = stage_engagement(own, key, trial.engagement)
        answer = Lived(story=_story(scenario, trial.engagement.minutes, trial.seed))
        return attrs.evolve(answer, life=_life_of(scenario, own[key].game.title))
    except Exception as error:  # noqa: BLE001 - the reason is shown instead; the figures stay
        return attrs.evolve(answer, without=analysis.broken(error))


@lru_cache(maxsize=4)
def _only_game(text: str) -> tuple[Catalogue, str]:
    """Return a catalogue that contains only the game of a sheet, and that game's key.

    ``text`` is the TOML of the sheet. Raise ``FileError`` for its faults.
    """
    sheet = sheets.sheet_game(Document.of("sheet", text))
    key = sheet.game.key
    if key in catalogue().games and catalogue()[key].distribution != sheets.SHEET:
        taken = f"{key} is the key of an installed game", "choose another"
        raise sheet.document.error([("key", *taken)])
    own = Catalogue()
    sheets.admit(own, sheet)
    return own, key


def _story(scenario: Scenario, minutes: int, seed: int) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return (name of the moment, events in words) for each moment of a mission's story.

    The mission is played to its end under the standard orders; ``seed`` decides the dice.
    """
    played = playout(Compiler(scenario), scenario.clock.moments(minutes), RandomFaces(seed))
    ends = (n for n, entry in enumerate(played.log, start=1) if entry.event.kind == "ended")
    words, name = Words(scenario), scenario.clock.name
    return tuple(
        (name(moment), tuple(words.ruling(entry.event) for entry in arguments_of))
        for moment, arguments_of in groupby(
            played.log[: next(ends, len(played.log))], lambda entry: entry.moment
        )
    )


def dialled(
    engagement: Engagement, entrant: Entrant, names: tuple[str, ...]
) -> tuple[Fraction, ...] | str:
    """Return these figures of a game, or the reason why it cannot be staged or solved."""
    table = Setting(catalogue(), entrant.game, entrant.name, entrant.title, engagement)
    try:
        solved = _solved(table, entrant)
        BEGIN.get()(expected_seconds(solved))
        return tuple(FIGURES[name].of(solved) for name in names)
    except Exception as error:  # noqa: BLE001 - shown in place of the figures; the other games go on
        return analysis.broken(error)


def _solved(table: Setting, entrant: Entrant) -> Analysis:
    """Return the analysis of a game, reusing the last one if the rules find the same facts."""
    scenario = table.stage(entrant.variation())
    moments = table.moments(scenario)
    before, solved = _LAST.get(entrant, (None, None))
    if not (before and solved and solved.moments == moments and plays_alike(before, scenario)):
        solved = Analysis(scenario, moments)
        _LAST.pop(entrant, None)
        _LAST[entrant] = scenario, solved
        if len(_LAST) > _KEPT:
            del _LAST[next(iter(_LAST))]
    return solved


_LAST: dict[Entrant, tuple[Scenario, Analysis]] = {}
"""Maps games to the scenario solved last and its analysis.

A game that ignores the fact or number of a dial is therefore solved only once.
"""
_KEPT = 12
"""Maximum number of games in ``_LAST``."""


def narrowed(
    engagement: Engagement,
    along: str,
    changed: str,
    pair: tuple[Entrant, Entrant],
    figure: str,
    ends: tuple[int, int],
) -> tuple[int, int]:
    """Bisect for the two values of a dial between which the first game overtakes the second.

    ``along`` is the dial, a fact of the engagement or a number of the game ``changed``. The search
    is for a ``figure``, between the values ``ends``. The values returned are next to each other
    unless a value between them cannot be solved.
    """
    columns = {entrant.name: entrant for entrant in pair}

    def at(name: str, value: int) -> Fraction | None:
        staged, entrant = engagement, columns[name]
        if along in facts():
            staged = with_facts(engagement, {along: value})
        elif entrant.game == changed:
            numbers = {**dict(entrant.numbers), along: str(value)}
            entrant = attrs.evolve(entrant, numbers=tuple(numbers.items()))
        found = dialled(staged, entrant, (figure,))
        return None if isinstance(found, str) else found[0]

    ahead, behind = columns
    crossing = sweeps.Crossover(figure, along, ahead, behind, *ends, "", ())
    found = sweeps.narrowed(crossing, at)
    return found.before, found.at


def filmed(path: str, side: str, _digest: str) -> tuple[str, str, Markup]:
    """Return the title of a game, a side, and the film that this side may see.

    ``path`` is a journal or the name of a shipped playthrough. If ``side`` is empty, the side is
    the referee if possible, otherwise the first side. ``_digest`` is the journal's digest, so that
    a film is never reused for another state of the journal.
    """
    session = fp.load(path).session
    side = side or next(
        each for each in (REFEREE, *sides_of(session.scenario)) if not kept_back(session, each)
    )
    return session.scenario.title, side, film_of(session, side)


def short_film(name: str) -> tuple[Markup, list[dict[str, str]], list[str]]:
    """Return a shipped playthrough as a film: the map, the layers and the captions.

    The map is SVG. For each picture there are the layers that it changes, as SVG by name, and a
    caption.
    """
    return short_film_of(fp.load(name).session)


Said = tuple[tuple[str, str], ...]
"""The arguments of a question as typed: (name, text) pairs, with a pair for each text of a list."""


def question_arguments(kind: QuestionClass, said: Said) -> dict[str, Any]:
    """Return the arguments of a question by name, each a text or a list of texts."""
    values: dict[str, Any] = {}
    for key, value in said:
        several = key in arguments_of(kind) and arguments_of(kind)[key].kind is tuple
        values[key] = [*values.get(key, []), value] if several else value
    return values


def _repeated(kind: QuestionClass, said: Said) -> list[str]:
    """Return a fault for each argument that takes one value and was given several."""
    known, names = arguments_of(kind), [name for name, _ in said]
    return [
        given_twice(name)
        for name in dict.fromkeys(names)
        if names.count(name) > 1 and name in known and known[name].kind is not tuple
    ]


def put_question(name: str, said: Said) -> tuple[fp.Result, tuple[str, ...]]:
    """Return a question's answer to these arguments, and the versions and hash for its link.

    The odds of a position too large to be solved are sampled. An answer that depends on the time
    of its search has no hash of figures. Raises ``InputError`` listing every fault.
    """
    kind = question_named(name)
    values = question_arguments(kind, said)
    timed = "seconds" in arguments_of(kind) and arguments_of(kind)["seconds"].default is None
    if timed:
        values.setdefault("seconds", LIMITS["best_seconds"].most)
    work = {"begin": BEGIN.get(), "progress": PROGRESS.get()}
    with besides(_repeated(kind, said)):
        try:
            result: fp.Result = ask_question(kind, values, remote=True, work=work)
        except fp.InputError:
            if name != "odds" or "line" not in values or "sample" in values:
                raise
            # Sample instead: if the table was not too large, sampling fails with the same error.
            sampled = {**values, "sample": LIMITS["trajectories"].most}
            result = ask_question(kind, sampled, remote=True, work=work)
    games = [key for key in catalogue().games if any(key in value for _, value in said)]
    figures = "" if timed else result.json()
    return result, remembered(catalogue(), games or catalogue().games, figures)


@attrs.frozen
class PageAnswer:
    """A question's answer for a page: the ``blocks`` to show, and ``files`` to download.

    ``files`` maps suffixes (csv, json, svg) to the texts of the files. ``versions`` has the
    versions of fireplan and its games, and the hash of the figures, for a link to the answer.
    ``line`` is the notation of the position that the answer is about or leads to, or "".
    """

    blocks: tuple[Block, ...]
    versions: tuple[str, ...]
    line: str
    files: Mapping[str, str]


def put_question_page(name: str, said: Said) -> PageAnswer:
    """Return a question's answer for a page; raises ``InputError`` listing every fault."""
    result, versions = put_question(name, said)
    files = {"csv": result.csv()} if result.rows() else {}
    files["json"] = result.json()
    with suppress(fp.InputError):  # the answer has no picture
        files["svg"] = result.svg()
    line = getattr(result, "line", "")
    return PageAnswer(tuple(result.blocks()), versions, line, files)


def shipped_names(kind: str | None) -> tuple[str, ...]:
    """Return the names that a form proposes for a kind: "game", "engagement", "position" ...

    The result is empty for None and for kinds without names.
    """
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
    """Return (faults, odds) of a scenario file's text; the odds are empty if there are faults."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.toml"
        file.write_text(text, encoding="utf-8")
        try:
            load_scenario(catalogue(), file)
        except FileError as error:
            return error.faults, ()
        return (), tuple(fp.odds(str(file)).blocks())


def planned(folder: str, text: str) -> str:
    """Save the plan of a sweep and return the name of its folder.

    Raises ``InputError`` listing all faults in the plan.
    """
    with TemporaryDirectory() as temporary:
        (file := Path(temporary) / "plan.toml").write_text(text, encoding="utf-8")
        points = len(read_sweep(file).points)
    sweep = _sweep_folder(folder, sha256(text.encode()).hexdigest()[:16])
    sweeps = {sweep, *sweep.parent.glob("*")}
    if reason := over("sweep_points", points) or over("sweeps", len(sweeps)):
        raise fp.InputError(reason)
    sweep.mkdir(parents=True, exist_ok=True)
    # A new file is moved into place, so that nothing is written through a symbolic link.
    with NamedTemporaryFile("w", dir=sweep, delete=False, encoding="utf-8") as draft:
        draft.write(text)
    Path(draft.name).replace(sweep / "plan.toml")
    return sweep.name


def _sweep_folder(folder: str, name: str) -> Path:
    """Return the folder of a sweep in the folder of the tables.

    Raises ``InputError`` if it is a symbolic link.
    """
    sweep = Path(folder) / "sweeps" / name
    if sweep.is_symlink() or sweep.parent.is_symlink():
        raise fp.InputError("The sweep folder is a symbolic link: remove the link.")
    return sweep


def swept(folder: str, name: str, _from: int) -> tuple[str, int, int, tuple[Block, ...]]:
    """Solve more points of a sweep for about a second.

    Return the plan, the number of points solved, the number of all points, and at the end the
    answer. ``_from`` distinguishes successive calls. Raises ``InputError`` if the plan is no longer
    there, or cannot be run.
    """
    if not (plan := _sweep_folder(folder, name) / "plan.toml").is_file() or plan.is_symlink():
        raise fp.InputError("There is no such sweep here: send the plan again.")
    text, grid, until = plan.read_text(encoding="utf-8"), read_sweep(plan), time.monotonic() + 1
    result = SweepResult(grid, results_file_of(plan))
    try:
        with Store(result.results, grid) as store:
            done = store.done()
            remaining = [point for point in grid.points if point.number not in done]
            for solved, point in enumerate(remaining):
                # Solve at least one point, or the sweep would never end.
                if solved and time.monotonic() > until:
                    return text, len(done) + solved, len(grid.points), ()
                store.keep([solve_point(point)])
            store.finish()
    except fp.InputError as error:
        raise fp.InputError(str(error).replace(f"{plan.parent}/", "")) from error
    return text, len(grid.points), len(grid.points), tuple(result.blocks())


@lru_cache(maxsize=8)
def _odds_of(_head: str, side: str) -> analysis.SideOdds:
    """Return the ``SideOdds`` of a side in a game, cached from one prompt to the next.

    ``_head`` is the head of the game's journal as JSON, which identifies the game.
    """
    return analysis.SideOdds(side)


def foreseen(
    path: str,
    side: str,
    _digest: str,
    harm: bool,  # noqa: FBT001 - part of the key of a job
) -> tuple[tuple[str, ...], analysis.OrderOdds]:
    """Return a side's current odds in words, and the odds after each order.

    ``path`` is the journal of the game, and ``_digest`` its digest. Without ``harm``, only chances
    of the mission's goals that can be solved are included, and there are no current odds if no
    order has any. With ``harm``, the chances of harm are added, and chances that are too large to
    solve are sampled.
    """
    session, head = reopen(Path(path), catalogue(), read_only=True)
    orders = [order.text for order in Viewer(session, side).form().choices]
    odds = _odds_of(json.dumps(head.data(), default=str), side)
    weighed = odds.orders(session, orders, sample=harm)
    return tuple(odds.now(session)) if harm or weighed.after else (), weighed


def endangered(path: str, side: str, _digest: str) -> str:
    """Return a warning if a side's last order endangers its own troops more than usual, or "".

    The usual order is the first one on offer with the same verb. ``path`` is the journal of the
    game, and ``_digest`` its digest.
    """
    session, head = reopen(Path(path), catalogue(), read_only=True)
    own = last_order(session, side)
    for before, move in session.again():
        if own is not None and move is own and isinstance(own.given, Answered):
            viewer, order = Viewer(before, side), own.given.order
            offered = [each.text for each in viewer.form().choices if each.verb == order.verb]
            odds = _odds_of(json.dumps(head.data(), default=str), side)
            text = viewer.words.typed.order(order, viewer.forms())
            return odds.danger(before, text, offered[0]) if offered else ""
    return ""


def reviewed(path: str, side: str, _digest: str) -> Review:
    """Return the result of a game that is over, for a side that may see it.

    ``path`` is the journal of the game, and ``_digest`` its digest.
    """
    session, _ = reopen(Path(path), catalogue(), read_only=True)
    return review_of(session, side, PROGRESS.get())


def inferred(path: str, side: str, _digest: str) -> tuple[str, ...]:
    """Return a side's beliefs about hidden things, or the reason why it can have none.

    ``path`` is the journal of the game, and ``_digest`` its digest.
    """
    try:
        lines: Any = belief_at(fp.load(path).session, side).blocks()
        return tuple(line.text for line in lines)
    except fp.InputError as error:
        return error.faults


_ALL = (
    compared,
    designed,
    lived,
    ranked,
    dialled,
    narrowed,
    tuned,
    life_cycle,
    filmed,
    short_film,
    foreseen,
    endangered,
    inferred,
    reviewed,
    judged,
    planned,
    swept,
    put_question_page,
)
WORK: Mapping[str, Callable[..., Any]] = {work.__name__: work for work in _ALL}
"""Maps each function's name to the function."""


def size_of(name: str, arguments: tuple[Any, ...]) -> float:
    """Return the approximate size of a job; each visitor's smallest job comes first.

    The size of a comparison is the minutes watched times the number of games. Rankings and films
    have the size ``_RANKED``, all other jobs 0.
    """
    if name == "compared":
        engagement, entrants = arguments
        return float(engagement.minutes * len(entrants))
    return _RANKED if name in ("ranked", "filmed") else 0
