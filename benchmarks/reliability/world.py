"""A world from one seed: tables played over HTTP and at prompts, and everything that can go wrong.

Everything happens in this process, in an order that the seed decides. Whoever is about to make a
system call on a journal, or to work on a table, may be overtaken there by somebody else, who acts
to the end first. ``judge.py`` checks what was shown.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

from around import Known, Player, Server
from browser import Answer, Form, TornError, asked, filled, forms, seat, seen
from disk import Call, Disk, FileSystem, KilledError, Process
from oracle import OK, REFUSED, STALE, Oracle, Request, must
from prompt import Prompt

from fireplan.errors import InputError, JournalError
from fireplan.table import Head, Session, reopen
from fireplan_core import ProcedureError
from fireplan_core.play import Catalogue
from fireplan_studio import Settings, studio
from fireplan_studio.sessions import ENDING

TOKEN = "sesame-of-the-whole-studio"  # noqa: S105 - a token of the simulation only
SERVERS, TABS, DEEPEST = 2, 3, 2

WISHES = {"undo": 2, "reveal": 1}
"""The weight of each kind of form; others have 6."""
OVERTAKEN, AT_A_WRITE, TWICE = 0.02, 0.15, 0.7
"""Chances that a player acts before any call, before a write or lock, and by repeating a form."""
FOLLOWED = 0.4
"""Chance that a browser follows a redirect before anybody else acts."""
ORDERS = 3
"""Number of orders each side is asked for before the clock jumps."""
FRESH = 0.6
"""Chance that a cheat has just loaded his own page and that of another seat."""
AT_PROMPT = 0.3
"""Chance that several dice are thrown at the prompt."""
CUT_OFF, CALLS = 0.35, 40
"""Chance that the server dies during a throw of several dice, within this many I/O calls."""
AT_SYNCS = 0.7
"""Chance that such a server dies just before a sync, when most is in doubt."""


class World:
    """The simulated world: its disk, servers, tables, players and clock."""

    def __init__(
        self,
        seed: int,
        folder: Path,
        installed: Catalogue,
        heads: dict[str, Head],
        found: Counter[str],
    ) -> None:
        self.dice = random.Random(seed)
        self.odds = seed % 8 == 0
        """True if the prompt shows odds beside the orders, which takes a third of the time."""
        self.folder, self.installed, self.heads, self.found = folder, installed, heads, found
        self.system = FileSystem()
        self.disk = Disk()
        self.system.heard = self.heard
        self.system.between = self._between
        self.system.dies = self._dies
        self.servers: list[Server | None] = [None] * SERVERS
        self.tables: dict[str, Known] = {}
        self.now = self.depth = 0
        self.clock = 0.0
        self.deepest = DEEPEST
        self.opened: list[str] = []
        """Tables that were opened but that nobody plays."""
        self.dark: set[str] = set()
        """Journals in the folder when the power failed."""
        self.sending: tuple[Known, Player, Form, dict[str, str]] | None = None
        """The last form sent, with its table, player and fields."""
        self.held: tuple[Process, ...] = ()
        self.power, self.cut = True, False
        self.lied = self.faulty = False
        self.looks: Callable[[Known, str, str, Session | None], None] = lambda *_: None
        """Called with whatever a server shows a side, and the server's session."""
        self.hears: Callable[[Known, str, str, Session], None] = lambda *_: None
        """Called with whatever the prompt tells a side."""

    # --- time and processes ----------------------------------------------------------------------
    def tick(self) -> int:
        self.now += 1
        return self.now

    def heard(self, call: Call) -> None:
        """Pass a call on to the disk."""
        self.disk.take(call)

    def _between(self, call: str) -> None:
        """Now and then let somebody else act first."""
        writes = call in ("lock", "write")
        if (
            self.depth < DEEPEST
            and self.power
            and self.dice.random() < (AT_A_WRITE if writes else OVERTAKEN)
        ):
            self.found["overtaken"] += 1
            before, held = self.system.process, self.held
            # A process in the middle of a call cannot act; one between two tasks can.
            self.held = (*held, before) if call else held
            try:
                if call == "lock" and self.sending is not None and self.dice.random() < TWICE:
                    self.again(*self.sending)
                else:
                    self.act()
            finally:
                self.system.process, self.held = before, held

    def _dies(self) -> None:
        """Record that a process was killed; if the power failed, all servers die with it."""
        self.found["kills"] += 1
        if self.cut:
            self.power = False
            for server in self.servers:
                if server is not None:
                    server.process.dead = True

    def server(self, number: int) -> Server:
        """Return a server of the folder, restarted if it was killed."""
        found = self.servers[number]
        if found is None or found.process.dead:
            process = Process(f"server {number}")
            settings = Settings(port=8043, tables=self.folder, token=TOKEN)
            made: list[Any] = []
            from fireplan_studio.pages import Studio

            def keep(given: Settings) -> Any:
                made.append(Studio(given))
                return made[0]

            with patch("fireplan_studio.app.Studio", keep):
                app = studio(settings)
            found = self.servers[number] = Server(process, app, made[0])
        return found

    def bury(self, process: Process) -> None:
        """Release a dead process's files and locks, as an operating system does."""
        process.dead = True
        self.system.let_go(process)

    # --- requests --------------------------------------------------------------------------------
    def ask(
        self,
        number: int,
        method: str,
        address: str,
        form: dict[str, str],
        cookies: dict[str, str],
        torn: str = "",
    ) -> Answer | None:
        """Send a request; return the response, or None without one. Raises ``BrokenError`` for a server error."""
        server = self.server(number)
        self.depth += 1
        try:
            with self.system.run_by(server.process):
                answer = asked(server.app, method, address, form, cookies, torn)
        except (KilledError, TornError):
            return None
        finally:
            self.depth -= 1
            if server.process.dead:
                self.bury(server.process)
                if self.servers[number] is server:
                    self.servers[number] = None
        if not self.power or server.process.dead:
            return None
        must(
            answer.status < 500 or answer.status == 503,
            f"{method} {address} is answered with {answer.status}",
        )
        return answer

    def get(self, known: Known, player: Player, number: int) -> Answer | None:
        """Load a seat's page; return the response, or None if there was none."""
        request = Request("read", player.side, self.tick())
        answer = self.ask(
            number,
            "GET",
            seat(known.name, player.side),
            {},
            {"fireplan-token": TOKEN, **player.cookies},
        )
        if answer is None or answer.status != 200:
            expected = answer is None or self.faulty or answer.status == 422
            must(expected, f"a seat is refused: {answer and answer.status}")
            return None
        request.ended, request.answer, request.seen = self.tick(), OK, seen(answer.text)
        if request.seen is not None:
            known.requests.append(request)
        self.show(known, player.side, answer, number)
        player.tabs = [answer.text, *player.tabs][:TABS]
        return answer

    def show(self, known: Known, side: str, answer: Answer, number: int) -> None:
        self.found["pages"] += 1
        server = self.servers[number]
        opened = server.shared.sessions._open.get(known.name) if server is not None else None  # noqa: SLF001
        self.looks(
            known,
            side,
            f"{answer.headers}\n{answer.text}",
            opened.session if opened is not None else None,
        )

    def post(
        self,
        known: Known,
        player: Player,
        form: Form,
        sent: dict[str, str],
        number: int,
        torn: str = "",
    ) -> None:
        """Send a form and record the result."""
        kind = form.kind
        says: Any = sent.get("order") if kind == "order" else sent.get("value")
        if kind == "dice":
            says = [sent[f"die{n}"] for n in range(sum(name.startswith("die") for name in sent))]
        request = Request(kind, player.side, self.tick(), says, sent.get("seen", ""))
        known.requests.append(request)
        known.typed.append(request)
        cookies = {"fireplan-token": TOKEN, **player.cookies}
        self.sending = (known, player, form, sent)
        if (
            kind == "dice"
            and len(says) > 1
            and self.depth < DEEPEST
            and self.dice.random() < CUT_OFF
        ):
            self.system.at_syncs = self.dice.random() < AT_SYNCS
            self.system.countdown = self.dice.randint(
                1, 2 * len(says) if self.system.at_syncs else CALLS
            )
            self.cut = False
        answer = self.ask(number, "POST", form.action, sent, cookies, torn)
        self.found[f"sent: {kind}"] += 1
        if answer is None:
            return
        request.ended = self.tick()
        request.answer = OK if answer.status == 303 else STALE if answer.status == 409 else REFUSED
        self.found["acknowledged"] += request.answer == OK
        if answer.status in (409, 422):
            self.show(known, player.side, answer, number)
        elif self.depth < DEEPEST and self.dice.random() < FOLLOWED:
            self.get(known, player, number)

    # --- what people do --------------------------------------------------------------------------
    def free(self) -> list[int]:
        """Return the numbers of the servers that are not in the middle of a call."""
        return [
            n
            for n, server in enumerate(self.servers)
            if server is None or server.process not in self.held
        ]

    def again(self, known: Known, player: Player, form: Form, sent: dict[str, str]) -> None:
        """Send the same form once more to a free server, as a second click does."""
        free = self.free()
        if free and self.tables.get(known.name) is known:  # a disk fault may have destroyed it
            self.found["sent twice"] += 1
            self.post(known, player, form, sent, self.dice.choice(free))

    def act(self) -> None:
        """Let somebody act: look at a seat, send a form, cheat, or play at the prompt."""
        if not self.power:
            return
        known = self.tables[self.dice.choice(sorted(self.tables))]
        free = self.free()
        if not free:
            return
        number = self.dice.choice(free)
        if self.dice.random() < 0.1:
            self.sit(known)
            return
        player = self.dice.choice(known.players)
        if (not player.tabs or self.dice.random() < 0.45) and self.get(
            known, player, number
        ) is None:
            return
        page = player.tabs[0] if self.dice.random() < 0.85 else self.dice.choice(player.tabs)
        offered = [
            form for form in forms(page) if form.action.startswith(seat(known.name, player.side))
        ]
        if self.dice.random() < 0.06:
            self.cheat(known, player, number)
            return
        if self.dice.random() > 0.1:
            offered = [form for form in offered if form.kind != "reveal"] or offered
        if any("die1" in dict(form.choices) for form in offered) and self.dice.random() < AT_PROMPT:
            self.sit(known)  # at the prompt the dice are thrown one by one
            return
        if offered:
            kinds = sorted({form.kind for form in offered})
            weights = [WISHES.get(kind, 6) for kind in kinds]
            kind = self.dice.choices(kinds, weights)[0]
            form = self.dice.choice([one for one in offered if one.kind == kind])
            torn = self.dice.choices(("", "body", "answer"), (40, 1, 1))[0]
            self.found["connections torn"] += bool(torn)
            self.post(known, player, form, self.fill(player, form), number, torn)

    def cheat(self, known: Known, player: Player, number: int) -> None:
        """Send from a player's own seat what another seat's page offers, or what no page offers."""
        other = self.dice.choice([one for one in known.players if one is not player])
        if self.dice.random() < FRESH:
            for one in (other, player):
                self.get(known, one, number)
        mark = seen(player.tabs[0]) or known.oracle.marks[-1][player.side]
        theirs = [
            form for page in other.tabs[:1] for form in forms(page) if "/seat/" in form.action
        ]
        sent: dict[str, str] = {}
        kind = self.dice.choice(("undo", "reveal", "dice", "order"))
        if theirs and self.dice.random() < 0.7:
            form = self.dice.choice(theirs)
            kind, sent = form.kind, self.fill(other, form)
        self.found["cheats"] += 1
        mine = Form(f"{seat(known.name, player.side)}/{kind}", (), (), "")
        self.post(known, player, mine, {"order": "nonsense", **sent, "seen": mark}, number)

    def fill(self, player: Player, form: Form) -> dict[str, str]:
        sent = filled(form, self.dice)
        if form.kind == "order" and not sent.get("order"):
            sent["order"] = self.dice.choice(("nonsense", "pass x=1", "0", "fire at=K5"))
        return sent

    def sit(self, known: Known) -> None:
        """Play some lines at the prompt, while others keep playing."""
        process = Process("prompt")
        lines = self.dice.randint(2, 6)
        self.depth += 1
        self.found["sittings at the prompt"] += 1
        try:
            with self.system.run_by(process):
                session, _ = reopen(self.folder / f"{known.name}{ENDING}", self.installed)
                Prompt(self, known, session, lines).play()
                session.journal.close()
        except (InputError, JournalError, ProcedureError) as error:
            expected = any(words in str(error) for words in ("somebody else", "in use by another"))
            must(expected or self.faulty or self.lied, f"the prompt: {error}")
        except KilledError:
            pass
        finally:
            self.depth -= 1
            self.bury(process)

    def stranger(self, known: Known) -> None:
        """Send a request without the token or the seat's link: nothing may be revealed."""
        side = self.dice.choice(known.oracle.sides)
        other = self.dice.choice([one for one in known.oracle.sides if one != side])
        wrong = self.dice.choice(("", "x", TOKEN[:-1], known.links[other], known.links[side][:-1]))
        cookies = self.dice.choice(
            (
                {},
                {"fireplan-token": wrong},
                {"fireplan-token": TOKEN},
                {"fireplan-token": TOKEN, "fireplan-seat": wrong},
                {"fireplan-token": TOKEN, "fireplan-host": wrong},
            )
        )
        here, screen = seat(known.name, side), f"/tables/{known.name}"
        method, form = "GET", dict[str, str]()
        address = self.dice.choice(
            (
                here,
                f"{here}?token={wrong}&invitation={wrong}",
                f"/?token={wrong}",
                screen,
                "/tables",
            )
        )
        if self.dice.random() < 0.5:
            method, address = (
                "POST",
                f"{here}/{self.dice.choice(('order', 'dice', 'undo', 'reveal', 'take'))}",
            )
            form = {
                "seen": known.oracle.marks[-1][side],
                "order": "pass",
                "invitation": wrong,
            }
            (player,) = (one for one in known.players if one.side == side)
            page = self.get(known, player, 0) if self.dice.random() < FRESH else None
            offered = [
                one for one in forms(page.text if page else "") if one.action.startswith(here)
            ]
            if offered:  # a form that the seat itself could send now
                one = self.dice.choice(offered)
                address, form = one.action, filled(one, self.dice)
        answer = self.ask(self.dice.randrange(SERVERS), method, address, form, cookies)
        self.found["strangers"] += 1
        if answer is None:
            return
        text = f"{answer.headers}{answer.text}"
        must(TOKEN not in text, f"the token is revealed to a stranger: {address}")
        must(
            not any(key in text for key in known.links.values()),
            f"a link is revealed to a stranger: {address}",
        )
        invited = cookies.get("fireplan-token") == TOKEN
        let_in = invited and answer.status in (200, 303) and here not in address
        unread = (
            invited and self.faulty and answer.status == 422 and "cannot be read" in answer.text
        )
        kept_out = answer.status in (403, 400)
        must(
            let_in or unread or kept_out,
            f"a stranger is let in: {method} {address} {answer.status}",
        )

    def jump(self, known: Known) -> None:
        """Move the clock forward or back while everybody looks at a table."""
        self.found["jumps of the clock"] += 1
        for player in known.players * ORDERS:
            self.press(known, player, "order")
        self.clock += self.dice.choice((-100_000.0, -1.0, 30.0, 601.0, 100_000.0))
        for player in known.players:
            self.get(known, player, 0)

    def press(self, known: Known, player: Player, kind: str) -> None:
        """Load a player's seat, and send a form of this kind if the page offers one."""
        page = self.get(known, player, 0)
        offered = [one for one in forms(page.text if page is not None else "") if one.kind == kind]
        if offered and offered[0].action.startswith(seat(known.name, player.side)):
            form = self.dice.choice(offered)
            self.post(known, player, form, self.fill(player, form), 0)

    def close(self) -> None:
        """Do nothing, because a simulated process holds no resources after its death."""

    # --- opening tables --------------------------------------------------------------------------
    def begin(self, name: str) -> Known:
        """Open a table over HTTP and let its seats be taken, without interruption."""
        self.depth += 100
        try:
            return self._begin(name)
        finally:
            self.depth -= 100

    def try_to_begin(self) -> None:
        """Try to open a table at a server that is killed, or whose disk fails."""
        self.depth += 100
        self.system.at_syncs = False
        self.system.countdown, self.cut = self.dice.randint(1, CALLS), self.dice.random() < 0.3
        scenario = self.dice.choice(sorted(self.heads))
        cookies = {"fireplan-token": TOKEN}
        answer = self.ask(
            self.dice.randrange(SERVERS), "POST", "/tables", {"scenario": scenario}, cookies
        )
        self.depth -= 100
        self.found["tables opened in bad times"] += 1
        if answer is not None and answer.status == 303:
            self.opened.append(answer.header("location").rpartition("/")[2])

    def _begin(self, name: str) -> Known:
        cookies = {"fireplan-token": TOKEN}
        for number in range(20):
            answer = self.ask(number % SERVERS, "POST", "/tables", {"scenario": name}, cookies)
            if answer is not None and answer.status == 303:
                break
        must(answer is not None and answer.status == 303, "no table can be opened")
        table = answer.header("location").rpartition("/")[2]
        known = self.tables[table] = Known(table, Oracle(self.installed, self.heads[name]))
        host = {**cookies, **answer.cookies}
        page = self.ask(0, "GET", f"/tables/{table}", {}, host)
        invitations = {
            side: page.text.partition(f"{seat(table, side)}?token={TOKEN}&amp;invitation=")[2]
            for side in known.oracle.sides
        }
        for side, rest in invitations.items():
            invitation = rest.partition('"')[0]
            must(invitation, f"there is no invitation for {side}")
            guest = self.ask(0, "GET", f"/tables/{table}", {}, cookies)
            must(invitation not in guest.text, f"a guest is shown the invitation of {side}")
            form = {"invitation": invitation}
            taken = self.ask(0, "POST", f"{seat(table, side)}/take", form, cookies)
            known.links[side] = taken.cookies["fireplan-seat"]
            known.players.append(
                Player(
                    table, side, {n: v for n, v in taken.cookies.items() if n != "fireplan-token"}
                )
            )
        return known
