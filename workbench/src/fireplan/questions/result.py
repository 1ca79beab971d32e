"""Results: printed as text, shown in a notebook, saved to a file, or returned as data."""

import io
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from html import escape
from importlib import import_module
from importlib.resources import files
from inspect import signature
from pathlib import Path
from textwrap import fill
from typing import Any

import attrs

from fireplan.errors import InputError, quoted, shown
from fireplan.questions.markup import markdown_text

WIDTH = 100
"""Width in columns of a result printed in Python."""


@attrs.frozen
class Text:
    """A line or a paragraph; ``style`` is "", "bold" or "dim".

    If ``wrap`` is false, a terminal does not wrap the line.
    """

    text: str
    style: str = ""
    wrap: bool = True


@attrs.frozen
class Listing:
    """Lines under a heading."""

    heading: str
    lines: tuple[str, ...]


@attrs.frozen
class Grid:
    """A table: column headings, rows of cells, and the indices of rows and columns shown specially.

    ``sections`` contains the rows that end a section, ``marked`` and ``faint`` the highlighted and
    the dimmed rows, and ``fold`` the columns that may be broken anywhere. A ``firm`` table keeps
    its first column in bold and unbroken. ``colours`` has the colour of the bars in each column of
    a page.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    sections: frozenset[int] = frozenset()
    marked: frozenset[int] = frozenset()
    faint: frozenset[int] = frozenset()
    fold: frozenset[int] = frozenset()
    firm: bool = False
    colours: tuple[str, ...] = ()


Block = Text | Listing | Grid
Rows = list[dict[str, Any]]
"""Plain data, a dictionary for each row of a table."""
Cites = tuple[str, ...] | Mapping[str, tuple[str, ...]]
"""Numbers of rules, by game where there are several games."""


@attrs.frozen(eq=False, repr=False, slots=False)
class Result:
    """The answer to a question.

    Each kind has ``blocks`` (formatted text), ``to_dict`` (plain data, exact rationals as strings)
    and ``rows``. Some have an ``svg`` image.

    >>> answer = fp.odds("asl/village", moments=2)
    >>> answer.to_dict()["exact"]
    True
    >>> answer.save("village.svg").name
    'village.svg'
    """

    def blocks(self) -> Iterable[Block]:
        """Yield the formatted answer."""
        raise NotImplementedError

    def fitting(self, width: int) -> Iterable[Block]:  # noqa: ARG002 - most answers fit any page
        """Yield the formatted answer, for a page that is ``width`` characters wide."""
        return self.blocks()

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as plain data; exact rationals are strings like ``"26195/32076"``."""
        raise NotImplementedError

    def rows(self) -> Sequence[Mapping[str, Any]]:
        """Return the answer as uniform rows for other programs, by default a single row."""
        return [self.to_dict()]

    @property
    def cites(self) -> Cites:
        """The rule numbers that the answer depends on, by game if there are several games.

        Empty if the data contain them already, or if they are not known.
        """
        return ()

    def svg(self) -> str:
        """Return the answer's SVG image.

        Raise ``InputError`` if it has none.
        """
        raise InputError("This answer has no picture.")

    # --- as text ---------------------------------------------------------------------------------
    def __str__(self) -> str:
        """Return the answer as the command prints it."""
        from rich.console import Console

        out = io.StringIO()
        # In a notebook, rich would otherwise turn colours on.
        self.print(Console(file=out, width=WIDTH, force_jupyter=False, color_system=None))
        return out.getvalue().rstrip("\n")

    __repr__ = __str__

    def print(self, console: Any = None) -> None:
        """Print the answer on a ``rich`` console, by default at the width of the terminal."""
        from rich.console import Console

        terminal = Console(force_jupyter=False) if console is None else console
        for block in self.fitting(terminal.width):
            _print(terminal, block)

    def markdown(self) -> str:
        """Return the answer as Markdown."""
        return as_markdown(self.blocks())

    def _repr_html_(self) -> str:
        """Return the answer as HTML for a notebook: its tables, and its image if it has one."""
        text = _template("_result.html.j2").module.blocks(self.blocks(), "Answer")
        try:
            picture = self.svg()
        except (InputError, ImportError):
            picture = ""
        return f'<div class="fireplan">\n{text}\n{picture}</div>'

    # --- as data ---------------------------------------------------------------------------------
    def json(self) -> str:
        """Return the answer as JSON text."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False) + "\n"

    def csv(self) -> str:
        """Return the rows of the answer as comma-separated values, with a header line."""
        from fireplan.analysis import as_csv

        return as_csv(self.rows())

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows as a data frame of pandas, or of polars if pandas is not installed.

        ``library`` is "pandas" or "polars" to choose one. An exact rational is text, and is
        followed by ``NAME_float``; a column of numbers and words is followed by ``NAME_text``.
        Raise ``InputError`` if the library is unknown or not installed.
        """
        from fireplan.questions.frames import frame

        return frame(self.rows(), library)

    def save(self, path: str | Path) -> Path:
        """Write the answer to a .svg, .png, .csv, .json, .md or .html file, and return its path.

        Raise ``InputError`` for any other suffix, or if the file cannot be written.
        """
        file = Path(path)
        if fault := unwritable(file, ENDINGS):
            raise InputError(fault)
        content = self._content(file.suffix.lower())
        write(file, content)
        return file

    def _content(self, ending: str) -> str | bytes:
        if ending == ".png":
            from fireplan.draw.svg import png

            return png(self.svg())
        if ending == ".html":
            return f'<!doctype html>\n<html lang="en"><meta charset="utf-8">\n{self._repr_html_()}\n</html>\n'
        made = {".svg": self.svg, ".csv": self.csv, ".json": self.json, ".md": self.markdown}
        return made[ending]()


