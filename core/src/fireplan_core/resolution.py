"""Resolution: what fire does to what it covers.

Steps the core calls (``strike`` is required, the others if the part has them):

* ``opening()``: before anything else of a moment (fire that fell before play; what burns or lies on the ground).
* ``strike(m, place, intensity)``: fire for effect covers this place; attack everything there. It carries the
  scope of the place: it reads and writes only units and ground there.
* ``spent(m)``: after all strikes of one fall; what the firing costs the asset (depletion).

A step tells ``suffered`` (fields ``unit`` and ``severity``) whenever a unit's state gets worse; every game maps
its own results to ``Severity`` in ``severities``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from fireplan_core.mission import Severity
from fireplan_core.steps.part import Part


class Resolution(Part):
    """Attacks on targets, their results, and their severity on the neutral scale."""

    word: ClassVar[str] = "resolution"
    severities: ClassVar[Mapping[str, Severity]] = {}
