"""What is checked of a world: nothing lost, every seat sees what the rules say, nobody learns anything early.

Each table is judged by copies of its files, read with Python's own sqlite3 by a studio that knows nothing else, and by
the oracle, which follows the journal with the core alone.
"""

from __future__ import annotations

import html
import re
from pathlib import Path
from typing import Any

import attrs
from browser import asked, seat
from disk import FATES, Disk
from oracle import must
from twins import apart_from
from world import ENDING, TOKEN, Known, Server, World

from fireplan.studio import Settings, studio
from fireplan.table import HeadError, Journal, JournalError, broken_seals, differences, opened, reopen
from fireplan_core import REFEREE, Ask, ProcedureError
from fireplan_core.numbers import numbers_of, with_numbers
from fireplan_core.play import Catalogue

_TOLD = re.compile(r'<ol class="log".*?</ol>|<div id="said".*?</div>|/undo".*?</form>', re.DOTALL)
"""Where a page says what was done; orders on offer name what may be done."""


class Judge:
    """Judges a world by what lies in its folder; ``here`` is a folder for the copies."""

    def __init__(self, world: World, here: Path) -> None:
        self.world, self.here = world, here
        world.looks = self.looks

    # --- what a side is shown --------------------------------------------------------------------
    def looks(self, known: Known, side: str, text: str, server: Server | None) -> None:
        """Look through what a side is shown for what it must not know."""
        plain = html.unescape(text)
        others = [key for seat_, key in known.links.items() if seat_ != side and key in plain]
        must(not others, f"{side} is shown the link of another seat")
        found = server.shared.sessions._open.get(known.name) if server is not None else None  # noqa: SLF001
        if found is None or found.session.revealed:
            return
        session = found.session
        laid = [*session.seals, *(seal for one in session.story for seal in one.seals)]
        must(not any(seal.salt in plain for seal in laid), f"{side} is shown a salt")
        must(session.journal is None or session.journal._last not in plain, f"{side} is shown the chain")  # noqa: SLF001
        if side == REFEREE:
            return
        own = {str(one.says) for one in known.typed if one.side in (side, "")}
        log = " ".join(_TOLD.findall(text)) if "<html" in text else plain
        secrets = [seal.record.says for seal in laid if seal.record.side != side]
        read = [says for says in secrets if says in log and not any(says in one for one in own)]
        must(not read, f"{side} is shown the secret {read}")

    # --- a table ---------------------------------------------------------------------------------
    def all(self, *, everywhere: bool = False) -> None:
        """Judge all tables, and have the lights on again."""
        world = self.world
        world.depth += 100  # nobody does anything meanwhile
        try:
            self._all(everywhere=everywhere)
        finally:
            world.depth -= 100

    def _all(self, *, everywhere: bool) -> None:
        world = self.world
        world.system.countdown = 0
        world.system.full = world.system.broken = world.faulty = False
        if not world.power:
            self.image(world.dice.choice(FATES))
        for name in sorted(world.tables):
            self.table(world.tables[name], everywhere=everywhere)
        world.lied = world.system.lies

    def image(self, fate: str) -> None:
        """Let the power come back: what was certain is there, of the rest what the fate says."""
        world = self.world
        self.stop()
        files = world.disk.image(fate, world.dice)
        world.found[f"power lost: {fate}"] += 1
        world.system.lies = False
        self.place(files)
        world.power = True

    def place(self, files: dict[str, bytes]) -> None:
        """Have these journals in the folder and no others."""
        world = self.world
        for file in world.folder.glob(f"*{ENDING}*"):
            file.unlink()
        for name, content in files.items():
            Path(name).write_bytes(content)
        world.disk = Disk(files)
        world.system.known = set(files)

    def files(self, known: Known) -> dict[str, bytes]:
        return {str(file): file.read_bytes() for file in sorted(self.world.folder.glob(f"{known.name}{ENDING}*"))}

    def copied(self, known: Known, files: dict[str, bytes]) -> Path:
        """The files of a table in the folder of copies, and those alone."""
        for file in self.here.iterdir():
            file.unlink()
        for name, content in files.items():
            (self.here / Path(name).name).write_bytes(content)
        secrets = self.world.folder / f"{known.name}.seats"
        if secrets.exists():
            (self.here / secrets.name).write_bytes(secrets.read_bytes())
        return self.here / f"{known.name}{ENDING}"

    def table(self, known: Known, *, everywhere: bool = False) -> None:
        """Judge one table."""
        world, oracle = self.world, known.oracle
        world.found["tables judged"] += 1
        files = self.files(known)
        path = self.copied(known, files)
        try:
            journal = Journal.open(path, read_only=True)
        except JournalError as error:
            must(world.lied, f"{known.name}: {error}")
            self.give_up(known)
            return
        journal.close()
        if world.lied and len(journal.rows) < len(oracle.rows):
            must(journal.rows == oracle.rows[: len(journal.rows)], "a lying disk made another game")
            self.forget(known, journal.rows)
        start = len(oracle.rows)
        oracle.follow(journal.rows)
        must(world.lied or oracle.fits(known.requests, start), f"{known.name}: {told(known, start)}")
        known.requests.clear()
        if len(files) > 1:
            self.alone(known, files)
            path = self.copied(known, files)
        session, head = reopen(path, world.installed, read_only=True)
        differs = differences(session, head, world.installed)
        must(not session.differs and not differs, f"the replay differs: {differs}")
        core = oracle.core
        must((session.table.state, session.table.log) == (core.state, core.log), "the journal is read as another game")
        must(session.faces == oracle.faces, "half a throw is read as another")
        must(not broken_seals(session), "a seal is broken")
        session.journal.close()
        self.pages(known, everywhere=everywhere)

    def pages(self, known: Known, *, everywhere: bool) -> None:
        """Every seat is shown by every server what a studio shows that has only just come to the journal."""
        world = self.world
        afresh = studio(Settings(port=8043, tables=self.here, token=TOKEN))
        players = [one for one in known.players if everywhere or world.dice.random() < 0.3]
        for player in players:
            for number in range(len(world.servers)) if everywhere else [world.dice.randrange(len(world.servers))]:
                shown = world.get(known, player, number)
                cookies = {"fireplan-token": TOKEN, **player.cookies}
                fresh = asked(afresh, "GET", seat(known.name, player.side), {}, cookies)
                must(shown is not None, f"{player.side} is shown nothing by server {number}")
                same = shown.text == fresh.text
                parts = "" if same else parting(shown.text, fresh.text)
                must(same, f"{player.side} is shown another table by server {number}: {parts}")

    def alone(self, known: Known, files: dict[str, bytes]) -> None:
        """The file of a table without what lies beside it is refused, or the whole game (with what was under way)."""
        self.world.found["copies torn from a write"] += 1
        main = str(self.world.folder / f"{known.name}{ENDING}")
        path = self.copied(known, {main: files[main]} if main in files else {})
        try:
            journal = Journal.open(path, read_only=True)
        except JournalError:
            return
        journal.close()
        must(journal.rows[: len(known.oracle.rows)] == known.oracle.rows, "a torn copy is believed")

    def forget(self, known: Known, rows: list[Any]) -> None:
        """Take the game back to these inputs, as a disk that lied or an old copy left it."""
        known.oracle.clear()
        known.oracle.follow(rows)
        known.requests.clear()
        if known.copied > len(rows):
            known.copy, known.copied = {}, -1

    def give_up(self, known: Known) -> None:
        """A disk that lied left nothing that can be read: what is salvaged must be of the game."""
        world = self.world
        world.found["tables that a lying disk took"] += 1
        try:
            saved, _ = Journal.salvage(self.here / f"{known.name}{ENDING}", self.here / "saved.fireplan")
            saved.close()
            pairs = zip(saved.rows, known.oracle.rows, strict=False)
            must(all(one == other for one, other in pairs), "another game was salvaged")
        except JournalError:
            pass
        scenario = known.oracle.head.name
        self.stop()
        self.place({name: content for name, content in self.all_files().items() if f"{known.name}{ENDING}" not in name})
        del world.tables[known.name]
        world.begin(scenario)

    def all_files(self) -> dict[str, bytes]:
        return {str(file): file.read_bytes() for file in sorted(self.world.folder.glob(f"*{ENDING}*"))}

    # --- copies ----------------------------------------------------------------------------------
    def keep(self, known: Known) -> None:
        """Make a copy of a table, to come back to."""
        self.table(known)
        known.copy, known.copied = self.files(known), len(known.oracle.rows)

    def restore(self, known: Known, *, running: bool = False) -> None:
        """Put the copy in the table's place; ``running``: under the servers, as a new file."""
        world = self.world
        self.table(known)
        if not known.copy:
            return
        world.found[f"restored {'under' if running else 'without'} the servers"] += 1
        if not running:
            self.stop()
        for name in self.files(known):
            Path(name).unlink()
            world.disk.names.pop(name, None)
        for name, content in known.copy.items():
            Path(name).write_bytes(content)
            world.disk.put(name, content)
            world.system.known.add(name)
        self.forget(known, known.oracle.rows[: known.copied])

    def stop(self) -> None:
        """End all servers at once."""
        for number, server in enumerate(self.world.servers):
            if server is not None:
                self.world.bury(server.process)
                self.world.servers[number] = None

    def flip(self, known: Known) -> None:
        """Change some bits of a copy: it is refused, or the game that was played."""
        world = self.world
        files = self.files(known)
        main = str(world.folder / f"{known.name}{ENDING}")
        content = bytearray(files[main])
        for _ in range(world.dice.choice((1, 1, 2, 8))):
            content[world.dice.randrange(len(content))] ^= 1 << world.dice.randrange(8)
        path = self.copied(known, {**files, main: bytes(content)})
        world.found["damaged copies"] += 1
        try:
            session, _ = reopen(path, world.installed, read_only=True)
        except (JournalError, HeadError, ProcedureError):
            return
        session.journal.close()
        same = session.rows == known.oracle.rows and session.table.state == known.oracle.core.state
        must(same, "a damaged copy was opened as another game")

    # --- another version -------------------------------------------------------------------------
    def versions(self, known: Known) -> None:
        """Open the table with a number of its game changed: it is said, from the first input that it matters to."""
        world, oracle = self.world, known.oracle
        entry = world.installed[oracle.head.game]
        cells = [one for one in numbers_of(entry.game.charts).values() if one.cell.steps]
        number = world.dice.choice(cells)
        charts = with_numbers(entry.game.charts, {number.name: str(world.dice.choice(number.cell.steps))})
        games = Catalogue()
        other = attrs.evolve(entry, game=attrs.evolve(entry.game, charts=charts))
        games.games = {**world.installed.games, oracle.head.game: other}
        world.found["opened by other rules"] += 1
        path = self.copied(known, self.files(known))
        try:
            row = oracle.first_difference(*opened(games, oracle.head))
            session, head = reopen(path, games, read_only=True)
            words = differences(session, head, games)
            session.journal.close()
        except (JournalError, HeadError, ProcedureError) as error:
            words = str(error)
            if "does not fit" not in words:
                return
        else:
            must(f"chart {number.chart}" in words, f"{number.name} was changed, and nothing is said of it")
        if row is None:
            same = words.startswith("every input comes out the same, but")
            must(same, f"{number.name} changes nothing, but: {words}")
        else:
            place = f"after input {row} (" if row else "before the first input"
            must(words.startswith(place) or f"input {row} does not fit" in words, f"input {row} differs, but: {words}")

    def fork(self, known: Known) -> None:
        """Play the table on as two that differ in a secret: nobody else can tell them apart."""
        waits = known.oracle.core.waits_for
        if isinstance(waits, Ask):
            apart_from(self.world.installed, known.oracle.head, known.oracle.rows, self.world.dice, self.world.found)


def told(known: Known, start: int) -> str:
    """What does not fit together, in words."""
    rows = [known.oracle.told[n] for n in range(start, len(known.oracle.rows))]
    asked_ = [attrs.asdict(one) for one in known.requests]
    return f"no order of the requests gives the journal: rows {rows}, requests {asked_}"[:3000]


def parting(one: str, other: str) -> str:
    """Where two texts part."""
    pairs = enumerate(zip(one, other, strict=False))
    at = next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
    return f"{one[max(0, at - 60) : at + 80]!r} for {other[at : at + 80]!r}"
