"""Tables with their journals: beginning one, opening one again, what follows it, whether its records were changed."""

import secrets  # noqa: TID251 - salts of sealed records, which must not be guessed; nothing of play hangs on them
from collections.abc import Collection
from pathlib import Path
from typing import Any

import attrs

from fireplan.table.digests import digests_of
from fireplan.table.head import ENGAGEMENT, Head, opened, signed
from fireplan.table.journal import Journal
from fireplan.table.seals import Seal, sealed
from fireplan.table.session import Session
from fireplan.table.sides import sides_of
from fireplan_core import Scenario, ScenarioFile, SecretNote
from fireplan_core.files import Document
from fireplan_core.play.catalogue import Catalogue


def begin(path: Path, catalogue: Catalogue, head: Head, rules: Collection[Any] = ()) -> Session:
    """Open a new table with its journal; what the sides wrote down in secret is sealed.

    Raises ``HeadError`` when it cannot be opened, ``JournalError`` when the journal cannot be
    written.
    """
    scenario, moments = opened(catalogue, head, rules)
    seals = tuple(sealed(record, secrets.token_hex(16)) for record in records_of(scenario))
    session = Session(scenario, moments, None, seals)
    head = attrs.evolve(
        head,
        seals=tuple((seal.salt, seal.commitment) for seal in seals),
        numbers=digests_of(catalogue[head.game].game.charts),
        opening=session.opening,
    )
    session.journal = Journal.create(path, head.data())
    return session


def reopen(
    path: Path, catalogue: Catalogue, *, read_only: bool = False, rules: Collection[Any] = ()
) -> tuple[Session, Head]:
    """Return a table as its journal left it, by the rules as they are now, and what it was opened with.

    Raises ``JournalError`` for a journal that cannot be used or does not fit the rules,
    ``HeadError`` when its scenario cannot be opened. Where it is only read, its file is closed
    again.
    """
    journal = Journal.open(path, read_only=read_only)
    try:
        head = Head.of_data(journal.head)
        scenario, moments = opened(catalogue, head, rules)
        kept = zip(records_of(scenario), head.seals, strict=False)
        seals = tuple(Seal(record, salt, commitment) for record, (salt, commitment) in kept)
        session = Session(scenario, moments, journal, seals, head.opening)
    except BaseException:
        journal.close()
        raise
    if read_only:
        journal.close()
    return session, head


def differences(session: Session, head: Head, catalogue: Catalogue) -> str:
    """Return in words how a table comes out differently from its journal by the rules and charts as they are now.

    The first input after which anything differs comes first, then what of the game has changed
    since the table was opened; empty where neither an input comes out differently nor a chart has
    changed.
    """
    installed = catalogue[head.game]
    now = digests_of(installed.game.charts)
    charts = [
        name for name in sorted({*now, *head.numbers}) if now.get(name) != head.numbers.get(name)
    ]
    if not charts and not session.differs:
        return ""
    today = signed(catalogue, head)
    since = [f"chart {name}" for name in charts]
    since += [
        f"{what} {before or 'unknown'}, now {after or 'unknown'}"
        for what, before, after in (
            ("edition", head.edition, today.edition),
            (f"version of {head.game}", head.version, today.version),
            ("version of the core", head.core, today.core),
        )
        if before != after
    ]
    said = session.differs or "every input comes out the same, but the game is not"
    return said + (f"; changed since it was begun: {', '.join(since)}" if since else "")


def records_of(scenario: Scenario) -> tuple[SecretNote, ...]:
    """Return what the sides wrote down in secret before play."""
    return tuple(record for part in scenario.parts for record in part.secret_notes(scenario))


def broken_seals(session: Session) -> tuple[Seal, ...]:
    """Return the sealed records whose commitment is not that of what they say: changed since they were laid."""
    laid = (*session.seals, *(seal for told in session.story for seal in told.seals))
    return tuple(seal for seal in laid if not seal.sound)


def follow(
    journal: Path, catalogue: Catalogue, *, keeps: str | None = None, moments: int | None = None
) -> ScenarioFile:
    """Return the scenario after the one in a journal, which is not changed.

    ``keeps`` is the side whose calls for fire carry over (nobody's by default), ``moments`` how long the new one is if
    not as the game says. Raises ``JournalError`` and ``HeadError`` as ``reopen`` does, and ValueError for a game that
    is not played out or has no campaigns, and for a side that there is not.
    """
    session, head = reopen(journal, catalogue, read_only=True)
    forms = catalogue[head.game].game.scenarios
    if head.kind == ENGAGEMENT or forms is None or forms.follow is None:
        raise ValueError(
            f"{journal}: nothing follows, as {head.game} has no campaign of such tables"
        )
    if session.table.waits_for is not None:
        raise ValueError(f"{journal}: the game is not played out; what follows is known at its end")
    sides = sides_of(session.scenario)
    if keeps is not None and keeps not in sides:
        raise ValueError(f"--keeps: there is no side {keeps}; expected one of {', '.join(sides)}")
    form = Document.of(head.name, head.text).over("options", head.options).read(forms.kind)
    return forms.follow(form, session.scenario, session.table.read, keeps, moments)
