"""Comparing games: one engagement in several games side by side, changed, or as hybrids."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import partial
from itertools import starmap
from math import ceil
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from fireplan import analysis
from fireplan.analysis import (
    MOST_TRIED,
    YARDSTICKS,
    Comparison,
    GameAnswer,
    IdleFacts,
    Measured,
    ReferenceFigure,
    SampledAnswer,
    idle_facts,
    number,
    percent,
    with_idle_facts,
)
from fireplan.errors import (
    InputError,
    argument_name,
    gathered,
    refuse,
    unknown,
)
from fireplan.questions import opening
from fireplan.questions.conditions import Conditions, NamedCondition, read_conditions
from fireplan.questions.opening import (
    engagement_named,
    known_games,
    titled,
)
from fireplan.questions.question import (
    Begin,
    Progress,
    UnderOrders,
    WithFacts,
    asks,
    at_once,
)
from fireplan.questions.refusing import refusing
from fireplan.questions.result import WIDTH, Block, Grid, Listing, Result, Rows, Text
from fireplan.questions.sampling import Sample, asks_sample, asks_seed
from fireplan.questions.shared_arguments import asks_house_rules, asks_minutes, asks_reference
from fireplan.strategies import OrderRule, Strategy
from fireplan_core import WORDS, CannotStageError, Engagement, Scenario
from fireplan_core.play import Catalogue, Variation, stage_engagement

BLOCKS = " ▏▎▍▌▋▊▉█"
BAR_WIDTH = 6
ROOM_FOR_BARS = 120
"""Width in columns from which shares are also drawn as bars."""
LONGEST_FRACTION = 40
"""Maximum length of a printed fraction; the data contain longer ones too."""
NARROW = 24
"""Minimum width of a game in columns; on narrower pages, games are printed one below the other."""


def bar(share: Fraction, *, bars: bool) -> str:
    """Return a share as text, after a bar of blocks if ``bars``."""
    eighths = round(float(share) * BAR_WIDTH * 8)
    drawn = (
        (BLOCKS[8] * (eighths // 8) + BLOCKS[eighths % 8].strip()).ljust(BAR_WIDTH) + " "
        if bars
        else ""
    )
    return f"{drawn}{percent(share):>7}"


def yardsticks(
    games: Sequence[GameAnswer], *, bars: bool, idle: Mapping[str, IdleFacts] | None = None
) -> Grid:
    """Return the table of yardsticks, with a column for each game.

    With ``bars``, shares are also drawn as bars. ``idle`` maps a game's key to the facts that
    change nothing in that game, which the heading of its column lists.
    """
    from fireplan.draw.palette import look, looks_of

    idle = idle or {}
    heads = (
        "",
        *(
            f"{game.title}\n1 {game.moment} =\n{number(game.minutes_per_moment)} min"
            + (f"\n({idle[game.key].words})" if game.key in idle else "")
            for game in games
        ),
    )
    rows: list[tuple[str, ...]] = []
    sections = set()
    for yardstick, severity, cells in analysis.table_rows(
        games, lambda share: bar(share, bars=bars)
    ):
        if severity == "none":  # the first of four rows under one title
            rows.append((yardstick.title, *("" for _ in games)))
        rows.append((f"  {severity}" if severity else yardstick.title, *cells))
        if severity in ("", "destroyed"):
            sections.add(len(rows) - 1)
    colours = ("", *(look(looks_of([game.key])[game.key]).colour for game in games))
    return Grid(heads, tuple(rows), sections=frozenset(sections), firm=True, colours=colours)


def room_for(width: int) -> int:
    """Return the number of games that fit side by side in ``width`` characters, at least 1."""
    return max(1, (width - NARROW) // (NARROW - 10))


def pages(games: Sequence[GameAnswer], width: int) -> list[Sequence[GameAnswer]]:
    """Return the games split into the fewest tables of about equal width that fit in ``width``."""
    count = ceil(len(games) / room_for(width))
    return [
        games[len(games) * page // count : len(games) * (page + 1) // count]
        for page in range(count)
    ]


def explained(answers: Iterable[GameAnswer]) -> Iterator[Text]:
    """Yield the meaning of each yardstick, with a figure from these answers as an example."""
    games = list(answers)
    yield Text("\nWhat the figures mean", "bold")
    for yardstick in YARDSTICKS:
        yield Text(f"  {yardstick.title}: {yardstick.definition}")
        for game in games:
            answer = game.measures[yardstick.name]
            if isinstance(answer, Measured):
                yield Text(f"    e.g. {game.title}: {_read_aloud(answer)}", "dim")
                break


def _read_aloud(answer: Measured) -> str:
    """Return a figure in words; a chance or the likeliest value comes with its exact share."""
    if answer.unit == "probability":
        return _exactly(
            dict(answer.distribution).get(True, Fraction(0))
            if answer.distribution
            else answer.value
        )
    if answer.distribution:
        value, share = max(answer.distribution, key=lambda pair: pair[1])
        worded = value if isinstance(value, str) else f"{number(value)} {answer.unit}"
        return f"the likeliest is {worded}, {_exactly(share)}"
    return f"{number(answer.value)} {answer.unit}"


def _exactly(share: Fraction) -> str:
    """Return a share as a percentage, followed by its fraction if that is short enough."""
    return percent(share) + (f" (exactly {share})" if len(str(share)) < LONGEST_FRACTION else "")


def changed_rows(before: GameAnswer, after: GameAnswer) -> Iterator[Block]:
    """Yield the yardsticks before and after a change, with differences highlighted."""
    changes = list(analysis.changes(before, after))
    rows = tuple(
        (("* " if c.changed else "  ") + c.what, c.before, c.after, c.difference) for c in changes
    )
    marked = frozenset(number for number, change in enumerate(changes) if change.changed)
    faint = frozenset(range(len(rows))) - marked
    yield Grid(
        ("", "before", "after", "difference"), rows, title=before.title, marked=marked, faint=faint
    )
    yield Text("* differs, exactly compared", "dim")


def sampled_rows(game: SampledAnswer) -> Iterator[Block]:
    """Yield the sampled shares of a game, and the reason if it was too large to solve."""
    rows = tuple(
        (label, f"{share:.1%} ± {error:.1%}") for label, (share, error) in game.shares.items()
    )
    heads = ("", f"SAMPLED, {game.trajectories:,} trajectories, seed {game.seed}")
    yield Grid(heads, rows, title=game.title)
    why = f". This is too large to be solved exactly: {game.why}" if game.why else ""
    yield Text(f"± standard errors{why}", "dim")


def without_exact_answers(comparison: Comparison) -> Iterator[Block]:
    """Yield each game without an exact answer, with the reasons."""
    for key, reasons in comparison.cannot.items():
        yield Listing(f"{key} cannot stage this engagement", tuple(reasons))
    for sampled in comparison.sampled.values():
        yield from sampled_rows(sampled)
    for key, reason in comparison.failed.items():
        yield Listing(f"{comparison.titles[key]} is left out", (reason,))


def _given(comparison: Comparison) -> Iterator[str]:
    """Yield a sentence for each game that is answered under a condition."""
    for key, (condition, chance) in comparison.given.items():
        yield f"{comparison.titles[key]}: {condition} (chance: {_exactly(chance)})"


def resting_on(comparison: Comparison) -> Iterator[Block]:
    """Yield the sources and assumptions behind each game's figures."""
    games: list[GameAnswer | SampledAnswer] = [
        *comparison.games.values(),
        *comparison.sampled.values(),
    ]
    for game in games:
        if game.notes:
            yield Listing(f"{game.title}: what its figures rest on", game.notes)


