"""The definition of a question: a single class from which all its interfaces are derived.

A question is a frozen attrs class. Its docstring provides the title and the description, its fields
are the arguments, and ``answer`` returns the result. The command line, the Python function, the
studio's form and link, the tool for assistants and the axes of sweeps are all derived from this
class. They all read values with ``ask_question``, so that the same mistake gets the same message
everywhere.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import copy_context
from functools import cache
from importlib import import_module
from inspect import Parameter, Signature, cleandoc
from pathlib import Path
from types import UnionType
from typing import (
    Any,
    ClassVar,
    Generic,
    TypeVar,
    Union,
    cast,
    dataclass_transform,
    get_args,
    get_origin,
    get_type_hints,
)

import attrs

from fireplan import sheets
from fireplan.errors import (
    OPTIONS,
    REMOTE,
    InputError,
    argument_name,
    besides,
    outside,
    quoted,
    unknown,
)
from fireplan.questions.registry import places
from fireplan.questions.sheet_names import with_sheets
from fireplan.strategies import STANDARD_ORDERS, Strategy, strategy
from fireplan_core.files import printable
from fireplan_core.play import USED_PACKAGES, Catalogue, changed_values

R_co = TypeVar("R_co", covariant=True)

Progress = Callable[[int, str], None]
"""Called after each step of a computation with the total number of steps and a description."""
Begin = Callable[[float], None]
"""Called with the expected time in seconds before a long computation begins.

It may raise an error to prevent the computation.
"""


def at_once(_seconds: float) -> None:
    """Do nothing, so that any computation begins without asking."""


def expected(seconds: float) -> str:
    """Return a sentence, without its full stop, about the expected time of a computation."""
    minutes = round(seconds / 60)
    tens = f"{round(seconds, -1):.0f}" if seconds >= 5 else "a few"  # noqa: PLR2004 - half of ten
    about = f"{minutes} minutes" if minutes > 1 else f"{tens} seconds"
    return f"This will take about {about} on a slow machine"


def at_most(limit: float, instead: str) -> Begin:
    """Return a function that refuses a computation expected to take over ``limit`` seconds.

    It raises ``InputError`` with the advice ``instead``.
    """

    def begin(seconds: float) -> None:
        if seconds > limit:
            raise InputError(
                f"{expected(seconds)}, over the limit of {limit:g} seconds: {instead}."
            )

    return begin


def silent(_total: int, _what: str) -> None:
    """Ignore progress reports."""


LONGEST_TEXT, MOST_VALUES = 4_000, 40
"""Limits for remote values: characters in a text, and values in a list."""
MOST_CHANGED = 3
"""Maximum number of values that a message names because the rules changed them."""
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_FLAGS = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}


def asks(  # noqa: PLR0913 - one argument for each property of a field
    meaning: str,
    default: Any = None,
    *,
    placed: bool = False,
    option: str | None = None,
    range: tuple[int, int | None] | None = None,  # noqa: A002 - as in the files
    choices: Iterable[str] | Callable[[], Iterable[str]] = (),
    unit: str = "",
    named: str | None = None,
    repeated: bool = False,
    local: bool = False,
    reads: Callable[[Any], Any] | None = None,
) -> Any:
    """Return a field of a question.

    ``meaning`` is its help text. A ``placed`` field is positional on the command line. ``option``
    is its command-line option, if that is not named after the field. ``range`` is the least and the
    greatest integer (None: no limit), ``choices`` are the allowed texts, and ``unit`` is the unit
    of a number. ``named`` says what kind of name the text is: "game", "engagement", "scenario",
    "position" or "playthrough". A ``repeated`` option is given once for each of its values. A
    ``local`` field names files or processes on this machine, and only the command line and Python
    accept it. ``reads`` turns a text or another value into the field's value, and raises
    ``InputError`` or ``ValueError`` if it cannot; it is required for a field that is not a text,
    path, whole number, flag or list of texts.

    >>> guns = fp.asks("Number of guns.", 4, range=(1, 100))
    >>> guns.metadata["range"]
    (1, 100)
    """
    return attrs.field(
        default=default,
        kw_only=True,
        metadata={
            "help": meaning,
            "placed": placed,
            "option": option,
            "range": range,
            "choices": choices,
            "unit": unit,
            "named": named,
            "repeated": repeated,
            "local": local,
            "reads": reads,
        },
    )


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(attrs.field,))
class _Frozen:
    """A base whose subclasses are frozen attrs classes without being decorated."""

    __attrs_attrs__: ClassVar[Any]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        attrs.frozen(cls, eq=False, repr=False, slots=False)


class Question(_Frozen, Generic[R_co]):
    """A question with its arguments; ``answer`` computes the result.

    Each kind of question is a subclass, such as ``fireplan.questions.odds.Odds``.

    >>> class Rounds(fp.Question[str]):
    ...     guns: int = fp.asks("Number of guns.", 4)
    ...
    ...     def answer(self):
    ...         return f"{3 * self.guns} rounds a minute"
    >>> Rounds(guns=6).answer()
    '18 rounds a minute'
    """

    key: ClassVar[str] = ""
    """The question's name in every interface."""
    example: ClassVar[str] = ""
    """An example for Python's ``help``, which the tests run (``fp`` is ``fireplan``)."""
    absent: ClassVar[Mapping[str, str]] = {}
    """Maps each interface without this question ("page", "tool", "sweep") to the reason."""
    sooner: ClassVar[str] = "watch fewer moments"
    """Advice for making the question smaller, used in messages."""
    estimated: ClassVar[bool] = False
    """True if ``begin`` is called with the expected time before a long computation."""

    catalogue: Catalogue | None = attrs.field(default=None, kw_only=True)
    """The installed games, if they are loaded already."""
    progress: Progress = attrs.field(default=silent, kw_only=True)
    """Called after each step of a computation with the total number of steps and a description."""
    begin: Begin = attrs.field(default=at_once, kw_only=True)
    """Called with the expected time in seconds before a long computation begins."""

    def answer(self) -> R_co:
        """Compute and return the result.

        Raise ``InputError`` listing every fault.
        """
        raise NotImplementedError

    def rules(self) -> tuple[str, ...]:
        """Return the rule numbers on which the answer depends, empty if they are not known."""
        return ()


