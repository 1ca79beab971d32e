"""The state and templates shared by all pages, and the responses common to them."""

import hashlib
from collections import Counter
from collections.abc import Mapping
from importlib.resources import files
from typing import Any
from urllib.parse import parse_qsl

from markupsafe import Markup, escape
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response

from fireplan.analysis import default_games, number
from fireplan.draw.palette import DARK_RULES, page_style
from fireplan_core.sentences import capitalized
from fireplan_studio.addresses import address, made_with, of_newer
from fireplan_studio.answers import Answers, AnswersInOneThread
from fireplan_studio.board import template_environment
from fireplan_studio.copies import FIGURES, ShortAnswer, carried, short
from fireplan_studio.film import one_file
from fireplan_studio.jobs import Jobs
from fireplan_studio.limits import LIMITS, over
from fireplan_studio.refusals import Calculation, RequestRefusedError
from fireplan_studio.safety import VISITOR_COOKIE, Settings
from fireplan_studio.sessions import Sessions
from fireplan_studio.work import catalogue

NAVIGATION = {
    "/compare": "Compare",
    "/whatif": "What if",
    "/dial": "Dial",
    "/design": "Design",
    "/ask": "Ask",
    "/tables": "Table",
    "/rules": "Rules",
}
MODES = {"exactly": "exactly", "atleast": "at least", "atmost": "at most"}
"""Labels of the modes in which a chart adds up its shares."""
FILES = {
    "csv": "text/csv; charset=utf-8",
    "json": "application/json",
    "html": "text/html; charset=utf-8",
}
"""The media type of each kind of file that a page offers, by its ending."""
_HEADINGS = {
    400: "This cannot be shown",
    404: "There is no such page",
    409: "Cancelled",
    410: "This seat is taken",
}
"""The heading of a refusal, by its HTTP status."""


class Pages:
    """A renderer of the studio's templates."""

    def __init__(self) -> None:
        self._environment = template_environment()
        self._environment.filters.update(
            repr=repr,
            number=number,
            groups=lambda words: sorted(Counter(words).items()),
            coded=_coded,
        )
        self._environment.globals.update(
            navigation=NAVIGATION.items(),
            modes=MODES,
            address=address,
            short=short,
            ShortAnswer=ShortAnswer,
        )

    def text(self, template: str, **shown: Any) -> str:
        """Return the text of a template rendered with these variables."""
        return self._environment.get_template(template).render(**shown)

    def page(self, request: Request, template: str, *, status: int = 200, **shown: Any) -> Response:
        """Return a page of the studio rendered from a template."""
        here = "/" + request.url.path.strip("/").partition("/")[0]
        linked = self._linked(request)
        return HTMLResponse(self.text(template, here=here, **linked, **shown), status_code=status)

    @staticmethod
    def _linked(request: Request) -> dict[str, str]:
        """Return template variables for a link from a newer version, or none for another URL.

        They are a note on the version, and the link without its versions and figures.
        """
        query = request.scope["query_string"].decode("latin-1")
        if "made=" not in query or not (newer := of_newer(made_with(query), catalogue())):
            return {}
        own = "&".join(each for each in query.split("&") if not each.startswith(("made=", FIGURES)))
        return {"newer": newer, "anew": f"{request.url.path}?{own}"}

    def refused(self, request: Request, error: RequestRefusedError, **form: Any) -> Response:
        """Return a page with all faults of a request, or a page that waits for its calculation.

        If ``again`` is among the variables, it names the template of a form to show again.
        """
        if error.calculation is not None:
            return self._at_work(request, error.calculation)
        heading = _HEADINGS.get(error.status, "This cannot be answered")
        shown = {"heading": heading, "faults": error.faults, "nearest": request.url.path, **form}
        shown["word"] = _word(shown["nearest"])
        return self.page(request, "faults.html.j2", status=error.status, **shown)

    def film(
        self,
        request: Request,
        filmed: tuple[str, str, Markup],
        stem: str,
        back: str,
        label: str,
        note: str = "",
    ) -> Response:
        """Return a film as a page or, for a path that ends in ``.html``, as a download.

        ``stem`` is the name of the downloaded file without its ending; ``back`` and ``label`` are
        the address and the text of the page's link back. ``filmed`` contains the title, the side
        and the film, and ``note`` is a warning about the game's journal.
        """
        title, side, film = filmed
        if request.url.path.endswith(".html"):
            return download(one_file(title, side, film), "text/html", f"{stem}.html")
        shown: dict[str, Any] = {
            "title": title,
            "side": side,
            "film": film,
            "file": f"{request.url.path}.html",
        }
        return self.page(request, "film.html.j2", back=back, label=label, note=note, **shown)

    def _at_work(self, request: Request, work: Calculation) -> Response:
        """Return a page that reloads itself until the answer has been computed.

        It offers to cancel only if the browser has sent its session cookie, and so will send it
        again.
        """
        again = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        known = VISITOR_COOKIE in request.cookies
        response = self.page(
            request,
            "at_work.html.j2",
            status=202,
            work=work,
            known=known,
            again=again,
            carried=carried(request.url.query),
        )
        response.headers["refresh"] = "1"
        response.headers["cache-control"] = "no-store"
        return response


