"""The core of fireplan: define a game and run a fire mission to its end.

Authors of games import from this package: the base classes of the five parts (``Observers``,
``Requests``, ``Delays``, ``Areas``, ``Resolution``), the neutral mission and its ``cycle``, the
effects that a step returns, scenarios and their staging. The core knows nothing about any
particular game. Further tools are in the packages ``chance``, ``space``, ``files``, ``ready_parts``
and ``play`` and the module ``ledger``.
"""

from fireplan_core.lazy import lazily
from fireplan_core.record import record as record

__getattr__, __dir__ = lazily(__name__)
