"""URLs: page parameters are read strictly from a URL and written back.

All faults are reported at once. Each view has one canonical URL: ``v=1``, keys sorted, defaults
left out. The link to an answer also contains the versions used for the answer and a hash of its
figures.
"""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.metadata import version
from typing import Any
from urllib.parse import parse_qsl, urlencode

from fireplan.errors import given_twice, unknown
from fireplan_core import WORDS
from fireplan_core.files import Fault, printable
from fireplan_core.play import Catalogue
from fireplan_studio.copies import FIGURES
from fireplan_studio.limits import LIMITS, over
from fireplan_studio.refusals import RequestRefusedError

VERSION = "1"
_LONGEST_NUMBER = 15
_NOUNS = {"for": "figure", "games": "game", "standing": "status", **dict.fromkeys(WORDS, "game")}
"""Maps a parameter to the word for its values, if that differs from its name."""
_HOUSEKEEPING = frozenset({"v", "token", "go"})


def unknown_name(what: str, given: str, known: Iterable[str], key: str) -> Fault:
    """Return the fault of an unknown name, with a similar name from ``known`` as a suggestion.

    The wording is that of the command line and Python. ``what`` is the kind of name, ``key`` the
    parameter at fault. An empty name is never suggested.
    """
    return Fault(str(unknown(what, given, filter(None, known))), key=key)


class Parameters:
    """The parameters of a URL, taken one by one.

    ``done`` raises ``RequestRefusedError`` listing every fault, and every parameter that was not
    taken.
    """

    def __init__(self, query: str | bytes, longest: str = "value_characters") -> None:
        text = query.decode("latin-1") if isinstance(query, bytes) else query
        self.faults: list[Fault] = []
        self.values: dict[str, list[str]] = {}
        """All parameters as typed."""
        self._untaken: dict[str, list[str]] = {}
        self._names: list[str] = []
        most = LIMITS["parameters"].most
        try:
            pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=most)
        except ValueError:
            wrong = f"this address cannot be read, or has over {most} parameters (limit parameters)"
            raise RequestRefusedError(400, wrong) from None
        for key, value in pairs:
            if key == FIGURES:
                continue  # figures carried by the link, shown until the question is answered
            if reason := over(longest, max(len(key), len(value))):
                self.faults.append(Fault(reason, key=printable(key, 40)))
            else:
                self._untaken.setdefault(key, []).append(value.strip())
        self.values = {key: list(values) for key, values in self._untaken.items()}
        version = self.text("v", VERSION)
        if version != VERSION:
            self.faults.append(Fault(*_other_version(version), key="v"))
        self.text("token", "")
        self.text("go", "")

    def text(self, name: str, default: str) -> str:
        """Take a parameter and return its text, or the default if it is missing.

        If it appears more than once, add a fault and return the first text.
        """
        self._names.append(name)
        values = self._untaken.pop(name, [])
        if len(values) > 1:
            self.faults.append(Fault(given_twice(name), key=name))
        return values[0] if values else default

    def lines(self, name: str) -> list[str]:
        """Take a parameter that may appear several times; return its non-empty values."""
        self._names.append(name)
        return [value for value in self._untaken.pop(name, []) if value]

    def choice(self, name: str, words: Collection[str], default: str) -> str:
        """Take a parameter whose value must be in ``words``; return the value.

        For any other value, add a fault and return the default.
        """
        value = self.text(name, default)
        return value if self._is_one(name, value, words) else default

    def choices(self, name: str, words: Sequence[str]) -> list[str]:
        """Take any of ``words``, repeated or separated by commas; return those given.

        They are returned in the order of ``words``. Add a fault for each other value.
        """
        values = [part for value in self.lines(name) for part in value.split(",") if part]
        for value in values:
            self._is_one(name, value, words)
        return [word for word in words if word in values]

    def _is_one(self, name: str, value: str, words: Collection[str]) -> bool:
        """Return whether a value is one of ``words``; add a fault if it is not."""
        if value not in words:
            self.faults.append(unknown_name(_NOUNS.get(name, name), value, words, name))
        return value in words

    def whole(self, name: str, limit: str, default: int) -> int:
        """Take a parameter and return it as an integer from 1 to the maximum of a named limit.

        For any other value, add a fault and return the default.
        """
        text = self.text(name, str(default))
        wrong: str | None
        if not text.isascii() or not text.isdigit() or len(text) > _LONGEST_NUMBER:
            wrong = f"{text!r} is not a whole number from 1 to {LIMITS[limit].most:,}"
        else:
            wrong = over(limit, int(text)) or ("must be at least 1" if int(text) < 1 else None)
        if wrong is None:
            return int(text)
        self.faults.append(Fault(wrong, key=name))
        return default

    def flag(self, name: str) -> bool:
        """Take a parameter that is 0 or 1; return whether it is 1.

        For any other value, add a fault and return False.
        """
        return self.choice(name, ("0", "1"), "0") == "1"

    def under(self, prefix: str) -> dict[str, str]:
        """Take all parameters whose names begin with a prefix; return them by name, without it.

        Each parameter may appear only once.
        """
        names = [name for name in self._untaken if name.startswith(prefix)]
        return {name.removeprefix(prefix): self.text(name, "") for name in names}

    def others(self) -> list[tuple[str, str]]:
        """Take all remaining parameters; return a (name, value) pair for each value."""
        pairs = [(name, value) for name, values in self._untaken.items() for value in values]
        self._untaken.clear()
        return pairs

    def done(self, query: Any = None) -> None:
        """Raise ``RequestRefusedError`` if there were faults or a parameter was not taken.

        ``query`` is built from the valid parameters and attached to the error.
        """
        names = [name for name in self._names if name not in _HOUSEKEEPING]
        self.faults += [
            unknown_name("parameter of this page", name, names, printable(name, 40))
            for name in self._untaken
        ]
        if self.faults:
            raise RequestRefusedError(400, self.faults, self.values, query)


