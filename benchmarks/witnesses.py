"""Find candidates for witnesses in a game's playthroughs: ``python benchmarks/witnesses.py GAME``.

For each rule of the ledger without a witness it prints the simplest input that leads to an event of
that rule, and the line of the position before it, as ``rules.toml`` would have them. Check each one
against the rule before keeping it: the result must follow from the rule's words and charts, or the
witness only repeats what the code does.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from fireplan.analysis import shipped_engagements
from fireplan.errors import InputError
from fireplan.positions import Position, Source, Sources, position_of
from fireplan.table import PlaythroughPlay, Session, read_playthrough, scenario_of
from fireplan_core.files import FileError
from fireplan_kit import STANDARD, Bench
from fireplan_kit.check import admitted
from fireplan_kit.recorded_play import events_after

Candidate = tuple[int, str, str, tuple[str, ...]]
"""A candidate: the effort to read it, its position, its input, and the rulings."""


def candidates(key: str, plugin: Any) -> Iterator[tuple[str, Candidate]]:
    """Yield for each rule cited by a ruling the input before it, with the position at that time."""
    catalogue, _ = admitted(key, plugin)
    sources = Sources(catalogue, shipped_engagements())
    for path in Bench(catalogue, key, STANDARD).playthroughs:
        playthrough = read_playthrough(path.read_text(encoding="utf-8"))
        scenario, moments = scenario_of(
            catalogue, playthrough.head(catalogue, shipped_engagements())
        )
        source = Source(name=f"{key}/{path.name.partition('.')[0]}")
        if playthrough.text is None and not playthrough.options:
            source = Source(
                name=playthrough.reference, game=key if playthrough.kind == "engagement" else ""
            )
        sources.keep(source, scenario, moments)
        session = Session(scenario, moments)
        play = PlaythroughPlay(session)
        for line in playthrough.inputs:
            before = Position.of(source, scenario, session.table.state)
            ready = not session.faces
            try:
                rulings = events_after(play, line.text)
            except InputError:
                break
            written = str(before)
            try:
                same = position_of(written, sources) == before
            except FileError:
                same = False
            if not (ready and same) or session.faces or line.text == "take back":
                continue
            for text in rulings:
                for cite in re.findall(r"\[([^\[\]]+)\]$", text):
                    for rule in map(str.strip, cite.split(",")):
                        cost = len(written) + 40 * len(rulings) + len(line.text)
                        yield rule, (cost, written, line.text, tuple(rulings))


def main(key: str) -> None:
    """Print the candidates of a game."""
    plugin = import_module(f"fireplan_{key}")
    rules = plugin.fireplan_game().ledger.rules
    best: dict[str, Candidate] = {}
    for rule, found in candidates(key, plugin):
        if rule in rules and not rules[rule].witness:
            best[rule] = min(best.get(rule, found), found)
    for rule, (_, position, given, events) in sorted(best.items()):
        rulings = "".join(f"  {text}\n" for text in events)
        sys.stdout.write(
            f"# {rule}: {rules[rule].summary}\n[[rule.witness]]\nposition = '''{position}'''\n"
        )
        sys.stdout.write(f'play = """\n> {given}\n{rulings}"""\n\n')
    bare = (rule for rule in rules.values() if rule.status == "implemented" and not rule.witness)
    left = [rule.id for rule in bare if rule.id not in best]
    sys.stdout.write(f"# nothing found for {', '.join(left)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
