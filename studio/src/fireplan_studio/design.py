"""The design page: a sheet as a form and as text, with its figures beside the games one picks.

The text of the sheet is the truth: a form changes one entry of it, and every form is made from it
and from the schema of sheets.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Any

import attrs
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from fireplan import sheets
from fireplan.analysis import (
    DEFAULT,
    Comparison,
    as_json,
    find_engagement,
    shipped_engagements,
)
from fireplan.draw.palette import looks_of
from fireplan.errors import InputError, quoted
from fireplan.questions.compare import ComparisonResult
from fireplan.questions.result import Result
from fireplan_core.files import Document, Fault, FileError, keys_of, written
from fireplan_core.play import CONTRACTS
from fireplan_studio.addresses import Parameters, address, differs, remembered
from fireplan_studio.charts import delivery
from fireplan_studio.copies import deflated, inflated, short
from fireplan_studio.figures import comparison_rows
from fireplan_studio.limits import LIMITS, over
from fireplan_studio.pages import Studio
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.work import Designed, Entrant, Trial

PATH = "/design"
SHEET = "sheet"
"""The part of a link, behind its #, that holds the whole sheet."""
LONGEST_LINK = 8000
"""The most characters of a link that programs still pass on whole."""
BLANK = "blank"
_BEGIN = "radio_and_scatter"
_LISTS = ("rule", "modifier", "option")
_NAMED = ("table", "deck")
_WHOLE = re.compile(r"[+-]?[0-9]{1,15}")
_HARM = "target_severity"
_LONG = 50
"""A text with more characters is shown in a field of several lines."""


@attrs.frozen(kw_only=True)
class Design:
    """A sheet, the engagement that it is tried in, and the games beside it."""

    text: str
    engagement: str = DEFAULT
    games: tuple[str, ...] = ()
    harm: bool = False
    """True if the effect on the target is worked out, too."""
    seed: int = 1
    made: tuple[str, ...] = ()

    @property
    def settings(self) -> dict[str, Any]:
        """Return all but the sheet as parameters of a link."""
        return {
            "engagement": "" if self.engagement == DEFAULT else self.engagement,
            "games": ",".join(self.games),
            "harm": self.harm,
            "seed": "" if self.seed == 1 else self.seed,
        }

    def link(self, made: Iterable[str] = ()) -> str:
        """Return the link that holds the whole sheet."""
        parameters = {**self.settings, "made": tuple(made), "linked": True}
        return f"{address(PATH, parameters)}#{SHEET}={deflated(self.text)}"


# --- the form, from the schema of sheets ----------------------------------------------------------
@attrs.frozen
class Field:
    """A field for one entry of a sheet: its key, its schema, the text typed, and its faults."""

    key: str
    schema: Mapping[str, Any]
    typed: str
    required: bool
    faults: tuple[Fault, ...]

    @property
    def kind(self) -> str:
        """Return the control: "choice", "number", "lines", "long" or "text"."""
        kind = self.schema.get("type")
        if "enum" in self.schema or kind == "boolean":
            return "choice"
        if kind in ("object", "array"):
            return "lines"
        if kind == "integer" and (not self.typed or _WHOLE.fullmatch(self.typed)):
            return "number"
        return "long" if len(self.typed) > _LONG or "\n" in self.typed else "text"

    @property
    def choices(self) -> list[str]:
        """Return what may be chosen, with what was typed even if it may not."""
        known = [str(each) for each in self.schema.get("enum", ("true", "false"))]
        return [*known, *([self.typed] if self.typed and self.typed not in known else [])]

    @property
    def label(self) -> str:
        """Return the name of the entry in words."""
        name = keys_of(self.key)[-1]
        return str(name).replace("_", " ").capitalize()

    @property
    def help(self) -> str:
        """Return the meaning of the entry, or "" if its name says it."""
        meaning: str = self.schema.get("description", "")
        return "" if meaning.lower() == self.label.lower() else meaning

    @property
    def example(self) -> str:
        """Return what the entry is if it is left out, or an example of it."""
        usual = str(self.schema.get("default", ""))
        examples = [typed(each) for each in self.schema.get("examples", ())]
        return usual or next((f"such as {each}" for each in examples), "")


