"""Positions built from a game's terms or read from a line."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import attrs

from fireplan import analysis, sheets, table
from fireplan.errors import (
    InputError,
    argument_name,
    gathered,
    refuse,
    sentences_of,
    unknown,
)
from fireplan.positions import Position, Source, Sources, facts, position_of, take_apart
from fireplan.positions.final import Final
from fireplan.positions.writing import line_of
from fireplan.questions import (
    at_hand,
    compared_orders,
    inquiry,
    opening,
    orders,
    own_files,
    queries,
    rulings,
    situations,
    stories,
)
from fireplan.questions.asked_position import AskedPosition, given
from fireplan.questions.belief import BeliefResult, belief_of
from fireplan.questions.best import best_orders
from fireplan.questions.changes import Changes, Named, as_typed
from fireplan.questions.lines import MARK, is_line
from fireplan.questions.refusing import refusing
from fireplan.questions.result import Block, Result, Text
from fireplan.questions.sheet_names import with_sheets
from fireplan_core import Scenario
from fireplan_core.files import FileError, printable, write_toml
from fireplan_core.play import (
    OPENING,
    Catalogue,
    State,
    Table,
    Values,
    Variation,
    shipped_scenarios,
)

NAMES = 40
"""Number of moments whose names are searched for a word (``turn=3``)."""


@attrs.frozen(eq=False, repr=False, slots=False)
class PositionResult(AskedPosition, Result):
    """A position, and the questions asked of it (``odds``, ``chance``, ``legal`` ...).

    ``print(position)``, and a notebook, show what is on the table as a referee sees it; ``line`` is
    the line that ``fireplan.position`` reads back, and the ``repr``.
    ``position["1st squad", "broken"]`` reads a field; ``fireplan fields`` lists the fields.
    """

    given = inquiry.given
    odds = inquiry.odds
    chance = inquiry.chance
    distribution = inquiry.distribution
    expect = inquiry.expect

    compare_orders = compared_orders.compare_orders

    legal = orders.legal
    why_not = orders.why_not
    standard = orders.standard
    question = property(orders.question)
    play = orders.play
    outcomes = orders.outcomes
    best = best_orders

    story = stories.story
    stories = stories.stories

    sees = rulings.sees
    covers = rulings.covers
    attack = rulings.attack
    throw = rulings.throw
    may_fire = rulings.may_fire
    lies = rulings.lies

    distance = at_hand.distance
    neighbours = at_hand.neighbours
    roll = property(at_hand.roll_due)

    query = queries.query
    queries = queries.queries

    def __repr__(self) -> str:
        return self.line

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PositionResult) and self.at == other.at

    def __hash__(self) -> int:
        return hash(self.at)

    def __getitem__(self, key: tuple[str, ...] | str) -> Any:
        """Return the value of a field, indexed as in ``Final``."""
        return Final(self.at.scenario, self.at.read)[key]

    def having(self, **changes: Any) -> PositionResult:
        """Return the position with changes, given as for ``position``."""
        return attrs.evolve(self, at=_having(self.at, changes), past=None)

    def follows(self, keeps: str | None = None, *, moments: int | None = None) -> PositionResult:
        """Return the opening of the scenario that follows this one, once this one is over.

        The opening includes everything that the campaign carries over, and its line holds the whole
        scenario. ``keeps`` is the side that keeps its calls for fire, ``moments`` the length of the
        new scenario. Raise ``InputError`` if nothing follows, or if play is not over.
        """
        return _sequel(self, keeps, moments)

    def belief(
        self,
        side: str,
        *,
        world: Sequence[str] = (),
        policy: Sequence[str] = (),
        orders: Any = None,
    ) -> BeliefResult:
        """Return the beliefs of a side about what is hidden from it here.

        In a journal, or at a position reached by play, the side has seen everything since play
        began; otherwise it has seen only the present situation. ``orders`` are given in advance, as
        in ``fireplan.strategy``.
        """
        return belief_of(given(self, orders), side, world, policy, position)

    def blocks(self) -> Iterator[Block]:
        """Yield the line, the pending input, the assets, the places, the displays and the piles."""
        yield Text(self.line, wrap=False)
        yield from situations.as_blocks(self, self.lies())

    def to_dict(self) -> dict[str, Any]:
        """Return the line, the moment, the pending input, and what is on the table, as data."""
        head = {"position": self.line, "moment": self.moment, "waits_for": self.waits_for}
        return head | situations.as_data(self.at, self.lies())

    def svg(self) -> str:
        """Return a small map of the places of units, aim points and impacts."""
        return situations.small_map(self.at)

    def _ipython_key_completions_(self) -> list[str | tuple[str, str]]:
        return Final(self.at.scenario, self.at.read)._ipython_key_completions_()


# --- building -------------------------------------------------------------------------
def position(  # noqa: PLR0913 - one argument for each part of a position
    name: str,
    /,
    *,
    game: str | None = None,
    moment: int | str | None = None,
    assets: Mapping[str, Any] | None = None,
    units: Mapping[str, Any] | None = None,
    ground: Mapping[str, Any] | None = None,
    table: Any = None,
    setup: Mapping[str, Any] | None = None,
    set: Named = (),  # noqa: A002 - named as in every question
    options: Named = (),
    embed: bool = False,
    **more: Any,
) -> PositionResult:
    """Return a position from a line (``fp1 ...``), or from a scenario or engagement with changes.

    For a file of your own, the line names the file and the digest of its content; with ``embed``,
    the line carries the whole file. ``set={"breakdown": 11}`` changes numbers of the game,
    ``options`` its options.

    Units and places are changed with ``units={"1st squad": "broken"}`` and ``ground={"K5":
    {"smoke": 3}}``, assets by name with ``a={"contact": True}``, a pile by what was drawn from it
    with ``a={"drawn": {"red": 1}}``, the moment with ``moment="turn 3"`` or ``turn=3``, and the
    facts of an engagement with ``guns=24``.

    ``setup`` adds, moves and takes away units of a scenario, with the keys of its file:
    ``{"2nd squad": {"at": "K6"}, "tank": None, "their leader": {"like": "3rd squad", "at": "K5",
    "leader": True}}``. Raise ``InputError`` listing every fault.

    >>> ready = fp.position("asl/village", turn=2, a={"stage": "requested", "contact": True})
    >>> ready.chance("fall", by="turn 2").chance
    Fraction(6677, 11664)
    """
    faults: list[str] = []
    if not str(name or "").strip():
        raise InputError(
            f"No position is named: give a position line ({MARK}...), a scenario or a scenario file."
        )
    name, game = with_sheets(name, "position" if game is None else None), with_sheets(game)
    if is_line(name):
        if game is not None:
            raise InputError(
                f"{argument_name('game')} cannot be combined with a position line, which already names its game."
            )
        line = _marked(name, faults)
        if set or options:
            faults.append(
                "set and options go with a scenario or its file; in a line, write them after its"
                " name: (number:NAME=VALUE option:NAME=VALUE)."
            )
        base: Any = gathered(faults, _of_line, line)
    else:
        changed_facts = {
            key: more.pop(key) for key in [*more] if game is not None and key in facts()
        }
        base = gathered(faults, opens, name, game, changed_facts, (set, options), embed=embed)
        if faults and (changed_facts or set or options):  # check the other arguments anyway
            base = gathered([], opens, name, game, {})
    arguments = {
        "moment": moment,
        "assets": assets,
        "units": units,
        "ground": ground,
        "table": table,
        "setup": setup,
        **more,
    }
    changed = {key: value for key, value in arguments.items() if value is not None}
    at = gathered(faults, _having, base.at, changed) if base is not None and changed else None
    refuse(faults)
    return base if at is None else attrs.evolve(base, at=at)  # type: ignore[no-any-return]


def _marked(line: str, faults: list[str]) -> str:
    """Return a position line that begins with its mark; add a fault if the mark was missing."""
    if line.lstrip().casefold().startswith("fp"):
        return line
    line = MARK + line
    faults.append(
        f"The line of a position begins with {MARK}and a scenario; this is read as {printable(line)!r}."
    )
    return line


def _sources(key: str) -> Sources:
    return _sources_with(key, tuple(sheets.in_use().values()))


@lru_cache(maxsize=64)
def _sources_with(key: str, _sheets: tuple[sheets.SheetGame, ...]) -> Sources:
    return _sources_in(opening.catalogue_for(key and f"{key}/", key or None))


def _sources_in(installed: Catalogue) -> Sources:
    return Sources(
        installed,
        analysis.shipped_engagements(),
        unlisted=table.unlisted_scenarios,
        own=own_files.stage_own_file,
    )


def _catalogue_of(name: str | None, game: str | None) -> Catalogue:
    """Return a catalogue with the game of a scenario or file, loaded once, or with all games."""
    own = own_files.game_of(name or "")
    key = game or own or (name or "").partition("/")[0]
    installed = _sources(key).catalogue
    known = game or own or name in shipped_scenarios(installed)
    return installed if key in installed.games and known else opening.catalogue_for(name, game)


def _of_line(line: str) -> PositionResult:
    try:
        source = take_apart(line).source
        sources = _sources("" if source.parts else source.game_key)
        at = position_of(line, sources)
    except FileError as error:
        raise InputError(*sentences_of(error)) from error
    return PositionResult(
        at, sources.catalogue[at.source.game_key].game, sources.staged(at.source)[1]
    )


def opens(
    name: str | None,
    game: str | None,
    facts: Mapping[str, Any],
    changes: tuple[Named, Named] = ((), ()),
    catalogue: Catalogue | None = None,
    *,
    embed: bool = False,
) -> PositionResult:
    """Return the opening position of a scenario, or of an engagement with a game and facts.

    ``changes`` are changed numbers and options of the game. With ``embed``, the position's line
    carries the user's own file; raises ``InputError`` if the file is a shipped one.
    """
    installed = catalogue or _catalogue_of(name, game)
    head = opening.head_of(installed, name, game)
    if facts and game is not None:
        opening.engagement_named(name, facts)  # raises InputError for invalid facts
    source = _source_of(head, facts)
    if embed:
        if head.shipped:
            raise InputError(
                "embed is for a file of your own; shipped files are available everywhere."
            )
        source = own_files.embedded(head, source)
    if any(changes):
        varied = variation_of(installed, head.game, *changes)
        source = attrs.evolve(
            source, options=tuple(varied.options.items()), numbers=tuple(varied.numbers.items())
        )
    sources = _sources_of(source, catalogue)
    with refusing():
        staged = sources.staged(source) if any(changes) else sources.kept(source)
    scenario, moments = staged or opening.opened(installed, name, game, facts=facts)[1:]
    return _opening_position(source, scenario, moments, sources=sources)


def opening_position(head: table.Head, scenario: Scenario, moments: int) -> PositionResult:
    """Return the opening position of a table, with the source that its lines name."""
    source = _source_of(head)
    return _opening_position(source, scenario, moments, sources=_sources_of(source))


def _opening_position(
    source: Source, scenario: Scenario, moments: int, *, sources: Sources
) -> PositionResult:
    sources.keep(source, scenario, moments)
    key = source.game_key
    known = sources.catalogue if key in sources.catalogue.games else opening.catalogue()
    return PositionResult(Position.of(source, scenario), known[key].game, moments)


def _sequel(position: PositionResult, keeps: str | None, moments: int | None) -> PositionResult:
    """Return the opening of the scenario that follows one whose play has ended in a position."""
    source, key = position.at.source, position.game.key
    installed = opening.catalogue_for(f"{key}/", None)
    head = (
        own_files.own_head(installed, source)
        if source.is_own
        else table.make_head(
            installed, source.name, source.game or None, analysis.shipped_engagements()
        )
    )
    options = {name: value for name, value in source.options if value is not None}
    head = attrs.evolve(head, options=options)
    with refusing():
        try:
            form = table.sequel(
                source.name, head, installed, _ended(position), keeps=keeps, moments=moments
            )
        except ValueError as error:
            raise InputError(f"{error}.") from error
    following = table.Head(
        kind=head.kind, name="following.toml", text=write_toml(form), game=key, charts=head.charts
    )
    bare = attrs.evolve(source, name="", options=(), files=())
    whole = own_files.embedded(following, own_files.own_source(following, bare))
    sources = _sources_of(whole)
    with refusing():
        scenario, length = sources.staged(whole)
    return _opening_position(whole, scenario, length, sources=sources)


def _ended(position: PositionResult) -> Table:
    """Return the table of a position, played at most to the end of the scenario's usual length.

    A position at the opening of a later moment is taken back to the end of the moment before.
    """
    begun, inputs = position.past or (position.at, ())
    over = begun.moment >= position.usual and begun.state.agenda == (OPENING,)
    state, moments = begun.state, max(position.usual, begun.moment)
    if over:
        state = State(state.at(moments - 1).values, ())
    played = Table(begun.scenario, moments, state)
    for entry in inputs:
        if not played.over:
            played.submit(entry)
    return played


def _source_of(head: table.Head, facts: Mapping[str, Any] | None = None) -> Source:
    source = attrs.evolve(table.source_of(head), facts=tuple((facts or {}).items()))
    return source if head.shipped else own_files.own_source(head, source)


def _sources_of(source: Source, catalogue: Catalogue | None = None) -> Sources:
    return (
        _sources_in(catalogue) if catalogue else _sources("" if source.parts else source.game_key)
    )


def variation_of(installed: Catalogue, key: str, numbers: Named, options: Named) -> Variation:
    """Return the variation with changed numbers and options of a game.

    The names may be written without the game's key.
    """

    def full(changes: Named) -> tuple[str, ...]:
        return tuple(
            typed if typed.startswith(f"{key}.") else f"{key}.{typed}"
            for typed in as_typed(changes)
        )

    return Changes(full(options), (), full(numbers)).read(installed).get(key, Variation())


def _set_up(at: Position, setup: Any) -> Position:
    """Return a position with units of its scenario added, moved or taken away.

    Raise ``InputError`` listing every fault.
    """
    if not isinstance(setup, Mapping):
        raise InputError(f"setup: expected names with values, got {setup!r}.")
    faults: list[str] = []
    changes = dict(at.source.units)
    for name, change in setup.items():
        if change is None:
            changes[name] = None
            continue
        if not isinstance(change, Mapping):
            faults.append(
                f"setup: {name}: expected keys of its entry in the scenario file with values, such"
                f" as {{'at': 'K5'}}, or None to take it away; got {change!r}."
            )
            continue
        values = {
            key: tuple(value) if isinstance(value, list | tuple) else value
            for key, value in change.items()
        }
        faults += [
            f"setup: {name}.{key}: expected text, a whole number, True, False or a list of these,"
            f" got {change[key]!r}."
            for key, value in values.items()
            if not all(
                isinstance(item, str | int)
                for item in (value if isinstance(value, tuple) else (value,))
            )
        ]
        changes[name] = tuple({**dict(changes.get(name) or ()), **values}.items())
    refuse(faults)
    gone = tuple(f"units/{name}/" for name, change in changes.items() if change is None)
    values = {key: value for key, value in at.state.values.items() if not key.startswith(gone)}
    state = attrs.evolve(at.state, values=Values(values))
    source = attrs.evolve(at.source, units=tuple(changes.items()))
    return _of_line(line_of(source, at.scenario, state, at.faces)).at


def _unknown_words(at: Position, keys: list[str], words: set[str]) -> list[str]:
    """Return the faults of the unknown keywords ``keys``; ``words`` are the valid keywords."""
    of_engagements = [key for key in keys if key in facts() and not at.source.game]
    faults = [opening.facts_of_scenario(of_engagements)] if of_engagements else []
    known = (*at.scenario.missions, *words, *(facts() if at.source.game else ()))
    names = sorted(filter(str.isidentifier, known))
    return [
        *faults,
        *(str(unknown("word", key, names)) for key in keys if key not in of_engagements),
    ]


def _having(at: Position, changes: Mapping[str, Any]) -> Position:
    """Return a position with changes; raise ``InputError`` listing every fault."""
    keywords = {"moment", "assets", "units", "ground", "table", "setup"}
    arguments = {key: value for key, value in changes.items() if key in keywords}
    if setup := arguments.pop("setup", None):
        at = _set_up(at, setup)
    by_name = arguments.pop("assets", None) or {}
    if not isinstance(by_name, Mapping):
        raise InputError(f"assets: expected names with values, got {by_name!r}.")
    assets = dict(by_name)
    called = map(at.scenario.clock.name, range(NAMES))
    words = {re.split(r"\W*\d", name.casefold())[0].replace(" ", "_") for name in called}
    faults: list[str] = []
    unknown_keys = [key for key in changes if key not in {*keywords, *words, *at.scenario.missions}]
    faults += _unknown_words(at, unknown_keys, {*words, *keywords})
    for key, value in changes.items():
        if key in keywords or key in unknown_keys:
            continue
        if key in at.scenario.missions:
            assets[key] = value
        elif key in words and "moment" not in arguments:
            arguments["moment"] = f"{key.replace('_', ' ')} {value}"
        else:
            faults.append(f"{key}: the moment is already given: {arguments['moment']!r}.")
    if faults:
        gathered(faults, _having, at, {**arguments, "assets": assets})
        raise InputError(*faults)
    try:
        return at.having(assets=assets, **arguments)
    except FileError as error:
        raise InputError(*sentences_of(error)) from error
