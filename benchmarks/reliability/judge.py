"""Check a world: nothing is lost, every seat sees what the rules say, and no secret is shown early.

Each table is judged by a copy of its file, which a fresh studio reads, and by the oracle, which
replays the journal with only the core.
"""

from __future__ import annotations

import html
import json
import random
import re
from pathlib import Path
from typing import Any

import attrs
from around import Known
from browser import asked, filled, forms, seat
from disk import FATES, Disk
from oracle import BrokenError, must
from tables import last_hash
from world import ENDING, TOKEN, World

from fireplan.cli.journals import _text
from fireplan.errors import InputError, JournalError
from fireplan.questions.recorded import exported
from fireplan.table import (
    Journal,
    Outlook,
    Prompt,
    Session,
    Viewer,
    broken_seals,
    differences,
    reopen,
    view_of,
)
from fireplan_core import REFEREE, Ask, Event, ProcedureError
from fireplan_core.play import State
from fireplan_studio import Settings, studio

_VALUE = re.compile(
    rb'"(?:face|inputs|format|moments)": |"(?:edition|version|core|name|text)": "|"seat": "|="'
)
_OF_ONE = re.compile(
    r'<(p|form)[^>]* class="(?:small )?wish">.*?</\1>|<form[^>]*/ask".*?</form>|(?<=[0-9a-f])_asked(?=")',
    re.DOTALL,
)
_TOLD = re.compile(r'<ol class="log".*?</ol>|<div id="said".*?</div>|/undo".*?</form>', re.DOTALL)
"""Matches the parts of a page that report what was done, unlike the orders on offer."""
_DONE = re.compile("undone: .*|.*(?:take back|taken back|takes back|last order back).*")
"""Matches the prompt's lines about inputs that are taken back."""

EXPORTED = 0.3
"""Chance that a table is exported for a side when it is judged."""
IMAGES = 3
"""The number of images examined for each moment at which the power may have failed."""


