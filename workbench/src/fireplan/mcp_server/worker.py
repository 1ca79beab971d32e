"""The worker: tools answer in a separate process, which is ended if it takes too long."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

from fireplan.errors import InputError
from fireplan.sweeps import Spawned, leave_with_parent

READY = 120
"""Time limit for starting a process, in seconds."""


def _work(connection: Any, seconds: float) -> None:  # pragma: no cover - runs in the worker
    """Answer the questions that come through a connection, until the server ends.

    ``seconds`` is the time limit for one answer.
    """
    from fireplan.mcp_server.tools import installed, tools
    from fireplan.questions.refusing import refusing

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
        self._spawned: Spawned | None = None
        self._turn = threading.Lock()
        self._closed = False

    def ask(self, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return a tool's answer; raise ``InputError`` if the question cannot be answered."""
        with self._turn:
            try:
                connection = self._ready().connection
                connection.send((name, dict(arguments)))
                if not connection.poll(self.seconds):
                    self.end()
                    raise InputError(
                        f"The answer took over {self.seconds:g} seconds, and was stopped: ask for an earlier moment"
                        " (by, minutes), or for a sample."
                    )
                kind, value = connection.recv()
            except (EOFError, OSError) as error:
                self.end()
                raise InputError(
                    "The process working on this answer died. The question may be too large: try a smaller one."
                ) from error
        if kind == "faults":
            raise InputError(*value)
        found: dict[str, Any] = value
        return found

    def _ready(self) -> Spawned:
        """Return the process, started if need be; raise ``EOFError`` if it cannot be."""
        if self._spawned is None:
            if self._closed:
                raise EOFError
            self._spawned = Spawned(_work, self.seconds)
            if not self._spawned.connection.poll(READY):
                raise EOFError
            self._spawned.connection.recv()
        return self._spawned

    def close(self) -> None:
        """End the process and prevent another from starting."""
        self._closed = True
        self.end()

    def end(self) -> None:
        """End the process at once, even during an answer."""
        spawned, self._spawned = self._spawned, None
        if spawned is not None:
            spawned.end()
