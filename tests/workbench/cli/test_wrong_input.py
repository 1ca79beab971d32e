"""Wrong command lines: every fault is reported at once, with status 2, before any work begins."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from types import SimpleNamespace

import pytest
from tiers import one_in

from fireplan.cli import main
from fireplan.errors import InputError
from fireplan.questions.position import position

COMMAND = (sys.executable, "-m", "fireplan.cli")
STOPPED_AFTER_ONE = """
import os, signal, sys
from fireplan.cli import main
from fireplan.questions import sweep

signal.signal(signal.SIGINT, signal.default_int_handler)  # what runs in the background is born deaf to Ctrl-C
run = sweep.run_sweep

def stopped(store, points, pool, solved):
    def once(point):
        solved(point)
        os.kill(os.getpid(), signal.SIGINT)  # as Ctrl-C does, whatever else has been solved by now
    return run(store, points, pool, once)

sweep.run_sweep = stopped
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def refused(run, tmp_path, monkeypatch):
    """Return a function that runs a faulty command line and returns its faults, one per line."""
    monkeypatch.chdir(tmp_path)

    def faults(*arguments):
        status, out, err = run(*arguments)
        assert (status, out) == (2, "")
        return err.splitlines()

    return faults


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (
            "compare wods --games als --minutes 0 --json --csv --explain --picture /no/folder/x.svg",
            ["--minutes", "woods", "'asl'", "/no/folder/x.svg", "--json and --csv", "--explain"],
        ),
        (
            "odds asl/village --given contcat=3 nonsense --by tomorrow --sample -3 --moments 2",
            [
                "--by: there is no moment",
                "--sample: expected 0",
                "--moments",
                "'contcat'",
                "'nonsense'",
            ],
        ),
        ("odds asl/vilage --by 3 --moments 3", ["--moments", "Did you mean 'asl/village'"]),
        ("compare --games", ["--games: name at least one"]),
        (
            "odds asl/vilage --moments 0 --sample -5 --seed -1 --float",
            [
                "--moments",
                "--sample: expected 0 to 1,000,000",
                "--seed: expected 0 or more",
                "asl/village",
            ],
        ),
        ("odds asl/village --sample 5 --seed -1", ["--seed: expected 0 or more, got -1"]),
        ("odds woods", ["--game KEY"]),
        ("play asl/contact_lost", ["is a playthrough, not a scenario"]),
        ("best asl/contact_lost --game asl --guns 3 --for hit", ["leave --game, --guns out"]),
        ("odds --at 3", ["--at applies only to a journal or playthrough: name one"]),
        ("odds asl/village --game red_poppies", ["leave --game out"]),
        (
            "best asl/vilage --for harm --moments 0 --picture x.svg",
            ["'harm'", "--moments", "asl/village", "--frontier"],
        ),
        (
            "kitbash asl --delays foo --areas bar --engagement wods --minutes 0 --seed -1",
            ["--seed", "'foo'", "'bar'", "--minutes", "woods"],
        ),
        (
            "kitbash all --delays asl,red_poppies",
            ["There is no game 'all'", "There is no game 'asl,red_poppies'"],
        ),
        ("sensitivity woods --game all", ["There is no game 'all'"]),
        (
            "whatif wods --set asl.set_breaks=2 asl.set_breaks=3 x --games als --sample 3",
            [
                "woods",
                "asl.set_breaks: is changed to 2 and to 3",
                "'x'",
                "'asl'",
                "--sample is for scenarios",
            ],
        ),
        (
            "whatif asl/village --games red_poppies --set asl.set_breaks=2 --csv --json --sample 3 --seed -2",
            ["--seed", "red_poppies is not part of it", "--csv"],
        ),
        (
            "sensitivity wods --for harm --sample 1 --top 0",
            ["--sample", "--top", "'harm'", "woods", "--game"],
        ),
        (
            "play asl/village --option boards=9 foo=1 x --seed -1",
            ["--seed", "NAME=VALUE, got x", "options.boards", "options.foo"],
        ),
        ("replay --all . --to 3", ["--to"]),
        ("replay x --to -1", ["--to: expected 0 or more"]),
        ("verify one two", ["one: no such file", "two: no such file"]),
        (
            "belief miniatures_1943/chits_in_hand --world x --policy y",
            [
                "--side american or german",
                "--policy: there is no question 'y'",
                "--policy",
                "--world",
            ],
        ),
        ("check foo --only L97 L98 --engagement wods", ["'L97'", "'L98'", "'foo'", "woods"]),
        ("check asl --perft --only L03-mass", ["--perft"]),
        ("check asl --profile --only L03-mass", ["--profile"]),
        ("sweep none.toml --workers 0 --dask far", ["none.toml", "--workers", "--dask"]),
        (
            "play asl/village --journal /sys/x.fireplan",
            ["x.fireplan: cannot be written: no file can be created in /sys"],
        ),
        ("serve --host nowhere.invalid", ["--host: nowhere.invalid"]),
        (
            "serve --port -3 --public-url ftp://x --tls-cert a --tls-key b --trust-proxy nginx --token a/b",
            [
                "--port",
                "--token",
                "--trust-proxy",
                "--public-url",
                "--tls-cert: no such",
                "--tls-key: no such",
            ],
        ),
        (
            "serve --public-url https://x.example/studio --tls-cert a",
            ["--public-url", "both or neither"],
        ),
        ("serve --public-url https://you@x.example", ["--public-url"]),
        (
            "serve --public-url https://x.example:99999 --trust-proxy *",
            ["--trust-proxy", "--public-url"],
        ),
    ],
)
def test_every_fault_is_reported_at_once(refused, typed, expected):
    faults = refused(*typed.split())
    assert len(faults) == len(expected)
    for part in expected:
        assert any(part in fault for fault in faults), part


