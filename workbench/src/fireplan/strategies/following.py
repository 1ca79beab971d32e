"""Following a strategy: a scenario whose standard answers are the orders of the strategy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice, product
from typing import Any

import attrs

from fireplan.errors import InputError, gathered, refuse, unknown
from fireplan.positions import step_arguments
from fireplan.positions.fields import MEMORY
from fireplan.positions.final import value_of
from fireplan.strategies.errors import StrategyError
from fireplan.strategies.facts import (
    ASKED,
    LEGAL,
    Fact,
    PendingDecision,
    asked_key,
    asked_now,
    fact_of,
)
from fireplan.strategies.rules import EVERY, STANDARD, OrderRule, Strategy
from fireplan.table import OrderReader, Words, sides_of
from fireplan_core import Ask, Form, Order, ProcedureError, Refusal, Scenario, View
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Answered, Table, Thrown
from fireplan_core.record import Read
from fireplan_core.space import label_of
from fireplan_core.steps.questions import OrderQuestion, form_of

TARGET, ROUND = "target", "round"
"""The words in an order for the place where fire is wanted, and for that of the last round."""
MOST_TRIED = 2_000
"""Maximum number of orders that are tried to fill in the slots that a rule leaves open."""


@attrs.frozen(eq=False, repr=False)
class PendingQuestion:
    """A question as a strategy's function receives it, also available as ``position.question``.

    ``name`` is the question's name, ``side`` the side asked, ``asset`` the asset that the question
    is about (or None), ``args`` its arguments by name, ``orders`` the verbs on offer, and
    ``standard`` the standard order as a player types it.
    """

    scenario: Scenario
    ask: Ask
    read: Read
    forms: Sequence[Form]
    usual: Order

    @classmethod
    def of(cls, scenario: Scenario, ask: Ask, read: Read) -> PendingQuestion:
        """Return the question with the orders that it offers in a state."""
        question: OrderQuestion[Any] = scenario.questions[ask.question]
        view = View(read, scenario, ask.question.partition(".")[0])
        forms = tuple(question.offers(view, *ask.args))
        return cls(scenario, ask, read, forms, question.standard(view, *ask.args))

    def __reduce__(self) -> tuple[Callable[..., PendingQuestion], tuple[Any, ...]]:
        """Return the recipe to make the question again: forms with functions cannot be pickled."""
        return PendingQuestion.of, (self.scenario, self.ask, self.read)

    def __str__(self) -> str:
        """Return the side, the question, the verbs on offer and the standard order."""
        offered = ", ".join(self.orders)
        return f"{self.side}: {self.name}: {offered}; standard: {self.standard}"

    __repr__ = __str__

    @property
    def name(self) -> str:
        """The name of the question, such as ``requests.fire``."""
        return self.ask.question

    @property
    def side(self) -> str:
        """The side that must answer."""
        return self.ask.who

    @property
    def asset(self) -> str | None:
        """The asset that the question is about, or None."""
        return asset_of(self.scenario, self.ask)

    @property
    def args(self) -> Mapping[str, Any]:
        """The arguments of the question by name, with places as labels."""
        names = step_arguments(self.scenario.steps[self.ask.question].run) or ()
        pairs = zip(names[1:], self.ask.args, strict=False)
        frame = self.scenario.frame
        return {
            name: value if name.endswith("s") else label_of(frame, value) or value
            for (name, _), value in pairs
        }

    @property
    def orders(self) -> tuple[str, ...]:
        """The verbs of the orders on offer."""
        return tuple(form.verb for form in self.forms)

    @property
    def standard(self) -> str:
        """The standard order as a player types it."""
        return Words(self.scenario).typed.order(self.usual, self.forms)

    def refuses(self, order: Order) -> Refusal | str | None:
        """Return the reason why an order is refused, or None if it is legal."""
        return refusal_of(self.forms, order)


def refusal_of(forms: Sequence[Form], order: Order) -> Refusal | str | None:
    """Return the reason why an order is refused, or None if one of these forms allows it."""
    form = form_of(order.verb, forms)
    if form is None:
        return f"expected one of {', '.join(form.verb for form in forms)}"
    if {slot.name for slot in form.slots} != {name for name, _ in order.values}:
        return f"it takes {', '.join(slot.name for slot in form.slots) or 'no values'}"
    verdict = form.judge(order)
    return verdict if isinstance(verdict, Refusal) else None


def asset_of(scenario: Scenario, ask: Ask) -> str | None:
    """Return the asset that a question is about, the first that its arguments name, or None."""
    return next(
        (arg for arg in ask.args if isinstance(arg, str) and arg in scenario.missions), None
    )


class Standing:
    """The standing orders of one scenario under a strategy.

    ``offered`` has the verbs that each question has offered so far.
    """

    def __init__(self, scenario: Scenario, strategy: Strategy) -> None:
        self.scenario = scenario
        self.strategy = strategy
        self.offered: dict[str, dict[str, None]] = {}
        self._words, self._reader = Words(scenario), OrderReader(scenario)
        faults: list[str] = []
        bound = [gathered(faults, _bound, scenario, rule) for rule in strategy.rules]
        refuse(faults)
        self._rules = tuple(_Bound(*pair) for pair in bound)

    # --- answering -------------------------------------------------------------------------------
    def order(self, ask: Ask, read: Read) -> Order | None:
        """Return the order of the first rule that fits, or None for the standard order.

        If an order is refused, a rule with ``if legal`` is skipped; any other rule raises
        ``StrategyError``.
        """
        situation: PendingDecision | None = None
        for number, rule in enumerate(self._rules):
            if not rule.answers(ask):
                continue
            situation = situation or self._situation(ask, read)
            if rule.rule.times is not None and self._given(number, ask, read) >= rule.rule.times:
                continue
            if not all(fact(situation) for fact in rule.facts):
                continue
            order = self._order(rule.rule, situation)
            if order is None:
                continue
            refusal = refusal_of(situation.forms, order)
            if refusal is None:
                return order
            if not rule.if_legal:
                raise StrategyError(
                    self.scenario, ask, self._words.typed.order(order), str(refusal)
                )
        return None

    def noted(self, ask: Ask, order: Order, read: Read) -> tuple[tuple[str, Any], ...]:
        """Return the updates to counts that rules refer to, when an order is given.

        Raises ``ProcedureError`` for a question that comes up separately at each place, where a
        strategy cannot count.
        """
        updates: list[tuple[str, Any]] = []
        situation: PendingDecision | None = None
        for number, rule in enumerate(self._rules):
            if not rule.answers(ask):
                continue
            if rule.rule.times is not None:
                given = self._given(number, ask, read)
                situation = situation or self._situation(ask, read)
                if given < rule.rule.times and self._order(rule.rule, situation) == order:
                    updates.append((self._key(number, ask), given + 1))
            if any(condition.fact == ASKED for condition in rule.rule.when):
                updates.append((asked_key(ask), asked_now(ask, read)))
        if updates and ask.scope:
            raise ProcedureError(
                f"{ask.question} is asked separately for {ask.scope}, so a strategy cannot count there: "
                "leave out 'once', 'N times' and 'asked'"
            )
        return tuple(dict(updates).items())

    def _key(self, number: int, ask: Ask) -> str:
        return f"{MEMORY}given/{number}/{asset_of(self.scenario, ask) or ask.who}"

    def _given(self, number: int, ask: Ask, read: Read) -> int:
        return int(read(self._key(number, ask), 0))

    def _situation(self, ask: Ask, read: Read) -> PendingDecision:
        view = View(read, self.scenario, ask.question.partition(".")[0])
        question: OrderQuestion[Any] = self.scenario.questions[ask.question]
        situation = PendingDecision(
            self.scenario, ask, read, view, tuple(question.offers(view, *ask.args))
        )
        self.offered.setdefault(ask.question, {}).update(
            dict.fromkeys(form.verb for form in situation.forms)
        )
        return situation

    # --- the order of a rule ---------------------------------------------------------------------
    def _order(self, rule: OrderRule, situation: PendingDecision) -> Order | None:
        """Return the order that a rule gives, or None if its verb is not on offer.

        Raises ``StrategyError`` for a value that does not fit, and if a rule's function returns
        anything but an order, a text that names an order on offer, or None.
        """
        ask = situation.ask
        if isinstance(rule.order, str):
            return self._typed(rule.order, situation)
        forms, usual = situation.forms, self._usual(situation)
        question = PendingQuestion(self.scenario, ask, situation.read, forms, usual)
        answer = value_of(rule.order, self.scenario, situation.read, question)
        if answer is None or isinstance(answer, Order):
            return answer
        if not isinstance(answer, str):
            raise StrategyError(self.scenario, ask, repr(answer), "it is not an order")
        order = self._typed(answer, situation)
        if order is None:
            verbs = ", ".join(form.verb for form in situation.forms)
            raise StrategyError(self.scenario, ask, answer, f"expected one of {verbs}")
        return order

    def _usual(self, situation: PendingDecision) -> Order:
        """Return the part's standard order for the question."""
        question: OrderQuestion[Any] = self.scenario.questions[situation.ask.question]
        return question.standard(situation.view, *situation.ask.args)

    def _typed(self, text: str, situation: PendingDecision) -> Order | None:
        """Return the order that a text names, with its missing values filled in.

        Return None if it is not on offer. Raise ``StrategyError`` for a value that it cannot take.
        """
        if text == STANDARD:
            return self._usual(situation)
        verb, *tokens = OrderReader.tokens(text)
        form = form_of(verb, situation.forms)
        if form is None:
            return None
        slots = {slot.name: slot for slot in form.slots}
        if tokens and len(tokens) == len(slots) and not any("=" in token for token in tokens):
            tokens = [f"{name}={token}" for name, token in zip(slots, tokens, strict=True)]
        values: dict[str, Any] = {}
        for token in tokens:
            name, _, value = token.partition("=")
            if name not in slots:
                takes = ", ".join(slots) or "no values"
                raise StrategyError(self.scenario, situation.ask, text, f"{verb} takes {takes}")
            place = self._place(value, situation)
            try:
                values[name] = place or self._reader.read_value(value, slots[name])
            except InputError as error:
                raise StrategyError(self.scenario, situation.ask, text, str(error)) from error
        return self._filled(form, values, situation)

    def _place(self, word: str, situation: PendingDecision) -> Any:
        """Return the place that ``target`` or ``round`` refers to.

        Return None for any other word, if there is no such place, or if the question is about no
        asset.
        """
        asset = asset_of(self.scenario, situation.ask)
        if asset is None:
            return None
        if word == TARGET:
            aims = situation.view.aim_at(self.scenario.missions[asset].target)
            return next(iter(aims), None)
        return situation.view.mission(asset).impact if word == ROUND else None

    def _filled(self, form: Form, values: dict[str, Any], situation: PendingDecision) -> Order:
        """Return an order with its open slots filled in: as in the standard order, else legally.

        If no candidate is legal, the first is returned, to be refused.
        """
        open_slots = [slot for slot in form.slots if slot.name not in values]
        if not open_slots:
            return Order.of(form.verb, **values)
        usual = self._usual(situation)
        if usual.verb == form.verb and all(usual.get(name) == values[name] for name in values):
            return usual
        names = [slot.name for slot in open_slots]
        domains = [
            sorted(slot.candidates, key=lambda value, slot=slot: value != usual.get(slot.name))  # type: ignore[misc]
            for slot in open_slots
        ]
        choices = product(*domains)
        first: Order | None = None
        for chosen in islice(choices, MOST_TRIED):
            order = Order.of(form.verb, **values, **dict(zip(names, chosen, strict=True)))
            first = first or order
            if not isinstance(form.judge(order), Refusal):
                return order
        return first or Order.of(form.verb, **values)

    # --- orders that are never on offer ----------------------------------------------------------
    def unfit(self) -> Iterator[str]:
        """Yield a fault for each rule whose order its question never offers, even in random play.

        Rules for several questions are not checked.
        """
        for bound in self._rules:
            order, questions = bound.rule.order, bound.questions & self.offered.keys()
            if not isinstance(order, str) or order == STANDARD or len(bound.questions) > 1:
                continue
            for question in questions:
                verb, offered = order.partition(" ")[0], self.offered[question]
                if verb in offered:
                    continue
                offered |= dict.fromkeys(_offered_in_play(self.scenario, question, verb))
                if verb not in offered:
                    yield f"{question}: {unknown('order', verb, offered)}"


