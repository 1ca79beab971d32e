"""Names of sheets in questions: each is replaced by the key of its game, which is then in use."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from fireplan import sheets
from fireplan.errors import REMOTE
from fireplan.questions.refusing import refusing


def with_sheets(
    value: Any, kind: str | None = None, met: dict[str, sheets.SheetGame] | None = None
) -> Any:
    """Return a question's value with the names of sheets replaced by the keys of their games.

    The value is a text, a list of texts, or a mapping by name; anything else is returned unchanged,
    as are texts from another machine. The sheets are added to ``met`` by key. ``kind`` is the kind
    of name that the text is: for a position, a sheet by itself stands for its first scenario; an
    engagement or a playthrough is returned unchanged. Raises ``InputError`` listing every fault of
    the sheets.
    """
    met = {} if met is None else met
    if REMOTE.get():
        return value
    if isinstance(value, Mapping):
        return {with_sheets(name, None, met): entry for name, entry in value.items()}
    if isinstance(value, tuple):
        return tuple(with_sheets(text, kind, met) for text in value)
    if isinstance(value, Path) and kind is not None:
        value = str(value)
    if not isinstance(value, str):
        return value
    if kind in {"engagement", "playthrough"}:
        return value
    with refusing():
        key = sheets.named(value, met)
    return met[key].first_scenario if kind == "position" and key != value and key in met else key
