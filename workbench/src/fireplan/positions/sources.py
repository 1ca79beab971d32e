"""Sources: the scenario or engagement from which a position is staged, staged only once.

Facts of an engagement have short names (``guns=24``, ``own_troops=100``), which change a shipped
engagement or the user's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cache
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, get_args, get_type_hints

import attrs

from fireplan.extras import SHIPPED
from fireplan.positions.atoms import COUNT, Plain
from fireplan_core.extras import game_to_install
from fireplan_core.files import (
    Complaint,
    Document,
    Fault,
    FileError,
    did_you_mean,
    nearest,
    parse_toml,
    printable,
)
from fireplan_core.play.catalogue import Catalogue, Variation
from fireplan_core.play.scenario import Scenario
from fireplan_core.play.table_setup import load_scenario, shipped_scenarios, stage_engagement
from fireplan_core.record import ProcedureError
from fireplan_core.setups.setup import Engagement
from fireplan_core.setups.staging import CannotStageError

UNITS = ("_mm", "_m")
"""Suffixes for units of measure, left out of short names."""


@attrs.frozen
class Fact:
    """A fact of an engagement: its short name, its keys in a file, its type and its meaning."""

    name: str
    keys: tuple[str, ...]
    kind: Any
    help: str

    def read(self, text: str) -> Any:
        """Return the value of a text in the fact's type, or the text itself if it does not fit."""
        if self.kind is bool:
            return {"true": True, "yes": True, "false": False, "no": False}.get(
                text.casefold(), text
            )
        if self.kind is int and COUNT.fullmatch(text.removeprefix("-")):
            return int(text)
        return text


@cache
def facts() -> Mapping[str, Fact]:
    """Return every fact by its short name: the declared name or the field's, without the unit.

    >>> facts()["guns"].name
    'guns'
    """
    leaves = [
        Fact(_short(field), keys, kind, field.metadata["help"])
        for keys, field, kind in _leaves(Engagement)
        if keys not in {("title",), ("summary",), ("date",)}
    ]
    return {fact.name: fact for fact in leaves}


def _short(field: attrs.Attribute[Any]) -> str:
    name: str = field.metadata.get("short", field.name)
    return next((name.removesuffix(unit) for unit in UNITS if name.endswith(unit)), name)


def _leaves(
    kind: type, keys: tuple[str, ...] = ()
) -> list[tuple[tuple[str, ...], attrs.Attribute[Any], Any]]:
    leaves: list[tuple[tuple[str, ...], attrs.Attribute[Any], Any]] = []
    hints = get_type_hints(kind)
    for field in attrs.fields(kind):
        inner = next(
            (hint for hint in (hints[field.name], *get_args(hints[field.name])) if attrs.has(hint)),
            None,
        )
        path = (*keys, field.name)
        leaves += _leaves(inner, path) if inner is not None else [(path, field, hints[field.name])]
    return leaves


def with_facts(engagement: Engagement, changes: Mapping[str, Any]) -> Engagement:
    """Return an engagement with facts changed; ``own_troops=None`` removes the firer's own troops.

    Raises ``FileError`` listing every unknown name and every value that does not fit, by short
    name.

    >>> from fireplan.analysis import find_engagement
    >>> with_facts(find_engagement("woods"), {"guns": 4}).asset.guns
    4
    """
    facts_by_name = facts()
    unknown_names = (
        unknown_fault(name, "fact of an engagement", name, facts_by_name)
        for name in changes
        if name not in facts_by_name
    )
    faults = [Fault(problem, hint, key=key) for key, problem, hint in unknown_names]
    content = attrs.asdict(engagement, filter=lambda _field, value: value is not None)
    for name, value in changes.items():
        if name not in facts_by_name:
            continue
        *tables, last = facts_by_name[name].keys
        if value is None and "own_troops" in tables:
            content.pop("own_troops", None)
            continue
        table = content
        for key in tables:
            table = table.setdefault(key, {})
        table[last] = value
    try:
        changed = Document("", "", content).read(Engagement)
    except FileError as error:
        names = {".".join(fact.keys): name for name, fact in facts_by_name.items()}
        faults += [
            attrs.evolve(fault, key=names.get(fault.key, fault.key), line=None)
            for fault in error.faults
        ]
    if faults:
        raise FileError(tuple(faults))
    return changed


