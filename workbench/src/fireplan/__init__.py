"""fireplan: artillery procedures of wargames, played, refereed, solved and compared.

``import fireplan as fp`` is the front door: ``fp.compare("woods", guns=24)``,
``fp.odds("GAME/SCENARIO")``, ``fp.whatif(set={"GAME.limit": 7})``. Every answer prints, draws and
saves itself, and hands itself on as data. Wrong input raises ``fp.InputError`` with everything that
is wrong. Importing the package loads none of this.
"""

from importlib.metadata import entry_points
from typing import Any

from fireplan_core._lazy import lazily

_own, __dir__ = lazily(__name__)


def __getattr__(name: str) -> Any:
    """Return a name of the front door, or the function of a question that is installed besides."""
    try:
        return _own(name)
    except AttributeError:
        if name.startswith("_") or not entry_points(group="fireplan.questions", name=name):
            raise
    from fireplan.questions.question import front, question_named

    return front(question_named(name))
