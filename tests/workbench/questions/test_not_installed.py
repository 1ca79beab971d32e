"""A question about a missing game or extra is answered with the distribution to install."""

from importlib.metadata import Distribution, PackageNotFoundError

import pytest

import fireplan as fp
from fireplan import mcp_server
from fireplan.cli import app, main
from fireplan.questions import position as positions
from fireplan_core import extras
from fireplan_core.play import Catalogue, catalogue

SCENARIO = "battletech/two_pieces"
ANSWER = "The game 'battletech' is not installed: pip install fireplan-battletech."


@pytest.fixture
def without_battletech(monkeypatch):
    """Hide a game's distribution, whether or not it is installed."""
    discover = Distribution.discover.__func__

    def others(cls, **about):
        return (
            one for one in discover(cls, **about) if one.metadata["Name"] != "fireplan-battletech"
        )

    monkeypatch.setattr(Distribution, "discover", classmethod(others))
    # Installed games are known by entry point, and by the game of a position's line.
    kept = (catalogue._entry_points, positions._sources_with)
    for cache in kept:
        cache.cache_clear()
    yield
    for cache in kept:
        cache.cache_clear()


@pytest.mark.usefixtures("without_battletech")
@pytest.mark.parametrize(
    "words",
    [
        ("odds", SCENARIO),
        ("odds", "woods", "--game", "battletech"),
        ("compare", "woods", "--games", "battletech"),
        ("kitbash", "wacht_am_rhein", "--delays", "battletech"),
        ("sensitivity", SCENARIO, "--for", "delivered"),
        ("rules", "battletech"),
        ("whatif", "--set", "battletech.x=1"),
        ("play", SCENARIO),
        ("belief", SCENARIO, "--side", "x", "--at", "1"),
        ("luck", SCENARIO),
        ("odds", "--from", f"fp1 {SCENARIO}"),
    ],
)
def test_a_command_names_the_distribution_of_a_game(words, capsys):
    assert main([*words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "he game 'battletech' is not installed" in err
    assert err.count("pip install fireplan-battletech") == err.count("\n") == 1


@pytest.mark.usefixtures("without_battletech")
def test_python_and_assistants_are_given_the_same_sentence():
    with pytest.raises(fp.InputError) as refused:
        fp.odds(SCENARIO)
    assert str(refused.value) == ANSWER
    for name, arguments in (
        ("odds", {"scenario": SCENARIO}),
        ("rules", {"game": "battletech"}),
        ("legal", {"position": SCENARIO}),
    ):
        with pytest.raises(fp.InputError) as refused:
            mcp_server.tools.tools()[name].answer(arguments)
        assert str(refused.value) == ANSWER, name


@pytest.mark.usefixtures("without_battletech")
@pytest.mark.parametrize("command", ["odds", "play", "whatif --set asl.radio_contact=7"])
def test_a_scenario_file_names_the_distribution_of_its_game(command, tmp_path, capsys):
    file = tmp_path / "mine.toml"
    file.write_text('title = "x"\ngame = "battletech"\n', encoding="utf-8")
    words = command.split()
    assert main([words[0], str(file), *words[1:]]) == 2
    said = "line 2: game: the game 'battletech' is not installed - pip install fireplan-battletech"
    assert said in capsys.readouterr().err


@pytest.mark.usefixtures("without_battletech")
def test_each_line_of_a_plan_names_the_distribution(tmp_path, capsys):
    plan = tmp_path / "plan.toml"
    lines = ['title = "x"', 'games = ["battletech"]', f'scenarios = ["{SCENARIO}"]']
    plan.write_text("\n".join(lines), encoding="utf-8")
    assert main(["sweep", str(plan)]) == 2
    said = "the game 'battletech' is not installed - pip install fireplan-battletech"
    assert [line.partition(": line ")[2] for line in capsys.readouterr().err.splitlines()] == [
        f"2: games[0]: {said}",
        f"3: scenarios[0]: {said}",
    ]


@pytest.mark.usefixtures("without_battletech")
@pytest.mark.parametrize("name", ["kit", "core", "battlestar", "", "-", "battletech2/two_pieces"])
def test_nothing_else_is_taken_for_a_game_to_install(name):
    with pytest.raises(fp.InputError) as refused:
        fp.odds(name)
    assert "pip" not in str(refused.value)


def test_a_game_hidden_from_earlier_tests_is_found_again():
    pytest.importorskip("fireplan_battletech")
    assert fp.position(f"fp1 {SCENARIO}").at.moment == 0


def test_an_installed_game_is_not_to_be_installed(monkeypatch):
    monkeypatch.setattr(extras, "version", lambda _name: "0.2.0")
    assert extras.game_to_install("battletech") is None

    def none(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(extras, "version", none)
    assert extras.game_to_install("combat_commander/x") == "fireplan-combat-commander"
    assert extras.game_to_install("kit") is None  # an extra installs the kit, but it is no game


@pytest.mark.parametrize(
    ("module", "words", "answer"),
    [
        (
            "fireplan.questions.duel",
            ("duel", "miniatures_1943/chits_in_hand", "--moments", "1"),
            "'duel' (highspy is missing): pip install 'fireplan[duel]'.",
        ),
        (
            "fireplan.questions.sweep",
            ("sweep", "plan.toml", "--dask", "local"),
            "'dask' (distributed is missing): pip install 'fireplan[dask]'.",
        ),
        (
            "fireplan.questions.sweep",
            ("sweep", "plan.toml", "--parquet", "x"),
            "'parquet' (pyarrow is missing): pip install 'fireplan[parquet]'.",
        ),
    ],
)
def test_a_command_names_the_extra_of_a_library(
    module, words, answer, monkeypatch, capsys, tmp_path
):
    monkeypatch.chdir(tmp_path)
    plan = 'title = "x"\nengagements = ["woods"]\ngames = ["wacht_am_rhein"]\n'
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    monkeypatch.setattr(f"{module}.find_spec", lambda _name: None)
    assert main([*words]) == 2
    assert capsys.readouterr().err == f"This needs the extra {answer}\n"


def test_a_question_of_the_kit_names_the_kit(monkeypatch):
    monkeypatch.setattr(fp, "entry_points", lambda **_about: ())
    with pytest.raises(AttributeError, match="comes with fireplan-kit: pip install fireplan-kit"):
        fp.check  # noqa: B018 - to look it up is the question
    with pytest.raises(AttributeError, match="has no attribute 'chek'"):
        fp.chek  # noqa: B018


def test_a_command_of_the_kit_names_the_kit(monkeypatch, capsys):
    monkeypatch.setattr(app, "commands", dict)
    assert main(["tables"]) == 2
    assert "pip install fireplan-kit." in capsys.readouterr().err


def test_without_any_game_the_games_are_named(monkeypatch, capsys):
    monkeypatch.setattr(Catalogue, "installed", lambda *_args, **_only: Catalogue())
    assert main(["compare"]) == 2
    assert capsys.readouterr().err == "No game is installed: pip install 'fireplan[games]'.\n"
    with pytest.raises(fp.InputError) as refused:
        fp.duel()
    assert "none" not in str(refused.value)