GAMES, MOMENTS, INPUTS = 6, 20, 150
"""Number of games played at random to find an order on offer, and the limits of each."""


def _offered_in_play(scenario: Scenario, question: str, verb: str) -> set[str]:
    """Return the verbs that a question offers in random play, until this verb is among them."""
    verbs: set[str] = set()
    for seed in range(GAMES):
        table, faces = Table(scenario, MOMENTS), RandomFaces(seed)
        for _ in range(INPUTS):
            waits = table.waits_for
            if waits is None or verb in verbs:
                break
            if not isinstance(waits, Ask):
                table.submit(Thrown(waits.name, faces.faces(waits)))
                continue
            if waits.question == question:
                verbs.update(form.verb for form in table.rulebook.forms(waits, table.read))
            orders = table.rulebook.legal(waits, table.read, each=2)
            table.submit(Answered(waits.question, orders[faces.below(len(orders))]))
    return verbs


@attrs.frozen(eq=False)
class _Bound:
    """A rule with its conditions read for one scenario."""

    rule: OrderRule
    questions: frozenset[str]
    facts: tuple[Fact, ...]

    @cached_property
    def if_legal(self) -> bool:
        """True if the rule is skipped when its order is refused."""
        return any(condition.fact == LEGAL for condition in self.rule.when)

    def answers(self, ask: Ask) -> bool:
        """Return whether the rule is for this question and for the side that must answer it."""
        return ask.question in self.questions and self.rule.side in ("", ask.who)


def _bound(
    scenario: Scenario, rule: OrderRule
) -> tuple[OrderRule, frozenset[str], tuple[Fact, ...]]:
    """Return a rule with its questions and conditions; raise ``InputError`` with every fault."""
    faults: list[str] = []
    questions = gathered(faults, _questions, scenario, rule.question) or frozenset()
    if rule.side and rule.side not in sides_of(scenario):
        faults.append(str(unknown("side", rule.side, sides_of(scenario))))
    facts = [gathered(faults, fact_of, scenario, questions, each) for each in rule.when]
    refuse(f"{rule.text}: {fault}" for fault in faults)
    return rule, questions, tuple(facts)


def _questions(scenario: Scenario, name: str) -> frozenset[str]:
    names = scenario.questions
    if name == EVERY:
        return frozenset(names)
    full = [key for key in names if name in (key, key.partition(".")[2])]
    if len(full) != 1:
        raise unknown("question", name, names)
    return frozenset(full)
