"""A user's own files work like shipped ones: their positions have lines that anybody can read."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import fireplan as fp
from fireplan_core.play import Catalogue, shipped_scenarios

VILLAGE = shipped_scenarios(Catalogue.installed(only=("asl",)))["asl/village"]


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """Write a scenario file of the user's own to the working directory; return its name."""
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text(VILLAGE.read_text("utf-8"), "utf-8")
    return "mine.toml"


def elsewhere(line, folder):
    """Return what another process prints for a line, and its error output."""
    program = "import sys, fireplan as fp\nprint(fp.position(sys.argv[1]).waits_for)"
    done = subprocess.run(
        [sys.executable, "-c", program, line],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.stdout.strip(), done.stderr


def test_a_line_names_the_file_and_the_digest_of_its_content(mine):
    position = fp.position(mine).play("call")
    assert position.line.startswith("fp1 asl/mine.toml#")
    assert fp.position(position.line) == position


@pytest.mark.full
def test_another_process_reads_the_line_or_names_the_missing_file(mine, tmp_path):
    line = fp.position(mine, set={"radio_contact": 3}).line
    assert 'number:"radio_contact' in line
    assert elsewhere(line, tmp_path)[0] == fp.position(mine).waits_for
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "mine.toml: the file of this position is missing" in elsewhere(line, empty)[1]
    Path(mine).write_text(VILLAGE.read_text("utf-8").replace("village", "hamlet"), "utf-8")
    assert "the file has changed since this line was written" in elsewhere(line, tmp_path)[1]


@pytest.mark.full
def test_a_line_that_carries_its_file_is_read_without_it(mine, tmp_path):
    position = fp.position(mine, embed=True).play("call")
    again = fp.position(position.line)
    assert again == position
    empty = tmp_path / "empty"
    empty.mkdir()
    assert elsewhere(position.line, empty)[0] == position.waits_for


def test_a_file_in_a_line_that_has_been_tampered_with_is_refused(mine):
    line = fp.position(mine, embed=True).line.replace("A village street", "A village lane", 1)
    with pytest.raises(fp.InputError, match="differs from the file that the line was written for"):
        fp.position(line)


def test_a_shipped_scenario_is_not_embedded():
    with pytest.raises(fp.InputError, match="shipped files are available everywhere"):
        fp.position("asl/village", embed=True)


@pytest.mark.full
def test_a_file_is_asked_like_a_shipped_scenario_with_numbers_and_options_changed(mine):
    changes = {"set": {"radio_contact": 3}, "options": {"own_fire": "whoever fires"}}
    own, shipped = fp.position(mine, **changes), fp.position("asl/village", **changes)
    assert own.chance("contact", by=2).chance == shipped.chance("contact", by=2).chance
    assert own.chance("contact", by=2).chance < fp.position(mine).chance("contact", by=2).chance


def test_a_scenario_file_may_change_numbers(mine):
    text = VILLAGE.read_text("utf-8")
    Path("dull.toml").write_text(f"numbers = {{ radio_contact = 3 }}\n{text}", "utf-8")
    dull = fp.position("dull.toml").chance("contact", by=2).chance
    assert dull == fp.position(mine, set={"radio_contact": 3}).chance("contact", by=2).chance


def test_numbers_of_a_file_are_judged_with_their_key(mine):
    text = VILLAGE.read_text("utf-8")
    Path("wrong.toml").write_text(f"numbers = {{ radio_contacts = 3 }}\n{text}", "utf-8")
    with pytest.raises(
        fp.InputError, match=r'numbers\."?radio_contacts.*did you mean radio_contact'
    ):
        fp.position("wrong.toml")


def test_every_fault_of_the_changes_is_reported_at_once(mine):
    with pytest.raises(fp.InputError) as refused:
        fp.position(mine, set={"nothing": 3}, options={"own_fir": "none"}, moment="turn x")
    assert len(refused.value.faults) == 3


def test_changes_do_not_go_with_a_line():
    with pytest.raises(fp.InputError, match="write them after its name"):
        fp.position("fp1 asl/village", set={"radio_contact": 3})


@pytest.mark.full
def test_a_custom_engagement_is_read_back_with_changed_facts(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    from fireplan.analysis import shipped_engagements

    Path("wood.toml").write_text(shipped_engagements()["woods"].read_text("utf-8"), "utf-8")
    position = fp.position("wood.toml", game="asl", guns=24)
    assert position.line.startswith("fp1 wood.toml#")
    assert elsewhere(position.line, tmp_path)[0] == position.waits_for


def test_odds_with_changed_numbers_point_to_the_question_that_has_them():
    with pytest.raises(fp.InputError, match=r"whatif.*position\(\.\.\., set="):
        fp.odds("asl/village", set={"radio_contact": 3})


def test_a_line_from_another_machine_reads_no_file(mine):
    from fireplan.errors import REMOTE

    line = fp.position(mine).line.replace("mine.toml", "./mine.toml")
    token = REMOTE.set(True)
    try:
        with pytest.raises(fp.InputError, match="only for requests from this machine"):
            fp.position(line)
    finally:
        REMOTE.reset(token)
