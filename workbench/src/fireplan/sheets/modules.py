"""A Python module beside a sheet, with the class of one of its parts.

A sheet has one only if it was read from a file on this machine and the environment variable
FIREPLAN_ALLOW_CODE is 1. For a sheet from a link, a page or a journal, no file is read and no code
is run.
"""

import inspect
import os
import re
import sys
import traceback
from collections.abc import Mapping
from hashlib import sha256
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from fireplan.errors import unread_file
from fireplan.sheets.tables import MODULES, kinds_of, unheld
from fireplan_core.files import MAX_BYTES, did_you_mean, read_ordinary
from fireplan_core.play import CONTRACTS
from fireplan_core.ready_parts import Ready

ALLOW_CODE = "FIREPLAN_ALLOW_CODE"
"""The environment variable that, set to 1, lets a sheet name a Python module beside it."""
_FILE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\.py")


@attrs.frozen
class PartModule:
    """A Python module beside a sheet: its path when it was read, and its text."""

    path: str
    text: str

    def loaded(self) -> ModuleType:
        """Return the module, which is run once in a process; raises what its code raises."""
        name = MODULES + sha256(f"{self.path}\0{self.text}".encode()).hexdigest()
        if name not in sys.modules:
            spec = ModuleSpec(name, None, origin=self.path)
            spec.has_location = True
            module = sys.modules[name] = module_from_spec(spec)
            try:
                exec(compile(self.text, self.path, "exec"), vars(module))  # noqa: S102 - allowed by the user
            except BaseException:
                del sys.modules[name]
                raise
        return sys.modules[name]


class ModuleRefusedError(Exception):
    """The error for a module that a sheet may not use, with the problem and a remedy."""

    def __init__(self, problem: str, hint: str) -> None:
        super().__init__(problem, hint)
        self.problem, self.hint = problem, hint


class SheetModules:
    """The modules that a sheet may name.

    ``folder`` is the sheet's folder, or None for a sheet that is not a file. ``read`` maps the file
    name of each module read so far to the module.
    """

    def __init__(
        self, folder: Path | None = None, read: Mapping[str, PartModule] | None = None
    ) -> None:
        self.folder = folder
        self.read = dict(read or {})

    def kind(self, word: str, name: Any) -> type[Ready]:
        """Return the class for a part in the module with this file name.

        Raises ``ModuleRefusedError`` if the sheet may not use the module, or the module has no such
        class.
        """
        if not isinstance(name, str) or not _FILE.fullmatch(name):
            raise ModuleRefusedError(
                f"expected the name of a Python file beside the sheet, without folders, got {name!r}",
                f'such as module = "my_{word}.py"',
            )
        if name not in self.read:
            self.read[name] = self._found(name)
        return _class_in(self.read[name], name, word)

    def _found(self, name: str) -> PartModule:
        if self.folder is None:
            raise ModuleRefusedError(
                f"{name} is not available: a link, a page or a journal contains only the sheet and"
                " runs no code",
                "name the file of the sheet in a command or in FIREPLAN_SHEETS, with --allow-code",
            )
        if os.environ.get(ALLOW_CODE) != "1":
            raise ModuleRefusedError(
                f"{name} is a Python program, which could do anything on this machine",
                f"if you trust it, use --allow-code with the command, or set {ALLOW_CODE}=1",
            )
        path = self.folder / name
        try:
            real = path.resolve()
            elsewhere = real.parent != self.folder.resolve()
            text = "" if elsewhere else read_ordinary(path, MAX_BYTES).decode("utf-8-sig")
        except FileNotFoundError:
            present = [file.name for file in self.folder.glob("*.py")]
            hint = did_you_mean(name, present, "put the file into the sheet's folder")
            raise ModuleRefusedError(f"there is no {name} beside the sheet", hint) from None
        except (OSError, UnicodeDecodeError, RuntimeError) as error:
            reason = "links to itself" if isinstance(error, RuntimeError) else unread_file(error)
            hint = "put a Python file in its place"
            raise ModuleRefusedError(f"{name}: {reason}", hint) from None
        if elsewhere:
            problem = f"{name} is a link to a file in another folder"
            raise ModuleRefusedError(problem, "put the file itself beside the sheet")
        if len(text.encode()) > MAX_BYTES:
            raise ModuleRefusedError(f"{name} has more than {MAX_BYTES} bytes", "shorten it")
        return PartModule(str(real), text)


def _class_in(source: PartModule, name: str, word: str) -> type[Ready]:
    """Return the one class for a part that a module defines.

    Raises ``ModuleRefusedError`` if the module fails, or defines no suitable class or several.
    """
    contract = CONTRACTS[word]
    example = f"class Mine({next(iter(kinds_of(word)))})"
    try:
        module = source.loaded()
    except (Exception, SystemExit) as error:
        raise _failed(source, name, error) from error
    classes = dict.fromkeys(
        kind
        for title, kind in vars(module).items()
        if inspect.isclass(kind)
        and kind.__module__ == module.__name__
        and title[0] != "_"
        and issubclass(kind, contract)
    )
    if not classes:
        raise ModuleRefusedError(f"{name} defines no class for {word}", f"such as {example}")
    kind, *others = classes
    if others:
        names = " and ".join(one.__name__ for one in classes)
        hint = "keep one, and let the names of the others begin with _"
        raise ModuleRefusedError(f"{name} defines more than one class for {word}: {names}", hint)
    if not issubclass(kind, Ready):
        raise ModuleRefusedError(
            f"{kind.__name__} in {name} does not inherit from a ready part",
            f"such as {example}, or class {kind.__name__}(Ready, {contract.__name__})",
        )
    try:
        wrong = unheld((kind,))
    except Exception as error:  # evaluating an annotation can raise anything
        raise _failed(source, name, error) from error
    if wrong:
        raise ModuleRefusedError(
            f"{kind.__name__}.{wrong[0]} in {name} has a type that a sheet cannot hold",
            "annotate it as the figures of ready parts are, or not at all",
        )
    return kind


def _failed(source: PartModule, name: str, error: BaseException) -> ModuleRefusedError:
    """Return the refusal of a module whose code raised an error, with the line of the error."""
    frames = reversed(traceback.extract_tb(error.__traceback__))
    lines = (frame.lineno for frame in frames if frame.filename == source.path)
    line = error.lineno if isinstance(error, SyntaxError) else next(lines, None)
    place = f", line {line}" if line else ""
    problem = f"{name}{place}: {type(error).__name__}: {error}"
    return ModuleRefusedError(problem, "correct the module, then try again")
