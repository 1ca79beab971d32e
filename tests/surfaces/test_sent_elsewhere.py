"""A law over every public class: it pickles, deep-copies, and prints the same in another process.

Public are the names in ``fireplan``, the questions and their answers, and every class that their
public methods, properties and fields declare. ``public_classes`` collects them, and an instance of
each must occur in the examples.
"""

import copy
import inspect
import multiprocessing
import pickle
import re
import sys
import typing
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from inspect import isclass
from operator import attrgetter, methodcaller
from pathlib import Path
from typing import Any

import attrs
import pytest

import fireplan as fp
from fireplan.analysis import changes, find_engagement
from fireplan.duels.sequences import TreeDecision, TreeEnd
from fireplan.positions.field_words import ImpossibleComparisonError
from fireplan.questions.divergence import Parting
from fireplan.questions.opening import catalogue
from fireplan.questions.question import question_named, questions
from fireplan.questions.registry import places
from fireplan.solver import Estimate
from fireplan_core import Refusal
from fireplan_kit.check import Finding, Flaw
from fireplan_kit.check_question import Lines

FULL = pytest.mark.full
STAGED = {"game": "wacht_am_rhein", "minutes": 4}

QUESTIONS = {
    "belief": lambda: fp.belief("miniatures_1943/only_dummies", side="german", at=2),
    "best": lambda: fp.best(game="wacht_am_rhein", goal="destroyed", moments=1),
    "chance": lambda: fp.chance("asl/village", event="fall", by="1", given="contact=4,2"),
    "check": lambda: fp.check("miniatures_1943", only=["L16-footprint"]),
    "compare": lambda: fp.compare("woods", games=["wacht_am_rhein"], minutes=4),
    "diff": lambda: fp.diff("miniatures_1943", option="chit", value="dummy", moments=1, walks=0),
    "duel": lambda: fp.duel(
        "miniatures_1943/chits_in_hand", "destroyed", moments=2, only=["request"]
    ),
    "decisions": lambda: fp.decisions("wacht_am_rhein"),
    "engagements": fp.engagements,
    "events": lambda: fp.events("wacht_am_rhein"),
    "fields": lambda: fp.fields("wacht_am_rhein"),
    "games": fp.games,
    "kitbash": lambda: fp.kitbash("wacht_am_rhein", delays="asl", minutes=4),
    "luck": lambda: fp.luck("miniatures_1943/two_on_one"),
    "measures": fp.measures,
    "numbers": lambda: fp.numbers("wacht_am_rhein"),
    "odds": lambda: fp.odds("woods", **STAGED),
    "piles": lambda: fp.piles("asl/village"),
    "rolls": lambda: fp.rolls("wacht_am_rhein"),
    "rules": lambda: fp.rules("wacht_am_rhein"),
    "scenarios": lambda: fp.scenarios("asl"),
    "sensitivity": lambda: fp.sensitivity(measure="delivered", **STAGED),
    "tune": lambda: fp.tune("wacht_am_rhein", want="delivered >= 1 %"),
    "whatif": lambda: fp.whatif(
        games=["wacht_am_rhein"], minutes=4, set={"wacht_am_rhein.men_per_step": 30}
    ),
}
QUICK = {
    "chance",
    "compare",
    "compared orders",
    "distribution",
    "duel",
    "engagement",
    "games",
    "odds",
    "position",
    "question with a choice of fire",
    "recorded game",
    "sheet",
}
"""One answer of each kind."""
LISTS = {"sweep": "its results are a file, which another process reads with the same call"}


def village() -> Any:
    return fp.position("asl/village")


