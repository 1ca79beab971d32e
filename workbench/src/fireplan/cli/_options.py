"""Arguments and options that several commands take, with their help."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Annotated, Any, get_args

from cyclopts import Parameter

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
Yes = Annotated[bool, Parameter(help="Begin what takes long without asking.")]
Json = Annotated[bool, Parameter(help="Print JSON instead of the table.")]


_LISTED: ContextVar[bool] = ContextVar("_LISTED", default=False)


@contextmanager
def without_facts() -> Iterator[None]:
    """Let commands be listed, which needs no flag of theirs: facts of an engagement are known to the core alone."""
    token = _LISTED.set(True)
    try:
        yield
    finally:
        _LISTED.reset(token)


def __getattr__(name: str) -> Any:
    """Return ``Facts``, a flag for each fact of an engagement, made when a command that has them is read."""
    if name != "Facts":
        raise AttributeError(name)
    if _LISTED.get():
        return str | None
    import attrs

    from fireplan.positions import facts

    def flag(kind: Any, help_: str) -> Any:
        told = help_ + (f": {', '.join(map(str, choices))}" if (choices := get_args(kind)) else "")
        # What is wrong with a value is told with all that is wrong, so a flag takes any text.
        text: Any = Annotated[str | None, Parameter(help=f"{told[:1].upper()}{told[1:]}.")]
        return attrs.field(default=None, type=text)

    flags = {fact.name: flag(fact.kind, fact.help) for fact in facts().values() if fact.name != "minutes"}
    made = attrs.make_class("EngagementFacts", flags, frozen=True)
    globals()["Facts"] = Annotated[made | None, Parameter(name="*", group="Facts of the engagement")]
    return globals()["Facts"]


def given_facts(given: Any) -> dict[str, Any]:
    """Return the facts that were given, as a file would hold them."""
    import attrs

    from fireplan.positions import facts

    texts = {} if given is None else attrs.asdict(given)
    return {name: _read(facts()[name].kind, text) for name, text in texts.items() if text is not None}


def _read(kind: Any, text: str) -> Any:
    if kind is bool:
        return {"true": True, "yes": True, "false": False, "no": False}.get(text.casefold(), text)
    return int(text) if kind is int and text.isascii() and text.removeprefix("-").isdigit() else text
