"""Tables with their journals: beginning one, opening one again, and checking that its records were not changed."""

from __future__ import annotations

import secrets  # noqa: TID251 - salts of sealed records, which must not be guessed; nothing of play hangs on them
from collections.abc import Collection
from pathlib import Path
from typing import Any

import attrs

from fireplan.table._head import Head, opened
from fireplan.table._journal import Journal
from fireplan.table._seals import Seal, sealed
from fireplan.table._session import Session
from fireplan_core import Scenario, SecretNote
from fireplan_core.play.catalogue import Catalogue


def begin(path: Path, catalogue: Catalogue, head: Head, rules: Collection[Any] = ()) -> Session:
    """Open a new table with its journal; what the sides wrote down in secret is sealed.

    Raises ``HeadError`` when it cannot be opened, ``JournalError`` when the journal cannot be written.
    """
    scenario, moments = opened(catalogue, head, rules)
    seals = tuple(sealed(record, secrets.token_hex(16)) for record in records_of(scenario))
    head = attrs.evolve(head, seals=tuple((seal.salt, seal.commitment) for seal in seals))
    return Session(scenario, moments, Journal.create(path, head.data()), seals)


def reopen(
    path: Path, catalogue: Catalogue, *, read_only: bool = False, rules: Collection[Any] = ()
) -> tuple[Session, Head]:
    """Return a table as its journal left it, by the rules as they are now, and what it was opened with.

    Raises ``JournalError`` for a journal that cannot be used or does not fit the rules, ``HeadError`` when its
    scenario cannot be opened.
    """
    journal = Journal.open(path, read_only=read_only)
    try:
        head = Head.of_data(journal.head)
        scenario, moments = opened(catalogue, head, rules)
        kept = zip(records_of(scenario), head.seals, strict=False)
        seals = tuple(Seal(record, salt, commitment) for record, (salt, commitment) in kept)
        return Session(scenario, moments, journal, seals), head
    except BaseException:
        journal.close()
        raise


def records_of(scenario: Scenario) -> tuple[SecretNote, ...]:
    """Return what the sides wrote down in secret before play."""
    return tuple(record for part in scenario.parts for record in part.secret_notes(scenario))


def broken_seals(session: Session) -> tuple[Seal, ...]:
    """Return the sealed records whose commitment is not that of what they say: changed since they were laid."""
    laid = (*session.seals, *(seal for told in session.story for seal in told.seals))
    return tuple(seal for seal in laid if not seal.sound)
