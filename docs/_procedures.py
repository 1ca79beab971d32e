"""Tables of all games' procedures side by side, and of the mechanisms that each game uses.

Each game describes its own procedure in its ``data/procedure.toml``; the figures are those of a
comparison. Which ready part a game uses is found from the classes that its parts inherit.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import attrs
import tomli

from fireplan.analysis import (
    Comparison,
    compare,
    contenders,
    find_engagement,
    in_words,
    percent,
    table_rows,
)
from fireplan_core import WORDS, Cards, Game, Part, ready_parts
from fireplan_core.play import Catalogue, Variation, part_of

ROOT = Path(__file__).parents[1]
TEMPLATES = ROOT / "workbench/src/fireplan/sheets/templates"
"""The sheets that ``fireplan sheet`` copies."""
ENGAGEMENT = "woods"
"""The engagement whose figures appear beside the words."""
PRINTED = ("asl", "wacht_am_rhein", "red_poppies", "miniatures_1943")
"""The games that the tables list first: those with a printed rulebook."""
ASPECTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "observers": (
        "without an observer: footprint; worst effect on the target",
        ("footprint_hectares", "target_severity"),
    ),
    "requests": ("delivered", ("delivered",)),
    "delays": ("first effect, min", ("minutes_to_first_effect",)),
    "error": ("on target; miss", ("on_target", "miss_metres")),
    "area": ("footprint", ("footprint_hectares",)),
    "resolution": ("target at worst", ("target_severity",)),
    "exhaustion": ("asset spent", ("exhausted",)),
}
"""The aspects of each procedure, with the yardsticks that belong to each and their heading."""


def is_complete(catalogue: Catalogue) -> bool:
    """Return whether all games of the workspace are installed, so that a new page would lose nothing."""
    return {path.name for path in (ROOT / "plugins").iterdir() if path.is_dir()} <= set(
        catalogue.games
    )


def games_of(catalogue: Catalogue) -> list[str]:
    """Return the installed games of the workspace, those made from their rulebooks first."""
    found = [key for key in catalogue.games if (ROOT / "plugins" / key).is_dir()]
    return sorted(
        found,
        key=lambda key: (key not in PRINTED, PRINTED.index(key) if key in PRINTED else 0, key),
    )


def named(game: Game) -> str:
    """Return a game's title, and the source of its rules if that is not a rulebook."""
    return f"{game.title} ({game.sources})" if game.sources else game.title


@cache
def procedure(key: str) -> dict[str, Any]:
    """Return a game's description of its procedure."""
    return tomli.loads(
        (files(f"fireplan_{key}") / "data" / "procedure.toml").read_text(encoding="utf-8")
    )


@cache
def printed_answers(catalogue: Catalogue) -> Comparison:
    """Return the comparison of all installed games as printed."""
    return compare(find_engagement(ENGAGEMENT), catalogue, contenders(catalogue))


def procedure_rows(catalogue: Catalogue) -> dict[str, list[tuple[str, str, str, str]]]:
    """Return, by aspect, a row for each game: its name, how it does this, the rules, its figure."""
    keys = games_of(catalogue)
    engagement = find_engagement(ENGAGEMENT)
    unseen = attrs.evolve(engagement, observer=attrs.evolve(engagement.observer, kind="none"))
    answers = printed_answers(catalogue)
    blind = compare(unseen, catalogue, contenders(catalogue, keys))
    found: dict[str, list[tuple[str, str, str, str]]] = {}
    for aspect, (_, yardsticks) in ASPECTS.items():
        for key in keys:
            told = procedure(key)[aspect]
            figure = _figure(blind if aspect == "observers" else answers, key, yardsticks)
            row = (named(catalogue[key].game), told["says"], ", ".join(told["rules"]), figure)
            found.setdefault(aspect, []).append(row)
    return found


def _figure(answers: Comparison, key: str, yardsticks: tuple[str, ...]) -> str:
    """Return a game's figures for these yardsticks in words, or why it refuses the engagement."""
    if key in answers.cannot:
        return f"refuses: {'; '.join(answers.cannot[key])}"
    game = answers.games[key]
    shares = [(severity, cells[0]) for _, severity, cells in table_rows([game]) if severity]
    worst = ", ".join(
        f"{severity} {share}" for severity, share in shares if share != percent(Fraction(0))
    )
    return "; ".join(
        worst if one == "target_severity" else in_words(one, game) for one in yardsticks
    ).replace("\n", "; ")


