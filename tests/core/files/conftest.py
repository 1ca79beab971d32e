"""A class to read files into, with a field of every kind, and the faults of a file read into it."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any, Literal

import attrs
import pytest

from fireplan_core.files import FileError, describe, read_file


def column_and_row(text: str) -> tuple[str, int]:
    """Return a square of a chess board, parsed as a game would parse a place's label."""
    if len(text) != 2 or text[0] not in "abcdefgh" or text[1] not in "12345678":
        raise ValueError(f"{text!r} is no square")
    return text[0], int(text[1])


def about(meaning: str, **more: Any) -> dict[str, Any]:
    return {"help": meaning, **more}


@attrs.frozen(kw_only=True)
class Rider:
    name: str = attrs.field(metadata=about("who rides", example="Ida"))
    age: int = attrs.field(default=20, metadata=about("in years", range=(1, 99)))


@attrs.frozen(kw_only=True)
class Piece:
    id: str = attrs.field(metadata=about("a name of its own", example="n1"))
    place: tuple[str, int] = attrs.field(
        metadata=about("its square", parse=column_and_row, example="b1")
    )


@attrs.frozen(kw_only=True)
class Knight(Piece):
    gait: Literal["walk", "trot", "full_gallop"] = attrs.field(
        default="walk", metadata=about("how fast")
    )
    rider: tuple[Rider, ...] = attrs.field(default=(), metadata=about("who sits on it"))
    route: tuple[tuple[str, int], ...] = attrs.field(
        default=(), metadata=about("squares to come", parse=column_and_row, example=("c3", "d5"))
    )


@attrs.frozen(kw_only=True)
class Board:
    size: int = attrs.field(default=8, metadata=about("squares a side", range=(2, 26)))
    wooden: bool = attrs.field(default=True, metadata=about("whether it is made of wood"))
    made: dt.date | None = attrs.field(
        default=None, metadata=about("when it was made", example=dt.date(1900, 1, 31))
    )
    maker: Rider | None = attrs.field(default=None, metadata=about("who made it"))


@attrs.frozen(kw_only=True)
class Game:
    title: str = attrs.field(metadata=about("one line", example="A game"))
    day: dt.date = attrs.field(metadata=about("the day", example=dt.date(1944, 12, 18)))
    board: Board = attrs.field(metadata=about("what is played on"))
    knight: tuple[Knight, ...] = attrs.field(default=(), metadata=about("the knights"))
    notes: str = attrs.field(default="", metadata=about("a sentence or two", multiline=True))
    motto: str = attrs.field(default="", metadata=about("a word"))
    players: tuple[str, ...] = attrs.field(default=(), metadata=about("who plays"))
    scores: tuple[int, ...] = attrs.field(default=(), metadata=about("points", range=(0, 9)))
    files: Mapping[str, str] = attrs.field(factory=dict, metadata=about("files by name"))
    stock: Mapping[str, int] = attrs.field(
        factory=dict, metadata=about("how many are left", range=(0, 9))
    )
    options: Mapping[str, str | int | bool] = attrs.field(factory=dict, metadata=about("choices"))
    exact: int = attrs.field(default=0, metadata=about("any number"))

    def check(self):
        names = [knight.id for knight in self.knight]
        for i, name in enumerate(names):
            if name in names[:i]:
                yield f"knight[{i}].id", f"{name} stands twice", "rename one"
        for key in self.options:
            if key not in ("fast", "odd key"):
                yield f'options."{key}"', "no such choice", ""
        if self.title == self.motto:
            yield "", "title and motto are the same", ""


@pytest.fixture
def read(tmp_path):
    """Return a function that writes content to a file and reads it into the class."""

    def read_content(content):
        file = tmp_path / "my.toml"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return read_file(file, Game)

    return read_content


@pytest.fixture
def faults(read):
    """Return a function that returns the faults of a file with the given content."""

    def faults_of(content):
        with pytest.raises(FileError) as caught:
            read(content)
        assert str(caught.value) == describe(caught.value.faults)
        return caught.value.faults

    return faults_of


@pytest.fixture
def fault(faults):
    """Return a function that returns the only fault of a file with the given content."""

    def only_fault(content):
        (only,) = faults(content)
        return only

    return only_fault
