"""The setup in which rounds do not err and nothing hides them, which bounds what a side can do."""

from collections.abc import Callable

import attrs

from fireplan_asl.blast import radius_of
from fireplan_asl.ground import MapState
from fireplan_asl.missions import BARRAGES, ROCKET
from fireplan_asl.observers import ObserverSight
from fireplan_asl.places import GROUND, hexes_between
from fireplan_core import Place, Setup
from fireplan_core.setups.setup import MissionSetup
from fireplan_core.space import HexFrame

SURELY = 99
"""An Accuracy number that no DRM exceeds."""


def unerring(scenario: Setup, number: Callable[[str], int]) -> Setup | None:
    """Return the scenario with perfect accuracy and LOS, and every hex barred to SMOKE, or None.

    In that scenario a battery that aims only at its target does at least as much as with any other
    orders. Each of its FFEs covers all enemies, its SR or FFE is always seen, and no extra chit is
    due, because all enemies are Known.

    Return None for Barrages, rockets and batteries on both sides. Return None as well if units
    move, if an FFE at the target misses an enemy or reaches any other unit, or if a unit is wider
    than a hex.
    """
    missions, frame = scenario.missions, scenario.frame
    if (
        not isinstance(frame, HexFrame)
        or scenario.mobile
        or len({setup.side for setup in missions.values()}) > 1
        or not all(_covers_all(scenario, setup, number) for setup in missions.values())
    ):
        return None
    ground = scenario.shared.get("areas", MapState())
    barred = attrs.evolve(ground, no_smoke=frozenset(frame.layout.hexes()))
    return attrs.evolve(
        scenario,
        missions={mission: _unerring(setup) for mission, setup in missions.items()},
        shared={**scenario.shared, "areas": barred},
    )


def _covers_all(scenario: Setup, setup: MissionSetup, number: Callable[[str], int]) -> bool:
    """Return whether every FFE of a battery at its target covers all enemies and no other unit.

    The result is False for a battery with Barrages or rockets, and if any unit is wider than a hex.
    """
    gunnery = setup.facts["areas"]
    if gunnery.creep is not None or not {*BARRAGES, ROCKET}.isdisjoint(gunnery.kinds):
        return False
    radii = [radius_of(kind, number) for kind in gunnery.kinds]
    enemies = {unit.side for unit in scenario.units.values()} - {setup.side, GROUND}
    for unit in scenario.units.values():
        away = hexes_between(scenario.frame, setup.target, unit.place)
        if away > min(radii) if unit.side in enemies else away <= max(radii):
            return False
    return not any(unit.extent for unit in scenario.units.values())


def _unerring(setup: MissionSetup) -> MissionSetup:
    """Return a mission's setup in which every round lands on its aim point.

    Its Observer has LOS to every hex.
    """
    gunnery, eyes, requests = (setup.facts[word] for word in ("areas", "observers", "requests"))
    direct = {setup.target} if requests.places else frozenset[Place]()
    facts = {
        "areas": attrs.evolve(gunnery, accurate=SURELY, registered=frozenset()),
        "observers": ObserverSight(
            frozenset(), identified=True, hidden=eyes.hidden, apart=eyes.apart
        ),
        "requests": attrs.evolve(requests, places=requests.places | direct),
    }
    return attrs.evolve(setup, facts={**setup.facts, **facts})