@cache
def mechanisms() -> list[dict[str, str]]:
    """Return the mechanisms listed in the file beside this one."""
    found: list[dict[str, str]] = tomli.loads(
        (ROOT / "docs" / "mechanisms.toml").read_text("utf-8")
    )["mechanism"]
    return found


def parts_of_game(catalogue: Catalogue, key: str) -> list[Part]:
    """Return a game's five parts."""
    return [part_of(catalogue, word, key, Variation()) for word in WORDS]


def mechanism_rows(
    catalogue: Catalogue,
) -> Iterator[tuple[str, str, list[str], list[str], list[str]]]:
    """Yield each mechanism: what provides it, games that inherit it, games with their own steps, examples."""
    parts = {key: parts_of_game(catalogue, key) for key in games_of(catalogue)}
    for one in mechanisms():
        inherit = [key for key in parts if any(_inherits(type(part), one) for part in parts[key])]
        own = [
            f"{catalogue[key].game.title} ({', '.join(f'`{step}`' for step in steps)})"
            for key in parts
            if (steps := procedure(key)["mechanisms"].get(one["name"]))
        ]
        how = f"`{one['ready']}`" if "ready" in one else f"none; write `{one['write']}`"
        how += f" with its `{one['override']}`" if "override" in one else ""
        titles = [catalogue[key].game.title for key in inherit]
        yield (
            f"**{one['name']}**: {one['what']}",
            how,
            titles,
            own,
            [f"`{name}`" for name in _examples(one)],
        )


def _inherits(kind: type[Part], mechanism: Mapping[str, str]) -> bool:
    """Return whether a part's class inherits the ready part, or draws from decks of the core."""
    if mechanism.get("ready") == "Cards":
        return any(
            Cards in vars(sys.modules[base.__module__]).values()
            for base in kind.__mro__
            if _is_a_game(base)
        )
    return "ready" in mechanism and _is_made_of(
        kind, getattr(ready_parts, mechanism["ready"]), mechanism.get("override")
    )


def _is_a_game(kind: type) -> bool:
    return not kind.__module__.startswith(("fireplan_core", "builtins"))


def _is_made_of(kind: type, ready: type, override: str | None) -> bool:
    differs = override is None or getattr(kind, override, None) is not getattr(
        ready, override, None
    )
    return issubclass(kind, ready) and differs


def _examples(mechanism: Mapping[str, str]) -> Iterator[str]:
    """Yield the example games that use a mechanism's ready part, found in their sources or sheets."""
    for file in sorted((ROOT / "examples").glob("*/src/*/parts.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if _uses(node, mechanism):
                yield file.parents[2].name
                break
    for folder in (ROOT / "examples/sheets", TEMPLATES):
        for sheet in sorted(folder.glob("*.toml")):
            parts = tomli.loads(sheet.read_text(encoding="utf-8"))
            kinds = (parts[word]["kind"].split(", ") for word in WORDS)
            if any(mechanism.get("ready") in names for names in kinds):
                yield f"{folder.name}/{sheet.name}"


def _uses(node: ast.AST, mechanism: Mapping[str, str]) -> bool:
    """Return whether a class in a source inherits the ready part, or names the decks that it draws from."""
    if not isinstance(node, ast.ClassDef) or "ready" not in mechanism:
        return False
    targets = [
        target for line in node.body if isinstance(line, ast.Assign) for target in line.targets
    ]
    written = {
        name.id for target in targets for name in ast.walk(target) if isinstance(name, ast.Name)
    }
    written |= {line.name for line in node.body if isinstance(line, ast.FunctionDef)}
    if mechanism["ready"] == "Cards":
        return "decks" in written
    ready = getattr(ready_parts, mechanism["ready"])
    bases = [
        getattr(ready_parts, ast.unparse(base).removeprefix("ready_parts."), object)
        for base in node.bases
    ]
    return any(issubclass(base, ready) for base in bases) and mechanism.get("override", "") in {
        "",
        *written,
    }
