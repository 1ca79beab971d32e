"""Bodies of units that a command activates together: stacks, masses and blobs (3.4 to 3.6)."""

from itertools import combinations

from fireplan_core import Part, Place, Refusal, View
from fireplan_core.space import Hex, distance
from fireplan_red_poppies.ground import ScenarioMap
from fireplan_red_poppies.troops import Company, TroopState, Units


def stacking_limit(part: Part, ground: ScenarioMap | None, place: Place) -> int:
    """Return the maximum number of a side's AFVs in a hex (3.4).

    The same limit applies to the side's other units in the hex.
    """
    quarry = ground is not None and ground.plot(place).quarry
    return part.number("quarry_units" if quarry else "companies_in_a_hex")


def pairs(view: View, units: Units) -> tuple[Units, ...]:
    """Return all pairs of units that share a hex."""
    return tuple(
        pair for pair in combinations(units, 2) if view.place_of(pair[0]) == view.place_of(pair[1])
    )


def refuse_body(part: Part, view: View, units: Units) -> Refusal | None:
    """Return a refusal unless the units are a stack, a mass or a blob, else None (3.4 to 3.6)."""
    places = [view.place_of(unit) for unit in units]
    if len(units) <= part.number("companies_in_a_hex") and len(set(places)) == 1:
        return None
    formed = all(view.unit(unit, TroopState).formed for unit in units)
    return (_refuse_mass if formed else _refuse_blob)(part, view, units, places)


def _refuse_mass(part: Part, view: View, units: Units, places: list[Hex]) -> Refusal | None:
    first, *others = (view.unit_facts(unit, Company) for unit in units)
    if not all(first.identical(other) for other in others):
        return Refusal.of("3.11, 3.5", "mass_identical")
    most, hexes = part.number("mass_units"), part.number("mass_hexes")
    if len(units) > most or len(set(places)) > hexes:
        return Refusal.of("3.5", "mass_size", most=most, hexes=hexes)
    return None if _connected(places) else Refusal.of("3.5", "mass_unbroken")


def _refuse_blob(part: Part, view: View, units: Units, places: list[Hex]) -> Refusal | None:
    dispersed = not any(view.unit(unit, TroopState).formed for unit in units)
    if not dispersed or not all(view.unit_facts(unit, Company).infiltrates for unit in units):
        return Refusal.of("3.5, 3.6", "mass_formed")
    if len(units) > part.number("blob_units"):
        return Refusal.of("3.6", "blob_size")
    separate = any(
        all(distance(p, o) > 1 for j, o in enumerate(places) if j != k)
        for k, p in enumerate(places)
    )
    return Refusal.of("3.6", "blob_together") if separate else None


def _connected(places: list[Hex]) -> bool:
    reached, todo = {places[0]}, [places[0]]
    while todo:
        at = todo.pop()
        fresh = {p for p in places if p not in reached and distance(at, p) <= 1}
        reached |= fresh
        todo.extend(fresh)
    return reached == set(places)
