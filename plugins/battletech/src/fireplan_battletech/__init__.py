"""BattleTech's off-board artillery for fireplan, from second-hand sources."""

import attrs

from fireplan_battletech.areas import Rings
from fireplan_battletech.fire import ByRange, Fire, Flight, Plotted, Ranging
from fireplan_battletech.forms import (
    DATA,
    FLIGHT,
    MAP,
    WEAPONS,
    BattleTechScenario,
    Gun,
    Piece,
    hex_of,
)
from fireplan_battletech.units import Damage, LineOfSight
from fireplan_core import Game, Parts, PartTypes, ScenarioForm, Staging, hookimpl
from fireplan_core.space import DIRECTIONS, Hex, opposite, step


def _gun(piece: Piece, target: Hex, designated: tuple[Hex, ...]) -> Gun:
    """Return a piece in play; an off-board piece stands due south of the target, off the edge."""
    edge = MAP.nearest(MAP.metres(target)[0], MAP.metres(MAP.layout.hexes()[-1])[1])
    stands = (
        step(edge, opposite(min(DIRECTIONS)), piece.off_board)
        if piece.place is None
        else hex_of(piece.place)
    )
    gun = Gun(**attrs.asdict(piece), hexes=0, stands=stands, designated=designated)
    return attrs.evolve(gun, hexes=gun.hexes_to(target))


def stage_file(form: BattleTechScenario, staging: Staging, parts: Parts) -> None:
    """Stage a scenario file: its pieces, spotters and units."""
    staging.assets = tuple(piece.id for piece in form.piece)
    target = staging.place = hex_of(form.target)
    for piece in form.piece:
        gun = _gun(piece, target, tuple(map(hex_of, form.designated)))
        staging.mission(piece.id, "requests", Plotted(), gun)
        staging.mission(piece.id, "delays", Flight(), gun)
        staging.mission(piece.id, "areas", Ranging(), gun)
        staging.mission(piece.id, "observers", facts=form.spotter)
    for body in form.unit:
        if isinstance(parts.resolution, Damage):
            parts.resolution.stage_unit(staging, body, hex_of(body.place))


GAME = Game.read(
    "battletech",
    DATA,
    PartTypes(LineOfSight, Fire, ByRange, Rings, Damage),
    charts={"weapons": WEAPONS, "flight": FLIGHT},
    capabilities=(
        "friendly fire",
        "pre-registered fire",
        "shells in flight",
        "vehicles",
        "mobile pieces",
    ),
    scenarios=ScenarioForm(BattleTechScenario, stage_file),
    sources="from second-hand sources",
)
fireplan_game = hookimpl(lambda: GAME)
"""The plugin hook that registers the game with fireplan."""
