"""Every refusal that a page's address can meet is among the addresses opened on the site.

``tests/browser/test_site.py`` opens each address on the served studio and on the static site.
"""

import ast
import asyncio
import re
import sys
from pathlib import Path

import fireplan_studio
from fireplan_studio import refusals, without_server

HERE = Path(__file__).parents[1] / "browser"
PAGES = (
    "addresses",
    "ask",
    "compare",
    "dial",
    "engagements",
    "figures",
    "question_pages",
    "rules",
    "whatif",
)
"""The modules of pages whose questions are addresses; other tests cover forms and tables."""
OTHERWISE = {
    ("compare", "games"): "more games than may be compared: so many are not installed",
    (
        "figures",
        "There is no such picture: expected sheet, maps or a chart's name, ending in .svg or .png.",
    ): "a file, not a page",
    ("figures", "No game can stage this engagement, so there is no chart."): "a picture",
    ("figures", "No PNG is available here, but the picture is available as SVG."): "a picture",
    ("question_pages", "This answer has no file with this ending."): "a file, not a page",
    ("question_pages", ""): "a link that the command open is given",
}
"""Refusals that no page shows."""


def listed(file, *names):
    """Return the addresses that these constants of a module of browser tests list."""
    kept = [
        node
        for node in ast.parse((HERE / file).read_text(encoding="utf-8")).body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") in names
    ]
    values = {}
    exec(compile(ast.Module(kept, []), file, "exec"), values)  # noqa: S102 - our own text
    return [address for name in names for address in values[name]]


def refusing():
    """Yield module, first line, last line and text of each call that refuses in the modules of
    pages.
    """
    folder = Path(fireplan_studio.__file__).parent
    for name in PAGES:
        for node in ast.walk(ast.parse((folder / f"{name}.py").read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") in (
                "Fault",
                "RequestRefusedError",
            ):
                given = (*node.args, *(keyword.value for keyword in node.keywords))
                words = [each.value for each in given if isinstance(each, ast.Constant)]
                said = next((word for word in words if isinstance(word, str)), "")
                yield name, node.lineno, node.end_lineno, said


def test_every_refusal_of_a_page_is_opened_on_the_site(tmp_path, monkeypatch):
    reached = set()
    for kind in (refusals.Fault, refusals.RequestRefusedError):
        made = kind.__init__

        def noted(self, *args, made=made, **kwargs):
            caller = sys._getframe(1)
            reached.add((Path(caller.f_code.co_filename).stem, caller.f_lineno))
            made(self, *args, **kwargs)

        monkeypatch.setattr(kind, "__init__", noted)
    ask = without_server(tmp_path)
    opened = [*listed("test_site.py", "MANY", "REFUSED"), *listed("test_both.py", "NOWHERE")]
    for address in filter(re.compile("/").match, opened):
        status, headers, _ = asyncio.run(ask("GET", address))
        while status == 303:
            status, headers, _ = asyncio.run(ask("GET", headers["location"]))
        assert status >= 400, address
    missing = {
        (name, words): line
        for name, line, end, words in refusing()
        if not any(module == name and line <= at <= end for module, at in reached)
    }
    assert missing.keys() == OTHERWISE.keys(), missing
