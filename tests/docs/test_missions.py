"""The transcripts of whole missions equal what the program prints."""

import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS))
import _missions  # noqa: E402

from fireplan_core.play import Catalogue, shipped_scenarios  # noqa: E402

NAMES = [
    pytest.param(name, marks=[pytest.mark.full] if name.startswith(("asl", "c", "battleg")) else [])
    for name in _missions.MISSIONS
]


@pytest.mark.parametrize("name", NAMES)
def test_a_missions_transcript_equals_the_prompts_output(name):
    if name not in shipped_scenarios(Catalogue.installed()):
        pytest.skip("its game is not installed")
    assert _missions.file_of(name).read_text(encoding="utf-8") == _missions.transcript(name)


@pytest.mark.parametrize("name", _missions.MISSIONS)
def test_a_mission_is_played_to_its_end_in_words(name):
    """No line shows a value in the program's own notation, and the game ends on its own."""
    text = _missions.file_of(name).read_text(encoding="utf-8")
    assert "\nThe game is over" in text
    shown = [line.partition(" [")[0] for line in text.split("order:", 1)[1].splitlines()]
    typed = re.compile(r" *(or |best of|\w+: agree to)")
    told = [line for line in shown if not typed.match(line)]
    assert [line for line in told if " yes" in line or "None" in line or "_" in line] == []


@pytest.mark.parametrize("name", _missions.MISSIONS)
def test_a_story_contains_the_transcripts_events_but_no_rolls(name):
    text = _missions.file_of(name).read_text(encoding="utf-8")
    story = _missions.story(text)
    moments = [line.removeprefix("* **").partition(".** ") for line in story.splitlines()]
    assert moments
    assert "roll for" not in story
    assert "%" not in story
    for when, _, events in moments:
        first = when.partition(" to ")[0].replace("Turns ", "Turn ")
        at = first[0].lower() + first[1:]
        assert [one for one in events[:-1].split(". ") if f"  {at}: {one}" not in text] == []


def test_a_story_takes_the_first_sides_view_and_merges_repeated_events():
    text = "blue: Fire this turn?\n  turn 1: The piece fires (5)\n  turn 2: The piece fires (5)\n-------- pass the keyboard to blue --------\n  turn 3: blue: Hold fire\n  turn 3: roll for the fire: first 2 (rolled)\n  turn 3: A miss (10)\n  a wish for turn 4: next roll (20.0 %)\n-------- pass the keyboard to red --------\n  turn 3: What blue must not know (1)"
    assert _missions.story(text) == (
        "* **Turns 1 to 2.** The piece fires.\n* **Turn 3.** A miss.\n"
    )
