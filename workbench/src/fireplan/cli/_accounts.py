"""``fireplan account``: files that tell a game in play are checked against the rules, or completed by them."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.resources.abc import Traversable
from pathlib import Path

from fireplan.cli._app import BadInputError, DiffersError, unread
from fireplan.cli._app import write as write_file
from fireplan.cli._compare import catalogue
from fireplan.cli._terminal import say_line
from fireplan.compare import shipped_engagements
from fireplan.table import (
    SUFFIX,
    AccountError,
    HeadError,
    Session,
    Words,
    complete_account,
    opened,
    read_account,
    replay_account,
    shipped_accounts,
)
from fireplan_core import Ask, ProcedureError
from fireplan_core.play import Catalogue


def run_accounts(given: list[Path], *, write: bool) -> None:
    """Check or complete each file (none: all that come with the games), and name every one that is not as it should."""
    installed = catalogue()
    differ: list[str] = []
    broken: list[str] = []
    files: list[Path | Traversable] = [*account_files(given)] or list(shipped_accounts(installed).values())
    if write and not given:
        raise BadInputError("Name the accounts to be written.")
    for file in files:
        try:
            found = _completed(installed, file) if write else checked(installed, file)
        except (AccountError, HeadError, ProcedureError) as error:
            broken.append("; ".join([f"{file}: {error}", *getattr(error, "__notes__", ())]))
            continue
        if found and not write:
            differ.append(f"{file}: {found}")
        else:
            say_line(f"{file}: {f'written; {found}' if write else 'same'}")
    if broken:
        raise BadInputError("\n".join([*broken, *differ]))
    if differ:
        raise DiffersError("\n".join(differ))


def account_files(given: Iterable[Path]) -> list[Path]:
    """The files meant: folders stand for the accounts in them and below."""
    found: list[Path] = []
    for path in given:
        inside = sorted(path.rglob(f"*{SUFFIX}")) if path.is_dir() else [path]
        if not inside:
            raise BadInputError(f"{path}: there is no *{SUFFIX} in this folder")
        found += inside
    return found


def checked(installed: Catalogue, file: Path | Traversable) -> str:
    """What the first difference is, in words; empty when there is none."""
    account = read_account(_text(file))
    scenario, moments = opened(installed, account.head(installed, shipped_engagements()))
    differences = replay_account(account, Session(scenario, moments))
    return "; ".join(map(str, differences))


def _completed(installed: Catalogue, file: Path | Traversable) -> str:
    account = read_account(_text(file))
    head = account.head(installed, shipped_engagements())
    scenario, moments = opened(installed, head)
    session = Session(scenario, moments)
    try:
        text = complete_account(account, session, head)
    except AccountError as error:
        error.add_note(_next(session))
        raise
    write_file(Path(str(file)), text)
    return _next(session)


def _next(session: Session) -> str:
    """What a table waits for, for those who write the next line."""
    waits = session.table.waits_for
    if waits is None:
        return "all moments are played"
    if not isinstance(waits, Ask):
        return f"next: > roll {waits.name}: {', '.join(die.label for die in waits.faces[len(session.faces) :])}"
    words = Words(session.scenario)
    legal = session.table.rulebook.legal(waits, session.table.read, each=1)
    return f"next: > {waits.who}: {' | '.join(map(words.order, legal))}"


def _text(file: Path | Traversable) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AccountError(0, unread(error)) from error
