"""Sealed records: secret notes of a side, committed to first and revealed later.

Nobody can change a sealed record unnoticed. A commitment is the SHA-256 of a random salt, the side,
the record's subject and its words.
"""

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import islice

import attrs

from fireplan.errors import quoted
from fireplan.table.plain_words import side_name
from fireplan_core import SecretNote

MENTION = "sealed by "
"""The words with which every line about a sealed record begins, after its time."""
_ENDING = re.compile(r"(?:: | \[salt ([0-9a-f]+)\] )commitment ([0-9a-f]{64})")
"""Matches the end of a line about a sealed record: its salt, if open, and its commitment."""
_LOOKS_SEALED = re.compile(r"sealed by |\[salt |[^\W_]{64}")
"""Matches a seal in a line of lower-case letters and plain spaces."""
LONGEST, TRIES = 10_000, 1000
"""Maximum number of characters in a line with a seal, and of ways of splitting it."""


@attrs.frozen
class Seal:
    """A sealed record, its salt, and the commitment made when it was sealed."""

    record: SecretNote
    salt: str
    commitment: str

    @property
    def sound(self) -> bool:
        """True if the commitment matches this record and salt."""
        return commitment(self.record, self.salt) == self.commitment

    @property
    def closed(self) -> str:
        """The line that other sides see until the record is opened: its subject and commitment."""
        return f"{MENTION}{_about(self.record)}: commitment {self.commitment}"

    def __str__(self) -> str:
        """Return the opened seal as a line that everybody may read."""
        words = f"{self.record.says} [salt {self.salt}] commitment {self.commitment}"
        return f"{MENTION}{_about(self.record)}: {words}"


def without_commitment(line: str) -> str:
    """Return a line of a log without the salt and the commitment with which it ends, if any."""
    return _ENDING.sub("", line)


def commitment(record: SecretNote, salt: str) -> str:
    """Return the commitment to a record, in hexadecimal."""
    text = f"{salt}\n{record.side}\n{record.what}\n{record.says}"
    return hashlib.sha256(text.encode()).hexdigest()


def sealed(record: SecretNote, salt: str) -> Seal:
    """Return a record sealed with this salt."""
    return Seal(record, salt, commitment(record, salt))


@attrs.frozen
class SealLine:
    """A sealed record as read from a line: its text, its salt and its commitment.

    The salt is None if the record is not open.
    """

    about: str
    salt: str | None
    commitment: str


@attrs.frozen
class Verification:
    """The sealed records that a later text opens as they were sealed, and the faults found."""

    matched: tuple[str, ...]
    faults: tuple[str, ...]


def verify(before: Iterable[str], after: Iterable[str]) -> Verification:
    """Check a text's sealed records against an earlier text with their commitments.

    Both texts are lines of exports. Every record sealed in the earlier text must be opened exactly
    once in the later one, as it was sealed. A record that the earlier text does not mention is a
    fault, and so is a line that mentions a seal and cannot be read.
    """
    faults: list[str] = []
    earlier = list(_seals_in(before, "the earlier text", faults))
    later = list(_seals_in(after, "the later text", faults))
    closed = dict.fromkeys(seal.commitment for seal in earlier)
    faults += [
        f"{_name(seal)}: the earlier text seals it {count} times"
        for seal, count in _repeated(earlier)
    ]
    openings = [seal for seal in later if seal.salt]
    faults += [
        f"{_name(seal)}: the later text opens it {count} times"
        for seal, count in _repeated(openings)
    ]
    records = {seal.commitment: _record(seal) for seal in openings}
    matched = []
    for seal in openings:
        if seal.commitment not in closed:
            faults.append(f"{_name(seal)}: opened, but the earlier text does not seal it")
        elif records[seal.commitment] is None:
            faults.append(f"{_name(seal)}: the opened record differs from what was sealed")
    for seal in earlier:
        if seal.commitment not in records:
            faults.append(
                f"{_name(seal)}: the later text does not open it, or has another seal in its place"
            )
            continue
        record = records[seal.commitment]
        if record is None:
            continue
        sides = _player(record.side), side_name(record.side), record.side
        if seal.salt is None and seal.about not in (f"{side}, {record.what}" for side in sides):
            faults.append(f"{_name(seal)}: it was opened as {_about(record)}")
        else:
            matched.append(f"{_about(record)}: {record.says}")
    return Verification(tuple(matched), tuple(faults))


def _name(seal: SealLine) -> str:
    about = seal.about if seal.salt is None else seal.about.partition(": ")[0]
    return f"{about} ({seal.commitment[:12]}...)"


def _repeated(seals: list[SealLine]) -> Iterator[tuple[SealLine, int]]:
    """Yield each seal whose commitment occurs several times, with the number of times."""
    by_commitment: dict[str, list[SealLine]] = {}
    for seal in seals:
        by_commitment.setdefault(seal.commitment, []).append(seal)
    return ((same[0], len(same)) for same in by_commitment.values() if len(same) > 1)


def _about(record: SecretNote) -> str:
    return f"{_player(record.side)}, {record.what}"


def _player(side: str) -> str:
    return f"the {side_name(side)} player"


def _sides_named(name: str) -> tuple[str, ...]:
    """Return the sides that a name may refer to, in today's spelling or an earlier one."""
    named = re.fullmatch("the (.+) player", name)
    if named:
        return (name, *_sides_named(named[1]))
    small = name[:1].lower() + name[1:]
    return tuple(dict.fromkeys([name, small, small.replace(" ", "_"), name.replace(" ", "_")]))


def _record(opened: SealLine) -> SecretNote | None:
    """Return the record that matches the commitment of an opened seal, or None.

    Names may contain the marks that separate side, subject and words, so every way of splitting the
    line is tried.
    """
    for record in islice(_splits(opened.about), TRIES):
        if commitment(record, opened.salt or "") == opened.commitment:
            return record
    return None


def _splits(about: str) -> Iterator[SecretNote]:
    for colon in re.finditer(": ", about):
        head, says = about[: colon.start()], about[colon.end() :]
        for comma in re.finditer(", ", head):
            for side in _sides_named(head[: comma.start()]):
                yield SecretNote(side, head[comma.end() :], says)


def commitments(lines: Iterable[str]) -> int:
    """Return the number of sealed records in a text, including those that cannot be read."""
    return sum(map(_looks_sealed, lines))


def _looks_sealed(line: str) -> bool:
    """Return whether a reader would take a line for a sealed record, however it is disguised."""
    letters = unicodedata.normalize("NFKC", line).casefold()
    visible = "".join(letter for letter in letters if unicodedata.category(letter) != "Cf")
    return _LOOKS_SEALED.search(" ".join([*visible.split(), ""])) is not None


def _seal_line(line: str) -> SealLine | None:
    """Return the seal in a line, or None if it cannot be read."""
    _, mention, rest = line.strip().partition(MENTION)
    start = max(rest.rfind(" [salt "), rest.rfind(": commitment "))
    ending = _ENDING.fullmatch(rest, start) if mention and 0 < start <= LONGEST else None
    return None if ending is None else SealLine(rest[:start], ending[1], ending[2])


def _seals_in(lines: Iterable[str], text: str, faults: list[str]) -> Iterator[SealLine]:
    """Yield every seal in a text; add a fault for each line with a seal that cannot be read."""
    for number, line in enumerate(lines, start=1):
        if not _looks_sealed(line):
            continue
        seal = _seal_line(line)
        if seal is None:
            words = quoted(line.strip())
            faults.append(f"line {number} of {text}: a seal that cannot be read: {words}")
        else:
            yield seal
