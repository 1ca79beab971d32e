"""Cards as players see them: how they are named and typed, and the hands that hold them."""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from difflib import get_close_matches

import attrs

from fireplan.errors import InputError
from fireplan.table.history import GivenInput
from fireplan.table.session import Session
from fireplan.table.sides import CARDS
from fireplan.table.words import Words
from fireplan_core import CardFace
from fireplan_core.chance import ChanceEvent, Draw, Face
from fireplan_core.play import State
from fireplan_core.play.table import Thrown

_ASKED = 6
"""Maximum number of card names in a question to a player; after them it says "another"."""
_APART = re.compile(r"[\s,()/-]+")
"""Matches the characters between the words and the dice of a card."""


@attrs.frozen
class CardSeen:
    """A card as a side sees it: ``text`` in words, and the name, dice and sign printed on it.

    ``dice`` and ``sign`` are empty if the card has none, or if the side does not know which card of
    this name it is.
    """

    text: str
    name: str
    dice: tuple[int, ...] = ()
    sign: str = ""


def card_seen(words: Words, card: CardFace) -> CardSeen:
    """Return a card as the side that looks at it sees it."""
    said = words.cards.printed_name
    return CardSeen(words.cards.text(card), said(card.name), card.dice, said(card.sign))


def read_card(
    words: Words,
    event: ChanceEvent,
    text: str,
    drawn: Iterable[Face],
    effect: Callable[[Face], Hashable],
) -> Face:
    """Return the card of a draw that a text names by its dice (``3-6``, ``3 6``) or its name.

    ``event`` is the draw as far as the player knows, and ``drawn`` the cards that can really be
    drawn. Cards with the same name and the same ``effect(face)`` are not distinguished. Raise
    ``InputError`` if no card fits, if several different cards do, or if the card cannot be drawn.
    """
    printed, (die,) = words.cards.printed(event), event.faces
    names = words.cards.all_names(event)
    possible = [face for face, weight in die.weights if weight]
    fits = [face for face in possible if _fits(text, printed[face], names[face])]
    fits = fits or [face for face in possible if str(face) == text.strip()]
    alike: dict[Hashable, list[Face]] = {}
    for face in fits:
        alike.setdefault((words.cards.text(printed[face]), effect(face)), []).append(face)
    groups = list(alike.values())
    if len(groups) > 1:
        told = _apart([words.cards.texts(printed[faces[0]]) for faces in groups])
        named = [n for n, name in enumerate(told) if name.casefold() == text.strip().casefold()]
        if len(named) != 1:
            raise InputError(f"which card is it: {' or '.join(_few(told))}?")
        groups = [groups[named[0]]]
    if not groups:
        known = [name for face in possible for name in names[face]]
        raise _no_card(text.strip(), known, _as_typed(words, printed[possible[0]]))
    real = next((face for face in groups[0] if face in set(drawn)), None)
    if real is None:
        raise InputError(f"{words.cards.text(printed[groups[0][0]])} is not in the deck now")
    return real


def _as_typed(words: Words, card: CardFace) -> str:
    """Return a card as it may be typed: its dice, or its text if it has none."""
    return "-".join(map(str, card.dice)) or words.cards.text(card)


def _no_card(text: str, known: Sequence[str], example: str) -> InputError:
    """Return the error for a text that names no card, with the nearest known name or an example."""
    near = get_close_matches(text, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"type a card such as {example}"
    return InputError(f"no card {text[:20]!r} can be drawn now; {hint}")


def _fits(text: str, card: CardFace, names: Sequence[str]) -> bool:
    """Return whether a text names a card by its dice, by words of its names, or by both."""
    typed = [part for part in _APART.split(text.casefold()) if part]
    known = [part for name in names for part in _APART.split(name.casefold())]
    dice = "".join(part for part in typed if part.isdigit())
    words = [part for part in typed if not part.isdigit()]
    return (
        bool(typed)
        and (not dice or dice == "".join(map(str, card.dice)))
        and all(any(word in part for part in known) for word in words)
    )


def _apart(names: Sequence[Sequence[str]]) -> Sequence[str]:
    """Return a name for each card: as coarse as possible, but all different if they can be."""
    levels = list(zip(*names, strict=False))
    return next((level for level in levels if len(set(level)) == len(level)), levels[-1])


def _few(names: Sequence[str]) -> list[str]:
    return [*names[:_ASKED], *(["another"] if len(names) > _ASKED else [])]


def hand_of(session: Session, side: str) -> tuple[CardSeen, ...]:
    """Return the cards in a side's hands.

    A card that the side has not looked at, or may have lost since, shows only its name, or "a card"
    if the name is not certain either.
    """
    scenario, words = session.scenario, Words(session.scenario)
    own = [hand for hand, owner in scenario.hands.items() if owner == side]
    return tuple(
        card
        for deck, pile in own
        if deck in scenario.printed
        for card in _held(session, words, deck, pile)
    )


def _held(session: Session, words: Words, deck: str, pile: str) -> Iterator[CardSeen]:
    """Yield the cards of a pile: in full if they were looked at and are certainly still there.

    Any other card has the name that all its possible kinds share, or "a card".
    """
    printed, known = session.scenario.printed[deck], list[Face]()
    owner = session.scenario.hands[deck, pile]
    for move, state in _moves(session):
        event = move.event
        card = event.card if isinstance(event, Draw) else None
        if isinstance(move.given, Thrown) and card and (card.name, card.seen_by) == (deck, owner):
            known += move.given.faces
        for count, faces in _by_kinds(known, state, deck, pile):
            if len(faces) > count:
                known = [face for face in known if face not in faces]
    for kinds, count in _pile(session.table.state, deck, pile).items():
        faces = [face for face in known if face in kinds]
        if len(faces) == count:
            yield from (card_seen(words, printed[face]) for face in faces)
            continue
        names = {printed[face].name for face in kinds}
        name = words.cards.printed_name(names.pop()) if len(names) == 1 else "a card"
        yield from (CardSeen(name, name) for _ in range(count))


def _moves(session: Session) -> Iterator[tuple[GivenInput, State]]:
    """Yield each standing input with the state after it."""
    standing = session.history.standing
    after = [*(each.before.state for each in standing[1:]), session.table.state]
    return zip((each.move for each in standing), after, strict=False)


def _pile(state: State, deck: str, pile: str) -> Counter[tuple[Face, ...]]:
    counts: Counter[tuple[Face, ...]] = Counter()
    for of, where, kinds, count in state.values.get(CARDS, ()):
        if (of, where) == (deck, pile):
            counts[kinds] += count
    return counts


def _by_kinds(
    known: Sequence[Face], state: State, deck: str, pile: str
) -> Iterator[tuple[int, list[Face]]]:
    """Yield the number of cards of each group of kinds in a pile, with the known faces among them.

    Known faces of other kinds come last, with the number 0.
    """
    counts = _pile(state, deck, pile)
    for kinds, count in counts.items():
        yield count, [face for face in known if not kinds or face in kinds]
    gone = [face for face in known if not any(not kinds or face in kinds for kinds in counts)]
    yield 0, gone
