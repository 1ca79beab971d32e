"""The servers and players of the simulator's world, and its substitutes for chance, time and threads."""

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
_STAGED: dict[Any, Any] = {}


class Idle:
    """A studio's workers that compute nothing."""

    async def answer(self, name: str, *_arguments: Any, **_patience: float) -> Any:
        """Return an empty film; report every other answer as not finished yet."""
        if name == "short_film":
            return ()
        raise RequestRefusedError(202, "not finished yet", calculation=(0, 0.0))

    def close(self) -> None:
        """Do nothing, because there is nothing to close."""


@attrs.define(eq=False)
class Server:
    """A studio that stands in for a separate process."""

    process: Process
    app: Any
    shared: Any


@attrs.define(eq=False)
class Player:
    """Somebody with a browser: a seat, cookies, and the pages that are open."""

    table: str
    side: str
    cookies: dict[str, str]
    tabs: list[str] = attrs.field(factory=list)
    secret: str = ""


@attrs.define(eq=False)
class Known:
    """The record of a table: its oracle, its players, and the requests since it was last judged."""

    name: str
    oracle: Oracle
    players: list[Player] = attrs.field(factory=list)
    links: dict[str, str] = attrs.field(factory=dict)
    requests: list[Request] = attrs.field(factory=list)
    typed: list[Request] = attrs.field(factory=list)
    copy: dict[str, bytes] = attrs.field(factory=dict)
    copied: int = -1
    certain: int = 0
    """The number of inputs certainly on the disk when the table was last judged."""
    head: Head | None = None
    torn: bool = False
    """True if the table's file has ever held the remains of an interrupted write."""
    called_torn: bool = False
    """True if a reply has mentioned such remains since the table was last judged."""


@contextmanager
def one_world(
    seed: int, system: FileSystem, folder: Path, clock: Callable[[], float], *, maps: bool
) -> Iterator[None]:
    """Replace chance, time, threads and workers of the studio, and run it on the file system ``system``."""
    salts = random.Random(f"salts {seed}")

    async def do(_self: Any, work: Callable[..., Any], *arguments: Any) -> Any:
        system.between("")
        return work(*arguments)

    async def inline(work: Callable[..., Any], *arguments: Any) -> Any:
        return work(*arguments)

    def drawn(session: Any, view: Any, **last: Any) -> Any:
        """Return the map on one page in ten, because it depends only on the view and is slow to draw."""
        return board_of(session, view, **last) if maps or len(session.rows) % 10 == 9 else None

    def staged_once(catalogue: Catalogue, head: Head, rules: Any = ()) -> Any:
        """Return a head's scenario, staged only once, because staging takes most of the time to open a table."""
        key = (id(catalogue), head.name, head.text)
        if key not in _STAGED or _STAGED[key][0] is not catalogue:
            _STAGED[key] = (catalogue, scenario_of(catalogue, head, rules))
        return _STAGED[key][1]

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
        all_of_it.enter_context(patch("fireplan.table.store.scenario_of", staged_once))
        all_of_it.enter_context(patch("starlette._exception_handler.run_in_threadpool", inline))
        all_of_it.enter_context(through(system, folder))
        yield
