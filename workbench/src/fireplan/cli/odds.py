"""``fireplan odds``: a scenario or a position solved exactly or sampled."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from fireplan import api, table
from fireplan.api import Result, besides, gathered, refuse
from fireplan.cli._asked import asks


@asks(api.odds)
def odds(
    *,
    floats: bool = False,
    line: str | None = None,
    at: int | None = None,
    by: str | None = None,
    given: str | Iterable[str] | None = None,
    **asked: Any,
) -> Iterator[Result]:
    """Ask a position where a line, an input, a time or what is known is said."""
    recorded = str(asked.get("scenario", "")).endswith(table.RECORDED)
    if line is None and at is None and by is None and not given and not recorded:
        yield api.odds(exact=not floats, **asked)
        return
    unfit = {"--moments": asked.get("moments"), "--float": floats, "--house-rules": asked.get("house_rules")}
    faults = [f"{name} does not go with a position; say --by for the time." for name, said in unfit.items() if said]
    if line is not None and (at is not None or not {"scenario", "game"}.isdisjoint(asked)):
        faults.append("--from is a whole position: leave scenario, --game and --at out.")
    position: Any = gathered(faults, _position, line, at, recorded=recorded, **asked)
    if position is None:
        refuse(faults)
    under: Any = gathered(faults, position.given, **dict(map(api.read_condition, given or ()))) or position
    drawn = {one: asked[one] for one in ("sample", "seed") if one in asked}
    with besides(faults):  # what is wrong with the time is told as well
        found = under.odds(int(by) if by and by.isdecimal() else by, **drawn)
    yield found


def _position(line: str | None, at: int | None, *, recorded: bool, **asked: Any) -> api.PositionResult:
    """Return the position that is asked: of a line, of a journal or playthrough, or the opening of a scenario."""
    apart = ("scenario", "game", "moments", "sample", "seed", "house_rules", "progress", "begin")
    name, facts = asked.get("scenario"), {key: value for key, value in asked.items() if key not in apart}
    if line is not None:
        return api.position(line, **facts)
    if name is not None and (at is not None or recorded):
        found = api.load(name)
        return found.at(len(found) if at is None else at)
    return api.position(name or "woods", game=asked.get("game"), **facts)