@pytest.mark.parametrize(
    "command", ["odds", "play", "resume", "replay", "export", "luck", "playthrough"]
)
def test_a_folder_or_picture_is_named_as_such(refused, tmp_path, command):
    (tmp_path / "folder").mkdir()
    (tmp_path / "picture.txt").write_bytes(b"\x89PNG\xff\xfe")
    folder = "there is no *.playthrough.txt" if command == "playthrough" else "is a folder"
    assert folder in refused(command, "folder")[0]
    told = refused(command, "picture.txt")[0]
    assert "no such" not in told
    assert "There is no" not in told


def test_general_and_special_numbers_may_be_changed_together(capsys):
    status = main(
        [
            "whatif",
            "woods",
            "--minutes",
            "2",
            "--set",
            "asl.radio_contact=7",
            "asl.radio_contact[german]=8",
        ]
    )
    assert status == 0
    assert "changed" in capsys.readouterr().out


def test_whatif_shows_games_as_printed_beside_the_changed_one(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    status = main(
        ["whatif", "--minutes", "3", "--games", "miniatures_1943", "--set", "asl.set_breaks=11"]
    )
    out = capsys.readouterr().out
    assert status == 0
    assert "1943: Barrages" in out
    assert "Advanced Squad Leader, changed" in out


def test_rules_of_one_status_are_counted_beside_the_others(capsys):
    assert main(["rules", "miniatures_1943", "--status", "open"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    assert not last.startswith("implemented: 0 ")
    assert "open: 0" in last


def test_nothing_is_padded_in_a_list(capsys):
    assert main(["compare", "--games", "miniatures_1943"]) == 0
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  - ")]
    assert lines
    assert min(map(len, lines)) < 70


@pytest.mark.parametrize(
    "arguments", one_in(3, ["games", "compare --games miniatures_1943", "--help"])
)
def test_a_closed_pipe_and_a_full_disk_end_cleanly(arguments):
    reader, writer = os.pipe()
    os.close(reader)
    left = subprocess.run(
        [*COMMAND, *arguments.split()],
        stdout=writer,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(writer)
    assert (left.returncode, left.stderr) == (0, "")
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w") as full:
            told = subprocess.run(
                [*COMMAND, *arguments.split()],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert told.returncode == 2
        assert told.stderr.startswith("standard output: cannot be used (")
        assert len(told.stderr.splitlines()) == 1


@pytest.mark.parametrize(
    ("arguments", "closed", "status"),
    one_in(
        2,
        [
            ("games", 1, 0),
            ("compare --games miniatures_1943 --csv", 1, 0),
            ("rules nothing", 2, 2),
            ("games", 2, 0),
        ],
    ),
)
def test_a_command_that_is_started_without_an_output_ends_as_it_would_with_one(
    arguments, closed, status
):
    command = [
        sys.executable,
        "-c",
        f"import os, sys; os.close({closed}); os.execv(sys.executable, sys.argv[1:])",
    ]
    left = subprocess.run(
        [*command, *COMMAND, *arguments.split()], capture_output=True, text=True, check=False
    )
    assert left.returncode == status
    assert "Traceback" not in left.stdout + left.stderr


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_an_answer_is_printed_in_an_encoding_without_its_characters(encoding):
    """A file or pipe on Windows is in the code page of the system, not in UTF-8."""
    run = subprocess.run(
        [*COMMAND, "odds", "asl/village", "--moments", "1"],
        capture_output=True,
        env={**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"},
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, b"")
    bar = next(line for line in run.stdout.decode(encoding).splitlines() if "100 %" in line)
    assert "######" in bar


@pytest.mark.full
def test_a_stopped_sweep_keeps_its_solved_points(tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text(
        'title = "A grid"\nminutes = 4\nengagements = ["woods"]\ngames = ["asl"]\n'
        '[[vary]]\nnumber = "asl.radio_contact"\nvalues = [6, 7, 8]\n',
        encoding="utf-8",
    )
    run = subprocess.run(
        [sys.executable, "-c", STOPPED_AFTER_ONE, "sweep", str(plan), "--workers", "1"],
        capture_output=True,
        text=True,
        check=False,
    )
    told = run.stderr.splitlines()
    assert told[0].startswith("1 of 3")
    assert (run.returncode, len(told)) == (130, 2)
    assert "run the same command to continue" in told[1]
    command = [*COMMAND, "sweep", str(plan), "--workers", "1"]
    again = subprocess.run(command, capture_output=True, text=True, check=False)
    assert again.returncode == 0
    assert again.stderr.startswith("1 of 3 points are solved already\n2 of 3")


def test_a_game_that_exits_on_import_is_not_a_success(refused, monkeypatch):
    def leaves():
        raise SystemExit(1)

    entry = SimpleNamespace(name="leaver", module="leaver", load=leaves)
    monkeypatch.setattr("importlib.metadata.entry_points", lambda **_: [entry])
    assert refused("check", "leaver")[0].startswith("leaver cannot be imported: SystemExit: 1")


@pytest.mark.parametrize("status", [1, 0])
def test_an_exit_status_is_passed_on(monkeypatch, status):
    def leaves(*_, **__):
        raise SystemExit(status)

    monkeypatch.setattr("fireplan.questions.lists.coverage", leaves)
    with pytest.raises(SystemExit) as left:
        main(["rules", "asl"])
    assert left.value.code == status


def test_an_impossible_value_is_not_reported_as_an_unmet_condition(refused):
    lines = refused("odds", "red_poppies/bloody_repulse", "--given", "suffered=destroid")
    assert any("no severity 'destroid'. Did you mean 'destroyed'?" in line for line in lines)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("fall=3,4", "fall is an event, not a roll: expected one value, got 2."),
        ("contact=x", "contact: expected its dice (4,2) or their total (6), got 'x'."),
        ("contact=1,2,3", "contact: expected 2 dice, got 3."),
        ("contct=3,4", "There is no roll or event 'contct'. Did you mean 'contact'?"),
    ],
)
def test_a_meaningless_condition_is_reported_as_such(refused, given, told):
    (line,) = refused("odds", "asl/village", "--given", given, "--by", "2")
    assert line.startswith(told)


@pytest.mark.parametrize("line", ["", " "])
def test_an_empty_position_is_not_taken_for_a_folder(refused, line):
    assert refused("odds", "--from", line) == ["--from needs a value, not empty text."]
    with pytest.raises(InputError) as error:
        position(line)
    assert error.value.faults == (
        "No position is named: give a position line (fp1 ...), a scenario or a scenario file.",
    )


@pytest.mark.parametrize(
    ("typed", "after"),
    [
        (("compare", ""), "ENGAGEMENT"),
        (("sweep", ""), "PLAN"),
        (("kitbash", "", "--delays", "asl"), "GAME"),
        (("kitbash", "asl", "--delays", " "), "--delays"),
        (("follow", ""), "follow"),
        (("best", "asl/village", "--for", ""), "--for"),
    ],
)
def test_an_empty_value_is_neither_a_folder_nor_a_default_nor_a_crash(refused, typed, after):
    assert refused(*typed) == [f"{after} needs a value, not empty text."]


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("fields asl stage", "This command takes no more arguments: 'stage'."),
        ("compare --minutes 1e3", "--minutes: expected a whole number, got '1e3'."),
        ("compare --minutes 3 --minutes 4", "--minutes was given more than once."),
        ("compare --json=perhaps", "--json takes no value, got 'perhaps'."),
        ("sweep", "PLAN is missing: A plan file (TOML)"),
        ("best --for", "--for needs a value; see fireplan best --help."),
        (
            "compare --distance 3",
            "There is no option '--distance'. Did you mean '--observer-distance'?",
        ),
        (
            "odds asl/village --option board=snow",
            "odds takes no --option; diff, sensitivity, whatif and play do.",
        ),
        ("compare --from fp1", "compare takes no --from; "),
        ("compare asl", "'asl' is a game, so it goes with --game or --games. Engagements: "),
        ("odds asl --game asl", "'asl' is a game, so it goes with --game or --games. "),
        ("odds asl", "'asl' is a game: name one of its scenarios, asl/creeping, asl/ridge, "),
        ("kitbsh asl", 'Unknown command "kitbsh". Did you mean "kitbash"?'),
        ("studio", 'Unknown command "studio". Did you mean "serve"?'),
        ("help odds", 'Unknown command "help". Did you mean "--help"?'),
        ("--json odds asl/village", "--json is an option: write it after the command."),
        ("chance asl/village", "--of: name an event, such as 'fall: on_target=yes'."),
        (
            "compare asl/village",
            "'asl/village' is a scenario of one game: ask odds about it, or name an engagement here: ",
        ),
    ],
)
def test_a_line_that_is_mistyped_is_answered_in_a_line_of_our_own_words(refused, typed, told):
    (line,) = refused(*typed.split())
    assert line.startswith(told)


def test_names_that_are_not_all_listed_are_not_called_all(refused):
    (line,) = refused("odds", "fp1 asl")
    problem, _, hint = line.partition(" - ")
    assert problem == "asl: there is no scenario 'asl'"
    assert re.match(r"there are \d+, such as asl/\w+", hint)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "table{x",
            [
                "read as 'fp1 table{x'",
                "expected the name of a scenario or an engagement at character 5,",
            ],
        ),
        (
            "asl/village table{x",
            ["begins with fp1 and a scenario", "expected a field or '}' at character 24,"],
        ),
        (
            "asl/village table{wether=snow}",
            ["begins with fp1", "there is no field 'wether' - did you mean weather?"],
        ),
        ("asl/village a{contact}", ["read as 'fp1 asl/village a{contact}'"]),
        (
            "fp2 asl/village",
            ["expected fp1, the only version of the notation that is read, at character 1 - "],
        ),
        ("fp1", ["expected the name of a scenario or an engagement at character 4,"]),
        ("fp1 ../x.toml", ["../x.toml: there is no scenario"]),
    ],
)
def test_a_malformed_line_is_not_taken_for_a_scenario_name(refused, line, told):
    faults = refused("odds", "--from", line)
    assert len(faults) == len(told)
    for fault, part in zip(faults, told, strict=True):
        assert part in fault
        assert "There is no scenario" not in fault


