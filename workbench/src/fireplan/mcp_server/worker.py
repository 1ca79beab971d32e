"""The worker: tools answer in a separate process, which is ended if it takes too long."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Mapping
from typing import Any

from fireplan.errors import InputError

READY = 120
"""Time limit for starting a process, in seconds."""


def _work(connection: Any, seconds: float) -> None:  # pragma: no cover - runs in the worker
    """Answer the questions that come through a connection, until the server ends.

    ``seconds`` is the time limit for one answer.
    """
    from fireplan.mcp_server.tools import installed, tools
    from fireplan.questions.refusing import refusing
    from fireplan.sweeps import leave_with_parent

    leave_with_parent()
    installed()
    connection.send(("ready", None))
    answer: tuple[str, Any]
    while True:
        try:
            name, arguments = connection.recv()
            with refusing():
                answer = ("answer", tools()[name].answer(arguments, seconds))
        except (EOFError, KeyboardInterrupt):
            return
        except InputError as error:
            answer = ("faults", error.faults)
        except Exception as error:  # noqa: BLE001 - a bug in fireplan, reported without a traceback
            answer = (
                "faults",
                (
                    f"This cannot be answered ({type(error).__name__}): a bug in fireplan, not yours.",
                ),
            )
        connection.send(answer)


class Worker:
    """A process that answers questions, each within a number of seconds.

    It starts with the first question, and again after it has been ended.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._process: Any = None
        self._connection: Any = None
        self._turn = threading.Lock()
        self._closed = False

    def ask(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return a tool's answer; raise ``InputError`` if the question cannot be answered."""
        with self._turn:
            try:
                if self._process is None:
                    self._start()
                self._connection.send((name, dict(arguments)))
                if not self._connection.poll(self.seconds):
                    self.end()
                    raise InputError(
                        f"The answer took over {self.seconds:g} seconds, and was stopped: ask for an earlier moment"
                        " (by, minutes), or for a sample."
                    )
                kind, value = self._connection.recv()
            except (EOFError, OSError) as error:
                self.end()
                raise InputError(
                    "The process working on this answer has died; ask for something smaller."
                ) from error
        if kind == "faults":
            raise InputError(*value)
        found: dict[str, Any] = value
        return found

    def _start(self) -> None:
        if self._closed:
            raise EOFError
        context = multiprocessing.get_context("spawn")
        self._connection, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self.seconds), daemon=True)
        process.start()
        self._process = process
        theirs.close()
        if not self._connection.poll(READY):
            raise EOFError
        self._connection.recv()

    def close(self) -> None:
        """End the process and prevent another from starting."""
        self._closed = True
        self.end()

    def end(self) -> None:
        """End the process at once, even during an answer."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.join()
            process.close()
            self._connection.close()
