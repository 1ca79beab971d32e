"""Names from files as plain words."""

import re

_JOINED = re.compile(r"_|(?<=[a-z])\.(?=\d)")
"""Matches the marks that join the words of a name in a file."""


def plain(text: str) -> str:
    """Return a name from a file as plain words, without the marks that join them."""
    return _JOINED.sub(" ", text)


def side_name(side: str) -> str:
    """Return the name of a side as a player writes it: ``German`` for ``german``, ``US``."""
    name = plain(side)
    return name[:1].upper() + name[1:]
