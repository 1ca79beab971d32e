"""Sealed records: secret notes of a side, committed to first and revealed later.

Nobody can change a sealed record unnoticed. A commitment is the SHA-256 of a random salt, the side,
the record's subject and its words.
"""

import hashlib
import re
from collections.abc import Iterable

import attrs

from fireplan_core import SecretNote

_LINE = re.compile(
    r"sealed by (?P<about>.+?)(?:: | \[salt (?P<salt>[0-9a-f]+)\] )commitment (?P<commitment>[0-9a-f]{64})$"
)


@attrs.frozen
class Seal:
    """A sealed record, its salt, and the commitment made when it was sealed."""

    record: SecretNote
    salt: str
    commitment: str

    @property
    def sound(self) -> bool:
        """Whether the commitment matches this record and salt."""
        return commitment(self.record, self.salt) == self.commitment

    @property
    def closed(self) -> str:
        """The seal as the other side sees it until it is opened."""
        return f"sealed by {_about(self.record)}: commitment {self.commitment}"

    def __str__(self) -> str:
        """Return the opened seal as a line that everybody may read."""
        words = f"{self.record.says} [salt {self.salt}] commitment {self.commitment}"
        return f"sealed by {_about(self.record)}: {words}"


def commitment(record: SecretNote, salt: str) -> str:
    """Return the commitment to a record, in hexadecimal."""
    text = f"{salt}\n{record.side}\n{record.what}\n{record.says}"
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(record: SecretNote, salt: str) -> Seal:
    """Return a record sealed with this salt."""
    return Seal(record, salt, commitment(record, salt))


def verify(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """Return the faults in a text's sealed records, given an earlier text with their commitments.

    Both texts are lines of exports. The result is empty if the later text opens every commitment of
    the earlier one with a matching record.
    """
    opened_seals = {seal["commitment"]: seal for seal in _seals_in(after) if seal["salt"]}
    faults = []
    for seal in _seals_in(before):
        later = opened_seals.get(seal["commitment"])
        about = seal["about"] if seal["salt"] is None else seal["about"].partition(": ")[0]
        name = f"{about} ({seal['commitment'][:12]}...)"
        record = None if later is None else _record(later)
        if later is None:
            faults.append(
                f"{name}: the later text does not open it, or has another seal in its place"
            )
        elif record is None:
            faults.append(f"{name}: the opened record is not what was sealed")
        elif seal["salt"] is None and _about(record) != about:
            faults.append(f"{name}: it was opened as {_about(record)}")
    return faults


def _about(record: SecretNote) -> str:
    return f"{record.side}, {record.what}"


def _record(opened: re.Match[str]) -> SecretNote | None:
    """Return the record that matches the commitment of an opened seal, or None.

    Names may contain the marks that separate side, subject and words, so every way of splitting the
    line is tried.
    """
    about = opened["about"]
    for colon in re.finditer(": ", about):
        head, says = about[: colon.start()], about[colon.end() :]
        for comma in re.finditer(", ", head):
            record = SecretNote(head[: comma.start()], head[comma.end() :], says)
            if commitment(record, opened["salt"]) == opened["commitment"]:
                return record
    return None


def commitments(lines: Iterable[str]) -> int:
    """Return the number of sealed records in a text."""
    return sum(1 for _ in _seals_in(lines))


def _seals_in(lines: Iterable[str]) -> Iterable[re.Match[str]]:
    return (seal for line in lines if (seal := _LINE.search(line.strip())) is not None)