def unknown_fault(key: str, kind: str, name: str, candidates: Iterable[str]) -> Complaint:
    """Return the fault for an unknown name as (key, problem, hint).

    The hint has similar names, or the distribution of a game that is not installed.
    """
    if kind in SHIPPED and (distribution := game_to_install(name)):
        game = name.partition("/")[0]
        return key, f"the game {game!r} is not installed", f"pip install {distribution}"
    names = list(dict.fromkeys(candidates))
    shown = nearest(name, names)
    count = f"{len(names)}, such as " if len(shown) < len(names) else ""
    listed = f"{count}{', '.join(shown) or 'none'}"
    return (
        key,
        f"there is no {kind} {printable(name)!r}",
        did_you_mean(name, names, f"there are {listed}"),
    )


Pairs = tuple[tuple[str, Plain], ...]
UnitPairs = tuple[tuple[str, Plain | tuple[Plain, ...]], ...]
_STAGED = 64  # maximum number of scenarios in the cache


def position_error(complaints: Iterable[Complaint]) -> FileError:
    """Return the error that lists these faults of a position, each with its key.

    >>> position_error([("a.red", "expected at most 3, got 4", "")]).faults[0].key
    'a.red'
    """
    return FileError(
        tuple(
            Fault(
                printable(problem, 400),
                printable(hint, 200),
                key=printable(key, 80),
                file="position",
            )
            for key, problem, hint in complaints
        )
    )


@attrs.frozen(kw_only=True)
class Source:
    """The origin of a table: a scenario, or an engagement and the game that stages it, by name.

    ``facts`` are changed facts of the engagement, e.g. ``guns``. Options, numbers, parts taken from
    other games, and house rules by name make up a ``Variation``. A file of the user's own has the
    digest of its content at the end of its name (``GAME/mine.toml#1f2e...``); ``files`` is its text
    and those of its charts, by name, if the line carries them. ``units`` maps each changed unit of
    a scenario to the keys that replace those of its entry in the file, or to None if the unit is
    taken away.

    >>> Source(name="woods", game="asl", facts=(("guns", 24),)).game
    'asl'
    """

    name: str
    game: str = ""
    facts: Pairs = ()
    options: Pairs = ()
    numbers: tuple[tuple[str, str], ...] = ()
    parts: tuple[tuple[str, str], ...] = ()
    rules: tuple[str, ...] = ()
    files: tuple[tuple[str, str], ...] = ()
    units: tuple[tuple[str, UnitPairs | None], ...] = ()

    @property
    def variation(self) -> Variation:
        """The changes to the game and to the units of its file, without house rules."""
        return Variation(
            options=dict(self.options),
            numbers=dict(self.numbers),
            parts=dict(self.parts),
            units={
                name: None
                if pairs is None
                else {key: [*value] if isinstance(value, tuple) else value for key, value in pairs}
                for name, pairs in self.units
            },
        )

    @property
    def game_key(self) -> str:
        """The key of the game that is played."""
        return self.game or self.name.partition("/")[0]

    @property
    def is_own(self) -> bool:
        """True if the table comes from the user's own file."""
        return "#" in self.name