OTHERS = {
    "position": village,
    "engagement": lambda: fp.position("woods", game="wacht_am_rhein", guns=24),
    "another number": lambda: fp.position(
        'fp1 woods@asl(number:"radio_contact[german]"="7" part:delays=red_poppies guns=12)'
    ),
    "played": lambda: village().play("call"),
    "conditions": lambda: village().given(contact=fp.dice(4, 2)),
    "event": lambda: village().chance(fp.happens("fall", on_target=True), 1),
    "distribution": lambda: village().distribution(lambda end: end["a", "stage"], 1),
    "odds from here": lambda: village().odds(1),
    "sampled": lambda: village().odds(1, sample=5),
    "legal": lambda: village().legal(),
    "outcomes": lambda: village().outcomes("call"),
    "attack": lambda: village().attack("a", "K5"),
    "story": lambda: village().story(by=1),
    "stories": lambda: village().stories(3, by=1),
    "strategy": lambda: fp.strategy("requests.call=pass if turn=2"),
    "orders": lambda: village().chance("fall", 1, orders="requests.call=pass"),
    "dice": lambda: fp.dice(4, 2),
    "happens": lambda: fp.happens("fall"),
    "refusal": lambda: fp.InputError("no such game", "no such file"),
    "refused comparison": lambda: ImpossibleComparisonError("stage is never None"),
    "fact that changes nothing": lambda: fp.compare(
        games=["asl", "miniatures_1943"], minutes=4, guns=24
    ),
    "rule": lambda: fp.rules("wacht_am_rhein", "12.1.1"),
    "sheet": lambda: fp.odds("woods", game=str(_sheet())),
    "question due": lambda: village().question,
    "question with a choice of fire": lambda: (
        fp.load("miniatures_1943/only_dummies").at(2).question
    ),
    "order due": lambda: village().pending,
    "throw due": lambda: fp.position("asl/creeping").pending,
    "refusal of an order": lambda: Refusal("C1.2", "the Radio is broken"),
    "roll due": lambda: fp.load("asl/behind_the_ridge").at(6).roll,
    "distance": lambda: village().distance("K5", "K7"),
    "sight": lambda: village().sees("a", "K5"),
    "look-ups": lambda: [*village().attack("a", "K5").look_ups.values()],
    "queries": lambda: village().queries(),
    "compared orders": lambda: village().compare_orders(["pass"], "fall", by=1),
    "recorded game": lambda: fp.load("asl/behind_the_ridge"),
    "reference": lambda: fp.compare(
        "woods",
        games=["wacht_am_rhein"],
        minutes=4,
        reference=["delivered = 80 % by 10: Field trials, 1944"],
    ),
    "scenario changed": lambda: fp.whatif(
        "wacht_am_rhein/crossroads", set={"wacht_am_rhein.men_per_step": 30}
    ),
    "scenario changed, sampled": lambda: fp.whatif(
        "wacht_am_rhein/crossroads", set={"wacht_am_rhein.men_per_step": 30}, sample=5
    ),
    "changes": lambda: question_named("whatif")(set=("asl.radio_contact=7",)).changes(),
    "finding": lambda: Finding("asl", "L03-mass", Flaw("it is wrong", "rule 1")),
    "written": lambda: Lines("written", ("tables.toml",)),
    "parting": lambda: Parting(Fraction(1, 2), "fire", 3, ("fp1 one", "fp1 other")),
    "leaf": lambda: TreeEnd(Fraction(1, 2)),
    "choice": lambda: TreeDecision(
        0, "all", ("fire", "pass"), (TreeEnd(Fraction(1)), TreeEnd(Fraction(0)))
    ),
    "own engagement": lambda: question_named("compare")(
        engagement=find_engagement("woods"), catalogue=_with_a_sheet()
    ),
    "estimate": lambda: Estimate(0.5, 0.1),
    "yardsticks changed": lambda: [
        *changes(*(fp.odds("woods", **STAGED, guns=guns).answer for guns in (6, 24)))
    ],
}


def _with_a_sheet() -> Any:
    """Return the installed games after a question about a sheet, which is then among them."""
    fp.odds("woods", game=str(_sheet()), minutes=4)
    installed = catalogue()
    assert "night_rockets_sheet" in installed.games
    return installed


def _sheet() -> Path:
    (sheet,) = (Path(__file__).parents[2] / "examples/sheets").glob("night_rockets*.toml")
    return sheet


