"""Laying a scenario file on a table: every part's slots and facts for its groups, massed fire and units."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from fireplan_core import Place, Staging
from fireplan_core.space import Hex, VertexFrame, parse_vertex
from fireplan_red_poppies._ground import Drawing, Ground, Plot, Side, area, side_of, toward
from fireplan_red_poppies._massed import Line, Massed, advance
from fireplan_red_poppies._modes import AIRCRAFT, FLARE, RUNNER, TELEPHONE, TRENCH_SET, Mode, mode
from fireplan_red_poppies._scenario import GroupEntry, RedPoppiesScenario, UnitEntry
from fireplan_red_poppies._track import Fuse, Group, Opening, Track, Transmission
from fireplan_red_poppies._troops import HIGH_EXPLOSIVE, SMOKE, Company, Field, Guns, Load, Troops
from fireplan_red_poppies._unit_kinds import UNIT_KINDS
from fireplan_red_poppies.areas import HEX_M, Control, Curtain, Laying, Marker
from fireplan_red_poppies.observers import Eyes, Word
from fireplan_red_poppies.requests import Calling, Sent

STACK = 2
"""Units other than AFV, and AFV, of a side in a hex (3.4)."""

WHEAT_MONTHS = range(4, 11)
"""April to October (8.8)."""


def lay(form: RedPoppiesScenario, staging: Staging) -> None:
    """Lay the scenario out; what cannot be laid is told through ``staging.cannot``."""
    ground = ground_of(form)
    staging.frame = VertexFrame(HEX_M, ground.layout)
    staging.firer, staging.target_side = form.side[0].name, form.side[1].name
    staging.assets = ()
    staging.mobile = form.moves
    for note in form.notes:
        staging.note(note)
    for hex_, plot in ground.plots.items():
        if plot.words:
            staging.feature(plot.words, hex_)
    _Laying(form, staging, ground).all()


def ground_of(form: RedPoppiesScenario) -> Ground:
    """The ground of a scenario with everything on it."""
    bare = form.ground
    said: dict[Hex, dict[str, Any]] = {}
    for entry in form.hex:
        here: dict[str, Any] = dict.fromkeys(entry.holds, True)
        if entry.level or entry.base is not None:
            here |= {"level": entry.level, "base": entry.level if entry.base is None else entry.base}
        for hex_ in area(bare, entry.at):
            said.setdefault(hex_, {}).update(here)
    for drawing in form.drawing:
        drawn = said.setdefault(bare.layout.parse(drawing.at), {}).setdefault("drawn", [])
        drawn.append(Drawing(drawing.kind, drawing.points, drawing.level))
    plots = {hex_: Plot(**here | {"drawn": tuple(here.get("drawn", ()))}) for hex_, here in said.items()}
    sides: dict[str, set[Side]] = {}
    for along in form.hexside:
        for hex_ in area(bare, along.at):
            sides.setdefault(along.kind, set()).update(side_of(hex_, toward(hex_, name)) for name in along.sides)
    return attrs.evolve(
        bare,
        plots=plots,
        wire=frozenset(sides.get("wire", ())),
        streams=frozenset(sides.get("stream", ())),
        bridges=frozenset(sides.get("bridge", ())),
        shores=frozenset(sides.get("shore", ())),
        stops=frozenset(sides.get("bomb_stop", ())),
        roads=frozenset(sides.get("road", ())),
        greens=frozenset(sides.get("green", ())),
        setups=tuple((side.name, frozenset(area(bare, side.setup))) for side in form.side),
        hallowed=None if form.hallowed is None else (form.hallowed.side, bare.layout.parse(form.hallowed.at)),
        night=form.night,
        dark=form.night or form.precipitation,
        wheat=form.date.month in WHEAT_MONTHS,
    )


@attrs.frozen
class _Laying:
    """One scenario on its way to the table."""

    form: RedPoppiesScenario
    staging: Staging
    ground: Ground

    def all(self) -> None:
        """Units, massed fire, groups, and the table as a whole."""
        for entry in self.form.unit:
            self._units(entry)
        self._stacks()
        self._bombardments()
        self._barrages()
        for group in self.form.group:
            self._group(group)
        self._table()

    def _table(self) -> None:
        form, staging = self.form, self.staging
        first, second = form.side
        groups = {group.side for group in form.group}
        sides = tuple(side for side in form.side if form.moves or side.name in groups)
        track = Track(
            night=form.night,
            commands=tuple(side.commands for side in sides) or (0,),
            sides=tuple(side.name for side in sides) or (first.name,),
            central=(first if first.central else second).name,
            other=(second if first.central else first).name,
            bombarded=form.bombarded,
            infiltration=any(side.infiltrates for side in form.side),
            troops=form.moves,
            kept=True,
        )
        staging.share("delays", track)
        staging.share("areas", Control(heights=tuple((at, self._holder(at)) for at in self.ground.heights)))
        staging.share("resolution", Field(stops=tuple(sorted(self.ground.stops))))
        targets = [setup.place for setup in staging.units.values() if setup.side == second.name]
        if staging.missions:
            staging.place = next(iter(staging.missions.values()))["target"]
            if len(staging.place) == 3:
                staging.aim_point, staging.place = staging.place, staging.place[0]
        elif targets:
            staging.place = targets[0]

    def _holder(self, at: Hex) -> str:
        """The side that controls a hex when play begins: whose set-up area it is in, or who alone is there (3.9)."""
        there = {setup.side for setup in self.staging.units.values() if setup.place == at}
        if len(there) == 1:
            return there.pop()
        held = next((entry.side for entry in self.form.control if at in area(self.ground, entry.at)), "")
        return held or next((side.name for side in self.form.side if at in area(self.ground, side.setup)), "")

    # --- units -----------------------------------------------------------------------------------
    def _units(self, entry: UnitEntry) -> None:
        kind = UNIT_KINDS[entry.kind]
        faces = [
            face if entry.cohesion is None else attrs.evolve(face, cohesion=entry.cohesion)
            for face in (kind.formed, kind.dispersed)
        ]
        side = next(side for side in self.form.side if side.name == entry.side)
        facts = Company(
            faces[1].cohesion,
            type=kind.type,
            nation=entry.side,
            formed=faces[0],
            dispersed=faces[1],
            infiltrates=side.infiltrates or entry.kind == "eingreif",
            ground=self.ground,
        )
        for number, label in enumerate(entry.at, start=1):
            name, place = f"{entry.name}.{number}", self.ground.layout.parse(label)
            fixed = any(group.mode == TRENCH_SET and group.observer == name for group in self.form.group)
            watches = kind.type == "infantry" and any(group.side == entry.side for group in self.form.group)
            self._settle(name, place, kind.type, entry.inside)
            slot = Troops(formed=entry.formed, inside=entry.inside)
            self.staging.unit(
                name, entry.side, place, strength=entry.strength, slot=slot,
                facts=attrs.evolve(facts, fixed=fixed, watches=watches),
            )  # fmt: skip
        if "stand-in" in kind.provenance:
            self.staging.note(f"values of {entry.kind.replace('_', ' ')}: {kind.provenance}")

    def _settle(self, name: str, place: Hex, kind: str, inside: str) -> None:
        """Refuse a place that the unit cannot be in (2.2, 8.31, 8.321)."""
        label, plot = self.ground.layout.label(place), self.ground.plot(place)
        if not self.ground.in_play(place):
            self.staging.cannot(f"{name}: {label} is not in play (2.2)")
        if inside and not getattr(plot, inside):
            self.staging.cannot(f"{name}: there is no {inside} in {label} (8.3)")
        if inside == "blockhouse" and kind != "machine_gun":
            self.staging.cannot(f"{name}: only machine guns can be IN a blockhouse (8.31)")
        if inside == "trench" and kind not in ("artillery", "infantry", "machine_gun", "mortar"):
            self.staging.cannot(f"{name}: only guns and infantry can be IN a trench (8.321)")

    def _stacks(self) -> None:
        counts: dict[tuple[Place, str, bool], int] = {}
        for setup in self.staging.units.values():
            key = (setup.place, setup.side, setup.facts["resolution"].armoured)
            counts[key] = counts.get(key, 0) + 1
        for (place, side, armoured), count in counts.items():
            if count > STACK:
                what = "AFV" if armoured else "units other than AFV"
                self.staging.cannot(f"{self.ground.layout.label(place)}: {count} {what} of {side}, two at most (3.4)")

    # --- massed fire -----------------------------------------------------------------------------
    def _bombardments(self) -> None:
        for entry in self.form.bombardment:
            enemy = next(side for side in self.form.side if side.name != entry.side)
            setup = area(self.ground, enemy.setup)
            hexes = area(self.ground, entry.at) or setup
            if not hexes:
                self.staging.cannot(f"{entry.name}: no hexes, and {enemy.name} has no set-up area (7.11)")
                continue
            open_ground = area(self.ground, self.form.board.no_mans_land)
            scrapes = tuple(dict.fromkeys((*open_ground, *(setup or hexes))))
            line = Line(hexes[len(hexes) // 2], hexes)
            massed = Massed(entry.kind, (line,), self.ground, enemy.name, scrapes=scrapes)
            self._massed(entry.name, entry.side, massed, Fuse(), Opening(before=True))

    def _barrages(self) -> None:
        options = self.staging.parts.delays.options
        counts = bool(options["barrage_counts"])
        for entry in self.form.barrage:
            first = area(self.ground, entry.line)
            if not first:
                self.staging.cannot(f"{entry.name}: its first line is not in play (7.41)")
                continue
            length = entry.advances
            if length is not None and options["barrage_length"] == "lines":
                length -= 1
            lines = advance(self.ground, first, entry.toward, length)
            massed = Massed("paralyzing", lines, self.ground, before=False, advances=length)
            opening = Opening(before=False, counts=counts)
            self._massed(entry.name, entry.side, massed, Fuse(turns=entry.first_turn), opening)

    def _massed(self, name: str, side: str, massed: Massed, fuse: Fuse, opening: Opening) -> None:
        staging = self.staging
        staging.mission(name, "delays", fuse, opening, side=side, target=massed.lines[0].at)
        staging.mission(name, "areas", Curtain(), massed)
        staging.mission(name, "resolution", facts=massed)
        staging.mission(name, "observers", facts=massed)

    # --- groups ----------------------------------------------------------------------------------
    def _vertex(self, text: str) -> Place:
        try:
            return parse_vertex(text, self.ground.layout)
        except ValueError as error:
            self.staging.cannot(str(error))
            return self.staging.parts.areas.aim_at(self.staging.parts.areas.middle())[0]

    def _group(self, entry: GroupEntry) -> None:
        staging, name = self.staging, entry.name
        own = TELEPHONE if entry.mode == AIRCRAFT and self.form.night else entry.mode
        target = self._vertex(entry.target)
        registered = None if entry.preregistered is None else self._vertex(entry.preregistered)
        hair = None if entry.cross_hair is None else self._vertex(entry.cross_hair)
        carried = hair is not None
        by_runner = carried and entry.by_runner
        slot = Group(hourglass=entry.hour_glass if carried else None, runner=by_runner, carried=carried)
        shell = entry.loaded if carried else HIGH_EXPLOSIVE
        staging.mission(
            name, "delays", slot, self._transmission(own, hair), side=entry.side,
            target=registered if own == FLARE else target,
        )  # fmt: skip
        side = next(side for side in self.form.side if side.name == entry.side)
        staging.mission(name, "areas", Marker(), Laying(registered, side.high_ground))
        shells = (HIGH_EXPLOSIVE, *entry.shells) if entry.shells else ()
        staging.mission(name, "requests", Sent(), Calling(registered, own == FLARE, shells))
        guns = Guns(entry.firepower, entry.howitzers, shells, self.ground)
        staging.mission(name, "resolution", Load(shell=shell), guns)
        staging.mission(name, "observers", Word(smoke=shell == SMOKE, runner=by_runner), self._eyes(entry, own))

    def _transmission(self, name: str, hair: Place) -> Transmission:
        charts: Mapping[str, Any] = self.staging.parts.delays.charts
        trench = any(plot.trench for plot in self.ground.plots.values())

        def both(of: str) -> tuple[Mode, Mode]:
            before, after = (mode(of, charts, bombarded=flag, trench=trench) for flag in (False, True))
            return before, after

        (own, own_after), (runner, runner_after) = both(name), both(RUNNER)
        if not (self.form.bombardment or self.form.barrage or self.form.bombarded):
            return Transmission(own, runner, cross_hair=hair)
        return Transmission(own, runner, own_after, runner_after, hair)

    def _eyes(self, entry: GroupEntry, own: str) -> Eyes:
        units = self.staging.units
        infantry = tuple(
            name
            for name, setup in units.items()
            if setup.side == entry.side and setup.facts["resolution"].type == "infantry"
        )
        watching = infantry
        if own == TRENCH_SET and entry.observer is not None:
            if entry.observer not in infantry:
                self.staging.cannot(f"{entry.name}: {entry.observer} is no infantry of {entry.side} (7.21)")
            watching = (entry.observer,)
        return Eyes(self.ground, watching, flown=own == AIRCRAFT, infantry=infantry)
