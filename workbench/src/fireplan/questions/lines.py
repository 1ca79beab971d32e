"""The notation of position lines: the part that distinguishes a line from a name."""

import re

MARK = "fp1 "
"""The beginning of a position line."""
_LINE = re.compile(r"\s*fp\d|.*[{}>|]", re.IGNORECASE | re.DOTALL)


def is_line(name: str) -> bool:
    """Return whether text is a position line, with or without its mark, rather than a name."""
    return name.startswith(MARK) or bool(_LINE.match(name) and not name.endswith(".toml"))
