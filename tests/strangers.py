"""Files that a stranger may send with a game or results, and a home folder in which every change is
visible.

An older fireplan kept both in databases, whose engine deletes any file that a rollback file names.
Now no file beside a game is opened, whatever it is.
"""

import os
import struct
import sys
from contextlib import contextmanager
from functools import cache

import attrs

MARK = bytes.fromhex("d9d505f920a163d7")
SECTOR, PAGE = 512, 4096
CANARIES = (
    "notes.txt",
    "work/thesis.txt",
    "work/empty",
    ".config/keys",
    "downloads/holiday.txt",
    "here.txt",
)


@attrs.frozen
class Home:
    """A home folder: canaries throughout, and a folder of downloads with the stranger's files."""

    root: os.PathLike

    @property
    def thesis(self):
        return self.root / "work" / "thesis.txt"

    @property
    def downloads(self):
        return self.root / "downloads"

    def seen(self):
        """Return every name below the home with its kind, its other names, its bytes and the time
        of its last change.
        """
        found = {}
        for folder, folders, files in os.walk(self.root):
            for name in (*folders, *files):
                path = self.root / folder / name
                now = path.lstat()
                link = path.readlink() if path.is_symlink() else None
                content = path.read_bytes() if link is None and path.is_file() else None
                found[path.relative_to(self.root)] = (
                    now.st_mode,
                    now.st_nlink,
                    now.st_mtime_ns,
                    link,
                    content,
                )
        return found


def home_in(folder):
    home = Home(folder / "home")
    for name in CANARIES:
        path = home.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            "" if path.name == "empty" else f"what nobody else may touch: {name}\n" * 30
        )
    return home


def rollback_naming(name):
    """Return a rollback file without pages that ends with the name of another file, as SQLite
    writes it.
    """
    header = MARK + struct.pack(">5I", 0, 0, 3, SECTOR, PAGE)
    name = os.fsencode(name)
    ending = (
        struct.pack(">I", 2**30 // PAGE + 1)
        + name
        + struct.pack(">2I", len(name), sum(name))
        + MARK
    )
    return header.ljust(SECTOR, b"\0") + ending


def beside(file, ending):
    return file.with_name(f"{file.name}{ending}")


ENDINGS = ("-journal", "-wal", "-shm", ".lock", ".lck", ".whole", ".tmp", "~")
"""Endings of files that programs keep beside another: rollback, write-ahead, shared memory, locks,
drafts.
"""
KINDS = {
    "names another file": lambda path, home: path.write_bytes(rollback_naming(home.thesis)),
    "names another from the folder of work": lambda path, home: path.write_bytes(
        rollback_naming("../work/thesis.txt")
    ),
    "link": lambda path, home: path.symlink_to(home.thesis),
    "link to nothing": lambda path, home: path.symlink_to(home.root / "work" / "nothing"),
    "second name": lambda path, home: os.link(home.thesis, path),
    "pipe": lambda path, _home: os.mkfifo(path),
    "folder": lambda path, _home: path.mkdir(),
    "write-ahead file": lambda path, _home: path.write_bytes(b"\x37\x7f\x06\x82" * 100),
}
"""Kinds of companion files by name: each function creates one at a path, given the home folder."""
TURNS = range(len(KINDS))
"""In each turn every kind has one of the endings; after all turns each kind has had every ending.
"""


def surround(file, home, turn):
    """Put a companion file of every kind beside a file."""
    for place, ending in enumerate(ENDINGS):
        [*KINDS.values()][(place + turn) % len(KINDS)](beside(file, ending), home)


_watched = []


def _audited(event, arguments):
    if _watched and event.partition(".")[0] in ("open", "os", "shutil", "socket", "sqlite3"):
        _watched[-1].append((event, *map(str, arguments[:2])))


@cache
def _watch():
    """Start the audit hook, once: it stays active to the end of the process and slows every call."""
    sys.addaudithook(_audited)


@contextmanager
def nothing_touched_beside(file):
    """Check that the block opens, makes, moves or removes no file beside this one.

    Folders may be listed: ``replay --all`` goes through them.
    """
    _watch()
    _watched.append([])
    try:
        yield
    finally:
        done = _watched.pop()
        names = [beside(file, ending).name for ending in ENDINGS]
        done = [one for one in done if one[0] not in ("os.listdir", "os.scandir")]
        assert [one for one in done if any(name in " ".join(one[1:]) for name in names)] == []
        assert [one for one in done if "sqlite3" in one[0]] == []
