"""``fireplan graph``: how missions of a game live, as a diagram."""

from __future__ import annotations

import sys
from pathlib import Path

from fireplan import api
from fireplan import solver as solving
from fireplan.api import catalogue_with, refuse, refusing, unwritable
from fireplan.cli import _core as core
from fireplan.cli._app import write
from fireplan.cli._options import GameKey


def graph(game: GameKey, /, *, engagement: str | None = None, svg: Path | None = None) -> None:
    """Print the life cycle of a game's missions, found by following the real rules, as a Mermaid diagram.

    :param engagement: The engagement to follow; woods by default.
    :param svg: Also draw the diagram into this SVG file.
    """
    installed = catalogue_with(game)
    refuse([fault] if (fault := unwritable(svg, (".svg",))) else [])
    with refusing(staging=f"{game} cannot stage this engagement"):
        scenario = core.stage_engagement(installed, game, api.engagement_named(engagement))
    found = solving.passages(solving.explore_orders(scenario), scenario, scenario.mission_ids[0])
    if svg is not None:
        write(svg, solving.lifecycle_svg(found, installed[game].game.title))
    sys.stdout.write(solving.mermaid(found))
