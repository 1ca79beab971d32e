"""Breaking a game and holding it to a check, without installing it."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from fireplan.kit._check import Finding, raised
from fireplan.kit._list import examine
from fireplan.kit._meets import imported
from fireplan.kit._new import SPACES, Space, rendered
from fireplan.kit.mutants._fault import FAULTS, Fault

FIRST = "L01-admission"


@attrs.frozen
class Verdict:
    """Say what became of a fault: what its check found, in words; nothing when it was missed."""

    fault: Fault
    found: tuple[str, ...]

    @property
    def caught(self) -> bool:
        """Return whether the check meant for it found anything."""
        return bool(self.found)

    def __str__(self) -> str:
        """One line."""
        said = self.found[0].partition("; see it again")[0].partition(": ")[2][:160] if self.found else ""
        return f"{'caught' if self.caught else 'MISSED'}  {self.fault.id} ({self.fault.check}): {said}"


def try_mutants() -> Iterator[Verdict]:
    """Return the verdict on every fault, one after the other."""
    return map(try_fault, FAULTS)


def try_fault(fault: Fault) -> Verdict:
    """Break a game of the scaffold by this fault and hold it to the check that is meant for it."""
    key = f"broken_{fault.id.replace('-', '_')}"
    files = rendered(key, fault.space)
    for edit in fault.edits:
        name = f"src/fireplan_{key}/{edit.file}"
        if edit.old not in files[name]:
            raise ValueError(f"fault {fault.id}: {edit.file} does not hold {edit.old!r}")
        files[name] = files[name].replace(edit.old, edit.new)
    kept = {name: text for name, text in files.items() if not any(gone in name for gone in fault.without)}
    return Verdict(fault, tuple(map(str, _findings(key, kept, (fault.check,)))))


def sound_games() -> Iterator[tuple[Space, tuple[Finding, ...]]]:
    """Yield the sound games that the mutants are made of, each with what all checks find (nothing, if all is well)."""
    for space in SPACES:
        key = f"sound_{space}"
        yield space, tuple(_findings(key, rendered(key, space), ()))


def _findings(key: str, files: dict[str, str], only: tuple[str, ...]) -> list[Finding]:
    try:
        with imported(key, files) as plugin:
            return [finding for _, findings in examine(key, plugin, only=only) for finding in findings]
    except Exception as error:  # noqa: BLE001 - a game that cannot be imported is not admitted
        return [Finding(key, FIRST, raised(error))]
