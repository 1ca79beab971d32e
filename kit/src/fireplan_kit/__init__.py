"""The conformance kit: checks that every game must pass, a new game from templates, frozen tables of outcomes.

``fireplan check``, ``GameSuite`` and the project's own cross-game tests run the same checks. Nothing here names a
game. Each check is described in ``docs/checks.md``.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
