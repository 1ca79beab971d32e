"""Write the pieces of a game's page beside its rules: figures, surprises and a mission.

The sentences of ``surprises.toml`` are written by hand; their figures are computed.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import _missions
import tomli
from _procedures import ENGAGEMENT, PRINTED, named, printed_answers

import fireplan as fp
from fireplan.analysis import GameAnswer, Measured, in_words, percent
from fireplan_core.play import Catalogue

BESIDE = {
    "minutes_to_first_effect": "first effect, min",
    "delivered": "delivered",
    "on_target": "on target",
    "footprint_hectares": "footprint",
    "destroyed": "target destroyed",
    "exhausted": "asset spent",
}
"""The yardsticks of the table of figures, each with its heading."""


def figures(catalogue: Catalogue, key: str) -> Iterator[tuple[str, ...]]:
    """Yield a game's row of figures, then the rows of the games made from their rulebooks."""
    answers = printed_answers(catalogue)
    for other in (key, *(game for game in PRINTED if game != key)):
        game = answers.games[other]
        title = named(catalogue[other].game)
        yield (f"**{title}**" if other == key else title, *(_told(one, game) for one in BESIDE))


def surprises(key: str) -> str:
    """Return a game's surprises as a list, each with the question that gives its last figure."""
    listed = tomli.loads((Path(__file__).parent / "surprises.toml").read_text(encoding="utf-8"))
    lines = []
    for one in listed[key]:
        found = [_figure(key, dict(asked)) for asked in one["figures"]]
        flags = [
            f"--{name.replace('_', '-')} {'YES' if value is True else value}"
            for name, value in one["figures"][-1].items()
            if name != "measure"
        ]
        command = " ".join(["fireplan compare", ENGAGEMENT, "--games", key, *flags])
        lines.append(f"* {one['text'].format(*found)} `{command}`\n")
    return "".join(lines)


def mission(key: str) -> str:
    """Return a game's mission as a story, from its transcript in the reference."""
    name = next(name for name in _missions.MISSIONS if name.partition("/")[0] == key)
    told = _missions.story(_missions.file_of(name).read_text(encoding="utf-8"))
    again = f"fireplan play {name} --seed {_missions.MISSIONS[name]} --journal mission.fireplan"
    return (
        f"{told}\nTo play it again, type `{again}` and press Enter at every prompt; `fireplan film mission.fireplan` "
        "then makes a film of it. [The whole mission](../reference/missions.md) shows every prompt and roll.\n"
    )


def _figure(key: str, asked: dict[str, Any]) -> str:
    measure = asked.pop("measure")
    return _told(measure, _compared(key, **asked))


@cache
def _compared(key: str, **facts: Any) -> GameAnswer:
    """Return a game's answer under changed facts; several surprises begin with the game as printed."""
    return fp.compare(ENGAGEMENT, games=[key], **facts)[key]


def _told(measure: str, game: GameAnswer) -> str:
    answer = game.measures[measure]
    if isinstance(answer, Measured) and answer.unit == "share":
        return percent(answer.value)
    return in_words(measure, game).replace("\n", "; ")
