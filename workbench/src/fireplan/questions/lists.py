"""Lists of the games and boards installed, and of the rules and numbers of a game."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any

import attrs

from fireplan import analysis, positions
from fireplan.analysis.rule_pages import RulePage, coverage, rule_page
from fireplan.errors import InputError, unknown
from fireplan.questions import opening
from fireplan.questions.of_game import OfGame
from fireplan.questions.question import Question, asks
from fireplan.questions.result import Block, Grid, Result, Rows, Text
from fireplan.table import read_playthrough, shipped_playthroughs
from fireplan_core import WORDS, find_numbers, numbers_of
from fireplan_core.files import parse_toml
from fireplan_core.ledger import STATUSES
from fireplan_core.play import Catalogue, Variation, load_scenario, part_of, shipped_scenarios


@attrs.frozen(eq=False, repr=False)
class ListResult(Result):
    """A list of rows, ``listed``, as plain data.

    ``heads`` maps the keys of a row to column headings, and ``shown`` maps them to functions that
    format their values. ``last`` is a line below the table. In ``to_dict`` the rows appear under
    ``key``, alongside the data in ``around``. With a ``failure``, the command prints the list and
    fails with this message.
    """

    heads: Mapping[str, str]
    listed: Sequence[Mapping[str, Any]]
    key: str
    around: Mapping[str, Any] = attrs.field(factory=dict)
    last: str = ""
    shown: Mapping[str, Callable[[Mapping[str, Any]], Any]] = attrs.field(factory=dict)
    failure: str = ""

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        return iter(self.listed)

    def __len__(self) -> int:
        return len(self.listed)

    def blocks(self) -> Iterator[Block]:
        """Yield the table and the line below it; names may be broken anywhere."""
        if self.listed:
            rows = (
                tuple(str(self.shown.get(key, itemgetter(key))(row)) for key in self.heads)
                for row in self.listed
            )
            fold = frozenset(number for number, key in enumerate(self.heads) if key == "name")
            yield Grid(tuple(self.heads.values()), tuple(rows), fold=fold)
        if self.last:
            yield Text(self.last, wrap=False)

    def to_dict(self) -> dict[str, Any]:
        """Return the data in ``around``, with the rows under ``key``."""
        return {**self.around, self.key: self.rows()}

    def rows(self) -> Rows:
        """Return the listed rows as plain data."""
        return [dict(row) for row in self.listed]


def _sources(installed: Catalogue, game: str) -> str:
    """Return a sentence that names a game's sources, or "" if the source is its rulebook."""
    sources = installed[game].game.sources
    return f"The rules are {sources}." if sources else ""


class Games(Question[ListResult]):
    """List the installed games, and the faults of those that failed to load."""

    key = "games"
    example = """
        >>> fp.games().rows()[0]['title']
        'Advanced Squad Leader'
    """

    def answer(self) -> ListResult:
        """Return the list of games."""
        installed = self.catalogue or opening.catalogue()
        rows = [
            {
                "key": key,
                "title": entry.game.title,
                "edition": entry.game.edition,
                "distribution": entry.distribution,
                "version": entry.version,
                "capabilities": list(entry.game.capabilities),
                "options": {
                    option.name: {
                        "values": list(option.values),
                        "rule": option.cite,
                        "summary": option.summary,
                    }
                    for option in entry.game.options
                },
            }
            for key, entry in installed.games.items()
        ]
        problems = [attrs.asdict(problem) for problem in installed.problems]
        last = "\n".join(
            f"{p['entry_point']} ({p['distribution']}) failed to load: {p['reason']}"
            for p in problems
        )
        heads = {"key": "game", "title": "title", "edition": "edition", "version": "version"}
        failure = "some games failed to load; see above" if problems else ""
        return ListResult(heads, rows, "games", {"problems": problems}, last, failure=failure)


