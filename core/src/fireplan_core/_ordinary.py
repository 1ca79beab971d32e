"""Safe reading of files that other files name: regular files in one folder, up to a size limit.

Reading a device or a pipe might never end, and a path outside the folder could reveal a private
file.
"""

import errno
import os
import stat
from importlib.resources.abc import Traversable
from pathlib import Path

ALLOW_OUTSIDE = "FIREPLAN_ALLOW_OUTSIDE"
"""The environment variable that lets a file refer to files outside its own folder."""


def read_ordinary(path: Path | Traversable, most: int) -> bytes:
    r"""Return the content of a regular file, or its first ``most + 1`` bytes if it is longer.

    Raises OSError if the file cannot be read, or is a folder, a device or a pipe.

    >>> from pathlib import Path
    >>> size = Path("own.toml").write_text("men = 40\n")
    >>> read_ordinary(Path("own.toml"), most=1000)
    b'men = 40\n'
    """
    if not isinstance(path, Path):
        with path.open("rb") as file:
            return file.read(most + 1)
    # Non-blocking, because opening a pipe without a writer would wait forever.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        descriptor = os.open(path, flags)
    except ValueError as error:
        raise OSError(errno.EINVAL, "its name contains a null character", str(path)) from error
    try:
        mode = os.fstat(descriptor).st_mode
        if stat.S_ISDIR(mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
        if not stat.S_ISREG(mode):
            raise OSError(errno.EINVAL, "not a regular file", str(path))
        with os.fdopen(descriptor, "rb", closefd=False) as opened:
            return opened.read(most + 1)
    finally:
        os.close(descriptor)


def below(folder: Path, name: str) -> Path:
    """Return the path of a file whose name is relative to a folder.

    Raises ValueError if the path lies outside the folder and ``ALLOW_OUTSIDE`` is not set.

    >>> from pathlib import Path
    >>> below(Path("raids"), "charts/signal.csv").as_posix()
    'raids/charts/signal.csv'
    """
    path = folder / name
    try:
        inside = path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):  # a loop of symbolic links
        inside = False
    if not inside and not os.environ.get(ALLOW_OUTSIDE):
        raise ValueError(
            f"{name} lies outside the folder of the file that names it: move it there or use --allow-outside"
        )
    return path
