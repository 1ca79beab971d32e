"""Refusals of questions: errors from files, games and journals become faults in the input."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from fireplan.errors import InputError, JournalError, refuse
from fireplan.positions import Source
from fireplan.strategies import StrategyError, unfit
from fireplan_core import Scenario


@contextmanager
def following(scenario: Scenario, source: Callable[[], Source]) -> Iterator[None]:
    """Raise ``InputError`` for orders that cannot be followed, with the position where they fail.

    Orders that their question never offered are refused after the block. ``source`` returns the
    origin of the table; it is called only if the orders fail.
    """
    try:
        yield
    except StrategyError as error:
        faults = [f"The orders cannot be followed: {error}."]
        if error.state is not None:
            from fireplan.positions import Position

            failing = Position.of(source(), scenario, error.state)
            faults.append(f"They fail in the position {failing}")
        raise InputError(*faults) from error
    refuse(unfit(scenario))


@contextmanager
def refusing(doing: str = "answered", staging: str = "This cannot be staged") -> Iterator[None]:
    """Turn errors from files, games and journals into ``InputError``.

    ``doing`` completes the sentence "This cannot be ..."; ``staging`` begins the sentence about a
    table that cannot be staged.
    """
    try:
        yield
    except Exception as error:
        if faults := _faults_of(error, doing, staging):
            raise InputError(*faults) from error
        raise


def _faults_of(error: Exception, doing: str, staging: str) -> tuple[str, ...]:
    """Return the faults of an error that refuses an input, or an empty tuple for other errors."""
    from fireplan_core import CannotStageError, ProcedureError
    from fireplan_core.chance import ChanceError
    from fireplan_core.files import FileError, describe

    if isinstance(error, StrategyError):
        moment = error.state and error.scenario.clock.name(error.state.moment)
        return (f"The orders cannot be followed: {error}{f' ({moment})' if moment else ''}.",)
    if isinstance(error, FileError):
        return tuple(describe([fault]) for fault in error.faults)
    if isinstance(error, CannotStageError):
        return (f"{staging}: " + "; ".join(error.reasons),)
    if isinstance(error, JournalError):
        return (str(error),)
    why = "; ".join([str(error), *getattr(error, "__notes__", ())])
    return (
        (f"This cannot be {doing}: {why}.",)
        if isinstance(error, ProcedureError | ChanceError)
        else ()
    )
