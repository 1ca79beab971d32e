"""The knowledge of each side: what is hidden from it, and the orders and events that it sees."""

from collections.abc import Collection, Iterable
from functools import cached_property
from typing import Any

import attrs

from fireplan_core import (
    REFEREE,
    Event,
    Mission,
    MissionSetup,
    Reason,
    Scenario,
    Stage,
    assumed,
    defaults,
)
from fireplan_core.play.scenario import State

ABOUT = ("mission", "unit")
"""The fields of events that name an asset or a unit."""
CARDS = "shared/out"
"""The key of the cards that have been drawn from their decks."""
OWN = ("gap", "on_target", "own_under_fire")
"""Fields of a round's event that only its own side sees: they betray its target or troops."""


class Visibility:
    """The knowledge open to one side of a scenario: the assets, units and events that it sees."""

    def __init__(self, scenario: Scenario, side: str) -> None:
        self.scenario = scenario
        self.side = side
        self._hidden: dict[str, bool] = {}

    def hidden(self, name: str) -> bool:
        """Return whether an asset or unit of another side stays hidden until an event shows it."""
        if name not in self._hidden:
            owner = self.scenario.owner(name)
            foreign = owner is not None and self.side not in (REFEREE, owner)
            parts = self.scenario.parts if foreign else ()
            self._hidden[name] = any(part.hides(self.scenario, name, self.side) for part in parts)
        return self._hidden[name]

    @cached_property
    def assumed_facts(self) -> dict[str, MissionSetup]:
        """Other sides' assets with secret facts, by name, with the facts that this side assumes."""
        return {
            name: changed
            for name, setup in self.scenario.missions.items()
            if self.side not in (REFEREE, setup.side)
            and (changed := _with_assumed(setup)) is not setup
        }

    def learns(self, event: Event) -> Event | None:
        """Return an event as this side sees it, or None if it sees nothing of it.

        The side sees the events of its own assets in full, and the impacts of another side's
        rounds, but not their distance from the target.
        """
        mission = next((str(value) for name, value in event.fields if name == "mission"), None)
        if self.side == REFEREE or (
            mission is not None and self.scenario.owner(mission) == self.side
        ):
            return event
        learnt: Event | None = event
        for part in self.scenario.parts:
            learnt = None if learnt is None else part.shows(self.scenario, learnt, self.side)
        if learnt is None or mission is None:
            return learnt
        return attrs.evolve(
            learnt, fields=tuple(field for field in learnt.fields if field[0] not in OWN)
        )

    def hears(self, who: str, question: str) -> bool:
        """Return whether this side hears a question put to ``who``, and the answer."""
        if self.side in (REFEREE, who):
            return True
        return who != REFEREE and not self.scenario.questions[question].secret

    def sees(self, seen_by: str) -> bool:
        """Return whether this side sees a throw.

        ``seen_by`` is the only side that sees it, or "" if all sides do.
        """
        return self.side in (REFEREE, seen_by or self.side)

    def cards(
        self, out: Iterable[tuple[str, str, Any, int]]
    ) -> tuple[tuple[str, str, Any, int], ...]:
        """Return the drawn cards in ``out`` without those in other sides' hands.

        Each entry is (deck, pile, kinds, number).
        """
        return tuple(entry for entry in out if self.sees(self.scenario.hands.get(entry[:2], "")))

    def known_cards(self, state: State) -> State:
        """Return a state with only the cards that this side knows."""
        if all(map(self.sees, self.scenario.hands.values())):
            return state
        cards = self.cards(state.values.get(CARDS, ()))
        return State(state.values.put(((CARDS, cards),)), state.agenda)

    def names_hidden(self, event: Event) -> bool:
        """Return whether an event names a hidden asset or unit."""
        return any(name in ABOUT and self.hidden(str(value)) for name, value in event.fields)

    @property
    def veiled(self) -> bool:
        """True if anything is hidden from this side."""
        scenario = self.scenario
        names = (*scenario.missions, *scenario.units)
        secret = any(question.secret for question in scenario.questions.values())
        return (
            secret
            or bool(self.assumed_facts or scenario.assumed_by(self.side))
            or any(map(self.hidden, names))
            or not all(map(self.sees, scenario.hands.values()))
        )


def sides_of(scenario: Scenario) -> tuple[str, ...]:
    """Return the sides that own assets or units, in the order of assets, then of units."""
    assets = (setup.side for setup in scenario.missions.values())
    return tuple(dict.fromkeys((*assets, *(setup.side for setup in scenario.units.values()))))


def believed(
    scenario: Scenario, state: State, eyes: Visibility, seen: Collection[str]
) -> tuple[Scenario, State]:
    """Return the scenario and state of a game as a side knows them.

    Hidden units that are not in ``seen`` are removed. Hidden assets that are not in ``seen`` stay
    in the scenario, but count as lost: their missions have ended and their pending steps are
    dropped. Secret fields and facts of other sides have the values that the side assumes. Cards in
    other hands may be any of the remaining cards, with chances according to their counts.

    Two games that look the same to the side become equal, so odds computed from the result reveal
    nothing hidden.
    """
    hidden = {
        name
        for name in (*scenario.missions, *scenario.units)
        if eyes.hidden(name) and name not in seen
    }
    updates: list[tuple[str, Any]] = (
        [(CARDS, eyes.cards(state.values.get(CARDS, ())))] if scenario.hands else []
    )
    updates += scenario.assumed_by(eyes.side).items()
    if not hidden and not updates and not eyes.assumed_facts:
        return scenario, state
    for mission in hidden & scenario.missions.keys():
        lost = Mission(stage=Stage.ENDED, reason=Reason.LOST, target=scenario.centre)
        updates += [
            (f"missions/{mission}/{name}", getattr(lost, name)) for name in defaults(Mission)
        ]
        for word, slot in scenario.missions[mission].slots.items():
            values = defaults(type(slot))  # type: ignore[arg-type] # a record's class
            updates += [
                (f"missions/{mission}/{word}/{name}", value) for name, value in values.items()
            ]
    agenda = tuple(
        pending for pending in state.agenda if not hidden & {str(arg) for arg in pending.args}
    )
    units = {unit: setup for unit, setup in scenario.units.items() if unit not in hidden}
    known = attrs.evolve(
        scenario, units=units, missions={**scenario.missions, **eyes.assumed_facts}
    )
    return known, State(state.values.put(tuple(updates)), agenda)


def _with_assumed(setup: MissionSetup) -> MissionSetup:
    """Return an asset with its secret facts replaced by the facts that other sides assume.

    An asset whose facts have no secret fields is returned unchanged, as the same object.
    """
    changed = {
        word: attrs.evolve(fact, **secret)
        for word, fact in setup.facts.items()
        if (secret := assumed(type(fact)))  # type: ignore[arg-type] # the class of the facts
    }
    return attrs.evolve(setup, facts={**setup.facts, **changed}) if changed else setup
