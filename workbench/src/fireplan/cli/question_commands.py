"""Commands that ask the front door: their options are the arguments of the question, their help is its docstring.

What a command does besides is a function of its name in ``command_extras``. Words for its options, and for
arguments that several questions take, stand in ``options.toml``.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Any, get_args

import attrs
from cyclopts import Parameter

import fireplan as fp
from fireplan import positions
from fireplan.cli import command_extras
from fireplan.cli.app import ASKED
from fireplan.cli.options import words
from fireplan.cli.printing import Bar, asking, say_sampled
from fireplan.questions.errors import argument, besides, command
from fireplan.questions.result import Result, unwritable

Options = dict[str, inspect.Parameter]
KINDS: Mapping[str, Any] = {
    "str": str,
    "int": int,
    "bool": bool,
    "Path": Path,
    "Any": str,
    "str | Path": Path,
    "str | Path | Engagement": str,
    **dict.fromkeys(("Iterable[str]", "str | Iterable[str]", "Iterable[Any]", "Named"), list[str]),
}
"""What is typed for an argument, by its annotation; an argument of any other kind is no option."""
ONE = "Iterable[str]"
"""The kind of an argument whose option is said once for each of its values.

Others take several at once.
"""
NAMES = {
    "goal": "--for",
    "measure": "--for",
    "floats": "--float",
    "line": "--from",
    "every": "--table",
}
"""Options that are not called as their arguments are."""
OUTPUTS = ("json", "csv", "picture")
SOONER = {"compare": "watch fewer minutes", "luck": "weigh a shorter game"}
"""What takes less long; of all others fewer moments do."""
PLACED, NAMED = inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.KEYWORD_ONLY


def __getattr__(name: str) -> Any:
    """Return the command that asks the question of its name."""
    if name not in ASKED:
        raise AttributeError(name)
    return command_of(getattr(fp, name), getattr(command_extras, name, None))


def command_of(
    question: Callable[..., Result], more: Callable[..., Iterator[Result]] | None = None
) -> Callable[..., None]:
    """Return the command that asks a question and prints its answer.

    ``more`` is a generator that takes options which the question does not have.
    """
    taken = inspect.signature(question).parameters
    own = {} if more is None else inspect.signature(more).parameters
    names = str(inspect.signature(question).return_annotation).split(" | ")
    answers = [vars(sys.modules[question.__module__])[name] for name in names]
    options = _options({**taken, **own}, answers)

    def run(*placed: Any, **named: Any) -> None:
        named |= zip(options, placed, strict=False)
        given = {one: value for one, value in named.items() if value is not None}
        how, yes = {one: given.pop(one, None) for one in OUTPUTS}, given.pop("yes", False)
        given |= _read_facts(given.pop("facts", None))
        sooner = SOONER.get(question.__name__, "add --float, or watch fewer moments")
        with Bar() as bar, besides(_how_faults(**how)):
            work = {"progress": bar.step_of, "begin": asking(sooner, yes=yes)}
            asked = given | {one: value for one, value in work.items() if one in taken}
            asked |= {one: value for one, value in how.items() if one in own}
            results = iter((question(**asked),)) if more is None else more(**asked)
            found = next(results, None)
        if found is not None:
            if why := getattr(found, "why", ""):
                say_sampled(why, _solvable(question.__name__, found, given, options))
            tell(found, **how)
        next(results, None)

    run.__name__ = question.__name__
    run.__doc__ = _help(question, options)
    run.__dict__["__signature__"] = inspect.Signature([*options.values()])
    run.__annotations__ = {name: option.annotation for name, option in options.items()}
    return run


# --- options --------------------------------------------------------------------------------------
def _options(taken: Mapping[str, inspect.Parameter], answers: Iterable[type[Result]]) -> Options:
    """Return the options for some arguments, for how an answer is told, and for the facts of an engagement."""
    drawn = any(kind.svg is not Result.svg for kind in answers)
    told = {"json": "bool", "csv": "bool", **({"picture": "Path | None"} if drawn else {})}
    told |= {"yes": "bool"} if "begin" in taken else {}
    more = {
        one: inspect.Parameter(one, NAMED, annotation=kind, default=None)
        for one, kind in told.items()
    }
    asked = {
        name: one
        for name, one in taken.items()
        if name not in OUTPUTS and one.kind is not one.VAR_KEYWORD
    }
    found = {
        name: option
        for name, one in {**asked, **more}.items()
        if (option := _option(one)) is not None
    }
    if "facts" in taken:
        found["facts"] = inspect.Parameter(
            "facts", NAMED, default=None, annotation=_flags_of_facts()
        )
    return found


def _option(one: inspect.Parameter) -> inspect.Parameter | None:
    """Return the option for an argument; None for one that nobody types."""
    written = str(one.annotation).removesuffix(" | None")
    kind = KINDS.get(written)
    if kind is None or one.default is True:
        return None
    several = kind == list[str]
    placed = (
        one.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD
        and not several
        and one.name not in NAMES
    )
    how = Parameter(name=NAMES.get(one.name), consume_multiple=several and written != ONE)
    default = False if kind is bool else None if one.default == () else one.default
    wanted = kind if kind is bool or default is one.empty else kind | None
    return one.replace(
        kind=PLACED if placed else NAMED, default=default, annotation=Annotated[wanted, how]
    )


def _help(question: Callable[..., Result], options: Options) -> str:
    """Return the docstring of a question, with words for the options that it does not tell of."""
    said = inspect.cleandoc(question.__doc__ or "")
    told = words()["shared"] | words().get(question.__name__, {})
    missing = (one for one in options if f":param {one}:" not in said and one in told)
    return "\n".join([said, "", *(f":param {one}: {told[one]}" for one in missing)])


@cache
def _flags_of_facts() -> Any:
    def flag(kind: Any, help_: str) -> Any:
        told = help_ + (f": {', '.join(map(str, choices))}" if (choices := get_args(kind)) else "")
        # What is wrong with a value is told with all that is wrong, so a flag takes any text.
        text: Any = Annotated[str | None, Parameter(help=f"{told[:1].upper()}{told[1:]}.")]
        return attrs.field(default=None, type=text)

    flags = {
        fact.name: flag(fact.kind, fact.help)
        for fact in positions.facts().values()
        if fact.name != "minutes"
    }
    made = attrs.make_class("EngagementFacts", flags, frozen=True)
    return Annotated[made | None, Parameter(name="*", group="Facts of the engagement")]


def _read_facts(given: Any) -> dict[str, Any]:
    """Return the facts that were given, as a file would hold them."""
    texts = {} if given is None else attrs.asdict(given)
    known = positions.facts() if texts else {}
    return {name: known[name].read(text) for name, text in texts.items() if text is not None}


# --- answers --------------------------------------------------------------------------------------
def _how_faults(*, json: bool | None, csv: bool | None, picture: Path | None) -> list[str]:
    faults = [fault] if (fault := unwritable(picture)) else []
    return (
        [*faults, "--json and --csv cannot both be printed; choose one."]
        if json and csv
        else faults
    )


def tell(
    result: Result,
    *,
    json: bool | None = None,
    csv: bool | None = None,
    picture: Path | None = None,
) -> None:
    """Print a result in the form asked for, and draw it where that is asked for."""
    if picture is not None:
        result.save(picture)
    if json:
        sys.stdout.write(result.json())
    elif csv:
        sys.stdout.write(result.csv())
    else:
        result.print()
        if picture is not None:
            sys.stdout.write(f"Picture: {picture}\n")


def _solvable(
    name: str, found: Any, given: Mapping[str, Any], options: Options
) -> Iterator[tuple[str, str]]:
    """Yield the command that solves exactly what was too large, up to an earlier time, if there is one."""
    watch = "moments" if "moments" in options else "minutes"
    if not (most := getattr(found, "solvable", 0)):
        return
    words: list[Any] = [name]
    for one, value in {**dict.fromkeys(options), **given, watch: most}.items():
        if value not in (None, False) and one not in ("sample", "seed"):
            flag = (
                []
                if one in options and options[one].kind is PLACED
                else [NAMES.get(one) or argument(one)]
            )
            words += [
                *flag,
                *(value if isinstance(value, list) else () if value is True else (value,)),
            ]
    yield f"exactly, fewer {watch}", command(*words)