@attrs.frozen
class Card:
    """A table of a sheet as a group of fields; ``parts`` are the ready parts that it is made of.

    ``known`` lists the ready parts there are, and ``cited`` has a field for each rule that they
    may cite.
    """

    key: str
    title: str
    fields: tuple[Field, ...]
    faults: tuple[Fault, ...] = ()
    parts: tuple[str, ...] = ()
    known: tuple[str, ...] = ()
    cited: tuple[Field, ...] = ()
    removable: bool = False

    @property
    def wrong(self) -> bool:
        """Return whether anything on the card is wrong."""
        return bool(self.faults or any(f.faults for f in (*self.fields, *self.cited)))


def typed(value: Any) -> str:
    """Return a value of a sheet as one types it in a field.

    A list has a line for each entry, a table a line ``key = value``.
    """
    if isinstance(value, Mapping):
        return "\n".join(f"{key} = {typed(each)}" for key, each in value.items())
    if isinstance(value, list | tuple):
        return "\n".join(map(typed, value))
    return str(value).lower() if isinstance(value, bool) else str(value)


def untyped(text: str, schema: Mapping[str, Any]) -> Any:
    """Return the value that a field's text stands for, or None for none.

    A text that is not of the kind that the schema asks for is returned as it is: the sheet says
    what is wrong with it.
    """
    text, kind = text.strip(), schema.get("type")
    kinds = kind if isinstance(kind, list) else [kind]
    if not text:
        return None
    if kind == "object":
        held = schema.get("additionalProperties") or {}
        pairs = (line.partition("=") for line in text.split("\n") if line.strip())
        values = {key.strip(): untyped(value, held) for key, _, value in pairs}
        return {key: "" if value is None else value for key, value in values.items()}
    if kind == "array":
        return [each.strip() for each in text.split("\n") if each.strip()]
    if text in ("true", "false") and "boolean" in kinds:
        return text == "true"
    return int(text) if "integer" in kinds and _WHOLE.fullmatch(text) else text


@cache
def _properties() -> Mapping[str, Any]:
    """Return the schema of each entry at the top of a sheet, by its key."""
    properties: Mapping[str, Any] = sheets.schema()["properties"]
    return properties