class Judge:
    """The judge of a world, by the files in its folder; copies go to the folder ``here``."""

    def __init__(self, world: World, here: Path) -> None:
        self.world, self.here = world, here
        world.looks, world.hears = self.looks, self.hears

    # --- what a side is shown --------------------------------------------------------------------
    def hears(self, known: Known, side: str, text: str, session: Session) -> None:
        """Check the text of a prompt: it shows no links, no salts and no secrets of other sides.

        Only lines about take-backs are searched for secrets, because the orders on offer can name
        the same things as another side's secrets.
        """
        known.called_torn |= bool(session.journal and session.journal.note)
        links = [key for key in known.links.values() if key in text]
        must(not links, f"{side} is shown a link at the prompt")
        if not session.revealed:
            self.seals(known, side, text, "\n".join(_DONE.findall(text)), session)

    def seals(self, known: Known, side: str, text: str, shown: str, session: Session) -> None:
        """Check that a text shows neither salts nor the chain, and that ``shown`` shows no secrets of others."""
        sealed = [*session.seals, *(seal for one in session.history.story for seal in one.seals)]
        must(not any(seal.salt in text for seal in sealed), f"{side} is shown a salt")
        must(
            session.journal is None or last_hash(session.journal) not in text,
            f"{side} is shown the chain",
        )
        if side == REFEREE:
            return
        own = {str(one.says) for one in known.typed if one.side in (side, "")}
        secrets = [seal.record.says for seal in sealed if seal.record.side != side]
        read = [says for says in secrets if says in shown and not any(says in one for one in own)]
        must(not read, f"{side} is shown the secret {read}")

    def looks(self, known: Known, side: str, text: str, session: Session | None) -> None:
        """Check a page or view for secrets of other sides."""
        plain = html.unescape(text)
        others = [key for seat_, key in known.links.items() if seat_ != side and key in plain]
        must(not others, f"{side} is shown the link of another seat")
        if session is None:
            return
        known.called_torn |= bool(session.journal and session.journal.note)
        if session.revealed:
            return
        self.seals(
            known, side, plain, " ".join(_TOLD.findall(text)) if "<html" in text else plain, session
        )
        if side == REFEREE:
            return
        waits, shown = session.table.waits_for, view_of(session, side)
        unseen = unseen_by(session, side)
        named = {one.name for one in (*shown.situation.units, *shown.situation.assets)}
        must(not unseen & named, f"{side} is shown what is hidden: {unseen & named}")
        if (
            isinstance(waits, Ask)
            and session.scenario.questions[waits.question].secret
            and waits.who != side
        ):
            must(
                shown.form == Prompt("wait"), f"{side} is shown what {waits.who} is asked in secret"
            )
        supposed = supposed_details(session, side)
        others = [one for one in shown.situation.units if one.details != supposed[one.name]]
        aims = [
            one
            for one in shown.situation.assets
            if one.side != side and (one.target or one.details)
        ]
        must(
            not others and not aims,
            f"{side} is shown what others keep: {[one.name for one in (*others, *aims)]}",
        )

    # --- the tables, judged one by one -----------------------------------------------------------
    def all(self, *, everywhere: bool = False) -> None:
        """Judge all tables; afterwards no faults are in force, and the power is on."""
        world = self.world
        world.depth += 100  # nobody acts meanwhile
        try:
            self._all(everywhere=everywhere)
        finally:
            world.depth -= 100

    def _all(self, *, everywhere: bool) -> None:
        world = self.world
        world.system.countdown = 0
        world.system.full = world.system.broken = world.faulty = False
        self.synced()
        self.other_images()
        if not world.power:
            self.image(world.dice.choice(FATES))
        for name in sorted(world.tables):
            self.table(world.tables[name], everywhere=everywhere)
            if everywhere or world.dice.random() < 0.2:
                self.goes_on(world.tables[name])
        self.unplayed()
        world.lied = world.system.lies

    def synced(self) -> None:
        """Check that everything written was synced, unless a call failed or a process was killed."""
        system, certain = self.world.system, self.world.disk.certain
        must(certain or system.disturbed, "an answer was given before all was on the disk")
        system.disturbed = not certain

    def unplayed(self) -> None:
        """Check the tables without players: none that was opened is lost, and every file left can
        be read or was never begun.
        """
        world = self.world
        for file in sorted(world.folder.glob(f"*{ENDING}")):
            name = file.name.removesuffix(ENDING)
            if name in world.tables:
                continue
            beside = {str(one): one.read_bytes() for one in world.folder.glob(f"{file.name}*")}
            try:
                Journal.open(self.copied(Known(name, None), beside), read_only=True).close()
            except JournalError as error:
                # If the opening of a table was never acknowledged, a power failure may leave its file in any state.
                said = name in world.dark or "it contains no game" in str(error)
                never = name not in world.opened and said
                must(never or world.lied, f"a table that was opened: {error}")
        lost = [name for name in world.opened if not (world.folder / f"{name}{ENDING}").exists()]
        must(not lost or world.lied, f"tables that were opened are gone: {lost}")
        world.opened = [] if world.lied else world.opened

    def image(self, fate: str) -> None:
        """Restore power: files are found as the ``fate`` leaves them, and all servers are down."""
        world = self.world
        self.stop()
        for known in world.tables.values():
            known.called_torn = False  # torn lines may have disappeared with the power failure
        files = world.disk.image(fate, world.dice)
        world.found[f"power lost: {fate}"] += 1
        world.system.lies = False
        self.place(files)
        world.dark |= {file.name.removesuffix(ENDING) for file in world.folder.glob(f"*{ENDING}")}
        world.power = True

    def other_images(self) -> None:
        """Check other states in which the power could leave the disk: every table is readable and complete."""
        world = self.world
        moments = [*world.disk.doubtful, world.disk]
        world.disk.doubtful = []
        if world.lied or world.system.lies:
            return
        dice = random.Random(world.dice.random())
        for moment in moments:
            for _ in range(0 if moment.certain else IMAGES):
                self.read_all(moment.image(dice.choice(FATES), dice))

    def read_all(self, files: dict[str, bytes]) -> None:
        """Check that every table can be read from these files and holds what it held when last judged."""
        for name, known in self.world.tables.items():
            own = {
                file: content
                for file, content in files.items()
                if Path(file).name.startswith(f"{name}{ENDING}")
            }
            rows, path = known.oracle.rows, self.copied(known, own)
            if not rows:
                continue  # the opening of the table may not have been stored yet
            try:
                journal = Journal.open(path, read_only=True)
            except JournalError as error:
                raise BrokenError(f"{name}, if the power leaves it so: {error}") from error
            journal.close()
            both = min(len(rows), len(journal.rows))
            kept = both >= known.certain and journal.rows[:both] == rows[:both]
            must(kept, f"{name} may lose inputs with the power")

    def place(self, files: dict[str, bytes]) -> None:
        """Replace all journals in the folder by these."""
        world = self.world
        for file in world.folder.glob(f"*{ENDING}*"):
            file.unlink()
        for name, content in files.items():
            Path(name).write_bytes(content)
        world.disk = Disk(files)
        world.system.disturbed = False

    def files(self, known: Known) -> dict[str, bytes]:
        return {
            str(file): file.read_bytes()
            for file in sorted(self.world.folder.glob(f"{known.name}{ENDING}*"))
        }

    def copied(self, known: Known, files: dict[str, bytes]) -> Path:
        """Copy a table's files into the empty folder of copies; return the path of its journal."""
        for file in self.here.iterdir():
            file.unlink()
        for name, content in files.items():
            (self.here / Path(name).name).write_bytes(content)
        for secrets in self.world.folder.glob(f"{known.name}.seat*"):
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
        known.torn |= bool(journal.note) or b"(interrupted)" in files[str(world.folder / path.name)]
        must(
            known.torn or not known.called_torn or world.lied,
            f"{known.name} was called torn while somebody wrote",
        )
        known.called_torn = False
        if world.lied and len(journal.rows) < len(oracle.rows):
            must(journal.rows == oracle.rows[: len(journal.rows)], "a disk fault made another game")
            self.forget(known, journal.rows)
        start = len(oracle.rows)
        world.disk.doubtful = []  # possible disk states from before these rows no longer apply
        oracle.follow(journal.rows)
        if world.disk.certain:
            known.certain = len(journal.rows)
        must(
            world.lied or oracle.fits(known.requests, start),
            f"{known.name}: {contradiction(known, start)}",
        )
        known.requests.clear()
        session, head = reopen(path, world.installed, read_only=True)
        known.head = known.head or head
        must(head == known.head, "the table is played with something else")
        differs = differences(session, head, world.installed)
        must(not session.differs and not differs, f"the replay differs: {differs}")
        core = oracle.core
        must(
            (session.table.state, session.table.log) == (core.state, core.log),
            "the journal is read as another game",
        )
        must(session.faces == oracle.faces, "half a throw is read as another")
        must(not broken_seals(session), "a seal is broken")
        standing: list[Any] = []
        for one in session.history.story:
            standing = standing[:-1] if one.taken_back else [*standing, one.given]
        must(standing == oracle.inputs, "the story of the table is not what was given")
        if not session.revealed and world.dice.random() < EXPORTED:
            side = world.dice.choice([one for one in oracle.sides if one != REFEREE])
            data = exported(session, head, side)
            # An order on offer can have the same words as the other side's secret order.
            del data["form"]
            for text in (_text(session, head, side), json.dumps(data)):
                self.seals(known, side, text, text, session)
        session.journal.close()
        self.pages(known, everywhere=everywhere)

    def pages(self, known: Known, *, everywhere: bool) -> None:
        """Check that every server shows each seat the same page as a fresh studio does."""
        world = self.world
        afresh = studio(Settings(port=8043, tables=self.here, token=TOKEN))
        players = [one for one in known.players if everywhere or world.dice.random() < 0.3]
        for player in players:
            for number in (
                range(len(world.servers))
                if everywhere
                else [world.dice.randrange(len(world.servers))]
            ):
                shown = world.get(known, player, number)
                cookies = {"fireplan-token": TOKEN, **player.cookies}
                fresh = asked(afresh, "GET", seat(known.name, player.side), {}, cookies)
                must(shown is not None, f"{player.side} is shown nothing by server {number}")
                # A request to take back an order is known to one server only, so it is left out.
                texts = [
                    re.sub(r">\s+<", "><", _OF_ONE.sub("", answer.text))
                    for answer in (shown, fresh)
                ]
                same = texts[0] == texts[1]
                parts = "" if same else parting(*texts)
                must(same, f"{player.side} is shown another table by server {number}: {parts}")

    def goes_on(self, known: Known) -> None:
        """Check that, at each server, a player who is asked can give an order or dice that the page offers."""
        world = self.world
        for number in range(len(world.servers)):
            for player in known.players:
                shown = world.get(known, player, number)
                offered = (
                    []
                    if shown is None
                    else [one for one in forms(shown.text) if one.kind in ("order", "dice")]
                )
                if shown is None or not offered or not dict(offered[0].fields).get("order", "x"):
                    continue
                before = world.found["acknowledged"]
                sent = filled(offered[0], world.dice)
                if offered[0].kind == "dice":
                    # Name no card, because the one chosen may be in another hand.
                    sent |= {name: "" for name, _ in offered[0].choices}
                world.post(known, player, offered[0], sent, number)
                must(
                    world.found["acknowledged"] > before,
                    f"{player.side} cannot go on at server {number}",
                )
                break

    def forget(self, known: Known, rows: list[Any]) -> None:
        """Reset the record of a table to these inputs, after a disk fault or the restoration of a copy."""
        known.oracle.clear()
        known.oracle.follow(rows)
        known.certain = min(known.certain, len(rows))
        known.requests.clear()
        known.called_torn = False
        if known.copied > len(rows):
            known.copy, known.copied = {}, -1

    def give_up(self, known: Known) -> None:
        """Replace a table destroyed by a disk fault; check that the salvaged inputs are from its game."""
        world = self.world
        world.found["tables destroyed by a disk fault"] += 1
        self.salvage(known, self.here / f"{known.name}{ENDING}")
        scenario = known.oracle.head.name
        self.stop()
        self.place(
            {
                name: content
                for name, content in self.all_files().items()
                if f"{known.name}{ENDING}" not in name
            }
        )
        del world.tables[known.name]
        world.begin(scenario)

    def all_files(self) -> dict[str, bytes]:
        return {
            str(file): file.read_bytes() for file in sorted(self.world.folder.glob(f"*{ENDING}*"))
        }

    # --- copies of a table -----------------------------------------------------------------------
    def keep(self, known: Known) -> None:
        """Copy a table, so that it can be restored later."""
        self.table(known)
        known.copy, known.copied = self.files(known), len(known.oracle.rows)

    def restore(self, known: Known, *, running: bool = False) -> None:
        """Restore the copy of a table; with ``running``, while servers are up, as a new file."""
        world = self.world
        self.table(known)
        if not known.copy:
            self.keep(known)
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
        self.forget(known, known.oracle.rows[: known.copied])

    def stop(self) -> None:
        """Kill all servers at once."""
        for number, server in enumerate(self.world.servers):
            if server is not None:
                self.world.bury(server.process)
                self.world.servers[number] = None

    def flip(self, known: Known) -> None:
        """Damage a copy: it must be refused, or opened as the game that was played."""
        world = self.world
        files = self.files(known)
        if world.dice.random() < 0.3:
            self.cut(known, files)
            return
        main = str(world.folder / f"{known.name}{ENDING}")
        content = bytearray(files[main])
        if world.dice.random() < 0.3:
            for _ in range(world.dice.choice((1, 1, 2, 8))):
                content[world.dice.randrange(len(content))] ^= 1 << world.dice.randrange(8)
        else:  # within an input: replace one value by another
            found = [(match[0], match.end()) for match in _VALUE.finditer(content)]
            kind = world.dice.choice(sorted({kind for kind, _ in found}) or [b""])
            places = [end for each, end in found if each == kind]
            at = world.dice.choice(places or [len(content) - 1])
            content[at] = world.dice.choice(b"123456")
        path = self.copied(known, {**files, main: bytes(content)})
        world.found["damaged copies"] += 1
        try:
            session, head = reopen(path, world.installed, read_only=True)
        except (InputError, JournalError, ProcedureError):
            self.salvage(known, path)
            return
        # Only damage at the end of the last line may be reported as an unfinished line.
        rows, last = known.oracle.rows, files[main].splitlines()[-1]
        whole = session.rows == rows and session.table.state == known.oracle.core.state
        dice = len(json.loads(last).get("together", "1")) if last.endswith(b'"}') else 0
        said = bool(session.journal.note) and session.rows == rows[: len(rows) - dice]
        must(
            known.head in (None, head) and (whole or said),
            f"a damaged copy was opened as another game: {len(session.rows)} inputs, {len(rows)}",
        )

    def cut(self, known: Known, files: dict[str, bytes]) -> None:
        """Truncate a copy: it must open as an earlier state, and report an unfinished line only if there is one."""
        main = str(self.world.folder / f"{known.name}{ENDING}")
        content = files[main]
        length = self.world.dice.randint(0, len(content) - 1)
        path = self.copied(known, {**files, main: content[:length]})
        self.world.found["copies cut short"] += 1
        try:
            session, head = reopen(path, self.world.installed, read_only=True)
        except (InputError, JournalError, ProcedureError) as error:
            must("it contains no game" in str(error), f"a copy cut at {length}: {error}")
            return
        rows = known.oracle.rows
        same = session.rows == rows[: len(session.rows)] and known.head in (None, head)
        must(same, f"a copy cut at {length} was opened as another game")
        inside = not content[:length].endswith(b"\n")
        said = bool(session.journal.note)
        must(said == inside, f"a copy cut at {length}: an unfinished line is said: {said}")

    def salvage(self, known: Known, path: Path) -> None:
        """Check that the inputs salvaged from a broken table are the beginning of its game."""
        try:
            saved, _ = Journal.salvage(path, self.here / "saved.fireplan")
        except JournalError:
            return
        saved.close()
        pairs = zip(saved.rows, known.oracle.rows, strict=False)
        must(all(one == other for one, other in pairs), "another game was salvaged")


