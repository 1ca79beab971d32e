"""Orders and values as a player types them; ``order_reader`` reads them back.

Places are written by their labels, and names as they are. Several values of a slot are joined by
``+``, and the members of one value by ``:`` (``fire=109-FA:4+687-FA:4``). Names that contain spaces
or these marks are in double quotes.
"""

from collections.abc import Iterable
from enum import Enum
from typing import Any

from fireplan_core import Form, Order
from fireplan_core.space import Frame, label_of
from fireplan_core.steps.questions import form_of

_MARKS = frozenset(' \t+:="')


class OrderWriter:
    """A writer of orders, and of the values of their slots, with the labels of a frame."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame

    def value(self, value: Any, name: str = "", *, quoted: bool = False) -> str:
        """Return one value of an order as a player types it, such as ``yes``, ``K5`` or ``1/2``.

        ``name`` is the name of its slot. A slot with a plural name (``rows``) has a list as its
        value, never a place. With ``quoted``, a name with spaces or other marks is in double
        quotes.
        """
        if isinstance(value, bool):
            return "yes" if value else "no"
        if value is None:
            return "none"
        if isinstance(value, Enum):
            return str(value.value) if isinstance(value.value, str) else value.name.lower()
        if isinstance(value, str):
            return f'"{value}"' if quoted and (_MARKS & set(value) or not value) else value
        if isinstance(value, Order):
            return self.order(value)
        if isinstance(value, tuple | frozenset):
            return self._several(value, name, quoted=quoted)
        return str(value)

    def _several(self, values: Any, name: str, *, quoted: bool) -> str:
        if not name.endswith("s") and (label := label_of(self._frame, values)) is not None:
            return label
        items = sorted(values, key=str) if isinstance(values, frozenset) else values
        texts = []
        for item in items:
            if isinstance(item, tuple) and (label := label_of(self._frame, item)) is None:
                texts.append(":".join(self.value(part, quoted=quoted) for part in item))
            else:
                texts.append(self.value(item, quoted=quoted))
        return "+".join(texts) or "none"

    def order(self, order: Order, forms: Iterable[Form] = ()) -> str:
        """Return an order as a player types it, with its values in the order of the form."""
        form = form_of(order.verb, forms)
        names = [slot.name for slot in form.slots] if form else []
        values = sorted(
            order.values, key=lambda pair: names.index(pair[0]) if pair[0] in names else len(names)
        )
        return " ".join(
            [order.verb, *(f"{name}={self.value(value, quoted=True)}" for name, value in values)]
        )
