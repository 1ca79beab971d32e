"""Random changes that break a file: bytes, lines, values, words, numbers, and pieces of other files."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

VALUES = [
    "0",
    "1",
    "-1",
    "2",
    "3",
    "7",
    "12",
    "1000000000",
    "-99999999999999999999",
    "0.5",
    "-0.0",
    "1e308",
    "nan",
    "inf",
    "true",
    "false",
    '""',
    '"x"',
    "[]",
    "{}",
    "[[]]",
    "[0]",
    "1944-12-18",
    "07:32:00",
    "1944-12-18T07:32:00Z",
    "0x10",
    "1_000",
    "'a'",
    '"K5"',
    '"woods"',
    '["a","b"]',
    "{a=1}",
    '[1,"2"]',
    '"\\u0000"',
    '"\\u202e"',
    "00",
    '"%s"',
    '"../../x"',
    '"a.b"',
    '"${x}"',
    '"<b>"',
    "none",
    "yes",
    "no",
    "*",
    ":",
    "=",
    "#",
    '"',
    "'''",
    "[",
    "]",
    "{",
    "}",
    "[[a]]",
    "[a]",
    "[a.b]",
    "a.b.c",
    "|",
    ">",
    "'''",
    '"""',
    "\xe9",
    "\xb2",
    "\U0001d7d8",
    "\x00",
    "\ufeff",
    "\x1b[2J",
    "\r",
    "\n",
    "\t",
    *("9" * 30, "9" * 5000, '"' + "x" * 3000 + '"', "[" * 60),
]


def broken(content: bytes, others: list[tuple[str, bytes]], dice: random.Random) -> bytes:
    """Return the file's content after one to three changes."""
    for _ in range(dice.choice((1, 1, 1, 2, 3))):
        content = dice.choice(CHANGES)(content, others, dice)
    return content


def _bytes(content: bytes, _: Any, dice: random.Random) -> bytes:
    at, length = dice.randint(0, len(content)), dice.choice((0, 0, 1, 1, 2, 8))
    return content[:at] + dice.randbytes(dice.choice((0, 1, 1, 2, 8))) + content[at + length :]


def _end(content: bytes, _: Any, dice: random.Random) -> bytes:
    return content[: dice.randint(0, len(content))]


def _line(content: bytes, others: list[tuple[str, bytes]], dice: random.Random) -> bytes:
    lines = content.split(b"\n")
    at, to = dice.randrange(len(lines)), dice.randrange(len(lines))
    match dice.randrange(4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(to, lines[at])
        case 2:
            lines[at], lines[to] = lines[to], lines[at]
        case _:
            lines.insert(to, dice.choice(dice.choice(others)[1].split(b"\n")))
    return b"\n".join(lines)


def _value(content: bytes, _: Any, dice: random.Random) -> bytes:
    """Return the content with one piece of a line, split at =, comma, colon or space, replaced."""
    lines = content.split(b"\n")
    at = dice.randrange(len(lines))
    value = dice.choice(VALUES).encode()
    sign = dice.choice((b"=", b"=", b",", b":", b" "))
    cells = lines[at].split(sign)
    cells[dice.randrange(len(cells))] = b" " + value if sign == b"=" else value
    lines[at] = sign.join(cells)
    return b"\n".join(lines)


def _word(content: bytes, _: Any, dice: random.Random) -> bytes:
    """Return the content with a letter of a word changed, or another word in its place."""
    words = content.split()
    if not words:
        return content
    word = dice.choice(words)
    other = (
        dice.choice(words) if dice.random() < 0.5 else word[:-1] + bytes([dice.randrange(32, 127)])
    )
    return content.replace(word, other, dice.choice((1, 1, -1)))


def _digits(content: bytes, _: Any, dice: random.Random) -> bytes:
    """Return the content with a digit of a number changed."""
    places = [n for n, byte in enumerate(content) if 48 <= byte <= 57]
    if not places:
        return content
    at = dice.choice(places)
    return (
        content[:at]
        + dice.choice((b"", b"-", b"0", b"9", b"99", b"999999999", b"1.", b"1e9"))
        + content[at + 1 :]
    )


CHANGES: tuple[Callable[[bytes, list[tuple[str, bytes]], random.Random], bytes], ...] = (
    _bytes,
    _end,
    _line,
    _line,
    _value,
    _value,
    _value,
    _word,
    _digits,
    _digits,
)
