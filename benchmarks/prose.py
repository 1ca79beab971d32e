"""Count the words of the documentation that are written by hand, page by page.

    python benchmarks/prose.py [--most 40000]

It counts the pages below ``docs`` and the texts of its notebooks. Generated texts between marks,
code blocks, comments, figures and link targets do not count. Ends with status 1 if there are more
than ``--most``.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

DOCS = Path(__file__).resolve().parents[1] / "docs"
NOT_PROSE = re.compile(
    r"<!-- generated: .*?<!-- end -->|<!--.*?-->|^(`{3,}).*?^\1`*$|(?<=\])\([^)\s]*\)",
    re.DOTALL | re.MULTILINE,
)
"""Match what is not prose: generated texts, comments, code blocks, and link targets."""
WORD = re.compile(r"[^\W\d_]")


def pages() -> Iterator[tuple[str, str]]:
    """Yield every page and notebook: its path below ``docs`` and its Markdown."""
    for page in _typed("*.md"):
        yield str(page.relative_to(DOCS)), page.read_text(encoding="utf-8")
    for notebook in _typed("*.ipynb"):
        cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
        texts = ("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
        yield str(notebook.relative_to(DOCS)), "\n".join(texts)


def _typed(pattern: str) -> list[Path]:
    """Return the files below ``docs`` that match a pattern and were not built."""
    written = {"_build", "_generated"}
    return [file for file in sorted(DOCS.rglob(pattern)) if not written & set(file.parts)]


def words(markdown: str) -> int:
    """Return the number of words in a page that were written by hand.

    >>> words("# Odds\\n\\nSee [the table](odds.md).\\n\\n```text\\n1 2 3\\n```\\n")
    4
    """
    return sum(bool(WORD.search(word)) for word in NOT_PROSE.sub(" ", markdown).split())


def main() -> int:
    """Print the words of every page, the longest last, and their sum."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--most", type=int)
    most = parser.parse_args().most
    counted = {name: words(text) for name, text in pages()}
    for name, count in sorted(counted.items(), key=lambda item: item[1]):
        print(f"{count:7,} {name}")
    total = sum(counted.values())
    print(f"{total:7,} by hand in {len(counted)} pages")
    return int(most is not None and total > most)


if __name__ == "__main__":
    sys.exit(main())
