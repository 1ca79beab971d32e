"""The design page: a sheet as a form and as text, with its figures beside the chosen games.

The text of the sheet is authoritative; ``design_form`` makes the form from it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
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
from fireplan.errors import InputError
from fireplan.questions.compare import ComparisonResult
from fireplan.questions.result import Result
from fireplan_core.files import Fault, FileError
from fireplan_studio.addresses import Parameters, address, differs, remembered
from fireplan_studio.answers import PATIENCE
from fireplan_studio.charts import delivery
from fireplan_studio.copies import deflated, inflated, short
from fireplan_studio.design_form import LISTS, NAMED, SHEET, SheetForm, changed
from fireplan_studio.figures import comparison_rows
from fireplan_studio.limits import LIMITS, over
from fireplan_studio.pages import Studio
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.work import Designed, Entrant, Lived, Trial

PATH = "/design"
LONGEST_LINK = 8000
"""Maximum number of characters in a link that other programs pass on without cutting it."""
BLANK = "blank"
_BEGIN = "radio_and_scatter"
_HARM = "target_severity"
_PATIENT = LIMITS["job_seconds"].most
"""Seconds to wait for the answer to a form that cannot be sent again."""


@attrs.frozen(kw_only=True)
class Design:
    """A sheet, the engagement that it is tried in, and the games compared with it."""

    text: str
    engagement: str = DEFAULT
    games: tuple[str, ...] = ()
    harm: bool = False
    """True if the effect on the target is worked out too."""
    seed: int = 1
    made: tuple[str, ...] = ()

    @property
    def settings(self) -> dict[str, Any]:
        """Return every setting except the sheet as parameters of a link."""
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


class DesignPage:
    """The routes under ``/design``."""

    def __init__(self, studio: Studio) -> None:
        self._studio = studio

    async def page(self, request: Request) -> Response:
        """Return the page of a sheet template, or for a link the page that reads the linked sheet.

        The sheet of a link follows its ``#``, which no server sees.
        """
        parameters = Parameters(request.scope["query_string"])
        known = (BLANK, *sheets.sheet_templates())
        begun = parameters.choice("template", known, _BEGIN)
        linked = parameters.flag("linked")
        text = (
            sheets.BLANK if begun == BLANK else sheets.sheet_templates()[begun].read_text("utf-8")
        )
        design = self._read(parameters, text)
        parameters.done()
        if linked:
            return self._shown(request, design, waits=True)
        return await self._answered(request, design, ())

    async def change(self, request: Request) -> Response:
        """Apply the changes of a form to its sheet, and return the sheet's page.

        Raises ``RequestRefusedError`` if the form cannot be read.
        """
        try:
            body = (await request.body()).decode("utf-8")
        except (ValueError, ClientDisconnect):
            raise RequestRefusedError(400, "This form cannot be read.") from None
        parameters = Parameters(body, "file_characters")
        design = self._read(parameters, _text_of(parameters))
        soon, mission = parameters.flag("soon"), parameters.flag("mission")
        wrong: tuple[Fault, ...] = ()
        text = design.text
        try:
            text = changed(text, parameters)
        except FileError:
            pass  # reported with the other faults of the sheet
        except InputError as error:
            wrong = tuple(Fault(line, file=SHEET) for line in error.faults)
        parameters.others()
        parameters.done()
        design = attrs.evolve(design, text=text)
        if mission:
            lived = await self._lived(design, PATIENCE)
            return self._studio.pages.page(request, "mission.html.j2", design=design, lived=lived)
        if not soon:
            return await self._answered(request, design, wrong)
        # The page requests the life of a mission after it has shown the figures.
        answer, comparison = await self._worked_out(design, PATIENCE)
        return self._shown(request, design, answer, comparison, wrong)

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
        self,
        request: Request,
        design: Design,
        wrong: tuple[Fault, ...],
    ) -> Response:
        """Return the page with all results of a sheet, or with all its faults.

        This waits as long as a job may take, because a page without scripts cannot send its form
        again.
        """
        answer, comparison = await self._worked_out(design)
        worked_out = comparison is not None and answer.key not in comparison.cannot
        lived = await self._lived(design) if worked_out else None
        return self._shown(request, design, answer, comparison, wrong, lived)

    async def _lived(self, design: Design, patience: float = _PATIENT) -> Lived:
        """Return the life of a sheet's missions, and the story of one."""
        jobs, trial = self._studio.jobs, self._trial(design)
        jobs.leave("lived", {("lived", (trial,))})
        lived: Lived = await jobs.answer("lived", trial, patience=patience)
        return lived

    @staticmethod
    def _trial(design: Design) -> Trial:
        return Trial(design.text, find_engagement(design.engagement), design.harm, design.seed)

    async def _worked_out(
        self, design: Design, patience: float = _PATIENT
    ) -> tuple[Designed, Comparison | None]:
        """Return a sheet's results, and its comparison with the other games.

        The comparison is None if the sheet has no answers.
        """
        jobs, trial = self._studio.jobs, self._trial(design)
        jobs.leave("designed", {("designed", (trial,))})
        answer: Designed = await jobs.answer("designed", trial, patience=patience)
        if answer.comparison is None:
            return answer, None
        titles = self._studio.titles
        others = await jobs.answers(
            "compared",
            [
                (trial.engagement, (Entrant(key, key, titles[key], harm=design.harm),))
                for key in design.games
                if key != answer.key
            ],
            patience,
        )
        return answer, _with_others(answer.comparison, others, titles)

    def opened(self, query: str, fragment: str) -> tuple[Result, str]:
        """Return the comparison in a link, and a sentence on how its figures have changed.

        Raises ``RequestRefusedError`` listing the faults of the sheet.
        """
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
        lived: Lived | None = None,
        *,
        waits: bool = False,
    ) -> Response:
        faults = (*wrong, *(answer.faults if answer else ()))
        try:
            form: SheetForm | None = None if waits else SheetForm(design.text, faults)
        except FileError:
            form = None
        shown: dict[str, Any] = {
            "design": design,
            "answer": answer,
            "comparison": comparison,
            "lived": lived,
            "faults": faults,
            "form": form,
            "waits": waits,
            "own_link": "" if waits else design.link(design.made),
            "begins": (BLANK, *sheets.sheet_templates()),
            "games": self._studio.titles,
            "engagements": list(shipped_engagements()),
            "lists": (*LISTS, *NAMED),
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
            ["Figure", *(game.title for game in comparison.games.values())],
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
    """Return the text of the sheet that a form sends, as plain text or packed as in a link."""
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


def _with_others(
    own: Comparison, others: Iterable[Comparison], installed: Mapping[str, str]
) -> Comparison:
    """Return one comparison with all columns of ``own``, a sheet's comparison, and of ``others``.

    ``installed`` maps the keys of the installed games to their titles.
    """
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
