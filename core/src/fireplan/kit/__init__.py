"""The conformance kit: checks that every game must pass, a new game from templates, frozen tables of outcomes.

``fireplan check``, ``GameSuite`` and the project's own cross-game tests run the same checks. Nothing here names a
game. Each check is described in ``docs/checks.md``.
"""

from fireplan.kit._bench import STANDARD, Bench
from fireplan.kit._capable import CAPABILITIES
from fireplan.kit._check import Finding, Flaw, Law
from fireplan.kit._coverage import coverage
from fireplan.kit._kitbash import Meeting, follow, meet, tables
from fireplan.kit._list import LAWS, examine
from fireplan.kit._new import SPACES, NewGameError, Space, new_game
from fireplan.kit._perft import freeze
from fireplan.kit._suite import GameSuite

__all__ = [
    "CAPABILITIES",
    "LAWS",
    "SPACES",
    "STANDARD",
    "Bench",
    "Finding",
    "Flaw",
    "GameSuite",
    "Law",
    "Meeting",
    "NewGameError",
    "Space",
    "coverage",
    "examine",
    "follow",
    "freeze",
    "meet",
    "new_game",
    "tables",
]
