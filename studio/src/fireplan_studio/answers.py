"""Answers of the functions of ``work``: recent ones are kept, others are computed on request."""

from __future__ import annotations

import math
import pickle
import time  # noqa: TID251 - how long a visitor waits; not part of play
from collections import OrderedDict
from collections.abc import Collection, Iterable
from contextvars import ContextVar
from importlib.resources import files
from typing import Any

from fireplan_studio.refusals import Calculation, RequestRefusedError
from fireplan_studio.work import PROGRESS, WORK

PATIENCE = 1.5
"""Time that a page waits for an answer before it shows progress, in seconds."""
CACHED = 64
"""Maximum number of answers kept in memory."""
SLICE = ContextVar("SLICE", default=math.inf)
"""Time limit in seconds for a view of many answers that is computed in the caller's thread."""
UNANSWERABLE = 422
"""The HTTP status if a function of ``work`` refuses a question."""
JobKey = tuple[str, tuple[Any, ...]]
"""The name of a function of ``work``, and its arguments."""


def not_finished(work: Calculation) -> RequestRefusedError:
    """Return the refusal of a request whose answer is still being worked out."""
    return RequestRefusedError(202, "not finished yet", calculation=work)


def call(name: str, arguments: tuple[Any, ...]) -> Any:
    """Return the answer of a function of ``work``; raise ``RequestRefusedError`` if it has none."""
    try:
        return WORK[name](*arguments)
    except Exception as error:
        raise RequestRefusedError(UNANSWERABLE, str(error) or type(error).__name__) from error


def shipped_answers(name: str) -> str:
    """Return the name of the file with the shipped answers of a ``work`` function."""
    return f"{name}.answers"


class Answers:
    """The recent answers of functions of ``work``; a subclass computes the others."""

    def __init__(self) -> None:
        self._answers: OrderedDict[JobKey, Any] = OrderedDict()

    async def answer(self, name: str, *arguments: Any, patience: float = PATIENCE) -> Any:
        """Call a function of ``work`` by name and return its answer; arguments must be hashable.

        Raises ``RequestRefusedError`` if there will be no answer, and with the status 202 if the
        answer is not ready within ``patience`` seconds.
        """
        raise NotImplementedError

    async def answers(
        self, name: str, questions: Iterable[tuple[Any, ...]], patience: float = PATIENCE
    ) -> list[Any]:
        """Call a function of ``work`` for each tuple of arguments and return the answers, in order.

        Raises ``RequestRefusedError`` if an answer is refused, and with the status 202 if the
        answers are not ready within ``patience`` seconds. Progress is counted in questions.
        """
        raise NotImplementedError

    def known(self, name: str, *arguments: Any) -> Any:
        """Return a recent answer of a ``work`` function, or None; never start computing it."""
        return self._answers.get((name, arguments))

    def computed(self, name: str) -> bytes:
        """Return the answers of a ``work`` function so far, pickled for a site to ship."""
        return pickle.dumps([item for item in self._answers.items() if item[0][0] == name])

    def warm(self) -> None:
        """Prepare for the first question, if that takes long."""

    def cancel(self, number: int) -> None:
        """Stop this visitor's wait for the calculation with this number, if it still runs."""

    def leave(self, name: str, keys: Collection[Any]) -> None:
        """Stop this visitor's waits for answers of a function, except those with the given keys."""

    def close(self) -> None:
        """End all calculations."""

    def _keep(self, key: JobKey, value: Any) -> Any:
        self._answers[key] = value
        if len(self._answers) > CACHED:
            self._answers.popitem(last=False)
        return value


class AnswersInOneThread(Answers):
    """Answers computed in the caller's thread, unless the build of the static site shipped them."""

    def __init__(self) -> None:
        super().__init__()
        self._recalled = set[str]()
        self._shipped = dict[JobKey, Any]()

    async def answer(self, name: str, *arguments: Any, patience: float = PATIENCE) -> Any:  # noqa: ARG002 - computed at once
        """Return an answer that was shipped or kept, or else compute it."""
        key = (name, arguments)
        self._recall(name)
        if key in self._shipped:
            return self._shipped[key]
        if key in self._answers:
            self._answers.move_to_end(key)
            return self._answers[key]
        return self._keep(key, call(name, arguments))

    def known(self, name: str, *arguments: Any) -> Any:
        """Return an answer that was shipped or kept, or None."""
        self._recall(name)
        return self._shipped.get((name, arguments), super().known(name, *arguments))

    def _recall(self, name: str) -> None:
        """Read the answers of a ``work`` function that were shipped with the site, once."""
        if name in self._recalled:
            return
        self._recalled.add(name)
        shipped = files("fireplan_studio") / shipped_answers(name)
        if shipped.is_file():
            for key, value in pickle.loads(shipped.read_bytes()):  # noqa: S301 - our own file
                self._shipped[key] = value

    async def answers(
        self,
        name: str,
        questions: Iterable[tuple[Any, ...]],
        patience: float = PATIENCE,  # noqa: ARG002 - see ``SLICE``
    ) -> list[Any]:
        """Return the answers, computing them until the caller's slice of time is over.

        Raises ``RequestRefusedError`` with the status 202 if questions remain; asking again
        continues from there.
        """
        asked = list(questions)
        distinct = [*dict.fromkeys(asked)]
        began, seconds = time.monotonic(), SLICE.get()
        known = {each: (name, each) in self._answers for each in distinct}
        for arguments in filter(known.__getitem__, distinct):
            self._answers.move_to_end((name, arguments))  # keep this answer from being dropped
        answers, computed = dict[tuple[Any, ...], Any](), 0
        for arguments in distinct:
            if known[arguments]:
                answers[arguments] = self._answers[name, arguments]
            elif computed and time.monotonic() - began > seconds:
                raise not_finished(Calculation(0, seconds, len(answers), len(distinct)))
            else:
                answers[arguments] = self._keep((name, arguments), call(name, arguments))
                computed += 1
            PROGRESS.get()(len(distinct), name)
        return [answers[arguments] for arguments in asked]