class Form:
    """The cards of a sheet: one for each of the five parts, and those for the rest of it."""

    def __init__(self, text: str, faults: Iterable[Fault]) -> None:
        self._faults = tuple(faults)
        self._schema = _properties()
        self.content: Mapping[str, Any] = Document.of(SHEET, text).content
        self.parts = tuple(self._part(word) for word in CONTRACTS)
        self.rest: dict[str, list[Card]] = {}
        """The other cards, by the title of their group."""
        for group, card in self._rest():
            self.rest.setdefault(group, []).append(card)

    def entry(self, key: str) -> tuple[Mapping[str, Any], str] | None:
        """Return the schema of an entry and the text in its field, or None if it has no field."""
        cards = (*self.parts, *(card for cards in self.rest.values() for card in cards))
        fields = (field for card in cards for field in (*card.fields, *card.cited))
        return next(((each.schema, each.typed) for each in fields if each.key == key), None)

    def _under(self, key: str) -> tuple[Fault, ...]:
        """Return the faults of an entry and of what is below it."""
        return tuple(
            fault
            for fault in self._faults
            if fault.key == key or fault.key.startswith((f"{key}.", f"{key}["))
        )

    def _fields(
        self, table: Any, declared: Mapping[str, Any], above: tuple[str | int, ...]
    ) -> Iterator[Field]:
        held = table if isinstance(table, Mapping) else {}
        required = declared.get("required", ())
        names = sorted(declared["properties"], key=lambda name: name not in required)
        for name in names:
            schema = declared["properties"][name]
            if _has_field(schema):
                key, value = written((*above, name)), held.get(name, "")
                yield Field(key, schema, typed(value), name in required, self._under(key))

    def _part(self, word: str) -> Card:
        known, table = sheets.kinds_of(word), self.content.get(word)
        kind = table.get("kind") if isinstance(table, Mapping) else None
        names = [name.strip() for name in kind.split(",")] if isinstance(kind, str) else []
        kinds = tuple(known[name] for name in names if name in known)
        fields: list[Field] = []
        cited: list[Field] = []
        if kinds:
            declared = sheets.part_schema(kinds)
            fields = [
                each
                for each in self._fields(table, declared, (word,))
                if each.key not in (f"{word}.kind", f"{word}.rules")
            ]
            rules = table.get("rules") if isinstance(table, Mapping) else {}
            cited = [*self._fields(rules, declared["properties"]["rules"], (word, "rules"))]
        shown = {fault for field in (*fields, *cited) for fault in field.faults}
        faults = tuple(fault for fault in self._under(word) if fault not in shown)
        return Card(
            word,
            word.capitalize(),
            tuple(fields),
            faults,
            tuple(dict.fromkeys(names)),
            tuple(known),
            tuple(cited),
        )

    def _rest(self) -> Iterator[tuple[str, Card]]:
        """Yield the cards of all but the five parts, each with the title of its group."""
        top = {
            name: schema
            for name, schema in self._schema.items()
            if name != SHEET and _has_field(schema)
        }
        yield "Game", Card("", "The game", (*self._fields(self.content, {"properties": top}, ()),))
        yield "Map", self._card(("map",), "Map", self.content.get("map"), self._schema["map"])
        for name in _LISTS:
            entries = self.content.get(name)
            for number, table in enumerate(entries if isinstance(entries, list) else ()):
                held = table if isinstance(table, Mapping) else {}
                named = held.get("id") or held.get("name") or held.get("summary") or number + 1
                title, schema = f"{name.capitalize()} {named}", self._schema[name]["items"]
                yield f"{name.capitalize()}s", self._card((name, number), title, table, schema)
        for name in _NAMED:
            tables = self.content.get(name)
            for key, table in tables.items() if isinstance(tables, Mapping) else ():
                title = f"{name.capitalize()} {key}"
                schema = self._schema[name]["additionalProperties"]
                yield f"{name.capitalize()}s", self._card((name, key), title, table, schema)

    def _card(
        self, keys: tuple[str | int, ...], title: str, table: Any, schema: Mapping[str, Any]
    ) -> Card:
        fields = tuple(self._fields(table, schema, keys))
        shown = {fault for field in fields for fault in field.faults}
        own = tuple(fault for fault in self._under(written(keys)) if fault not in shown)
        return Card(written(keys), title, fields, own, removable=len(keys) > 1)


def _has_field(schema: Mapping[str, Any]) -> bool:
    """Return whether a field can hold an entry: a value, a list of texts, or a table of values."""
    kind = schema.get("type", "string" if "enum" in schema else None)
    if kind == "object":
        held = schema.get("additionalProperties")
        return isinstance(held, Mapping) and held.get("type") not in ("object", "array")
    return kind is not None and schema.get("items", {}).get("type") != "object"


# --- changes --------------------------------------------------------------------------------------
def changed(text: str, parameters: Parameters) -> str:
    """Return the text of a sheet with the changes of a form.

    ``f.KEY`` sets an entry, ``part.WORD`` names the ready parts of a part, ``add`` adds a table and
    ``remove`` removes one. Raises ``FileError`` for a text that is not TOML, and ``InputError``
    listing every change that cannot be made.
    """
    wrong: list[str] = []
    for word in CONTRACTS:
        if f"part.{word}" in parameters.values:
            names = parameters.lines(f"part.{word}")
            if list(names) != [*next(c for c in Form(text, ()).parts if c.key == word).parts]:
                text = _tried(wrong, text, sheets.with_parts, word, names)
    fields = parameters.under("f.")
    form = Form(text, ())
    for key, value in fields.items():
        entry = form.entry(key)
        if entry is None:
            continue  # of a part that has just been replaced
        schema, before = entry
        if value.replace("\r\n", "\n").strip() != before.strip():
            new = untyped(value.replace("\r\n", "\n"), schema)
            text = _tried(wrong, text, sheets.edited, keys_of(key), new)
    if added := parameters.choice("add", ("", *_LISTS, *_NAMED), ""):
        text = _with_another(wrong, text, added)
    if removed := parameters.text("remove", ""):
        keys = keys_of(removed)
        if not keys:
            wrong.append(f"There is no table {quoted(removed)} to remove")
        text = _tried(wrong, text, sheets.without, keys) if keys else text
    if wrong:
        raise InputError("\n".join(wrong))
    return text


