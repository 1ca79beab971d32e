"""Faces in words: the dice, chits or cards that lead to a result, as short as possible."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from fireplan.table.words import Words
from fireplan_core.chance import ChanceEvent, Draw, Face, Fold

FEW = 3
"""Maximum number of combinations of faces that are listed individually."""
_NUMBER = re.compile(r"(?<=\s)\d+$")
"""Matches a number at the end of a card's name."""


def as_seen(
    event: ChanceEvent,
) -> tuple[tuple[str, ...], Callable[[Iterable[Any]], list[tuple[Any, ...]]]]:
    """Return the labels of a throw's dice, and a function from outcomes to faces.

    The function takes pairs of outcome and weight. It returns, for each pair, the faces that lead
    to the outcome if a single die is thrown, or else the outcome itself.
    """
    if len(event.faces) != 1:
        counted = isinstance(event, Fold) and {
            add for _, read in event.groups for add, _ in read.values()
        } <= {0, 1}
        named = {"add": "a count of" if counted else "a sum of"}
        if isinstance(event, Fold):
            named["any"] = _flagged(event)
        return tuple(named.get(label, label) for label in event.labels), lambda outcomes: [
            outcome for outcome, _ in outcomes
        ]
    (die,) = event.faces
    shown: dict[Any, list[tuple[Any, ...]]] = {}
    for face, _ in die.weights:
        shown.setdefault(event.read((face,)), []).append((face,))
    return (die.label,), lambda outcomes: [
        faces for outcome, _ in outcomes for faces in shown[outcome]
    ]


def _flagged(fold: Fold) -> str:
    """Return the dice that set the flag of a fold in words, e.g. "die of 6"."""
    faces = [{face for face, (_, flag) in read.items() if flag} for _, read in fold.groups]
    if not faces or any(each != faces[0] for each in faces):
        return "marked die"
    return f"die of {ranges_in_words(faces[0], {*fold.die.faces})}"


def throws_in_words(
    chosen: list[tuple[Any, ...]], possible: list[tuple[Any, ...]], labels: tuple[str, ...]
) -> str:
    """Return the chosen outcomes of a throw in words: by a total or one die, else by all dice.

    Return "any roll" if all possible outcomes are chosen, and "" if they are too many to list.
    """
    others = set(possible) - set(chosen)
    if not others:
        return "any roll"
    # Flags are integers to Python, but adding them has no meaning.
    if all(type(value) is int for outcome in possible for value in outcome):
        totals = {sum(outcome) for outcome in chosen}
        if not totals & {sum(outcome) for outcome in others}:
            return ranges_in_words(totals, {sum(outcome) for outcome in possible})
    if words := _one_die(chosen, others, labels) or _difference(chosen, others, labels):
        return words
    if len(chosen) > FEW or any(isinstance(value, bool) for outcome in chosen for value in outcome):
        return ""
    throws = (
        [f"{label} {_name(face)}" for label, face in zip(labels, outcome, strict=True)]
        for outcome in chosen
    )
    return " or ".join(map(", ".join, throws)).replace("_", " ")


def chits_in_words(chosen: list[tuple[Any, ...]], possible: list[tuple[Any, ...]]) -> str:
    """Return chits, or cards without printed faces, in words, such as "1, 2, 4 or 7".

    Return "any" if all possible ones are chosen.
    """
    if set(chosen) == set(possible):
        return "any"
    faces = sorted({face for (face,) in chosen}, key=lambda face: (type(face) is str, face))
    *others, last = map(str, faces)
    return f"{', '.join(others)} or {last}" if others else last


def which_cards(words: Words, event: ChanceEvent, chosen: Sequence[tuple[Any, ...]]) -> str:
    """Return words for some cards of a draw, by printed names that no other card of the draw has.

    Return "" if there are no such names, or no cards.
    """
    names = card_names(words, event)
    return cards_in_words(names, chosen, noun_of(event)) if names and chosen else ""


def card_names(words: Words, event: ChanceEvent) -> dict[Face, tuple[str, ...]]:
    """Map each card that may be drawn to its names, coarsest first; empty if none are printed."""
    names = words.cards.all_names(event)
    possible = [face for die in event.faces for face, _ in die.weights if names]
    return {face: names[face] for face in possible}


def cards_in_words(
    names: Mapping[Face, tuple[str, ...]], chosen: Sequence[tuple[Any, ...]], noun: str
) -> str:
    """Return cards in words: by the coarsest of their names that no other card has, else ""."""
    mine = {face for (face,) in chosen}
    if len(mine) == len(names):
        return f"any {noun}".strip()
    for level in range(max(map(len, names.values()))):
        named = {face: texts[min(level, len(texts) - 1)] for face, texts in names.items()}
        chosen_names = {named[face] for face in mine}
        if not chosen_names & {text for face, text in named.items() if face not in mine}:
            return _listed(chosen_names, set(named.values()))
    return ""


