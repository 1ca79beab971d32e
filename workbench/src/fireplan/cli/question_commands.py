"""Commands that ask questions; their options are the fields of the question.

All values are passed as text and parsed by the question itself, so that every fault is listed at
once, with the same wording everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from inspect import Parameter as PythonParameter
from inspect import Signature, cleandoc, unwrap
from pathlib import Path
from typing import Annotated, Any, get_args, get_type_hints

from cyclopts import Parameter

from fireplan.cli.options import words
from fireplan.cli.output import Output
from fireplan.cli.printing import Bar, asking, say_sampled
from fireplan.errors import InputError, besides, command
from fireplan.questions.question import (
    Argument,
    QuestionClass,
    arguments_of,
    ask_question,
    question_named,
    use_options_of,
)
from fireplan.questions.result import Result
from fireplan_core.sentences import capitalized

Ask = Callable[[Mapping[str, Any]], Result]
Steps = Callable[[Ask, dict[str, Any], "Output"], Iterator[Result]]
FACTS = "Facts of the engagement"
"""Heading of the facts in a command's help."""


def __getattr__(name: str) -> Any:
    """Return the command that asks the question with this name.

    Raise ``AttributeError`` if there is no such question.
    """
    from fireplan.cli import command_extras

    try:
        kind = question_named(name)
    except InputError:
        raise AttributeError(name) from None
    return command_of(kind, getattr(command_extras, name, None))


def command_of(kind: QuestionClass, steps: Steps | None = None) -> Callable[..., None]:
    """Return the command that asks a question and prints its answer.

    ``steps`` is a generator function for the extra work of the command: it receives a function that
    asks the question, the arguments and the output options, and yields the answer.
    """
    fields = arguments_of(kind)

    def run(*placed: Any, **named: Any) -> None:
        use_options_of(kind)  # the printed answer names the options
        facts = named.pop("facts", None)
        given = {**dict(zip(fields, placed, strict=False)), **named}
        given |= vars(facts) if facts is not None else {}
        arguments = {name: value for name, value in given.items() if value is not None}
        yes = arguments.pop("yes", False)
        output = Output(
            **{
                name: arguments.pop(name)
                for name in ("json", "csv", "picture")
                if name in arguments
            }
        )
        with Bar() as bar, besides(output.faults()):
            work = {"progress": bar.step, "begin": asking(kind.sooner, yes=yes)}
            answers = (steps or _plainly)(
                lambda more: ask_question(kind, more, work=work), arguments, output
            )
            result = next(answers, None)
        if result is None:
            return
        if why := getattr(result, "why", ""):
            say_sampled(why, _solvable(kind, result, arguments))
        output.print(result)
        next(answers, None)
        if failure := getattr(result, "failure", ""):
            raise InputError(failure)

    parameters = [_parameter(field) for field in fields.values() if field.fact is None]
    parameters += _outputs(kind)
    facts = [field for field in fields.values() if field.fact is not None]
    if facts:
        parameters.append(
            PythonParameter(
                "facts", PythonParameter.KEYWORD_ONLY, default=None, annotation=_facts(facts)
            )
        )
    run.__name__ = kind.key
    run.__doc__ = cleandoc(kind.__doc__ or "")
    run.__dict__["__signature__"] = Signature(parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _plainly(ask_question: Ask, arguments: dict[str, Any], _output: Output) -> Iterator[Result]:
    yield ask_question(arguments)


def _parameter(field: Argument) -> PythonParameter:
    """Return the command argument for a field: a positional one, an option, or a flag."""
    several = field.kind is tuple
    taken: Any = bool if field.kind is bool else list[str] | None if several else str | None
    how = Parameter(
        name=field.option,
        help=_help(field),
        consume_multiple=several and not field.repeated,
        show_default=False,
        metavar=_placeholder(field) + "..." * several,
    )
    place = field.placed and field.option is None and not several
    return PythonParameter(
        field.name,
        PythonParameter.POSITIONAL_ONLY if place else PythonParameter.KEYWORD_ONLY,
        default=False if field.kind is bool else None,
        annotation=Annotated[taken, how],
    )


_FORM = re.compile(r"[A-Z][A-Z.=|]+(?=: )")
"""The form of a value, if the meaning of its field begins with it: ``GAME.NAME=VALUE: ...``."""


def _placeholder(field: Argument) -> str:
    """Return the placeholder of a value in the help, in capitals."""
    kind = field.kind if field.fact is None else field.fact.kind
    if kind is bool:
        return "YES|NO"
    if kind is int:
        return "N"
    if form := _FORM.match(field.meaning):
        return form[0]
    if kind is Path or (kind is tuple and field.local):
        return "FILE"
    if field.named:
        return field.named.upper()
    return "WORD" if field.choices else "TEXT"


def _help(field: Argument) -> str:
    choices = f" One of: {', '.join(field.choices)}." if field.choices else ""
    often = " Any number of times." if field.repeated else ""
    shown = not field.needed and field.default not in (None, False) and str(field.default)
    default = f" By default {shown}." if shown and field.default != () else ""
    return f"{field.meaning}{choices}{often}{default}"


def _outputs(kind: QuestionClass) -> list[PythonParameter]:
    """Return the output options that a question supports, and the option ``--yes``."""
    options: dict[str, Any] = {"json": bool, "csv": bool}
    if _drawn(kind):
        options["picture"] = Path | None
    options["yes"] = bool
    help_texts = {**words()["shared"], **words().get(kind.key, {})}
    return [
        PythonParameter(
            name,
            PythonParameter.KEYWORD_ONLY,
            default=False if taken is bool else None,
            annotation=Annotated[taken, Parameter(help=help_texts[name], show_default=False)],
        )
        for name, taken in options.items()
    ]


def _drawn(kind: QuestionClass) -> bool:
    """Return whether the answers of a question can be drawn."""
    answer = get_type_hints(unwrap(kind.answer)).get("return")
    return any(
        kind_of_answer.svg is not Result.svg
        for kind_of_answer in get_args(answer) or (answer,)
        if isinstance(kind_of_answer, type) and issubclass(kind_of_answer, Result)
    )


def _facts(facts: list[Argument]) -> Any:
    """Return the class that contains the options for the facts of an engagement."""
    import attrs

    def option(field: Argument) -> Any:
        meaning = capitalized(field.meaning)
        choices = f": {', '.join(field.choices)}" if field.choices else ""
        how = Parameter(help=f"{meaning}{choices}.", metavar=_placeholder(field))
        text: Any = Annotated[str | None, how]
        return attrs.field(default=None, type=text)

    made = attrs.make_class(
        "EngagementFacts",
        {field.name: option(field) for field in facts},
        frozen=True,
        slots=False,
    )
    return Annotated[made | None, Parameter(name="*", group=FACTS)]


def _solvable(
    kind: QuestionClass, result: Any, arguments: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield a label and the command that solves a shorter span of play exactly, if there is one."""
    fields = arguments_of(kind)
    watch = "moments" if "moments" in fields else "minutes"
    if not (most := getattr(result, "solvable", 0)):
        return
    words: list[Any] = [kind.key]
    for name, field in fields.items():
        value = {**arguments, watch: most}.get(name)
        if value in (None, False) or name in ("sample", "seed"):
            continue
        place = field.placed and field.option is None and field.kind is not tuple
        words += [] if place else [field.flag]
        words += value if isinstance(value, list) else () if value is True else (value,)
    yield f"exactly, fewer {watch}", command(*words)


tell = partial(lambda result, **how: Output(**how).print(result))
