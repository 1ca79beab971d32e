"""Plant mistakes that designers make in shipped sheets, and judge the messages.

``python benchmarks/sheets/planted.py`` plants them all, and prints how many are reported with the
line at fault (or the missing table), the reason and a suggestion. A test tries a sample of them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import attrs

from fireplan.sheets import sheet_game, sheet_templates
from fireplan_core.files import Document, Fault, FileError

ROOT = Path(__file__).parents[2]
NEAR = 2
"""Maximum number of lines between a fault and the line reported."""


@attrs.frozen
class Planted:
    """A sheet with one fault: its kind, its text, and the lines at which it may be reported."""

    kind: str
    sheet: str
    text: str
    lines: frozenset[int]

    def answer(self) -> tuple[Fault, ...]:
        """Return the faults for which the sheet is refused; none if it is accepted."""
        try:
            sheet_game(Document.of(f"{self.sheet}.toml", self.text))
        except FileError as error:
            return error.faults
        return ()

    def is_answered(self) -> bool:
        """Return whether a reported fault has its line (or names a missing table), a reason and a suggestion."""
        return any(
            fault.message and fault.suggestion and self._is_placed(fault) for fault in self.answer()
        )

    def _is_placed(self, fault: Fault) -> bool:
        if fault.line is None:
            return "missing" in fault.message
        return any(abs(fault.line - line) <= NEAR for line in self.lines)


def replaced(pattern: str, new: str) -> Callable[[str], tuple[str, set[int]] | None]:
    """Return a function that replaces a pattern's first match, and returns its line and its table's line."""

    def change(text: str) -> tuple[str, set[int]] | None:
        match = re.search(pattern, text, re.MULTILINE)
        if match is None:
            return None
        before = text[: match.start()]
        line = before.count("\n") + 1
        lines = set(range(line, line + match[0].count("\n") + 1))
        table = before[: before.rfind("\n[") + 2].count("\n") + 1 if "\n[" in before else line
        return before + match.expand(new) + text[match.end() :], lines | {table}

    return change


def twice(pattern: str) -> Callable[[str], tuple[str, set[int]] | None]:
    """Return a function that repeats the first match of a pattern."""
    return replaced(f"(?s){pattern}", r"\g<0>\g<0>")


KINDS: dict[str, Callable[[str], tuple[str, set[int]] | None]] = {
    "a ready part misspelt": replaced(
        r'^kind = "(Skill|Draw|Request|Fixed|Relay|Track|Denied)(\w*)"', r'kind = "\1\2s"'
    ),
    "a ready part of another table": replaced(
        r'^(\[delays\]\n)kind = "\w+"', r'\1kind = "Scatter"'
    ),
    "a key misspelt": replaced(r"^minutes =", "minuts ="),
    "a key in the wrong table": replaced(r"^(\[observers\]\n)", "\\1minutes = 3\n"),
    "a key forgotten": replaced(r"^minutes = .*\n", ""),
    "a number in quotes": replaced(r"^duration = (\d+)", r'duration = "\1"'),
    "a number too small": replaced(r"^duration = \d+", "duration = 0"),
    "a fraction for a whole number": replaced(r"^duration = (\d+)", r"duration = \1.5"),
    "dice in another language": replaced(r'^dice = "(\d?)d(\d+)"', r'dice = "\1w\2"'),
    "dice that there are not": replaced(r'^dice = "(\d?)d(\d+)"', r'dice = "0d\2"'),
    "a gap in a table": replaced(r'^(rows = \{ "\d+-)(\d)(")', r"\g<1>1\3"),
    "a row twice": replaced(r'^(rows = \{ "\d+-)(\d)(")', r"\g<1>9\3"),
    "a row out of reach": replaced(
        r'^(rows = \{.*"\d+-)?(\d+)" = "([^"]*)" \}', r'\g<1>\2" = "\3", "30" = "\3" }'
    ),
    "a result without a severity": replaced(
        r'^(chart = "\w+"\n(?:.*\n)*?severities = \{.*?)(\w+) = "suppressed"',
        r'\1\2x = "suppressed"',
    ),
    "a severity misspelt": replaced(r'"suppressed"', '"supressed"'),
    "a table that is not there": replaced(r'^chart = "(\w+)"', r'chart = "\1s"'),
    "a rule that is not there": replaced(r'(moment) = "1\.1"', r'\1 = "9.9"'),
    "a rule number twice": replaced(r'^id = "1\.2"', 'id = "1.1"'),
    "the rule of a step forgotten": replaced(r'(land) = "[\d.]+", ', ""),
    "the rule of a step misspelt": replaced(r"\bmoment = ", "momnt = "),
    "a roll misspelt": replaced(r'^roll = "(\w+)\.(\w+)"', r'roll = "\1.\2s"'),
    "a modifier of nothing": replaced(r"^value = -?\d+", "value = 0"),
    "a word for a unit misspelt": replaced(r'^cover = "(\w+)"', r'cover = "\1z"'),
    "a place off the map": replaced(r'^target = ".*"', 'target = "ZZ99x"'),
    "a unit without a place": replaced(r"^place = .*\n", ""),
    "two units of one name": replaced(
        r'^id = "(\w+)"(\n(?:.+\n)+\n\[\[scenario\.unit\]\]\n)id = "\w+"', r'id = "\1"\2id = "\1"'
    ),
    "a table for a part misspelt": replaced(r"^\[resolution\]", "[resolutions]"),
    "the map forgotten": replaced(r"^\[map\]\n(.+\n)+", ""),
    "another map than the areas need": replaced(r'^kind = "(hexes|table|corners)"', 'kind = "NEW"'),
    "a bracket not closed": replaced(r"^\[areas\]", "[areas"),
    "a quote not closed": replaced(r'^title = "(.*)"', r'title = "\1'),
    "a comma forgotten": replaced(r'^(rules = \{ \w+ = "[\d., ]+"), ', r"\1 "),
    "a colon for an equals sign": replaced(r"^minutes =", "minutes:"),
    "a part that says where but not what": replaced(
        r'^kind = "(\w+, )*(Disc|Circle|Row|Corner|Oval|Rectangle)"', r'kind = "AsAimed"'
    ),
    "a version of the future": replaced(r"^sheet = 1", "sheet = 2"),
    "a key with a space": replaced(r'^key = "(\w+)"', r'key = "\1 two"'),
}
"""The kinds of fault; each function plants one in a sheet's text, or returns None if it cannot."""


