"""Commands typed in an empty folder."""

import pytest


@pytest.fixture
def sit(printed, monkeypatch, tmp_path):
    """Return a function that runs a command in an empty folder and returns its status and all
    output.
    """
    monkeypatch.chdir(tmp_path)
    return printed
