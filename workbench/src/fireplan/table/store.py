"""Tables with journals: opening, reopening, checking for changes, and sequels."""

import secrets  # noqa: TID251 - salts of sealed records, which must not be guessed; play does not depend on them
from collections.abc import Collection
from pathlib import Path
from typing import Any

import attrs

from fireplan.errors import argument_name
from fireplan.table.digests import Outcomes, digests_of
from fireplan.table.head import ENGAGEMENT, Head, scenario_of, with_versions
from fireplan.table.journal import Journal
from fireplan.table.seals import Seal, sealed
from fireplan.table.session import Session
from fireplan.table.sides import sides_of
from fireplan_core import Scenario, ScenarioFile, SecretNote
from fireplan_core.files import Document
from fireplan_core.play.catalogue import Catalogue
from fireplan_core.play.table import Table


def begin(path: Path, catalogue: Catalogue, head: Head, rules: Collection[Any] = ()) -> Session:
    """Return the session of a new table, with its journal and the seals of secret records.

    ``rules`` must contain the house rules that the head names. Raise ``InputError`` if the table
    cannot be opened, or ``JournalError`` if the journal cannot be written.
    """
    scenario, moments = scenario_of(catalogue, head, rules)
    seals = tuple(sealed(record, secrets.token_hex(16)) for record in records_of(scenario))
    session = Session(scenario, moments, None, seals)
    head = attrs.evolve(
        head,
        seals=tuple((seal.salt, seal.commitment) for seal in seals),
        numbers=digests_of(catalogue[head.game].game.charts),
        opening=Outcomes().of(session.history.prologue, session.table.state),
    )
    session.journal = Journal.create(path, head.data())
    return session


def reopen(
    path: Path, catalogue: Catalogue, *, read_only: bool = False, rules: Collection[Any] = ()
) -> tuple[Session, Head]:
    """Return the table of a journal, replayed under the current rules, and its head.

    ``rules`` must contain the house rules that the head names. With ``read_only``, the file is
    closed again. Raise ``JournalError`` for a journal that cannot be used or does not fit the
    rules, or ``InputError`` if its scenario cannot be opened.
    """
    journal = Journal.open(path, read_only=read_only)
    try:
        head = Head.of_data(journal.head)
        scenario, moments = scenario_of(catalogue, head, rules)
        records = zip(records_of(scenario), head.seals, strict=False)
        seals = tuple(Seal(record, salt, commitment) for record, (salt, commitment) in records)
        session = Session(scenario, moments, journal, seals, head.opening)
    except BaseException:
        journal.close()
        raise
    if read_only:
        journal.close()
    return session, head


def differences(session: Session, head: Head, catalogue: Catalogue) -> str:
    """Return the differences between a journal and the current rules and charts, as text.

    The text names the first input with different effects, then the changes in the game since the
    table was opened. It is empty if every input has the same effects and no chart has changed.
    """
    installed = catalogue[head.game]
    now = digests_of(installed.game.charts)
    charts = [
        name for name in sorted({*now, *head.numbers}) if now.get(name) != head.numbers.get(name)
    ]
    if not charts and not session.differs:
        return ""
    current = with_versions(catalogue, head)
    changes = [f"chart {name}" for name in charts]
    changes += [
        f"{what} {before or 'unknown'}, now {after or 'unknown'}"
        for what, before, after in (
            ("edition", head.edition, current.edition),
            (f"version of {head.game}", head.version, current.version),
            ("version of the core", head.core, current.core),
        )
        if before != after
    ]
    summary = session.differs or "every input has the same effects, but the game has changed"
    return summary + (f"; changed since it was begun: {', '.join(changes)}" if changes else "")


def records_of(scenario: Scenario) -> tuple[SecretNote, ...]:
    """Return the records that the sides wrote in secret before play."""
    return tuple(record for part in scenario.parts for record in part.secret_notes(scenario))


def broken_seals(session: Session) -> tuple[Seal, ...]:
    """Return the seals whose record was changed, so that it no longer matches its commitment."""
    seals = (*session.seals, *(seal for move in session.history.story for seal in move.seals))
    return tuple(seal for seal in seals if not seal.sound)


def sequel_of_journal(
    journal: Path, catalogue: Catalogue, *, keeps: str | None, moments: int | None
) -> ScenarioFile:
    """Return the sequel to the game in a journal, as a scenario file; the journal is not changed.

    ``keeps`` is the side whose calls for fire carry over (by default, none). ``moments`` is the
    length of the sequel (by default, the game's own). Raises the same errors as ``reopen``, and
    ``ValueError`` if the game is not over, has no campaigns, or has no such side.
    """
    session, head = reopen(journal, catalogue, read_only=True)
    return sequel(str(journal), head, catalogue, session.table, keeps=keeps, moments=moments)


def sequel(
    name: str,
    head: Head,
    catalogue: Catalogue,
    table: Table,
    *,
    keeps: str | None = None,
    moments: int | None = None,
) -> ScenarioFile:
    """Return the sequel to a game, opened with this head and played to its end on this table.

    ``name`` is the game's name in messages. ``keeps`` is the side whose calls for fire carry over
    (by default, none), and ``moments`` the length of the sequel (by default, the game's own).
    Raises ``ValueError`` if the scenario has no sequel, the game is not over, or ``keeps`` is not a
    side.
    """
    forms = catalogue[head.game].game.scenarios
    if head.kind == ENGAGEMENT or forms is None or forms.follow is None:
        raise ValueError(
            f"{name}: nothing follows, because {head.game} has no campaign with this scenario"
        )
    if table.waits_for is not None:
        raise ValueError(f"{name}: the game is not over; the next scenario depends on how it ends")
    sides = sides_of(table.scenario)
    if keeps is not None and keeps not in sides:
        raise ValueError(
            f"{argument_name('keeps')}: there is no side {keeps}; expected one of {', '.join(sides)}"
        )
    form = Document.of(head.name, head.text).over("options", head.options).read(forms.kind)
    return forms.follow(form, table.scenario, table.read, keeps, moments)
