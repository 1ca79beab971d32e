"""Files that other files name: ordinary ones alone, below a folder, read no further than they may be large.

A device or a pipe would be read without end, and a file from elsewhere may hold what its owner
never meant to show.
"""

import errno
import os
import stat
from importlib.resources.abc import Traversable
from pathlib import Path

ALLOW_OUTSIDE = "FIREPLAN_ALLOW_OUTSIDE"
"""Set this in the environment, and files may name others that lie outside their own folder."""


def read_ordinary(path: Path | Traversable, most: int) -> bytes:
    """Return the bytes of a file, one more than ``most`` at most.

    Raises OSError, for a device or a pipe as well.
    """
    if not isinstance(path, Path):
        with path.open("rb") as file:
            return file.read(most + 1)
    # Without waiting: a pipe that nobody writes to would never open.
    descriptor = os.open(
        path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "it is no ordinary file", str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as opened:
            return opened.read(most + 1)
    finally:
        os.close(descriptor)


def below(folder: Path, name: str) -> Path:
    """Return the file of that name.

    Raises ValueError where it lies outside the folder and that is not allowed.
    """
    path = folder / name
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # links that lead in a circle
        inside = False
    if not inside and not os.environ.get(ALLOW_OUTSIDE):
        raise ValueError(
            f"{name} lies outside the folder of the file that names it: put it there, or say --allow-outside"
        )
    return path