@pytest.fixture(scope="module")
def elsewhere() -> Any:
    """Yield a pool of one process that has imported nothing from this one."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def test_every_question_has_an_example() -> None:
    assert {*QUESTIONS} | {*LISTS} == {*places()}


@pytest.mark.parametrize(
    "name",
    [name if name in QUICK else pytest.param(name, marks=FULL) for name in (*QUESTIONS, *OTHERS)],
)
def test_answers_and_positions_can_be_sent_and_copied(name: str, elsewhere: Any) -> None:
    answer = (QUESTIONS.get(name) or OTHERS[name])()
    assert without_addresses(elsewhere.submit(str, answer).result()) == printed(answer)
    assert printed(copy.deepcopy(answer)) == printed(answer)
    again = pickle.loads(pickle.dumps(answer))  # noqa: S301 - our own
    if hasattr(answer, "to_dict"):
        assert again.to_dict() == answer.to_dict()
    if type(answer).__eq__ is not object.__eq__:
        assert again == answer


def test_a_position_is_asked_in_another_process(elsewhere: Any) -> None:
    position = village().having(a={"contact": True})
    asked = elsewhere.submit(methodcaller("chance", "fall", 2), position).result()
    assert asked.shares == position.chance("fall", 2).shares
    sent = elsewhere.submit(methodcaller("play", "call"), village()).result()
    assert sent == village().play("call")
    assert sent.belief("german").to_dict() == village().play("call").belief("german").to_dict()


@pytest.mark.parametrize("name", ["miniatures_1943/only_dummies", "asl/behind_the_ridge"])
def test_a_recorded_game_is_sent_with_all_its_positions(name: str, elsewhere: Any) -> None:
    game = fp.load(name)
    assert elsewhere.submit(methodcaller("to_dict"), game).result() == game.to_dict()
    assert copy.deepcopy(game).at(2) == game.at(2)


def test_a_position_with_a_custom_file_and_charts_is_sent(elsewhere: Any, tmp_path: Path) -> None:
    from fireplan_core.play import Catalogue, shipped_scenarios

    games = Catalogue.installed(only=("wacht_am_rhein",))
    chart = Path(games["wacht_am_rhein"].plugin.__file__).parent / "data" / "barrage_results.csv"
    own = tmp_path / "mine.csv"
    own.write_bytes(chart.read_bytes())
    file = tmp_path / "mine.toml"
    text = shipped_scenarios(games)["wacht_am_rhein/crossroads"].read_text(encoding="utf-8")
    file.write_text(f'{text}\n[charts]\nbarrage_results = "mine.csv"\n', encoding="utf-8")
    position = fp.position(str(file))
    line, chance = position.line, position.odds(1).to_dict()
    sent = pickle.dumps(position)
    file.unlink()
    own.unlink()
    assert elsewhere.submit(pickle.loads, sent).result() == position
    assert elsewhere.submit(attrgetter("line"), position).result() == line
    assert elsewhere.submit(methodcaller("odds", 1), position).result().to_dict() == chance


def test_every_question_class_can_be_sent() -> None:
    for made in made_questions():
        again = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own
        assert isclass(type(again))
        assert attrs.asdict(again) == attrs.asdict(made)
        assert attrs.asdict(copy.deepcopy(made)) == attrs.asdict(made)


def test_a_scenario_changed_in_memory_explains_why_it_cannot_be_sent() -> None:
    changed = attrs.evolve(village().at.scenario, title="another")
    with pytest.raises(pickle.PicklingError, match="changed after it was staged"):
        pickle.dumps(changed)


# --- every public class ----------------------------------------------------------------
NOT_SENT = {
    "Final": "a position as a function sees it while an answer is worked out; it ends with that",
    "Form": "may hold functions of the rules; the question that it belongs to is sent whole",
}
"""Public classes that are not sent on their own, each with the reason."""
DEEPER = ("fireplan.questions", "fireplan.strategies", "fireplan_kit")
"""Packages in which everything that a class declares is public too; elsewhere only the class is."""


FRONT = ("fireplan.", "fireplan_core.")


def public_classes() -> dict[type, str]:
    """Return every public class with the place that declares it."""
    found: dict[type, str] = {}
    declared = [(name, kind) for name in fp.__all__ for kind in _kinds(getattr(fp, name))]
    declared += [(question.key, question) for question in questions()]
    while declared:
        place, kind = declared.pop()
        named = getattr(sys.modules.get(kind.__module__), kind.__name__, None)
        own = kind.__module__.startswith("fireplan") and not kind.__name__.startswith("_")
        own = own and named is kind  # skip the class as it was before attrs gave it slots
        if not own or kind in found or getattr(kind, "_is_protocol", False):
            continue
        found[kind] = place
        declared += [
            (f"subclass of {kind.__name__}", each)
            for each in kind.__subclasses__()
            # The kit, the tools and the games derive further classes, which exist only once
            # something has loaded them.
            if each.__module__.startswith(FRONT) and "mcp_server" not in each.__module__
        ]
        if kind.__module__.startswith(DEEPER) or kind.__name__ in fp.__all__:
            declared += [
                (f"{kind.__name__}.{name}", each)
                for name, hint in _members(kind)
                for each in _kinds(hint)
            ]
    return found


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    """Yield each public field, property and method of a class with its declared type."""
    for name, member in inspect.getmembers(kind):
        if not name.startswith("_") or name in {"__getitem__", "__iter__"}:
            function = member.fget if isinstance(member, property) else member
            if inspect.isfunction(function):
                yield name, _hints(function).get("return")
    if attrs.has(kind):
        hints = _hints(kind)
        yield from ((field.name, hints.get(field.name)) for field in attrs.fields(kind))


def _hints(declared: Any) -> Mapping[str, Any]:
    try:
        return typing.get_type_hints(inspect.unwrap(declared))
    except NameError:  # a name that exists only for the type checker
        return {}


def _kinds(declared: Any) -> Iterator[type]:
    """Yield the classes in an annotation, or in a public function's arguments and result."""
    if isinstance(declared, typing.TypeVar):
        declared = declared.__bound__
    if inspect.isfunction(declared):
        yield from _kinds(getattr(declared, "question", _hints(declared).get("return")))
    elif isinstance(declared, list):
        yield from (kind for each in declared for kind in _kinds(each))
    elif arguments := typing.get_args(declared):
        yield from (kind for each in arguments for kind in _kinds(each))
    elif isclass(declared):
        yield declared


