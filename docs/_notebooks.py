"""Run the notebooks and store their outputs: ``python docs/_notebooks.py``.

With ``--check`` nothing is written, and the status is 1 if a notebook's outputs differ from what
its code gives now. Pages need no kernel, because they show the outputs stored in the notebook.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent / "notebooks"


def notebooks() -> list[Path]:
    """Return the paths of all notebooks."""
    return sorted(HERE.glob("*.ipynb"))


def run_anew(text: str) -> str:
    """Return a notebook with every cell run in a fresh kernel and folder."""
    from tempfile import TemporaryDirectory

    import nbformat
    from nbclient import NotebookClient

    book = nbformat.reads(text, as_version=4)
    with TemporaryDirectory() as folder:
        settings = {"timeout": None, "record_timing": False, "coalesce_streams": True}
        resources = {"metadata": {"path": folder}}
        NotebookClient(book, **settings, resources=resources).execute()
    book.metadata = {"kernelspec": book.metadata["kernelspec"], "language_info": {"name": "python"}}
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def page(text: str) -> str:
    """Return a notebook as Markdown: its text, its code, and the code's output."""
    return "\n".join(piece for cell in json.loads(text)["cells"] for piece in _pieces(cell)) + "\n"


def _pieces(cell: dict[str, Any]) -> Iterator[str]:
    source = _joined(cell["source"])
    if cell["cell_type"] == "markdown":
        yield f"{source}\n"
        return
    yield f"```python\n{source}\n```\n"
    for output in cell["outputs"]:
        data = output.get("data", {})
        if "text/html" in data:
            shown = _joined(data["text/html"]).replace("<table>", '<table class="docutils">')
            yield f'````{{raw}} html\n<div class="table-wrapper">{shown}</div>\n````\n'
        else:
            yield f"```text\n{_joined(output.get('text') or data['text/plain']).rstrip()}\n```\n"


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


def main() -> int:
    """Run all notebooks, or those named, and write their outputs.

    With ``--check``, write nothing and report which differ.
    """
    named = [Path(name) for name in sys.argv[1:] if name != "--check"]
    stale = []
    for file in named or notebooks():
        before = file.read_text(encoding="utf-8")
        after = run_anew(before)
        if after != before:
            stale.append(file.name)
            if "--check" not in sys.argv[1:]:
                file.write_text(after, encoding="utf-8")
    if "--check" not in sys.argv[1:]:
        return 0
    stale_ones = f"run python docs/_notebooks.py: {', '.join(stale)}"
    sys.stdout.write(f"{stale_ones if stale else 'as the code gives them now'}\n")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
