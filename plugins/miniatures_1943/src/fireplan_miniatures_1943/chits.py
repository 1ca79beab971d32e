"""The kinds of request chits. Each asset of a table is one chit; how chits move is in ``delays``."""

from __future__ import annotations

from enum import Enum

import attrs


class Chit(Enum):
    """What a request chit stands for (6.1.c)."""

    BARRAGE = "barrage"
    AIR_STRIKE = "air strike"
    DUMMY = "dummy"


@attrs.frozen
class Stock:
    """A chit, and the line of the request chart that it is placed on."""

    chit: Chit
    line: str = ""


def chit_of(asset: str, otherwise: str) -> Chit:
    """The chit that an asset is: its id may say so (``air strike 2``), else the option ``chit`` does."""
    return next((chit for chit in Chit if asset.startswith(chit.value)), Chit(otherwise))