def _fact(name: str, value: Any) -> str:
    """Return a changed fact of an engagement in words: "own troops 100", "night yes"."""
    worded = ("no", "yes")[value] if isinstance(value, bool) else value
    return f"{name.replace('_', ' ')} {worded}"


# --- results --------------------------------------------------------------------------
@attrs.frozen(eq=False, repr=False)
class ComparisonResult(Result):
    """The answers of several games to one engagement.

    ``comparison`` contains the answers, and ``changed`` lists pairs of columns, before and after a
    change. ``reference`` has the user's own figures to set beside the games. With ``explain``, the
    meaning of each yardstick is printed too. ``facts`` are the changed facts of the engagement,
    which its summary leaves out; ``idle`` maps a game to the facts among these that change nothing
    in it.
    """

    comparison: Comparison
    changed: tuple[tuple[str, str], ...] = ()
    explain: bool = False
    reference: tuple[ReferenceFigure, ...] = ()
    facts: Mapping[str, Any] = attrs.field(factory=dict)
    idle: Mapping[str, IdleFacts] = attrs.field(factory=dict)

    @property
    def cites(self) -> dict[str, tuple[str, ...]]:
        """The rules that each game followed: ``{"GAME": ("C1.2", "C1.3"), ...}``."""
        return {key: game.cites for key, game in self.comparison.games.items()}

    def _ipython_key_completions_(self) -> list[str]:
        return [*self.comparison.games]

    def __getitem__(self, game: str) -> GameAnswer:
        """Return the answers of one game, given its key; raise ``KeyError`` if it has none."""
        if game not in self.comparison.games:
            raise KeyError(
                f"{game!r} has no answer here; games with an answer: {', '.join(self.comparison.games) or 'none'}"
            )
        return self.comparison.games[game]

    def blocks(self) -> Iterator[Block]:
        """Yield the answer for a page of the usual width."""
        return self.fitting(WIDTH)

    def fitting(self, width: int) -> Iterator[Block]:
        """Yield the blocks for a page of ``width`` characters.

        They are the tables, the assumptions, the games left out, the changes and the definitions.
        """
        comparison, engagement = self.comparison, self.comparison.engagement
        yield Text(engagement.title, "bold")
        if engagement.summary:
            yield Text(engagement.summary)
        if self.facts:
            yield Text(f"Changed: {', '.join(starmap(_fact, self.facts.items()))}.")
        exact = "; every probability is exact" + " but those marked SAMPLED" * bool(
            comparison.sampled
        )
        yield Text(
            f"Watched for {engagement.minutes} minutes{exact if comparison.games else ''}.\n", "dim"
        )
        games = list(comparison.games.values())
        if comparison.given:
            yield Listing("Given", tuple(_given(comparison)))
        for group in pages(games, width):
            yield yardsticks(group, bars=width >= ROOM_FOR_BARS, idle=self.idle)
        if self.idle:
            yield Listing(
                "Changes nothing",
                tuple(f"{comparison.titles[key]}: {each}" for key, each in self.idle.items()),
            )
        if self.reference:
            yield Grid(
                ("", "reference", *(game.title for game in games)),
                tuple(
                    (name, value, *cells)
                    for name, value, cells in analysis.reference_rows(
                        self.reference, comparison.games
                    )
                ),
                title="Reference figures",
            )
        yield from without_exact_answers(comparison)
        if len(games) > 1:
            yield Listing("In short", tuple(analysis.in_short(comparison)))
        if missing := analysis.unmodelled(comparison):
            yield Listing("Not modelled", tuple(missing))
        yield from resting_on(comparison)
        if self.explain:
            yield from explained(games)
        for before, after in self.changed:
            if before in comparison.games and after in comparison.games:
                yield from changed_rows(comparison.games[before], comparison.games[after])

    def to_dict(self) -> dict[str, Any]:
        """Return the engagement and every answer; probabilities are exact rationals as strings."""
        data, figures = analysis.as_data(self.comparison), self.reference
        if figures:
            data["reference"] = analysis.reference_data(figures, self.comparison.games)
        return data

    def rows(self) -> Rows:
        """Return one row for each game, measure and value, and for each reference figure."""
        rows = analysis.as_rows(self.comparison)
        if self.facts:
            rows = [
                {
                    **row,
                    "no_change_by": " ".join(idle.facts) if idle else "",
                    "no_change_why": idle.why if idle else "",
                }
                for row in rows
                for idle in [self.idle.get(row["game"])]
            ]
        return [
            *rows,
            *(
                {
                    "game": "reference",
                    "measure": figure.figure.name,
                    "unit": figure.figure.unit,
                    "value": str(figure.exact),
                    "decimal": f"{float(figure.exact):.6f}",
                    "source": figure.source,
                    "nearest": " ".join(figure.nearest(self.comparison.games)),
                }
                for figure in self.reference
            ),
        ]

    def svg(self) -> str:
        """Return the sheet as SVG: footprints, first falls, and delivery over time."""
        return analysis.svg(with_idle_facts(self.comparison, self.idle))