def _other_version(version: str) -> tuple[str, str]:
    """Return the fault of a link with another address version, and a suggestion."""
    if version.isascii() and version.isdigit():
        return (
            f"this link comes from a newer fireplan (address version {version})",
            f"this one reads version {VERSION}; open the link with a newer one",
        )
    return f"unknown address version {version!r}", f"this studio uses version {VERSION}"


def address(path: str, parameters: Mapping[str, Any]) -> str:
    """Return the canonical URL of a view; keys are sorted, and empty values are left out."""
    pairs: list[tuple[str, str]] = [("v", VERSION)]
    for name, value in parameters.items():
        if isinstance(value, bool):
            pairs += [(name, "1")] if value else []
        elif isinstance(value, str | int):
            pairs += [(name, str(value))] if value != "" else []
        elif value is not None:
            pairs += [(name, str(each)) for each in value]
    return f"{path}?{urlencode(sorted(pairs), safe=',')}"


# --- links to answers -----------------------------------------------------------------------------
def remembered(catalogue: Catalogue, games: Iterable[str], figures: str) -> tuple[str, ...]:
    """Return the versions of fireplan and the games, and a hash of the figures, for a link.

    ``figures`` contains every figure of the answer as text; if it is empty there is no hash.
    """
    versions = (f"{key}-{catalogue[key].version}" for key in sorted({*games}))
    mark = hashlib.sha256(figures.encode()).hexdigest()[:12]
    return f"fireplan-{version('fireplan')}", *versions, *([f"figures-{mark}"] if figures else [])


def made_with(query: str) -> list[str]:
    """Return the versions and the hash in a link's parameters, or [] if they cannot be read."""
    try:
        pairs = parse_qsl(query, max_num_fields=LIMITS["parameters"].most)
    except ValueError:
        return []
    return [value for name, value in pairs if name == "made"]


def own_versions(catalogue: Catalogue) -> dict[str, str]:
    """Return the versions of fireplan and of each game, by ``fireplan`` and the games' keys."""
    games = {key: entry.version for key, entry in catalogue.games.items()}
    return {"fireplan": version("fireplan"), **games}


def of_newer(then: Iterable[str], catalogue: Catalogue) -> str:
    """Return a sentence if a link was made with a newer fireplan or game, else ""."""
    here = own_versions(catalogue)
    newer = [
        f"{name} {made} (here {here[name]})"
        for name, _, made in (mark.rpartition("-") for mark in then)
        if name in here and _release(made) > _release(here[name])
    ]
    if not newer:
        return ""
    return (
        f"This link was made with a newer version: {', '.join(newer)}. The results here may differ"
        " from those that its author saw; to see the same results, open it with that version."
    )


def _release(version: str) -> tuple[int, ...]:
    """Return the numeric parts of a version, or () if it cannot be compared."""
    parts = version.split(".")
    small = len(version) <= _LONGEST_NUMBER and all(
        part.isascii() and part.isdigit() for part in parts
    )
    return tuple(map(int, parts)) if small else ()


def differs(then: Sequence[str], now: Sequence[str]) -> str:
    """Return a sentence that compares an answer (``now``) with the answer in its link (``then``).

    Returns "" if the link contains no versions.
    """
    if not then:
        return ""
    before = [mark for mark in then if mark not in now]
    after = [mark for mark in now if mark not in then]
    if not any(mark.startswith("figures-") for mark in then):
        return (
            "The versions differ from those that this link was made with."
            if before
            else "The versions are those that this link was made with."
        )
    if not any(mark.startswith("figures-") for mark in before):
        return "The figures are exactly those that this link was made with."
    old, new = (
        ", ".join(mark for mark in marks if not mark.startswith("figures-"))
        for marks in (before, after)
    )
    versions = [*([f"made with {old}"] if old else []), *([f"now {new}"] if new else [])]
    why = ", ".join(versions) or "a game changed but kept its version"
    return f"The figures differ from those that this link was made with: {why}."
