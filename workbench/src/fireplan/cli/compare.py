"""``fireplan compare``: one engagement answered by several games; and what other commands compare with it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import attrs

from fireplan import comparison as comparing
from fireplan import solver as solving
from fireplan.cli import _core as core
from fireplan.cli._app import BadInputError, gathered, outside, refuse, refusing, unwritable, write
from fireplan.cli._open import catalogue, engagement_named, house_rules, known_games, titled
from fireplan.cli._options import Csv, HouseRules, Minutes, Several
from fireplan.cli._print import Bar

LONGEST_WATCH = 24 * 60


def compare(  # noqa: PLR0913 - what is compared and how it is told
    engagement: str | None = None,
    /,
    *,
    games: Several = None,
    minutes: Minutes = None,
    json: bool = False,
    csv: Csv = False,
    picture: Path | None = None,
    explain: bool = False,
    rules: HouseRules = None,
) -> None:
    """Answer one engagement with every installed game, side by side.

    :param engagement: A shipped engagement (woods, dug_in, open_attack, strongpoint) or the path of your own file;
        woods by default.
    :param games: Only these games, by the keys that 'fireplan games' lists, separated by commas or spaces.
    :param json: Print JSON with exact rationals instead of the table.
    :param picture: Also draw footprints, first falls and delivery over time into this SVG file.
    :param explain: Also print what each yardstick means, with a figure of this comparison read aloud.
    """
    request = ComparisonRequest(engagement, minutes, picture, json, csv, explain)
    installed = catalogue()
    faults: list[str] = []
    gathered(faults, request.read)
    keys = gathered(faults, known_games, installed, games)
    laid = gathered(faults, house_rules, rules)
    refuse(faults)
    entrants = comparing.contenders(installed, keys)
    if laid:
        changed = core.Variation(rules=laid)
        entrants = tuple(
            comparing.Contender(f"{one.name}*", one.game, titled(one.title, laid), changed) for one in entrants
        )
    request.answer(installed, entrants)


@attrs.frozen(eq=False, repr=False)
class ComparisonRequest:
    """Say what is asked of a comparison: the engagement, how long, and how the answer is printed."""

    engagement: str | None
    minutes: int | None
    picture: Path | None = None
    json: bool = False
    csv: bool = False
    explain: bool = False

    def read(self) -> core.Engagement:
        """Return the engagement, watched for as long as asked; raise ``BadInputError`` with every fault of it all."""
        faults = outside("--minutes", self.minutes, 1, LONGEST_WATCH) + unwritable(self.picture)
        if self.json and self.csv:
            faults.append("--json and --csv cannot both be printed; choose one.")
        if self.explain and (self.json or self.csv):
            faults.append("--explain goes with the table alone; leave out --json and --csv.")
        engagement = gathered(faults, engagement_named, self.engagement)
        refuse(faults)
        return engagement if self.minutes is None else attrs.evolve(engagement, minutes=self.minutes)

    def solve(self, installed: core.Catalogue, entrants: Sequence[comparing.Contender]) -> comparing.Comparison:
        """Compare; raise ``TooLargeError`` where one cannot be solved, ``BadInputError`` for what cannot be asked."""
        engagement = self.read()
        with Bar(len(entrants) * 4) as bar, refusing():
            return comparing.compare(
                engagement, installed, entrants, lambda name, yardstick: bar.step(f"{name}: {yardstick}")
            )

    def answer(self, installed: core.Catalogue, entrants: Sequence[comparing.Contender]) -> comparing.Comparison:
        """Compare and print; raise ``BadInputError`` for what cannot be answered."""
        try:
            found = self.solve(installed, entrants)
        except solving.TooLargeError as error:
            raise BadInputError(f"This cannot be answered: {error}") from error
        self.print(found)
        return found

    def print(self, found: comparing.Comparison) -> None:
        """Print a comparison in the form asked for."""
        if self.picture is not None:
            write(self.picture, comparing.svg(found))
        if self.json:
            sys.stdout.write(comparing.as_json(found))
        elif self.csv:
            sys.stdout.write(comparing.as_csv(found))
        else:
            from fireplan.cli._yardsticks import print_comparison

            print_comparison(found, explain=self.explain)
            if self.picture is not None:
                sys.stdout.write(f"Picture: {self.picture}\n")