# --- questions ------------------------------------------------------------------------
class Compare(UnderOrders[ComparisonResult], WithFacts[ComparisonResult]):
    """Compare every installed game on one engagement, side by side."""

    key = "compare"
    example = """
        >>> trench = fp.compare('dug_in', games=['asl', 'wacht_am_rhein'], minutes=20)
        >>> trench['asl'].measures['delivered'].value
        Fraction(204575, 228096)
    """
    estimated = True
    sooner = "watch fewer minutes"

    engagement: str | Path | Engagement | None = asks(
        "A shipped engagement ('fireplan engagements' lists them) or the path of your own file; woods"
        " by default.",
        placed=True,
        named="engagement",
    )
    games: tuple[str, ...] | None = asks(
        "Only these games, by their keys ('fireplan games' lists them), or all. By default the games"
        " written from their rulebooks, and the others too if the terminal is wide enough."
    )
    minutes: int | None = asks_minutes()
    reference: tuple[str | ReferenceFigure, ...] = asks_reference(
        "Figures of your own to show beside the games, with the nearest game marked"
    )
    given: tuple[str, ...] | Mapping[str, Any] = asks(
        "A condition for one game, which begins with its key: GAME.contact=4,2 (the dice of its next"
        " roll of that name), GAME.access=red; or for every game: fall (it happens), fall=no.",
        (),
    )
    house_rules: tuple[str | ModuleType, ...] = asks_house_rules()
    explain: bool = asks(
        "Also print what each figure means, with an example from this comparison.", False
    )

    def answer(self) -> ComparisonResult:
        """Return the comparison of the games."""
        installed = self.catalogue or opening.catalogue()
        faults: list[str] = []
        engagement = gathered(faults, engagement_named, self.engagement, self.facts, self.minutes)
        keys = gathered(faults, known_games, installed, self.games)
        rules = gathered(faults, opening.house_rules, self.house_rules)
        reference = gathered(faults, opening.references, self.reference) or ()
        orders = gathered(faults, orders_by_game, installed, self.orders)
        known: Any = gathered(faults, read_conditions, self.given)
        if known and not faults:
            known = gathered(faults, _conditions_by_game, installed, keys, engagement, known)
        refuse(faults)
        entrants = _under_conditions(
            with_orders(analysis.contenders(installed, keys), orders), dict(known)
        )
        if rules:
            changed = Variation(rules=rules)
            entrants = tuple(
                attrs.evolve(
                    contender,
                    name=f"{contender.name}*",
                    title=titled(contender.title, rules),
                    variation=changed,
                )
                for contender in entrants
            )
        without = self._without()

        def step(total: int, name: str) -> None:
            self.progress(total * (1 + len(without)), name)

        compared = compared_games(engagement, installed, entrants, step, self.begin)
        before = {
            fact: compared_games(other, installed, entrants, step)
            for fact, other in without.items()
        }
        return ComparisonResult(
            compared,
            explain=self.explain,
            reference=reference,
            facts=self.facts,
            idle=idle_facts(compared, before),
        )

    def _without(self) -> dict[str, Engagement]:
        """Map each changed fact to the engagement without that change.

        A fact is left out if its original value does not fit the other facts. The mapping is empty
        if more than ``MOST_TRIED`` facts are changed.
        """
        engagements: dict[str, Engagement] = {}
        for fact in self.facts if len(self.facts) <= MOST_TRIED else ():
            others = {name: value for name, value in self.facts.items() if name != fact}
            with suppress(InputError):  # the original value may not fit the other facts
                engagements[fact] = engagement_named(self.engagement, others, self.minutes)
        return engagements


