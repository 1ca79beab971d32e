"""The short form of an answer: Markdown, BBCode or plain text to paste, or part of its link.

The figures in a link are shown before anything is worked out, so they are untrusted data.
"""

import base64
import json
import zlib
from collections.abc import Iterable, Sequence
from typing import Any

import attrs

from fireplan.questions.result import Block, Grid, Listing, Text, as_markdown
from fireplan_core.files import printable
from fireplan_studio.limits import LIMITS

LINK = "{link}"
"""Stands for the link in a copy; the page's script puts the whole URL there."""
FIGURES = "figures"
"""The parameter of a link that carries its figures."""
_MOST_CARRIED = 100_000
"""Maximum number of bytes of the figures in a link."""
_ROOM = 400
"""Number of characters of a link that are reserved for the URL of the site."""


@attrs.frozen
class ShortAnswer:
    """The short form of an answer: the question, its figures in blocks, and the versions used."""

    title: str
    blocks: tuple[Block, ...]
    versions: tuple[str, ...] = ()
    exact: tuple[tuple[str, ...], ...] = ()
    """For each row of the table, the exact value of each cell after the first, or ""."""

    @property
    def copies(self) -> dict[str, str]:
        """Return the answer as text to paste, by the name of the format.

        The texts contain ``LINK`` where the link belongs.
        """
        made = f"Worked out by {', '.join(self.versions)}" if self.versions else "Worked out"
        plain_text = "\n\n".join(map(_text, self.blocks))
        markdown = as_markdown([Text(self.title, "bold"), *self.blocks, Text(f"{made}:")])
        code = plain_text.replace("[", "(").replace("]", ")")
        title = self.title.replace("[", "(").replace("]", ")")
        return {
            "Markdown": f"{markdown.strip()} [link]({LINK})\n",
            "BBCode": f"[b]{title}[/b]\n[code]\n{code}\n[/code]\n{made}: [url]{LINK}[/url]\n",
            "text": f"{self.title}\n\n{plain_text}\n\n{made}: {LINK}\n",
        }

    def carried_by(self, link: str) -> str:
        """Return the link with these figures added, if necessary without their exact values.

        The link is returned unchanged if the figures do not fit in a URL or the link carries a
        sheet.
        """
        grid = next((each for each in self.blocks if isinstance(each, Grid)), None)
        if grid is None or "#" in link:
            return link
        printed = [self.title, [grid.columns, *grid.rows]]
        links = (
            f"{link}{'&' if '?' in link else '?'}{FIGURES}={_packed(data)}"
            for data in ([*printed, self.exact], printed)
        )
        room = LIMITS["address_characters"].most - _ROOM
        return next((whole for whole in links if len(whole) <= room), link)


@attrs.frozen
class Carried:
    """The figures in a link: untrusted data that were not computed here."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    exact: tuple[tuple[str, ...], ...] = ()


def carried(query: str) -> Carried | None:
    """Return the figures in the parameters of a link, or None if none can be read."""
    packed = next((each for each in query.split("&") if each.startswith(f"{FIGURES}=")), "")
    try:
        title, (columns, *rows), *exact = json.loads(
            inflated(packed.removeprefix(f"{FIGURES}="), _MOST_CARRIED)
        )
        figures = Carried(
            str(title), _cells(columns), tuple(map(_cells, rows)), tuple(map(_cells, *exact))
        )
    except (ValueError, TypeError, RecursionError):
        return None
    return figures if all(len(row) == len(figures.columns) for row in figures.rows) else None


def _cells(row: Any) -> tuple[str, ...]:
    if not isinstance(row, list) or not all(isinstance(cell, str) for cell in row):
        raise TypeError(row)
    return tuple(row)


def without_figures(query: str) -> str:
    """Return the parameters of a link without its figures."""
    return "&".join(each for each in query.split("&") if not each.startswith(f"{FIGURES}="))


def short(
    title: str,
    heads: Sequence[str],
    rows: Iterable[Sequence[str]],
    made: Iterable[str] = (),
    exact: Iterable[Sequence[str]] = (),
    unmoved: Iterable[str] = (),
) -> ShortAnswer:
    """Return a short answer of one table, with its headings and rows.

    ``made`` holds the versions of the games, and the hash of the figures, that a link carries.
    ``exact`` holds, for each row, the exact values of the cells after the first. ``unmoved`` has a
    sentence for each game in which changed facts have no effect, with the reason.
    """
    versions = tuple(mark for mark in made if not mark.startswith("figures-"))
    grid = Grid(tuple(heads), tuple(tuple(map(str, row)) for row in rows))
    listing = Listing("Changes nothing", tuple(unmoved))
    blocks = (grid, listing) if listing.lines else (grid,)
    return ShortAnswer(title, blocks, versions, tuple(map(tuple, exact)))


def _packed(data: Any) -> str:
    """Return data as text for a URL: JSON, deflated, base64."""
    return deflated(json.dumps(data, separators=(",", ":"), ensure_ascii=False))


def deflated(text: str) -> str:
    """Return a text compressed for a URL: raw deflate, in URL-safe base64 without padding."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    packed = packer.compress(text.encode()) + packer.flush()
    return base64.urlsafe_b64encode(packed).decode().rstrip("=")


def inflated(packed: str, most: int) -> str:
    """Return the text that ``deflated`` packed.

    Raise ``ValueError`` if it is not such a text, is truncated, or unpacks to over ``most`` bytes.
    """
    unpacker = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        content = base64.b64decode(packed + "=" * (-len(packed) % 4), b"-_", validate=True)
        text = unpacker.decompress(content, most + 1)
        if len(text) <= most and unpacker.eof:
            return text.decode()
    except (zlib.error, ValueError):
        raise ValueError("it was not packed by fireplan") from None
    raise ValueError(f"longer than {most:,} bytes, or cut off")


def _text(block: Block) -> str:
    if isinstance(block, Text):
        return block.text
    if isinstance(block, Listing):
        return "\n".join([f"{block.heading}:", *(f"  {line}" for line in block.lines)])
    lines = [[cell.replace("\n", ", ") for cell in row] for row in (block.columns, *block.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    padded = (
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
    return "\n".join(printable(line, 2 * sum(widths) + 1) for line in padded)
