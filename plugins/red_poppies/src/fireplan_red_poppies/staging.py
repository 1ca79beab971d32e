"""Stage a scenario file, and write the file of the next scenario of a campaign day (11.2, 11.3).

``build`` turns a file into ground and forces. ``following`` turns the end of a scenario into the
file of the next one, with the units left on the map and the calls that carry over.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Literal, cast

import attrs

from fireplan_core import FireKind, Options, Parts, Scenario, Staging, UnitSetup
from fireplan_core.space import Hex, VertexFrame
from fireplan_red_poppies import scenario as forms
from fireplan_red_poppies.ground import (
    HEX_M,
    Drawing,
    HexTerrain,
    ScenarioMap,
    Side,
    area,
    side_of,
    toward,
)
from fireplan_red_poppies.massed import PARALYZING, BarrageLine, Massed, advance
from fireplan_red_poppies.scenario import RedPoppiesScenario
from fireplan_red_poppies.setup import CUT, Forces, Staged, unit_setup
from fireplan_red_poppies.track import TELEPHONE, TRENCH_SET, RecordTrack
from fireplan_red_poppies.troops import FOOT, SHELLS, UNIT_KINDS, Company, TroopState, read_face

ALONG = {
    "wire": "wire",
    "stream": "streams",
    "bridge": "bridges",
    "shore": "shores",
    "bomb_stop": "stops",
    "road": "roads",
    "green": "greens",
}
"""Maps each feature along hex sides to its field of ``ScenarioMap``."""

CLIFFS_LISTED = 4
"""Maximum number of missing contours that are listed one by one."""

HEXES_OF_A_VERTEX = 3


def build(form: RedPoppiesScenario, staging: Staging, parts: Parts) -> None:
    """Stage a scenario file; report faults with ``staging.cannot``."""
    charts, options = parts.areas.charts, parts.areas.options
    first, last = (charts["numbers"][name] for name in ("wheat_first_month", "wheat_last_month"))
    ground = attrs.evolve(ground_of(form), wheat=first <= form.date.month <= last)
    staging.frame = VertexFrame(HEX_M, ground.layout)
    staging.firer, staging.target_side = (side.name for side in form.side)
    staging.assets = ()
    _lay_out(ground, staging)
    units = dict(_units(form, ground))
    staging.mobile = form.moves or _contested(ground, units)
    forces = Forces(
        track=_track(form),
        groups=form.group,
        massed=(*_bombardments(form, ground, staging), *_barrages(form, ground, options, staging)),
        units=units,
        trench=any(plot.trench for plot in ground.plots.values()),
        heights=tuple((at, _holder(form, ground, units, at)) for at in ground.heights),
        high_ground=tuple(side.name for side in form.side if side.high_ground),
        ground=ground,
        transport=tuple(
            (entry.side, entry.kind) for entry in form.transport for _ in range(entry.groups)
        ),
        last_turn=form.moments - 1,
    )
    for note in _notes(form, forces):
        staging.note(note)
    for part in cast("Iterable[Staged]", parts):  # all parts of a scenario file are of this game
        part.set_up(staging, forces)
    missions = staging.missions.values()
    firer = next((mission["side"] for mission in missions), None) or staging.firer
    enemies = [setup.place for setup in units.values() if setup.side != firer]
    places = [*(mission["target"] for mission in missions), *enemies]
    if places:
        vertex = len(places[0]) == HEXES_OF_A_VERTEX
        # Fire attacks units in three hexes (7.245); the hex with the most enemies is the target.
        staging.aim_point, staging.place = (
            (places[0], max(places[0], key=enemies.count)) if vertex else (None, places[0])
        )


def _notes(form: RedPoppiesScenario, forces: Forces) -> Iterator[str]:
    """Yield the notes of a scenario: its own, stand-in values, and cut telephone wires."""
    yield from form.notes
    stand_ins = [
        f"{kind.replace('_', ' ')}{UNIT_KINDS[kind].provenance.removeprefix('stand-in')}"
        for kind in dict.fromkeys(entry.kind for entry in form.unit)
        if "stand-in" in UNIT_KINDS[kind].provenance
    ]
    if stand_ins:
        yield f"the rules text does not show the counters, so the values of these units are stand-ins, or have the source in brackets: {', '.join(stand_ins)}"
    cut = [group.name for group in form.group if forces.mode_of(group) == TELEPHONE]
    if cut and (forces.track.bombarded or any(massed.before for massed in forces.massed)):
        yield f"{', '.join(cut)}: {CUT}"


def _contested(ground: ScenarioMap, units: Mapping[str, UnitSetup]) -> bool:
    """Return whether both sides are in one top-level hex, where fire may change control (3.9)."""
    holders = (
        {setup.side for setup in units.values() if setup.place == at} for at in ground.heights
    )
    return any(len(sides) > 1 for sides in holders)


def _lay_out(ground: ScenarioMap, staging: Staging) -> None:
    """Add the terrain of the hexes to the map, and refuse ground with missing contours.

    Lines of sight down from a crest depend on the contours (4.52).
    """
    for hex_, plot in ground.plots.items():
        if plot.words:
            staging.feature(plot.words, hex_)
    label, cliffs = ground.layout.label, list(ground.cliffs())
    for high, low in cliffs[:CLIFFS_LISTED]:
        levels = f"{label(high)} (level {ground.plot(high).base}) and {label(low)} (level {ground.plot(low).level})"
        staging.cannot(
            f"{levels}: one of them must hold the contour; give it a level and a base (4.52, 8.42)"
        )
    if len(cliffs) > CLIFFS_LISTED:
        staging.cannot(
            f"and {len(cliffs) - CLIFFS_LISTED} more pairs of hexes without a contour (4.52, 8.42)"
        )


def ground_of(form: RedPoppiesScenario) -> ScenarioMap:
    """Return a scenario's map in play with its terrain, hex sides and set-up areas."""
    bare = form.ground
    terrain: dict[Hex, dict[str, Any]] = {}
    for entry in form.hex:
        # A quarry counts as a trench (14.0).
        features: dict[str, Any] = dict.fromkeys(
            (*entry.holds, *(["trench"] if "quarry" in entry.holds else [])), True
        )
        if entry.level or entry.base is not None:
            features |= {
                "level": entry.level,
                "base": entry.level if entry.base is None else entry.base,
            }
        for hex_ in area(bare, entry.at):
            terrain.setdefault(hex_, {}).update(features)
    for drawing in form.drawing:
        drawn = terrain.setdefault(bare.layout.parse(drawing.at), {}).setdefault("drawn", [])
        drawn.append(Drawing(drawing.kind, drawing.points, drawing.level))
    plots = {
        hex_: HexTerrain(**fields | {"drawn": tuple(fields.get("drawn", ()))})
        for hex_, fields in terrain.items()
    }
    sides: dict[str, set[Side]] = {field: set() for field in ALONG.values()}
    for line in form.hexside:
        for hex_ in area(bare, line.at):
            sides[ALONG[line.kind]].update(side_of(hex_, toward(hex_, name)) for name in line.sides)
    along_sides: dict[str, Any] = {field: frozenset(lines) for field, lines in sides.items()}
    return attrs.evolve(
        bare,
        **along_sides,
        plots=plots,
        setups=tuple((side.name, frozenset(area(bare, side.setup))) for side in form.side),
        hallowed=None
        if form.hallowed is None
        else (form.hallowed.side, bare.layout.parse(form.hallowed.at)),
        night=form.night,
        dark=form.night or form.precipitation,
    )


