"""The conformance kit: checks that every game must pass, a new game from templates, frozen tables of outcomes.

``fireplan check``, ``GameSuite`` and the project's own cross-game tests run the same checks. Nothing here names a
game. Each check is described in ``docs/checks.md``.
"""

from typing import TYPE_CHECKING

from fireplan._lazy import lazily

if TYPE_CHECKING:
    from fireplan.kit._bench import STANDARD as STANDARD
    from fireplan.kit._bench import Bench as Bench
    from fireplan.kit._capable import CAPABILITIES as CAPABILITIES
    from fireplan.kit._check import Finding as Finding
    from fireplan.kit._check import Flaw as Flaw
    from fireplan.kit._check import Law as Law
    from fireplan.kit._coverage import coverage as coverage
    from fireplan.kit._kitbash import Meeting as Meeting
    from fireplan.kit._kitbash import follow as follow
    from fireplan.kit._kitbash import meet as meet
    from fireplan.kit._kitbash import tables as tables
    from fireplan.kit._list import LAWS as LAWS
    from fireplan.kit._list import examine as examine
    from fireplan.kit._new import SPACES as SPACES
    from fireplan.kit._new import NewGameError as NewGameError
    from fireplan.kit._new import Space as Space
    from fireplan.kit._new import new_game as new_game
    from fireplan.kit._perft import freeze as freeze
    from fireplan.kit._suite import GameSuite as GameSuite
else:
    __all__, __getattr__, __dir__ = lazily(
        __name__,
        {
            "._bench": ("STANDARD", "Bench"),
            "._capable": ("CAPABILITIES",),
            "._check": ("Finding", "Flaw", "Law"),
            "._coverage": ("coverage",),
            "._kitbash": ("Meeting", "follow", "meet", "tables"),
            "._list": ("LAWS", "examine"),
            "._new": ("SPACES", "NewGameError", "Space", "new_game"),
            "._perft": ("freeze",),
            "._suite": ("GameSuite",),
        },
    )
