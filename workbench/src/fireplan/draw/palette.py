"""The palette: every colour of every picture and page, in light and in dark, and how games are told apart.

A picture is drawn for light paper, and its colours are exchanged one by one for dark; programs that
know no such rules draw it light.
"""

import itertools
import zlib
from collections.abc import Iterable
from fractions import Fraction
from importlib.resources import files

import attrs

from fireplan_core.chance import read_csv

_ROWS = read_csv(files("fireplan.draw") / "palette.csv")
_LIGHT = {row["name"]: row["light"] for row in _ROWS}
_LOOKS = read_csv(files("fireplan.draw") / "looks.csv")

INK, SOFT, LINE, GRID = (_LIGHT[name] for name in ("ink", "soft", "line", "grid"))
PAPER, PLATE, BLANK, BLACK = (_LIGHT[name] for name in ("paper", "plate", "blank", "black"))
UNSEEN, TERRAIN = _LIGHT["unseen"], _LIGHT["terrain"]
RAMP = tuple(colour for name, colour in _LIGHT.items() if name.startswith("ramp-"))
"""Five even steps of cividis (Nunez, Anderton, Renslow 2018): the likelier, the farther from the paper's own colour."""
RAMP_FROM = (Fraction(0), Fraction(1, 100), Fraction(5, 100), Fraction(20, 100), Fraction(50, 100))
"""The least chance of each step.

The same on every sheet, so that two sheets can be laid side by side.
"""
SERIES = (*(colour for name, colour in _LIGHT.items() if name.startswith("series-")), BLACK)
"""Okabe and Ito's colours that are strong enough for thin lines on white; then black."""
DARK = {row["light"]: row["dark"] for row in _ROWS if row["used"] != "page"}
"""Say what each colour of a picture becomes on dark paper."""
PAGE, PAGE_DARK = (
    {row["name"]: row[how] for row in _ROWS if row["used"] != "picture"}
    for how in ("light", "dark")
)
"""The colours of a page by their use."""
_START = 5
"""Of the checksum that gives a key its look; chosen so that few games meet."""


@attrs.frozen
class Look:
    """Say how a game is told apart in every picture: colour, dash and marker together."""

    colour: str
    dash: str
    marker: str


def look(index: int) -> Look:
    """Return the look of that number; all three marks differ within the first five."""
    turn, place = divmod(index, len(SERIES))
    shifted = (place + turn) % len(_LOOKS)
    return Look(SERIES[place], _LOOKS[shifted]["dash"], _LOOKS[shifted]["marker"])


def looks_of(keys: Iterable[str]) -> dict[str, int]:
    """Return the number of each key's look: its own, or the next that is free where an earlier key has the same.

    Black is nobody's own: it is the colour of marks and frames.
    """
    taken: dict[str, int] = {}
    coloured = len(SERIES) - 1
    for key in dict.fromkeys(keys):
        own = zlib.crc32(key.encode(errors="replace"), _START)
        nearby = ((own + step) % coloured for step in range(coloured))
        taken[key] = next(
            n for n in itertools.chain(nearby, itertools.count(coloured)) if n not in taken.values()
        )
    return taken


def ink_on(colour: str) -> str:
    """Return black or white, whichever contrasts more with a ground of one of these colours."""
    return next(row["ink"] for row in _ROWS if row["light"] == colour)


def shade(share: Fraction) -> str:
    """Return the ramp's colour for a probability."""
    return next(
        colour
        for colour, start in zip(reversed(RAMP), reversed(RAMP_FROM), strict=True)
        if share >= start
    )


_EXCHANGED = (
    f'[{use}="{light}"]{{{use}:{dark}}}'
    for light, dark in DARK.items()
    for use in ("fill", "stroke")
)
DARK_RULES = f"@media screen and (prefers-color-scheme: dark){{{''.join(_EXCHANGED)}}}"
"""The style sheet inside a picture that follows its reader."""


def page_style() -> str:
    """Return the colours of a page as CSS."""
    light, dark = (
        ":root{" + "".join(f"--{use}: {colour};" for use, colour in colours.items()) + "}"
        for colours in (PAGE, PAGE_DARK)
    )
    return f"{light}\n@media screen and (prefers-color-scheme: dark){{{dark}}}\n"