def _track(form: RedPoppiesScenario) -> RecordTrack:
    first, second = form.side
    groups = {group.side for group in form.group}
    sides = tuple(side for side in form.side if form.moves or side.name in groups)
    return RecordTrack(
        night=form.night,
        commands=tuple(side.commands for side in sides) or (0,),
        sides=tuple(side.name for side in sides) or (first.name,),
        central=(first if first.central else second).name,
        other=(second if first.central else first).name,
        bombarded=form.bombarded,
        infiltration=any(side.infiltrates for side in form.side),
        troops=form.moves,
        followed=True,
    )


def _units(form: RedPoppiesScenario, ground: ScenarioMap) -> Iterator[tuple[str, UnitSetup]]:
    sets = {group.observer for group in form.group if group.mode == TRENCH_SET}
    infiltrators = {side.name for side in form.side if side.infiltrates}
    for entry in form.unit:
        kind = UNIT_KINDS[entry.kind]
        printed = ((entry.formed_values, kind.formed), (entry.dispersed_values, kind.dispersed))
        faces = (usual if own is None else read_face(own) for own, usual in printed)
        formed, dispersed = (
            face if entry.cohesion is None else attrs.evolve(face, cohesion=entry.cohesion)
            for face in faces
        )
        for number, label in enumerate(entry.at, start=1):
            name = f"{entry.name}.{number}"
            company = Company(
                dispersed.cohesion,
                type=kind.type,
                nation=entry.side,
                formed=formed,
                dispersed=dispersed,
                infiltrates=entry.side in infiltrators or entry.kind == "eingreif",
                storms=entry.side in infiltrators,
                clumsy=entry.kind == "saint_chamond",
                fixed=name in sets,
                ground=ground,
            )
            at = ground.layout.parse(label)
            # Guns and infantry are IN the trench of their hex unless placed on top of it (8.322).
            usual = "trench" if kind.type in FOOT and ground.plot(at).trench else ""
            inside = {"": usual, "outside": ""}.get(entry.inside, entry.inside)
            yield (
                name,
                unit_setup(
                    entry.side,
                    at,
                    entry.strength,
                    TroopState(formed=entry.formed, inside=inside),
                    company,
                ),
            )


