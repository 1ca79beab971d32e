"""The notation of position lines, as far as it tells a line from a name."""

import re

MARK = "fp1 "
"""The beginning of a position line."""
_LINE = re.compile(r"\s*fp\d|.*[{}>|]", re.IGNORECASE | re.DOTALL)


def is_line(name: str) -> bool:
    """Return whether a name is a position line, with or without its mark; then it is not a file."""
    return name.startswith(MARK) or bool(_LINE.match(name) and not name.endswith(".toml"))
