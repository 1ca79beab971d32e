"""The check on processes: two processes must give the same answers and play the same games.

Each runs ``python -m fireplan_kit.processes MODULE KEY ORDER FILE``, which stages and asks the
pickled questions of a file, in order or in reverse, plays seeded games, and prints answers and
games. The processes have different hash seeds. If rules remember anything, the question that one
process asks first and the other last gets different answers.
"""

import os
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import count, zip_longest
from pathlib import Path
from types import ModuleType

import attrs

from fireplan.analysis import answer, answer_data, shipped_engagements
from fireplan.positions import Position, Sources
from fireplan.solver import Analysis, TooLargeError, uncollected
from fireplan.table import Words
from fireplan_core import Ask, CannotStageError, Engagement, Refusal, numbers_of
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, Table, Variation, play_out, stage_engagement
from fireplan_kit.bench import Bench
from fireplan_kit.check import Flaws, admitted
from fireplan_kit.play_laws import staged, wander
from fireplan_kit.random_play import drawn_variations

VariedQuestion = tuple[str, Engagement, Variation]
"""The name of a question, its engagement and its variation of the game."""
ORDERS = {"0": "forwards", "1234": "backwards"}
"""Maps the hash seed of each process to the order in which it asks its questions."""
ASKED_MOMENTS, MOST_EXPLORED, MOST_VARIED, MOST_CHANGED, DRAWN = 3, 3_000, 6, 40, 2
"""The moments followed by each question, the most states explored, the most questions of each kind,
the most numbers changed, and the number of variations drawn at random."""
INPUTS, MOMENTS, SEED, GAMES, SHOWN, LOGGED, LINES = 60, 6, 2, 3, 80, 6, 2


def processes_agree(bench: Bench) -> Flaws:
    """Check that two processes give the same answers and play the same games.

    Their hash seeds differ, and one asks the questions in reverse order. The questions vary the
    engagement, numbers, options and sides. The check compares exact answers, journals, logs, states
    and legal orders.
    """
    plugin = bench.installed.plugin
    if not isinstance(plugin, ModuleType):
        return []  # a game made in this process cannot be imported by another
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "questions"
        file.write_bytes(pickle.dumps(_questions(bench)))
        runs = [
            subprocess.Popen(  # noqa: S603 - runs this module on a game that is already imported
                [sys.executable, "-m", __name__, plugin.__name__, bench.key, order, str(file)],
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
                    "PYTHONHASHSEED": seed,
                },
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
            )
            for seed, order in ORDERS.items()
        ]
        outputs = [process.communicate() for process in runs]
    for process, (_, error) in zip(runs, outputs, strict=True):
        if process.returncode:
            raised = "; ".join(line for line in error.splitlines()[-LINES:] if line[:1].strip())
            return [f"the game cannot be played in a separate process: {raised}"]
    for first, second in zip_longest(*(text.splitlines() for text, _ in outputs), fillvalue=""):
        if first != second:
            start = next(
                (n for n, pair in enumerate(zip(first, second, strict=False)) if len({*pair}) > 1),
                0,
            )
            a, b = (text[max(0, start - SHOWN) : start + SHOWN] for text in (first, second))
            return [f"two processes differ in {first.partition(': ')[0]}: {a!r} and {b!r}"]
    return []


@uncollected()
def main(module: str, key: str, order: str, file: str) -> None:
    """Ask a game the questions in a file, play seeded games, and print the results.

    The results are answers, inputs, events and states. ``module`` is the game's plugin; ``order``
    is "forwards" or "backwards".
    """
    sources = Sources(admitted(key, import_module(module))[0], shipped_engagements())
    questions = pickle.loads(Path(file).read_bytes())  # noqa: S301 - this module has written it
    _ask(sources.catalogue, key, questions, backwards=order == "backwards")
    for source in staged(sources, key):
        scenario = sources.scenario(source)
        for number, table in enumerate(wander(scenario, MOMENTS, SEED, INPUTS)):
            waits, where = table.waits_for, f"of {source.name} after {number} inputs"
            legal = (
                table.rulebook.legal(waits, table.read, each=2)
                if isinstance(waits, Ask)
                else waits and waits.name
            )
            recent = [*table.journal[-1:], *table.log[-LOGGED:]]
            state = str(Position.of(source, scenario, table.state))
            for topic, value in (
                ("the legal orders", legal),
                ("the orders in words", list(_in_words(table))),
                ("the log", recent),
                ("the state", state),
            ):
                sys.stdout.write(f"{topic} {where}: {value!r}\n")
        for seed in range(GAMES):
            table = play_out(Table(scenario, MOMENTS), RandomFaces(seed))
            sys.stdout.write(
                f"play by the standard orders of {source.name}: {table.journal!r} {table.log!r}\n"
            )


