"""Cells of charts: named by structure, changed one by one, and recorded when they are read."""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import pytest

from fireplan_core.chance import (
    Chart,
    Note,
    Numbers,
    cells_of,
    numbers_from_csv,
    watched,
    with_cell,
)
from fireplan_core.files import FileError

TABLE = Chart(
    "table",
    (2, 3, 4),
    ("low", "high"),
    {
        (2, "low"): "A",
        (3, "low"): "B",
        (4, "low"): "B",
        (2, "high"): "A",
        (3, "high"): "A",
        (4, "high"): "C",
    },
    "printed",
    "1.2",
)
COUNTS = Chart("counts", (0,), ("x", "y"), {(0, "x"): "0", (0, "y"): "3"}, "derived", "1.3")
SIGNED = Chart("signed", (0,), ("x", "y"), {(0, "x"): "0", (0, "y"): "-3"}, "derived", "1.3")


@attrs.frozen(eq=False)
class Own:
    cap: int
    values: Mapping[str, int]
    table: Chart
    provenance: str = "reconstructed"
    source: str = "9.9"


OWN = Own(10, {"night": -1}, TABLE)
NUMBERS = Numbers("numbers", {"cap": 3}, {"cap": Note("1.1", "a cap", "printed", 3, 5)})


def found(chart):
    return {cell.path: (cell.value, cell.steps) for cell in cells_of(chart)}


def test_a_field_may_name_the_rule_of_its_numbers():
    @attrs.frozen
    class Cited:
        cap: int
        values: Mapping[str, int] = attrs.field(metadata={"cite": "2.1"})
        source: str = "9.9"

    cites = {cell.path: cell.cite for cell in cells_of(Cited(10, {"night": -1}))}
    assert cites == {("cap",): "9.9", ("values", "night"): "2.1"}


def test_a_word_steps_to_its_neighbour_in_the_column():
    assert found(TABLE)["low", "3"] == ("B", ("A",))
    assert found(TABLE)["high", "3"] == ("A", ("C",))
    assert found(TABLE)["low", "2"] == ("A", ("B",))


def test_a_word_steps_to_the_nearest_other_words_and_not_to_the_ends_of_the_column():
    cells = {(row, "all"): word for row, word in enumerate("ABCCDE")}
    steps = {
        path: cell[1]
        for path, cell in found(Chart("c", (*range(6),), ("all",), cells, "printed")).items()
    }
    assert steps["2",] == steps["3",] == ("B", "D")


def test_a_step_of_a_number_is_one_and_never_below_0_in_a_chart_without_negatives():
    assert found(COUNTS) == {("x",): (0, (1,)), ("y",): (3, (2, 4))}
    assert found(SIGNED)["x",] == (0, (-1, 1))
    assert found(NUMBERS) == {("cap",): (3, (4,))}


def test_charts_of_a_games_own_class_are_named_by_their_structure():
    cells = {cell.path: cell for cell in cells_of(OWN)}
    assert set(cells) == {
        ("cap",),
        ("values", "night"),
        *(("table", *path) for path in found(TABLE)),
    }
    assert (cells["cap",].provenance, cells["cap",].cite, cells["cap",].watched) == (
        "reconstructed",
        "9.9",
        False,
    )
    assert cells["table", "low", "2"].cite == "1.2"


@pytest.mark.parametrize(
    ("chart", "path", "text"),
    [
        (TABLE, ("low", "3"), "C"),
        (COUNTS, ("x",), "7"),
        (OWN, ("values", "night"), "-4"),
        (OWN, ("cap",), "11"),
        (OWN, ("table", "high", "4"), "B"),
        (NUMBERS, ("cap",), "5"),
    ],
)
def test_one_cell_is_changed_and_no_other(chart, path, text):
    before, after = found(chart), found(with_cell(chart, path, text))
    assert str(after[path][0]) == text
    assert {p: v for p, (v, _) in after.items() if p != path} == {
        p: v for p, (v, _) in before.items() if p != path
    }
    assert found(chart) == before


@pytest.mark.parametrize(
    ("chart", "path", "text", "said"),
    [
        (TABLE, ("low", "3"), "D", "not an entry of this chart; its entries are A, B, C"),
        (COUNTS, ("x",), "two", "whole number"),
        (COUNTS, ("x",), "-1", "below 0"),
        (OWN, ("cap",), "x", "whole number"),
        (Own(10, {"night": 1}, TABLE), ("cap",), "-1", "below 0"),
        (Own(10, {"night": 1}, TABLE), ("cap",), "-9000000000", "below 0"),
        (NUMBERS, ("cap",), "6", "above 5"),
        (NUMBERS, ("cap",), "2", "below 3"),
    ],
)
def test_an_impossible_cell_value_is_refused(chart, path, text, said):
    with pytest.raises(ValueError, match=said):
        with_cell(chart, path, text)


@pytest.mark.parametrize("chart", [TABLE, COUNTS, OWN, NUMBERS])
def test_a_path_that_leads_to_no_cell_is_a_key_error(chart):
    with pytest.raises(KeyError, match="nowhere"):
        with_cell(chart, ("nowhere",), "1")


def test_a_watched_chart_records_exactly_the_cells_read():
    told = []
    own = watched(OWN, told.append)
    assert told == []
    assert own.values["night"] == -1
    assert own.table.cell(99, "low") == "B"
    assert own.table.column("high")(2) == "A"
    at_table = attrs.evolve(NUMBERS, at_table=True)
    assert watched(at_table, told.append)["cap"] == 3
    assert told == [("values", "night"), ("table", "low", "4"), ("table", "high", "2"), ("cap",)]


def test_a_file_of_numbers_is_refused_with_every_fault(tmp_path):
    file = tmp_path / "n.csv"
    file.write_text(
        "name,value,least,most,provenance,rule,summary\n"
        "good,1,,,printed,1.1,fine\n"
        "good,2,,,printed,1.1,twice\n"
        "bad name,1,,,printed,1.1,name\n"
        "half,1.5,,,printed,1.1,fraction\n"
        "far,9,0,5,printed,1.1,bounds\n"
        "guess,1,,,guessed,,\n",
        encoding="utf-8",
    )
    with pytest.raises(FileError) as caught:
        numbers_from_csv("numbers", file)
    told = "\n".join(fault.message for fault in caught.value.faults)
    for said in (
        "appears twice",
        "'bad name'",
        "'1.5'",
        "above 5",
        "'guessed'",
        "rule is empty",
        "summary is empty",
    ):
        assert said in told


def test_numbers_are_as_reliable_as_the_least_reliable_of_them(tmp_path):
    file = tmp_path / "n.csv"
    file.write_text(
        "name,value,least,most,provenance,rule,summary\n"
        "sure,1,,,printed,1.1,from the book\n"
        "guess,2,,,reconstructed,1.2,ours\n"
        "worked,3,,,derived,1.3,from the others\n",
        encoding="utf-8",
    )
    assert numbers_from_csv("numbers", file).provenance == "reconstructed"