def supposed_details(session: Session, side: str) -> dict[str, tuple[str, ...]]:
    """Return what a side sees of each unit, by name, if its assumptions about hidden facts are true."""
    viewer, table, scenario = Viewer(session, side), session.table, session.scenario
    values = table.state.values.put(tuple(scenario.assumed_by(side).items()))
    seen = Outlook(
        viewer.eyes,
        session.moments,
        State(values, table.state.agenda),
        table.waits_for,
        viewer.known.names,
        (entry.event for entry in table.log),
    )
    return {one.name: one.details for one in seen.situation().units}


def unseen_by(session: Session, side: str) -> set[str]:
    """Return the assets and units that the rules hide from a side and that no event has shown to it."""
    scenario = session.scenario

    def shown(event: Event) -> bool:
        for part in scenario.parts:
            event = part.shows(scenario, event, side)
            if event is None:
                return False
        return True

    met = {
        str(value)
        for entry in session.table.log
        if shown(entry.event)
        for _, value in entry.event.fields
    }
    return {
        name
        for name in (*scenario.missions, *scenario.units)
        if name not in met
        and scenario.owner(name) not in (None, side)
        and any(part.hides(scenario, name, side) for part in scenario.parts)
    }


def contradiction(known: Known, start: int) -> str:
    """Return a sentence that describes requests and rows that contradict each other."""
    rows = [known.oracle.typed_rows[n] for n in range(start, len(known.oracle.rows))]
    asked_ = [attrs.asdict(one) for one in known.requests]
    return f"no order of the requests gives the journal: rows {rows}, requests {asked_}"[:3000]


def parting(one: str, other: str) -> str:
    """Return both texts around the place where they begin to differ."""
    pairs = enumerate(zip(one, other, strict=False))
    at = next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))
    return f"{one[max(0, at - 60) : at + 80]!r} for {other[at : at + 80]!r}"