def parts_of(value: Any, public: Iterable[type], seen: dict[int, Any]) -> Iterator[Any]:
    """Yield a value and, as far as they are public, the contents of its fields, properties and
    items.
    """
    if id(value) in seen:
        return
    seen[id(value)] = value
    kind, held = type(value), list[Any]()
    if isinstance(value, Mapping):
        held += [*value, *value.values()]
    elif isinstance(value, list | tuple | set | frozenset):
        held += value
    elif kind in public:
        yield value
        deeper = kind.__module__.startswith(DEEPER) or kind.__name__ in fp.__all__
        names = [field.name for field in attrs.fields(kind)] if attrs.has(kind) else []
        names += [name for name, member in inspect.getmembers(kind) if isinstance(member, property)]
        for name in names if deeper else ():
            try:
                held.append(getattr(value, name))
            except fp.InputError:  # this instance has no such attribute
                continue
        if deeper and isinstance(value, fp.Result):
            held += value.blocks()
        if deeper and isinstance(value, Iterable):
            held += value
    for each in held:
        yield from parts_of(each, public, seen)


def printed(value: Any) -> str:
    """Return how a value prints, without memory addresses."""
    return without_addresses(str(value))


def without_addresses(text: str) -> str:
    """Return a text without memory addresses."""
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def lost(value: Any) -> str:
    """Return a description of the data lost when a value is pickled or copied, or an empty string."""
    ways = {
        "sent": lambda: pickle.loads(pickle.dumps(value)),  # noqa: S301 - our own
        "copied": lambda: copy.deepcopy(value),
    }
    for way, make in ways.items():
        try:
            again = make()
        except Exception as error:  # noqa: BLE001 - every error is a finding
            return f"{way}: {error!r}"
        if type(value).__eq__ is not object.__eq__ and again != value:
            return f"{way}: not equal"
        if printed(again) != printed(value):
            return f"{way}: prints otherwise"
    return ""


def made_questions() -> list[Any]:
    """Return an instance of every kind of question."""
    return [
        question(
            **{
                field.name: "asl/village"
                for field in attrs.fields(question)
                if field.default is attrs.NOTHING
            }
        )
        for question in questions()
    ]


GRID = """title = "x"
question = "chance"
ask = { scenario = "asl/village", event = "fall" }
[[vary]]
argument = "by"
values = ["turn 1"]
"""
GUNS = """title = "x"
engagements = ["woods"]
games = ["asl", "wacht_am_rhein"]
minutes = 6
[[vary]]
fact = "guns"
values = [6, 30]
"""


def swept(folder: Path) -> Iterator[Any]:
    """Yield the answers of sweeps, whose plans are files."""
    for name, text in {"grid": GRID, "guns": GUNS}.items():
        plan = folder / f"{name}.toml"
        plan.write_text(text, encoding="utf-8")
        yield fp.sweep(plan, workers=1)
    yield fp.sweep(plan, check=True)


@pytest.mark.parametrize("all_of_them", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.full
def test_every_public_class_can_be_sent_and_copied(all_of_them: bool, tmp_path: Path) -> None:
    public, seen = public_classes(), dict[int, Any]()
    names = [name for name in (*QUESTIONS, *OTHERS) if all_of_them or name in OTHERS]
    answers = [(QUESTIONS.get(name) or OTHERS[name])() for name in names]
    answers += made_questions()
    answers += swept(tmp_path) if all_of_them else ()
    losses, met = dict[str, str](), set[type]()
    for part in parts_of(answers, public, seen):
        name = type(part).__name__
        met |= {*type(part).__mro__}
        if name not in NOT_SENT and name not in losses and (loss := lost(part)):
            losses[name] = loss
    assert not losses
    without = {kind.__name__ for kind in public.keys() - met} - NOT_SENT.keys()
    assert not (" ".join(sorted(without)) if all_of_them else "")


def test_a_public_class_without_an_example_would_be_missed() -> None:
    public = {kind.__name__ for kind in public_classes()}
    assert {"PositionResult", "ChanceResult", "Crossover", "PendingQuestion", "Strategy"} <= public
    assert public >= NOT_SENT.keys()