ENDINGS = (".svg", ".png", ".csv", ".json", ".md", ".html")
PICTURES = (".svg", ".png")


def write(path: Path, content: str | bytes, *, anew: bool = False) -> None:
    """Write a whole file; with ``anew``, only if it does not exist yet.

    Raise ``InputError`` if it cannot be written; no partial new file is left behind.
    """
    data = content if isinstance(content, bytes) else content.encode("utf-8")
    try:
        there = os.path.lexists(path)
        with path.open("xb" if anew else "wb") as file:
            file.write(data)
    except ValueError:  # a null character or an unpaired surrogate, which no file system accepts
        raise InputError(f"{quoted(str(path))} is not a valid file name.") from None
    except FileExistsError:
        raise InputError(f"{path}: already exists; an export never overwrites a file") from None
    except OSError as error:
        if not there:
            with suppress(OSError):
                path.unlink()
        raise InputError(f"{path}: cannot be written ({error.strerror})") from error


def unwritable(path: Path | None, endings: Sequence[str] = PICTURES) -> str:
    """Return the reason why a file cannot be written, or an empty string; nothing is written.

    ``endings`` are the file extensions allowed. None stands for no file, which has no fault.
    """
    if path is None:
        return ""
    if "\0" in str(path):
        return (
            f"{quoted(str(path))}: cannot be written: a file name cannot contain a null character."
        )
    if path.is_dir():
        return f"{path}: cannot be written: it is a folder; name a file in it."
    if not path.parent.is_dir():
        return f"{path}: cannot be written: there is no folder {path.parent}; create it first."
    if path.suffix.lower() not in endings:
        wrong = (
            f"unknown file extension {path.suffix}" if path.suffix else "its name has no extension"
        )
        return f"{path}: cannot be written: {wrong}; use {', '.join(endings)}."
    return ""


# --- blocks as text, Markdown and HTML ------------------------------------------------
def as_markdown(blocks: Iterable[Block]) -> str:
    """Return blocks as Markdown."""
    return str(_template("result.md.j2").render(found=blocks))


@cache
def _template(name: str) -> Any:
    import jinja2

    settings: dict[str, Any] = {
        "loader": jinja2.PackageLoader("fireplan.questions"),
        "trim_blocks": True,
        "lstrip_blocks": True,
    }
    made = jinja2.Environment(autoescape=jinja2.select_autoescape(["html.j2"]), **settings)
    made.filters.update(clean=shown, md=markdown_text)
    return made.get_template(name)


def _print(console: Any, block: Block) -> None:
    from rich.table import Table
    from rich.text import Text as Rich

    def styled(text: str, style: str = "") -> Rich:
        return Rich(shown(text), style=style)

    if isinstance(block, Text):
        console.print(styled(block.text, style=block.style), soft_wrap=not block.wrap)
    elif isinstance(block, Listing):
        console.print(styled(block.heading, style="bold"))
        for line in block.lines:
            indents = {"initial_indent": "  - ", "subsequent_indent": "    "}
            wrapped = fill(line, console.width, break_on_hyphens=False, **indents)  # type: ignore[arg-type]
            console.print(styled(wrapped), soft_wrap=True)
    else:
        table = Table(title=shown(block.title) or None, pad_edge=False)
        for number, head in enumerate(block.columns):
            table.add_column(
                styled(head),
                style="bold" if block.firm and not number else "",
                no_wrap=block.firm and not number,
                overflow="fold" if number in block.fold else "ellipsis",
            )
        for number, row in enumerate(block.rows):
            style = (
                "bold yellow" if number in block.marked else "dim" if number in block.faint else ""
            )
            table.add_row(
                *(styled(cell, style=style) for cell in row), end_section=number in block.sections
            )
        console.print(table)


# --- interactive widgets for notebooks: a field for each argument, and the answer below
def widget(ask: Callable[..., Result], *arguments: Any, **keywords: Any) -> Any:
    """Return a widget that shows an answer, computed again whenever a field changes.

    For example ``fp.widget(fp.compare, "woods", minutes=30, guns=24)``. Every argument that is an
    integer or a text has a field.

    :param ask: The function that answers: one of fireplan's, such as compare or position, or your
        own.
    :param arguments: Positional arguments of ``ask``.
    :param keywords: Keyword arguments of ``ask``.
    :returns: An ``anywidget.AnyWidget``; ``fields`` contains the current values, and ``html`` the
        answer or the faults.
    :raises InputError: If the library anywidget is not installed.

    >>> shown = fp.widget(fp.odds, "asl/village", moments=2)  # doctest: +SKIP
    """
    try:
        anywidget, traitlets = import_module("anywidget"), import_module("traitlets")
    except ImportError:
        raise InputError("A widget needs anywidget: pip install anywidget") from None

    names = [*signature(ask).parameters][: len(arguments)]
    first = dict(zip(names, arguments, strict=True))

    def answer_html(fields: Mapping[str, Any]) -> str:
        now = {**first, **keywords, **fields}
        positional = [now.pop(name) for name in names]
        try:
            return ask(*positional, **now)._repr_html_()
        except InputError as error:
            return f"<p>{escape(str(error))}</p>"

    fields = {
        name: value for name, value in {**first, **keywords}.items() if type(value) in (int, str)
    }
    traits = {
        "_esm": (files("fireplan.questions") / "widget.js").read_text(encoding="utf-8"),
        "fields": traitlets.Dict(fields).tag(sync=True),
        "html": traitlets.Unicode(answer_html(fields)).tag(sync=True),
    }
    made: Any = type("AnswerWidget", (anywidget.AnyWidget,), traits)()
    made.observe(lambda change: made.set_trait("html", answer_html(change["new"])), "fields")
    return made
