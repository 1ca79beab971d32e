"""Setup: the same functions stage scenario files and engagements."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import attrs

from fireplan_battlegroup_clash import facts
from fireplan_battlegroup_clash.facts import (
    Activity,
    Army,
    AssetKind,
    FireMissionState,
    Signals,
    UnitEntry,
    UnitState,
    Weapon,
)
from fireplan_core import Part, Parts, Place, ScenarioFile, Staging
from fireplan_core.chance import read_csv
from fireplan_core.files import Complaint, entry, repeated, unknown_values
from fireplan_core.setups.setup import Engagement

SEEN_BY = {"forward": "", "aircraft": "uas", "drone": "uas"}
"""Maps an engagement's kind of observer to a role; an option sets a forward observer's role."""
ROLES = {
    "fst": "a Fire Support Team",
    "recce": "a recce unit",
    "hq": "a headquarters",
    "platoon": "a platoon",
}
"""Maps the roles that options may set to their names in a note."""
COVER: dict[str, Any] = {"woods": "dense_wood", "buildings": "urban"}
"""Maps an engagement's cover to this game's terms; any other cover counts as open."""
RUSSIAN = ("russian", "soviet")
TWO = (0, 0)


@attrs.frozen(kw_only=True)
class ClashScenario(ScenarioFile):
    """A scenario file: two sides with their assets and units, the ground and the jamming."""

    sides: tuple[str, ...] = entry("the two sides", example=["NATO", "Russia"])
    armies: tuple[Army, ...] = entry("the army of each side", ("NATO", "Russia"))
    first: str = entry("the side that activates first in the first turn", example="NATO")
    drones: tuple[str, ...] = entry("sides that have a surveillance drone", ())
    modifiers: tuple[int, ...] = entry("the initiative modifier of each side", TWO, range=(-6, 6))
    ratings: tuple[int, ...] = entry("the headquarters rating of each side", TWO, range=(0, 6))
    asset: tuple[Weapon, ...] = entry("the assets that can fire")
    unit: tuple[UnitEntry, ...] = entry("the units on the map")
    ground: tuple[facts.TerrainEntry, ...] = entry("terrain that obstructs sight", ())
    jamming: tuple[facts.Jamming, ...] = entry("jamming, under the supplement", ())

    def check(self) -> Iterator[Complaint]:
        """Yield the faults that checks on single fields cannot find."""
        for name in ("sides", "armies", "modifiers", "ratings"):
            if len(getattr(self, name)) != len(TWO):
                yield (
                    name,
                    "there must be two values, one for each side",
                    "write two values in brackets",
                )
        yield from (
            *unknown_values(self, self.sides, "side", "asset", "unit", "jamming"),
            *repeated(self, "asset", by="id"),
        )
        yield from repeated(self, "unit", by="id")
        if self.first not in self.sides:
            yield "first", f"there is no side {self.first!r}", f"one of {', '.join(self.sides)}"
        for side in sorted(set(self.sides) - {asset.side for asset in self.asset}):
            yield (
                "asset",
                f"{side} has no asset",
                "give each side an asset: a side without one has nothing to activate",
            )
        for n, jamming in enumerate(self.jamming):
            if max(jamming.turns, default=1) > self.moments:
                yield (
                    f"jamming[{n}].turns",
                    f"there are {self.moments} turns",
                    f"1 to {self.moments}",
                )
        yield from self._check_units()

    def _check_units(self) -> Iterator[Complaint]:
        """Yield faults in fire plans and in references to units."""
        units = {unit.id: unit for unit in self.unit}
        names = f"one of {', '.join(units)}"
        for n, asset in enumerate(self.asset):
            if asset.target not in units or units[asset.target].side == asset.side:
                yield f"asset[{n}].target", f"{asset.target!r} is not an enemy unit", names
            if (asset.kind == "mortar") != bool(asset.unit) or (
                asset.unit and asset.unit not in units
            ):
                yield (
                    f"asset[{n}].unit",
                    "only a mortar has a unit on the map, and it must have one",
                    names,
                )
            for at in asset.plan:
                if not facts.CROSSING.fullmatch(at):
                    yield (
                        f"asset[{n}].plan",
                        f"{at!r} is not a grid intersection",
                        "such as E25/N22",
                    )
        for n, unit in enumerate(self.unit):
            if unit.carrier and unit.carrier not in units:
                yield f"unit[{n}].carrier", f"there is no unit {unit.carrier!r}", names


def stage_file(form: ClashScenario, staging: Staging, parts: Parts) -> None:
    """Stage a scenario file: its assets and units, for each part of the game in turn."""
    staging.mobile = True
    staging.firer, staging.target_side = form.sides
    armies = dict(zip(form.sides, form.armies, strict=True))
    at = {unit.id: (unit.east, -unit.north) for unit in form.unit}
    staging.place = next(at[asset.target] for asset in form.asset if asset.side == staging.firer)
    for disc in form.ground:
        staging.feature(disc.kind.replace("_", " "), (disc.east, -disc.north))
    jammed = tuple(
        (jamming.side, jamming.what, turn)
        for jamming in form.jamming
        for turn in jamming.turns or (0,)
    )
    signals = Signals(
        sides=form.sides,
        first=form.first,
        modifiers=form.modifiers,
        ratings=form.ratings,
        jammed=jammed,
    )
    for part in parts:
        staging.note("the sources have no movement allowances, so moves have no limit (5)")
        for asset in form.asset:
            weapon = attrs.evolve(
                asset, army=armies[asset.side], ground=(*form.ground, *asset.ground)
            )
            stage_asset(part, staging, weapon, at[asset.target])
        if part.word == "resolution":
            for unit in form.unit:
                stage_unit(part, staging, unit, at[unit.id], armies[unit.side])
        stage_table(part, staging, Activity(flyers=form.drones), signals)


def stage_asset(part: Part, staging: Staging, weapon: Weapon, target: Place) -> None:
    """Stage an asset's record and facts for one part; ``target`` is the place it fires at."""
    slot = FireMissionState(left=weapon.missions) if part.word == "requests" else None
    staging.mission(weapon.id, part.word, slot, weapon, side=weapon.side, target=target)


