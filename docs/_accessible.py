"""Add what the theme's pages lack for screen readers: heading levels, landmark names, keyboard focus."""

from __future__ import annotations

import re
from pathlib import Path

_REPLACED = (
    (re.compile(r'(<p class="caption" role="heading")>'), r'\1 aria-level="2">'),
    (re.compile(r'<aside class="sidebar-drawer">'), '<aside class="sidebar-drawer" aria-label="All pages">'),
    (re.compile(r'<aside class="(toc-drawer[^"]*)">'), r'<aside class="\1" aria-label="On this page">'),
    # A block that is wider than the page gets the focus, so that the arrow keys can scroll it.
    (re.compile(r"<pre>"), '<pre tabindex="0">'),
    (re.compile(r'<div class="(table-wrapper[^"]*)">'), r'<div class="\1" tabindex="0">'),
    (re.compile(r'<th class="head[^"]*">(?:<p></p>)?</th>'), "<td></td>"),
    # The parameters of a signature become plain lines, because a description list needs terms.
    (re.compile(r"<dl>(?=\s*<dd><em class=\"sig-param\">)(.*?)</dl>", re.DOTALL), r'<span class="sig-lines">\1</span>'),
    (re.compile(r"<dd>(<em class=\"sig-param\">.*?)</dd>", re.DOTALL),
     r'<span style="display: block; padding-left: 2rem">\1</span>'),
)  # fmt: skip


def mend(page: str) -> str:
    """Return a page of the documentation with the missing accessibility features added."""
    for wrong, right in _REPLACED:
        page = wrong.sub(right, page)
    return page


def mend_all(folder: Path) -> None:
    """Repair every page in a folder that has been built."""
    for file in folder.rglob("*.html"):
        page = file.read_text(encoding="utf-8")
        if (mended := mend(page)) != page:
            file.write_text(mended, encoding="utf-8")
