"""The conformance kit through the front door: what of the checks that every game must pass a game keeps."""

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
    """What breaks the checks that were made, by their ids, and what they did not look at.

    ``passed`` without flaw.
    """

    game: str
    found: Mapping[str, list[kit.Finding]]
    idle: frozenset[str]
    unseen: Mapping[str, list[str]]
    witnessed: str = ""

    @property
    def passed(self) -> bool:
        """Return whether nothing breaks a check."""
        return not any(self.found.values())

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield each check that was made, and what breaks it."""
        for law in (law for law in kit.LAWS if law.id in self.found):
            findings = self.found[law.id]
            kept = (
                "broken"
                if findings
                else "nothing to look at by"
                if law.id in self.idle
                else "kept  "
            )
            yield Text(f"{kept} {law.id}: {law.demand.splitlines()[0]}", wrap=False)
            yield from (
                Text(f"         {finding}", wrap=False) for finding in findings[:MOST_SHOWN]
            )
            if len(findings) > MOST_SHOWN:
                yield Text(f"         and {len(findings) - MOST_SHOWN} more", wrap=False)
        for what, names in self.unseen.items():
            more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
            noun, blank, rest = what.partition(" ")
            several = what if len(names) > 1 else noun.removesuffix("s") + blank + rest
            yield Text(
                f"not looked at, {len(names)} {several}: {', '.join(names[:MOST_SHOWN])}{more}",
                wrap=False,
            )
        yield from [Text(self.witnessed)] if self.witnessed else []

    def to_dict(self) -> dict[str, Any]:
        """Return every check, whether it was made, and what breaks it."""
        unseen = {what: list(names) for what, names in self.unseen.items()}
        told = {"checks": self.rows(), "not_looked_at": unseen, "witnessed": self.witnessed}
        return {"game": self.game, "passed": self.passed, **told}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each check."""
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
    """Hold a game to the checks that every game must pass, and say what breaks them, by which rule.

    :param only: Only these checks, by their ids (docs/checks.md), e.g. L03-mass.
    :param engagement: The engagement to try them on; the kit's own small one by default.
    :raises InputError: With everything that is wrong with the question.
    """
    ids, wanted = [law.id for law in kit.LAWS], (only,) if isinstance(only, str) else tuple(only)
    faults = [str(unknown("check", name, ids)) for name in wanted if name not in ids]
    loaded = gathered(faults, plugin, game)
    staged = gathered(faults, engagement_named, engagement) if engagement else None
    refuse(faults)
    more = f" --engagement {shlex.quote(engagement)}" if engagement else ""
    found: dict[str, list[kit.Finding]] = {}
    idle = set[str]()
    for law, findings in kit.examine(game, loaded, staged, wanted):
        found[law.id] = [attrs.evolve(finding, more=more) for finding in findings]
        idle |= {law.id} if law.idle else set()
        progress(len(wanted or ids), law.id)
    unseen, witnessed = (
        ({}, "") if wanted else (kit.overlooked(game, loaded, staged), kit.witnessed(game, loaded))
    )
    return CheckResult(game, found, frozenset(idle), unseen, witnessed)


def plugin(key: str) -> Any:
    """Return the plugin behind an entry point; one that cannot even be imported is bad input."""
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
    """Return the last line of a game's own package that an exception went through, unless its words name a file."""
    own = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if package in Path(frame.filename).parts
    ]
    return f" (at {own[-1].filename}:{own[-1].lineno})" if own and ".py" not in str(error) else ""