QuestionClass = type[Question[Any]]
"""The class of a kind of question."""


class WithFacts(Question[R_co]):
    """A question about an engagement whose facts (guns, range, cover ...) can be changed."""

    facts: Mapping[str, Any] = attrs.field(factory=dict, kw_only=True)
    """Facts by name that replace those of the engagement."""


class UnderOrders(Question[R_co]):
    """A question whose answer depends on orders given in advance, or on the standard orders."""

    orders: Strategy = asks(
        "Orders given in advance instead of the standard ones: 'requests.fire=convert if on target;"
        " requests.call=call once' (docs/how_to/strategies.md). In a comparison of games, each order"
        " begins with its game: GAME.requests.fire=...",
        STANDARD_ORDERS,
        reads=strategy,
    )


@cache
def _of_programs(question: Any) -> frozenset[str]:
    """Return the fields that only programs can set (those without help), and ``facts``."""
    return frozenset(field.name for field in attrs.fields(question) if "help" not in field.metadata)


@attrs.frozen
class Argument:
    """A field of a question, described for its interfaces.

    ``kind`` is ``bool``, ``int``, ``str``, ``Path``, or ``tuple`` for a list of texts. ``objects``
    lists other classes whose instances Python may pass, and ``mapping`` is true if Python may pass
    a mapping. ``some`` contains the choices, or is a function that returns them. ``fact`` is the
    fact of an engagement that the argument changes, if any.
    """

    name: str
    kind: type
    default: Any
    meaning: str
    objects: tuple[type, ...] = ()
    mapping: bool = False
    placed: bool = False
    option: str | None = None
    range: tuple[int, int | None] | None = None
    some: Any = ()
    unit: str = ""
    named: str | None = None
    repeated: bool = False
    local: bool = False
    reads: Callable[[Any], Any] | None = None
    fact: Any = None

    @property
    def needed(self) -> bool:
        """True if the question cannot be answered without this field."""
        return self.default is attrs.NOTHING

    @property
    def choices(self) -> tuple[str, ...]:
        """The allowed texts, or an empty tuple if any text is allowed."""
        return tuple(self.some() if callable(self.some) else self.some)

    @property
    def flag(self) -> str:
        """The field's command-line option, or the name of a positional argument in capitals."""
        if self.placed and self.option is None and self.kind is not tuple:
            return self.name.upper()
        return self.option or f"--{self.name.replace('_', '-')}"

    def read(self, value: Any) -> Any:
        """Return the field's value, given as text or as an object.

        Spaces around a text do not count. Raise ``InputError`` if it is invalid.
        """
        if self.kind is not bool and _is_empty(value):
            raise InputError(f"{argument_name(self.name)} needs a value, not empty text.")
        value = value.strip() if isinstance(value, str) else value
        if self.fact is not None:
            return self._fact(value)
        if self.reads is not None:
            return self._other(value)
        if self.kind is bool:
            return self._flag(value)
        if self.kind is int:
            return self._whole(value)
        if self.kind is tuple:
            return self._texts(value)
        if isinstance(value, self.objects):
            return value
        return self._text(value)

    def _other(self, value: Any) -> Any:
        try:
            return self.reads(value) if self.reads is not None else value
        except InputError:
            raise
        except (ValueError, TypeError, ArithmeticError) as error:
            raise InputError(f"{argument_name(self.name)}: {printable(str(error))}.") from error

    def _fact(self, value: Any) -> Any:
        if isinstance(value, Mapping | Iterable) and not isinstance(value, str):
            whole = int in (self.fact.kind, *get_args(self.fact.kind))
            raise self._wrong("a whole number" if whole else "text", value)
        return self.fact.read(value) if isinstance(value, str) else value

    def _wrong(self, expected: str, value: Any) -> InputError:
        shown = quoted(value) if isinstance(value, str) else printable(repr(value))
        return InputError(f"{argument_name(self.name)}: expected {expected}, got {shown}.")

    def _flag(self, value: Any) -> bool:
        if isinstance(value, bool):
            return value
        if isinstance(value, str) and value.strip().lower() in _FLAGS:
            return _FLAGS[value.strip().lower()]
        raise self._wrong("yes or no", value)

    def _whole(self, value: Any) -> int:
        if isinstance(value, str) and _WHOLE.fullmatch(value.strip()):
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            raise self._wrong("a whole number", value)
        if self.range is not None and (faults := outside(self.name, value, *self.range)):
            raise InputError(*faults)
        return value

    def _text(self, value: Any) -> Any:
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        if not isinstance(value, str | Path):
            raise self._wrong("text", value)
        if (choices := self.choices) and value not in choices:
            raise unknown(self.name.replace("_", " "), printable(str(value)), choices)
        return Path(value) if self.kind is Path else value

    def _texts(self, value: Any) -> Any:
        if isinstance(value, Mapping) and self.mapping:
            return value
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, Iterable) or isinstance(values, Mapping | bytes):
            raise self._wrong("a list of text values", value)
        texts = tuple(text.strip() if isinstance(text, str) else text for text in values)
        for text in texts:
            if not isinstance(text, (str, *self.objects)):
                raise self._wrong("a list of text values", text)
        return texts


