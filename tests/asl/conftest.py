"""Engagements, scenarios and a referee with typed-in dice for the tests of this game."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import attrs
import pytest

import fireplan_asl
from fireplan_asl.missions import SHELLS
from fireplan_core import (
    Ask,
    Asset,
    Engagement,
    FireKind,
    Firer,
    Observer,
    Order,
    Pending,
    Scenario,
    Step,
    Target,
)
from fireplan_core.chance import ScriptedFaces
from fireplan_core.play import (
    Answered,
    Catalogue,
    State,
    Table,
    Thrown,
    Variation,
    stage_engagement,
)

CATALOGUE = Catalogue()
CATALOGUE.admit(fireplan_asl)


def engagement(nationality: str = "german", date: str = "1944-12-18", **changes: Any) -> Engagement:
    """Return an engagement: a German battery against a squad, with any keyword changed."""
    return attrs.evolve(
        Engagement(
            title="test",
            date=dt.date.fromisoformat(date),
            firer=Firer(nationality=nationality),
            target=Target(nationality="russian", men=10, frontage_m=10, depth_m=10),
        ),
        **changes,
    )


def scenario(nationality: str = "german", date: str = "1944-12-18", **changes: Any) -> Scenario:
    """Return a scenario.

    Keywords such as ``asset``, ``observer`` and ``target`` go to the engagement, ``options`` to the
    game.
    """
    options = changes.pop("options", {})
    rules = changes.pop("rules", ())
    wanted = engagement(nationality, date, **changes)
    return stage_engagement(CATALOGUE, "asl", wanted, Variation(options=options, rules=rules))


class Referee:
    """A table played with scripted dice and orders.

    Where no order is scripted, the standard answer is given.
    """

    def __init__(self, played: Scenario, moments: int = 60) -> None:
        self.scenario = played
        self.table = Table(played, moments)

    def place(self, label: str) -> Any:
        """Return a hex by its label."""
        return self.scenario.frame.parse(label)

    def stand(self, *agenda: Pending, **values: Any) -> Referee:
        """Set values of the mission (``__`` in a key stands for ``/``) and the agenda, and play on.

        Without an agenda the mission is made ready.
        """
        if kind := values.get("requests__kind"):
            values.setdefault("kind", SHELLS.get(kind, FireKind.HE))
        updates = {f"missions/a/{name.replace('__', '/')}": value for name, value in values.items()}
        self.put(updates, agenda or (Step("core.ready", ("a",)),)).table._advance()
        return self

    def put(self, values: dict[str, Any], agenda: Sequence[Pending] | None = None) -> Referee:
        """Set values of the state by key, and the agenda if there is one, without playing on."""
        now = self.table.state
        pending = now.agenda if agenda is None else tuple(agenda)
        self.table.state = State(now.values.put(tuple(values.items())), pending)
        return self

    def befalls(self, unit: str, **values: Any) -> Referee:
        """Set how fire has affected a unit, as resolution records it."""
        return self.put(
            {f"units/{unit}/resolution/{name}": value for name, value in values.items()}
        )

    def go(self, faces: Sequence[int | str] = (), orders: Sequence[Order] = ()) -> Referee:
        """Play until the dice and orders run out and the table waits for another.

        An order answers the first question that offers its verb; other questions get the standard
        answer.
        """
        dice, left, waiting = ScriptedFaces(faces), len(faces), list(orders)
        table = self.table
        while (waits := table.waits_for) is not None:
            if isinstance(waits, Ask):
                offered = {
                    form.verb
                    for form in table.rulebook.question(waits).offers(self.view(waits), *waits.args)
                }
                if waiting and waiting[0].verb in offered:
                    order = waiting.pop(0)
                elif not left and waits.question in ("requests.fire", "requests.blind"):
                    break
                else:
                    order = table.rulebook.answer(waits, {}, table.read)
                answer = table.submit(Answered(waits.question, order))
                assert isinstance(answer, tuple), answer
            elif left:
                left -= len(waits.faces)
                table.submit(Thrown(waits.name, dice.faces(waits)))
            else:
                break
        assert left == 0
        assert not waiting
        return self

    def view(self, asked: Ask) -> Any:
        """Return the view of the part that asks the question."""
        return self.table.rulebook.view(asked, self.table.read)

    def get(self, name: str) -> Any:
        """Return a value of the mission."""
        return self.table.read(f"missions/a/{name}", None)

    def refused(self, order: Order) -> str | None:
        """Return the rule that forbids an order now, or None."""
        refusal = self.table.rulebook.refuse(self.table.waits_for, order, self.table.read)
        return None if refusal is None else refusal.cite

    @property
    def label(self) -> str | None:
        """Return the hex of the SR or FFE."""
        impact = self.get("impact")
        return None if impact is None else self.scenario.frame.label(impact)

    @property
    def waits(self) -> str:
        """Return the name of the throw or question that the table waits for."""
        waits = self.table.waits_for
        return waits.question if isinstance(waits, Ask) else getattr(waits, "name", "")

    def emitted(self, kind: str) -> list[Any]:
        """Return all events of a kind so far."""
        return [entry.event for entry in self.table.log if entry.event.kind == kind]


@pytest.fixture
def make() -> Any:
    """Return a function that makes a scenario."""
    return scenario


@pytest.fixture
def referee() -> Any:
    """Return a function that makes a referee: ``referee(scenario)`` or ``referee(**engagement)``."""

    def start(played: Scenario | None = None, **changes: Any) -> Referee:
        return Referee(scenario(**changes) if played is None else played)

    return start


__all__ = ["Asset", "Observer", "Referee", "engagement", "scenario"]


@pytest.fixture
def catalogue() -> Catalogue:
    """Return a catalogue with only this game."""
    return CATALOGUE
