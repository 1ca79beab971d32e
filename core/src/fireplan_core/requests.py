"""Requests: asking for fire at a point, and what may be ordered when the asset is at hand.

Steps the core calls, if the part has them:

* ``opportunity(m)``: the side may ask for fire with an idle asset now. Answer ``core.request`` to ask.
* ``ready(m)``: the asset listens. Choose an aim and answer ``core.release``, ``core.convert``, ``core.cease``
  or ``core.close``, or leave things as they are.
* ``landed(m)``: a spotting round has landed (for orders declared beforehand).
* ``ceased(m, stage)`` and ``closed(m)``: fire ceased in that stage; the mission ended.

``cites`` needs ``requested``.
"""

from __future__ import annotations

from typing import ClassVar

from fireplan_core.steps.part import Part


class Requests(Part):
    """Asking for fire: the orders, their one judge, and the steps that carry them out."""

    word: ClassVar[str] = "requests"
