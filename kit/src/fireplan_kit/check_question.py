"""The question ``check``: which conformance checks a game passes."""

from __future__ import annotations

import shlex
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

import fireplan_kit as kit
from fireplan import sheets
from fireplan.errors import (
    InputError,
    argument_name,
    gathered,
    refuse,
    unknown,
)
from fireplan.questions.of_game import OfGame
from fireplan.questions.opening import engagement_named
from fireplan.questions.question import asks
from fireplan.questions.refusing import refusing
from fireplan.questions.result import Block, Result, Text
from fireplan_core.play import GROUP

MOST_SHOWN = 20


@attrs.frozen(eq=False, repr=False)
class CheckResult(Result):
    """The findings of the checks that ran, by check id, and the items that no check covered.

    ``unexamined`` contains the ids of checks that had nothing to examine; ``notes`` lists, by check
    id, the cases that were too large to compare; ``witnessed`` is a line that says how many rules
    have a worked example.
    """

    game: str
    findings: Mapping[str, list[kit.Finding]]
    unexamined: frozenset[str]
    uncovered: Mapping[str, list[str]]
    witnessed: str = ""
    notes: Mapping[str, tuple[str, ...]] = attrs.Factory(dict)

    @property
    def failure(self) -> str:
        """Return the reason for exit status 2, or "" if every check passed."""
        return "" if self.passed else f"{self.game} fails a check; see above"

    @property
    def passed(self) -> bool:
        """Return whether the checks found no flaws."""
        return not any(self.findings.values())

    def blocks(self) -> Iterator[Block]:
        """Yield each check's verdict and findings, then the items that no check covered."""
        for law in (law for law in kit.LAWS if law.id in self.findings):
            findings = self.findings[law.id]
            if findings:
                verdict = "failed"
            elif law.id in self.unexamined:
                verdict = "nothing to check:"
            else:
                verdict = "passed"
            yield Text(f"{verdict} {law.id}: {law.demand.splitlines()[0]}", wrap=False)
            yield from (
                Text(f"         {finding}", wrap=False) for finding in findings[:MOST_SHOWN]
            )
            if len(findings) > MOST_SHOWN:
                yield Text(f"         and {len(findings) - MOST_SHOWN} more", wrap=False)
            yield from (Text(f"         {note}", wrap=False) for note in self.notes.get(law.id, ()))
        for kind, names in self.uncovered.items():
            more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
            noun, blank, rest = kind.partition(" ")
            counted = kind if len(names) > 1 else noun.removesuffix("s") + blank + rest
            yield Text(
                f"not covered: {len(names)} {counted}: {', '.join(names[:MOST_SHOWN])}{more}",
                wrap=False,
            )
        if self.witnessed:
            yield Text(self.witnessed)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as data; ``checks`` has a row for every check, run or not."""
        uncovered = {kind: list(names) for kind, names in self.uncovered.items()}
        report = {"checks": self.rows(), "not_looked_at": uncovered, "witnessed": self.witnessed}
        return {"game": self.game, "passed": self.passed, **report}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each check: id, demand, findings, notes, and whether it ran.

        A check that had nothing to examine counts as not run.
        """
        return [
            {
                "id": law.id,
                "demand": law.demand,
                "made": law.id in self.findings and law.id not in self.unexamined,
                "findings": [
                    {
                        "text": finding.flaw.text,
                        "rule": finding.flaw.cite,
                        "command": finding.command,
                    }
                    for finding in self.findings.get(law.id, ())
                ],
                "notes": list(self.notes.get(law.id, ())),
            }
            for law in kit.LAWS
        ]