# --- the fields of a question ---------------------------------------------------------
def arguments_of(question: QuestionClass) -> Mapping[str, Argument]:
    """Map the names of a question's fields to arguments: positional ones first, facts last."""
    return _entries(question)  # type: ignore[arg-type]  # a class is hashable


@cache
def _entries(question: Any) -> Mapping[str, Argument]:
    hints = get_type_hints(question)
    fields = [
        _entry(field, hints[field.name])
        for field in attrs.fields(question)
        if field.name not in _of_programs(question)
    ]
    fields.sort(key=lambda field: not field.placed)
    if issubclass(question, WithFacts):
        fields += _facts({field.name for field in fields})
    return {field.name: field for field in fields}


def _entry(field: attrs.Attribute[Any], hint: Any) -> Argument:
    kinds = [alternative for alternative in _alternatives(hint) if alternative is not type(None)]
    origins = [get_origin(alternative) or alternative for alternative in kinds]
    lists = any(alternative in (tuple, Iterable, list) for alternative in origins) or any(
        getattr(alternative, "__name__", "") == "Iterable" for alternative in origins
    )
    if lists:
        kind: type = tuple
        objects = tuple(
            alternative
            for whole in kinds
            for alternative in get_args(whole)
            if isinstance(alternative, type) and alternative not in (str, Any, type(None))
        )
    else:
        kind = _simple_kind(field, kinds)
        objects = tuple(
            alternative
            for alternative in kinds
            if isinstance(alternative, type) and alternative not in (str, Path)
        )
    about = dict(field.metadata)
    return Argument(
        field.name,
        kind,
        field.default,
        about.pop("help"),
        objects,
        mapping=any(_is_mapping(alternative) for alternative in origins),
        some=about.pop("choices"),
        **about,
    )


