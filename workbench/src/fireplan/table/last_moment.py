"""Search the last moment of a game for any orders and dice that let fire fall."""

from fireplan.table.legal_orders import offered
from fireplan.table.sides import believed
from fireplan.table.views import Viewer
from fireplan_core import View
from fireplan_core.mission import Stage
from fireplan_core.play import Answered, State, Table

MOST_POSITIONS = 300
"""Maximum number of questions and throws that are followed."""
MOST_ORDERS = 100
"""Maximum number of orders of each form that are tried."""
_ON_THE_MAP = (Stage.FALLING, Stage.LINGERING)


def fire_may_fall(viewer: Viewer) -> bool:
    """Return whether fire may still fall, as far as a viewer's side knows.

    Every order and every throw is tried, but only in the last moment. True in earlier moments, if
    fire lies on the map, if a question takes any place or value, or if there is too much to try.
    """
    session = viewer.session
    if session.table.state.moment < session.moments - 1:
        return True
    scenario, state = believed(
        session.scenario, session.table.state, viewer.eyes, viewer.known.names
    )
    table = Table(scenario, session.moments, State(state.values, state.agenda), by_kinds=True)
    view = View(state.values.get, scenario, "core")
    if any(view.mission(name).stage in _ON_THE_MAP for name in scenario.missions):
        return True
    return _Search(table).finds_fire()


class _Search:
    """A search through all continuations of a table for fire that falls."""

    def __init__(self, table: Table) -> None:
        self.table, self.left = table, MOST_POSITIONS

    def finds_fire(self) -> bool:
        """Return whether fire falls in a continuation, or there are too many to follow."""
        return self._follows(self.table)

    def _follows(self, table: Table) -> bool:
        self.left -= 1
        if self.left < 0 or any(entry.event.kind == "fall" for entry in table.log):
            return True
        if table.over:
            return False
        if table.throw_due is not None:
            return any(self._follows(after) for _, after in table.ways())
        return self._answered(table)

    def _answered(self, table: Table) -> bool:
        """Return whether fire falls after an order, or the question takes any place or value."""
        ask = table.question_due
        if ask is None:
            return False
        forms = table.rulebook.forms(ask, table.read)
        if any(slot.free for form in forms for slot in form.slots):
            return True
        orders = offered(table, MOST_ORDERS + 1)
        if len(orders) > MOST_ORDERS:
            return True
        mark = table.mark()
        for order in (order for order, refusal in orders if refusal is None):
            table.submit(Answered(ask.question, order))
            if self._follows(table):
                return True
            table.back_to(mark)
        return False
