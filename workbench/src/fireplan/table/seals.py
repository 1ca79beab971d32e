"""Sealed records by commit and reveal: what a side wrote down in secret, so that nobody can change it unseen.

A commitment is the SHA-256 of a random salt, the side, what the record is about and what it says.
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
    """A sealed record with its salt and the commitment that was made when it was laid."""

    record: SecretNote
    salt: str
    commitment: str

    @property
    def sound(self) -> bool:
        """Return whether the commitment is that of this record and salt."""
        return commitment(self.record, self.salt) == self.commitment

    @property
    def closed(self) -> str:
        """Return the seal as the other side reads it until it is revealed."""
        return f"sealed by {_about(self.record)}: commitment {self.commitment}"

    def __str__(self) -> str:
        """As everybody reads it when it is laid open."""
        said = f"{self.record.says} [salt {self.salt}] commitment {self.commitment}"
        return f"sealed by {_about(self.record)}: {said}"


def commitment(record: SecretNote, salt: str) -> str:
    """Return the commitment to a record, in hexadecimal."""
    text = f"{salt}\n{record.side}\n{record.what}\n{record.says}"
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(record: SecretNote, salt: str) -> Seal:
    """Return a record sealed with a salt."""
    return Seal(record, salt, commitment(record, salt))


def verify(before: Iterable[str], after: Iterable[str]) -> list[str]:
    """Return what is wrong with the sealed records of a text, in words, against the commitments of an earlier one.

    Both are lines of exports; empty when every commitment of the earlier text is laid open in the
    later one, with a record that it is the commitment of.
    """
    opened = {found["commitment"]: found for found in _found(after) if found["salt"]}
    wrong = []
    for found in _found(before):
        later = opened.get(found["commitment"])
        about = found["about"] if found["salt"] is None else found["about"].partition(": ")[0]
        name = f"{about} ({found['commitment'][:12]}...)"
        record = None if later is None else _record(later)
        if later is None:
            wrong.append(
                f"{name}: is not laid open in the later text, or another was put in its place"
            )
        elif record is None:
            wrong.append(f"{name}: what is laid open is not what was sealed")
        elif found["salt"] is None and _about(record) != about:
            wrong.append(f"{name}: is laid open as {_about(record)}")
    return wrong


def _about(record: SecretNote) -> str:
    return f"{record.side}, {record.what}"


def _record(opened: re.Match[str]) -> SecretNote | None:
    """The record of a line that its commitment is made to; None where there is no such record.

    Names may hold the marks that part side, subject and words, so every way of parting the line is
    tried.
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
    """Return how many sealed records a text tells of."""
    return sum(1 for _ in _found(lines))


def _found(lines: Iterable[str]) -> Iterable[re.Match[str]]:
    return (found for line in lines if (found := _LINE.search(line.strip())) is not None)
