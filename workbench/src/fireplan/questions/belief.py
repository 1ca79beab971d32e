"""Beliefs: the hidden facts that a side may infer, with their chances."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import attrs

from fireplan.analysis import percent
from fireplan.duels import Begun, Beliefs, PossibleWorld, SideObservations, alike_assets, arranged
from fireplan.errors import (
    InputError,
    all_data,
    argument_name,
    counted,
    gathered,
    quoted,
    refuse,
    sentences_of,
    unknown,
)
from fireplan.positions import Position
from fireplan.questions.best import read_beliefs, read_patterns
from fireplan.questions.lines import MARK
from fireplan.questions.result import Block, Result, Rows, Text
from fireplan.solver import TooLargeError
from fireplan.solver.best import OpenDecisions
from fireplan.table import Session, Visibility, Words, forecast, sides_of
from fireplan_core import Ask, ProcedureError, Scenario
from fireplan_core.chance import ChanceError, FromDeck
from fireplan_core.files import FileError
from fireplan_core.play import Input, State, opening
from fireplan_core.sentences import capitalized

MOST_LINES, MOST_WAYS = 24, 8
"""Maximum number of hidden things printed, and of possibilities listed for each."""
MOST_SAID = 3
"""Maximum number of possibilities in the sentence that begins the answer."""
STANDARD = "standard"
"""Name of the policy that follows the standard doctrine."""
MOST_DIGITS = 40
"""Maximum length of a number that is read as a weight."""
MOST_CHANCES = 1_000
"""Largest denominator for which a chance is written as "n chances in m"."""


# --- supposed worlds: the possible starting positions with their chances ----------------
def mixture(chances: dict[str, Fraction]) -> str:
    """Return names with their chances in words, e.g. "A with 1 chance in 3; B with 2 chances in 3".

    ``chances`` maps each name to its chance. A certain name stands alone, and impossible names are
    left out.
    """
    many = {c: f"{counted(c.numerator, 'chance')} in {c.denominator}" for c in chances.values()}
    if any(c.denominator > MOST_CHANCES for c in many):
        many = {c: percent(c) for c in many}
    return "; ".join(
        name if c == 1 else f"{name} with {many[c]}" for name, c in chances.items() if c
    )


AS_IT_IS = "as it is"
"""Describes the world in which everything is as in the scenario."""


def worlds_of(
    opens: Any,
    descriptions: Iterable[str],
    faults: list[str],
    read: Callable[[str], Any],
    *,
    weighed: bool = True,
) -> Iterator[tuple[Fraction, str, Any]]:
    """Yield the share, description and position of each supposed world.

    A world is written "WEIGHT DESCRIPTION", or as the description alone if not ``weighed``.
    ``read`` returns the position for a description. A weight alone, ``AS_IT_IS``, and an empty list
    of worlds stand for the position ``opens``. Every fault is added to ``faults``.
    """
    pieces = [
        text.strip().partition(" ") if weighed else ("1", "", text) for text in descriptions
    ] or [("1", "", "")]
    shares = [weight("world", f"{share} {says}", share, faults) for share, _, says in pieces]
    if min(shares) < 0 or not sum(shares):
        faults.append(
            f"{argument_name('world')}: no weight may be below 0, and at least one must be more than 0."
        )
        return
    for share, (_, _, says) in zip(shares, pieces, strict=True):
        described = says.strip() or AS_IT_IS
        at: Any = opens if described == AS_IT_IS else gathered(faults, read, described)
        if share and at is not None:
            yield share / sum(shares), described, at


def described_position(opens: Any, says: str) -> Any:
    """Return the position ``opens`` with the changes in ``says``, written as in a position line.

    Raises ``InputError`` listing every fault of the description.
    """
    try:
        at = opens.at.described(says)
    except FileError as error:
        raise InputError(*sentences_of(error)) from error
    return attrs.evolve(opens, at=at, past=None)


def weight(option: str, text: str, number: str, faults: list[str]) -> Fraction:
    """Return ``number``, such as ``1/10``, as a fraction; on bad input, add a fault and return 1.

    The fault names the argument ``option`` and quotes the whole ``text``.
    """
    # Refuse exponents, because Fraction("1e999999999") would take forever.
    readable = len(number) <= MOST_DIGITS and "e" not in number.casefold()
    try:
        return Fraction(number if readable else "")
    except (ValueError, ZeroDivisionError):
        faults.append(
            f"{argument_name(option)} {quoted(text.strip())}: expected a fraction such as 1/10,"
            f" got {quoted(number)}."
        )
        return Fraction(1)


@attrs.frozen(eq=False, repr=False)
class BeliefResult(Result):
    """The beliefs of a side about hidden things.

    ``worlds`` contains the possible positions with their chances. Worlds that differ only by
    exchanging identical assets count as one. ``side_name`` is the side's name in the game.
    ``inferred`` maps each hidden fact to its possible values with their chances; ``statuses``
    contains the entries of ``inferred`` about the status of hidden assets and units. ``opens`` is
    the position asked about, or None for a table in play.
    """

    side: str
    side_name: str
    when: str
    worlds: tuple[PossibleWorld, ...]
    inferred: Mapping[str, Mapping[str, Fraction]]
    statuses: Mapping[str, Mapping[str, Fraction]]
    opens: Any = None

    @property
    def cites(self) -> tuple[str, ...]:
        """The rule numbers cited in these worlds."""
        events = (entry.event for world in self.worlds for entry in world.table.log)
        return tuple(sorted({event.cite for event in events} - {""}))

    def positions(self) -> Iterator[tuple[Fraction, Any]]:
        """Yield each world's chance and position; for a table in play, yield nothing."""
        for world in self.worlds if self.opens else ():
            at = Position.of(self.opens.at.source, world.table.scenario, world.table.state)
            yield world.share, attrs.evolve(self.opens, at=at, past=None)

    def blocks(self) -> Iterator[Block]:
        """Yield the surest conclusion, then a line for each hidden fact, likeliest values first.

        At most ``MOST_LINES`` facts are shown.
        """
        yield Text(self.in_short, "bold")
        if not self.inferred:
            return
        many = counted(len(self.worlds), "hidden arrangement")
        fits = "fits" if len(self.worlds) == 1 else "fit"
        yield Text(f"{self.when}: what {self.side_name} may infer ({many} {fits} what they saw)")
        for about, ways in [*self.inferred.items()][:MOST_LINES]:
            likeliest = _likeliest(ways, MOST_WAYS)
            more = f"; {len(ways) - MOST_WAYS:,} more" * (len(ways) > MOST_WAYS)
            if more and len({*ways.values()}) == 1:
                likeliest, more = {f"{len(ways)} ways, each": max(likeliest.values())}, ""
            yield Text(f"{about}: {mixture(likeliest)}{more}")
        if len(self.inferred) > MOST_LINES:
            yield Text(
                f"... and {len(self.inferred) - MOST_LINES:,} more; {all_data()} has all of them."
            )

    @property
    def in_short(self) -> str:
        """Return a sentence with the hidden fact that the side can infer best, if there is one."""
        side = capitalized(self.side_name)
        hidden = self.statuses or self.inferred
        if not hidden:
            return f"Nothing is hidden from {self.side_name} that they cannot infer for certain."
        about, ways = max(hidden.items(), key=lambda pair: max(pair[1].values()))
        more = f"; {len(ways) - MOST_SAID:,} more" if len(ways) > MOST_SAID else ""
        about = f"the {about}" if about.startswith(("draw ", "roll ")) else about
        return f"{side} can infer most about {about}: {mixture(_likeliest(ways, MOST_SAID))}{more}."

    def to_dict(self) -> dict[str, Any]:
        """Return all inferences as plain data; chances are fractions written as text."""
        return {
            "side": self.side,
            "when": self.when,
            "worlds": len(self.worlds),
            "inferred": self.rows(),
        }

    def rows(self) -> Rows:
        """Return one row for each possibility of each hidden thing."""
        pairs = ((about, pair) for about, ways in self.inferred.items() for pair in ways.items())
        return [
            {"about": about, "what": what, "chance": str(chance)} for about, (what, chance) in pairs
        ]


