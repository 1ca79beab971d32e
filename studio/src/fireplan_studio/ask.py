"""The pages under ``/ask``: positions, scenario files, sweeps, and playthroughs."""

from operator import itemgetter
from typing import Any
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from fireplan.questions.lines import MARK
from fireplan.questions.question import question_named
from fireplan.questions.result import Result
from fireplan.solver.best import MEASURES
from fireplan.table import shipped_playthroughs
from fireplan_core.play import shipped_scenarios
from fireplan_studio.addresses import Parameters, address
from fireplan_studio.answers import UNANSWERABLE
from fireplan_studio.front import shipped_example
from fireplan_studio.limits import LIMITS
from fireplan_studio.pages import Studio, form_of
from fireplan_studio.question_pages import QuestionPages, example_of, link_to
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.work import Said


class AskPages:
    """The routes under ``/ask``."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        self._example = shipped_example(studio.catalogue)

    def routes(self) -> list[Route]:
        """Return the routes of the pages under ``/ask``."""
        film = "/ask/playthroughs/{game}/{name}"
        pages = {
            "/ask": self.page,
            "/ask/sweep/{sweep}": self.sweep,
            f"{film}.html": self.replay,
            film: self.replay,
        }
        forms = {"/ask/file": self.judge, "/ask/sweep": self.plan}
        posted = (Route(path, form, methods=["POST"]) for path, form in forms.items())
        return [*posted, *(Route(path, page) for path, page in pages.items())]

    def _page(self, request: Request, *, status: int = 200, **shown: Any) -> Response:
        catalogue = self._studio.catalogue
        choices = {
            "scenarios": list(shipped_scenarios(catalogue)),
            "goals": MEASURES,
            "titles": self._studio.titles,
        }
        plays = list(shipped_playthroughs(catalogue))
        choices |= self._examples()
        return self._studio.pages.page(
            request, "ask.html.j2", status=status, plays=plays, **choices | shown
        )

    def _examples(self) -> dict[str, Any]:
        """Return template variables for the examples on the page.

        They are a scenario, the text of its file, a position, a film (URL and name), and the
        arguments and link of a question for the best orders. All but the last are empty if no game
        ships an example.
        """
        best = example_of(question_named("best"))
        if self._example is None:
            return {"scenario": "", "position": "", "file": "", "watch": (), "best": best}
        key, _, shown = self._example
        scenario = f"{key}/{shown.scenario}"
        file = shipped_scenarios(self._studio.catalogue)[scenario]
        text = file.read_text(encoding="utf-8")
        watch = f"/ask/playthroughs/{key}/{shown.film}", shown.film.replace("_", " ")
        examples = {"scenario": scenario, "position": shown.position, "file": text}
        return {**examples, "watch": watch, "best": best}

    async def page(self, request: Request) -> Response:
        """Return the page, or a redirect to the odds or the best orders of the typed position."""
        name, said, made, plan = self._read(request.scope["query_string"])
        if said:
            return RedirectResponse(link_to(name, said, made), status_code=303)
        return self._page(request, plan=plan)

    @staticmethod
    def _read(text: str | bytes) -> tuple[str, Said, list[str], str]:
        """Return a URL's question, its arguments and versions, and the text of a sweep's plan.

        There are no arguments if the URL names no position. The position line among the arguments
        begins with ``MARK``, so that it is never mistaken for the name of a file.
        """
        parameters = Parameters(text, "line_characters")
        line, by = parameters.text("line", ""), parameters.text("by", "")
        goal, made = parameters.choice("for", ("", *MEASURES), ""), parameters.lines("made")
        plan = parameters.text("plan", "")
        parameters.done()
        name, aim = ("best", ("goal", goal)) if goal else ("odds", ("by", by))
        said = (
            tuple(filter(itemgetter(1), (("line", MARK + line.removeprefix(MARK)), aim)))
            if line
            else ()
        )
        return name, said, made, plan

    def opened(self, text: str) -> tuple[Result, str]:
        """Return the answer to a link, and a comparison with the original answer."""
        name, said, made, _ = self._read(text)
        return QuestionPages.opened(name, urlsplit(link_to(name, said, made)).query)

    async def judge(self, request: Request) -> Response:
        """Return the page with a scenario file's faults next to its lines, or with its odds."""
        text = (await form_of(request, "file_characters")).get("text", "").replace("\r\n", "\n")
        faults, answer = await self._studio.jobs.answer(
            "judged", text, patience=LIMITS["job_seconds"].most
        )
        lines = text.split("\n") if faults else ()
        return self._page(
            request, text=text, faults=faults, lines=lines, judgement=answer, sound=not faults
        )

    async def plan(self, request: Request) -> Response:
        """Save the plan of a sweep and redirect to the page that solves it."""
        plan = (await form_of(request, "file_characters")).get("plan", "").replace("\r\n", "\n")
        folder = str(self._studio.settings.tables)
        try:
            sweep = await self._studio.jobs.answer(
                "planned", folder, plan, patience=LIMITS["job_seconds"].most
            )
        except RequestRefusedError as error:
            if error.status != UNANSWERABLE:
                raise
            return self._page(request, status=400, wrong=str(error).split("\n"), plan=plan)
        return RedirectResponse(f"/ask/sweep/{sweep}", status_code=303)

    async def sweep(self, request: Request) -> Response:
        """Solve the next points of a sweep; return a page with its progress or its final answer."""
        parameters = Parameters(request.scope["query_string"])
        point = parameters.whole("from", "sweep_points", 1)
        parameters.done()
        folder, sweep = str(self._studio.settings.tables), request.path_params["sweep"]
        plan, done, total, answer = await self._studio.jobs.answer("swept", folder, sweep, point)
        shown = {
            "done": done,
            "total": total,
            "answer": answer,
            "plan": plan,
            "link": address("/ask", {"plan": plan}),
        }
        page = self._studio.pages.page(
            request, "swept.html.j2", **shown, most=LIMITS["address_characters"].most
        )
        if not answer:
            page.headers["refresh"] = f"0; url={address(request.url.path, {'from': done + 1})}"
        return page

    async def replay(self, request: Request) -> Response:
        """Return the film of a playthrough, as a page or as a single file.

        Raises ``RequestRefusedError`` if no game ships a playthrough of this name.
        """
        Parameters(request.scope["query_string"]).done()
        name = "{game}/{name}".format(**request.path_params)
        if name not in shipped_playthroughs(self._studio.catalogue):
            raise RequestRefusedError(404, f"There is no playthrough {name[:60]!r}.")
        film = await self._studio.jobs.answer("filmed", name, "", 0)
        return self._studio.pages.film(
            request, film, name.replace("/", "-"), "/ask#playthroughs", "All playthroughs"
        )
