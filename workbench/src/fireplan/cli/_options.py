"""Arguments and options that several commands take, with their help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args

import attrs
from cyclopts import Parameter

from fireplan.comparison import Fact
from fireplan.comparison import facts as known_facts

Several = Annotated[list[str] | None, Parameter(consume_multiple=True)]
GameKey = Annotated[str, Parameter(help="A game's key, as 'fireplan games' lists them.")]
ScenarioName = Annotated[
    str | None,
    Parameter(help="A shipped scenario (game/name) or a scenario file; with --game an engagement, woods by default."),
]
EngagementName = Annotated[
    str | None, Parameter(help="A shipped engagement or the path of your own file; woods by default.")
]
HouseRules = Annotated[
    list[str] | None,
    Parameter(
        name="--house-rules",
        consume_multiple=True,
        help="Lay house rules over the game: a Python file or an importable module with their hooks, any number of"
        " them (docs/house_rules.md).",
    ),
]
Minutes = Annotated[int | None, Parameter(help="Watch for so many minutes instead of the engagement's own.")]
Moments = Annotated[int | None, Parameter(help="Watch so many moments instead of the scenario's own.")]
Seed = Annotated[int, Parameter(help="Seed of the sample: the same seed gives the same figures everywhere.")]
DiceSeed = Annotated[int | None, Parameter(help="Seed of the dice that the program rolls for you.")]
Picture = Annotated[Path | None, Parameter(help="Also draw the comparison into this file (.svg or .png).")]
Csv = Annotated[bool, Parameter(help="Print comma-separated lines instead of the table.")]
Json = Annotated[bool, Parameter(help="Print JSON instead of the table.")]



def _flag(fact: Fact) -> Any:
    """Return a fact as a flag; what is wrong with its value is told with all that is wrong."""
    choices = get_args(fact.kind)
    told = fact.help + (f": {', '.join(map(str, choices))}" if choices else "")
    kind: Any = Annotated[str | None, Parameter(help=f"{told[:1].upper()}{told[1:]}.")]
    return attrs.field(default=None, type=kind)


if TYPE_CHECKING:
    EngagementFacts = Any
else:
    EngagementFacts = attrs.make_class(
        "EngagementFacts", {fact.name: _flag(fact) for fact in known_facts().values()}, frozen=True
    )
    """Facts of an engagement as flags, one for each; what is not given is None."""

Facts = Annotated[EngagementFacts | None, Parameter(name="*", group="Facts of the engagement")]


def given_facts(facts: EngagementFacts | None) -> dict[str, Any]:
    """Return the facts that were given, as a file would hold them."""
    texts = {} if facts is None else attrs.asdict(facts)
    return {name: _read(known_facts()[name].kind, text) for name, text in texts.items() if text is not None}


def _read(kind: Any, text: str) -> Any:
    if kind is bool:
        return {"true": True, "yes": True, "false": False, "no": False}.get(text.casefold(), text)
    return int(text) if kind is int and text.isascii() and text.removeprefix("-").isdigit() else text