def belief_of(
    opens: Any,
    side: str,
    world: Iterable[str],
    policy: Iterable[str],
    position: Callable[[str], Any],
) -> BeliefResult:
    """Return the beliefs of a side at a position; raise ``InputError`` listing every fault.

    ``world`` and ``policy`` are as for ``fireplan.belief``. ``position`` opens the scenario or line
    that a world names.
    """
    begun, inputs = opens.past or (opens.at, ())
    first, sides, faults = (
        attrs.evolve(opens, at=begun, past=None),
        sides_of(begun.scenario),
        list[str](),
    )
    if side not in sides:
        missing = f"Name the side that infers: {argument_name('side')} {' or '.join(sides)}."
        faults.append(str(unknown("side", side, sides)) if side else missing)
    standard = [text for text in policy if text.partition("=")[2].strip() == STANDARD]
    questions = read_patterns(
        begun.scenario, [text.partition("=")[0] for text in standard], "policy", faults
    )
    weighted = [text for text in policy if text not in standard]
    for text in weighted:
        question, _, answer = text.partition("=")
        if len(answer.split()) == 1:
            faults.append(
                f"{argument_name('policy')} {quoted(text)}: write {question}={STANDARD}, or weights such as"
                f" {question}=2 ORDER, 1 ORDER."
            )
    weighted = [text for text in weighted if len(text.partition("=")[2].split()) != 1]
    beliefs = read_beliefs(begun.scenario, weighted, "policy", faults)
    others = OpenDecisions(
        begun.scenario.firer, belief=beliefs, keep=frozenset((*beliefs, *questions))
    )

    def read(says: str) -> Any:  # a description without fields is the name of another scenario
        own = "{" in says and not says.startswith(MARK)
        return described_position(first, says) if own else position(says)

    supposed = tuple(worlds_of(first, world, faults, read)) if world else ()
    refuse(dict.fromkeys(faults))
    starts = [(share, opening.at.scenario, opening.at.state) for share, _, opening in supposed]
    return _believed(
        (begun.scenario, begun.state, inputs), (opens.usual, side, starts, others), opens
    )


