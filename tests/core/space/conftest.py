"""Layouts of real maps; the core has no copies of them."""

import pytest

from fireplan_core.space import Layout, lettered_columns, numbered_columns


@pytest.fixture(scope="session")
def board():
    """Return an ASL geomorphic board: A to GG, half-hexes numbered 0 and 10 in every second column."""
    return Layout(lettered_columns(33, doubled=True), even_rows=(1, 10), odd_rows=(0, 10))


@pytest.fixture(scope="session")
def trenches():
    """Return a Red Poppies map: two-digit rows, with columns B, D, .. half a hex lower."""
    return Layout(lettered_columns(48), even_rows=(1, 34), odd_rows=(1, 34), digits=2)


@pytest.fixture(scope="session")
def wrapped():
    """Return the map of that series where columns AK to AZ are west of A."""
    names = lettered_columns(52)
    return Layout(
        names[36:] + names[:26], even_rows=(1, 34), odd_rows=(1, 34), digits=2, first_q=-16
    )


@pytest.fixture(scope="session")
def numeric():
    """Return a map labelled ccrr with columns 01 to 60, the even ones half a hex higher."""
    return Layout(numbered_columns(1, 60), even_rows=(1, 33), odd_rows=(1, 33), digits=2, first_q=1)
