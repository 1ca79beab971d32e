"""The user's own figures, each with a source, shown beside the games and used as targets."""

from fractions import Fraction

import pytest

import fireplan as fp
from fireplan.analysis import FIGURES, ReferenceFigure, figures_of
from fireplan.analysis.figures import delivered_by

SHORT = {"games": ["miniatures_1943", "red_poppies"], "minutes": 30}
FILE = """
[[figure]]
yardstick = "delivered"
value = 0.8
by = 20
source = "Field trials, 1944"

[[figure]]
yardstick = "minutes_to_first_effect"
value = 7
source = "a playtest"
"""


@pytest.fixture(scope="module")
def compared(tmp_path_factory):
    file = tmp_path_factory.mktemp("reference") / "own.toml"
    file.write_text(FILE)
    return fp.compare(**SHORT, reference=[str(file), "on_target = 4/5: a rule of thumb"])


def test_a_user_figure_is_shown_exactly_as_written(compared):
    trials, playtest, rule = compared.reference
    assert (trials.exact, playtest.exact, rule.exact) == (Fraction(4, 5), 7, Fraction(4, 5))
    first = compared.to_dict()["reference"][0]
    assert first["source"] == "Field trials, 1944"
    delivery = dict(compared["red_poppies"].delivery)
    by_hand = max(share for minute, share in delivery.items() if minute <= 20)
    assert first["games"]["red_poppies"] == str(by_hand)


def test_delivery_by_a_minute_is_the_same_read_from_the_curve_and_solved(compared):
    ranked = fp.tune("red_poppies", reference=["delivered = 80 % by 20: x"], minutes=30, seconds=1)
    (solved,) = ranked.found.printed.values
    assert str(solved) == compared.to_dict()["reference"][0]["games"]["red_poppies"]


def test_the_nearest_game_is_the_one_with_the_smallest_gap(compared):
    for figure, data in zip(compared.reference, compared.to_dict()["reference"], strict=True):
        gaps = {key: abs(Fraction(value) - figure.exact) for key, value in data["games"].items()}
        assert data["nearest"] == [key for key, gap in gaps.items() if gap == min(gaps.values())]
        assert data["games"] == {
            key: str(figure.of(compared[key])) for key in ("miniatures_1943", "red_poppies")
        }
    assert (
        compared.reference[1].of(compared["red_poppies"])
        == (figures_of(compared["red_poppies"])["minutes_to_first_effect"])
    )


def test_text_and_rows_name_the_source_and_mark_the_nearest(compared):
    shown = compared.markdown()
    assert "80.0 % (Field trials, 1944)" in shown
    assert "nearest" in shown
    rows = [row for row in compared.rows() if row["game"] == "reference"]
    assert [row["value"] for row in rows] == ["4/5", "7", "4/5"]
    assert rows[0]["measure"] == "delivered by 20"
    assert "Field trials, 1944" in compared.csv()


@pytest.mark.parametrize(("value", "sign"), [("99 %", ">="), ("1 %", "<=")])
def test_tune_approaches_a_user_figure_from_the_games_side(value, sign):
    found = fp.tune(
        "miniatures_1943", reference=[f"reduced = {value}: x"], minutes=6, seconds=1
    ).found
    (want,) = found.wants
    assert (want.sign, want.bound) == (sign, ReferenceFigure.read(f"reduced = {value}: x").exact)
    assert not want.holds(found.printed.values[0])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("delivered 80 %", "write FIGURE = VALUE: SOURCE"),
        ("delivered = 80 %:  ", "needs its source"),
        ("deliverd = 80 %: x", "Did you mean .delivered."),
        ("delivered = many: x", "expected a share"),
        ("minutes_to_first_effect = 80 %: x", "expected minutes"),
        ("on_target = 80 % by 3: x", "goes only with delivered"),
        ("delivered = 80 % by noon: x", "give the minutes"),
        ("delivered = 120 %: x", "expected a share"),
    ],
)
def test_a_wrong_line_is_answered_with_the_expected_form(line, said):
    with pytest.raises(ValueError, match=said):
        ReferenceFigure.read(line)


def test_every_fault_of_a_file_has_its_line(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(FILE.replace('"delivered"', '"deliverd"').replace("= 7", '= "soon"'))
    with pytest.raises(fp.InputError) as refused:
        fp.compare(**SHORT, reference=[str(file), "hit"])
    text = "\n".join(refused.value.faults)
    assert "line 3" in text
    assert "line 10" in text
    assert "hit" in text


def test_a_figure_by_a_minute_survives_the_way_to_a_worker():
    import pickle

    figure = pickle.loads(pickle.dumps(delivered_by(12)))  # noqa: S301 - made here
    assert figure.summary == delivered_by(12).summary
    assert pickle.loads(pickle.dumps(FIGURES["delivered"])) is FIGURES["delivered"]  # noqa: S301