def _holder(
    form: RedPoppiesScenario, ground: ScenarioMap, units: Mapping[str, UnitSetup], at: Hex
) -> str:
    """Return the side that controls a hex at the start, "" for neither (3.9).

    The side that is alone in the hex comes first, then the side that held it before, then the side
    whose set-up area contains it.
    """
    present = {setup.side for setup in units.values() if setup.place == at}
    if len(present) == 1:
        return present.pop()
    held_before = [entry.side for entry in form.control if at in area(ground, entry.at)]
    return next(
        iter((*held_before, *(side.name for side in form.side if at in area(ground, side.setup)))),
        "",
    )


def _bombardments(
    form: RedPoppiesScenario, ground: ScenarioMap, staging: Staging
) -> Iterator[Massed]:
    for entry in form.bombardment:
        enemy = next(side for side in form.side if side.name != entry.side)
        setup = area(ground, enemy.setup)
        hexes = area(ground, entry.at) or setup
        if not hexes:
            staging.cannot(f"{entry.name}: name its hexes, or a set-up area of {enemy.name} (7.11)")
            continue
        open_ground = area(ground, form.board.no_mans_land)
        scrapes = tuple(dict.fromkeys((*open_ground, *(setup or hexes))))
        line = BarrageLine(hexes[len(hexes) // 2], hexes)
        yield Massed(
            entry.name, entry.side, entry.kind, (line,), ground, enemy.name, scrapes=scrapes
        )


def _barrages(
    form: RedPoppiesScenario, ground: ScenarioMap, options: Options, staging: Staging
) -> Iterator[Massed]:
    for entry in form.barrage:
        first = area(ground, entry.line)
        if not first:
            staging.cannot(f"{entry.name}: no hex of its first line is in play (7.41)")
            continue
        length = entry.advances
        if length is not None and options["barrage_length"] == "lines":
            length -= 1
        lines = advance(ground, first, entry.toward, length)
        yield Massed(
            entry.name,
            entry.side,
            PARALYZING,
            lines,
            ground,
            first_turn=entry.first_turn,
            before=False,
            advances=length,
        )


ReadValue = Callable[[str, Any], Any]


def following(
    form: RedPoppiesScenario,
    scenario: Scenario,
    read: ReadValue,
    keeps: str | None = None,
    moments: int | None = None,
) -> RedPoppiesScenario:
    """Return the file of the next scenario of a campaign day, set up as the last one ended.

    ``read(key, default)`` returns a value of the final state. Units stay in place, wire stays
    breached and scrapes stay; massed fire and gas are gone (5.3). ``keeps`` is the side whose cross
    hairs and hour glasses carry over: the defender after an attack scenario (11.2, 11.32), or None
    after a counter-attack (11.33). ``moments`` is the number of turns of the next scenario, by
    default that of a counter-attack.
    """
    label, parts = scenario.frame.label, scenario.parts
    living = (
        name for name in scenario.units if not read(f"units/{name}/resolution/destroyed", None)
    )
    units = tuple(_unit(form, scenario, read, name) for name in living)
    groups = tuple(
        _group(entry, units, read, label, carried=entry.side == keeps) for entry in form.group
    )
    heights, names = read("shared/resolution/heights", ()), map(label, ground_of(form).hexes())
    scrapes = tuple(name for name in names if read(f"ground/resolution/{name}/scrape", False))  # noqa: FBT003
    hexes = (*form.hex, forms.HexEntry(at=scrapes, holds=("craters",))) if scrapes else form.hex
    hallowed = read("shared/resolution/hallowed", None)
    later = bool(parts.delays.options["bombarded_later"]) and read("shared/delays/bombarded", False)  # noqa: FBT003
    return attrs.evolve(
        form,
        title=f"after: {form.title}",
        moments=moments or parts.delays.number("counter_attack_turns"),
        unit=units,
        group=groups,
        bombardment=(),
        barrage=(),
        hex=hexes,
        hexside=_sides(form, scenario, read),
        hallowed=form.hallowed
        if hallowed is None
        else forms.HallowedEntry(side=hallowed[0], at=label(hallowed[1])),
        control=tuple(forms.ControlEntry(side=side, at=(label(h),)) for h, side in heights if side),
        bombarded=later,
    )


def _unit(
    form: RedPoppiesScenario, scenario: Scenario, read: ReadValue, name: str
) -> forms.UnitEntry:
    name_in_file = name.rpartition(".")[0]
    entry = next(entry for entry in form.unit if entry.name == name_in_file)
    return attrs.evolve(
        entry,
        name=name.replace(".", "_"),
        at=(scenario.frame.label(read(f"units/{name}/place", None)),),
        formed=read(f"units/{name}/resolution/formed", None),
        inside=read(f"units/{name}/resolution/inside", "") or "outside",
    )


def _group(
    entry: forms.GroupEntry,
    units: tuple[forms.UnitEntry, ...],
    read: ReadValue,
    label: Callable[[Any], str],
    *,
    carried: bool,
) -> forms.GroupEntry:
    mission = f"missions/{entry.name}"
    glass, aim = read(f"{mission}/delays/hourglass", None), read(f"{mission}/aim", None)
    if entry.observer is not None:
        own_units = (unit for unit in units if unit.side == entry.side)
        watching = tuple(
            unit.name for unit in own_units if UNIT_KINDS[unit.kind].type == "infantry"
        )
        before = entry.observer.replace(".", "_")
        # If the company with the trench set is lost, another one is designated (7.21).
        company = before if before in watching else next(iter(watching), None)
        entry = attrs.evolve(entry, observer=None if company is None else f"{company}.1")
        if company is None and entry.mode == "trench_set":
            entry = attrs.evolve(entry, mode="runner")
    if not carried or glass is None or aim is None:
        return attrs.evolve(
            entry, cross_hair=None, hour_glass=0, by_runner=False, loaded="high_explosive"
        )
    return attrs.evolve(
        entry,
        cross_hair=label(aim),
        hour_glass=glass,
        by_runner=read(f"{mission}/delays/runner", False),  # noqa: FBT003
        loaded=next(
            shell for shell, kind in SHELLS.items() if kind is read(f"{mission}/kind", FireKind.HE)
        ),
    )


def _sides(
    form: RedPoppiesScenario, scenario: Scenario, read: ReadValue
) -> tuple[forms.SideOfHexEntry, ...]:
    """Return the features along hex sides, without breached wire and with current bomb stops."""
    ground = ground_of(form)
    present: dict[Literal["wire", "bomb_stop"], frozenset[Side]] = {
        "wire": ground.wire - set(read("shared/resolution/breached", ())),
        "bomb_stop": frozenset(read("shared/resolution/stops", ())),
    }
    printed = {"wire": ground.wire, "bomb_stop": ground.stops}
    changed = [kind for kind in present if present[kind] != printed[kind]]
    others = tuple(entry for entry in form.hexside if entry.kind not in changed)
    entries = []
    for kind in changed:
        for a, b in sorted(present[kind]):
            # A hex side is named from its first hex; the second is to the S, SE or NE.
            name: forms.HexSide = "S" if a[0] == b[0] else ("SE" if b[1] == a[1] else "NE")
            entries.append(
                forms.SideOfHexEntry(kind=kind, at=(scenario.frame.label(a),), sides=(name,))
            )
    return (*others, *entries)
