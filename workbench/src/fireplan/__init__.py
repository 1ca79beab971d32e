"""fireplan: artillery procedures of wargames, played, refereed, solved and compared.

``import fireplan as fp`` gives access to every question: ``fp.compare("woods", guns=24)``,
``fp.odds("GAME/SCENARIO")``, ``fp.whatif(set={"GAME.limit": 7})``. Every answer can be printed,
drawn, saved, and converted to plain data. Wrong input raises ``fp.InputError`` listing every fault.
Modules are loaded only when they are first used.
"""

from importlib.metadata import entry_points
from typing import Any

from fireplan_core.lazy import lazily

_own, __dir__ = lazily(__name__)


def __getattr__(name: str) -> Any:
    """Return the object with a public name, or the function of another distribution's question.

    Raise ``AttributeError`` for any other name; the message says which distribution to install if
    one is known to provide the name.
    """
    try:
        return _own(name)
    except AttributeError:
        if name.startswith("_"):
            raise
        if not entry_points(group="fireplan.questions", name=name):
            from fireplan.extras import QUESTIONS_ELSEWHERE

            needed = QUESTIONS_ELSEWHERE.get(name)
            if needed is None:
                raise
            missing = f"fireplan.{name} comes with {needed}: pip install {needed}"
            raise AttributeError(missing, name=name) from None
    from fireplan.questions.question import front

    return front(name)
