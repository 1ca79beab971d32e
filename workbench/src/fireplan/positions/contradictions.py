"""Contradictions in a position: combinations of values that play can never reach."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from fractions import Fraction
from typing import Any

from fireplan_core.mission import Mission, Stage
from fireplan_core.play.scenario import Scenario, Values
from fireplan_core.steps.view import View


def contradictions(scenario: Scenario, values: Values) -> Iterator[str]:
    """Yield a sentence for each combination of values that play can never reach."""
    for mission in scenario.missions:
        state = View(values.get, scenario, "").mission(mission)
        limit = scenario.parts.fire_limit(scenario, mission, 1)
        # The strength is 1 at the opening, before the game sets it.
        if limit is not None and state.strength > max(limit.strength, Fraction(1)):
            yield (
                f"{mission}: strength {state.strength}, but its fire is never stronger "
                f"than {limit.strength}"
            )
        yield from _out_of_order(mission, state)
    fixed_places = (
        {} if scenario.mobile else {unit: setup.place for unit, setup in scenario.units.items()}
    )
    for unit, place in fixed_places.items():
        stands = View(values.get, scenario, "").unit_neutral(unit).place
        if stands not in (None, place):  # None: the unit has left the map
            label = scenario.frame.label(place)
            yield f"{unit}: units do not move in this scenario, and it starts at {label}"
    if scenario.decks:
        yield from _miscounted(scenario, View(values.get, scenario, "").decks().out)
    for part in scenario.parts:
        yield from part.contradictions(View(values.get, scenario, part.word))


def _miscounted(
    scenario: Scenario, out: Iterable[tuple[str, str, tuple[Any, ...], int]]
) -> Iterator[str]:
    """Yield a sentence for each fault in the list of the cards that are out of their decks."""
    cards = Counter[str]()
    named = Counter((deck, pile, kinds) for deck, pile, kinds, _ in out)
    for deck, pile, kinds, count in out:
        where = f"table.out: {deck} {pile} [{' '.join(map(str, kinds))}]"
        if deck not in scenario.decks:
            yield f"{where}: there is no deck {deck!r}; expected {', '.join(scenario.decks)}"
            continue
        if named.pop((deck, pile, kinds), 1) > 1:
            yield f"{where} is named twice: add the counts"
        if count < 1:
            yield f"{where}: expected a count of at least 1, got {count}"
        cards[deck] += count
    for deck, count in cards.items():
        if count > (size := sum(number for _, number in scenario.decks[deck])):
            yield f"table.out: {count} cards are out of {deck}, which has {size}"


def unfinished(scenario: Scenario, values: Values) -> Iterator[str]:
    """Yield a sentence for each field whose value is possible only while a moment is played."""
    for mission in scenario.missions:
        state = View(values.get, scenario, "").mission(mission)
        if state.impact is not None and not _has_fire(state):
            yield (
                f"{mission}: a round has landed, but the stage is {state.stage.value}: "
                "set stage=spotting"
            )
        if state.intent is not None:
            yield f"{mission}: a shot is under way (intent) before the moment has begun"
    for part in scenario.parts:
        yield from part.unfinished(View(values.get, scenario, part.word))


def _has_fire(mission: Mission) -> bool:
    """Return whether a mission is in a stage in which one of its rounds is on the map."""
    return mission.stage in (Stage.SPOTTING, Stage.FALLING, Stage.LINGERING)


def _out_of_order(mission: str, state: Mission) -> Iterator[str]:
    """Yield a sentence for a missing target, and for each value impossible in the stage."""
    stage = state.stage
    if state.target is None:
        yield f"{mission}: it has no target"
    # In the middle of a moment a round may have landed while the stage is still that of the call.
    if _has_fire(state) and state.impact is None and state.intent is None:
        yield (
            f"{mission}: the stage is {stage.value}, but no round has landed: "
            "set round to its place"
        )
    if state.reason is not None and stage not in (Stage.ENDED, Stage.DELAYED):
        yield (
            f"{mission}: it ended ({state.reason.value}), but the stage is {stage.value}: "
            "set stage=ended"
        )
