"""The rule ledger: every numbered rule of a game's texts, in our own words, with its standing.

A ledger is data of the game (``rules.toml``); whether a rule is cited in code or borne by a test is found in
the sources, not written down twice.
"""

from fireplan_core.ledger._ledger import (
    STATUSES,
    Ledger,
    LedgerError,
    Rule,
    Witness,
    citations_in,
    read_ledger,
    tests_in,
)

__all__ = ["STATUSES", "Ledger", "LedgerError", "Rule", "Witness", "citations_in", "read_ledger", "tests_in"]
