"""Mutants: games with seeded faults, each a small change to a good game, that the kit must catch.

``python -m fireplan.kit.mutants`` breaks the games of the scaffold one fault at a time, holds each to the check that
is meant for the fault, and prints how many were caught. A fault that only a rule text can tell (a radius, a sign) is
meant for the frozen tables and playthroughs.
"""

from fireplan.kit.mutants._fault import FAULTS, Fault
from fireplan.kit.mutants._run import Verdict, sound_games, try_fault, try_mutants

__all__ = ["FAULTS", "Fault", "Verdict", "sound_games", "try_fault", "try_mutants"]