@attrs.frozen(eq=False, repr=False)
class Lines(Result):
    """Lines of text with a heading: the paths of written files, or a profile."""

    name: str
    lines: tuple[str, ...]

    def blocks(self) -> Iterator[Block]:
        """Yield each line as a block of text that is not wrapped."""
        yield from (Text(line, wrap=False) for line in self.lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the lines as a list, keyed by their heading."""
        return {self.name: list(self.lines)}


class Check(OfGame["CheckResult | Lines"]):
    """Run the conformance checks on a game and report each flaw with the rule it concerns."""

    key = "check"
    absent = {  # noqa: RUF012 - a fact of the class
        "page": "it runs the sources of a game for minutes",
        "tool": "it runs the sources of a game for minutes",
        "sweep": "it has no figures",
    }

    only: tuple[str, ...] = asks(
        "Run only these checks, by id (docs/reference/checks.md), e.g. L03-mass or L03.",
        (),
        placed=True,
    )
    engagement: str | None = asks(
        "The engagement to check on; by default a small one of the kit's own.", named="engagement"
    )
    perft: bool = asks(
        "Check nothing: rewrite the game's perft tables, which list what the next throws lead to"
        " (data/perft of its package).",
        default=False,
        local=True,
    )
    profile: bool = asks(
        "Check nothing: print how large the game is on the engagement, and which values and steps"
        " make it so.",
        default=False,
        local=True,
    )

    def answer(self) -> CheckResult | Lines:
        """Return the result of the checks, the paths that ``perft`` wrote, or the ``profile``.

        Raise ``InputError`` for options that exclude each other.
        """
        if self.perft and (self.only or self.engagement or self.profile):
            raise InputError(
                f"{argument_name('perft')} rewrites every table and checks nothing: leave out the other"
                " options."
            )
        if self.profile and self.only:
            raise InputError(
                f"{argument_name('profile')} checks nothing: leave out {argument_name('only')}."
            )
        if self.perft:
            return Lines("written", tuple(map(str, self._tables())))
        if self.profile:
            return Lines("profile", self._profile())
        return self._checked()

    def _checked(self) -> CheckResult:
        ids = [law.id for law in kit.LAWS]
        by_number = {each.partition("-")[0]: each for each in ids}
        only = tuple(by_number.get(name, name) for name in self.only)
        faults = [str(unknown("check", name, ids)) for name in only if name not in ids]
        loaded = gathered(faults, plugin, self.game)
        staged = gathered(faults, engagement_named, self.engagement) if self.engagement else None
        refuse(faults)
        more = f" --engagement {shlex.quote(self.engagement)}" if self.engagement else ""
        sheet = sheets.in_use().get(self.game)
        name = self.game if sheet is None else shlex.quote(str(sheet.path))
        by_check: dict[str, list[kit.Finding]] = {}
        unexamined = set[str]()
        notes: dict[str, tuple[str, ...]] = {}
        for law, findings in kit.examine(self.game, loaded, staged, only):
            by_check[law.id] = [attrs.evolve(finding, game=name, more=more) for finding in findings]
            if not law.examined:
                unexamined.add(law.id)
            notes[law.id] = law.notes
            self.progress(len(self.only or ids), law.id)
        uncovered, witnessed = (
            ({}, "")
            if self.only
            else (kit.uncovered(self.game, loaded, staged), kit.witnessed(self.game, loaded))
        )
        return CheckResult(self.game, by_check, frozenset(unexamined), uncovered, witnessed, notes)

    def _bench(self) -> kit.Bench:
        """Return a bench for an installed game; raise InputError if the game is not admitted."""
        plugin(self.game)
        installed = sheets.installed()
        if self.game not in installed.games:
            raise InputError(
                f"{self.game} is not admitted; run fireplan check {self.game} to see why"
            )
        engagement = engagement_named(self.engagement) if self.engagement else None
        with refusing(staging=f"{self.game} cannot stage the engagement"):
            return kit.Bench(installed, self.game, engagement)

    def _profile(self) -> tuple[str, ...]:
        bench = self._bench()
        with refusing("followed"):
            return tuple(kit.profile(bench))

    def _tables(self) -> list[Path]:
        """Rewrite the game's perft tables and return their paths."""
        try:
            with refusing():
                return list(kit.freeze(self._bench()))
        except (OSError, ValueError) as error:
            raise InputError(f"{self.game}: {error}") from error


def plugin(key: str) -> Any:
    """Return the plugin of an installed game.

    Raises InputError if no installed game has this key, or if its package cannot be imported.
    """
    from importlib.metadata import entry_points

    entries = {entry.name: entry for entry in entry_points(group=GROUP)}
    if key in sheets.in_use():
        return sheets.in_use()[key]
    if key not in entries:
        raise unknown("game", key, sorted([*entries, *sheets.in_use()]), files=True)
    try:
        return entries[key].load()
    except (Exception, SystemExit) as error:
        where = _where(error, entries[key].module.partition(".")[0])
        raise InputError(
            f"{key} cannot be imported: {type(error).__name__}: {error}{where}"
        ) from error


def _where(error: BaseException, package: str) -> str:
    """Return the package's last line in a traceback, such as " (at rules.py:12)".

    Return "" if the message already names a file, or no line is the package's.
    """
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if package in Path(frame.filename).parts
    ]
    return f" (at {own[-1].filename}:{own[-1].lineno})" if own and ".py" not in str(error) else ""
