"""Write the transcript of a whole mission of each game at the prompt; ``story`` summarises it.

``python docs/_missions.py`` writes the transcripts, and ``--check`` compares them. Both sides press
Enter, so that standard orders are given and dice are rolled from a seed. When the program says that
fire has nothing left to do, ``end`` is typed.
"""

import re
import sys
from itertools import groupby
from pathlib import Path

from fireplan.cli.keyboard import Play
from fireplan.table import Session, shipped_briefings
from fireplan_core.play import Catalogue, load_scenario, shipped_scenarios

FOLDER = Path(__file__).parent / "reference" / "missions"
MISSIONS = {
    "asl/village": 3,
    "battlegroup_clash/causeway": 3,
    "battletech/ranging_in": 3,
    "combat_commander/lone_radio": 1,
    "miniatures_1943/chits_in_hand": 3,
    "red_poppies/battle_for_pinon": 4,
    "wacht_am_rhein/crossroads": 3,
}
"""The scenario of each mission, and the seed of its dice."""
OFFERED, LATELY = "'end' plays on", 8
"""The text of a remark that offers the end, and the number of recent lines searched for it."""
EVENT = re.compile(r"^  (?!mission )((?:[a-z]+ ){1,2}\d+(?: [A-Za-z]+)?): (.+?)(?: \([^()%]*\))?$")
"""Match a line of the log in a transcript: its moment, and its text without the rules."""
NO_EVENT = re.compile(r"(?:roll for|draw (?:for|an?|the)) |[-+]\d+ to the roll for |.*%\)$")
"""Match lines that are not events: rolls and their modifiers in the log, and the chances at a prompt."""
HANDED_OVER = re.compile(r"^-+ pass the keyboard to (.+?) -+$", re.MULTILINE)
ASKED = re.compile(r"^(\S[^:\n]*): .+\?$", re.MULTILINE)
"""Match a question to a side at a prompt; orders in a log also begin with the name of a side."""
WIDTH = 100
"""Width in columns of the terminal for which maps are drawn."""


def transcript(name: str) -> str:
    """Return the output of a mission: Enter at each prompt, ``end`` if offered, ``yes`` to agree."""
    catalogue = Catalogue.installed()
    scenario, form = load_scenario(catalogue, shipped_scenarios(catalogue)[name])
    lines: list[str] = []

    def hear(prompt: str) -> str:
        typed = "end" if any(OFFERED in line for line in lines[-LATELY:]) else ""
        typed = "yes" if "agree to" in prompt else typed
        lines.append(f"{prompt}{typed}".rstrip())
        return typed

    session = Session(scenario, form.moments)
    briefing = shipped_briefings(catalogue)[name].briefing
    Play(session, lines.append, hear, MISSIONS[name], width=lambda: WIDTH, briefing=briefing).run()
    return "\n".join(line.rstrip() for text in lines for line in text.split("\n")) + "\n"


def story(text: str) -> str:
    """Return a transcript as Markdown: a line for each moment with the events that the first side learns.

    Moments with the same events share a line.
    """
    before, *shown = HANDED_OVER.split(text)
    asked = set(ASKED.findall(text))
    read = [part for side, part in zip(shown[::2], shown[1::2], strict=True) if side == shown[0]]
    moments: dict[str, dict[str, None]] = {}
    for line in "\n".join([before, *read]).splitlines():
        event = EVENT.match(line)
        if event and not NO_EVENT.match(event[2]) and event[2].partition(":")[0] not in asked:
            moments.setdefault(event[1], {})[event[2]] = None
    told = ((when, ". ".join(events)) for when, events in moments.items())
    lines = []
    for events, same in groupby(told, key=lambda moment: moment[1]):
        whens = [when for when, _ in same]
        term, _, number = whens[0].rpartition(" ")
        last = whens[-1].rpartition(" ")[2]
        span = f"{term}s {number} to {last}" if len(whens) > 1 else whens[0]
        lines.append(f"* **{span[:1].upper()}{span[1:]}.** {events}.\n")
    return "".join(lines)


def file_of(name: str) -> Path:
    """Return the path of a mission's transcript."""
    return FOLDER / f"{name.partition('/')[0]}.txt"


def main(arguments: list[str]) -> int:
    """Write or check the transcripts of the installed games."""
    stale = []
    FOLDER.mkdir(exist_ok=True)
    for name in MISSIONS:
        if name not in shipped_scenarios(Catalogue.installed()):
            continue
        text = transcript(name)
        if arguments != ["--check"]:
            file_of(name).write_text(text, encoding="utf-8")
        elif file_of(name).read_text(encoding="utf-8") != text:
            stale.append(name)
    for name in stale:
        sys.stderr.write(f"{name}: the transcript is not what the program prints now\n")
    return 2 if stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
