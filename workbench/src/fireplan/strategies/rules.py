"""Strategies as values: rules in order, each an order for a question under conditions.

A line holds the rules, separated by semicolons, each written as ``[SIDE:] QUESTION=ORDER [once | N
times] [if CONDITION and CONDITION ...]``:

    requests.call=call once; requests.call=pass; requests.fire=convert if on target
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import attrs

from fireplan.errors import InputError, gathered, quoted, refuse

OUTSIDE = r'(?=(?:[^"]*"[^"]*")*[^"]*$)'
"""Matches where an even number of double quotes follows."""
LONGEST = 20_000
"""Maximum length of the text of a strategy, in characters."""
STANDARD = "standard"
"""The order of a rule that gives the standard order."""
EVERY = "*"
"""The question of a rule that answers every question."""
_RULE = re.compile(
    r'(?:(?P<side>[^:=;"]+?)\s*:)?\s*(?P<question>[\w.*]+)\s*=(?P<rest>.*)', re.DOTALL
)
_IF = re.compile(r"\s+if\s+" + OUTSIDE)
_AND = re.compile(r"\s+and\s+" + OUTSIDE)
_OFTEN = re.compile(r"\s+(?:(once)|(twice)|([1-9][0-9]{0,2}) times)$")
_CONDITION = re.compile(
    r"(?P<not>not\s+)?(?P<fact>.+?)\s*(?:(?P<how><=|>=|!=|=|<|>)\s*(?P<value>.+))?" + OUTSIDE,
    re.DOTALL,
)
_MARKS = re.compile(r'[;<>=!"]|\b(?:if|and|not)\b')
_EXAMPLE = "write QUESTION=ORDER, such as requests.fire=convert"

Advice = Callable[[Any, Any], Any]
"""A function of the position and the question that returns an order, or None if it gives none."""


@attrs.frozen
class RuleCondition:
    """A condition of a rule: a fact, possibly compared with a value.

    Facts are the fields of a position (``a.stage``, ``1st squad.broken``, ``K5.smoke``,
    ``table.NAME``), the arguments of the question, the time (``turn``), ``on target``, ``off`` (the
    distance of the last round from the target in metres), ``asked`` (how often the question has
    been asked this moment, this time included), and ``legal`` (the rules allow the order).
    """

    fact: str
    how: str = ""
    value: str = ""
    negated: bool = False

    @classmethod
    def parse(cls, text: str) -> RuleCondition:
        """Return the condition that a text describes; raise ``InputError`` if it is not one."""
        parts = _CONDITION.fullmatch(text.strip())
        if parts is None or not (fact := _unquoted(parts["fact"])):
            raise InputError(
                f"{quoted(text)} is not a condition: write one such as a.stage=spotting."
            )
        return cls(fact, parts["how"] or "", _unquoted(parts["value"] or ""), bool(parts["not"]))

    def __str__(self) -> str:
        value = f"{self.how}{_shown(self.value)}" if self.how else ""
        return f"{'not ' if self.negated else ''}{_shown(self.fact)}{value}"


def _unquoted(text: str) -> str:
    return " ".join(text.replace('"', "").split())


def _shown(text: str) -> str:
    return f'"{text}"' if _MARKS.search(text) else text


@attrs.frozen
class OrderRule:
    """An order for a question: as typed (``correct at=target``), ``standard``, or a function.

    ``side`` is empty if the rule holds for every side that is asked. ``times`` is the number of
    times that the order is given for each asset, or None for any number.
    """

    question: str
    order: str | Advice
    side: str = ""
    times: int | None = None
    when: tuple[RuleCondition, ...] = ()

    @classmethod
    def parse(cls, text: str) -> OrderRule:
        """Return the rule that a text describes; raise ``InputError`` with every fault."""
        parts = _RULE.fullmatch(text.strip())
        if parts is None:
            raise InputError(f"{quoted(text.strip())} is not a rule: {_EXAMPLE}.")
        return cls.of(parts["question"], parts["rest"], (parts["side"] or "").strip())

    @classmethod
    def of(cls, question: str, order: str, side: str = "") -> OrderRule:
        """Return the rule for a question that gives an order as typed, with its conditions.

        Raise ``InputError`` with every fault.
        """
        faults: list[str] = []
        said, *conditions = _IF.split(f" {order.strip()}")
        times: int | None = None
        if often := _OFTEN.search(said):
            times = 1 if often[1] else 2 if often[2] else int(often[3])
            said = said[: often.start()]
        if len(conditions) > 1:
            faults.append(
                f"{quoted(order.strip())}: write 'if' once and join conditions with 'and'."
            )
        texts = _AND.split(conditions[0]) if conditions else []
        when = [gathered(faults, RuleCondition.parse, text) for text in texts]
        if said.strip().startswith("<"):
            faults.append(
                f"{question}: {said.strip()} stands for a function, which cannot be written as text."
            )
        if not said.strip():
            faults.append(f"{question}: names no order; {_EXAMPLE}.")
        refuse(faults)
        return cls(question, " ".join(said.split()), side, times, tuple(when))

    @property
    def text(self) -> str:
        """The rule as a text, even if it contains a function, which cannot be read back."""
        order = self.order if isinstance(self.order, str) else f"<{_named(self.order)}>"
        times = {None: "", 1: " once", 2: " twice"}.get(self.times, f" {self.times} times")
        when = f" if {' and '.join(map(str, self.when))}" if self.when else ""
        side = f"{self.side}: " if self.side else ""
        return f"{side}{self.question}={order}{times}{when}"


def _named(function: Advice) -> str:
    name = getattr(function, "__name__", "") or type(function).__name__
    return "function" if name == "<lambda>" else name


@attrs.frozen
class Strategy:
    """Orders given in advance: the first rule that fits a question answers it.

    A rule fits if its question is asked, its conditions hold, and its order is on offer. Where no
    rule fits, the standard order is given. ``str`` writes a strategy as one line, which
    ``strategy`` reads back.

    >>> str(fp.strategy("fire=convert").then("call=call once"))
    'fire=convert; call=call once'
    """

    rules: tuple[OrderRule, ...] = ()

    @property
    def line(self) -> str:
        """The strategy as one line, with the orders of ``best`` as rules.

        Raise ``InputError`` if it contains a function that rules cannot express.
        """
        return str(self.in_rules())

    def in_rules(self) -> Strategy:
        """Return an equivalent strategy, with rules instead of functions found by ``best``.

        Raise ``InputError`` for any other function, and for a function that rules cannot express.
        """
        rules: list[OrderRule] = []
        functions: list[str] = []
        for rule in self.rules:
            said = getattr(rule.order, "rules", None)
            if isinstance(rule.order, str):
                rules.append(rule)
            elif said is None:
                functions.append(_named(rule.order))
            else:
                rules += said(rule.side)
        if functions:
            raise InputError(
                f"A strategy with a function ({', '.join(functions)}) cannot be written as rules: give its"
                " orders as rules, such as 'requests.fire=convert if on target', or pass the function itself."
            )
        return Strategy(tuple(rules))

    def __str__(self) -> str:
        return "; ".join(rule.text for rule in self.rules)

    def then(self, other: Any) -> Strategy:
        """Return the strategy extended by another, which answers where this one has no rule."""
        return Strategy((*self.rules, *strategy(other).rules))

    def but(self, other: Any) -> Strategy:
        """Return the strategy overridden by another: its rules come first."""
        return Strategy((*strategy(other).rules, *self.rules))

    def of(self, side: str) -> Strategy:
        """Return the strategy with every rule that names no side restricted to this one."""
        return Strategy(tuple(attrs.evolve(rule, side=rule.side or side) for rule in self.rules))

    def save(self, path: str | Path) -> Path:
        """Write the strategy to a file, one rule a line, and return its path.

        ``strategy(Path(path))`` reads it back. Raise ``InputError`` if rules cannot express it.
        """
        target, rules = Path(path), self.in_rules().rules
        target.write_text("".join(f"{rule.text}\n" for rule in rules), encoding="utf-8")
        return target


STANDARD_ORDERS = Strategy()
"""The strategy without rules."""


def strategy(*orders: Any, **sides: Any) -> Strategy:
    """Return the strategy that combines these orders, with the rules of earlier arguments first.

    An argument is a line (``"requests.fire=convert; delays.contact=roll"``), a mapping from
    questions to orders, a function ``(position, question) -> order``, a file (a ``Path``), another
    strategy, or an answer of ``best``. Keywords give orders to one side:
    ``strategy(german="fire=pass")``. An order is a text such as ``"convert if on target"``, an
    ``Order`` or a function, or a list of these in the order in which they are tried. Raise
    ``InputError`` with every fault.

    >>> plan = fp.strategy({"fire": ["convert if on target", "correct at=target if legal"]})
    >>> print(plan)
    fire=convert if on target; fire=correct at=target if legal
    """
    faults: list[str] = []
    rules: list[OrderRule] = []
    for said in orders:
        rules += gathered(faults, _rules_of, said) or ()
    for side, said in sides.items():
        rules += [
            attrs.evolve(rule, side=rule.side or side)
            for rule in gathered(faults, _rules_of, said) or ()
        ]
    refuse(faults)
    return Strategy(tuple(rules))


def _rules_of(said: Any) -> tuple[OrderRule, ...]:
    """Return the rules of one argument of ``strategy``; raise ``InputError`` with every fault."""
    said = getattr(said, "strategy", said)
    if said is None:
        return ()
    if isinstance(said, Strategy):
        return said.rules
    if isinstance(said, OrderRule):
        return (said,)
    if isinstance(said, Path):
        return _of_text(_text_of(said))
    if isinstance(said, str):
        return _of_text(said)
    if isinstance(said, Mapping):
        return tuple(_of_mapping(said))
    if callable(said):
        return (OrderRule(EVERY, said),)
    if isinstance(said, list | tuple):
        return strategy(*said).rules
    raise InputError(
        f"orders: expected rules, such as {{'requests.fire': 'convert'}}, got {said!r}."
    )


def _text_of(path: Path) -> str:
    from fireplan.errors import unread_file
    from fireplan_core.files import read_ordinary

    try:
        content = read_ordinary(path, most := 4 * LONGEST)  # a character takes at most four bytes
        # A file that is too long is cut, perhaps within a character: its length is refused.
        return content.decode("utf-8-sig", "strict" if len(content) <= most else "replace")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: {unread_file(error)}") from error


def _of_text(text: str) -> tuple[OrderRule, ...]:
    if len(text) > LONGEST:
        raise InputError(f"The orders are longer than {LONGEST:,} characters.")
    faults: list[str] = []
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    rules = [
        gathered(faults, OrderRule.parse, rule)
        for rule in re.split(";" + OUTSIDE, ";".join(lines))
        if rule.strip()
    ]
    refuse(faults)
    return tuple(rules)


def _of_mapping(said: Mapping[Any, Any]) -> Iterator[OrderRule]:
    """Yield the rules of a mapping; raise ``InputError`` with every fault."""
    from fireplan_core import Order

    faults: list[str] = []
    for key, value in said.items():
        if isinstance(value, Mapping | Strategy):
            rules = gathered(faults, _rules_of, value) or ()
            yield from (attrs.evolve(rule, side=rule.side or key) for rule in rules)
            continue
        side, _, question = str(key).rpartition(":")
        for order in value if isinstance(value, list) else (value,):
            if isinstance(order, str):
                with_faults = len(faults)
                rule = gathered(faults, OrderRule.of, question.strip(), order, side.strip())
                yield from () if len(faults) > with_faults else (rule,)
            elif isinstance(order, Order):
                yield OrderRule(question.strip(), _Fixed(order), side.strip())
            elif callable(order):
                yield OrderRule(question.strip(), cast("Advice", order), side.strip())
            else:
                faults.append(f"{key}: expected an order such as 'convert', got {order!r}.")
    refuse(faults)


@attrs.frozen
class _Fixed:
    """Advice that always gives ``order``."""

    order: Any

    def __call__(self, _position: Any, _question: Any) -> Any:
        return self.order