def test_a_line_is_never_the_name_of_a_file(refused, tmp_path):
    scenario = Path(files("fireplan_asl") / "data" / "scenarios" / "village.toml").read_text(
        encoding="utf-8"
    )
    for name in ("fp1 mine.toml", "mine.toml"):
        (tmp_path / name).write_text(scenario, encoding="utf-8")
    assert position("mine.toml").line.startswith("fp1 ")
    assert "there is no scenario 'mine.toml'" in refused("odds", "--from", "fp1 mine.toml")[0]


@pytest.mark.parametrize(
    "typed",
    [
        ("odds", "woods", "--game", "asl", "--guns"),
        ("compare", "woods", "--guns"),
        ("odds", "asl/village", "--given", "contact="),
        ("odds", "asl/village", "--given", "contact=2,"),
        ("chance", "asl/village", "fall: least="),
        ("chance", "asl/village", "fall: on_target="),
        ("tune", "asl", "--want", "delivered >= "),
    ],
    ids=" ".join,
)
def test_a_number_too_long_for_python_is_refused_as_any_other_wrong_one(refused, typed):
    """Python has a separate message for integers of more than 4,300 digits; the user never sees it."""
    *words, last = typed
    digits = "9" * 5000
    line = [*words, last + digits] if last[-1] in "=, " else [*typed, digits]
    text = "\n".join(refused(*line))
    assert "digits" not in text
    assert "999999" in text


