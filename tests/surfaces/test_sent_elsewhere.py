"""A law over every public class: it pickles, deep-copies, and prints the same in another process."""

import copy
import multiprocessing
import pickle
from concurrent.futures import ProcessPoolExecutor
from inspect import isclass
from operator import attrgetter, methodcaller
from pathlib import Path
from typing import Any

import attrs
import pytest

import fireplan as fp
from fireplan.questions.question import question_named
from fireplan.questions.registry import places

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
SLOW = {"check", "diff", "kitbash", "sensitivity", "tune", "whatif"}
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
    "rule": lambda: fp.rules("wacht_am_rhein", "12.1.1"),
    "sheet": lambda: fp.odds("woods", game=str(_sheet())),
}


def _sheet() -> Path:
    (sheet,) = (Path(__file__).parents[2] / "examples/sheets").glob("night_rockets*.toml")
    return sheet


@pytest.fixture(scope="module")
def elsewhere() -> Any:
    """A pool of one process that has imported nothing of this one."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        yield pool


def test_every_question_has_an_example() -> None:
    assert {*QUESTIONS} | {*LISTS} == {*places()}


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=FULL) if n in SLOW else n for n in (*QUESTIONS, *OTHERS)]
)
def test_answers_and_positions_can_be_sent_and_copied(name: str, elsewhere: Any) -> None:
    answer = (QUESTIONS.get(name) or OTHERS[name])()
    assert elsewhere.submit(str, answer).result() == str(answer)
    assert str(copy.deepcopy(answer)) == str(answer)
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


def test_a_position_of_ones_own_file_and_charts_is_sent(elsewhere: Any, tmp_path: Path) -> None:
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
    for name in places():
        question = question_named(name)
        needed = {
            field.name: "asl/village"
            for field in attrs.fields(question)
            if field.default is attrs.NOTHING
        }
        made = question(**needed)
        again = pickle.loads(pickle.dumps(made))  # noqa: S301 - our own
        assert isclass(type(again))
        assert attrs.asdict(again) == attrs.asdict(made)
        assert attrs.asdict(copy.deepcopy(made)) == attrs.asdict(made)


def test_a_scenario_changed_by_hand_says_why_it_cannot_be_sent() -> None:
    changed = attrs.evolve(village().at.scenario, title="another")
    with pytest.raises(pickle.PicklingError, match="changed after it was staged"):
        pickle.dumps(changed)
