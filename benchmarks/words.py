"""Play all shipped scenarios at random, and search all texts for words that no player would use.

    python benchmarks/words.py [--seeds 4] [--inputs 300] [--in TEXT] [--for GOAL ...]

After each input the terminal, the log and the views of every side are examined; so are the studio's
answers about each scenario, its odds and, with ``--for``, the best orders for these goals. The
script prints texts that contain the program's own names, ``yes`` or ``no`` for a field, numbers in
scientific notation or words of Python, events without a sentence, and how many different texts were
examined. Ends with status 1 if anything is found.
"""

from __future__ import annotations

import argparse
import asyncio
import html
import re
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fireplan.cli.keyboard import Play
from fireplan.solver.best import MEASURES
from fireplan.table import LogLine, Prompt, Session, TableSituation, Viewer, Visibility, sides_of
from fireplan_core import REFEREE, Ask
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, find_scenario, shipped_scenarios
from fireplan_studio import without_server

SAID_AS_TYPED = re.compile(r'"[^"]*"|\b\w+=\S+')
"""Matches parts of an order as typed: slots with their values, and names in double quotes."""
ODD = {
    "a name out of the program": re.compile(
        r"\b[A-Za-z]+_[A-Za-z_]+|\b(?:observers|requests|delays|areas|resolution)\.\w+"
    ),
    "yes or no for a field": re.compile(r"\w (?:yes|no)(?=[,;)]|$)"),
    "scientific notation": re.compile(r"\b\d+(?:\.\d+)?e[+-]?\d+\b"),
    "words of Python": re.compile(
        r"\b(?:None|True|False|Fraction|frozenset)\b|<[A-Z]\w+|\(\(?-?\d+, -?\d+"
    ),
    "a moment where the game has a name for it": re.compile(r"\bmoment \d"),
}
COMMITMENT = re.compile(r"\b[0-9a-f]{64}\b")
"""Matches the hash of a seal, which differs in each game and may look like a number."""


def odd(text: str, allowed: Iterable[str] = ()) -> Iterator[str]:
    """Yield a line for each kind of oddity in a text, leaving out the ``allowed`` names."""
    plain = COMMITMENT.sub("commitment", SAID_AS_TYPED.sub(" ", text))
    for name in allowed:
        plain = plain.replace(name, " ")
    for what, sign in ODD.items():
        if found := sign.search(plain):
            yield f"{what} ({found[0].strip()}): {text}"


def of_prompt(prompt: Prompt) -> Iterator[str]:
    """Yield all texts of a prompt except what is typed."""
    yield from filter(None, (prompt.question, prompt.roll))
    for order in prompt.orders:
        yield from filter(None, (order.summary, order.refusal, order.roll))
        yield from (f"{prospect.when}: {prospect.what}" for prospect in order.prospects)
    yield from (f"{prospect.when}: {prospect.what}" for prospect in prompt.prospects)
    yield from (slot.meaning for slot in prompt.slots)


def of_situation(situation: TableSituation) -> Iterator[str]:
    """Yield the texts that describe the situation."""
    for asset in situation.assets:
        yield from filter(None, (asset.text, asset.waits, *asset.details))
    yield from (text for unit in situation.units for text in unit.details)
    yield from situation.board


def of_log(lines: Iterable[LogLine]) -> Iterator[str]:
    """Yield the texts of events, but not orders and throws, which repeat what was typed."""
    yield from (line.text for line in lines if line.kind == "event")


def wandering(session: Session, faces: RandomFaces, inputs: int) -> Iterator[None]:
    """Play random inputs, at most this many; yield before each, and at the end of the game if it
    comes.
    """
    for _ in range(inputs):
        waits = session.table.waits_for
        yield
        if waits is None:
            return
        if isinstance(waits, Ask):
            orders = session.table.rulebook.legal(waits, session.table.read, each=2)
            session.order(orders[faces.below(len(orders))])
        else:
            for face in faces.faces(waits):
                session.face(face, typed=True)


def at_the_prompt(session: Session) -> Iterator[str]:
    """Yield the terminal's texts for the side that must answer: table, orders and refusals, but no
    map.
    """
    said: list[str] = []
    typed = iter(("why", "more", "log"))

    def hear(_prompt: str) -> str:
        line = next(typed, None)
        if line is None:
            raise EOFError
        return line

    Play(session, said.append, hear, 1).run()
    drawn = re.compile(r"^[^:]*[|+#*.]|^ +\w+\d+  ")
    yield from (
        line
        for text in said[2:]
        for line in text.split("\n")
        if not drawn.match(line) or ":" in line
    )


