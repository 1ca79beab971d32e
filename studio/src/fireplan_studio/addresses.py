"""Addresses: what a page is asked for is read off its address, strictly and every fault at once, and written back.

Each view has one canonical address: ``v=1``, keys sorted, defaults left out. The link to an answer
remembers it.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any
from urllib.parse import parse_qsl, urlencode

import attrs

from fireplan_core import files
from fireplan_core.files import plain
from fireplan_core.play import Catalogue
from fireplan_studio.limits import LIMITS, over

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
    """All that was typed, by parameter, for a form that shows it again."""
    asked: Any = attrs.field(default=None, eq=False)
    """What would be asked by what was right of it."""

    def message(self, key: str) -> str:
        """Return what is wrong with a parameter; empty for nothing."""
        return "; ".join(
            fault.message + (f" ({fault.suggestion})" if fault.suggestion else "")
            for fault in self.faults
            if fault.key == key
        )

    def typed(self, key: str, default: str = "") -> str:
        """Return what was typed for a parameter that stands once."""
        return self.given[key][0] if self.given.get(key) else default


def near(word: str, known: Iterable[str]) -> str:
    """Return what may have been meant by a word, or what there is."""
    names = list(filter(None, known))
    close = files.near(word, names)
    return f"did you mean {close}?" if close else f"one of {', '.join(names[:20])}"


class Parameters:
    """The parameters of an address, taken one by one.

    ``done`` raises for all that was wrong, and for any left over.
    """

    def __init__(self, query: str | bytes, longest: str = "value_characters") -> None:
        text = query.decode("latin-1") if isinstance(query, bytes) else query
        self.faults: list[Fault] = []
        self.given: dict[str, list[str]] = {}
        """All parameters, as they were typed."""
        self._untaken: dict[str, list[str]] = {}
        self._known: list[str] = []
        most = LIMITS["parameters"].most
        try:
            pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=most)
        except ValueError:
            wrong = f"not an address of ours, or over {most} parameters (limit parameters)"
            raise BadAddressError((Fault("", wrong),)) from None
        for key, value in pairs:
            if reason := over(longest, max(len(key), len(value))):
                self.faults.append(Fault(plain(key, 40), reason))
            else:
                self._untaken.setdefault(key, []).append(value.strip())
        self.given = {key: list(values) for key, values in self._untaken.items()}
        version = self.one("v", VERSION)
        if version != VERSION:
            self.faults.append(
                Fault(
                    "v",
                    f"address version {version!r} is not known",
                    f"this studio writes {VERSION}",
                )
            )
        self.one("token", "")
        self.one("go", "")

    def one(self, name: str, default: str) -> str:
        """Take a parameter that may stand once."""
        self._known.append(name)
        values = self._untaken.pop(name, [])
        if len(values) > 1:
            self.faults.append(Fault(name, f"stands {len(values)} times", "give it once"))
        return values[0] if values else default

    def lines(self, name: str) -> list[str]:
        """Take a parameter that may stand often, each value whole."""
        self._known.append(name)
        return [value for value in self._untaken.pop(name, []) if value]

    def choice(self, name: str, known: Collection[str], default: str) -> str:
        """Take one of several words."""
        value = self.one(name, default)
        if value not in known:
            self.faults.append(Fault(name, f"{value!r} is not known", near(value, known)))
            return default
        return value

    def choices(self, name: str, known: Sequence[str]) -> list[str]:
        """Take some of several words, typed one by one or with commas, in the order of those known."""
        values = [part for value in self.lines(name) for part in value.split(",") if part]
        for value in values:
            if value not in known:
                self.faults.append(Fault(name, f"{value!r} is not known", near(value, known)))
        return [word for word in known if word in values]

    def whole(self, name: str, limit: str, default: int) -> int:
        """Take a whole number from 1 to a limit of the studio."""
        text = self.one(name, str(default))
        wrong: str | None
        if not text.isascii() or not text.isdigit() or len(text) > _LONGEST_NUMBER:
            wrong = f"{text!r} is not a whole number from 1 to {LIMITS[limit].most:,}"
        else:
            wrong = over(limit, int(text)) or ("must be 1 at least" if int(text) < 1 else None)
        if wrong is None:
            return int(text)
        self.faults.append(Fault(name, wrong))
        return default

    def flag(self, name: str) -> bool:
        """Take a mark that is set or not."""
        return self.choice(name, ("0", "1"), "0") == "1"

    def under(self, prefix: str) -> dict[str, str]:
        """Take all parameters whose name begins so, each of which may stand once."""
        found = [name for name in self._untaken if name.startswith(prefix)]
        return {name.removeprefix(prefix): self.one(name, "") for name in found}

    def done(self, asked: Any = None) -> None:
        """Raise ``BadAddressError`` if anything was wrong or is left over.

        ``asked`` goes by what was right.
        """
        known = [name for name in self._known if name not in _HOUSEKEEPING]
        self.faults += [
            Fault(plain(name, 40), "is no parameter of this page", near(name, known))
            for name in self._untaken
        ]
        if self.faults:
            raise BadAddressError(tuple(self.faults), self.given, asked)


def address(path: str, parameters: Mapping[str, Any]) -> str:
    """Return the canonical address of a view: keys sorted.

    None, False, "" and empty lists left out.
    """
    pairs: list[tuple[str, str]] = [("v", VERSION)]
    for name, value in parameters.items():
        if isinstance(value, bool):
            pairs += [(name, "1")] if value else []
        elif isinstance(value, str | int):
            pairs += [(name, str(value))] if value != "" else []
        elif value is not None:
            pairs += [(name, str(each)) for each in value]
    return f"{path}?{urlencode(sorted(pairs), safe=',')}"


# --- links to answers -------------------------------------------------------------------------------
def remembered(catalogue: Catalogue, games: Iterable[str], told: str) -> tuple[str, ...]:
    """Return what a link remembers: the versions that gave the answer, and a mark of all its fractions as ``told``."""
    versions = (f"{key}-{catalogue[key].version}" for key in sorted({*games}))
    mark = hashlib.sha256(told.encode()).hexdigest()[:12]
    return f"fireplan-{version('fireplan')}", *versions, *([f"figures-{mark}"] if told else [])


def differs(then: Sequence[str], now: Sequence[str]) -> str:
    """Return how an answer stands to the one that a link remembers, in words.

    Empty where it remembers none.
    """
    if not then:
        return ""
    before, after = (
        [each for each in some if each not in other] for some, other in ((then, now), (now, then))
    )
    if not any(each.startswith("figures-") for each in then):
        return (
            "Other versions than where this link was made."
            if before
            else "The same versions as where it was made."
        )
    if not any(each.startswith("figures-") for each in before):
        return "The same fractions as where this link was made."
    was, is_ = (
        ", ".join(each for each in some if not each.startswith("figures-"))
        for some in (before, after)
    )
    why = (
        f"it was made with {was}, here is {is_}"
        if was or is_
        else "a game was changed under the same version"
    )
    return f"Other fractions than where this link was made: {why}."