class Scenarios(Question[ListResult]):
    """List the shipped scenarios of one game or of all games, the engagements, or playthroughs."""

    key = "scenarios"
    example = """
        >>> fp.scenarios('asl').rows()[0]['title']
        'Behind the curtain of fire'
    """

    game: str | None = asks("Only the scenarios of this game.", placed=True, named="game")
    engagements: bool = asks(
        "List the engagements instead, with the facts that can be changed.", False
    )

    playthroughs: bool = asks(
        "List the shipped playthroughs instead. Luck reports, and all questions about positions,"
        " accept the names of playthroughs.",
        False,
    )

    def answer(self) -> ListResult:
        """Return the list of scenarios, engagements or playthroughs."""
        if self.engagements and self.playthroughs:
            raise InputError("List the engagements or the playthroughs; choose one.")
        if self.engagements:
            return Engagements().answer()
        game = self.game
        installed = self.catalogue or (
            opening.catalogue() if game is None else opening.catalogue_with(game)
        )
        if self.playthroughs:
            return _recorded(installed, game)
        rows = []
        for name, file in shipped_scenarios(installed).items():
            if game in (None, name.partition("/")[0]):
                content = parse_toml(file).content
                rows.append(
                    {
                        "name": name,
                        **{key: content.get(key, "") for key in ("title", "moments", "summary")},
                    }
                )
        return ListResult(
            {"name": "scenario", "title": "title", "moments": "moments"}, rows, "scenarios"
        )


def _recorded(installed: Catalogue, game: str | None) -> ListResult:
    """Return the list of playthroughs, of one game or of all games."""
    rows = []
    for name, file in shipped_playthroughs(installed).items():
        if game in (None, name.partition("/")[0]):
            playthrough = read_playthrough(file.read_text(encoding="utf-8"))
            first = next((line.text for line in playthrough.lines if line.kind == "comment"), "")
            rows.append({"name": name, "summary": first.lstrip("# ")})
    return ListResult({"name": "playthrough", "summary": "summary"}, rows, "playthroughs")


class Engagements(Question[ListResult]):
    """List the shipped engagements, and the facts that can be changed in one."""

    key = "engagements"
    example = """
        >>> fp.engagements().rows()[0]['title']
        'A company under a drone'
    """

    def answer(self) -> ListResult:
        """Return the list of engagements, with the facts that can be changed."""
        rows = [
            {
                "name": name,
                "title": engagement.title,
                "summary": engagement.summary,
                "minutes": engagement.minutes,
            }
            for name, engagement in (
                (name, analysis.find_engagement(name)) for name in analysis.shipped_engagements()
            )
        ]
        facts_line = f"Facts that may be changed: {', '.join(positions.facts())}."
        facts = {"facts": {fact.name: fact.help for fact in positions.facts().values()}}
        return ListResult(
            {"name": "engagement", "title": "title", "minutes": "minutes"},
            rows,
            "engagements",
            facts,
            facts_line,
        )


class NumbersQuestion(OfGame[ListResult]):
    """List every number of a game: its value, its source, and its rule."""

    key = "numbers"
    example = """
        >>> fp.numbers('asl', 'set_breaks').rows()[0]['value']
        12
    """

    within: str | None = asks(
        "Only numbers under this name, e.g. ift, 'ift[12]' or radio_contact.", placed=True
    )

    def answer(self) -> ListResult:
        """Return the list of numbers."""
        game = self.game
        name = None if self.within is None else self.within.removeprefix(f"{game}.")
        installed = self.installed()
        charts = installed[game].game.charts
        try:
            cells = (
                list(numbers_of(charts).values()) if name is None else find_numbers(charts, name)
            )
        except ValueError as error:
            raise InputError(f"{game}: {error}") from error
        listed = [
            {
                "name": f"{game}.{named.name}",
                "value": named.cell.value,
                "provenance": named.cell.provenance,
                "rule": named.cell.cite,
                "summary": named.cell.summary,
                "steps": list(named.cell.steps),
            }
            for named in cells
        ]
        heads = {
            "name": "number",
            "value": "value",
            "provenance": "provenance",
            "rule": "rule",
            "summary": "meaning",
        }
        return ListResult(heads, listed, "numbers", {"game": game}, _sources(installed, game))


