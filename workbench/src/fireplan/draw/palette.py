"""The palette: the colours of every picture and page, in light and dark, and the looks of games.

A picture is drawn for light paper; its style sheet replaces each colour in dark mode. Programs that
ignore the style sheet draw it light.
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
"""Five even steps of cividis (Nunez, Anderton, Renslow 2018), the last for the likeliest."""
RAMP_FROM = (Fraction(0), Fraction(1, 100), Fraction(5, 100), Fraction(20, 100), Fraction(50, 100))
"""Minimum chance of each step, the same on every sheet so that sheets can be compared."""
SERIES = (*(colour for name, colour in _LIGHT.items() if name.startswith("series-")), BLACK)
"""The colours of Okabe and Ito that remain visible as thin lines on white, then black."""
DARK = {row["light"]: row["dark"] for row in _ROWS if row["used"] != "page"}
"""The dark counterpart of each colour of a picture."""
PAGE, PAGE_DARK = (
    {row["name"]: row[how] for row in _ROWS if row["used"] != "picture"}
    for how in ("light", "dark")
)
"""The colours of a page by their use, in light and in dark."""
_START = 190
"""The initial value of the checksum of a key; chosen so that the shipped games differ in look."""


@attrs.frozen
class Look:
    """The look of a game in every picture: colour, dash and marker together."""

    colour: str
    dash: str
    marker: str


def look(index: int) -> Look:
    """Return the look with this index; the first eight differ in colour, dash and marker."""
    turn, place = divmod(index, len(SERIES))
    shifted = (place + turn) % len(_LOOKS)
    return Look(SERIES[place], _LOOKS[shifted]["dash"], _LOOKS[shifted]["marker"])


def looks_of(keys: Iterable[str]) -> dict[str, int]:
    """Map each key to the index of its look: its own, or the next free one if that is taken.

    Black is no key's own colour, because marks and frames are black.
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
    """Return black or white, whichever contrasts more with this colour of the palette."""
    return next(row["ink"] for row in _ROWS if row["light"] == colour)


def shade(share: Fraction) -> str:
    """Return the colour of the ramp for a probability."""
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
"""The style sheet that gives a picture its dark colours when the reader uses dark mode."""


def page_style() -> str:
    """Return the colours of a page as CSS."""
    light, dark = (
        ":root{" + "".join(f"--{use}: {colour};" for use, colour in colours.items()) + "}"
        for colours in (PAGE, PAGE_DARK)
    )
    return f"{light}\n@media screen and (prefers-color-scheme: dark){{{dark}}}\n"
