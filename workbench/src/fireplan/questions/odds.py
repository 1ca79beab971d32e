"""Questions about the odds of one table: unchanged, and with numbers changed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from fireplan import analysis
from fireplan import solver as solving
from fireplan.analysis import GameAnswer
from fireplan.errors import (
    FLAGS,
    argument_name,
    besides,
    gathered,
    refuse,
)
from fireplan.questions import opening
from fireplan.questions.changes import Changed, Changes
from fireplan.questions.compare import (
    ComparisonResult,
    compared_games,
    orders_by_game,
    with_orders,
)
from fireplan.questions.from_position import FromPosition
from fireplan.questions.odds_results import OddsResult, SampledOdds, SampledWhatIf, WhatIfResult
from fireplan.questions.opening import LONGEST, titled
from fireplan.questions.question import Begin, asks, at_once
from fireplan.questions.refusing import following, refusing
from fireplan.questions.sampling import Sample, asks_sample, asks_seed
from fireplan.questions.shared_arguments import CONDITION, asks_house_rules
from fireplan.strategies import scenario_under, unfit
from fireplan.table import source_of
from fireplan_core import Engagement
from fireplan_core.play import Catalogue, Variation


class Odds(FromPosition["OddsResult | SampledOdds"]):
    """Solve a scenario exactly under the standard doctrine: every figure of the comparison.

    For a position (a line, or a point in a journal or playthrough), and with a time or a condition,
    only what happens from that point on counts.
    """

    key = "odds"
    example = """
        >>> village = fp.odds('asl/village', moments=3)
        >>> village.answer.measures['delivered'].value
        Fraction(114502219, 155889360)
    """
    estimated = True
    sooner = "add --float, or watch fewer moments"

    moments: int | None = asks(
        "Watch for this many moments instead of the scenario's own.",
        range=(1, LONGEST),
        unit="moments",
    )
    by: str | None = asks(
        "Up to the end of a moment, by its name ('turn 4') or as a number of moments since the"
        " opening."
    )
    given: tuple[str, ...] | Mapping[str, Any] = asks(CONDITION, ())
    sample: int = asks_sample(
        "Sample this many trajectories by the rules, step by step, instead of solving exactly; shares"
        " come with their standard errors. A table that is too large to solve is sampled in any case"
        " (up to 1,000 trajectories), and the answer says so."
    )
    seed: int = asks_seed()
    floats: bool = asks(
        "Compute in floating point: faster over many moments, equal except for rounding, and labelled as not exact.",
        False,
        option="--float",
    )
    house_rules: tuple[str | ModuleType, ...] = asks_house_rules()

    def answer(self) -> OddsResult | SampledOdds:
        """Return the odds, sampled on request or if a table is too large to be solved exactly.

        A position is sampled on request only. Raise ``InputError`` listing every fault.
        """
        if self.by is not None or self.given or self.from_position:
            return self._of_position()
        # A requested sample is to check the exact answer, so it runs the rules and uses no results
        # of the solver.
        drawn = Sample(self.sample, self.seed, "rules")
        installed = self.catalogue or opening.catalogue_for(self.scenario, self.game)
        faults: list[str] = []
        if self.sample and self.floats:
            faults.append(
                f"{argument_name('sample')} and {argument_name('floats')} cannot be combined; choose one."
            )
        rules = gathered(faults, opening.house_rules, self.house_rules) or ()
        table = gathered(
            faults, opening.opened, installed, self.scenario, self.game, rules, None, self.facts
        )
        scenario: Any = None if faults else gathered(faults, scenario_under, table[1], self.orders)
        refuse(faults)
        head, _, own = table
        name, last, why, solvable = titled(scenario.title, rules), self.moments or own, "", 0
        if not drawn.trajectories:
            try:
                with refusing("solved"), following(scenario, partial(source_of, head)):
                    solved = solving.Analysis(scenario, last, exact=not self.floats)
                    solving.announce(
                        solved, self.begin, lambda moments: f"{argument_name('moments')}={moments}"
                    )
                    answer = analysis.answer(
                        installed[head.game].game, solved, lambda what: self.progress(4, what)
                    )
                whole = attrs.evolve(answer, title=titled(answer.title, rules))
                return OddsResult(name, whole)
            except solving.TooLargeError as error:
                drawn, why, solvable = drawn.or_advised(), str(error), error.moments
        with following(scenario, partial(source_of, head)):
            walked = drawn.walked(scenario, last, self.progress)
        drawn = attrs.evolve(drawn, trajectories=walked[2])
        return SampledOdds(
            name,
            last,
            drawn,
            *walked,
            rests_on=scenario.provenance,
            why=why,
            solvable=solvable,
        )

    def _of_position(self) -> OddsResult | SampledOdds:
        from fireplan.questions.conditions import read_conditions

        unfit = {"moments": self.moments, "floats": self.floats, "house_rules": self.house_rules}
        faults = [
            f"{argument_name(name)} does not apply to a position; {argument_name('by')} sets the time."
            for name, value in unfit.items()
            if value
        ]
        conditions: Any = gathered(faults, read_conditions, self.given)
        position = self.position(faults)
        conditioned: Any = gathered(faults, lambda: position.given(**dict(conditions or ())))
        under: Any = position if conditioned is None else conditioned
        drawn = {"sample": self.sample, "seed": self.seed} if self.sample else {}
        with besides(faults):
            result: OddsResult | SampledOdds = under.odds(self.by, begin=self.begin, **drawn)
        return result


class WhatIf(Changed["ComparisonResult | WhatIfResult | SampledWhatIf"]):
    """Change numbers, options or charts of a game and compare before and after, exactly.

    If only orders are given, they are compared with the standard ones; together with other changes,
    they apply both before and after.
    """

    key = "whatif"
    example = """
        >>> worse = fp.whatif('asl/ridge', set={'asl.radio_contact[german]': 7}, minutes=10)
        >>> worse.after.measures['delivered'].value < worse.before.measures['delivered'].value
        True
    """
    estimated = True
    sooner = "watch fewer minutes"

    scenario: str | Path | Engagement | None = asks(
        "A shipped scenario (game/name) or a scenario file; else an engagement, shipped or your own;"
        " woods by default.",
        placed=True,
        named="position",
    )
    games: tuple[str, ...] | None = asks("Also show these games as printed.")
    sample: int = asks_sample(
        "Sample this many trajectories of a scenario before and after instead of solving exactly."
    )

    def answer(self) -> ComparisonResult | WhatIfResult | SampledWhatIf:
        """Return the comparison of before and after."""
        name, installed = self.scenario, self.catalogue or opening.catalogue()
        drawn, changes = Sample(self.sample, self.seed), self.changes()
        if not isinstance(name, str | Path) or not opening.is_scenario(installed, str(name)):
            sampling = (
                "'fireplan odds --game KEY --sample N'"
                if FLAGS.get()
                else "odds(game=..., sample=...)"
            )
            wrong = f"{argument_name('sample')} is for scenarios; {sampling} samples an engagement."
            with besides([wrong] if self.sample else []):
                return self._games(installed, changes)
        faults: list[str] = []
        orders_alone = bool(self.orders.rules) and changes.nothing
        changed = {} if orders_alone else changes.some(installed, faults)
        setting = gathered(
            faults,
            opening.setting_of,
            installed,
            str(name),
            None,
            self.minutes,
            facts=self.facts,
            changed=changed.values(),
        )
        if setting is not None:
            also = (
                []
                if self.games is None
                else gathered(faults, opening.known_games, installed, self.games) or []
            )
            named = [] if changes.general else [*changed]
            if foreign := [key for key in dict.fromkeys((*named, *also)) if key != setting.game]:
                faults.append(
                    f"{setting.name} is a scenario of {setting.game};"
                    f" {', '.join(foreign)} is not part of it."
                )
        refuse(faults)
        under_orders = setting.under(self.orders)
        before = setting if orders_alone else under_orders
        variation = changed.get(setting.game, Variation())
        return self._scenario(before, under_orders, variation, drawn)

    def _games(self, installed: Catalogue, changes: Changes) -> ComparisonResult:
        """Return a comparison of each changed game with the printed game.

        Other games asked for are shown as printed. The question's orders are given in all games,
        but if nothing else is changed, only in the changed games. Raise ``InputError`` listing
        every fault.
        """
        faults: list[str] = []
        watched = gathered(
            faults, opening.engagement_named, self.scenario, self.facts, self.minutes
        )
        given: Any = gathered(faults, orders_by_game, installed, self.orders)
        orders_alone = bool(self.orders.rules) and changes.nothing
        changed = (
            dict.fromkeys(given or (), Variation())
            if orders_alone
            else changes.some(installed, faults)
        )
        shown = (
            []
            if self.games is None
            else gathered(faults, opening.known_games, installed, self.games)
        )
        refuse(faults)
        if changes.general and shown and not orders_alone:
            changed = {key: changed[key] for key in shown}
        entrants = []
        keys = [key for key in installed.games if key in (*shown, *changed)]
        printed = analysis.contenders(installed, keys)
        for plain, under_orders in zip(printed, with_orders(printed, given), strict=True):
            entrants.append(plain if orders_alone else under_orders)
            if plain.game in changed:
                variation = changed[plain.game]
                changed_title = "" if orders_alone else ", changed"
                title = titled(f"{under_orders.title}{changed_title}", variation.rules)
                entrants.append(
                    attrs.evolve(
                        under_orders, name=f"{plain.name}*", title=title, variation=variation
                    )
                )
        answer = compared_games(
            watched,
            installed,
            entrants,
            self.progress,
            self.begin,
            required={f"{key}*" for key in changed},
        )
        pairs = tuple((key, f"{key}*") for key in changed)
        return ComparisonResult(answer, pairs, facts=self.facts)

    def _scenario(
        self,
        before_orders: analysis.Setting,
        setting: analysis.Setting,
        variation: Variation,
        drawn: Sample,
    ) -> WhatIfResult | SampledWhatIf:
        """Return the odds of a scenario before and after its changes, exact or sampled.

        The odds are sampled on request, or if the scenario is too large. ``before_orders`` is the
        setting with the orders that apply before the changes. If the unchanged file is refused, the
        changes also apply to the odds before.
        """
        why, solvable, refused = "", 0, str(setting.refused or "")
        plain = variation if setting.refused else Variation()
        if not drawn.trajectories:
            try:
                with refusing("solved exactly"):
                    both: Begin = lambda seconds: self.begin(2 * seconds)  # noqa: E731
                    before = self._answer(before_orders, plain, both)
                    after = self._answer(setting, variation)
                return WhatIfResult(
                    setting.name, setting.title, setting.game, variation, before, after, refused
                )
            except solving.TooLargeError as error:
                why, solvable = str(error), error.moments
                drawn = drawn.or_advised()
        with refusing("sampled"):
            laid = [before_orders.stage(plain), setting.stage(variation)]
            _, one, size = drawn.walked(laid[0], setting.moments(laid[0]), self.progress)
            drawn = Sample(size, drawn.seed, drawn.engine)
            _, other, _ = drawn.walked(laid[1], setting.moments(laid[1]), self.progress)
        return SampledWhatIf(
            setting.title, drawn, variation, one, other, why=why, solvable=solvable, refused=refused
        )

    def _answer(
        self, setting: analysis.Setting, variation: Variation, begin: Begin = at_once
    ) -> GameAnswer:
        """Return the exact answer of a scenario with a variation."""
        scenario = setting.stage(variation)
        solved = solving.Analysis(scenario, setting.moments(scenario))
        minutes = scenario.clock.minutes
        solving.announce(
            solved, begin, lambda fewer: f"{argument_name('minutes')}={int(fewer * minutes)}"
        )
        answer = analysis.answer(
            setting.catalogue[setting.game].game, solved, lambda what: self.progress(8, what)
        )
        refuse(unfit(scenario))
        return answer
