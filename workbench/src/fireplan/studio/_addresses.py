"""Addresses: what a page is asked for is read off its address, strictly and every fault at once, and written back.

Each view has one canonical address: ``v=1``, keys sorted, defaults left out. Opened in a new process it shows the
same numbers.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qsl, urlencode

import attrs

from fireplan.studio._limits import LIMITS, over
from fireplan_core.files import plain

VERSION = "1"
_LONGEST_NUMBER = 15
_HOUSEKEEPING = frozenset({"v", "token", "go"})


@attrs.frozen
class Fault:
    """One thing wrong with an address or a form: which parameter, what, and what to write instead."""

    key: str
    message: str
    suggestion: str = ""


@attrs.frozen
class BadAddressError(ValueError):
    """An address or form that cannot be used, with everything wrong in it."""

    faults: tuple[Fault, ...]
    given: Mapping[str, Sequence[str]] = attrs.field(factory=dict, eq=False)
    """What was typed, by parameter, for a form that keeps it."""

    def said(self, key: str) -> str:
        """What is wrong with a parameter; empty for nothing."""
        return "; ".join(
            fault.message + (f" ({fault.suggestion})" if fault.suggestion else "")
            for fault in self.faults
            if fault.key == key
        )

    def kept(self, key: str, default: str = "") -> str:
        """What was typed for a parameter that stands once."""
        return self.given[key][0] if self.given.get(key) else default


def near(word: str, known: Iterable[str]) -> str:
    """What may have been meant by a word, or what there is."""
    names = list(known)
    close = difflib.get_close_matches(word, names, n=1)
    return f"did you mean {close[0]}?" if close else f"one of {', '.join(names[:20])}"


class Asked:
    """The parameters of an address, taken one by one; ``done`` raises for all that was wrong, and for any left over."""

    def __init__(self, query: str | bytes) -> None:
        text = query.decode("latin-1") if isinstance(query, bytes) else query
        self.faults: list[Fault] = []
        self.given: dict[str, list[str]] = {}
        """What was asked for, as it was typed."""
        self._left: dict[str, list[str]] = {}
        self._known: list[str] = []
        try:
            pairs = parse_qsl(
                text,
                keep_blank_values=True,
                encoding="utf-8",
                errors="strict",
                max_num_fields=LIMITS["parameters"].most,
            )
        except ValueError:
            raise BadAddressError(
                (
                    Fault(
                        "", f"not an address of ours, or over {LIMITS['parameters'].most} parameters (limit parameters)"
                    ),
                )
            ) from None
        for key, value in pairs:
            if reason := over("value_characters", max(len(key), len(value))):
                self.faults.append(Fault(plain(key, 40), reason))
            else:
                self._left.setdefault(key, []).append(value.strip())
        self.given = {key: list(values) for key, values in self._left.items()}
        version = self.one("v", VERSION)
        if version != VERSION:
            self.faults.append(Fault("v", f"address version {version!r} is not known", f"this studio writes {VERSION}"))
        self.one("token", "")
        self.one("go", "")

    def one(self, name: str, default: str) -> str:
        """A parameter that may stand once."""
        self._known.append(name)
        values = self._left.pop(name, [])
        if len(values) > 1:
            self.faults.append(Fault(name, f"stands {len(values)} times", "give it once"))
        return values[0] if values else default

    def many(self, name: str) -> list[str]:
        """A parameter that may stand often, or once with commas."""
        self._known.append(name)
        return [part for value in self._left.pop(name, []) for part in value.split(",") if part]

    def lines(self, name: str) -> list[str]:
        """A parameter that may stand often, each value whole."""
        self._known.append(name)
        return [value for value in self._left.pop(name, []) if value]

    def choice(self, name: str, known: Sequence[str], default: str) -> str:
        """One of several words."""
        value = self.one(name, default)
        if value not in known:
            self.faults.append(Fault(name, f"{value!r} is not known", near(value, known)))
            return default
        return value

    def choices(self, name: str, known: Sequence[str]) -> list[str]:
        """Some of several words, in the order in which they are known; none stands for all."""
        values = self.many(name)
        for value in values:
            if value not in known:
                self.faults.append(Fault(name, f"{value!r} is not known", near(value, known)))
        return [word for word in known if word in values]

    def whole(self, name: str, limit: str, default: int) -> int:
        """A whole number from 1 to a limit of the studio."""
        text = self.one(name, str(default))
        if not text.isascii() or not text.isdigit() or len(text) > _LONGEST_NUMBER:
            self.faults.append(Fault(name, f"{text!r} is not a whole number from 1 to {LIMITS[limit].most:,}"))
            return default
        if reason := over(limit, int(text)):
            self.faults.append(Fault(name, reason))
            return default
        if int(text) < 1:
            self.faults.append(Fault(name, "must be 1 at least"))
            return default
        return int(text)

    def flag(self, name: str) -> bool:
        """Whether a mark is set."""
        return self.choice(name, ("0", "1"), "0") == "1"

    def under(self, prefix: str) -> dict[str, str]:
        """All parameters whose name begins so, each of which may stand once."""
        return {name.removeprefix(prefix): self.one(name, "") for name in list(self._left) if name.startswith(prefix)}

    def done(self) -> None:
        """Raise ``BadAddressError`` if anything was wrong or is left over."""
        known = [name for name in self._known if name not in _HOUSEKEEPING]
        self.faults += [
            Fault(plain(name, 40), "is no parameter of this page", near(name, known)) for name in self._left
        ]
        if self.faults:
            raise BadAddressError(tuple(self.faults), self.given)


def address(path: str, parameters: Mapping[str, Any]) -> str:
    """The canonical address of a view: keys sorted; None, False, "" and empty lists left out."""
    pairs: list[tuple[str, str]] = [("v", VERSION)]
    for name, value in parameters.items():
        if isinstance(value, bool):
            pairs += [(name, "1")] if value else []
        elif isinstance(value, str | int):
            pairs += [(name, str(value))] if value != "" else []
        elif value is not None:
            pairs += [(name, str(each)) for each in value]
    return f"{path}?{urlencode(sorted(pairs), safe=',')}"
