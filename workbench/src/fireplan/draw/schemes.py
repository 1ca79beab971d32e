"""Light and dark: a picture is drawn for light paper, and its colours are exchanged one by one for dark.

A picture that follows its reader holds the rules of ``DARK_RULES``; programs that know no such rules draw it light.
"""

from __future__ import annotations

import re
from typing import Literal

from fireplan.draw.palette import DARK, PAGE, PAGE_DARK

Scheme = Literal["auto", "light", "dark"]
_COLOUR = re.compile(r'(?<==")#[0-9a-f]{6}(?=")')


_EXCHANGED = (f'[{use}="{light}"]{{{use}:{dark}}}' for light, dark in DARK.items() for use in ("fill", "stroke"))
DARK_RULES = f"@media screen and (prefers-color-scheme: dark){{{''.join(_EXCHANGED)}}}"
"""The style sheet inside a picture that follows its reader."""


def in_scheme(drawing: str, scheme: Scheme) -> str:
    """Return an SVG drawn for light paper in a scheme: as it is, dark, or as its reader likes it (``auto``)."""
    if scheme == "light":
        return drawing
    if scheme == "dark":
        return _COLOUR.sub(lambda found: DARK.get(found[0], found[0]), drawing)
    inside = drawing.index(">", drawing.index("<svg")) + 1
    return f"{drawing[:inside]}<style>{DARK_RULES}</style>{drawing[inside:]}"


def page_style() -> str:
    """Return the colours of a page as CSS."""
    light, dark = (
        ":root{" + "".join(f"--{use}: {colour};" for use, colour in colours.items()) + "}"
        for colours in (PAGE, PAGE_DARK)
    )
    return f"{light}\n@media screen and (prefers-color-scheme: dark){{{dark}}}\n"
