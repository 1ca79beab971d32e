"""The conformance kit: checks that every game must pass, templates for new games, perft tables.

``fireplan check``, ``GameSuite`` and the project's own cross-game tests run the same checks. None
of the checks names a game. ``docs/reference/checks.md`` describes each check.
"""

from fireplan_core.lazy import lazily

__getattr__, __dir__ = lazily(__name__)
