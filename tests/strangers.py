"""What a stranger may send beside a database, and a home in which it shows what SQLite did with it."""

import os
import struct

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
    """Somebody's home: canaries all over it, and a folder of downloads with what a stranger sent."""

    root: os.PathLike

    @property
    def thesis(self):
        return self.root / "work" / "thesis.txt"

    @property
    def downloads(self):
        return self.root / "downloads"

    def seen(self):
        """Every name below the home with its kind, its other names, its bytes and when it was last changed."""
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


def rollback_naming(name, database):
    """A rollback file without a page that ends with the name of another file, as SQLite writes it."""
    pages = database.stat().st_size // PAGE if database.exists() else 0
    header = MARK + struct.pack(">5I", 0, 0, pages, SECTOR, PAGE)
    name = os.fsencode(name)
    ending = (
        struct.pack(">I", 2**30 // PAGE + 1)
        + name
        + struct.pack(">2I", len(name), sum(name))
        + MARK
    )
    return header.ljust(SECTOR, b"\0") + ending


def beside(database, ending):
    return database.with_name(f"{database.name}{ending}")


def _naming(told):
    return lambda database, home: beside(database, "-journal").write_bytes(
        rollback_naming(told(home), database)
    )


def _linked(ending):
    return lambda database, home: beside(database, ending).symlink_to(home.thesis)


def _dangling(ending):
    return lambda database, home: beside(database, ending).symlink_to(
        home.root / "work" / "nothing"
    )


def _same_file(ending):
    return lambda database, home: os.link(home.thesis, beside(database, ending))


def _pipe(ending):
    return lambda database, _home: os.mkfifo(beside(database, ending))


def _folder(ending):
    return lambda database, _home: beside(database, ending).mkdir()


def _file(ending):
    return lambda database, _home: beside(database, ending).write_bytes(b"\x37\x7f\x06\x82" * 100)


NAMING = {
    "a rollback file that names another": _naming(lambda home: home.thesis),
    "a rollback file that names another from the folder of work": _naming(
        lambda _: "../work/thesis.txt"
    ),
    "a rollback file that names its neighbour": _naming(lambda _: "holiday.txt"),
    "a rollback file that names an empty file": _naming(lambda home: home.root / "work" / "empty"),
}
WRITE_AHEAD = ("-wal", "-shm")
ENDINGS = ("-journal", *WRITE_AHEAD)
SECOND_NAME = _same_file("-journal")
"""What is refused only where SQLite would write to it: a rollback file that is stored elsewhere, too."""
COMPANIONS = {
    **NAMING,
    **{f"a link at {ending}": _linked(ending) for ending in ENDINGS},
    **{f"a link to nothing at {ending}": _dangling(ending) for ending in ENDINGS},
    **{f"a second name at {ending}": _same_file(ending) for ending in WRITE_AHEAD},
    **{f"a pipe at {ending}": _pipe(ending) for ending in ENDINGS},
    **{f"a folder at {ending}": _folder(ending) for ending in ENDINGS},
    "a write-ahead file": _file("-wal"),
    "shared memory": _file("-shm"),
}
"""What may lie beside a database, by its description: laid there for a database and a home."""
