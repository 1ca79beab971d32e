"""The rules of a best policy as sentences, in the game's own words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from fireplan.errors import counted
from fireplan.solver import best as solving
from fireplan.table.plain_words import plain
from fireplan.table.words import Words
from fireplan_core import Scenario, Stage
from fireplan_core.sentences import SEVERAL, capitalized

_LISTED = re.compile(r"(?P<what>[^:{(]+?)(?: \([^)]*\))?: \{\w+\}")
"""Matches the sentence of a field that lists things, such as ``Ammo Depleted: {depleted}``."""
_SUBJECT = re.compile(r"(?P<field>.+?) of (?P<subject>.+)")


class _ShownFields(dict[str, Any]):
    """The values of an order that a rule shows, as the fields of a sentence.

    A field without a value is empty. ``read`` has the fields that a sentence used, and ``missing``
    the used fields that have no value.
    """

    def __init__(self, values: Iterable[tuple[str, Any]], words: Words) -> None:
        super().__init__(values)
        self.read: set[str] = set()
        self.missing: set[str] = set()
        self._words = words

    def __contains__(self, name: object) -> bool:
        return True

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return self.get(name, "")

    def said(self, name: str, value: Any) -> str:
        """Return the words for a value; record the field if it has no value."""
        if name not in self.keys():
            self.missing.add(name)
        return self._words.said(name, value)

    def forget(self) -> None:
        """Clear ``read`` and ``missing`` before the next sentence."""
        self.read.clear()
        self.missing.clear()

    def left_out(self) -> str:
        """Return the values that a sentence did not use, in brackets, or "" if there are none."""
        values = [
            f"{plain(name)} {self._words.said(name, value)}"
            for name, value in self.items()
            if name not in self.read
        ]
        return f" ({', '.join(values)})" if values else ""


class RuleWords:
    """A converter of decision rules to sentences in the words of one scenario."""

    def __init__(self, scenario: Scenario) -> None:
        self._scenario = scenario
        self._words = Words(scenario)

    def question(self, question: str) -> str:
        """Return the game's sentence for a question, or else the question's name as a sentence."""
        sentence = self._scenario.sentences.plain("questions", question, {SEVERAL: False})
        return sentence or question.partition(".")[2].replace("_", " ").capitalize() + "?"

    def rule(self, rule: solving.DecisionRule, decision: solving.DecisionRules) -> str:
        """Return a rule as a sentence: conditions, order, and orders that are equally good."""
        return capitalized(f"{self._when(rule)}: {self._orders(rule, decision)}")

    def order(self, label: str, decision: solving.DecisionRules) -> str:
        """Return the order that a rule names by its label, e.g. "barrage 3130 with 12 in all".

        If no sentence fits, return the label.
        """
        if (order := decision.orders.get(label)) is None:
            return label
        fields = _ShownFields(order.values, self._words)
        for key in (f"{decision.question}.{order.verb}", order.verb):
            for sentence in self._scenario.sentences.alternatives(
                "orders", key, fields, fields.said
            ):
                if not fields.missing and "#" not in sentence:
                    return sentence + fields.left_out()
                fields.forget()
        return label

    def _orders(self, rule: solving.DecisionRule, decision: solving.DecisionRules) -> str:
        shown = [self.order(label, decision) for label in rule.ties[: solving.MOST_TIES]]
        if left := len(rule.ties) - len(shown):
            shown.append(f"{left} more")
        ties = f" (equally good: {'; '.join(shown)})" if shown else ""
        return self.order(rule.order, decision) + ties

    def _when(self, rule: solving.DecisionRule) -> str:
        """Return the conditions of a rule, or "otherwise" or "always" if it has none."""
        equal, limits = solving.limits_of(rule.when)
        conditions = [
            *(self._equal(condition) for condition in equal),
            *(self._limited(feature, *ends) for feature, ends in limits.items()),
        ]
        return " and ".join(conditions) or ("otherwise" if rule.rest else "always")

    def _equal(self, condition: solving.FeatureCondition) -> str:
        """Return the condition that a feature has one value, e.g. "687-FA Ammo Depleted"."""
        value = condition.value
        field, subject = self._field_of(condition.feature)
        if type(value) is int:
            return self._limited(condition.feature, value, value)
        if field == "stage":
            text = self._words.stage(Stage[str(value).upper()])
        elif field == "impact":
            text = "no round on the map" if value is None else f"the round on {value}"
        elif field == "place":
            text = f"in {value}"
        elif isinstance(value, bool):
            text = self._sentence(field, value=True) or plain(field)
            text = text if value else f"not {text}"
        elif what := self._list_name(field):
            text = f"{'none' if value in (None, 'none') else value} {what}"
        else:
            said = "" if value is None else self._sentence(field, value)
            text = said or str(condition).removesuffix(f" of {subject}")
        return f"{subject} {text}" if subject else text

    def _limited(self, feature: str, low: int | None, high: int | None) -> str:
        """Return the limits of a number, e.g. "I-77 with at most 2 steps"."""
        if feature == solving.TO_GO:
            words = solving.range_in_words(feature, low, high)
            moment = self._scenario.clock.moment
            one = low == high == 1
            return words.replace("moments", counted(1 if one else 2, moment).partition(" ")[2])
        if feature.startswith(solving.NUMBER_OF):
            field = feature.removeprefix(solving.NUMBER_OF)
            what = self._list_name(field.replace(" ", "_")) or field
            text = solving.range_in_words(solving.NUMBER_OF + what, low, high)
            return text.replace("no ", "none ", 1) if what != field and high == 0 else text
        field, subject = self._field_of(feature)
        if low == high and (said := self._sentence(field, low)):
            return f"{subject} with {said}" if subject else said
        name = plain(field)
        counts = subject or name.partition(" ")[0].endswith("s")  # such as "commands left"
        text = solving.range_in_words(f"{solving.NUMBER_OF}{name}" if counts else name, low, high)
        return f"{subject} with {text}" if subject else text

    def _field_of(self, feature: str) -> tuple[str, str]:
        """Return the field that a feature shows, and the unit or asset it belongs to, if any."""
        found = _SUBJECT.fullmatch(feature)
        if found is None:
            return feature.replace(" ", "_"), ""
        subject = found["subject"]
        if subject in self._scenario.units:
            subject = self._words.unit(subject)
        return found["field"].replace(" ", "_"), subject

    def _sentence(self, field: str, value: Any) -> str:
        """Return the game's sentence for a field with this value, or an empty text."""
        fields = {field: value}
        return self._scenario.sentences.say("fields", field, fields, self._words.said) or ""

    def _list_name(self, field: str) -> str:
        """Return the name of the list in a field, e.g. "Ammo Depleted"; empty if it has no list."""
        texts = self._scenario.sentences.tables.get("fields", {}).get(field, ())
        found = (_LISTED.fullmatch(text) for text in texts)
        return next((match["what"] for match in found if match), "")
