"""Requests from another machine read none of this machine's files, and are refused with a reason."""

import asyncio
import sys
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest
from tiers import one_in

import fireplan as fp
from fireplan.analysis import find_engagement
from fireplan.mcp_server.tools import tools
from fireplan_core.files import write_toml
from fireplan_studio import RequestRefusedError, opened_link, without_server

WORDS_OF_MINE = "between-you-and-me"
HIDDEN = f'game = "asl"\ntitle = "{WORDS_OF_MINE}"\n{WORDS_OF_MINE} = 1\n'
CHITS = {"scenario": "miniatures_1943/chits_in_hand", "side": "american"}
WANT = {"want": ["delivered >= 80 %"]}


@pytest.fixture
def here(tmp_path, monkeypatch):
    """Return a folder of this machine with files whose names can be guessed, some of them shipped."""
    monkeypatch.chdir(tmp_path)
    for name in ("mine.toml", "woods", "asl", "asl.toml"):
        (tmp_path / name).write_text(HIDDEN, encoding="utf-8")
    (tmp_path / "miniatures_1943").mkdir()
    for name in ("chits_in_hand", "denied"):
        (tmp_path / "miniatures_1943" / name).write_text(HIDDEN, encoding="utf-8")
    return tmp_path


WATCHED = []
"""The watched folder, and the files that were opened in it."""


def note(event, told):
    if event == "open" and WATCHED and isinstance(told[0], str):
        folder, files = WATCHED
        if Path(folder, told[0]).is_relative_to(folder):
            files.append(told[0])


sys.addaudithook(note)


@contextmanager
def files_opened(folder):
    files = []
    WATCHED[:] = [folder, files]
    try:
        yield files
    finally:
        WATCHED.clear()


NAMING = [
    ("belief", {**CHITS, "world": ["1 mine.toml"]}),
    ("belief", {**CHITS, "world": ["1 {folder}/mine.toml"]}),
    ("belief", {**CHITS, "world": ["1 woods"]}),
    ("tune", {**WANT, "game": "mine.toml"}),
    ("tune", {**WANT, "game": "{folder}/mine.toml"}),
    ("tune", {**WANT, "game": "woods"}),
    ("odds", {"scenario": "woods"}),
    ("odds", {"scenario": "asl"}),
    ("odds", {"scenario": "woods", "at": 1}),
    ("odds", {"scenario": "miniatures_1943/chits_in_hand", "game": "asl"}),
    ("odds", {"scenario": "miniatures_1943/chits_in_hand", "at": 1}),
    ("odds", {"line": "woods"}),
    ("duel", {"scenario": "woods"}),
    ("best", {"scenario": "woods"}),
    ("sensitivity", {"scenario": "woods"}),
    ("whatif", {"scenario": "woods", "set": ["asl.none=1"]}),
]


def filled(said, folder):
    return {
        key: [one.format(folder=folder) for one in value]
        if isinstance(value, list)
        else value.format(folder=folder)
        if isinstance(value, str)
        else value
        for key, value in said.items()
    }


@pytest.mark.parametrize(("name", "said"), one_in(5, NAMING))
def test_no_argument_of_a_tool_page_or_link_opens_a_file_of_this_machine(name, said, here):
    said = filled(said, here)
    page = f"/questions/{name}?{urlencode(said, doseq=True)}"
    with files_opened(here) as files:
        with pytest.raises(fp.InputError) as told:
            tools()[name].answer(said)
        status, _, body = asyncio.run(without_server(here)("GET", page))
        with pytest.raises(RequestRefusedError) as linked:
            opened_link(page)
    assert not files
    assert status == 400
    for text in (str(told.value), body.decode(), str(linked.value.faults)):
        assert WORDS_OF_MINE not in text


@pytest.mark.parametrize(
    "name", one_in(4, ["odds", "duel", "whatif", "sensitivity", "compare", "tune", "luck"])
)
@pytest.mark.parametrize("begins", ["x", "{", "1/"])
def test_a_name_too_long_for_a_file_is_unknown(name, begins):
    first = {"compare": "engagement", "tune": "game", "luck": "game"}.get(name, "scenario")
    said = {first: begins + "x" * 3_000, **(WANT if name == "tune" else {})}
    with pytest.raises(fp.InputError, match=r"There is no|no such|read as|File name too long"):
        getattr(fp, name)(**said)
    with pytest.raises(fp.InputError, match=r"There is no|read as"):
        tools()[name].answer(said)


def test_files_of_this_machine_are_still_read_on_it(here):
    (here / "own.toml").write_text(write_toml(find_engagement("woods")), encoding="utf-8")
    assert fp.compare("own.toml", games=["asl"], minutes=2).comparison.games


@pytest.mark.parametrize(
    "weight", ["1e999999999", "-1E999999999", "9" * 3_000, "nan", "inf", "1/0"]
)
def test_a_weight_that_would_never_be_worked_out_is_refused_at_once(weight):
    with pytest.raises(fp.InputError, match="expected a fraction such as 1/10"):
        tools()["belief"].answer({**CHITS, "world": [weight]})
    with pytest.raises(fp.InputError, match="expected a fraction such as 1/10"):
        fp.duel("asl/village", moments=1, toll=[f"fall={weight}"])


@pytest.mark.parametrize("value", [[1], [None], [[]], [{}]])
def test_a_list_entry_that_is_not_text_is_reported(value):
    with pytest.raises(fp.InputError, match="given: expected a list of text values"):
        tools()["odds"].answer({"scenario": "asl/village", "given": value})


def test_a_roll_is_not_given_twice():
    with pytest.raises(fp.InputError, match="given: contact is given twice; choose one"):
        fp.odds("asl/village", by=1, given=["contact=4", "contact=5"])


@pytest.mark.parametrize("weights", [["-1", "2"], ["1", "-1"], ["0"]])
def test_weights_of_worlds_are_shares(weights):
    with pytest.raises(fp.InputError, match="no weight may be below 0"):
        tools()["belief"].answer({**CHITS, "world": weights})
