"""The scenarios shipped with the installed games."""

from __future__ import annotations

from fireplan_core.play import Catalogue, shipped_scenarios

NAMES = tuple(shipped_scenarios(Catalogue.installed()))
FEW = tuple({name.partition("/")[0]: name for name in reversed(NAMES)}.values())
"""One scenario of each game."""
