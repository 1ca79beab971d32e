"""Regression tests for faults that the commands of ``benchmarks/reliability`` have found."""

import errno
import json
import os
from pathlib import Path

import pytest

from fireplan import InputError, chained_file
from fireplan.cli import journals
from fireplan.cli.journals import resume
from fireplan.errors import JournalError
from fireplan.sweeps import read_plan
from fireplan.table import (
    Journal,
    JournalRow,
    begin,
    make_head,
    option_value,
    read_playthrough,
    reopen,
)
from fireplan_core.chance import chart_from_csv, read_csv
from fireplan_core.files import FileError
from fireplan_core.play import Catalogue, load_scenario, shipped_scenarios

INPUT = JournalRow("die", {"throw": "a", "face": 1, "typed": True})


@pytest.fixture
def path(tmp_path):
    return tmp_path / "table.fireplan"


def test_the_second_writer_is_refused_and_writes_nothing(path):
    first = Journal.create(path, {})
    second = Journal.open(path)
    first.append(INPUT)
    with pytest.raises(
        JournalError, match=r"table.fireplan: somebody else has written input 1 .* resume it"
    ):
        second.append(JournalRow("die", {"throw": "b", "face": 2, "typed": True}))
    assert second.rows == []
    first.append(INPUT)
    assert Journal.open(path).rows == [INPUT, INPUT]


def test_nobody_reads_the_middle_of_a_write(path, monkeypatch):
    """A reader sees neither a line whose text is written nor one whose end is: the write may still
    fail.
    """
    writer, fsync, seen = Journal.create(path, {}), os.fsync, []
    monkeypatch.setattr(chained_file, "_TRIES", 1)

    def looked(descriptor):
        for read_only in (True, False):
            with pytest.raises(JournalError, match="is in use by another program; try again"):
                Journal.open(path, read_only=read_only)
        seen.append(path.stat().st_size)
        fsync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", looked)
        writer.append(INPUT)
    assert seen == [path.stat().st_size - 3, path.stat().st_size]
    assert Journal.open(path).rows == [INPUT]


def test_a_journal_that_cannot_be_written_says_so(path):
    Journal.create(path, {}).close()
    reader = Journal.open(path, read_only=True)
    with pytest.raises(JournalError, match="input 1 cannot be written"):
        reader.append(INPUT)
    assert reader.rows == []


def test_play_ends_with_a_message_when_another_process_has_written(path, monkeypatch):
    games = Catalogue.installed()
    begin(path, games, make_head(games, "asl/village", None, {})).journal.close()

    def hear(*_):
        other = reopen(path, games)[0]
        other.order(other.table.rulebook.answer(other.table.waits_for, {}, other.table.read))
        other.journal.close()
        return "\n"

    monkeypatch.setattr(journals, "hear_line", hear)
    with pytest.raises(InputError, match="somebody else has written input 1"):
        resume(path, seed=1)
    assert len(Journal.open(path).rows) == 1