def orders_by_game(installed: Catalogue, orders: Strategy) -> dict[str, Strategy]:
    """Return the orders of a comparison by game.

    Raise ``InputError`` listing every rule that does not begin with an installed game.
    """
    by_game: dict[str, list[OrderRule]] = {}
    faults: list[str] = []
    for rule in orders.rules:
        game, _, question = rule.question.partition(".")
        if game in installed.games and question:
            by_game.setdefault(game, []).append(attrs.evolve(rule, question=question))
        else:
            example = f"{next(iter(installed.games), 'GAME')}.{rule.question}"
            faults.append(
                f"{argument_name('orders')}: {rule.text}: write the game first: {example}=ORDER."
            )
    refuse(faults)
    return {game: Strategy(tuple(rules)) for game, rules in by_game.items()}


def _conditions_by_game(
    installed: Catalogue,
    keys: Iterable[str],
    engagement: Engagement,
    conditions: Iterable[tuple[str, Any]],
) -> dict[str, list[NamedCondition]]:
    """Return the conditions of a comparison by game; a condition without a game applies to all.

    Raise ``InputError`` listing every game that is not compared, and every unknown name and value.
    """
    by_game: dict[str, list[NamedCondition]] = {key: [] for key in keys}
    faults: list[str] = []
    for name, value in conditions:
        game, _, rest = name.partition(".")
        if not rest:
            for each in by_game.values():
                each.append(NamedCondition(name, value))
        elif game in by_game:
            by_game[game].append(NamedCondition(rest, value))
        else:
            faults.append(
                f"{argument_name('given')}: {name}: expected one of the games compared"
                f" ({', '.join(by_game)}) before the point, got {game!r}."
            )
    for key, named in by_game.items():
        try:
            scenario = stage_engagement(installed, key, engagement)
        except CannotStageError:
            continue
        own: list[str] = []
        gathered(own, Conditions.of, scenario, named)
        faults += [f"{argument_name('given')}: {key}: {fault}" for fault in own]
    refuse(faults)
    return {key: named for key, named in by_game.items() if named}


