"""Lettering: numbers for readers, and the width of text, so that lines fit into their space."""

from fractions import Fraction

TIMES, TO = "\N{MULTIPLICATION SIGN}", "\N{EN DASH}"

# Advance widths in ems, measured in DejaVu Sans. It is the widest of the usual sans-serif faces, so
# text that fits in it also fits in Helvetica, Arial or Liberation Sans.
_ADVANCE = (
    dict.fromkeys("ijlI'", 0.29)
    | dict.fromkeys(" .,·:;|/", 0.34)
    | dict.fromkeys("ftr!()[]-", 0.40)
    | dict.fromkeys("s“”\u2013Jcz", 0.55)
    | dict.fromkeys("wOQ\u00d7±<>", 0.84)
    | dict.fromkeys("mM%W@—…", 1.0)
)
_SMALL, _CAPITAL, _FULL = 0.63, 0.73, 1.0
_FULL_WIDTH_FROM = "\u2e80"


def amount(value: Fraction | float) -> str:
    """Return a count or measure for readers: 270, 1,609, 7.5."""
    whole = round(value)
    return f"{whole:,}" if whole == value else f"{float(value):,.1f}"


def whole_percent(share: Fraction) -> str:
    """Return a probability as a whole percentage; 0% and 100% only for impossible and certain."""
    whole = round(share * 100)
    if whole == 0 and share > 0:
        return "<1%"
    if whole >= 100 and share < 1:  # noqa: PLR2004 - a hundred percent
        return ">99%"
    return f"{whole}%"


def clean(text: str) -> str:
    """Return the text on one line, with single spaces."""
    return " ".join(text.split())


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Return an upper bound of the width of a line of text, in pixels."""
    ems = sum(
        _ADVANCE.get(c, _FULL if c >= _FULL_WIDTH_FROM else _CAPITAL if c.isupper() else _SMALL)
        for c in text
    )
    return ems * size * (1.1 if bold else 1.0)


def shorten(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """Return the text, cut with an ellipsis if it is wider than ``room`` pixels."""
    if width(text, size, bold=bold) <= room:
        return text
    while text and width(text + "…", size, bold=bold) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def wrap(text: str, size: float, room: float, most: int, *, bold: bool = False) -> list[str]:
    """Return the text in at most ``most`` lines, none wider than ``room`` pixels.

    If it does not fit, the last line ends in an ellipsis.
    """
    lines: list[str] = []
    words = text.split()
    while words:
        if len(lines) == most - 1:
            lines.append(shorten(" ".join(words), size, room, bold=bold))
            break
        taken = 1
        while taken < len(words) and width(" ".join(words[: taken + 1]), size, bold=bold) <= room:
            taken += 1
        lines.append(shorten(" ".join(words[:taken]), size, room, bold=bold))
        words = words[taken:]
    return lines
