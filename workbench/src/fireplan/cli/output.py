"""The output of an answer: printed as text or data, and drawn as an image."""

import sys
from pathlib import Path

import attrs

from fireplan.questions.result import Result, unwritable


@attrs.frozen(kw_only=True)
class Output:
    """The output options: a table, JSON or comma-separated values, and an image file."""

    json: bool = False
    csv: bool = False
    picture: Path | None = None

    def faults(self) -> list[str]:
        """Return the faults in the output options."""
        faults = [fault] if (fault := unwritable(self.picture)) else []
        if self.json and self.csv:
            faults.append("--json and --csv cannot both be printed; choose one.")
        return faults

    def print(self, result: Result) -> None:
        """Print a result, and write its picture if ``--picture`` is given."""
        if self.picture is not None:
            result.save(self.picture)
        if self.json:
            sys.stdout.write(result.json())
        elif self.csv:
            sys.stdout.write(result.csv())
        else:
            result.print()
            if self.picture is not None:
                sys.stdout.write(f"Picture: {self.picture}\n")