def planted() -> Iterator[Planted]:
    """Yield a sheet with one fault for each kind and each sheet in which it can be made."""
    for sheet, file in sheet_templates().items():
        text = file.read_text(encoding="utf-8")
        for kind, plant in KINDS.items():
            changed = plant(text)
            if changed is None:
                continue
            faulty, lines = changed
            if 'kind = "NEW"' in faulty:
                own = re.search(r'kind = "(hexes|table|corners)"', text)
                faulty = faulty.replace("NEW", "table" if own and own[1] != "table" else "corners")
                lines |= {faulty[: faulty.index("\n[areas]")].count("\n") + 3}
            if faulty != text:
                yield Planted(kind, sheet, faulty, frozenset(lines))


def main() -> None:
    """Plant every fault; print how many are reported properly, by kind, and those that are not."""
    made: Counter[str] = Counter()
    answered: Counter[str] = Counter()
    missed = []
    for fault in planted():
        made[fault.kind] += 1
        if fault.is_answered():
            answered[fault.kind] += 1
        else:
            missed.append(fault)
    for kind, count in made.items():
        print(f"{answered[kind]:3} of {count:3}  {kind}")
    print(f"{answered.total()} of {made.total()} faults answered")
    for fault in missed:
        answer = "; ".join(map(str, fault.answer())) or "accepted"
        print(
            f"not answered: {fault.kind} in {fault.sheet} (line {sorted(fault.lines)}): {answer[:300]}"
        )


if __name__ == "__main__":
    main()
