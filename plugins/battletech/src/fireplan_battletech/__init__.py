"""BattleTech's off-board artillery for fireplan, from second-hand sources."""

from collections.abc import Iterable, Iterator
from functools import partial

import attrs

from fireplan_battletech.areas import BattleTechAreas
from fireplan_battletech.fire import (
    BattleTechDelays,
    BattleTechRequests,
    Flight,
    HexRanging,
    Plotted,
)
from fireplan_battletech.forms import (
    DATA,
    WEAPONS,
    BattleTechScenario,
    Gun,
    Piece,
    designations,
    hex_of,
    map_of,
)
from fireplan_battletech.units import BattleTechObservers, BattleTechResolution
from fireplan_core import Game, Parts, PartTypes, ScenarioForm, Staging, hookimpl
from fireplan_core.files import Complaint, unparsed_texts
from fireplan_core.space import DIRECTIONS, Hex, HexFrame, opposite, step


def _gun(piece: Piece, frame: HexFrame, target: Hex, designated: tuple[Hex, ...]) -> Gun:
    """Return a piece in play; an off-board piece stands due south of the target, off the edge."""
    edge = frame.nearest(frame.metres(target)[0], frame.metres(frame.layout.hexes()[-1])[1])
    stands = (
        step(edge, opposite(min(DIRECTIONS)), piece.off_board)
        if piece.place is None
        else hex_of(frame, piece.place)
    )
    gun = Gun(**attrs.asdict(piece), hexes=0, stands=stands, designated=designated)
    return attrs.evolve(gun, hexes=gun.hexes_to(target))


def stage_file(form: BattleTechScenario, staging: Staging, parts: Parts) -> None:
    """Stage a scenario file: its map, pieces, spotters and units."""
    staging.assets = tuple(piece.id for piece in form.piece)
    if not isinstance(parts.areas, BattleTechAreas):
        staging.cannot("the file describes a map of BattleTech: its areas must be BattleTech's (7)")
        return
    frame = staging.frame = map_of(parts.areas, form.columns, form.rows)
    place_of = partial(hex_of, frame)
    target = staging.place = place_of(form.target)
    for piece in form.piece:
        gun = _gun(piece, frame, target, tuple(map(place_of, form.designated)))
        staging.mission(piece.id, "requests", Plotted(), gun)
        staging.mission(piece.id, "delays", Flight(), gun)
        staging.mission(piece.id, "areas", HexRanging(), gun)
        staging.mission(piece.id, "observers", facts=form.spotter)
    for body in form.unit:
        if isinstance(parts.resolution, BattleTechResolution):
            parts.resolution.stage_unit(staging, body, place_of(body.place))


def faults_on_map(form: BattleTechScenario, parts: Parts) -> Iterator[Complaint]:
    """Yield a fault for each hex that is not on the map, and for too many predesignated hexes.

    Yield nothing if another game supplies the areas, because staging then refuses the file.
    """
    if not isinstance(parts.areas, BattleTechAreas):
        return
    frame = map_of(parts.areas, form.columns, form.rows)
    places: dict[str, Iterable[str | None]] = {
        "target": [form.target],
        "designated": form.designated,
    }
    places |= {f"piece[{number}].place": [piece.place] for number, piece in enumerate(form.piece)}
    places |= {
        f"spotter[{number}].sees": spotter.sees or () for number, spotter in enumerate(form.spotter)
    }
    places |= {f"unit[{number}].place": [unit.place] for number, unit in enumerate(form.unit)}
    for key, labels in places.items():
        yield from unparsed_texts(
            key, labels, partial(hex_of, frame), "a hex of the map, such as 1617"
        )
    if fire := parts.find(BattleTechRequests):
        named = len(set(form.designated))
        most = designations(fire, len(frame.layout.hexes()))
        if named > most:
            yield "designated", f"there are {named} predesignated hexes", f"at most {most} (7)"


GAME = Game.read(
    "battletech",
    DATA,
    PartTypes(
        BattleTechObservers,
        BattleTechRequests,
        BattleTechDelays,
        BattleTechAreas,
        BattleTechResolution,
    ),
    charts={"weapons": WEAPONS},
    capabilities=(
        "friendly fire",
        "pre-registered fire",
        "shells in flight",
        "vehicles",
        "mobile pieces",
    ),
    scenarios=ScenarioForm(BattleTechScenario, stage_file, faults=faults_on_map),
    sources="from second-hand sources",
)
fireplan_game = hookimpl(lambda: GAME)
"""The plugin hook that registers the game with fireplan."""
