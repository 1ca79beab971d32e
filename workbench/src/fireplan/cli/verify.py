"""``fireplan verify``: sealed records checked against what they were said to be."""

from __future__ import annotations

from pathlib import Path

from fireplan import api, table
from fireplan.api import InputError, gathered, refuse, unread
from fireplan.cli import _core as core
from fireplan.cli._app import DiffersError
from fireplan.cli._print import say_line


def verify(before: Path, after: Path, /) -> None:
    """Check that what was sealed in an earlier export matches its seal in a later one.

    :param before: An export made before the records were opened, of any side.
    :param after: An export made afterwards.
    """
    faults: list[str] = []
    earlier, later = (gathered(faults, _lines, path) for path in (before, after))
    refuse(faults)
    sealed = table.commitments(earlier)
    if not sealed:
        raise InputError(f"{before}: tells of no sealed record")
    if wrong := table.verify(earlier, later):
        raise DiffersError("\n".join(wrong))
    say_line(f"{sealed} sealed records are laid open unchanged")


def _lines(path: Path) -> list[str]:
    try:
        data = core.read_ordinary(path, api.MOST_TEXT)
        if len(data) > api.MOST_TEXT:
            raise InputError(f"{path}: larger than {api.MOST_TEXT // 1_000_000} MB, which no export is")
        return data.decode("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {unread(error)}") from error
