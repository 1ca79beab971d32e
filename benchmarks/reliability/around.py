"""Who is about in a world of the simulator, and what takes the place of chance, time, threads and workers in it."""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch

import attrs
from disk import FileSystem, Process, through
from oracle import Oracle, Request

from fireplan.table import Head, scenario_of
from fireplan_core.play import Catalogue
from fireplan_studio.board import board_of
from fireplan_studio.pages import Pages
from fireplan_studio.refusals import RequestRefusedError
from fireplan_studio.sessions import Sessions

_PAGES = Pages()
_LAID: dict[Any, Any] = {}


class Idle:
    """The workers of a studio in which nothing is compared."""

    def __init__(self, *, in_one_thread: bool) -> None:
        self.in_one_thread = in_one_thread

    async def answer(self, name: str, *_arguments: Any, **_patience: float) -> Any:
        """Nothing to film, and of anything else that it is not finished."""
        if name == "short_film":
            return ()
        raise RequestRefusedError(202, "not finished yet", calculation=(0, 0.0))

    def close(self) -> None:
        """Nothing."""


@attrs.define(eq=False)
class Server:
    """A studio as a process of its own."""

    process: Process
    app: Any
    shared: Any


@attrs.define(eq=False)
class Player:
    """Somebody with a browser: his seat, his cookies, and the pages that he has open."""

    table: str
    side: str
    cookies: dict[str, str]
    tabs: list[str] = attrs.field(factory=list)
    secret: str = ""


@attrs.define(eq=False)
class Known:
    """What is known of a table: what it must be, what was asked of it since it was judged, who sits at it."""

    name: str
    oracle: Oracle
    players: list[Player] = attrs.field(factory=list)
    links: dict[str, str] = attrs.field(factory=dict)
    requests: list[Request] = attrs.field(factory=list)
    typed: list[Request] = attrs.field(factory=list)
    copy: dict[str, bytes] = attrs.field(factory=dict)
    copied: int = -1
    certain: int = 0
    """Inputs that were on the disk for certain when the table was judged last."""
    head: Head | None = None
    torn: bool = False
    """Whether its file has held the remains of an interrupted write."""
    called_torn: bool = False
    """Whether somebody was told so since it was judged last."""


@contextmanager
def one_world(
    seed: int, system: FileSystem, folder: Path, clock: Callable[[], float], *, maps: bool
) -> Iterator[None]:
    """Take chance, time, threads and workers out of the studio, and put the file system under it."""
    salts = random.Random(f"salts {seed}")

    async def do(_self: Any, work: Callable[..., Any], *arguments: Any) -> Any:
        system.between("")
        return work(*arguments)

    async def inline(work: Callable[..., Any], *arguments: Any) -> Any:
        return work(*arguments)

    def drawn(session: Any, view: Any, **last: Any) -> Any:
        """The map on one page in ten: it is made of the view alone, and takes longer than all the rest."""
        return board_of(session, view, **last) if maps or len(session.rows) % 10 == 9 else None

    def laid_out(catalogue: Catalogue, head: Head, rules: Any = ()) -> Any:
        """The scenario of a head, laid out once: most of what opening a table takes."""
        key = (id(catalogue), head.name, head.text)
        if key not in _LAID or _LAID[key][0] is not catalogue:
            _LAID[key] = (catalogue, scenario_of(catalogue, head, rules))
        return _LAID[key][1]

    with ExitStack() as all_of_it:
        for target, name, stand_in in (
            (secrets, "token_hex", lambda size=32: salts.randbytes(size).hex()),
            (secrets, "token_urlsafe", lambda size=32: salts.randbytes(size).hex()),
            (secrets, "randbits", salts.getrandbits),
            (Sessions, "do", do),
        ):
            all_of_it.enter_context(patch.object(target, name, stand_in))
        all_of_it.enter_context(patch("fireplan_studio.pages.Jobs", Idle))
        all_of_it.enter_context(patch("fireplan_studio.pages.Pages", lambda: _PAGES))
        all_of_it.enter_context(patch("fireplan_studio.open_session.board_of", drawn))
        all_of_it.enter_context(patch("fireplan.table.store.scenario_of", laid_out))
        all_of_it.enter_context(patch("starlette._exception_handler.run_in_threadpool", inline))
        all_of_it.enter_context(through(system, folder))
        yield
