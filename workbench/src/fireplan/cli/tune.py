"""``fireplan tune``: what is wanted of a game, and the fewest of its numbers to change for that."""

from __future__ import annotations

from typing import Annotated, Any

from cyclopts import Parameter

from fireplan import api
from fireplan.cli import _options
from fireplan.cli._open import catalogue
from fireplan.cli._options import EngagementName, Json, Minutes, Several, given_facts
from fireplan.cli._print import Bar
from fireplan.cli.compare import tell


def tune(  # noqa: PLR0913 - the table, what is wanted of it, and how it is looked for
    game: str,
    name: EngagementName = None,
    /,
    *,
    want: list[str] | None = None,
    only: Several = None,
    most: int = 3,
    seconds: int = 5,
    numbers: Annotated[list[str] | None, Parameter(name="--set", consume_multiple=True)] = None,
    minutes: Minutes = None,
    json: Json = False,
    facts: _options.Facts = None,
) -> None:
    """Propose the fewest changed numbers with which a game reaches what you want; each proposal is solved exactly.

    :param game: A game's key, as 'fireplan games' lists them; or a shipped scenario (game/name) or a scenario file.
    :param want: A target, any number of times: 'delivered >= 80 %', 'own_troops_under_fire < 2 %', 'minutes <= 10 min'.
        Figures: delivered, on_target, minutes, suppressed, reduced, destroyed, own_troops_under_fire, exhausted.
    :param only: Change only these numbers, as 'fireplan numbers GAME' lists them; a name without its keys means all
        under it.
    :param most: How many numbers to change together at most, 1 to 5.
    :param seconds: How long to look.
    :param numbers: GAME.NUMBER=VALUE, any number of them: changed to begin with, and left so.
    """
    how: dict[str, Any] = {"want": want or (), "only": only or (), "most": most, "seconds": seconds, "set": numbers}
    with Bar() as bar:
        found = api.tune(
            game, name, **how, minutes=minutes, catalogue=catalogue(), progress=bar.step_of, **given_facts(facts)
        )
    tell(found, json=json)