def _word(address: str) -> str:
    """Return the name by which links refer to a page of the studio, or "" for the front page."""
    place, _, last = address.rpartition("/")
    if place.endswith("/seat"):
        return f"the {capitalized(last)} seat"
    return NAVIGATION.get(address) or last


def _coded(text: str) -> Markup:
    """Return docstring text as markup, with text in double backticks as code."""
    parts = [
        f"<code>{escape(part)}</code>" if number % 2 else escape(part)
        for number, part in enumerate(text.split("``"))
    ]
    return Markup("").join(map(Markup, parts))


def static_files() -> Mapping[str, tuple[bytes, str]]:
    """Return the content and media type of each style sheet, script and icon, by file name."""
    style = f"{page_style()}.curve, svg.sign, svg.share{{{DARK_RULES}}}\n".encode()
    kinds = {
        "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8",
        "svg": "image/svg+xml",
    }
    return {
        file.name: (
            (style if file.name == "studio.css" else b"") + file.read_bytes(),
            kinds[file.name.rpartition(".")[2]],
        )
        for file in files("fireplan_studio").joinpath("static").iterdir()
        if file.name.rpartition(".")[2] in kinds
    }


def download(body: str | bytes, kind: str, name: str) -> Response:
    """Return a response that downloads a file, with a hash of its content in the file name."""
    content = body.encode() if isinstance(body, str) else body
    mark = hashlib.sha256(content).hexdigest()[:12]
    stem, dot, end = name.rpartition(".")
    headers = {"content-disposition": f'attachment; filename="{stem}-{mark}{dot}{end}"'}
    return Response(content, media_type=kind, headers=headers)


async def form_of(request: Request, longest: str = "order_characters") -> dict[str, str]:
    """Return the fields of a submitted form, by name.

    Raises ``RequestRefusedError`` if the form cannot be read, repeats a field, or exceeds a limit.
    ``longest`` names the limit on the length of a value.
    """
    most = LIMITS["fields"].most
    try:
        pairs = parse_qsl(
            (await request.body()).decode("utf-8"),
            keep_blank_values=True,
            errors="strict",
            max_num_fields=most,
        )
    except (ValueError, ClientDisconnect):
        raise RequestRefusedError(
            400, f"This form cannot be read, or has over {most} fields (limit fields)."
        ) from None
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise RequestRefusedError(400, f"This form has the field {repeated[:40]!r} more than once.")
    if reason := over(longest, max((len(text) for pair in pairs for text in pair), default=0)):
        raise RequestRefusedError(400, reason)
    return fields


# --- shared by all pages --------------------------------------------------------------------------
class Studio:
    """The state shared by all pages: settings, games, workers, templates and tables."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.pages = Pages()
        self.static = static_files()
        self.jobs: Answers = AnswersInOneThread() if settings.in_one_thread else Jobs()
        self.catalogue = catalogue()
        self.sessions = Sessions(
            settings.tables, self.catalogue, in_one_thread=settings.in_one_thread
        )
        self.usual = default_games(self.catalogue)
        self.titles = {key: entry.game.title for key, entry in self.catalogue.games.items()}
