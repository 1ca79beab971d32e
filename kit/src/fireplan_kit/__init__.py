"""The conformance kit: checks that every game must pass, templates of a new game, perft tables.

``fireplan check``, ``GameSuite`` and the project's own cross-game tests run the same checks. None
of them names a game. ``docs/checks.md`` describes each check.
"""

from fireplan_core._lazy import lazily

__getattr__, __dir__ = lazily(__name__)
