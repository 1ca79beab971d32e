"""Numbering of values in the order in which they first come up."""

from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Numbering(Generic[T]):
    """Values numbered from 0 in the order in which they first come up: ``values[number]``."""

    def __init__(self, *values: T) -> None:
        self.values = list(values)
        self._numbers = {value: number for number, value in enumerate(values)}

    def number(self, value: T) -> int:
        """Return the number of a value; a new value gets the next number."""
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number