def belief_at(session: Session, side: str) -> BeliefResult:
    """Return the beliefs of a side in a session.

    Raise ``InputError`` if there are too many worlds.
    """
    played = session.scenario, opening(session.scenario), session.table.journal
    return _believed(played, (session.moments, side, (), OpenDecisions(side)))


def _believed(
    played: tuple[Scenario, State, Sequence[Input]],
    question: tuple[int, str, Sequence[Begun], OpenDecisions],
    opens: Any = None,
) -> BeliefResult:
    (scenario, state, _), (moments, side, starts, others) = played, question
    try:
        worlds = Beliefs(moments, side, starts or [*arranged(scenario, state, side)], others).after(
            *played
        )
    except (ChanceError, ProcedureError) as error:
        # For example, a card has already been drawn, or no order fits a belief.
        raise InputError(f"This cannot be inferred: {error}.") from error
    except TooLargeError as error:
        less = f"specify how others answer ({argument_name('policy')} QUESTION={STANDARD}), or ask earlier"
        raise InputError(
            f"This is too large to be inferred exactly: {error}. Instead {less}."
        ) from error
    if not worlds:
        ways = f"how play may have begun ({argument_name('world')}), or how others answer ({argument_name('policy')})"
        raise InputError(
            f"None of the starting positions considered explains what {side} has seen; specify {ways}."
        )
    statuses, further = _inferred(scenario, side, worlds)
    when = scenario.clock.name(min(worlds[0].table.state.moment, moments - 1))
    return BeliefResult(
        side,
        Words(scenario).said("side", side),
        f"{scenario.title}, {when}",
        worlds,
        {**statuses, **further},
        statuses,
        opens,
    )


