"""The question ``check``: which of the conformance checks a game passes."""

from __future__ import annotations

import shlex
import traceback
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

import fireplan_kit as kit
from fireplan.questions.errors import InputError, gathered, refuse, unknown
from fireplan.questions.opening import engagement_named
from fireplan.questions.result import Block, Result, Text
from fireplan.questions.sampling import Progress, silent
from fireplan_core.play import GROUP

MOST_SHOWN = 20


@attrs.frozen(eq=False, repr=False)
class CheckResult(Result):
    """The findings of the checks that were made, by check id, and what no check looked at.

    ``idle`` are the ids of checks that had nothing to look at, ``witnessed`` is the line on how
    many rules have a worked example.
    """

    game: str
    found: Mapping[str, list[kit.Finding]]
    idle: frozenset[str]
    unseen: Mapping[str, list[str]]
    witnessed: str = ""

    @property
    def passed(self) -> bool:
        """Return whether there are no findings."""
        return not any(self.found.values())

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield each check that was made and its findings, then what no check looked at."""
        for law in (law for law in kit.LAWS if law.id in self.found):
            findings = self.found[law.id]
            if findings:
                verdict = "failed"
            elif law.id in self.idle:
                verdict = "nothing to check:"
            else:
                verdict = "passed"
            yield Text(f"{verdict} {law.id}: {law.demand.splitlines()[0]}", wrap=False)
            yield from (
                Text(f"         {finding}", wrap=False) for finding in findings[:MOST_SHOWN]
            )
            if len(findings) > MOST_SHOWN:
                yield Text(f"         and {len(findings) - MOST_SHOWN} more", wrap=False)
        for kind, names in self.unseen.items():
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
        """Return the result as data; ``checks`` holds the rows, made or not."""
        unseen = {kind: list(names) for kind, names in self.unseen.items()}
        report = {"checks": self.rows(), "not_looked_at": unseen, "witnessed": self.witnessed}
        return {"game": self.game, "passed": self.passed, **report}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each check: id, demand, whether it was made, and its findings."""
        return [
            {
                "id": law.id,
                "demand": law.demand,
                "made": law.id in self.found and law.id not in self.idle,
                "findings": [
                    {
                        "text": finding.flaw.text,
                        "rule": finding.flaw.cite,
                        "command": finding.command,
                    }
                    for finding in self.found.get(law.id, ())
                ],
            }
            for law in kit.LAWS
        ]


def check(
    game: str,
    only: str | Iterable[str] = (),
    *,
    engagement: str | None = None,
    progress: Progress = silent,
) -> CheckResult:
    """Run the conformance checks on a game and report each flaw with the rule it concerns.

    :param only: Run only these checks, by id (docs/checks.md), e.g. L03-mass.
    :param engagement: The engagement to check on; by default a small one of the kit's own.
    :raises InputError: With everything that is wrong with the question.
    """
    ids, chosen = [law.id for law in kit.LAWS], (only,) if isinstance(only, str) else tuple(only)
    faults = [str(unknown("check", name, ids)) for name in chosen if name not in ids]
    loaded = gathered(faults, plugin, game)
    staged = gathered(faults, engagement_named, engagement) if engagement else None
    refuse(faults)
    more = f" --engagement {shlex.quote(engagement)}" if engagement else ""
    by_check: dict[str, list[kit.Finding]] = {}
    idle = set[str]()
    for law, findings in kit.examine(game, loaded, staged, chosen):
        by_check[law.id] = [attrs.evolve(finding, more=more) for finding in findings]
        if law.idle:
            idle.add(law.id)
        progress(len(chosen or ids), law.id)
    unseen, witnessed = (
        ({}, "") if chosen else (kit.overlooked(game, loaded, staged), kit.witnessed(game, loaded))
    )
    return CheckResult(game, by_check, frozenset(idle), unseen, witnessed)


def plugin(key: str) -> Any:
    """Return the plugin of an installed game.

    Raises InputError if no game of this key is installed, or if its package cannot be imported.
    """
    from importlib.metadata import entry_points

    entries = {entry.name: entry for entry in entry_points(group=GROUP)}
    if key not in entries:
        raise unknown("game", key, sorted(entries))
    try:
        return entries[key].load()
    except (Exception, SystemExit) as error:
        where = _where(error, entries[key].module.partition(".")[0])
        raise InputError(
            f"{key} cannot be imported: {type(error).__name__}: {error}{where}"
        ) from error


def _where(error: BaseException, package: str) -> str:
    """Return the last line of the game's package in a traceback, "" if the message names a file."""
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if package in Path(frame.filename).parts
    ]
    return f" (at {own[-1].filename}:{own[-1].lineno})" if own and ".py" not in str(error) else ""