WORDS, APOSTROPHES = "x " * 2_500, "'x " * 1_666
CONDITIONS, BOTH_MARKS = "x=1 " * 1_250, "\"'x " * 1_250


@pytest.mark.parametrize(
    "typed",
    [
        (WORDS,),
        ("rules", "asl", APOSTROPHES),
        ("rules", "asl", BOTH_MARKS),
        ("fields", "asl", WORDS),
        ("film", WORDS),
        ("odds", "asl/village", "--by", APOSTROPHES),
        ("odds", "asl/village", "--orders", CONDITIONS),
        ("tune", "asl", "--want", WORDS),
        ("replay", "no.fireplan", "--to", WORDS),
    ],
    ids=lambda typed: " ".join(typed)[:30],
)
def test_a_long_typed_text_is_shortened_wherever_it_is_quoted(refused, typed):
    faults = refused(*typed)
    assert faults
    assert max(map(len, faults)) < 1_200


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
@pytest.mark.parametrize(("kind", "most"), [("export", 100), ("json", 4000), ("sheet", 100)])
def test_no_part_of_a_file_is_left_behind_where_a_disk_is_full(
    tmp_path, monkeypatch, capsys, kind, most
):
    import resource

    from fireplan.table import begin, make_head
    from fireplan_core.play import Catalogue

    monkeypatch.chdir(tmp_path)
    games = Catalogue.installed(only=("asl",))
    begin(Path("a.fireplan"), games, make_head(games, "asl/village", None, {})).journal.close()
    line = {
        "export": ["export", "a.fireplan", "--into", "new.txt"],
        "json": ["export", "a.fireplan", "--json", "--into", "new.json"],
        "sheet": ["sheet", "company_mortars", "new.toml"],
    }[kind]
    # Bytecode written under this limit would be cut off, and modules would stay half imported.
    monkeypatch.setattr("sys.dont_write_bytecode", True)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, before[1]))
    try:
        status = main(line)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert (status, [path.name for path in tmp_path.iterdir()]) == (2, ["a.fireplan"])
    assert "(File too large)" in capsys.readouterr().err
    assert main(line) == 0


def test_ctrl_c_ends_a_command_with_its_own_status(monkeypatch):
    def stopped(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("fireplan.questions.lists.Games.answer", stopped)
    assert main(["games"]) == 130
