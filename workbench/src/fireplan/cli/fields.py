"""``fireplan fields``: all that can be said of a position of a game, by name."""

from __future__ import annotations

from collections.abc import Iterator

from fireplan import positions
from fireplan.cli import _core as core
from fireplan.cli._open import catalogue_with
from fireplan.cli._options import GameKey, Json
from fireplan.cli._print import say_json, say_table


def fields(game: GameKey, /, *, json: Json = False) -> None:
    """List what can be said of a position of a game: its name, what it may be, its rule, and what it means.

    Positions are explained in docs/positions.md.
    """
    rows = list(_rows(game))
    if json:
        say_json({"game": game, "fields": rows})
        return
    from rich.table import Column

    columns = ("of", Column("field", overflow="fold"), "what it may be", "rule", "meaning")
    say_table(columns, ((row["of"], row["name"], row["may_be"], row["rule"], row["meaning"]) for row in rows))


def _rows(game: str) -> Iterator[dict[str, str]]:
    """Yield every field of a game, with the group that it is of."""
    catalogue = catalogue_with(game)
    parts = [core.part_of(catalogue, word, game, core.Variation()) for word in core.WORDS]
    for group, found in positions.fields_by_group(parts).items():
        for name, field in found.items():
            limits = field.about.get("range")
            between = f", {limits[0]} to {limits[1]}" if limits else ""
            yield {
                "of": group,
                "name": name,
                "may_be": positions.spoken(field.hint, field.about.get("among") or ()) + between,
                "rule": field.about.get("rule", ""),
                "meaning": field.about.get("help", ""),
            }
