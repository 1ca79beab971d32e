"""fireplan: artillery procedures of wargames, written once and played, refereed, solved and compared.

``import fireplan as fp`` is the front door: ``fp.compare("woods", guns=24)``, ``fp.odds("GAME/SCENARIO")``,
``fp.whatif(set={"GAME.limit": 7})``. Every answer prints, draws and saves itself, and hands itself on as data. What
cannot be answered raises ``fp.InputError`` with everything that is wrong. Importing the package loads none of it.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
