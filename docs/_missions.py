"""A whole mission of each game as it is played at the prompt, written by the program.

``python docs/_missions.py`` writes the transcripts, ``--check`` compares them. Standard orders are
given and dice are rolled from a seed, both by pressing Enter.
"""

import sys
from pathlib import Path

from fireplan.cli.keyboard import Play
from fireplan.table import Session
from fireplan_core.play import Catalogue, load_scenario, shipped_scenarios

FOLDER = Path(__file__).parent / "reference" / "missions"
MISSIONS = {
    "asl/village": 3,
    "battlegroup_clash/causeway": 3,
    "battletech/ranging_in": 3,
    "combat_commander/lone_radio": 1,
    "miniatures_1943/chits_in_hand": 3,
    "red_poppies/bloody_repulse": 2,
    "wacht_am_rhein/crossroads": 3,
}
"""The scenario of each mission, and the seed of its dice."""
WIDTH = 100
"""Columns of the terminal for which the maps are drawn."""


def transcript(name: str) -> str:
    """Return what the terminal shows during a mission; what is typed is only Enter."""
    catalogue = Catalogue.installed()
    scenario, form = load_scenario(catalogue, shipped_scenarios(catalogue)[name])
    lines: list[str] = []

    def hear(prompt: str) -> str:
        lines.append(prompt.rstrip())
        return ""

    session = Session(scenario, form.moments)
    Play(session, lines.append, hear, MISSIONS[name], width=lambda: WIDTH).run()
    return "\n".join(line.rstrip() for text in lines for line in text.split("\n")) + "\n"


def file_of(name: str) -> Path:
    """Return the file of a mission's transcript."""
    return FOLDER / f"{name.partition('/')[0]}.txt"


def main(arguments: list[str]) -> int:
    """Write or check the transcripts of the games that are installed."""
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