def test_a_journal_is_created_completely_or_not_at_all(path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    for call in ("write", "fsync"):
        with monkeypatch.context() as patch:
            patch.setattr(os, call, full)
            with pytest.raises(
                JournalError, match=r"cannot be written \(No space left on device\)"
            ):
                Journal.create(path, {})
        assert not path.exists()


def test_charts_too_large_or_not_text_are_refused_with_their_name(tmp_path):
    file = tmp_path / "my.csv"
    for content, wrong in {
        b"row,a\n1,x\n" * 10_000: "my.csv: larger than 32 kB",
        b"row,a\n1,\xbc\n": "my.csv line 2: not UTF-8",
    }.items():
        file.write_bytes(content)
        with pytest.raises(FileError, match=wrong):
            read_csv(file)


def test_rows_far_apart_are_not_counted_one_by_one(tmp_path):
    file = tmp_path / "my.csv"
    file.write_text("row,a\n1,x\n1000000000,x\n")
    with pytest.raises(FileError, match="rows 2 to 999999999 are missing"):
        chart_from_csv("my", file, provenance="user")


@pytest.mark.parametrize("moments", ["9" * 5000, "\N{SUPERSCRIPT TWO}", "0", "-1"])
def test_odd_numbers_of_moments_are_refused(moments):
    with pytest.raises(InputError, match="moments: expected a whole number"):
        read_playthrough(f"fireplan playthrough 1\nscenario: x\nmoments: {moments}\n")


def test_an_account_of_nothing_but_lines_is_refused():
    with pytest.raises(InputError, match="longer than 10,000 lines"):
        read_playthrough("fireplan playthrough 1\nscenario: x\n" + "\n" * 10_000)


def test_a_number_with_thousands_of_digits_is_refused():
    assert option_value("9" * 5000) == "9" * 5000


def test_charts_of_the_games_refuse_numbers_with_thousands_of_digits(tmp_path):
    games = Catalogue.installed()
    for key, chart, text in [
        ("miniatures_1943", "air_superiority", f"year,a\n{'9' * 5000},1\n"),
        ("miniatures_1943", "request_chart", f"nationality,progress_boxes\nother,{'9' * 5000}\n"),
    ]:
        file = tmp_path / f"{chart}.csv"
        file.write_text(text)
        with pytest.raises(FileError, match="is not a whole number"):
            games[key].game.charts_with({chart: file})


def test_results_and_supply_tables_refuse_malformed_tables(tmp_path):
    games = Catalogue.installed()
    folder = Path(games["wacht_am_rhein"].plugin.__file__).parent / "data"
    for chart, before, after, wrong in [
        (
            "german_transport",
            "\n1,-2,",
            "\n1,two,",
            "line 3: column d0 'two' is not a whole number",
        ),
        ("barrage_results", ",reconstructed", ",", "line 2: the provenance is empty"),
        ("barrage_results", "9+", f"{'9' * 5000}+", "is not a range"),
        ("barrage_results", "9+", "999999999+", "is not a range"),
    ]:
        text = (folder / f"{chart}.csv").read_text()
        file = tmp_path / f"{chart}.csv"
        file.write_text(text.replace(before, after))
        with pytest.raises(FileError, match=wrong):
            games["wacht_am_rhein"].game.charts_with({chart: file})


def test_e12_71_a_hex_far_off_the_board_is_refused_at_once(tmp_path):
    games = Catalogue.installed()
    text = shipped_scenarios(games)["asl/creeping"].read_text()
    file = tmp_path / "far.toml"
    file.write_text(text.replace('preregistered = ["G5"]', 'preregistered = ["G999999999"]'))
    with pytest.raises(FileError, match="G999999999"):
        load_scenario(games, file)


def test_an_option_without_a_name_is_a_fault_with_its_place(tmp_path):
    shipped = shipped_scenarios(Catalogue.installed())["miniatures_1943/river_crossing"]
    text = shipped.read_text(encoding="utf-8")
    file = tmp_path / "river.toml"
    file.write_text(text.replace("[options]\n", '[options]\n"" = 1\n'), encoding="utf-8")
    with pytest.raises(FileError) as caught:
        load_scenario(Catalogue.installed(), file)
    assert caught.value.faults[0].key == 'options.""'


@pytest.mark.parametrize(
    ("scenario", "line", "instead", "key"),
    [
        ("cut_wires", 'at = ["AU05"]', 'at = ["all"]', "unit[0].at"),
        ("cut_wires", 'at = ["AU05"]', 'at = ["row 11e9"]', "unit[0].at"),
        ("cut_wires", "[board]", '[hallowed]\nside = "french"\nat = "zz"\n[board]', "hallowed.at"),
        ("bloody_repulse", "[board]", '[board]\nno_mans_land = ["row 11e9"]', "board.no_mans_land"),
        ("bloody_repulse", 'setup = ["row 18"]', 'setup = ["rows -0-12"]', "side[0].setup"),
        (
            "cut_wires",
            "[[unit]]",
            '[[drawing]]\nat = "zz"\nkind = "woods"\npoints = []\n[[unit]]',
            "drawing[0].at",
        ),
        (
            "cut_wires",
            "[[unit]]",
            '[[drawing]]\nat = "AU05"\nkind = "woods"\npoints = ["0 0", "5"]\n[[unit]]',
            "drawing[0].points[1]",
        ),
    ],
)
def test_places_of_any_table_that_cannot_be_read_are_faults_with_their_keys(
    tmp_path, scenario, line, instead, key
):
    games = Catalogue.installed()
    text = shipped_scenarios(games)[f"red_poppies/{scenario}"].read_text(encoding="utf-8")
    assert line in text
    file = tmp_path / "mine.toml"
    file.write_text(text.replace(line, instead, 1), encoding="utf-8")
    with pytest.raises(FileError) as caught:
        load_scenario(games, file)
    assert [fault.key for fault in caught.value.faults] == [key]


def test_the_points_of_a_plan_are_counted_before_they_are_built(tmp_path):
    varied = [
        *("field_phone_contact", "radio_contact", "set_breaks"),
        *("red_chits_to_lose_access", "sr_correction", "ffe_correction"),
    ]
    axes = "".join(
        f'[[vary]]\nnumber = "asl.{name}"\nvalues = {list(range(2, 7))}\n' for name in varied
    )
    cases = json.dumps(["woods"] * 1000)
    file = tmp_path / "plan.toml"
    file.write_text(f'title = "x"\nengagements = {cases}\ngames = ["asl"]\n{axes}')
    with pytest.raises(FileError, match=f"the grid has {1000 * 5**6:,} points"):
        read_plan(file, Catalogue.installed())