def _under_conditions(
    entrants: Iterable[analysis.Contender], by_game: Mapping[str, Sequence[NamedCondition]]
) -> tuple[analysis.Contender, ...]:
    """Return the entrants, each with the conditions given for its game, if any."""
    return tuple(
        attrs.evolve(each, given=partial(Conditions.of, named=by_game[each.game]))
        if each.game in by_game
        else each
        for each in entrants
    )


def with_orders(
    entrants: Iterable[analysis.Contender], orders: Mapping[str, Strategy]
) -> tuple[analysis.Contender, ...]:
    """Return the entrants, each with the orders given for its game, if any.

    A title with orders ends with them, in brackets.
    """
    return tuple(
        attrs.evolve(each, orders=given, title=f"{each.title} ({given})")
        if (given := orders.get(each.game))
        else each
        for each in entrants
    )


class Kitbash(WithFacts[ComparisonResult]):
    """Replace parts of a game with parts of others and compare the hybrid with its parents.

    For example: how would this game play with the delays of that one?
    """

    key = "kitbash"
    example = """
        >>> three = fp.kitbash('asl', delays='red_poppies', minutes=5)
        >>> list(three.comparison.games)
        ['asl', 'red_poppies', 'hybrid']
    """
    estimated = True
    sooner = "watch fewer minutes"

    game: str = asks(
        "The game that supplies all other parts.", attrs.NOTHING, placed=True, named="game"
    )
    observers: str | None = asks("The game that supplies the observers.", named="game")
    requests: str | None = asks("The game that supplies the requests.", named="game")
    delays: str | None = asks("The game that supplies the clock and the delays.", named="game")
    areas: str | None = asks(
        "The game that supplies the map, the accuracy and the footprint.", named="game"
    )
    resolution: str | None = asks("The game that supplies the units and the results.", named="game")
    engagement: str | Path | Engagement | None = asks(
        "A shipped engagement or the path of your own file; woods by default.", named="engagement"
    )
    minutes: int | None = asks_minutes()
    sample: int = asks_sample(
        "Sample this many trajectories of each game. Without it, a hybrid too large to solve exactly"
        " is sampled along with its parents, and the answer says so."
    )
    seed: int = asks_seed()

    def answer(self) -> ComparisonResult:
        """Return the comparison of the hybrid with the games that its parts come from."""
        installed, drawn = self.catalogue or opening.catalogue(), Sample(self.sample, self.seed)
        taken = {word: getattr(self, word) for word in WORDS}
        parts = {word: key for word, key in taken.items() if key not in (None, self.game)}
        faults = [
            str(unknown("game", key, installed.games, files=True))
            for key in (self.game, *parts.values())
            if key not in installed.games
        ]
        engagement = gathered(faults, engagement_named, self.engagement, self.facts, self.minutes)
        if not parts:
            faults.append(
                f"Take at least one part from another game, e.g. {argument_name('delays')} KEY."
            )
        refuse(faults)
        name = f"{installed[self.game].game.title} with " + ", ".join(
            f"{word} of {key}" for word, key in parts.items()
        )
        hybrid = analysis.Contender("hybrid", self.game, name, Variation(parts=parts))
        parents = analysis.contenders(installed, dict.fromkeys((self.game, *parts.values())))
        with refusing(staging="These parts cannot stage this engagement together"):
            stage_engagement(installed, self.game, engagement, hybrid.variation)
        entrants = [*parents, hybrid]
        return ComparisonResult(
            compared_games(
                engagement, installed, entrants, self.progress, self.begin, {"hybrid"}, drawn
            ),
            facts=self.facts,
        )


