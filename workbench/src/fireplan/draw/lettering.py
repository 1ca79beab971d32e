"""Type: figures as readers want them, and how wide lines are, so that nothing runs out of its room."""

from fractions import Fraction

TIMES, TO = "\N{MULTIPLICATION SIGN}", "\N{EN DASH}"

# Advance widths in ems. They are DejaVu Sans', the widest of the usual sans-serif faces, so that
# what fits here fits in Helvetica, Arial or Liberation Sans as well.
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


def percent(share: Fraction) -> str:
    """Return a probability in whole percent; neither a chance nor a doubt is ever rounded away."""
    whole = round(share * 100)
    if whole == 0 and share > 0:
        return "<1%"
    if whole >= 100 and share < 1:  # noqa: PLR2004 - a hundred percent
        return ">99%"
    return f"{whole}%"


def clean(text: str) -> str:
    """Return text on one line."""
    return " ".join(text.split())


def width(text: str, size: float, *, bold: bool = False) -> float:
    """Return how many pixels wide a line of type is at most."""
    ems = sum(
        _ADVANCE.get(c, _FULL if c >= _FULL_WIDTH_FROM else _CAPITAL if c.isupper() else _SMALL)
        for c in text
    )
    return ems * size * (1.1 if bold else 1.0)


def shorten(text: str, size: float, room: float, *, bold: bool = False) -> str:
    """Return the text, cut with an ellipsis if it is wider than the room."""
    if width(text, size, bold=bold) <= room:
        return text
    while text and width(text + "…", size, bold=bold) > room:
        text = text[:-1]
    return text.rstrip() + "…"


def wrap(text: str, size: float, room: float, most: int, *, bold: bool = False) -> list[str]:
    """Return the text in lines no wider than the room, at most so many.

    What does not fit ends in an ellipsis.
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
