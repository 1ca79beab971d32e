"""Light and dark: a picture is drawn for light paper, and its colours are exchanged one by one for dark.

A picture that follows its reader holds the rules of ``DARK_RULES``; programs that know no such rules draw it light.
"""

from fireplan.draw.palette import DARK, PAGE, PAGE_DARK

_EXCHANGED = (f'[{use}="{light}"]{{{use}:{dark}}}' for light, dark in DARK.items() for use in ("fill", "stroke"))
DARK_RULES = f"@media screen and (prefers-color-scheme: dark){{{''.join(_EXCHANGED)}}}"
"""The style sheet inside a picture that follows its reader."""


def page_style() -> str:
    """Return the colours of a page as CSS."""
    light, dark = (
        ":root{" + "".join(f"--{use}: {colour};" for use, colour in colours.items()) + "}"
        for colours in (PAGE, PAGE_DARK)
    )
    return f"{light}\n@media screen and (prefers-color-scheme: dark){{{dark}}}\n"
