"""The page of seven procedures agrees with the installed games: their texts, answers and parts."""

import importlib
import re
import sys
from pathlib import Path

import pytest
import tomli

from fireplan_core import Cards, Part, ready_parts
from fireplan_core.play import CONTRACTS, Catalogue, contract_of

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))  # as conf.py does
GENERATE = importlib.import_module("_generate")
PROCEDURES = importlib.import_module("_procedures")

PAGE = (DOCS / "reference/seven_games.md").read_text(encoding="utf-8")
FILES = {
    path.name: path / "src" / f"fireplan_{path.name}" / "data" / "procedure.toml"
    for path in (ROOT / "plugins").iterdir()
    if path.is_dir()
}
PROCEDURE = {key: tomli.loads(path.read_text(encoding="utf-8")) for key, path in FILES.items()}
MECHANISMS = {one["name"]: one for one in PROCEDURES.mechanisms()}
CATALOGUE = Catalogue.installed()
INSTALLED = PROCEDURES.games_of(CATALOGUE)
SECOND_HAND = ("BattleTech", "Battlegroup Clash: Baltics", "Combat Commander: Europe")


def piece(name):
    """Return the rows of a table on the page, without its head."""
    found = re.search(
        rf"<!-- generated: seven_games/{name} -->\n\n(.*?)\n\n<!-- end -->", PAGE, re.DOTALL
    )
    return found[1].splitlines()[2:]


def cells(line):
    return line.removeprefix("| ").removesuffix(" |").split(" | ")


@pytest.fixture(scope="module")
def made():
    return GENERATE.seven_games(CATALOGUE)


@pytest.mark.full
@pytest.mark.parametrize("name", ["games", *PROCEDURES.ASPECTS])
def test_each_installed_games_row_matches_its_texts_and_answers(made, name):
    assert set(made[f"seven_games/{name}"].splitlines()[2:]) <= set(piece(name))
    assert len(piece(name)) == len(PROCEDURE)


@pytest.mark.full
def test_the_map_of_mechanisms_matches_each_games_base_classes(made):
    titles = [CATALOGUE[key].game.title for key in INSTALLED]
    here = [cells(line) for line in made["seven_games/mechanisms"].splitlines()[2:]]
    there = [cells(line) for line in piece("mechanisms")]
    assert [row[:2] + row[4:] for row in here] == [row[:2] + row[4:] for row in there]
    for now, told in zip(here, there, strict=True):
        for column in (2, 3):
            assert [title in now[column] for title in titles] == [
                title in told[column] for title in titles
            ], now[0]
    if len(INSTALLED) == len(PROCEDURE):
        assert here == there


@pytest.mark.long
def test_the_page_is_unchanged_unless_all_games_are_installed():
    some = Catalogue.installed(only=("asl", "red_poppies"))
    assert not PROCEDURES.is_complete(some)
    assert PROCEDURES.is_complete(CATALOGUE) == (len(INSTALLED) == len(PROCEDURE))
    if not PROCEDURES.is_complete(CATALOGUE):
        assert GENERATE.pages()[DOCS / "reference/seven_games.md"] == PAGE


def test_games_without_a_rulebook_say_so_in_every_row():
    for name in ("games", *PROCEDURES.ASPECTS):
        told = {
            cells(line)[0] for line in piece(name) if "from second-hand sources" in cells(line)[0]
        }
        assert told == {f"{title} (from second-hand sources)" for title in SECOND_HAND}


@pytest.mark.parametrize("key", PROCEDURE)
def test_each_game_describes_all_seven_aspects_with_rules_and_known_mechanisms(key):
    told = PROCEDURE[key]
    assert list(told) == [*PROCEDURES.ASPECTS, "mechanisms"]
    assert all(
        set(told[aspect]) == {"says", "rules"} and told[aspect]["rules"]
        for aspect in PROCEDURES.ASPECTS
    )
    assert set(told["mechanisms"]) <= set(MECHANISMS)


@pytest.mark.parametrize("key", INSTALLED)
def test_rules_that_a_procedure_cites_are_played(key):
    rules = CATALOGUE[key].game.ledger.rules
    cited = {rule for aspect in PROCEDURES.ASPECTS for rule in PROCEDURE[key][aspect]["rules"]}
    assert {rule: rules[rule].status for rule in cited} == dict.fromkeys(cited, "implemented")


@pytest.mark.parametrize("key", INSTALLED)
def test_the_steps_that_make_a_mechanism_are_written_by_the_game_itself(key):
    kinds = {part.word: type(part) for part in PROCEDURES.parts_of_game(CATALOGUE, key)}
    for step in (step for steps in PROCEDURE[key]["mechanisms"].values() for step in steps):
        word, _, name = step.partition(".")
        homes = [base.__module__ for base in kinds[word].__mro__ if name in vars(base)]
        assert homes, step
        assert homes[0].startswith(f"fireplan_{key}"), step


def test_every_ready_part_makes_a_mechanism_and_every_other_has_a_method_to_write():
    ready = {
        name
        for name, kind in ((name, getattr(ready_parts, name)) for name in ready_parts.__all__)
        if is_ready(kind)
    }
    assert {one["ready"] for one in MECHANISMS.values() if "ready" in one} == (
        ready - {"Ready"}
    ) | {Cards.__name__}
    for one in MECHANISMS.values():
        assert ("ready" in one) != ("write" in one)
        if "write" in one:
            word, _, name = one["write"].partition(".")
            assert name in contract_of(word) or hasattr(CONTRACTS[word], name)
        if "override" in one:
            assert hasattr(getattr(ready_parts, one["ready"]), one["override"])


def is_ready(kind):
    return isinstance(kind, type) and issubclass(kind, Part)


def test_every_mechanism_is_used_by_a_game_or_an_example():
    assert [cells(line)[0] for line in piece("mechanisms") if not any(cells(line)[2:])] == []
