"""Orders, values and events in words: one converter, which uses the sentences of each game."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from fireplan.table.card_words import CardWords
from fireplan.table.order_writer import OrderWriter
from fireplan.table.plain_words import apart, plain, side_name
from fireplan_core import (
    Ask,
    Event,
    Form,
    Order,
    Reason,
    Scenario,
    Severity,
    Stage,
    Step,
)
from fireplan_core.chance import ChanceEvent, Draw, Face
from fireplan_core.sentences import SEVERAL, capitalized
from fireplan_core.space import label_of

NOTHING = "nothing more happens"
"""The meaning of a throw without effect, where the game has no words for it."""
_COMMON = re.compile(r"(?:[a-z]|\d+(?:st|nd|rd|th)\b).*(?<!\d)$")
"""Matches a unit name that is a common noun and therefore takes an article."""
PREPOSITIONS = ("at", "by", "to")
"""The names of values that read as a preposition before the value."""
_ARTICLE = re.compile("(?:a|an|the) ")


class Words:
    """A converter of one scenario's values to words."""

    def __init__(self, scenario: Scenario) -> None:
        self.typed = OrderWriter(scenario.frame)
        self.cards = CardWords(scenario, self.said)
        self._scenario = scenario
        self._sentences = scenario.sentences
        self._sides = {scenario.owner(name) for name in (*scenario.missions, *scenario.units)}
        self._frame = scenario.frame
        self._single = len(scenario.missions) == 1

    def verb_name(self, verb: str) -> str:
        """Return the verb of an order as players write it, such as "WP barrage"."""
        return self._sentences.say("names", verb, {}, self.said) or plain(verb)

    def deed(self, order: Order, form: Form, question: str) -> str:
        """Return an order in the words of the game, e.g. "Place 4 barrages".

        A value that the game's sentence does not use is added to it: directly if its name is a
        preposition, e.g. "Place an AR at K5", and otherwise after a colon.
        """
        fields = _Noting({**form.fields, **dict(order.values)})
        keys = (f"{question}.{order.verb}", order.verb)
        usual = next(
            filter(None, (form.words.plain("orders", key, form.fields) for key in keys)), ""
        )
        text = form.summary or plain(order.verb)
        if text == usual:  # the game may also have a sentence with the values filled in
            said = (form.words.say("orders", key, fields, self.said) for key in keys)
            text = next(filter(None, said), text)
        rest = {
            slot.name: f"{plain(slot.name)} {self.said(slot.name, order[slot.name]) or 'none'}"
            for slot in form.slots
            if slot.name not in fields.read
        }
        within = [said for name, said in rest.items() if name in PREPOSITIONS]
        after = [said for name, said in rest.items() if name not in PREPOSITIONS]
        text = " ".join([capitalized(text), *within])
        return f"{text}: {', '.join(after)}" if after else text

    def of_fire(self, text: str) -> str:
        """Return a text about fire and harm in the game's words, such as "the next barrage"."""
        fire = self._name("fire for effect")
        bare = _ARTICLE.sub("", fire)
        for word in ("next", "no"):
            text = text.replace(f"{word} fire for effect", f"{word} {bare}")
        return text.replace("fire for effect", fire).replace("is harmed", self._name("is harmed"))

    def unit(self, name: str) -> str:
        """Return a unit's name in the game, such as "III/169 infantry 1", without an article."""
        return self._sentences.unit(name) or plain(name)

    def event(self, event: Event) -> str:
        """Return the sentence of the game for an event, without the rule."""
        fields = dict(event.fields)
        if event.kind == "modifier":
            roll = str(event["roll"]).partition(".")[2]
            fields |= {"value": f"{event['value']:+d}", "roll": self.roll(roll)}
            fields |= {"number": number} if (number := self.number(roll)) else {}
        if fields.get("gap", 0) != 0:
            target = self._scenario.missions[event["mission"]].target
            fields["gap"] = apart(self._frame, target, fields["impact"])
        text = self._sentence("events", event.kind, fields)
        return capitalized(text)

    def ruling(self, event: Event) -> str:
        """Return the sentence for an event, followed by its rule in brackets."""
        return f"{self.event(event)} ({event.cite})" if event.cite else self.event(event)

    def roll(self, name: str) -> str:
        """Return the game's name for a roll, such as "Radio Contact"."""
        return self._sentence("rolls", name)

    def die(self, roll: str, label: str) -> str:
        """Return the game's name for a die of a roll, such as "the enemy's die"."""
        firer = self._scenario.firer
        enemies = sorted(side for side in self._sides if side not in (None, firer))
        sides = dict(zip(("firer", "enemy"), (firer, *enemies), strict=False))
        return self._sentences.say("rolls", f"{roll}.{label}", sides, self.said) or plain(label)

    def no_effect(self, roll: str) -> str:
        """Return the game's words for a roll without effect, such as "the check is passed"."""
        return self._sentences.say("rolls", f"{roll}.nothing", {}, self.said) or NOTHING

    def number(self, roll: str) -> str:
        """Return the name of the sum of a roll's modifiers, such as "the number to hit".

        The result is empty if the modifiers are added to the dice.
        """
        return self._sentences.say("rolls", f"{roll}.number", {}, self.said) or ""

    def question(self, ask: Ask) -> str:
        """Return a question in the words of the game.

        The game's sentence may use ``{mission}`` for the asset that is the question's first
        argument, and ``{0}``, ``{1}`` ... for arguments that are whole numbers, by position.
        """
        about = {"mission": ask.args[0]} if self._scenario.missions.keys() & {*ask.args[:1]} else {}
        counts = {str(n): each for n, each in enumerate(ask.args) if type(each) is int}
        return self._sentence("questions", ask.question, {**about, **counts})

    def asset(self, name: str) -> str:
        """Return an asset's name with its kind, such as "battery a".

        If the game's sentence for assets leaves out the name, e.g. because it names them by their
        side, return the name alone. The sentence is used all the same for an asset that is named
        after its side. A hidden asset has the name by which the side knows it. A name that is a
        single letter is left out if the table has no other asset.
        """
        if name not in self._scenario.missions:
            return name
        side = self._scenario.missions[name].side
        own = self._capitalized(name, side)
        if self._single and len(name) == 1:  # a letter only distinguishes several assets
            return self._name("asset", name=own, side=side)
        said = self._name("assets", name=own, side=side)
        of_side = name.casefold() == side.casefold()
        return said if of_side or own.casefold() in said.casefold() else own

    def terms(self) -> str:
        """Return the explanation of the game's words and abbreviations, "" if it has none."""
        return self._sentences.say("names", "terms", {}, self.said) or ""

    def hidden(self, owner: str, number: int) -> str:
        """Return the name of the ``number``-th hidden asset that another side has seen.

        It reveals only the owner, e.g. "American marker 1".
        """
        return self._name("hidden", owner=side_name(owner), number=number)

    def subject(self, name: str) -> str:
        """Return an asset or a unit as the subject of a roll, e.g. ``US`` or "the 1st squad"."""
        setup = self._scenario.missions.get(name)
        if setup is None:
            return self.said("", name)
        of_side = name.casefold() == setup.side.casefold()
        return side_name(setup.side) if of_side else self.asset(name).removeprefix("the ")

    def stage(self, stage: Stage, reason: Reason | None = None) -> str:
        """Return the game's name for a stage of a mission, with the reason for which it ended."""
        return self._sentence("stages", stage.value, {"reason": reason or "none"})

    def verb(self, event: ChanceEvent) -> str:
        """Return ``draw`` for chits and cards, ``roll`` for dice and their substitutes."""
        as_dice = any(card.dice and not card.name for card in self.cards.printed(event).values())
        return "draw" if isinstance(event, Draw) and not as_dice else "roll"

    def action(self, event: ChanceEvent) -> str:
        """Return the action for a roll, such as "roll for Accuracy" or "draw a chit"."""
        verb, roll = self.verb(event), self.roll(event.name)
        return f"{verb} {roll}" if verb == "draw" and _ARTICLE.match(roll) else f"{verb} for {roll}"

    def act(self, roll: str, event: ChanceEvent | None) -> str:
        """Return a roll or a draw as a noun, such as "the roll for Accuracy", "the draw of a chit".

        Without an event, it is called a roll.
        """
        verb, named = "roll" if event is None else self.verb(event), self.roll(roll)
        return f"the {verb} {'of' if verb == 'draw' and _ARTICLE.match(named) else 'for'} {named}"

    def step(self, step: Step) -> str:
        """Return the meaning of the next step for the thrower, in the game's words.

        The result is empty if the game has no words for it.
        """
        fields = {str(number): value for number, value in enumerate(step.args)}
        return self._sentences.say("steps", step.name, fields, self.said) or ""

    def detail(self, name: str, value: Any) -> str:
        """Return a field of a record and its value in words.

        If the game has no sentence for it, a flag reads as its name, or as "no" and its name. An
        empty sentence leaves the field out.
        """
        sentence = self._sentences.say("fields", name, {name: value}, self.said)
        if sentence is None and isinstance(value, bool):
            sentence = plain(name) if value else f"no {plain(name)}"
        return f"{plain(name)} {self.said(name, value)}" if sentence is None else sentence

    def severity(self, worst: Severity, how: str = "") -> str:
        """Return the harm to a unit in the game's words, such as "dispersed".

        The game may have different words for results of one severity, selected by ``how`` (such as
        ``broken``).
        """
        key = self.typed.value(worst)
        return self._sentences.say("names", f"{key}.{how}", {}, self.said) or self._name(key)

    def _sentence(
        self, table: str, key: str, fields: Mapping[str, Any] = MappingProxyType({})
    ) -> str:
        """Return the game's sentence for a key of one of its tables of sentences.

        Without a sentence, return the key in plain words, followed by the values of the fields.
        """
        sentence = self._sentences.say(table, key, {**fields, SEVERAL: not self._single}, self.said)
        if sentence is not None:
            return sentence
        values = ", ".join(
            f"{name} {self.said(name, value)}"
            for name, value in fields.items()
            if name != "mission"
        )
        return plain(f"{key.rpartition('.')[2]}{': ' if values else ''}{values}")

    def said(self, name: str, value: Any) -> str:
        """Return the value of a field as a sentence uses it.

        Places become labels; assets and sides become their names in the game.
        """
        if name in ("mission", "asset"):
            setup = self._scenario.missions.get(value)
            key = "assets" if setup is None or not self._single else "asset"
            if setup is None:
                return str(value)
            return self._name(key, name=self._capitalized(value, setup.side), side=setup.side)
        if isinstance(value, tuple | frozenset) and (
            name.endswith("s") or label_of(self._frame, value) is None
        ):
            return self.listed(value)
        if isinstance(value, str) and value in self._scenario.units:
            name = self.unit(value)
            return f"the {name}" if _COMMON.match(name) else name
        if isinstance(value, str) and (words := self._of_kind(value)):
            return words
        return (
            self._name(value)
            if isinstance(value, str) and (value in self._sides or name == "nation")
            else plain(self.typed.value(value, name))
        )

    def _of_kind(self, value: str) -> str | None:
        """Return a value such as ``air:28th-Division`` in the game's words for ``air:``, or None.

        None means that the value has no such prefix, or that the game has no words for it.
        """
        kind, colon, name = value.partition(":")
        return (
            self._sentences.say("names", kind + colon, {"name": name}, self.said) if colon else None
        )

    def listed(self, values: Iterable[Any]) -> str:
        """Return several values as a sentence uses them, such as "K5, L5 and L6"."""
        ordered = sorted(values, key=str) if isinstance(values, frozenset) else values
        items = [self._item(item) for item in ordered]
        return " and ".join(filter(None, (", ".join(items[:-1]), *items[-1:])))

    def _item(self, value: Any) -> str:
        if isinstance(value, tuple) and label_of(self._frame, value) is None:
            head, *rest = (self.said("", part) for part in value)
            return f"{head} ({'/'.join(rest)})" if rest else head
        return self.said("", value)

    def _name(self, key: str, **fields: Any) -> str:
        return self._sentences.say("names", key, fields, self.said) or key

    def _capitalized(self, asset: str, side: str) -> str:
        """Return an asset's plain name, with a capital if it begins with its side or a nation."""
        name = plain(asset)
        of_side = name.casefold().startswith(f"{plain(side).casefold()} ")
        people = self._name(name.partition(" ")[0]).removeprefix("the ")
        capital = of_side or people.istitle()
        return capitalized(name) if capital else name


class _Noting(dict[str, Any]):
    """The fields of a sentence; ``read`` has the names of the fields that the sentence has used."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        super().__init__(fields)
        self.read: set[str] = set()

    def __getitem__(self, name: str) -> Any:
        self.read.add(name)
        return super().__getitem__(name)


def throw_words(name: str, dice: Iterable[tuple[str, Face, bool]]) -> str:
    """Return a throw in words: its name, then each die with its face.

    ``dice`` has (label, face, typed) for each die; a die that was not typed is marked as rolled.
    """
    return f"roll {name}: " + ", ".join(
        f"{label} {face}{'' if typed else ' (rolled)'}" for label, face, typed in dice
    )
