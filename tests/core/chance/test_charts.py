"""Charts from files: nearest rows outside, unknown columns, and every fault of a file at once."""

import pytest

from fireplan_core.chance import Throw, chart_from_csv, d6, explore
from fireplan_core.files import FileError


@pytest.fixture
def chart(tmp_path):
    file = tmp_path / "chart.csv"
    file.write_text("dr,weak,strong\n2,no,yes\n3,maybe,yes\n4,yes,yes\n")
    return chart_from_csv("results", file, provenance="printed")


def test_rows_outside_the_chart_read_as_its_first_and_last(chart):
    assert [chart.cell(row, "weak") for row in (-3, 1, 2, 3, 4, 5, 99)] == [
        "no",
        "no",
        "no",
        "maybe",
    ] + ["yes"] * 3


def test_a_roll_looked_up_branches_by_result_not_by_number(chart):
    branches = explore(lambda c: c.dice("roll", white=d6).total.look_up(chart.column("weak")))
    assert {answer: weight for weight, _, answer, _ in branches} == {"no": 2, "maybe": 1, "yes": 3}
    assert len(Throw("roll", (("white", d6),)).space) == 6


def test_an_unknown_column_lists_the_known_ones(chart):
    with pytest.raises(KeyError, match="weak, strong"):
        chart.column("mighty")


def test_every_fault_of_a_chart_file_at_once(tmp_path):
    file = tmp_path / "bad.csv"
    file.write_text("dr,weak\n2,a\nx,b\n2,c\n5,\n")
    with pytest.raises(FileError) as caught:
        chart_from_csv("results", file, provenance="user")
    text = " ".join(fault.message for fault in caught.value.faults)
    for part in (
        "'x' is not a whole number",
        "row 2 appears twice",
        "weak is empty",
        "row 3 is missing",
        "row 4 is",
    ):
        assert part in text


def test_repeated_headings_and_values_without_a_heading_are_faults(tmp_path):
    file = tmp_path / "bad.csv"
    file.write_text("dr,weak,weak,strong\n2,a,b,c\n3,a,b,c,d\n4,a,b,c\n")
    with pytest.raises(FileError) as caught:
        chart_from_csv("results", file, provenance="user")
    assert [fault.message for fault in caught.value.faults] == [
        "bad.csv line 1: the heading weak appears twice",
        "bad.csv line 3: more values than headings",
    ]


def test_rows_named_by_their_least_value_may_have_gaps_but_not_repeat(tmp_path):
    file = tmp_path / "powers.csv"
    file.write_text("mm,power\n70,12\n100,16\n150,24\n")
    with pytest.raises(FileError):
        chart_from_csv("powers", file, provenance="printed")
    chart = chart_from_csv("powers", file, provenance="printed", consecutive=False)
    assert chart.rows == (70, 100, 150)
    assert chart.cells[100, "power"] == "16"
    file.write_text("mm,power\n70,12\n70,16\n")
    with pytest.raises(FileError, match="row 70 appears twice"):
        chart_from_csv("powers", file, provenance="printed", consecutive=False)