class Sources:
    """The scenarios and engagements that can be staged.

    ``note`` is passed to every ``Variation``. ``unlisted`` returns more scenarios by name, for
    names that no other list contains. ``own`` stages a source that is a file of the user's own.

    >>> from fireplan.analysis import shipped_engagements
    >>> from fireplan_core.play import Catalogue
    >>> sources = Sources(Catalogue.installed(only=("asl",)), shipped_engagements())
    >>> sources.scenario(Source(name="woods", game="asl")).title
    'A company prone in the woods'
    """

    def __init__(
        self,
        catalogue: Catalogue,
        engagements: Mapping[str, Path | Traversable] | None = None,
        *,
        unlisted: Callable[[Catalogue], Mapping[str, Traversable]] | None = None,
        own: Callable[[Catalogue, Source], tuple[Scenario, int]] | None = None,
        note: Callable[[str], None] | None = None,
    ) -> None:
        self.catalogue = catalogue
        self._note = note
        self.engagements = engagements or {}
        self._unlisted = cache(lambda: unlisted(catalogue) if unlisted else {})
        self._own = own
        self._staged: dict[Source, tuple[Scenario, int]] = {}

    def scenario(self, source: Source) -> Scenario:
        """Return the scenario of a source, staged once; raises the same errors as ``staged``."""
        return self.staged(source)[0]

    def kept(self, source: Source) -> tuple[Scenario, int] | None:
        """Return the scenario of a source and its number of moments, if it has been staged."""
        return self._staged.get(source)

    def keep(self, source: Source, scenario: Scenario, moments: int) -> None:
        """Store a scenario staged elsewhere for a source, with its usual number of moments."""
        self._staged[source] = scenario, moments

    def staged(self, source: Source) -> tuple[Scenario, int]:
        """Return the scenario of a source, staged once, and its usual number of moments.

        Raises ``FileError`` for unknown names and for anything that the game cannot stage.
        """
        entry = self._staged.get(source)
        if entry is None:
            if len(self._staged) >= _STAGED:
                del self._staged[next(iter(self._staged))]
            try:
                entry = self._staged[source] = self._stage(source)
            except FileError:
                raise
            except CannotStageError as error:
                reasons = ((source.name, reason, "") for reason in error.reasons)
                raise position_error(reasons) from error
            except (ProcedureError, KeyError, OSError, ValueError) as error:
                reason = str(error.args[0] if error.args else error)
                raise position_error([(source.name, reason, "")]) from error
        return entry

    def _unknown_names(self, source: Source) -> list[Complaint]:
        """Return a fault for each unknown game and each house rule, which no line can load."""
        games = [game for game in (source.game, *dict(source.parts).values()) if game]
        return [unknown_fault("rule", "house rule", name, ()) for name in source.rules] + [
            unknown_fault(game, "game", game, self.catalogue.games)
            for game in games
            if game not in self.catalogue.games
        ]

    def _stage(self, source: Source) -> tuple[Scenario, int]:
        paths: Mapping[str, Any] = (
            self.engagements if source.game else shipped_scenarios(self.catalogue)
        )
        kind = "engagement" if source.game else "scenario"
        path = paths.get(source.name) or (
            None if source.game else self._unlisted().get(source.name)
        )
        faults = self._unknown_names(source)
        if source.is_own and self._own is not None and not faults:
            return self._own(self.catalogue, source)
        if path is None:
            faults.append(unknown_fault(source.name, kind, source.name, paths))
        if not source.game:
            faults += [
                (name, "a scenario has no such fact", "facts belong to engagements")
                for name, _ in source.facts
            ]
        else:
            faults += [
                (name, "an engagement has no named units", "units belong to scenarios")
                for name, _ in source.units
            ]
        if faults or path is None:
            raise position_error(faults)
        variation = attrs.evolve(source.variation, note=self._note)
        if not source.game:
            loaded, form = load_scenario(self.catalogue, path, variation=variation)
            return loaded, form.moments
        named = parse_toml(path, what="engagement", shipped=self.engagements).read(Engagement)
        engagement = with_facts(named, dict(source.facts))
        scenario = stage_engagement(self.catalogue, source.game, engagement, variation)
        return scenario, scenario.clock.moments(engagement.minutes)
