"""The conformance kit through the front door: what of the checks that every game must pass a game keeps."""

from __future__ import annotations

import shlex
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs

import fireplan_kit as kit
from fireplan.questions.errors import InputError, argument, gathered, refuse, refusing, unknown
from fireplan.questions.opening import engagement_named
from fireplan.questions.question import Question, asks, front
from fireplan.questions.result import Block, Result, Text
from fireplan_core.play import GROUP, Catalogue

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
    def failure(self) -> str:
        """Why the command ends with status 2; empty if every check passed."""
        return "" if self.passed else f"{self.game} fails a check; see above"

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


@attrs.frozen(eq=False, repr=False)
class Lines(Result):
    """Lines of text under a name: the files that were written, or a profile."""

    name: str
    lines: tuple[str, ...]

    def blocks(self, width: int = 100) -> Iterator[Block]:  # noqa: ARG002
        """Yield the lines."""
        yield from (Text(line, wrap=False) for line in self.lines)

    def to_dict(self) -> dict[str, Any]:
        """Return the lines."""
        return {self.name: list(self.lines)}


@attrs.frozen(eq=False, repr=False, slots=False)
class Check(Question["CheckResult | Lines"]):
    """Hold a game to the checks that every game must pass, and say what breaks them, by which rule."""

    key = "check"
    group = "Games"
    absent = {  # noqa: RUF012 - a fact of the class
        "page": "it runs the sources of a game for minutes",
        "tool": "it runs the sources of a game for minutes",
        "sweep": "it has no figures",
    }

    game: str = asks(
        "A game's key, as 'fireplan games' lists them.", attrs.NOTHING, placed=True, named="game"
    )
    only: tuple[str, ...] = asks(
        "Only these checks, by their ids (docs/checks.md), e.g. L03-mass.", ()
    )
    engagement: str | None = asks(
        "The engagement to try them on; the kit's own small one by default.", named="engagement"
    )
    perft: bool = asks(
        "Check nothing, but write the game's tables of what every throw leads to anew (data/perft of"
        " its package).",
        default=False,
        local=True,
    )
    profile: bool = asks(
        "Check nothing, but say how large the game is on the engagement, and which values and steps"
        " make it so.",
        default=False,
        local=True,
    )

    def answer(self) -> CheckResult | Lines:
        """Return what breaks each check, or with ``perft`` or ``profile`` the files or the profile."""
        if self.perft and (self.only or self.engagement or self.profile):
            raise InputError(
                f"{argument('perft')} writes every table anew and checks nothing: leave the other"
                " options out."
            )
        if self.profile and self.only:
            raise InputError(f"{argument('profile')} checks nothing: leave {argument('only')} out.")
        if self.perft:
            return Lines("written", tuple(map(str, self._tables())))
        if self.profile:
            return Lines("profile", self._profile())
        return self._checked()

    def _checked(self) -> CheckResult:
        ids = [law.id for law in kit.LAWS]
        faults = [str(unknown("check", name, ids)) for name in self.only if name not in ids]
        loaded = gathered(faults, plugin, self.game)
        staged = gathered(faults, engagement_named, self.engagement) if self.engagement else None
        refuse(faults)
        more = f" --engagement {shlex.quote(self.engagement)}" if self.engagement else ""
        found: dict[str, list[kit.Finding]] = {}
        idle = set[str]()
        for law, findings in kit.examine(self.game, loaded, staged, self.only):
            found[law.id] = [attrs.evolve(finding, more=more) for finding in findings]
            idle |= {law.id} if law.idle else set()
            self.progress(len(self.only or ids), law.id)
        unseen, witnessed = (
            ({}, "")
            if self.only
            else (kit.overlooked(self.game, loaded, staged), kit.witnessed(self.game, loaded))
        )
        return CheckResult(self.game, found, frozenset(idle), unseen, witnessed)

    def _bench(self) -> kit.Bench:
        """Return the bench of a game that is installed and admitted."""
        plugin(self.game)
        installed = Catalogue.installed()
        if self.game not in installed.games:
            raise InputError(f"{self.game} is not admitted; see fireplan check {self.game}")
        engagement = engagement_named(self.engagement) if self.engagement else None
        with refusing(staging=f"{self.game} cannot stage the engagement"):
            return kit.Bench(installed, self.game, engagement)

    def _profile(self) -> tuple[str, ...]:
        bench = self._bench()
        with refusing("followed"):
            return tuple(kit.profile(bench))

    def _tables(self) -> list[Path]:
        """Write a game's tables of outcomes anew and return the files."""
        try:
            with refusing():
                return list(kit.freeze(self._bench()))
        except (OSError, ValueError) as error:
            raise InputError(f"{self.game}: {error}") from error


check = front(Check)


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
