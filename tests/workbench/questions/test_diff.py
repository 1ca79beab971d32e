"""Two readings of a rule side by side: differences equal those of two odds, and the printed
position shows them.
"""

from fractions import Fraction
from importlib.resources import as_file

import pytest
from tiers import full_then_long

import fireplan as fp
from fireplan import sheets
from fireplan.analysis import shipped_engagements
from fireplan.positions import Source, Sources, position_of, take_apart
from fireplan.questions.diff import DiffResult, OptionValue, TableMoved
from fireplan.questions.divergence import parting
from fireplan.questions.question import ask_question, question_named
from fireplan.solver import NumberLog
from fireplan.table import unlisted_scenarios
from fireplan_kit.testing import catalogue

KNOWN = [
    ("miniatures_1943", "chit"),
    ("miniatures_1943", "turn_minutes"),
    ("wacht_am_rhein", "d10_zero"),
]


@pytest.mark.parametrize(("game", "option"), full_then_long(KNOWN))
def test_the_search_finds_a_position_at_which_known_readings_part(game, option):
    found = fp.diff(game, option=option, moments=1, walks=2)
    sources = Sources(catalogue(), shipped_engagements(), unlisted=unlisted_scenarios)
    for reading in found.readings:
        assert reading.parting is not None, reading.value
        lines = reading.parting.lines
        assert [dict(take_apart(line).source.options) for line in lines] == [
            {option: reading.option.default}, {option: reading.value}
        ]  # fmt: skip
        assert parting(*(position_of(line, sources) for line in lines)) == (
            reading.parting.by,
            reading.parting.what,
        )
        assert parting(*(position_of(lines[0], sources) for _ in lines)) == (0, "")
        assert 0 < reading.parting.by <= 1


@pytest.mark.full
def test_12_3_1_reading_the_d10_zero_as_ten_changes_the_odds_as_two_runs_do():
    reading = fp.diff("wacht_am_rhein", option="d10_zero", moments=1, walks=0).readings[0]
    moved = {table.table: table for table in reading.moved}["wacht_am_rhein/crossroads"]
    told = fp.whatif("wacht_am_rhein/crossroads", option={"wacht_am_rhein.d10_zero": "ten"})
    before, after = (
        1 - dict(answer.measures["target_severity"].distribution)["none"]
        for answer in (told.before, told.after)
    )
    assert moved.figures["suppressed"] == (before, after)
    assert reading.parting is None


def test_12_3_1_the_answer_begins_with_the_greatest_change():
    """One more face of ten suppresses in the woods, the greatest difference in the table."""
    found = fp.diff("wacht_am_rhein", option="d10_zero", moments=1, walks=0)
    assert str(found).startswith(
        "With d10_zero ten, not zero, the mean share of the target suppressed or worse is 50.0 %"
        " instead of"
    )
    assert "40.0 % in woods (engagement).\n" in str(found)


def test_minutes_are_not_compared_with_chances():
    game = catalogue()["wacht_am_rhein"].game
    figures = {
        "minutes_to_first_effect": (Fraction(5), Fraction(30)),
        "delivered": (Fraction(1, 2), Fraction(3, 4)),
    }
    moved = TableMoved("a table", changes=(None,), figures=figures)
    reading = OptionValue(game.options[0], game.options[0].values[1], (moved,), None)
    assert DiffResult(game, 1, (reading,), 0).in_short.endswith(
        " falls at least once is 75.0 % instead of 50.0 % in a table."
    )


def test_an_option_that_no_rule_reads_changes_nothing_with_a_note():
    found = fp.diff("miniatures_1943", option="trench_crater", moments=1, walks=0)
    assert not found.readings[0].moved
    assert str(found).startswith("With trench_crater ")
    assert "no figure changes in any shipped scenario.\n" in str(found)
    assert "No positions were searched" in str(found)
    assert "No position was" not in str(found)


@pytest.mark.full
def test_only_differing_figures_are_listed():
    """``test_door`` checks that the command prints the same."""
    [reading] = fp.diff(
        "miniatures_1943", option="chit", value="dummy", moments=1, walks=1
    ).to_dict()["readings"]
    assert reading["value"] == "dummy"
    for table in reading["tables"]:
        for before, after in table["figures"].values():
            assert Fraction(before) != Fraction(after)


@pytest.mark.parametrize(
    ("how", "fault"),
    [
        ({"option": "chits"}, "There is no option 'chits'. Did you mean 'chit'?"),
        ({"option": "chit", "value": "dumy"}, "Did you mean 'dummy'?"),
        ({"value": "dummy"}, "goes with one"),
        ({"moments": 0}, "moments: expected 1 to"),
        ({"walks": -1}, "walks: expected 0 to"),
    ],
)
def test_faults_are_reported(how, fault):
    with pytest.raises(fp.InputError) as raised:
        fp.diff("miniatures_1943", **how)
    assert fault in str(raised.value)


@pytest.mark.long
def test_an_unread_option_is_not_solved_twice_and_is_reported():
    [one, other] = fp.diff("asl", option="chinese_squads", moments=1, walks=0).readings
    assert not one.moved
    assert not other.moved
    [reading] = fp.diff("asl", option="registered_must_correct", moments=1, walks=0).readings
    assert [table.read for table in reading.tables] == [False] * len(reading.tables)
    found = fp.diff("asl", option="blind_ar", moments=1, walks=0)
    assert "the standard doctrine does not use it there" in " ".join(str(found).split())


def test_options_record_when_they_are_read():
    noted = NumberLog()
    sources = Sources(catalogue(), shipped_engagements(), note=noted)
    scenario = sources.scenario(Source(name="asl/village"))
    assert "asl:along_a_hexside" in noted.take()
    assert scenario.parts.areas.options["registered_correction"] == "halve, then cap"
    assert noted.take() == {"asl:registered_correction"}


@pytest.mark.long
def test_c1_21_the_nearest_position_is_where_access_without_a_counter_is_asked_for():
    [reading] = fp.diff("asl", option="access_without_counter", moments=1, walks=8).readings
    assert reading.parting is not None
    # Call, roll, draw, and place no AR: the next phase opens with Access and no counter on the map.
    assert reading.parting.inputs >= 4
    assert "contact access" in reading.parting.lines[0]


@pytest.mark.long
def test_the_walks_are_steps_of_the_bar_and_all_steps_are_taken():
    """The walks come first and take longest, so the progress bar must count them."""
    steps = []
    ask_question(
        question_named("diff"),
        {"game": "wacht_am_rhein", "option": ["d10_zero"], "moments": 1, "walks": 2},
        work={"progress": lambda total, what: steps.append((total, what))},
    )
    assert {total for total, _ in steps} == {len(steps)}
    walks = [what.startswith("walks: ") for _, what in steps]
    assert walks.index(False) == sum(walks) > 4


def test_a_game_without_options_is_said_to_have_no_other_reading():
    with as_file(sheets.sheet_templates()["radio_and_scatter"]) as sheet:
        result = fp.diff(str(sheet), walks=0)
    assert result.in_short == "This game has no options, so it has no other reading."
    assert "Radio and scatter: " not in str(result)
