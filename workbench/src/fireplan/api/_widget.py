"""An answer in a notebook that is changed there: a field for each value that was asked with, and the answer below."""

from collections.abc import Callable, Mapping
from html import escape
from importlib import import_module
from importlib.resources import files
from inspect import signature
from typing import Any

from fireplan.api._errors import InputError
from fireplan.api._result import Result


def widget(ask: Callable[..., Result], *given: Any, **asked: Any) -> Any:
    """Return a widget of an answer, such as ``fp.widget(fp.compare, "woods", minutes=30, guns=24)``.

    :param ask: What answers: a function of fireplan such as compare or position, or one of your own.
    :param given: Handed to it in this order.
    :param asked: Handed to it by name. Whole numbers and texts have a field each, and whoever changes one asks anew.
    :returns: An ``anywidget.AnyWidget``; ``fields`` are the values now, ``html`` is the answer, or what is wrong.
    :raises InputError: Without the library anywidget.
    """
    try:
        anywidget, traitlets = import_module("anywidget"), import_module("traitlets")
    except ImportError:
        raise InputError("A widget needs anywidget: pip install anywidget") from None

    names = [*signature(ask).parameters][: len(given)]
    first = dict(zip(names, given, strict=True))

    def told(fields: Mapping[str, Any]) -> str:
        now = {**first, **asked, **fields}
        here = [now.pop(name) for name in names]
        try:
            return ask(*here, **now)._repr_html_()
        except InputError as error:
            return f"<p>{escape(str(error))}</p>"

    fields = {name: value for name, value in {**first, **asked}.items() if type(value) in (int, str)}
    traits = {
        "_esm": (files("fireplan.api") / "widget.js").read_text(encoding="utf-8"),
        "fields": traitlets.Dict(fields).tag(sync=True),
        "html": traitlets.Unicode(told(fields)).tag(sync=True),
    }
    made: Any = type("AnswerWidget", (anywidget.AnyWidget,), traits)()
    made.observe(lambda change: made.set_trait("html", told(change["new"])), "fields")
    return made
