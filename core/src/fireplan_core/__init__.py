"""The core of fireplan: define a game and run a fire mission to its end.

The author of a game imports from here: the base classes of the five parts (``Observers``,
``Requests``, ``Delays``, ``Areas``, ``Resolution``), the neutral mission and its ``cycle``, the
effects that a step returns, scenarios and their staging. Nothing here knows a particular game. The
packages ``chance``, ``space``, ``files``, ``ledger``, ``ready_parts`` and ``play`` hold the rest.
"""

from fireplan_core._lazy import lazily
from fireplan_core.record import record as record

__getattr__, __dir__ = lazily(__name__)
