"""Processes that work for this one, and end when it ends."""

import multiprocessing
import os
import threading
from collections.abc import Callable
from typing import Any


class Spawned:
    """A new process that runs ``serve(connection, *arguments)``, and the connection to it."""

    def __init__(self, serve: Callable[..., None], *arguments: Any) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=serve, args=(theirs, *arguments), daemon=True)
        self.process.start()
        theirs.close()

    def end(self) -> None:
        """End the process at once, even during an answer."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def leave_with_parent() -> None:
    """End this worker when its parent process ends, since nobody would collect its results."""
    if (parent := multiprocessing.parent_process()) is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
