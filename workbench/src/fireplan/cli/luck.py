"""``fireplan luck``: how lucky each side was, roll by roll, against the exact odds of each roll."""

from __future__ import annotations

from pathlib import Path

from fireplan import api
from fireplan.cli._open import reopened
from fireplan.cli._options import HouseRules, Yes
from fireplan.cli._print import asking
from fireplan.cli.compare import tell


def luck(game: Path, /, *, json: bool = False, yes: Yes = False, rules: HouseRules = None) -> None:
    """Weigh every roll of a game against its exact odds, and say how lucky each side was.

    :param game: A journal, or a playthrough (a .txt file).
    :param json: Print JSON with exact rationals.
    """
    told = game.name.endswith(".txt")
    session = api.load(game).session if told else reopened(game, api.house_rules(rules))[0]
    begin = asking("weigh a shorter game", yes=yes)
    tell(api.luck_of(session.scenario, session.moments, session.table.journal, begin), json=json)
