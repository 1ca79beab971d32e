"""What tests of journals and strangers' files share."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

import pytest

from fireplan.cli import main


@pytest.fixture(scope="session")
def journal_bytes(tmp_path_factory):
    """Return the bytes of a journal that is complete and consistent with the rules."""
    journal = tmp_path_factory.mktemp("recorded") / "game.fireplan"
    with pytest.MonkeyPatch.context() as patched, redirect_stdout(io.StringIO()):
        patched.setattr("sys.stdin", io.StringIO("call\n\nquit\n"))
        assert main(["play", "asl/village", "--journal", str(journal), "--seed", "1"]) == 0
    return journal.read_bytes()