class FieldsQuestion(OfGame[ListResult]):
    """List the fields of a game's positions, each with its values, its rule and its meaning.

    Positions are explained in docs/reference/positions.md.
    """

    key = "fields"
    example = """
        >>> fp.fields('asl').rows()[0]['meaning']
        'the stage of the fire mission'
    """

    def answer(self) -> ListResult:
        """Return the list of fields."""
        game = self.game
        installed = self.installed()
        parts = [part_of(installed, word, game, Variation()) for word in WORDS]
        listed, cites = [], {part.word: part.cites for part in parts}
        shipped = installed[game].game.scenarios
        files = [*shipped.shipped.values()][:1] if shipped else []
        decks = any(part.decks for part in parts) or any(
            load_scenario(installed, file)[0].decks for file in files
        )
        for group, found in positions.fields_by_group(parts, decks=decks).items():
            for name, field in found.items():
                least, greatest = field.about.get("range") or (None, None)
                may_be = positions.spoken(field.hint, field.about.get("among") or ())
                between = {} if least is None else {"least": least, "greatest": greatest}
                # In a ready part, "rule" is a topic, which each game maps to a rule.
                rule = field.about.get("rule", "")
                own = cites.get(field.word, {})
                rule = next((own[name] for name in rule.split("/") if name in own), rule)
                described = {"rule": rule, "meaning": field.about.get("help", "")}
                listed.append({"of": group, "name": name, "type": may_be, **between, **described})
        heads = {
            "of": "of",
            "name": "field",
            "type": "possible values",
            "rule": "rule",
            "meaning": "meaning",
        }
        shown = {"type": _spanned}
        return ListResult(heads, listed, "fields", {"game": game}, _sources(installed, game), shown)


def _spanned(row: Mapping[str, Any]) -> str:
    return f"{row['type']}, {row['least']} to {row['greatest']}" if "least" in row else row["type"]


def _reasoned(row: Mapping[str, Any]) -> str:
    return f"{row['summary']} ({row['reason']})" if row["reason"] else row["summary"]


def _counted(key: str, row: Mapping[str, Any]) -> int:
    return len(row[key])


@attrs.frozen(eq=False, repr=False)
class RuleResult(Result):
    """One rule of a game: its summary, the steps that cite it, its numbers and its tests."""

    game: str
    page: RulePage

    def blocks(self) -> Iterator[Block]:
        """Yield the rule's page line by line."""
        yield from (Text(line, wrap=False) for line in self.page.lines())

    def to_dict(self) -> dict[str, Any]:
        """Return the rule's page as plain data."""
        return {"game": self.game, **self.page.data()}


class Rules(OfGame[ListResult | RuleResult]):
    """Show every numbered rule of a game: its summary, its status, and the tests that cover it.

    For each rule, the list also counts its witnesses: the worked examples that come with the game.
    """

    key = "rules"
    example = """
        >>> print(fp.rules('asl', 'C1.21'))
        C1.21 of Advanced Squad Leader: implemented
        ...
    """

    rule: str | None = asks(
        "The number of one rule: also show the steps that cite it, the numbers that it states, and"
        " its tests by name.",
        placed=True,
    )
    status: str | None = asks("Only rules of this status.", choices=STATUSES)

    def answer(self) -> ListResult | RuleResult:
        """Return the list of rules, or the page of one rule."""
        game, rule, status = self.game, self.rule, self.status
        installed = self.installed()
        if rule is not None:
            if status is not None:
                raise InputError(
                    "A status filters the whole list of rules: leave out the status or the rule."
                )
            known = installed[game].game.ledger.rules
            if rule not in known:
                raise unknown("rule", rule, known)
            return RuleResult(game, rule_page(installed, game, rule))
        every = coverage(installed, game)
        listed = [row for row in every if status in (None, row["status"])]
        last = "  ".join(
            f"{name}: {sum(row['status'] == name for row in every)}" for name in STATUSES
        )
        last += f"  {installed[game].game.ledger.witnessed}"
        heads = (
            {"id": "rule"}
            | {name: name for name in ("summary", "status", "cited", "tests")}
            | {"witness": "witnesses"}
        )
        shown: dict[str, Any] = {
            "summary": _reasoned,
            **{name: partial(_counted, name) for name in ("cited", "tests", "witness")},
        }
        return ListResult(
            heads,
            listed,
            "rules",
            {"game": game},
            f"{last}  {_sources(installed, game)}".rstrip(),
            shown,
        )