def stage_table(part: Part, staging: Staging, activity: Activity, signals: Signals) -> None:
    """Stage the shared state of a part; turned-up tokens and chits are public (23)."""
    for deck, side in product(part.decks, (staging.firer, staging.target_side)):
        staging.hand(deck, side, "")
    if part.word == "delays" and signals.jammed and part.options["ew"] != "supplement":
        staging.cannot(
            "jamming belongs to the supplement, which has no chits: also set ew = supplement (26)"
        )
    if part.word in ("requests", "delays"):
        staging.share(part.word, activity if part.word == "requests" else signals)


def stage_unit(
    part: Part, staging: Staging, unit: UnitEntry, at: Place, army: Army, men: int = 0
) -> None:
    """Stage a unit with figures from the table of units (D12: Russian quality is 4 or 5).

    ``army`` selects the row of the table. ``men`` is the unit's strength, or 0 for the usual
    strength of its role.
    """
    rows = [
        row
        for row in read_csv(facts.DATA / "units.csv")
        if (row["army"], row["role"]) == (army, unit.role)
    ]
    row = next((row for row in rows if row["kind"] == unit.kind), rows[0])
    figures = {name: int(row[name]) for name in ("resilience", "quality", "lower")}
    if army == "Russia":
        better = part.options["quality"] - figures["quality"]
        figures |= {name: figures[name] + better for name in ("quality", "lower")}
    own = {
        name: getattr(unit, name)
        for name in figures
        if getattr(unit, name) != getattr(UnitEntry(), name)
    }
    start = UnitState(losses=unit.losses, dug=unit.dug, moved=unit.moved)
    strength = men or part.number("men_platoon" if unit.role == "platoon" else "men_section")
    body = attrs.evolve(unit, **{**figures, **own})
    staging.unit(unit.id, unit.side, at, strength=strength, slot=start, facts=body)


# --- engagements ---------------------------------------------------------------------------------
class Staged(Part):
    """Base class for parts that stage engagements in the same way as scenario files."""

    def stage(self, staging: Staging) -> None:
        """Stage the records and facts of this part for an engagement."""
        engagement = staging.engagement
        kind: AssetKind = "mortar" if engagement.asset.weapon == "mortar" else "artillery"
        for reason in _cannot(self, staging, kind):
            staging.cannot(reason)
        for note in _notes(self, engagement, kind):
            staging.note(note)
        weapon = Weapon(
            id="",
            side=staging.firer,
            kind=kind,
            target="",
            missions=_missions(self, engagement),
            army=_army(engagement.firer.nationality),
            seen_by=(SEEN_BY.get(engagement.observer.kind) or self.options["forward"],),
            inside=engagement.asset.preregistered,
        )
        for asset in staging.assets:
            stage_asset(self, staging, attrs.evolve(weapon, id=asset), staging.centre)
        if self.word == "resolution":
            _stage_men(self, staging)
        jammed = tuple(
            (staging.firer, what, 0)
            for what in facts.JAMMABLE
            if self.options["jammed"] in (what, "both")
        )
        signals = Signals(warfare=engagement.situation.electronic_warfare, jammed=jammed)
        stage_table(self, staging, Activity(), signals)