def _simple_kind(field: attrs.Attribute[Any], kinds: list[Any]) -> type:
    """Return the type that a field's text is read as; a field with ``reads`` gets ``str``.

    Raise ``TypeError`` for a field of any other type.
    """
    simple = (str, Path) if str in kinds else (bool, int, Path)
    kind = next((each for each in simple if each in kinds), None)
    if kind is None and field.metadata["reads"] is None:
        names = " or ".join(getattr(each, "__name__", str(each)) for each in kinds)
        raise TypeError(
            f"The field {field.name} is a {names}, which cannot be read from text: call"
            " asks(..., reads=FUNCTION)"
        )
    return kind or str


def _alternatives(hint: Any) -> tuple[Any, ...]:
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _is_mapping(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Mapping)


def _facts(taken: set[str]) -> list[Argument]:
    from fireplan.positions import facts

    return [
        Argument(
            fact.name,
            str,
            None,
            fact.help,
            some=tuple(map(str, get_args(fact.kind))),
            fact=fact,
        )
        for fact in facts().values()
        if fact.name not in taken
    ]


CHANGING = {"set": "set", "option": "options", "options": "options"}
"""Maps the arguments by which questions change a game to their names in ``position``."""


# --- asking ---------------------------------------------------------------------------
def read(
    question: type[Question[R_co]], said: Mapping[str, Any], *, remote: bool = False
) -> tuple[dict[str, Any], list[str]]:
    """Return the values of a question's fields, and the list of their faults.

    ``said`` maps field names to texts or values; None means that nothing was given. ``remote``
    values come from another machine, so they may not name files and their length is limited.
    """
    arguments = {
        name: field
        for name, field in arguments_of(question).items()
        if not (remote and field.local)
    }
    values: dict[str, Any] = {}
    faults: list[str] = []
    met: dict[str, sheets.SheetGame] = {}
    for name, value in said.items():
        if name in _of_programs(cast("Any", question)) and not remote:
            values[name] = value
        elif name not in arguments and name in CHANGING and not remote:
            faults.append(
                f"{question.key} has no {argument_name(name)}: whatif compares before and after, and"
                f" position(..., {CHANGING[name]}=...) is the changed table, which can be asked."
            )
        elif name not in arguments:
            faults.append(str(unknown("argument", printable(name), arguments)))
        elif value is not None:
            try:
                values[name] = arguments[name].read(value)
                if remote:
                    _check_remote(arguments[name], values[name])
                else:
                    values[name] = with_sheets(values[name], arguments[name].named, met)
            except InputError as error:
                values.pop(name, None)
                faults += error.faults
    for sheet in met.values() if values.get("catalogue") else ():
        sheets.admit(values["catalogue"], sheet)
    faults += [
        f"{argument_name(name)} is missing: {field.meaning}"
        for name, field in arguments.items()
        if field.needed and said.get(name) is None
    ]
    return values, faults


def _is_empty(value: Any) -> bool:
    """Return whether a value is an empty text, or a list that contains one."""
    texts = value if isinstance(value, list | tuple) else (value,)
    return any(isinstance(text, str) and not text.strip() for text in texts)


def _check_remote(field: Argument, value: Any) -> None:
    """Raise ``InputError`` for too many remote values, and for long texts or control characters."""
    texts = value if isinstance(value, tuple) else (value,)
    if len(texts) > MOST_VALUES:
        raise InputError(
            f"{argument_name(field.name)}: expected at most {MOST_VALUES} values, got {len(texts):,}."
        )
    for text in texts:
        if not isinstance(text, str):
            continue
        if len(text) > LONGEST_TEXT:
            raise InputError(
                f"{argument_name(field.name)}: expected at most {LONGEST_TEXT:,} characters,"
                f" got {len(text):,}."
            )
        if not text.isprintable():
            raise InputError(
                f"{argument_name(field.name)}: contains control characters; write one line of plain text."
            )


def ask_question(
    question: type[Question[R_co]],
    arguments: Mapping[str, Any],
    *,
    remote: bool = False,
    work: Mapping[str, Any] | None = None,
) -> R_co:
    """Return the result of a question, given its arguments.

    ``work`` may set the fields ``progress`` and ``begin``, which no remote argument can set; values
    in ``arguments`` take precedence. Raise ``InputError`` listing every fault, in single values and
    in their combination.
    """
    return copy_context().run(_ask, question, arguments, work or {}, remote=remote)


def use_options_of(question: QuestionClass) -> None:
    """Name arguments in messages as the command of this question does, e.g. ``--for``."""
    OPTIONS.set({name: field.flag for name, field in arguments_of(question).items()})


