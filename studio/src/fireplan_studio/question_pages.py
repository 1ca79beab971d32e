"""A page for every question: form, answer and link are derived from the question's class."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from inspect import cleandoc
from operator import itemgetter
from typing import Any

import attrs
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from fireplan.analysis.phrasing import joined_words
from fireplan.errors import InputError
from fireplan.questions.question import (
    Argument,
    QuestionClass,
    arguments_of,
    question_named,
    questions,
    read,
    title,
)
from fireplan.questions.result import Result
from fireplan_studio.addresses import Parameters, address, differs
from fireplan_studio.answers import UNANSWERABLE
from fireplan_studio.limits import LIMITS
from fireplan_studio.pages import FILES, NAVIGATION, Studio, download
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.work import Said, put_question, question_arguments, shipped_names

PATH = "/questions"
MADE = "made"
"""The parameter in which a link stores the versions and figures of its original answer."""


@attrs.frozen
class FormField:
    """A field of a question's form: the text typed, the names to choose from, and its faults."""

    entry: Argument
    typed: str
    names: tuple[str, ...]
    faults: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """Return the control: "flag", "choice", "lines" (several values), "number" or "text"."""
        if self.entry.kind is bool:
            return "flag"
        if self.entry.choices:
            return "choice"
        if self.entry.kind is tuple:
            return "lines"
        return "number" if self.entry.kind is int else "text"

    @property
    def label(self) -> str:
        """Return the name of the field in words, with its unit."""
        name, unit = self.entry.name.replace("_", " "), self.entry.unit
        return name.capitalize() + (f" ({unit})" if unit and unit != name else "")

    @property
    def first(self) -> bool:
        """Return whether the field is shown at once: required, with choices, or filled in."""
        entry = self.entry
        return bool(entry.needed or self.names or entry.choices or self.typed or self.faults)

    @property
    def usual(self) -> str:
        """Return the default as text, or "" if there is none."""
        default = self.entry.default
        return str(default) if isinstance(default, str | int) and default is not False else ""


class QuestionPages:
    """The routes under ``/questions``."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    def routes(self) -> list[Route]:
        """Return the routes of the pages under ``/questions``."""
        return [
            Route(PATH, self.index),
            Route(f"{PATH}/{{name}}", self.page),
            Route(f"{PATH}/{{name}}/answer.{{ending}}", self.file),
        ]

    async def index(self, request: Request) -> Response:
        """Return the page that lists all questions."""
        listed = [(kind.key, title(kind)) for kind in questions() if "page" not in kind.absent]
        return self._studio.pages.page(request, "questions.html.j2", questions=listed)

    async def page(self, request: Request) -> Response:
        """Return a question's form, with its answer or its faults if the URL asks for an answer."""
        name = request.path_params["name"]
        kind = _question(name)
        said, made, go = _read(request.scope["query_string"])
        shown: dict[str, Any] = {
            "kind": kind,
            "title": title(kind),
            "more": [
                " ".join(text.split()) for text in cleandoc(kind.__doc__ or "").split("\n\n")[1:]
            ],
            "fields": self._fields(kind, said),
            "example": example_of(kind, self._studio.titles),
        }
        template = "question.html.j2"
        if not (said or go):
            return self._studio.pages.page(request, template, **shown)
        try:
            answer = await self._studio.jobs.answer("put_question_page", name, said)
        except RequestRefusedError as error:
            if error.status != UNANSWERABLE:
                raise
            faults = str(error).split("\n")
            shown["fields"] = [_at_fault(field, faults) for field in shown["fields"]]
            return self._studio.pages.page(request, template, status=400, faults=faults, **shown)
        shown |= {"answer": answer, "stands": differs(made, answer.versions)}
        shown |= {"link_to": link_to(name, said, answer.versions), "python": _python(kind, said)}
        shown["files"] = {
            ending: link_to(f"{name}/answer.{ending}", said) for ending in answer.files
        }
        return self._studio.pages.page(request, template, **shown)

    async def file(self, request: Request) -> Response:
        """Return an answer as a file: its picture, its rows, or its exact data.

        Raises ``RequestRefusedError`` if the answer has no such file.
        """
        name, ending = request.path_params["name"], request.path_params["ending"]
        _question(name)
        said, _, _ = _read(request.scope["query_string"])
        patience = LIMITS["job_seconds"].most
        answer = await self._studio.jobs.answer("put_question_page", name, said, patience=patience)
        if ending not in answer.files:
            raise RequestRefusedError(404, "This answer has no file with this ending.")
        if ending == "svg":
            return Response(answer.files[ending], media_type="image/svg+xml")
        return download(answer.files[ending], FILES[ending], f"fireplan-{name}.{ending}")

    def _fields(self, kind: QuestionClass, said: Said) -> list[FormField]:
        return [
            FormField(
                entry,
                "\n".join(value for name, value in said if name == entry.name),
                shipped_names(entry.named),
            )
            for entry in arguments_of(kind).values()
            if not entry.local
        ]

    @staticmethod
    def opened(name: str, text: str) -> tuple[Result, str]:
        """Return the answer to a link, and a comparison with the original answer.

        Raises ``RequestRefusedError`` listing the faults of the question.
        """
        _question(name)
        said, made, _ = _read(text)
        try:
            result, now = put_question(name, said)
        except InputError as error:
            raise RequestRefusedError(UNANSWERABLE, "\n".join(error.faults)) from error
        return result, differs(made, now)


