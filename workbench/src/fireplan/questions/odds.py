"""Odds through the front door: one scenario solved or sampled, changed, and the numbers that move it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import attrs

from fireplan import analysis
from fireplan import solver as solving
from fireplan.analysis import GameAnswer
from fireplan.questions import opening
from fireplan.questions.changes import Changes, Named, overlays
from fireplan.questions.compare import (
    ComparisonResult,
    changed_rows,
    delivery_chart,
    whatif_games,
    yardsticks,
)
from fireplan.questions.errors import (
    FLAGS,
    argument,
    besides,
    gathered,
    in_moments,
    outside,
    refuse,
    refusing,
)
from fireplan.questions.opening import LONGEST, titled
from fireplan.questions.result import Block, Grid, Listing, Result, Text
from fireplan.questions.sampling import Begin, Progress, Sample, Shares, at_once, silent
from fireplan_core import Engagement
from fireplan_core.play import Catalogue, Variation


# --- results --------------------------------------------------------------------------------------
@attrs.frozen(eq=False, repr=False)
class OddsResult(Result):
    """One table solved: every yardstick, in ``answer``; exact unless floats were asked for.

    Of a position also its ``line`` and ``until`` when, and of a condition what is given and the
    chance of that; minutes are counted from the position.
    """

    title: str
    answer: GameAnswer
    line: str = ""
    until: str = ""
    condition: str = ""
    condition_chance: Fraction = Fraction(1)

    @property
    def curve(self) -> list[tuple[Fraction, Fraction]]:
        """Return minutes, of a position from there on, each with the chance that fire has been delivered by then."""
        return self.answer.delivery

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield the position, what is given, the yardsticks and what they rest on."""
        if self.line:
            yield Text(self.line, wrap=False)
            yield Text(f"To the end of {self.until}; minutes are counted from the position.", "dim")
        if self.condition:
            yield Text(
                f"Given {self.condition}, of which the chance is {analysis.percent(self.condition_chance)}."
            )
        kind = "every probability is exact" if self.answer.exact else "floats, not exact"
        answer = self.answer
        yield Text(self.title, "bold")
        yield Text(f"{answer.watched}; {answer.states:,} states; {kind}.", "dim")
        yield yardsticks([answer], bars=True)
        if answer.notes:
            yield Listing("What the figures rest on", tuple(answer.notes))

    def to_dict(self) -> dict[str, Any]:
        """Return every yardstick, with the position and what is given.

        Probabilities are strings of exact rationals.
        """
        at = {"position": self.line, "until": self.until} if self.line else {}
        given = (
            {"given": self.condition, "chance_of_that": str(self.condition_chance)}
            if self.condition
            else {}
        )
        return {**at, **given, **analysis.answer_data(self.answer)}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each measure and value."""
        return analysis.answer_rows(self.answer)

    def chart(self) -> dict[str, Any]:
        """Return the delivery over time as a Vega-Lite chart."""
        return delivery_chart(self.title, [self.answer])


@attrs.frozen(eq=False, repr=False)
class SampledOdds(Result):
    """One table sampled: shares with their standard errors.

    ``why`` says why it was not solved, if it was to be.

    Of a position also its ``line``, and of a condition what is given; ``kept`` is how many
    trajectories meet it.
    """

    title: str
    moments: int
    sample: Sample
    walked: str
    shares: Shares
    kept: int
    rests_on: tuple[str, ...] = ()
    line: str = ""
    condition: str = ""
    why: str = ""
    solvable: int = 0

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield every share with its standard error."""
        drawn = f"{self.sample.trajectories:,} trajectories of {in_moments(self.moments)}, seed {self.sample.seed}"
        yield Text(f"{self.title}: sampled, {drawn}", wrap=False)
        if self.line:
            yield Text(f"  from: {self.line}", wrap=False)
        yield Text(f"  walked: {self.walked}", wrap=False)
        if self.condition:
            yield Text(f"  given {self.condition}: {self.kept:,} trajectories meet it", wrap=False)
        for label, (share, error) in self.shares.items():
            yield Text(f"  {label}: {share:.1%} (standard error {error:.1%})", wrap=False)
        for note in self.rests_on:
            yield Text(f"  rests on: {note}", wrap=False)

    def to_dict(self) -> dict[str, Any]:
        """Return every share with its standard error."""
        drawn = {"trajectories": self.sample.trajectories, "kept": self.kept, "walked": self.walked}
        asked = {
            name: text
            for name, text in (("position", self.line), ("given", self.condition))
            if text
        }
        measures = analysis.sampled_measures(self.shares)
        return {
            "exact": False,
            **asked,
            **drawn,
            "measures": measures,
            "rests_on": list(self.rests_on),
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each measure."""
        return [
            {"measure": name, **one} for name, one in analysis.sampled_measures(self.shares).items()
        ]


@attrs.frozen(eq=False, repr=False)
class WhatIfResult(Result):
    """A scenario before and after a change, both solved.

    Where the file is ``refused`` as it is, both have the change.
    """

    name: str
    title: str
    game: str
    variation: Variation
    before: GameAnswer
    after: GameAnswer
    refused: str = ""

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield the yardsticks before and after; what differs stands out."""
        if self.refused:
            yield Text(
                f"As written it is refused, so that both columns have the change: {self.refused}"
            )
        yield Text(titled(self.title, self.variation.rules), "bold")
        yield Text(f"{self.before.watched}; every probability is exact.", "dim")
        yield from changed_rows(self.before, self.after)

    def to_dict(self) -> dict[str, Any]:
        """Return what is changed and both answers; the key of the changed game ends with ``*``."""
        printed = {} if self.refused else {self.game: analysis.answer_data(self.before)}
        return {
            "scenario": {"name": self.name, "title": self.title},
            "changed": overlays(self.variation),
            "games": {**printed, f"{self.game}*": analysis.answer_data(self.after)},
        }

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each yardstick, as it is read: before, after, difference."""
        return [attrs.asdict(change) for change in analysis.changes(self.before, self.after)]

    def chart(self) -> dict[str, Any]:
        """Return the delivery over time, before and after, as a Vega-Lite chart."""
        before, after = (
            attrs.evolve(self.before, title="before"),
            attrs.evolve(self.after, title="after"),
        )
        return delivery_chart(self.title, [before, after])


@attrs.frozen(eq=False, repr=False)
class SampledWhatIf(Result):
    """A scenario before and after a change, both sampled on the same seed.

    ``why`` as of ``SampledOdds``.
    """

    title: str
    sample: Sample
    variation: Variation
    before: Shares
    after: Shares
    why: str = ""
    solvable: int = 0
    refused: str = ""

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield shares before and after with their standard errors."""
        if self.refused:
            yield Text(
                f"As written it is refused, so that both columns have the change: {self.refused}"
            )
        title = titled(self.title, self.variation.rules)
        yield Text(
            f"{title}: sampled, {self.sample.trajectories:,} trajectories each, seed {self.sample.seed}",
            "bold",
        )
        shown = []
        for row in self.rows():
            apart = (row["before_error"] ** 2 + row["after_error"] ** 2) ** 0.5
            difference = f"{(row['after'] - row['before']) * 100:+.1f} ± {apart * 100:.1f} points"
            before, after = (
                f"{row[name]:.1%} ± {row[f'{name}_error']:.1%}" for name in ("before", "after")
            )
            shown.append((row["what"], before, after, difference))
        yield Grid(("", "before", "after", "difference"), tuple(shown))
        yield Text("± standard errors", "dim")

    def to_dict(self) -> dict[str, Any]:
        """Return what is changed and every share before and after."""
        data = {
            "exact": False,
            "trajectories": self.sample.trajectories,
            "changed": overlays(self.variation),
        }
        return data | {"sampled": {row.pop("what"): row for row in self.rows()}}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each thing that is counted."""
        names = ("what", "before", "before_error", "after", "after_error")
        both = zip(self.before.items(), self.after.values(), strict=True)
        return [
            dict(zip(names, (what, *pair, *after), strict=True)) for (what, pair), after in both
        ]


# --- questions ------------------------------------------------------------------------------------
def odds(  # noqa: PLR0913 - what is solved and how
    scenario: str | None = None,
    *,
    game: str | None = None,
    moments: int | None = None,
    sample: int = 0,
    seed: int = 1,
    exact: bool = True,
    house_rules: Iterable[Any] | None = None,
    catalogue: Catalogue | None = None,
    progress: Progress = silent,
    begin: Begin = at_once,
    **facts: Any,
) -> OddsResult | SampledOdds:
    """Solve a scenario exactly under the standard doctrine: every yardstick of the comparison, for one table.

    :param game: Solve an engagement with this game.
    :param moments: Watch so many moments instead of the scenario's own.
    :param sample: Sample so many trajectories by the rules, step by step, instead of solving exactly; shares come with
        their standard error. A table that is too large to be solved is sampled in any case (up to 1,000), and says so.
    :param exact: Without it chances are carried in floats.
    :raises InputError: With everything that is wrong.
    """
    # Who asks for a sample checks the exact answer: the rules are walked, nothing of what the
    # solver found.
    installed, drawn = (
        catalogue or opening.catalogue_for(scenario, game),
        Sample(sample, seed, "rules"),
    )
    faults = outside("moments", moments, 1, LONGEST) + drawn.faults()
    if sample and not exact:
        floats = "--float" if FLAGS.get() else "exact=False"
        faults.append(f"{argument('sample')} and {floats} cannot both be; choose one.")
    laid = gathered(faults, opening.house_rules, house_rules) or ()
    table = gathered(faults, opening.opened, installed, scenario, game, laid, None, facts)
    refuse(faults)
    head, found, own = table
    title, last, why, solvable = titled(found.title, laid), moments or own, "", 0
    if not drawn.trajectories:
        try:
            with refusing("solved"):
                solved = solving.Analysis(found, last, exact=exact)
                begin(solved.seconds)
                answer = analysis.answer(
                    installed[head.game].game, solved, lambda what: progress(4, what)
                )
            return OddsResult(title, attrs.evolve(answer, title=titled(answer.title, laid)))
        except solving.TooLargeError as error:
            drawn, why, solvable = drawn.for_want(), str(error), error.moments
    walked = drawn.walked(found, last, progress)
    drawn = attrs.evolve(drawn, trajectories=walked[2])
    return SampledOdds(
        title, last, drawn, *walked, rests_on=found.provenance, why=why, solvable=solvable
    )


def whatif(  # noqa: PLR0913 - what is changed
    name: str | Path | Engagement | None = None,
    *,
    set: Named = None,  # noqa: A002 - as on the command line
    option: Named = None,
    chart: Named = None,
    house_rules: Iterable[Any] | None = None,
    games: str | Iterable[str] | None = None,
    minutes: int | None = None,
    sample: int = 0,
    seed: int = 1,
    catalogue: Catalogue | None = None,
    progress: Progress = silent,
    **facts: Any,
) -> ComparisonResult | WhatIfResult | SampledWhatIf:
    """Change numbers, options or charts of a game and see before and after side by side, exactly.

    :param name: A shipped scenario (game/name) or a scenario file; else an engagement, shipped or your own; woods by
        default.
    :param set: GAME.NUMBER=VALUE, any number of them: 'GAME.limit=7', 'GAME.chart[column][row]=ENTRY'; a name
        without its keys means all under it. 'fireplan numbers GAME' lists them.
    :param option: GAME.NAME=VALUE, any number of them; 'fireplan games --json' lists a game's options and their values.
    :param chart: GAME.NAME=FILE: a chart of your own in place of the shipped one, any number of them.
    :param games: Also show these games as printed.
    :param minutes: Watch for so many minutes instead of its own.
    :param sample: Of a scenario, or of a ranking: sample so many trajectories before and after instead of solving
        exactly.
    :raises InputError: With everything that is wrong.
    """
    installed, drawn = catalogue or opening.catalogue(), Sample(sample, seed)
    changes = Changes(option, chart, set, house_rules or ())
    if not isinstance(name, str | Path) or not analysis.is_scenario(installed, str(name)):
        how = (
            "'fireplan odds --game KEY --sample N'" if FLAGS.get() else "odds(game=..., sample=...)"
        )
        wrong = (
            [f"{argument('sample')} is for scenarios; {how} samples an engagement."]
            if sample
            else []
        )
        with besides(wrong):
            return whatif_games(
                name,
                changes,
                games=games,
                minutes=minutes,
                catalogue=installed,
                progress=progress,
                facts=facts,
            )
    faults = drawn.faults()
    changed = changes.some(installed, faults)
    setting = gathered(
        faults,
        opening.setting_of,
        installed,
        str(name),
        None,
        minutes,
        facts=facts,
        changed=changed.values(),
    )
    if setting is not None:
        also = (
            [] if games is None else gathered(faults, opening.known_games, installed, games) or []
        )
        named = [] if changes.general else [*changed]
        if foreign := [key for key in dict.fromkeys((*named, *also)) if key != setting.game]:
            faults.append(
                f"{setting.name} is a scenario of {setting.game}; {', '.join(foreign)} has no part in it."
            )
    refuse(faults)
    return _whatif_scenario(setting, changed[setting.game], drawn, progress)


def _whatif_scenario(
    setting: analysis.Setting, variation: Variation, drawn: Sample, progress: Progress
) -> WhatIfResult | SampledWhatIf:
    """Answer a scenario before and after: exactly, or sampled where that is asked for or it is too large."""
    why, solvable, refused = "", 0, str(setting.refused or "")
    plain = variation if setting.refused else Variation()
    if not drawn.trajectories:
        try:
            with refusing("solved exactly"):
                before, after = (_answer(setting, one, progress) for one in (plain, variation))
            return WhatIfResult(
                setting.name, setting.title, setting.game, variation, before, after, refused
            )
        except solving.TooLargeError as error:
            why, solvable = str(error), error.moments
            drawn = drawn.for_want()
    with refusing("sampled"):
        laid = [setting.lay(one) for one in (plain, variation)]
        _, one, size = drawn.walked(laid[0], setting.moments(laid[0]), progress)
        drawn = Sample(size, drawn.seed, drawn.engine)
        _, other, _ = drawn.walked(laid[1], setting.moments(laid[1]), progress)
    return SampledWhatIf(
        setting.title, drawn, variation, one, other, why=why, solvable=solvable, refused=refused
    )


def _answer(setting: analysis.Setting, variation: Variation, progress: Progress) -> GameAnswer:
    scenario = setting.lay(variation)
    solved = solving.Analysis(scenario, setting.moments(scenario))
    return analysis.answer(
        setting.catalogue[setting.game].game, solved, lambda what: progress(8, what)
    )
