"""Any text typed at a prompt is accepted or answered, never with a traceback, and the game loses
nothing.
"""

from __future__ import annotations

import io
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tiers import one_in

from fireplan.analysis import shipped_engagements
from fireplan.cli import main
from fireplan.cli.keyboard import Play
from fireplan.cli.printing import LONGEST_LINE, hear_line
from fireplan.table import Session, Viewer, make_head, reopen, scenario_of
from fireplan_core import Ask
from fireplan_core.play import Catalogue, replay

CATALOGUE = Catalogue.installed()
SCENARIOS = {
    name: scenario_of(CATALOGUE, make_head(CATALOGUE, name, None, shipped_engagements()))
    for name in (
        "asl/village",
        "miniatures_1943/hedgerow_farm",
        "red_poppies/bloody_repulse",
        "wacht_am_rhein/crossroads",
    )
}
DIGITS = "9" * 5_000
ODD = (
    "²",
    "--5",
    "-",
    "٣",
    "1/0",
    "1e999999999",
    DIGITS,
    f"-{DIGITS}",
    "\0",
    "\x1b[2J",
    "\ud800",
    '"',
    "=",
    "+",
    ":",
)
ANY = st.text(st.characters(), max_size=30)
COMMANDS = st.sampled_from(
    [
        "help",
        "map",
        "log",
        "undo",
        "why",
        "save",
        "reveal",
        "reveal all",
        "no",
        "yes",
        "",
        "",
        "1",
        "2",
        "6",
        "black",
    ],
)


@st.composite
def typed(draw, session):
    """Return a line: a command, any text, an order on offer, or an order with an odd value."""
    kind = draw(st.integers(0, 5))
    if kind == 0:
        return draw(COMMANDS)
    if kind == 1:
        return draw(st.one_of(ANY, st.sampled_from(ODD)))
    waits = session.table.waits_for
    if not isinstance(waits, Ask):
        return draw(st.one_of(st.just(""), st.sampled_from(ODD)))
    form = Viewer(session, waits.who).form()
    text = draw(st.sampled_from([order.text for order in form.orders]))
    if kind == 2:
        return text
    slots = [slot for slot in form.slots if slot.verb == text.partition(" ")[0]]
    odd = draw(st.one_of(ANY, st.sampled_from(ODD)))
    why = draw(st.sampled_from(["", "why "]))
    if not slots:
        return f"{why}{text} {odd}"
    slot = draw(st.sampled_from(slots))
    others = [
        f"{other.name}={other.candidates[0]}"
        for other in slots
        if other != slot and other.candidates
    ]
    return f"{why}{slot.verb} {' '.join([*others, f'{slot.name}={odd}'])}"


@pytest.mark.parametrize("name", SCENARIOS)
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_typed_line_is_accepted_or_answered(name, data):
    scenario, moments = SCENARIOS[name]
    session = Session(scenario, moments)
    left, said = [9], []

    def hear(prompt):
        said.append(prompt)
        left[0] -= 1
        if not left[0]:
            raise EOFError
        return data.draw(typed(session))

    play = Play(session, said.append, hear, 1)
    play.figures.shown = False  # no odds beside the orders: other tests cover them
    play.run()
    again = replay(scenario, moments, session.table.journal)
    assert (again.state, again.log) == (session.table.state, session.table.log)
    # No answer quotes a long line in full.
    assert not [line for line in said if DIGITS[:1000] in line]


@settings(max_examples=150)
@given(st.binary(max_size=200))
@example("²\n--5\n٣\n".encode())
@example(b"\xff\xfe\n\x80undo\n")
@example(DIGITS.encode())
@example(b"call\r\nx\x00y\x1b[2J\n")
@example(b"a" * (LONGEST_LINE + 5) + b"\nquit\n")
def test_any_bytes_on_standard_input_are_lines_without_traceback(typed_bytes):
    kept = sys.stdin, sys.stdout
    sys.stdout = out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    sys.stdin = io.TextIOWrapper(io.BytesIO(typed_bytes), encoding="utf-8", errors="replace")
    heard = []
    try:
        while True:
            heard.append(hear_line("> "))
    except EOFError:
        out.flush()
        shown = out.buffer.getvalue().decode()
    finally:
        sys.stdin, sys.stdout = kept
    assert all(len(line) <= LONGEST_LINE + 1 for line in heard)
    assert "\x1b" not in shown
    if len(typed_bytes) > LONGEST_LINE and b"\n" in typed_bytes:
        assert heard == ["quit\n"]
        assert "longer than" in shown


def test_the_lines_that_gave_tracebacks_are_answered(tmp_path):
    lines = [*ODD[:8], "call", *ODD[:8], "why \u00b2"]
    command = [
        sys.executable,
        "-m",
        "fireplan.cli",
        "play",
        "asl/village",
        "--journal",
        "t.fireplan",
        "--seed",
        "1",
    ]
    typed_in = "\n".join(lines).encode()
    done = subprocess.run(command, input=typed_in, capture_output=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().endswith(
        "\nThe game is saved; 'fireplan resume t.fireplan' continues it.\n"
    )
    session, _ = reopen(tmp_path / "t.fireplan", CATALOGUE)
    session.journal.close()
    assert [row.payload.get("verb") for row in session.rows] == ["call"]


@pytest.mark.parametrize("command", one_in(5, ["play", "replay", "luck", "resume", "odds"]))
def test_a_closed_standard_input_ends_cleanly_with_advice(tmp_path, command):
    from fireplan.table import begin

    begin(
        tmp_path / "t.fireplan", CATALOGUE, make_head(CATALOGUE, "asl/village", None, {})
    ).journal.close()
    arguments = {
        "play": ["play", "asl/village", "--journal", "new.fireplan"],
        "replay": ["replay", "t.fireplan", "--step"],
        "odds": ["odds", "asl/village", "--moments", "2"],
    }.get(command, [command, "t.fireplan"])
    program = (
        "import os, sys; os.close(0); os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "-m", "fireplan.cli", *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert "Traceback" not in done.stderr
    assert done.returncode == 0
    if command in ("play", "resume"):
        file = "new" if command == "play" else "t"
        assert done.stdout.endswith(
            f"The game is saved; 'fireplan resume {file}.fireplan' continues it.\n"
        )


def test_a_standard_input_closed_between_two_lines_ends_as_its_end_does(
    monkeypatch, tmp_path, capsys
):
    monkeypatch.chdir(tmp_path)

    class Closing(io.StringIO):
        def readline(self, size=-1):
            line = super().readline(size)
            if line == "1\n":
                self.close()
            return line

    monkeypatch.setattr("sys.stdin", Closing("call\n1\n1\n"))
    assert main(["play", "asl/village", "--journal", "t"]) == 0
    assert capsys.readouterr().out.endswith(
        "The game is saved; 'fireplan resume t' continues it.\n"
    )
    assert (tmp_path / "t").is_file()