def link_to(name: str, said: Said, made: Sequence[str] = ()) -> str:
    """Return the canonical URL of a question with these arguments.

    ``name`` is the name of the question, or the path of one of its files; ``made`` has the versions
    used for the answer.
    """
    values: dict[str, list[str]] = {}
    for key, value in said:
        values.setdefault(key, []).append(value)
    return address(f"{PATH}/{name}", {**values, "go": True, MADE: made})


def example_of(
    kind: QuestionClass, titles: Mapping[str, str] | None = None
) -> tuple[str, str] | None:
    """Return the example of a question's help: its arguments in words, and the link that asks it.

    ``titles`` maps keys of games to the titles shown instead. Return None if the example has no
    arguments.
    """
    calls = (
        node
        for line in cleandoc(kind.example).split("\n")
        if line.startswith(">>> ")
        for node in ast.walk(ast.parse(line.removeprefix(">>> ")))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == kind.key
    )
    call = next(calls, None)
    if call is None:
        return None
    positional = zip(arguments_of(kind), call.args, strict=False)
    named = ((each.arg or "", each.value) for each in call.keywords)
    said = tuple(
        (name, text)
        for name, value in (*positional, *named)
        for text in _typed(ast.literal_eval(value))
    )
    if not said:
        return None
    values: dict[str, list[str]] = {}
    for name, text in said:
        values.setdefault(name.replace("_", " "), []).append((titles or {}).get(text, text))
    words = ", ".join(f"{name} {joined_words(texts)}" for name, texts in values.items())
    return words, link_to(kind.key, said)


def _typed(value: Any) -> Iterator[str]:
    """Yield the value of an argument as it is typed into a field, one text for each line."""
    if isinstance(value, dict):
        yield from (f"{name}={each}" for name, each in value.items())
    elif isinstance(value, list):
        yield from map(str, value)
    else:
        yield str(value)


def _at_fault(field: FormField, faults: Sequence[str]) -> FormField:
    """Return a field with the faults that begin with its name or quote the typed text."""
    name, quoted = field.entry.name, repr(field.typed)
    begins = (f"{name}:", f"{name} ")
    own = [each for each in faults if each.startswith(begins) or (field.typed and quoted in each)]
    return attrs.evolve(field, faults=tuple(own))


def _python(kind: QuestionClass, said: Said) -> str:
    """Return the Python code that asks the same question."""
    values, _ = read(kind, question_arguments(kind, said))
    shown = ", ".join(f"{name}={value!r}" for name, value in values.items())
    return f"import fireplan as fp\n\nfp.{kind.key}({shown})"


def _question(name: str) -> QuestionClass:
    try:
        kind = question_named(name)
    except InputError as error:
        raise RequestRefusedError(404, str(error)) from error
    if "page" in kind.absent:
        reason = kind.absent["page"]
        nearest = next((word for word in reason.split() if word in NAVIGATION), PATH)
        raise RequestRefusedError(404, f"{name} has no page here: {reason}", nearest=nearest)
    return kind


def _read(query: str | bytes) -> tuple[Said, list[str], bool]:
    """Return the arguments, the versions in the link, and whether an answer is requested."""
    parameters = Parameters(query, "line_characters")
    made, go = parameters.lines(MADE), "go" in parameters.values
    typed = parameters.others()
    parameters.done()
    said = ((key, text.strip()) for key, value in typed for text in value.split("\n"))
    # Sort the pairs as in a link, so that an answer and its files are worked out only once.
    return tuple(sorted((pair for pair in said if pair[1]), key=itemgetter(0))), made, go