# --- inferences from worlds ------------------------------------------------------------------
def _inferred(
    scenario: Scenario, side: str, worlds: Sequence[PossibleWorld]
) -> tuple[dict[str, dict[str, Fraction]], dict[str, dict[str, Fraction]]]:
    """Return the chance of each hidden status, then of each order, card and throw.

    Both are mappings from a hidden fact to its possibilities with their chances.
    """
    stories, words = dict[Any, SideObservations](), Words(scenario)
    statuses, others = (defaultdict[str, Counter[str]](Counter) for _ in range(2))
    alike = alike_assets(scenario, side)
    for world in worlds:
        table = world.table
        for other in (one for one in sides_of(scenario) if one != side):
            if (id(table.scenario), other) not in stories:
                stories[id(table.scenario), other] = SideObservations(
                    table.scenario, table.moments, other
                )
            for line in stories[id(table.scenario), other].stands(table.state, table.waits_for):
                about, _, what = line.partition(": ")
                # Each world also represents those in which these assets are exchanged.
                group = alike.get(about, (about,))
                for name in group:
                    statuses[name][what] += world.share / len(group)  # type: ignore[assignment] # fractions are counted
        for (moment, answerer, question, number), order in world.orders:
            again = f" ({number + 1})" if number else ""
            about = f"{scenario.clock.name(moment)}, {answerer}: {words.question(Ask(answerer, question, ()))}{again}"
            others[about][words.typed.order(order)] += world.share  # type: ignore[assignment] # as above
        for about, what, share in _drawn(world, words, side):
            others[about][what] += world.share * share  # type: ignore[assignment] # as above
    for ways in others.values():
        ways["none"] += 1 - sum(ways.values())
    apart = {about: ways for about, ways in statuses.items() if len(ways) > 1}
    return _as_fractions(apart), _as_fractions(others)


def _as_fractions(chances: Mapping[str, Counter[str]]) -> dict[str, dict[str, Fraction]]:
    return {
        about: {what: Fraction(n) for what, n in ways.items() if n}
        for about, ways in chances.items()
    }


def _drawn(world: PossibleWorld, words: Words, side: str) -> Iterator[tuple[str, str, Fraction]]:
    """Yield each possible hand, next card and due throw: its heading, its value, and its chance."""
    yield from _hands(world, words, side)
    yield from _next_cards(world, words)
    table, event = world.table, world.table.throw_due
    if event is not None and event.seen_by in ("", side):
        for prospect in forecast(table, Visibility(table.scenario, side).learns, side):
            yield words.action(event), prospect.what, prospect.chance


def _hands(world: PossibleWorld, words: Words, side: str) -> Iterator[tuple[str, str, Fraction]]:
    """Yield a heading, the known cards in words, and the chance 1 for each hand of another side.

    Cards are known if they were looked at; a hand without such cards is left out.
    """
    table = world.table
    out = table.read("shared/out", ())
    for (deck, pile), owner in table.scenario.hands.items():
        held = [(kinds, n) for *at, kinds, n in out if at == [deck, pile] and owner != side]
        if looked_at := [
            f"{n} of {' or '.join(names) if len(names) < MOST_WAYS else f'{len(names)} kinds'}"
            for k, n in held
            if (names := words.cards.of_deck(deck, k) or ["any kind"])
        ]:
            yield f"{pile}, cards that were looked at", " and ".join(looked_at), Fraction(1)


def _next_cards(world: PossibleWorld, words: Words) -> Iterator[tuple[str, str, Fraction]]:
    """Yield a heading, the card and its chance for each card that may come next from a deck."""
    table = world.table
    out = table.read("shared/out", ())
    for deck, cards in table.scenario.decks.items():
        seen = tuple((kinds, n) for name, _, kinds, n in out if name == deck)
        weights = table.dealt.weights(FromDeck(deck, seen)) if table.dealt and seen else cards
        yield from (
            (
                f"next card of {deck}",
                words.cards.of_deck(deck, [k])[0],
                Fraction(n, sum(n for _, n in weights)),
            )
            for k, n in weights
            if n
        )


def _likeliest(ways: Mapping[str, Fraction], most: int) -> dict[str, Fraction]:
    return dict(sorted(ways.items(), key=lambda pair: (-pair[1], pair[0]))[:most])
