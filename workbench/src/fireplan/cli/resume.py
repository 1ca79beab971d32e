"""``fireplan resume``: a journal continued."""

from __future__ import annotations

from pathlib import Path

from fireplan import api, table
from fireplan.api import catalogue, outside, refuse
from fireplan.cli._open import reopened, sit
from fireplan.cli._options import DiceSeed, HouseRules
from fireplan.cli._print import say_line


def resume(journal: Path, /, *, seed: DiceSeed = None, rules: HouseRules = None) -> None:
    """Continue a journal where it was left, even between two dice of a throw.

    :param journal: The journal's file.
    """
    refuse(outside("seed", seed, 0))
    installed = catalogue()
    session, head = reopened(journal, api.house_rules(rules), read_only=False, installed=installed)
    if differs := table.differences(session, head, installed):
        say_line(f"This game was begun by other rules: {differs}.")
    sit(session, seed)