def _with_another(wrong: list[str], text: str, added: str) -> str:
    """Return the text of a sheet with another table of a kind; a fault is added to ``wrong``."""
    held = Form(text, ()).content.get(added, ())
    if not isinstance(held, list | tuple | Mapping):
        wrong.append(f"{added}: expected tables, so none can be added: correct it in the text")
        return text
    if added in _LISTS:
        first = "id" if added == "rule" else "roll" if added == "modifier" else "name"
        return _tried(wrong, text, sheets.edited, (added, len(held), first), "")
    name = next(f"{added}{n}" for n in range(1, 1000) if f"{added}{n}" not in held)
    entry_name = "rows" if added == "table" else "cards"
    return _tried(wrong, text, sheets.edited, (added, name, entry_name), {})


def _tried(wrong: list[str], text: str, change: Any, *arguments: Any) -> str:
    try:
        new: str = change(text, *arguments)
    except InputError as error:
        wrong += error.faults
        return text
    return new


# --- the page -------------------------------------------------------------------------------------
class DesignPage:
    """The routes under ``/design``."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def page(self, request: Request) -> Response:
        """Return the page of a template, or one that waits for the sheet behind the link's #."""
        parameters = Parameters(request.scope["query_string"])
        known = (BLANK, *sheets.templates())
        begun = parameters.choice("template", known, _BEGIN)
        linked = parameters.flag("linked")
        text = sheets.BLANK if begun == BLANK else sheets.templates()[begun].read_text("utf-8")
        design = self._read(parameters, text)
        parameters.done()
        if linked:
            return self._shown(request, design, waits=True)
        return await self._answered(request, design, ())

    async def change(self, request: Request) -> Response:
        """Return the page of a sheet as it is after the changes of a form."""
        try:
            body = (await request.body()).decode("utf-8")
        except (ValueError, ClientDisconnect):
            raise RequestRefusedError(400, "This form cannot be read.") from None
        parameters = Parameters(body, "file_characters")
        design = self._read(parameters, _text_of(parameters))
        wrong: tuple[Fault, ...] = ()
        text = design.text
        try:
            text = changed(text, parameters)
        except FileError:
            pass  # told with the other faults of the sheet
        except InputError as error:
            wrong = tuple(Fault(SHEET, "", None, line, "") for line in error.faults)
        parameters.others()
        parameters.done()
        return await self._answered(request, attrs.evolve(design, text=text), wrong)

    def _read(self, parameters: Parameters, text: str) -> Design:
        games = parameters.choices("games", list(self._studio.titles))
        usual = self._studio.usual if "games" not in parameters.values else ()
        if reason := over("games", len(games) + 1):
            raise RequestRefusedError(400, reason)
        return Design(
            text=text,
            engagement=parameters.choice("engagement", list(shipped_engagements()), DEFAULT),
            games=tuple(games or usual),
            harm=parameters.flag("harm"),
            seed=parameters.whole("seed", "seed", 1),
            made=tuple(parameters.lines("made")),
        )

    async def _answered(
        self, request: Request, design: Design, wrong: tuple[Fault, ...]
    ) -> Response:
        """Return the page with everything that a sheet comes to, or with all its faults."""
        answer, comparison = await self._worked_out(design)
        return self._shown(request, design, answer, comparison, wrong)

    async def _worked_out(self, design: Design) -> tuple[Designed, Comparison | None]:
        """Return what a sheet comes to, and its comparison with the games beside it."""
        patience, jobs = LIMITS["job_seconds"].most, self._studio.jobs
        engagement = find_engagement(design.engagement)
        trial = Trial(design.text, engagement, design.harm, design.seed)
        jobs.leave("designed", {("designed", (trial,))})
        answer: Designed = await jobs.answer("designed", trial, patience=patience)
        if answer.comparison is None:
            return answer, None
        titles = self._studio.titles
        others = await asyncio.gather(
            *(
                jobs.answer(
                    "compared",
                    engagement,
                    (Entrant(key, key, titles[key], harm=design.harm),),
                    patience=patience,
                )
                for key in design.games
                if key != answer.key
            )
        )
        return answer, _beside(answer.comparison, others, titles)

    def opened(self, query: str, fragment: str) -> tuple[Result, str]:
        """Return the comparison that a link asks for, and how it differs from the original."""
        parameters = Parameters(query)
        packed = Parameters(fragment, "file_characters").text(SHEET, "")
        design = self._read(parameters, _unpacked(packed))
        parameters.flag("linked")
        parameters.done()
        answer, comparison = asyncio.run(self._worked_out(design))
        if comparison is None:
            raise RequestRefusedError(400, "\n".join(fault.message for fault in answer.faults))
        return ComparisonResult(comparison), differs(design.made, self._made(design, comparison))

    def _made(self, design: Design, comparison: Comparison) -> tuple[str, ...]:
        return remembered(self._studio.catalogue, design.games, as_json(comparison))

    def _shown(
        self,
        request: Request,
        design: Design,
        answer: Designed | None = None,
        comparison: Comparison | None = None,
        wrong: tuple[Fault, ...] = (),
        *,
        waits: bool = False,
    ) -> Response:
        faults = (*wrong, *(answer.faults if answer else ()))
        try:
            form: Form | None = None if waits else Form(design.text, faults)
        except FileError:
            form = None
        shown: dict[str, Any] = {
            "design": design,
            "answer": answer,
            "comparison": comparison,
            "faults": faults,
            "form": form,
            "waits": waits,
            "own_link": "" if waits else design.link(design.made),
            "begins": (BLANK, *sheets.templates()),
            "games": self._studio.titles,
            "engagements": list(shipped_engagements()),
            "lists": (*_LISTS, *_NAMED),
        }
        if comparison is not None and answer is not None:
            shown |= self._figures(design, answer, comparison)
        status = 400 if faults else 200
        return self._studio.pages.page(request, "design.html.j2", status=status, **shown)

    def _figures(self, design: Design, answer: Designed, comparison: Comparison) -> dict[str, Any]:
        """Return template variables: the figures, their curve, and the link with its copies."""
        rows = [row for row in comparison_rows(comparison) if design.harm or row["name"] != _HARM]
        versions = self._made(design, comparison)
        link = design.link(versions)
        copies = short(
            f"{answer.title}: {comparison.engagement.title}",
            ["Yardstick", *(game.title for game in comparison.games.values())],
            [[row["title"], *row["cells"]] for row in rows],
            versions,
        )
        return {
            "rows": rows,
            "chart": delivery(comparison, "atmost", transpose=False) if comparison.games else None,
            "own_link": link,
            "link_to": link if len(link) <= LONGEST_LINK else "",
            "copies": copies,
            "stands": differs(design.made, versions),
        }


def _text_of(parameters: Parameters) -> str:
    """Return the sheet in a form: its text, or one packed as in a link."""
    packed = parameters.text(SHEET, "")
    text = _unpacked(packed) if packed else parameters.text("text", "")
    return text.replace("\r\n", "\n").rstrip("\n") + "\n"


def _unpacked(packed: str) -> str:
    try:
        return inflated(packed, LIMITS["file_characters"].most)
    except ValueError as error:
        raise RequestRefusedError(
            400, f"The sheet in this link cannot be read ({error}): was it copied whole?"
        ) from error


def _beside(
    own: Comparison, others: Iterable[Comparison], installed: Mapping[str, str]
) -> Comparison:
    """Return the comparison of a sheet with games that were each answered alone."""
    columns = (own, *others)

    def joined(name: str) -> dict[str, Any]:
        return {key: each for one in columns for key, each in getattr(one, name).items()}

    titles = joined("titles")
    return Comparison(
        own.engagement,
        joined("games"),
        joined("cannot"),
        titles,
        looks_of((*sorted(installed), *titles)),
        joined("sampled"),
        joined("failed"),
    )
