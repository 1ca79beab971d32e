"""``fireplan numbers``: every number of a game by its name."""

from __future__ import annotations

from fireplan.cli import _core as core
from fireplan.cli._app import BadInputError
from fireplan.cli._open import catalogue_with
from fireplan.cli._options import GameKey, Json
from fireplan.cli._print import say_json, say_table


def numbers(game: GameKey, name: str | None = None, /, *, json: Json = False) -> None:
    """List every number of a game: its value, where it comes from, and its rule.

    :param name: Only what stands under this name, e.g. ift, 'ift[12]' or radio_contact.
    """
    charts = catalogue_with(game)[game].game.charts
    try:
        found = list(core.numbers_of(charts).values()) if name is None else core.find_numbers(charts, name)
    except core.CellError as error:
        raise BadInputError(f"{game}: {error}") from error
    if json:
        rows = [
            {
                "name": f"{game}.{named.name}",
                "value": named.cell.value,
                "provenance": named.cell.provenance,
                "rule": named.cell.cite,
                "summary": named.cell.summary,
                "steps": list(named.cell.steps),
            }
            for named in found
        ]
        say_json({"game": game, "numbers": rows})
        return
    from rich.table import Column

    cells = ((one.name, one.cell.value, one.cell.provenance, one.cell.cite, one.cell.summary) for one in found)
    say_table((Column("number", overflow="fold"), "value", "provenance", "rule", "meaning"), cells)
