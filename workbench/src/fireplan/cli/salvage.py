"""``fireplan salvage``: what is sound of a broken journal."""

from __future__ import annotations

from pathlib import Path

from fireplan import table
from fireplan.api import refusing
from fireplan.cli._open import no_folder
from fireplan.cli._print import say_line


def salvage(journal: Path, into: Path, /) -> None:
    """Save the sound inputs of a broken journal into a new one.

    :param journal: The broken journal; it is not touched.
    :param into: The new journal.
    """
    no_folder(journal)
    with refusing():
        saved, wrong = table.Journal.salvage(journal, into)
    kept = len(saved.rows)
    saved.close()
    say_line(f"{into}: {kept} inputs saved{f' ({wrong})' if wrong else '; nothing was wrong'}")
