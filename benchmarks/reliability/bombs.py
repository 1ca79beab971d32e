"""Files made to exhaust a reader: too large, too deeply nested, or swollen to the maximum size.

The readers and the expected results are in ``mutations.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

LARGEST = {
    "scenario": 63_990,
    "engagement": 63_990,
    "plan": 63_990,
    "playthrough": 127_990,
    "chart": 31_990,
}
"""Maximum number of bytes in a file of each kind."""
ENTRIES = (b'"Q?"', b'"A999"', b'"9999"', b'"all"', b'""', b"1")
"""Values with which lists are filled, besides their own entries."""

Bomb = tuple[str, str, bytes]
"""The kind of a file, its description, and its content."""


def all_bombs(seeds: dict[str, list[tuple[str, bytes]]]) -> Iterator[Bomb]:
    """Yield all such files by kind and name: as written, cut to the maximum size, and grown from good files."""
    yield from _bombs()
    yield from (
        (kind, f"{what}, as large as allowed", whole[: LARGEST[kind]])
        for kind, what, whole in _bombs()
    )
    for kind in ("scenario", "engagement", "plan"):
        seen: set[tuple[str, bytes]] = set()
        for name, content in seeds[kind]:
            yield from (
                (kind, f"{name}, {what}", whole)
                for what, whole in _swollen(name, content, LARGEST[kind], seen)
            )


def _bombs() -> Iterator[Bomb]:
    """Yield the files that are written from scratch."""
    some = {
        "larger than allowed": b"# " + b"x" * 10_000_000,
        "brackets in brackets": b"a = " + b"[" * 100_000,
        "tables in tables": b"a = " + b"{a=" * 80_000,
        "a key of many parts": b".".join([b"a"] * 100_000) + b" = 1",
        "a header of many parts": b"[" + b".".join([b"a"] * 100_000) + b"]",
        "many keys": b"\n".join(b"k%d=1" % n for n in range(25_000)),
        "many tables": b"\n".join(b"[t%d]" % n for n in range(25_000)),
        "many entries": b"[[unit]]\n" * 25_000,
        "many deep tables": b"\n".join(
            b"[" + b".".join([b"a"] * 40) + b".t%d]" % n for n in range(2_000)
        ),
        "a long number": b"a = " + b"9" * 200_000,
        "a long float": b"a = 1e" + b"9" * 200_000,
        "a long text": b'a = "' + b"x" * 250_000 + b'"',
        "a long list": b"a = [" + b"1," * 120_000 + b"]",
        "text that does not end": b'a = """' + b"\n" * 250_000,
        "lines that do not end a list": b"a = [\n" + b"1,\n" * 80_000,
        "nothing": b"",
        "zeros": bytes(200_000),
    }
    for kind, first in {
        "scenario": b'game = "asl"\n',
        "engagement": b"",
        "plan": b'title = "x"\n',
    }.items():
        for what, content in some.items():
            yield kind, what, content
            yield kind, f"{what}, after a good key", first + content
    for what, content in some.items():
        yield "playthrough", what, content
        yield (
            "playthrough",
            f"{what}, in a playthrough",
            b"fireplan playthrough 1\nscenario: x\ntext:\n| " + content,
        )
        yield (
            "playthrough",
            f"{what}, as inputs",
            b"fireplan playthrough 1\nscenario: asl/village\n\n> " + content,
        )
    yield (
        "playthrough",
        "a long number of moments",
        b"fireplan playthrough 1\nmoments: " + b"9" * 200_000,
    )
    head = b"fireplan playthrough 1\nscenario: asl/village\n"
    yield "playthrough", "moments without end", head + b"moments: 999999999999\n\n> x"
    rows = b"row,a\n"
    tables = {
        "larger than allowed": rows + b"1,x\n" * 3_000_000,
        "rows far apart": rows + b"1,x\n1000000000,x\n",
        "a long number": rows + b"9" * 200_000 + b",x\n",
        "a long line": rows + b"1," * 100_000,
        "a long cell": rows + b"1," + b"x" * 200_000,
        "a quote that does not end": rows + b'1,"' + b"x\n" * 100_000,
        "nothing": b"",
        "zeros": bytes(200_000),
    }
    yield from (("chart", what, content) for what, content in (some | tables).items())


def _swollen(
    name: str, content: bytes, size: int, seen: set[tuple[str, bytes]]
) -> Iterator[tuple[str, bytes]]:
    """Yield good files in which one list or table repeats until they reach the maximum size."""
    of, _, _ = name.partition("/")
    lines = content.split(b"\n")
    for at, line in enumerate(lines):
        if (found := re.match(rb"(\w+) = \[(.+)\]$", line)) and (of, found[1]) not in seen:
            seen.add((of, found[1]))
            for entry in (found[2].split(b",")[0], *ENTRIES):
                many = b", ".join([entry] * ((size - len(content)) // (len(entry) + 2)))
                swollen = [*lines[:at], found[1] + b" = [" + many + b"]", *lines[at + 1 :]]
                yield f"{found[1].decode()} with many {entry.decode()}", b"\n".join(swollen)
    for table in re.findall(rb"(?ms)^\[\[.+?(?=^\[|\Z)", content):
        heading = table.split(b"\n")[0]
        if (of, heading) not in seen:
            seen.add((of, heading))
            swollen = content.replace(table, table * ((size - len(content)) // len(table)), 1)
            yield f"many {heading.decode()}", swollen