def danger_close(part: Part, kind: AssetKind, *, recce: bool) -> int:
    """Return the minimum distance from own troops or recce to a target, in metres (11)."""
    if kind == "fpv":
        return 0
    return part.number("close_recce" if recce and kind == "artillery" else f"close_{kind}")


def _missions(part: Part, engagement: Engagement) -> int:
    return part.number("missions_scarce" if engagement.asset.ammunition == "scarce" else "missions")


def _army(nationality: str) -> Army:
    return "Russia" if nationality.lower() in RUSSIAN else "NATO"


def _cannot(part: Part, staging: Staging, kind: AssetKind) -> Iterator[str]:
    """Yield each reason why the rules do not let this part stage an engagement."""
    observer, frame = staging.engagement.observer, staging.frame
    far = part.number("sight_recce" if part.options["forward"] == "recce" else "sight")
    if part.word == "observers" and observer.kind not in SEEN_BY:
        yield f"an observer of kind {observer.kind}: only recce, a fire support team, a headquarters or a drone can observe (8)"
    elif part.word == "observers" and observer.sight != "clear":
        yield f"sight {observer.sight}: the observer must see the target itself (8)"
    elif part.word == "observers" and observer.kind == "forward" and observer.distance_m > far:
        yield f"the observer is {observer.distance_m} m away: sight ends at {far} m (9)"
    units = [(unit.side == staging.firer, unit.place) for unit in staging.units.values()]
    own, others = ([place for ours, place in units if ours == side] for side in (True, False))
    if part.word == "requests" and own and others:
        near = danger_close(part, kind, recce=part.options["own_near"] == "recce")
        away = max(
            min(frame.gap_metres(frame.gap(friend, other)) for friend in own) for other in others
        )
        if away < near:
            yield f"danger close: own troops are at most {away:.0f} m from the target, and {near} m are required (11)"


def _notes(part: Part, engagement: Engagement, kind: AssetKind) -> Iterator[str]:
    """Yield the assumptions that a part makes, one note each."""
    asset, men = engagement.asset, part.number("men_platoon")
    match part.word:
        case "requests":
            yield f"{asset.guns} tubes of {asset.calibre_mm} mm count as one {kind} asset (6)"
            yield f"the asset has {_missions(part, engagement)} fire missions, as in the first scenario (7)"
            yield f"the target is {'inside' if asset.preregistered else 'outside'} the fire plan in every turn (1)"
        case "delays":
            yield f"a turn counts as {part.options['turn_minutes']} minutes: 15 to 30 by the rules (D10)"
            if part.options["ew"] == "supplement":
                yield f"the firer is jammed in every turn: {part.options['jammed']}, by the option jammed (26, D28)"
            elif not engagement.situation.electronic_warfare:
                yield "no electronic warfare: no chits are drawn (23)"
        case "observers" if engagement.observer.kind == "forward":
            yield f"the forward observer counts as {ROLES[part.options['forward']]} (8, D26)"
        case "resolution":
            yield f"platoons of {men} men; woods count as dense wood, trenches as shell scrapes"
            yield f"the firer's own men near the target count as {ROLES[part.options['own_near']]} (11, D25)"


def _stage_men(part: Part, staging: Staging) -> None:
    """Stage platoons spread over the target area, and the firing side's own troops."""
    target, own = staging.engagement.target, staging.engagement.own_troops
    bodies = staging.bodies(max(1, round(target.men / part.number("men_platoon"))))
    dug: Any = "scrape" if target.posture == "dug_in" or target.cover == "trench" else ""
    cover, moved = COVER.get(target.cover, "open"), target.posture == "moving"
    nearest = sorted(bodies, key=lambda body: (staging.frame.gap(staging.centre, body[0]), body))
    for n, (at, men) in enumerate(nearest, start=1):
        unit = UnitEntry(
            id=f"platoon {n}", side=staging.target_side, cover=cover, dug=dug, moved=moved
        )
        stage_unit(part, staging, unit, at, _army(target.nationality), men)
    if own is not None and staging.own_place is not None:
        unit = UnitEntry(id="own men", side=staging.firer, role=part.options["own_near"])
        army = _army(staging.engagement.firer.nationality)
        stage_unit(part, staging, unit, staging.own_place, army, own.men)
