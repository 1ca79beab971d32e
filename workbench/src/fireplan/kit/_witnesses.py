"""The law of witnesses: from the position of each worked example in the ledger, play leads to what the example says."""

from collections.abc import Iterator
from typing import Any

from fireplan.comparison import shipped_engagements
from fireplan.kit._bench import Bench
from fireplan.kit._check import Flaw, Flaws, admitted, raised
from fireplan.kit._walkers import Labels
from fireplan.positions import Position, PositionError, Sources, position_of
from fireplan.table import PlaythroughError, PlaythroughPlay, Session, unlisted_scenarios
from fireplan_core.ledger import Witness


def witnesses_are_borne_out(bench: Bench) -> Flaws:
    """Check that every worked example of a rule in the ledger comes out as it says, ruling by ruling."""
    sources = Sources(bench.catalogue, shipped_engagements(), unlisted=unlisted_scenarios)
    return [
        Flaw(f"witness {number}: {how}", rule)
        for rule, number, witness in witnesses(bench)
        for how in _unborne(sources, witness)
    ]


def witnesses(bench: Bench) -> list[tuple[str, int, Witness]]:
    """Return every worked example of a game with its rule and its number there."""
    rules = bench.installed.game.ledger.rules.values()
    return [(rule.id, number, witness) for rule in rules for number, witness in enumerate(rule.witness, start=1)]


def witnessed(key: str, plugin: Any) -> str:
    """Return how many of a game's rules that change a figure have a worked example; "" for a game not admitted."""
    catalogue, flaws = admitted(key, plugin)
    return "" if flaws else catalogue[key].game.ledger.witnessed


def _unborne(sources: Sources, witness: Witness) -> list[str]:
    if not witness.play.strip():
        return ["its play is empty, so it says nothing"]
    try:
        return list(unborne(sources, witness))
    except Exception as error:  # noqa: BLE001 - whatever a rule raises is told of this one, and others are looked at
        return [raised(error).text]


def unborne(sources: Sources, witness: Witness) -> Iterator[str]:
    """Yield where play differs first from a worked example, in words; nothing where the rules bear it out."""
    given, expected, got = "", list[str](), list[str]()
    try:
        position = position_of(witness.position, sources)
        moments = max(position.moment + 1, sources.staged(position.source)[1])
        play = PlaythroughPlay(Session(position.scenario, moments))
        play.session.table = position.table(moments)
        for line in [*filter(None, map(str.strip, witness.play.splitlines())), ">"]:
            if not line.startswith(">"):
                expected.append(line)
                if line.startswith("fp1 "):  # then the position is compared as well
                    got.append(str(Position.of(position.source, position.scenario, play.session.table.state)))
            elif expected != got:
                yield f"after {given!r} must follow {expected}, the rules say {got}"
                return
            elif given := line.removeprefix(">").strip():
                expected, got = [], said(play, given)
    except (PositionError, PlaythroughError) as error:
        yield f"{given or witness.position!r} cannot be: {error}"


def said(play: PlaythroughPlay, given: str) -> list[str]:
    """Return the events that follow an input, as data; of a question why, the rule that refuses it."""
    before = len(play.session.table.log)
    answers = play.give(given)[1]
    if given.startswith("why "):
        return [f"refused [{one.rpartition('(')[2][:-1]}]" if one.endswith(")") else "allowed" for one in answers]
    labels = Labels(play.session.scenario)
    return [labels.event(entry.event) for entry in play.session.table.log[before:]]
