"""Changes to games: numbers, options and charts as ``GAME.NAME=VALUE``, and house rules."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from fireplan import sheets
from fireplan.errors import (
    InputError,
    argument_name,
    gathered,
    quoted,
    refuse,
    unknown,
)
from fireplan.questions.opening import house_rules
from fireplan.questions.question import R_co, UnderOrders, WithFacts, asks
from fireplan.questions.sampling import asks_seed
from fireplan.questions.shared_arguments import asks_house_rules, asks_minutes
from fireplan_core import Game, find_numbers
from fireplan_core.play import Catalogue, Variation, rule_names

Named = tuple[str, ...] | Mapping[str, Any]
"""Changes as a mapping, ``{"GAME.limit": 7}``, or as typed, ``["GAME.limit=7"]``."""


def as_typed(changes: Named | str | None) -> tuple[str, ...]:
    """Return changes in their typed form, ``GAME.NAME=VALUE``.

    They may be given as a mapping, a list or a text; None gives an empty tuple. Raises
    ``InputError`` for anything else.
    """
    if isinstance(changes, Mapping):
        plain = {
            name: str(value).lower() if isinstance(value, bool) else value
            for name, value in changes.items()
        }
        return tuple(f"{name}={value}" for name, value in plain.items())
    if not isinstance(changes, Iterable | None):
        raise InputError(
            f"expected names with values, such as {{'breakdown': 11}}, got {changes!r}."
        )
    return (changes,) if isinstance(changes, str) else tuple(changes or ())


@attrs.frozen
class Changes:
    """Typed changes, ``GAME.NAME=VALUE``, and house rules.

    House rules apply to the games that the other changes name, or to all games if there are no
    other changes.
    """

    options: tuple[str, ...] = attrs.field(default=(), converter=as_typed)
    charts: tuple[str, ...] = attrs.field(default=(), converter=as_typed)
    numbers: tuple[str, ...] = attrs.field(default=(), converter=as_typed)
    rules: tuple[Any, ...] = attrs.field(default=(), converter=tuple[Any, ...])

    @property
    def general(self) -> bool:
        """Return whether no game is named, so that house rules apply to all games."""
        return not (self.options or self.charts or self.numbers)

    @property
    def nothing(self) -> bool:
        """Return whether nothing is changed."""
        return self.general and not self.rules

    def some(self, installed: Catalogue, faults: list[str]) -> dict[str, Variation]:
        """Map each game to its variation; return an empty mapping if there are faults.

        The faults are added to ``faults``. Changing nothing is a fault.
        """
        if self.nothing:
            options = (f"{argument_name(name)} GAME.NAME=VALUE" for name in ("set", "option"))
            faults.append(
                f"Change something: {', '.join(options)} or {argument_name('chart')} GAME.NAME=FILE."
            )
        return gathered(faults, self.read, installed) or {}

    def read(self, installed: Catalogue) -> dict[str, Variation]:
        """Map each game to its variation; raise ``InputError`` listing every fault."""
        kinds_by_game: dict[str, dict[str, Any]] = {}
        values: dict[tuple[str, str], str] = {}
        faults: list[str] = []
        typed = (("options", self.options), ("charts", self.charts), ("numbers", self.numbers))
        for kind, text in ((kind, text) for kind, texts in typed for text in texts):
            where, equals, value = (part.strip() for part in text.partition("="))
            key, dot, name = where.partition(".")
            if not equals or not dot:
                faults.append(f"{quoted(text)}: write GAME.NAME=VALUE.")
            elif key not in installed.games:
                file, is_file, _ = where.partition(".toml.")
                game = f"{file}.toml" if is_file else key
                faults.append(str(unknown("game", game, installed.games, files=True)))
            else:
                changed = kinds_by_game.setdefault(
                    key, {"options": {}, "charts": {}, "numbers": {}}
                )[kind]
                faults += _keep(installed[key].game, kind, name, value, changed)
                before = values.setdefault((kind, where), value)
                if before != value:
                    faults.append(f"{where}: is changed to {before} and to {value}; choose one.")
        rules = gathered(faults, house_rules, self.rules)
        refuse(faults)
        if rules and self.general:
            return {key: Variation(rules=rules) for key in installed.games}
        return {key: Variation(**kinds, rules=rules) for key, kinds in kinds_by_game.items()}


def _keep(game: Game, kind: str, name: str, value: str, changed: dict[str, Any]) -> list[str]:
    """Record one change in ``changed``; return its faults, if any."""
    key = game.key
    if kind == "charts":
        if name not in game.chart_readers:
            return [f"{key}: {unknown('replaceable chart', name, game.chart_readers)}"]
        changed[name] = Path(value)
    elif kind == "numbers":
        try:
            named = find_numbers(game.charts, name)
        except ValueError as error:
            end = "" if str(error).endswith("?") else "."
            return [f"{key}: {error}{end} 'fireplan numbers {key}' lists them all."]
        try:
            game.charts_with({}, {name: value})
        except ValueError as error:
            return [f"{key}: {error}."]
        changed.update({number.name: value for number in named})
    else:
        options = {option.name: {str(one): one for one in option.values} for option in game.options}
        if name not in options:
            return [f"{key}: {unknown('option', name, options)}"]
        values = options[name] | {
            str(flag).lower(): flag for flag in options[name].values() if isinstance(flag, bool)
        }
        if value not in values:
            return [f"{key}.{name}: {unknown('value', value, options[name])}"]
        changed[name] = values[value]
    return []


def overlays(variation: Variation) -> dict[str, Any]:
    """Return the changes of a variation as plain data."""
    rules = {"house_rules": list(rule_names(variation.rules))} if variation.rules else {}
    return {
        "options": dict(variation.options),
        "charts": {name: str(file) for name, file in variation.charts.items()},
        "numbers": dict(variation.numbers),
        **rules,
    }


class Changed(UnderOrders[R_co], WithFacts[R_co]):
    """A question about games with changed numbers, options or charts."""

    set: Named = asks(
        "GAME.NUMBER=VALUE: 'GAME.limit=7', 'GAME.chart[column][row]=ENTRY'; a name without its keys"
        " means everything under it. 'fireplan numbers GAME' lists the names.",
        (),
    )
    option: Named = asks(
        "GAME.NAME=VALUE; 'fireplan games --json' lists the options of a game and their values.",
        (),
    )
    chart: Named = asks(
        "GAME.NAME=FILE: a chart of your own in place of the shipped one.",
        (),
        local=True,
    )
    house_rules: tuple[str | ModuleType, ...] = asks_house_rules()
    minutes: int | None = asks_minutes()
    seed: int = asks_seed()

    def changes(self) -> Changes:
        """Return all changes as typed, with the house rules."""
        return Changes(self.option, self.chart, self.set, self.house_rules)

    def rules(self) -> tuple[str, ...]:
        """Return the rule numbers that the changed numbers and options cite."""
        installed = self.catalogue or sheets.installed()
        cites = set[str]()
        for kind, texts in (("number", self.set), ("option", self.option)):
            for text in as_typed(texts):
                key, _, name = text.partition("=")[0].strip().partition(".")
                game = installed[key].game
                if kind == "number":
                    cites |= {number.cell.cite for number in find_numbers(game.charts, name)}
                else:
                    cites |= {option.cite for option in game.options if option.name == name}
        return tuple(sorted(filter(None, cites)))
