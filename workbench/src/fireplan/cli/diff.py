"""``fireplan diff``: the readings of a game side by side."""

from __future__ import annotations

from fireplan import api
from fireplan.api import besides
from fireplan.cli._open import catalogue_with
from fireplan.cli._options import Csv, GameKey, Json, Several
from fireplan.cli._print import Bar
from fireplan.cli.compare import how_faults, tell


def diff(
    game: GameKey,
    /,
    *,
    option: Several = None,
    value: str | None = None,
    moments: int = 2,
    walks: int = 24,
    json: Json = False,
    csv: Csv = False,
) -> None:
    """Lay every other reading of a game's options beside the default: which odds move, and where the two part.

    Every shipped scenario and the usual engagement is solved exactly, where the option is read; what is too large is
    left out, and it is said.

    :param option: Only these options, by name; 'fireplan games --json' lists them. All by default, which takes long.
    :param value: Only this value of the one option named.
    :param moments: Solve so many moments of each scenario.
    :param walks: Search the positions of so many walks of random play from each scenario; 0 searches none.
    """
    with Bar() as bar, besides(how_faults(json=json, csv=csv, picture=None)):
        found = api.diff(
            game,
            option=option,
            value=value,
            moments=moments,
            walks=walks,
            catalogue=catalogue_with(game),
            progress=bar.step_of,
        )
    tell(found, json=json, csv=csv)
