"""A worker's error reaches the process that asked exactly as it was raised, with its message and
its data.
"""

from __future__ import annotations

import pickle

import pytest

from fireplan.errors import InputError
from fireplan.solver import TooLargeError
from fireplan_core import CannotStageError
from fireplan_core.files import FileError
from fireplan_core.space import CoordinateError


@pytest.mark.parametrize(
    "error",
    [
        InputError("no such order", "no such side"),
        CannotStageError(["no rockets", "no night"]),
        CoordinateError("Z99", "no such hex", "Z9"),
        TooLargeError("more than 10 states", moments=4),
        FileError.of("must be a number", "write 4"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_error_comes_back_from_a_worker_as_it_was(error):
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert type(again) is type(error)
    assert str(again) == str(error) != ""
    assert vars(again) == vars(error) != {}
