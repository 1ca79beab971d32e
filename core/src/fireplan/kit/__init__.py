"""The conformance kit: the laws that every game must keep, as checks that can be run on any installed game.

The project's own cross-game tests run the same checks. Nothing here names a game.
"""

from fireplan.kit._bench import Bench
from fireplan.kit._laws import LAWS, Law

__all__ = ["LAWS", "Bench", "Law"]
