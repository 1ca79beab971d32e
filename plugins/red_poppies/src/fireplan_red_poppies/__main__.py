"""From a game played to its end to the file of the next scenario: ``python -m fireplan_red_poppies JOURNAL``.

Prints the counter-attack scenario that follows an attack scenario (11.2, 11.32) as a file to be played: units and wire
as they lie, and with ``--keeps SIDE`` the calls of the defender with the delay that has elapsed. Without ``--keeps``
nobody's calls carry over, as after a counter-attack (11.33). The journal is not changed.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from fireplan.table import HeadError, JournalError, reopen
from fireplan_core import CannotStageError
from fireplan_core.files import FileError
from fireplan_core.play import Catalogue, load_scenario
from fireplan_red_poppies._campaign import COUNTER_ATTACK_TURNS, following
from fireplan_red_poppies._scenario import RedPoppiesScenario


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the scenario that follows; exit status 2, with every fault, when that cannot be done."""
    parser = argparse.ArgumentParser(prog="python -m fireplan_red_poppies", description=__doc__)
    parser.add_argument("journal", type=Path, help="the journal of the scenario before")
    parser.add_argument("--keeps", metavar="SIDE", help="the defender, whose calls carry over (11.2)")
    parser.add_argument("--turns", type=int, default=COUNTER_ATTACK_TURNS, help="how many turns follow (11.31)")
    given = parser.parse_args(arguments)
    try:
        sys.stdout.write(written(next_scenario(given.journal, given.keeps, given.turns)))
    except (JournalError, HeadError, FileError, CannotStageError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def next_scenario(journal: Path, keeps: str | None, turns: int = COUNTER_ATTACK_TURNS) -> RedPoppiesScenario:
    """The scenario after the one in a journal. ValueError when that is not played out, or no scenario of this game."""
    catalogue = Catalogue.installed()
    session, head = reopen(journal, catalogue, read_only=True)
    if session.table.waits_for is not None:
        raise ValueError(f"{journal}: the game is not played out; carry-over comes at its end (11.2)")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "before.toml"
        file.write_text(head.text, encoding="utf-8")
        _, form = load_scenario(catalogue, file, head.options)
    if not isinstance(form, RedPoppiesScenario):
        raise ValueError(f"{journal}: this is no scenario of this game")  # noqa: TRY004 - it is the file that is wrong
    names = [side.name for side in form.side]
    if keeps is not None and keeps not in names:
        raise ValueError(f"--keeps: there is no side {keeps}; expected one of {', '.join(names)}")
    return following(form, session.scenario, session.table.read, keeps=keeps, moments=turns)


def written(form: RedPoppiesScenario) -> str:
    """A scenario as the text of its file, without what is as by default."""
    plain, tables = [], []
    for name, value in _changed(form):
        if attrs.has(type(value)):
            tables.append((f"[{name}]", value))
        elif isinstance(value, tuple) and value and attrs.has(type(value[0])):
            tables += [(f"[[{name}]]", entry) for entry in value]
        elif isinstance(value, Mapping):
            if value:
                tables.append((f"[{name}]", value))
        else:
            plain.append(f"{name} = {_value(value)}")
    rows = ["\n".join(plain)]
    for heading, entry in tables:
        pairs = entry.items() if isinstance(entry, Mapping) else _changed(entry)
        rows.append("\n".join([heading, *(f"{name} = {_value(value)}" for name, value in pairs)]))
    return "\n\n".join(rows) + "\n"


def _changed(entry: Any) -> Iterator[tuple[str, Any]]:
    for field in attrs.fields(type(entry)):
        value = getattr(entry, field.name)
        default = field.default.factory() if isinstance(field.default, attrs.Factory) else field.default  # type: ignore[arg-type]
        if value is not None and value != default:
            yield field.name, value


def _value(value: Any) -> str:
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, tuple):
        return f"[{', '.join(_value(entry) for entry in value)}]"
    return value.isoformat() if isinstance(value, dt.date) else str(value).lower()


if __name__ == "__main__":
    sys.exit(main())
