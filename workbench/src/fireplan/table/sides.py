"""Say what a side may know: the assets and units hidden from it, the orders it hears, what an event tells it."""

from collections.abc import Collection, Iterable
from typing import Any

import attrs

from fireplan_core import REFEREE, Event, Mission, Reason, Scenario, Stage, defaults
from fireplan_core.play.scenario import State

ABOUT = ("mission", "unit")
"""The fields of events that name an asset or a unit."""
CARDS = "shared/out"
"""The key of the cards that are out of decks."""
OWN = ("gap", "on_target", "own_under_fire")
"""Say what an event of a round tells of where its side wants it and of all that this side has: told to nobody else."""


class Eyes:
    """The eyes of one side at a table of a scenario."""

    def __init__(self, scenario: Scenario, side: str) -> None:
        self.scenario = scenario
        self.side = side
        self._hidden: dict[str, bool] = {}

    def hidden(self, name: str) -> bool:
        """Return whether an asset or unit of another side is kept from this one until an event shows it."""
        if name not in self._hidden:
            owner = self.scenario.owner(name)
            foreign = owner is not None and self.side not in (REFEREE, owner)
            parts = self.scenario.parts if foreign else ()
            self._hidden[name] = any(part.hides(self.scenario, name, self.side) for part in parts)
        return self._hidden[name]

    def learns(self, event: Event) -> Event | None:
        """Return what this side learns of an event; its own assets' events in full.

        Of another side's rounds it sees where they lie, not how far that is from where they were
        wanted.
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
        """Return whether this side learns of a question to somebody, and of the answer."""
        if self.side in (REFEREE, who):
            return True
        return who != REFEREE and not self.scenario.questions[question].secret

    def sees(self, seen_by: str) -> bool:
        """Return whether this side sees how a throw falls that all see, or the side named alone."""
        return self.side in (REFEREE, seen_by or self.side)

    def cards(
        self, out: Iterable[tuple[str, str, Any, int]]
    ) -> tuple[tuple[str, str, Any, int], ...]:
        """Return what this side knows of the cards that are out: those in the hands of others may be any."""
        return tuple(entry for entry in out if self.sees(self.scenario.hands.get(entry[:2], "")))

    def names_hidden(self, event: Event) -> bool:
        """Return whether an event names an asset or a unit that is hidden."""
        return any(name in ABOUT and self.hidden(str(value)) for name, value in event.fields)

    @property
    def veiled(self) -> bool:
        """Return whether anything at all is hidden from this side."""
        scenario = self.scenario
        names = (*scenario.missions, *scenario.units)
        secret = any(question.secret for question in scenario.questions.values())
        return (
            secret
            or any(map(self.hidden, names))
            or not all(map(self.sees, scenario.hands.values()))
        )


def sides_of(scenario: Scenario) -> tuple[str, ...]:
    """Return the sides that own assets or units, in the order of the assets, then of the units."""
    assets = (setup.side for setup in scenario.missions.values())
    return tuple(dict.fromkeys((*assets, *(setup.side for setup in scenario.units.values()))))


def believed(
    scenario: Scenario, state: State, eyes: Eyes, seen: Collection[str]
) -> tuple[Scenario, State]:
    """Return a game as a side knows it, without the hidden assets and units that are not among ``seen``.

    Cards in the hands of others may be any that are left, as likely as the counts have it.

    Two games that look the same to the side are the same afterwards, so odds of it tell nothing
    that is hidden.
    """
    out = {
        name
        for name in (*scenario.missions, *scenario.units)
        if eyes.hidden(name) and name not in seen
    }
    updates: list[tuple[str, Any]] = (
        [(CARDS, eyes.cards(state.values.get(CARDS, ())))] if scenario.hands else []
    )
    if not out and not updates:
        return scenario, state
    for mission in out & scenario.missions.keys():
        gone = Mission(stage=Stage.ENDED, reason=Reason.LOST, target=scenario.centre)
        updates += [
            (f"missions/{mission}/{name}", getattr(gone, name)) for name in defaults(Mission)
        ]
        for word, slot in scenario.missions[mission].slots.items():
            usual = defaults(type(slot))  # type: ignore[arg-type] # a class
            updates += [
                (f"missions/{mission}/{word}/{name}", value) for name, value in usual.items()
            ]
    agenda = tuple(
        pending for pending in state.agenda if not out & {str(arg) for arg in pending.args}
    )
    units = {unit: setup for unit, setup in scenario.units.items() if unit not in out}
    return attrs.evolve(scenario, units=units), State(state.values.put(tuple(updates)), agenda)