def _in_words(table: Table) -> Iterator[str]:
    """Yield the orders on offer in words, each with its first values and its refusal, if any."""
    waits, words = table.question_due, Words(table.scenario)
    if waits is None:
        return
    for form in table.rulebook.forms(waits, table.read):
        if (order := form.first()) is not None:
            judged = form.judge(order)
            refused = f": {judged}" if isinstance(judged, Refusal) else ""
            yield f"{words.deed(order, form, waits.question)}{refused}"


def _ask(
    catalogue: Catalogue, key: str, questions: Sequence[VariedQuestion], *, backwards: bool
) -> None:
    """Print the exact answers of a game to several questions, asked in order or in reverse."""
    answers: dict[str, str] = {}
    for name, engagement, variation in questions[::-1] if backwards else questions:
        analysis = Analysis(
            stage_engagement(catalogue, key, engagement, variation),
            ASKED_MOMENTS,
            late=_after(MOST_EXPLORED),
        )
        try:
            answers[name] = repr(answer_data(answer(catalogue[key].game, analysis)))
        except TooLargeError:
            answers[name] = "too large"
    for name, *_ in questions:
        sys.stdout.write(f"the exact answers for {name}: {answers[name]}\n")


def _after(calls: int) -> Callable[[], bool]:
    """Return a function that returns true once it has been called more than ``calls`` times."""
    numbers = count()
    return lambda: next(numbers) > calls


def _questions(bench: Bench) -> list[VariedQuestion]:
    """Return questions with their names: engagements that can be staged, and variations.

    The kit's engagement comes first. Then the sides are swapped, options and numbers are changed
    one by one, and facts and options are drawn at random. The last question differs from the first
    in all of these.
    """
    here, game = bench.engagement, bench.installed.game
    options = {o.name: v for o in game.options for v in o.values if v != o.default}
    steps = {
        name: str(number.cell.steps[-1])
        for name, number in numbers_of(game.charts).items()
        if number.cell.steps
    }
    drawn = list(_staged(bench, drawn_variations(bench), DRAWN))
    last = drawn[-1][1] if drawn else here
    varied = [
        *(
            (f"{name}={value}", here, Variation(options={name: value}))
            for name, value in options.items()
        ),
        *(
            (f"{name}={value}", here, Variation(numbers={name: value}))
            for name, value in steps.items()
        ),
    ]
    everything = (
        ("everything else", _swapped(last), Variation(options=options, numbers=numbers))
        for numbers in (dict([*steps.items()][:: 1 + len(steps) // MOST_CHANGED]), {})
    )
    return [
        ("the kit's engagement", here, Variation()),
        *_staged(bench, [("swapped sides", _swapped(here), Variation())]),
        *_staged(bench, varied[:: 1 + len(varied) // MOST_VARIED]),
        *drawn,
        *_staged(bench, everything, 1),
    ]


def _swapped(engagement: Engagement) -> Engagement:
    """Return the engagement with the nationalities of its two sides swapped."""
    firer, target = engagement.firer, engagement.target
    return attrs.evolve(
        engagement,
        firer=attrs.evolve(firer, nationality=target.nationality),
        target=attrs.evolve(target, nationality=firer.nationality),
    )


def _staged(
    bench: Bench, questions: Iterable[VariedQuestion], most: int | None = None
) -> Iterator[VariedQuestion]:
    """Yield the questions that the game can stage, up to ``most``."""
    count = 0
    for name, engagement, variation in questions:
        if count == most:
            return
        with suppress(CannotStageError, ValueError):
            stage_engagement(bench.catalogue, bench.key, engagement, variation)
            count += 1
            yield name, engagement, variation


if __name__ == "__main__":
    main(*sys.argv[1:])
