"""``fireplan export --prism``: a mission written out for model checkers."""

from __future__ import annotations

import sys
from pathlib import Path

from fireplan import compare as comparing
from fireplan.cli._app import BadInputError, outside, refuse, unknown, write
from fireplan.cli._compare import catalogue_for
from fireplan.cli._large import SAMPLE, ahead, command, named, refusal
from fireplan.odds import Analysis, TooLargeError, prism
from fireplan_core import CannotStageError, ProcedureError
from fireplan_core.files import FileError, describe
from fireplan_core.play import Variation, shipped_scenarios

LONGEST = 1000


def run_prism(name: str | None, game: str | None, moments: int | None, out: Path | None) -> None:
    """Write a scenario's (or an engagement's) mission in the PRISM language to a file, or to standard output."""
    installed = catalogue_for(name, game)
    if game is not None and game not in installed.games:
        raise unknown("game", game, list(installed.games))
    if game is None and name is None:
        known = ", ".join(shipped_scenarios(installed))
        raise BadInputError(f"Name a scenario ({known}) or a file, or an engagement with --game KEY.")
    refuse(outside("--moments", moments, 1, LONGEST))
    try:
        table = comparing.setting(installed, name, game)
        scenario = table.lay(Variation())
        text = prism(Analysis(scenario, moments or table.moments(scenario)))
    except FileError as error:
        raise BadInputError(describe(error.faults)) from error
    except CannotStageError as error:
        raise BadInputError(f"{game} cannot stage this: " + "; ".join(error.reasons)) from error
    except TooLargeError as error:
        what = named(name, game)
        instead = [("sampled, not exported", command("odds", *what, "--sample", SAMPLE))]
        if error.moments:
            instead.append(("fewer moments", command("export", *what, "--prism", *ahead(error.moments))))
        raise refusal(error, instead) from error
    except ProcedureError as error:
        raise BadInputError(f"This cannot be exported: {error}.") from error
    if out is None:
        sys.stdout.write(text)
    elif out.exists():
        raise BadInputError(f"{out}: is already there; an export never writes over a file")
    else:
        write(out, text)