def compared_games(
    engagement: Engagement,
    installed: Catalogue,
    entrants: Sequence[analysis.Contender],
    progress: Progress,
    begin: Begin = at_once,
    required: Iterable[str] = (),
    drawn: Sample = Sample(),  # noqa: B008 - frozen
) -> Comparison:
    """Return the answers of all entrants to an engagement.

    An entrant whose answer fails is left out; but ``InputError`` is raised with the reason if
    ``required`` names it, or if all entrants fail. If ``drawn`` asks for trajectories, every
    entrant is sampled; otherwise only those that are too large to solve.
    """
    # The engine of this sample runs the rules, because the table may be too large to explore.
    size = drawn.or_advised()

    def sampled(
        entrant: analysis.Contender, scenario: Scenario, moments: int, why: str
    ) -> SampledAnswer:
        known: Any = (
            Conditions.of(scenario, ()) if entrant.given is None else entrant.given(scenario)
        )
        _, shares, walked = size.walked(
            scenario, moments, condition=known.known, compiler=known.compiler()
        )
        return SampledAnswer(entrant.title, why, walked, size.seed, shares, scenario.provenance)

    def step(name: str, yardstick: str) -> None:
        progress(len(entrants) * 4, f"{name}: {yardstick}")

    with refusing():
        solved = not drawn.trajectories
        comparison = analysis.compare(
            engagement, installed, entrants, step, begin, sampled, solved=solved
        )
    answered = comparison.games or comparison.sampled or comparison.cannot
    refuse(
        f"{comparison.titles[key]}: {why}"
        for key, why in comparison.failed.items()
        if not answered or key in required
    )
    return comparison