def texts(
    session: Session, inputs: int, seed: int, *, terminal: bool = True
) -> Iterator[tuple[str, str]]:
    """Yield every text of a random game with its place: a side's view, or the terminal."""
    faces = RandomFaces(seed)
    seats = (*sides_of(session.scenario), REFEREE)
    for number, _ in enumerate(wandering(session, faces, inputs)):
        waits = session.table.waits_for
        for side in (
            seats if number % 5 == 0 else (waits.who if isinstance(waits, Ask) else REFEREE,)
        ):
            viewer = Viewer(session, side)
            yield from (("prompt", text) for text in of_prompt(viewer.form()))
            yield from (("situation", text) for text in of_situation(viewer.situation()))
        if terminal and number % 25 == 0:
            yield from (("terminal", text) for text in at_the_prompt(session))
    for side in seats:
        yield from (("log", text) for text in of_log(Viewer(session, side).known.lines))


def shown(page: str) -> list[str]:
    """Return the lines that a page shows, except cited rules and what is typed, in buttons and code."""
    page = re.sub(
        r"<(script|style|code|button|textarea|p class=.given.)\b.*?</(?:\1|p)>",
        "",
        page,
        flags=re.DOTALL,
    )
    lines = html.unescape(re.sub(r"<[^>]+>", "\n", page)).split("\n")
    return [line for line in lines if not line.strip().removeprefix("from: ").startswith("fp1 ")]


def of_answers(ask: Callable[..., Any], name: str, goals: Iterable[str]) -> Iterator[str]:
    """Yield the texts of the studio's answers about a scenario: the odds, and the best orders for goals.

    ``ask`` returns a page. The form above an answer is left out, because it lists what may be
    typed.
    """
    for goal in ("", *goals):
        asked = urlencode({"line": name, "for": goal, "v": 1} if goal else {"line": name, "v": 1})
        status, headers, body = asyncio.run(ask("GET", f"/ask?{asked}"))
        if "location" in headers:
            status, _, body = asyncio.run(ask("GET", headers["location"]))
        if status != 200:
            yield f"status_{status} of {asked}"
        form = re.compile(r'<form class="choices".*?</form>', re.DOTALL)
        yield from shown(form.sub("", body.decode()))


def unsaid(session: Session) -> Iterator[str]:
    """Yield the kinds of events that some side learnt and that have no sentence."""
    scenario = session.scenario
    everybody = [Visibility(scenario, side) for side in (*sides_of(scenario), REFEREE)]
    for event in dict.fromkeys(
        eyes.learns(entry.event) for entry in session.table.log for eyes in everybody
    ):
        fields = {} if event is None else {**dict(event.fields), "several": True}
        if (
            event
            and scenario.sentences.say(
                "events", event.kind, fields, lambda _name, value: str(value)
            )
            is None
        ):
            yield f"event {event.kind} ({', '.join(fields)})"


def allowed_in(session: Session) -> list[str]:
    """Return the names of the scenario's assets and units, longest first."""
    scenario = session.scenario
    return sorted((*scenario.missions, *scenario.units), key=len, reverse=True)


def scenario_names(catalogue: Catalogue, name: str) -> list[str]:
    """Return the names of a scenario's assets and units, then those of all shipped scenarios."""
    scenario, form = find_scenario(catalogue, name)
    return [
        *allowed_in(Session(scenario, form.moments)),
        *sorted(shipped_scenarios(catalogue), key=len, reverse=True),
    ]


def faults(
    name: str, catalogue: Catalogue, seeds: int, inputs: int, read: set[str]
) -> Iterator[str]:
    """Yield the faults in a scenario's texts; the texts examined are added to ``read``."""
    for seed in range(seeds):
        scenario, form = find_scenario(catalogue, name)
        session = Session(scenario, form.moments)
        verbs: set[str] = set()
        for where, text in texts(session, inputs, seed):
            waits = session.table.waits_for
            if isinstance(waits, Ask):
                verbs |= {
                    form.verb for form in session.table.rulebook.forms(waits, session.table.read)
                }
            if text not in read:
                read.add(text)
                allowed = (
                    [*allowed_in(session), *sorted(verbs, key=len, reverse=True)]
                    if where == "terminal"
                    else ()
                )
                yield from (f"{name}, {where}: {fault}" for fault in odd(text, allowed))
        yield from (f"{name}: {kind} has no sentence" for kind in unsaid(session))


def main() -> int:
    """Examine everything; return 1 if anything is found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seeds", type=int, default=4)
    parser.add_argument("--inputs", type=int, default=300)
    parser.add_argument("--in", dest="part", default="")
    parser.add_argument("--for", dest="goals", action="append", choices=MEASURES, default=[])
    given = parser.parse_args()
    catalogue = Catalogue.installed()
    found: dict[str, None] = {}
    read: set[str] = set()
    answers = without_server(Path(tempfile.mkdtemp()))
    for name in (name for name in shipped_scenarios(catalogue) if given.part in name):
        asked = dict.fromkeys(of_answers(answers, name, given.goals))
        said = [
            f"{name}, asked: {fault}"
            for text in asked
            for fault in odd(text, scenario_names(catalogue, name))
        ]
        read |= asked.keys()
        for fault in (*said, *faults(name, catalogue, given.seeds, given.inputs, read)):
            if fault not in found:
                found[fault] = None
                print(fault)
    print(f"{len(read):,} different texts, {len(found)} faults")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
