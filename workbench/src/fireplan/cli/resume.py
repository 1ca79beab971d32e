"""``fireplan resume``: a journal continued."""

from __future__ import annotations

from pathlib import Path

from fireplan import api
from fireplan.api import outside, refuse
from fireplan.cli._open import reopened, sit
from fireplan.cli._options import DiceSeed, HouseRules


def resume(journal: Path, /, *, seed: DiceSeed = None, rules: HouseRules = None) -> None:
    """Continue a journal where it was left, even between two dice of a throw.

    :param journal: The journal's file.
    """
    refuse(outside("seed", seed, 0))
    session, _ = reopened(journal, api.house_rules(rules), read_only=False)
    sit(session, seed)
