"""Mutants: games with seeded faults, each a small change to a good game, that the kit must catch."""

from fireplan.kit.mutants._fault import FAULTS, Fault
from fireplan.kit.mutants._run import Verdict, sound_games, try_fault, try_mutants

__all__ = ["FAULTS", "Fault", "Verdict", "sound_games", "try_fault", "try_mutants"]
