"""Forecasts: the meaning of each result of a throw, from the same branches as the exact solver."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from fireplan.table.face_words import (
    as_seen,
    card_names,
    cards_in_words,
    chits_in_words,
    noun_of,
    ranges_in_words,
    throws_in_words,
)
from fireplan.table.past_throws import outcome_of
from fireplan.table.sides import CARDS
from fireplan.table.throw_counts import Show, totals_of
from fireplan.table.words import Words
from fireplan_core import (
    Agenda,
    Ask,
    Event,
    Order,
    Step,
)
from fireplan_core.chance import Chance, ChanceEvent, Draw, Face, Roll
from fireplan_core.play import StepOutcome, Table

MANY = 4
"""Maximum number of ranges of faces that are listed individually."""
_KINDS = ("roll", "draw")
"""Kinds of chance: a roll of dice, and a draw of chits or cards."""
ALSO = "; "
"""Joins the parts of a result: its events, and the steps that follow."""
_AGAIN = "again"
"""Follows "roll" or "draw" in a result that only leads to the same roll or draw."""
_LIMIT = re.compile(r", not for [a-z ]+(?= \()")
"""Matches the words of a modifier that say for what it does not count."""
MOST_DRAWS = 40
"""Maximum number of repetitions of a draw that are followed."""
MOST_STEPS = 200
"""Maximum number of steps for which an order is followed."""


@attrs.frozen
class Prospect:
    """One possible result of a throw.

    ``when`` lists the faces that produce the result, ``chance`` is its exact chance, and ``what``
    describes its effects. ``certain`` describes the effects that every result has. ``total`` lists
    the totals that produce the result once ``modifiers`` are added to the dice, or is empty without
    such modifiers. ``number`` is the sum of modifiers that are not added to the dice, in words,
    such as "the number to hit is 10".
    """

    when: str
    chance: Fraction
    what: str
    total: str = ""
    modifiers: tuple[str, ...] = ()
    number: str = ""
    certain: tuple[str, ...] = ()

    @property
    def reached(self) -> str:
        """The faces that produce the result, followed by the totals if modifiers change them.

        If all modifiers have the same limit, such as "not for vehicles", it follows the totals.
        """
        limits = {tuple(_LIMIT.findall(each)) for each in self.modifiers}
        limit = "".join(*limits) if len(limits) == 1 else ""
        return f"{self.when} (total {self.total}{limit})" if self.total else self.when


def also(parts: Sequence[str]) -> str:
    """Return the parts of a result in one sentence; only the first begins with a capital "The"."""
    first, *rest = parts or [""]
    return ALSO.join([first, *(re.sub("^The ", "the ", part) for part in rest)])


def leads_on(meaning: str) -> bool:
    """Return whether a result has no meaning beyond the next question or throw."""
    return meaning.startswith("next") or meaning in {f"{kind} {_AGAIN}" for kind in _KINDS}


def modifiers_of(prospects: Iterable[Prospect]) -> tuple[str, ...]:
    """Return the modifiers counted in these results, without repetition."""
    return tuple(dict.fromkeys(words for each in prospects for words in each.modifiers))


def number_of(prospects: Iterable[Prospect]) -> str:
    """Return the words for the sum of the modifiers in these results.

    They are, for example, "the number to hit is 10", or "" if the modifiers are added to the dice.
    """
    return next((each.number for each in prospects if each.number), "")


def certain_of(prospects: Iterable[Prospect]) -> str:
    """Return the effects that all these results share, in words, or "" if they share none."""
    return also([*dict.fromkeys(words for each in prospects for words in each.certain)])


_Rank = tuple[float, int]
_Result = tuple[Prospect, _Rank, list[StepOutcome]]


def forecast(
    table: Table, show: Show = lambda event: event, side: str = ""
) -> tuple[Prospect, ...]:
    """Return the possible results of the pending throw, best for a side first.

    ``show(event)`` returns an event as the side sees it, or None if it is hidden. The result is
    empty if no throw is pending.
    """
    return tuple(prospect for prospect, *_ in _results_of(table, show, side))


def throw_results(
    table: Table, faces: tuple[Face, ...], show: Show, side: str
) -> tuple[tuple[Prospect, ...], int, Fraction]:
    """Return the possible results of the pending throw, and the index of the result of ``faces``.

    The third value is the chance of a result at least as good for the side.
    """
    results, outcome = _results_of(table, show, side), outcome_of(table, faces)
    index = next(n for n, (*_, outcomes) in enumerate(results) if outcome in outcomes)
    at_least = sum(
        (prospect.chance for prospect, rank, _ in results if rank <= results[index][1]), Fraction(0)
    )
    return tuple(prospect for prospect, *_ in results), index, at_least


def _results_of(table: Table, show: Show, side: str) -> list[_Result]:
    step, due = next(iter(table.state.agenda), None), table.throw_due
    if due is None or not isinstance(step, Step):
        return []
    return _Forecast(table, show, side).results(step, table.state.values, due)


def ahead(
    table: Table, order: Order, show: Show = lambda event: event, side: str = ""
) -> tuple[str, tuple[Prospect, ...]]:
    """Return the roll or draw that an order leads to, in words, and its possible results.

    Return ``("", ())`` if the order does not lead directly to a roll. Nothing below the question on
    the agenda is examined, since the side may not be allowed to know it.
    """
    ask = table.question_due
    if ask is None:
        return "", ()
    forecasts = _Forecast(table, show, side)
    for values, agenda, next_thing in forecasts.onward(
        table.state.values, (table.rulebook.after(ask, order),)
    ):
        if (
            next_thing is not None
            and not isinstance(next_thing, StepOutcome)
            and isinstance(agenda[0], Step)
        ):
            # The cards that remain are known only if the order itself moves none.
            unmoved = values.get(CARDS, ()) == table.read(CARDS, ())
            due = table.as_dealt(next_thing) if unmoved else None
            results = forecasts.results(agenda[0], values, due)
            roll = forecasts.words.action(next_thing)
            if decided := forecasts.decided(results, next_thing, values):
                return f"{roll}, until that is decided", decided
            return roll, tuple(prospect for prospect, *_ in results)
    return "", ()


@attrs.define
class _Meaning:
    """The branches of a throw with one meaning for a player, and their throws and modifiers."""

    rank: _Rank
    throws: list[tuple[tuple[Any, ...], int]] = attrs.field(factory=list)
    outcomes: list[StepOutcome] = attrs.field(factory=list)
    totals: set[int] = attrs.field(factory=set)
    modifiers: dict[str, None] = attrs.field(factory=dict)
    number: str = ""

    def add(self, outcome: StepOutcome, roll: Roll, modifiers: list[str], number: str = "") -> None:
        """Add a branch: its effects, the throws that lead there, and the modifiers included."""
        self.number = self.number or number
        self.outcomes.append(outcome)
        self.throws += roll.left
        self.modifiers.update(dict.fromkeys(modifiers))
        if modifiers:
            self.totals.update(totals_of(roll))

    def total(self, when: str, totals: list[set[int]]) -> str:
        """Return the totals in words if they identify the meaning and differ from the dice.

        Return "" otherwise. ``totals`` has the totals of every meaning, and ``when`` the dice in
        words.
        """
        others = [each for each in totals if each is not self.totals]
        if not self.totals or any(self.totals & other for other in others):
            return ""
        text = ranges_in_words(self.totals, set[int]().union(*totals))
        return "" if text == when else text


class _ThrownError(Exception):
    """Raised when a step asks for dice."""

    def __init__(self, event: ChanceEvent) -> None:
        self.event = event


class _Forecast:
    """The throws of a table, described by their meaning for one side."""

    def __init__(self, table: Table, show: Show, side: str) -> None:
        self.rulebook, self.scenario = table.rulebook, table.scenario
        self.words, self.show, self.side = Words(table.scenario), show, side or table.scenario.firer
        self.ranks = {kind: rank for rank, kind in enumerate(table.scenario.sentences.best_first)}

    def onward(
        self, values: Any, agenda: Agenda
    ) -> Iterator[tuple[Any, Agenda, StepOutcome | ChanceEvent | None]]:
        """Run steps; yield (values, agenda, outcome) for each, with the state before the step.

        The last item has the throw that the next step needs, without throwing it, or None at a
        question, at an empty agenda or after ``MOST_STEPS`` steps.
        """

        def fall(event: ChanceEvent) -> tuple[Any, ...]:
            raise _ThrownError(event)

        for _ in range(MOST_STEPS):
            if not agenda or isinstance(agenda[0], Ask):
                break
            try:
                outcome = self.rulebook.run(
                    agenda[0], lambda modifiers: Chance(fall, modifiers), values.get
                )
            except _ThrownError as thrown:
                yield values, agenda, thrown.event
                return
            yield values, agenda, outcome
            values, agenda = values.put(outcome.updates), (*outcome.pushes, *agenda[1:])
        yield values, agenda, None

    def results(self, step: Step, values: Any, due: ChanceEvent | None = None) -> list[_Result]:
        """Return the possible results of a throw, best first, each as (prospect, rank, outcomes).

        ``due`` is the throw for which the table waits now, if it does: chits no longer in its pile
        are left out of the text, and the chances of cards are those in the remaining deck.
        """
        by_meaning: dict[str, _Meaning] = {}
        branches = self.rulebook.branches(step, values.get)
        total = branches[0][1]
        event = next(chance.roll.event for *_, chance in branches if chance.roll is not None)
        meanings, certain = self._meanings(
            event, [outcome for _, _, outcome, _ in branches], values
        )
        for (what, rank), (_, _, outcome, chance) in zip(meanings, branches, strict=True):
            if chance.roll is not None:
                meaning = by_meaning.setdefault(what, _Meaning(rank))
                number = self._number(event.name, outcome)
                meaning.add(outcome, chance.roll, self._modifiers(outcome, values), number)
        totals = [meaning.totals for meaning in by_meaning.values()]
        prospects = []
        for what, meaning in _best_first(by_meaning):
            when, share = self._reached(event, due or event, meaning, total)
            prospect = Prospect(
                when,
                share,
                what,
                meaning.total(when, totals),
                tuple(meaning.modifiers),
                meaning.number,
                tuple(certain),
            )
            prospects.append((prospect, meaning.rank, meaning.outcomes))
        named = bool(card_names(self.words, event))
        return _shortened(prospects, noun_of(event), named=named)

    def decided(
        self, results: list[_Result], event: ChanceEvent, values: Any, most: int = MOST_DRAWS
    ) -> tuple[Prospect, ...]:
        """Return the final results of a draw that is repeated while its result is "draw again".

        ``results`` are those of its first card. Return an empty tuple if none is "draw again", if
        another kind of step follows, or if the draw may be repeated more than ``most`` times.
        """
        again = f"{self.words.verb(event)} {_AGAIN}"
        repeat = next((result for result in results if result[0].what == again), None)
        if repeat is None or len(repeat[2]) != 1 or not most:
            return ()
        (outcome,) = repeat[2]
        *_, (then, agenda, due) = self.onward(values.put(outcome.updates), outcome.pushes)
        if due is None or isinstance(due, StepOutcome) or not isinstance(agenda[0], Step):
            return ()
        further = self.results(agenda[0], then)
        last = all(prospect.what != again for prospect, *_ in further)
        later = (
            tuple(prospect for prospect, *_ in further)
            if last
            else self.decided(further, due, then, most - 1)
        )
        if not later:
            return ()
        prospects = {each.what: each for each, *_ in results if each.what != again}
        for each in later:
            chance = repeat[0].chance * each.chance
            known = prospects.setdefault(each.what, attrs.evolve(each, chance=Fraction(0)))
            prospects[each.what] = attrs.evolve(known, chance=known.chance + chance)
        return tuple(prospects.values())

    def _reached(
        self, event: ChanceEvent, due: ChanceEvent, meaning: _Meaning, total: int
    ) -> tuple[str, Fraction]:
        """Return the faces with this meaning, in words, and the chance that one of them comes up.

        ``due`` is the throw with the cards or chits that can still be drawn. ``total`` is the
        weight of all throws.
        """
        labels, faces_of = as_seen(event)
        labels = tuple(self.words.die(event.name, label) for label in labels)
        throws, all_throws = faces_of(meaning.throws), faces_of(event.space)
        count = sum(weight for _, weight in meaning.throws)
        share = Fraction(count, total)
        if names := card_names(self.words, event):
            when = cards_in_words(names, throws, noun_of(event))
            in_deck = dict(due.faces[0].weights)
            remaining = sum(in_deck.get(face, 0) for (face,) in throws)
            share = Fraction(remaining, sum(in_deck.values()))
        elif isinstance(event, Draw):
            left = {face for face, weight in due.faces[0].weights if weight}
            in_pile = [
                [faces for faces in each if faces[0] in left] for each in (throws, all_throws)
            ]
            when = chits_in_words(*in_pile) + self._fewer(event, share, len(in_pile[0]))
        else:
            when = throws_in_words(throws, all_throws, labels)
        return when or f"{count:,} of {total:,} throws", share

    def _fewer(self, event: Draw, share: Fraction, listed: int) -> str:
        """Return how many of the listed chits of a deck are left, or "" if all of them may be.

        ``share`` is the chance of drawing one of them. Chits that the rules do not tell apart are
        all listed, even if some of them are out.
        """
        out = event.card.out if event.card else ()
        whole = self.scenario.decks.get(event.deck, ())
        left = sum(count for _, count in whole) - sum(count for _, count in out)
        return f" ({share * left} of them left)" if event.deck and share * left < listed else ""

    def _modifiers(self, outcome: StepOutcome, values: Any) -> list[str]:
        """Return the visible modifiers that apply in an outcome, in words.

        Modifiers of steps without a sentence are included.
        """
        later = (self._next(step, values.put(outcome.updates)) for step in self._unsaid(outcome))
        reached = [outcome, *(each for each in later if isinstance(each, StepOutcome))]
        events = [e for each in reached for e in each.events if e.kind == "modifier"]
        return [
            f"{event['value']:+d} {event['summary']} ({event.cite})"
            for event in filter(None, map(self.show, events))
        ]

    def _number(self, roll: str, outcome: StepOutcome) -> str:
        """Return the sum of a roll's modifiers in words, such as "the number to hit is 10".

        Return "" if the game has no name for the sum, or if no modifier is visible.
        """
        named = self.words.number(roll)
        shown = (self.show(event) for event in outcome.events if event.kind == "modifier")
        values = [event["value"] for event in shown if event is not None]
        return f"{named} is {sum(values)}" if named and values else ""

    def _unsaid(self, outcome: StepOutcome) -> list[Step]:
        """Return the steps pushed by an outcome for which the game has no words.

        Return an empty list if the game has words for none of the steps pushed.
        """
        pushed = [push for push in outcome.pushes if isinstance(push, Step)]
        without = [push for push in pushed if not self.words.step(push)]
        return without if len(without) < len(pushed) else []

    def _next(self, step: Step, values: Any) -> StepOutcome | ChanceEvent | None:
        """Return the outcome of a step, or the throw that it needs first."""
        (_, _, reached), *_ = self.onward(values, (step,))
        return reached

    def _meanings(
        self, event: ChanceEvent, outcomes: list[StepOutcome], values: Any
    ) -> tuple[list[tuple[str, _Rank]], list[str]]:
        """Return each outcome of a roll in words with its rank, and the words that all share.

        Outcomes with the same words are distinguished by the next event.
        """
        readings, shared = _distinct([self._meaning(outcome, values) for outcome in outcomes])
        later = [
            reading if reading[0] else self._later(event.name, outcome, values)
            for reading, outcome in zip(readings, outcomes, strict=True)
        ]
        if {tuple(words) for words, _ in later} == {(f"{self.words.verb(event)} {_AGAIN}",)}:
            return [("the effect shows later", rank) for _, rank in later], shared
        shown = any(words for words, _ in later) or len({each.updates for each in outcomes}) == 1
        silent = self.words.no_effect(event.name) if shown else "the effect shows later"
        return [(also(words) or silent, rank) for words, rank in later], shared

    def _meaning(self, outcome: StepOutcome, values: Any) -> tuple[list[str], _Rank]:
        """Return the events and next steps of an outcome in words, and its rank.

        A step without words is described by the steps that it pushes if another step has words.
        """
        pushed = [push for push in outcome.pushes if isinstance(push, Step)]
        unsaid = self._unsaid(outcome)
        steps = list[str]()
        for push in pushed:
            if push in unsaid:
                steps += self._led_to(push, values.put(outcome.updates))
            else:
                steps.append(self.words.step(push))
        events = self._events(outcome)
        said = [*map(self.words.event, events), *dict.fromkeys(filter(None, steps))]
        return said, self._rank(events, pushed)

    def _led_to(self, step: Step, values: Any) -> list[str]:
        """Return the steps that a step pushes, in words; none if the step needs a throw first."""
        reached = self._next(step, values)
        pushed = reached.pushes if isinstance(reached, StepOutcome) else ()
        return [self.words.step(push) for push in pushed if isinstance(push, Step)]

    def _later(self, roll: str, outcome: StepOutcome, values: Any) -> tuple[list[str], _Rank]:
        """Return the next events, step, roll or question after an outcome, in words, with a rank.

        The list is empty if nothing follows. Events to units are included if fire that falls causes
        them without another throw.
        """
        onward = self.onward(values.put(outcome.updates), outcome.pushes)
        for _, pending, next_thing in onward:
            if isinstance(next_thing, StepOutcome):
                if events := self._events(next_thing):
                    falls = any(event.kind == "fall" for event in events)
                    harm = self._to_units(onward) if falls else []
                    return [*map(self.words.event, [*events, *harm])], self._rank(events)
                if isinstance(pending[0], Step) and (said := self.words.step(pending[0])):
                    return [said], self._rank((), [pending[0]])
            elif next_thing is not None:
                kind = self.words.verb(next_thing)
                if next_thing.name == roll:
                    return [f"{kind} {_AGAIN}"], self._rank(())
                return [f"next {kind}: {self.words.roll(next_thing.name)}"], self._rank(())
            elif pending and isinstance(pending[0], Ask):
                return [f"next: {self.words.question(pending[0])}"], self._rank(())
        return [], self._rank(())

    def _to_units(
        self, onward: Iterator[tuple[Any, Agenda, StepOutcome | ChanceEvent | None]]
    ) -> list[Event]:
        """Return the visible events to units in the steps that follow, up to the next throw."""
        outcomes = (reached for _, _, reached in onward if isinstance(reached, StepOutcome))
        events = (event for outcome in outcomes for event in self._events(outcome))
        return [event for event in events if "unit" in dict(event.fields)]

    def _events(self, outcome: StepOutcome) -> list[Event]:
        shown = (self.show(event) for event in outcome.events if event.kind != "modifier")
        return [event for event in shown if event is not None]

    def _rank(self, events: Sequence[Event], pushed: Sequence[Step] = ()) -> _Rank:
        """Return the rank of an outcome as a pair, lowest for the best.

        The first ranked event gives the rank, or else the first ranked step that the outcome
        pushes. Within a rank, distance and harm decide. An outcome that is bad for the side ranks
        last, and an outcome without ranked events or steps ranks in the middle.
        """
        event = next((event for event in events if event.kind in self.ranks), None)
        if event is None:
            ranks = (self.ranks[step.name] for step in pushed if step.name in self.ranks)
            return next(ranks, len(self.ranks) / 2), 0
        fields: dict[str, Any] = dict(event.fields)
        harm = int(fields.get("severity", 0)) or 2 * fields.get("hits", 0) + bool(
            fields.get("shift")
        )
        badness = harm * (1 if self.scenario.owner(fields.get("unit", "")) == self.side else -1)
        own = fields.get("leader", self.side) == self.side
        badness += (not own) + (-1 if own else 1) * fields.get("couplets", 0)
        return (len(self.ranks) if badness > 0 else self.ranks[event.kind]), fields.get(
            "gap", 0
        ) + badness


def _distinct(
    readings: list[tuple[list[str], _Rank]],
) -> tuple[list[tuple[list[str], _Rank]], list[str]]:
    """Return the readings without the words that all of them share, and these words."""
    if len(readings) == 1:
        return readings, []
    common = set.intersection(*(set(words) for words, _ in readings))
    shared = [word for word in readings[0][0] if word in common]
    return [([w for w in words if w not in common], rank) for words, rank in readings], shared


def _best_first(by_meaning: Mapping[str, _Meaning]) -> list[tuple[str, _Meaning]]:
    """Return the meanings by rank; within a rank, totals closest to the best come first."""

    def total(meaning: _Meaning) -> float:
        totals = [
            sum(outcome)
            for outcome, _ in meaning.throws
            if all(type(value) is int for value in outcome)
        ]
        return sum(totals) / len(totals) if totals else 0

    best = min(meaning.rank for meaning in by_meaning.values())
    (first, *others) = [meaning for meaning in by_meaning.values() if meaning.rank == best]
    aim = None if others else total(first)
    return sorted(
        by_meaning.items(),
        key=lambda pair: (pair[1].rank, 0 if aim is None else abs(total(pair[1]) - aim)),
    )


def _shortened(results: list[_Result], noun: str, *, named: bool) -> list[_Result]:
    """Return the results; if the longest list of faces is too long, it becomes "any other".

    Of two lists of ``named`` cards, the longer is always shortened in this way.
    """
    longest = max(results, key=lambda result: len(result[0].when))
    many = 1 if named and len(results) == len(("one", "other")) else MANY
    if longest[0].when.count(", ") < many or len(results) == 1:
        return results
    other = attrs.evolve(longest[0], when=f"any other {noun}".strip())
    return [(other, *result[1:]) if result is longest else result for result in results]