def noun_of(event: ChanceEvent) -> str:
    """Return "card" for a draw from a deck, "roll" for dice, and "" for any other draw.

    A draw from no deck may be of chits, or replace a die.
    """
    return ("card" if event.deck else "") if isinstance(event, Draw) else "roll"


def _listed(names: set[str], possible: set[str]) -> str:
    """Return names of cards as a list; names that differ only in a number become ranges."""
    numbers = {name: found for name in possible if (found := _NUMBER.search(name))}
    stems = {name[: found.start()] for name, found in numbers.items()}
    if len(stems) != 1:
        return ", ".join(sorted(names))
    (stem,), values = stems, {name: int(found[0]) for name, found in numbers.items()}
    chosen = {values[name] for name in names if name in values}
    ranges = [f"{stem}{ranges_in_words(chosen, set(values.values()))}"] if chosen else []
    return ", ".join([*ranges, *sorted(name for name in names if name not in values)])


def _one_die(
    chosen: list[tuple[Any, ...]], others: set[tuple[Any, ...]], labels: tuple[str, ...]
) -> str:
    """Return the faces of the first die that alone identifies the outcomes, else ""."""
    for position, label in enumerate(labels):
        values = {outcome[position] for outcome in chosen}
        other = {outcome[position] for outcome in others}
        if not values & other:
            if values in ({True}, {False}) and all(type(value) is bool for value in values):
                return f"{'any' if values == {True} else 'no'} {label}"
            return f"{label.replace('_', ' ')} {ranges_in_words(values, values | other)}"
    return ""


def _difference(
    chosen: list[tuple[Any, ...]], others: set[tuple[Any, ...]], labels: tuple[str, ...]
) -> str:
    """Return the difference of two dice in words if that identifies the faces, else ""."""
    if len(labels) != 2 or len(chosen) == 1 or not all(type(face) is int for face in chosen[0]):  # noqa: PLR2004 - two dice
        return ""
    wanted = {first - second for first, second in chosen}
    unwanted = {first - second for first, second in others}
    if wanted & unwanted:
        return ""
    ranges = ranges_in_words(wanted, wanted | unwanted).replace(", ", " or ")
    if not re.search("[a-z]{3}", ranges):  # separate differences, not a range
        leads = [_lead(difference, labels) for difference in sorted(wanted, key=abs, reverse=True)]
        return " or ".join(leads).replace("_", " ")
    return _leads(wanted, ranges, labels).replace("_", " ")


def _leads(wanted: set[int], ranges: str, labels: tuple[str, ...]) -> str:
    """Return a range of differences of two dice in words, e.g. "the enemy's die at most 1 higher".

    Several ranges, given in words as ``ranges``, are those of the first die minus the second.
    """
    first, second = labels
    low, high = min(wanted), max(wanted)
    if ranges == f"{low} or more":
        if low > 0:
            return f"{first} higher by {ranges}"
        return f"{second} at most {-low} higher" if low else f"{second} not higher"
    if ranges == f"{high} or less":
        if high < 0:
            return f"{second} higher by {-high} or more"
        return f"{first} at most {high} higher" if high else f"{first} not higher"
    return f"{first} minus {second}: {ranges}"


def _lead(difference: int, labels: tuple[str, ...]) -> str:
    """Return the amount by which one of two dice is higher, in words."""
    if not difference:
        return "both the same"
    return f"{labels[difference < 0]} higher by {abs(difference)}"


def ranges_in_words(values: set[Any], possible: set[Any]) -> str:
    """Return integers as ranges (``8 or less``, ``10 to 11``), and names unchanged."""
    if not all(type(value) is int for value in possible):
        return " or ".join(sorted(map(_name, values)))
    numbers, runs = sorted(possible), list[list[int]]()
    for number, value in enumerate(numbers):
        if value in values:
            if number and numbers[number - 1] in values:
                runs[-1].append(value)
            else:
                runs.append([value])
    return ", ".join(_run(run, numbers) for run in runs)


def _run(run: list[int], numbers: list[int]) -> str:
    if len(run) == 1:
        return str(run[0])
    if run[0] == numbers[0]:
        return f"{run[-1]} or less"
    return f"{run[0]} or more" if run[-1] == numbers[-1] else f"{run[0]} to {run[-1]}"


def _name(value: Any) -> str:
    """Return a reading as text: a number, a name, or several names."""
    return " and ".join(map(str, value)) if isinstance(value, tuple) else str(value)
