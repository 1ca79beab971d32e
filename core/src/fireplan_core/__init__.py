"""The core of fireplan: define a game, and run one mission to its end.

This is what the author of a game imports: the five words (``Observers``, ``Requests``, ``Delays``,
``Areas``, ``Resolution``), the neutral mission and its ``cycle``, what a step may answer, scenarios
and how they are staged. Nothing here knows a particular game. Beside it stand the packages
``chance``, ``space``, ``files``, ``ledger``, ``blocks`` and ``play``.
"""

from fireplan_core._lazy import lazily
from fireplan_core.record import record as record

__getattr__, __dir__ = lazily(__name__)