def _ask(
    question: type[Question[R_co]],
    arguments: Mapping[str, Any],
    work: Mapping[str, Any],
    *,
    remote: bool,
) -> R_co:
    use_options_of(question)
    made, faults = question_with(question, arguments, work, remote=remote)
    REMOTE.set(remote or REMOTE.get())
    USED_PACKAGES.set(used := set[str]())
    try:
        with besides(faults):
            answer = made.answer()
    except InputError as error:
        raise InputError(*faults, *error.faults) from error
    if changed := changed_values(used):
        raise InputError(
            f"This cannot be answered: the rules changed {', '.join(changed[:MOST_CHANGED])} while they"
            " ran, so figures would depend on what was asked before. Keep what changes in the state"
            " (docs/reference/checks.md, L12-pure)."
        )
    return answer


def question_with(
    question: type[Question[R_co]],
    arguments: Mapping[str, Any],
    work: Mapping[str, Any],
    *,
    remote: bool,
) -> tuple[Question[R_co], list[str]]:
    """Return the question with its arguments set, and the list of faults in single values.

    ``work`` is as for ``ask_question``. Raise ``InputError`` with these faults if an argument that
    is required, or that names a game or a table, has no valid value.
    """
    values, faults = read(question, arguments, remote=remote)
    unnamed = (
        name for name, field in arguments_of(question).items() if field.needed or field.named
    )
    if any(
        name not in values
        and (arguments.get(name) is not None or arguments_of(question)[name].needed)
        for name in unnamed
    ):
        raise InputError(*faults)
    facts = {name: values.pop(name) for name in [*values] if _is_fact(question, name)}
    if facts:
        values["facts"] = {**values.get("facts", {}), **facts}
    work = {name: how for name, how in work.items() if name not in arguments}
    return question(**work, **values), faults


def _is_fact(question: QuestionClass, name: str) -> bool:
    field = arguments_of(question).get(name)
    return field is not None and field.fact is not None


@cache
def front(name: str) -> Callable[..., Any]:
    """Return the public function that asks a question; its arguments are the question's fields.

    Raise ``InputError`` if there is no question of this name.
    """
    kind = question_named(name)
    fields = arguments_of(kind)
    placed = [name for name, field in fields.items() if field.placed]

    def function(*args: Any, **kwargs: Any) -> Any:
        named = {name: value for name, value in kwargs.items() if name in signature.parameters}
        arguments = dict(signature.bind_partial(*args, **named).arguments)
        return ask_question(kind, {**kwargs, **arguments})

    parameters = [
        Parameter(
            name,
            Parameter.POSITIONAL_OR_KEYWORD if name in placed else Parameter.KEYWORD_ONLY,
            default=Parameter.empty if field.needed else field.default,
            annotation=field.kind
            if field.needed or field.kind is bool
            else f"{field.kind.__name__} | None",
        )
        for name, field in fields.items()
        if field.fact is None
    ]
    parameters += [
        Parameter(name, Parameter.KEYWORD_ONLY, default=attrs.fields_dict(kind)[name].default)
        for name in sorted(_of_programs(cast("Any", kind)) - {"facts"})
    ]
    if issubclass(kind, WithFacts):
        parameters.append(Parameter("facts", Parameter.VAR_KEYWORD))
    signature = Signature(parameters)
    function.__name__ = function.__qualname__ = name
    function.__module__ = "fireplan"
    function.__doc__ = description(kind)
    function.__dict__.update(__signature__=signature, question=kind)
    return function


def description(question: QuestionClass) -> str:
    """Return the docstring of a question with its example and fields, for Python's ``help``."""
    lines = [
        f":param {name}: {field.meaning}"
        for name, field in arguments_of(question).items()
        if not field.fact
    ]
    more = ":raises InputError: Listing every fault."
    example = [cleandoc(question.example), ""] if question.example else []
    return "\n".join([cleandoc(question.__doc__ or ""), "", *example, *lines, more])


def title(question: QuestionClass) -> str:
    """Return the first paragraph of a question's docstring as one line."""
    return " ".join(cleandoc(question.__doc__ or "").partition("\n\n")[0].split())


# --- installed questions --------------------------------------------------------------
@cache
def question_named(name: str) -> QuestionClass:
    """Return the class of a question, given its name.

    Raise ``InputError`` if there is no such question.
    """
    installed = places()
    if name not in installed:
        raise unknown("question", name, installed)
    module, _, kind = installed[name].partition(":")
    return cast("QuestionClass", getattr(import_module(module), kind))


def questions() -> Iterator[QuestionClass]:
    """Yield the class of every installed question."""
    yield from map(question_named, sorted(places()))
