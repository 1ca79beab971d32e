"""The film of a game: every input that stands, with the map after it, the odds, the orders there were, and its luck.

A side's film is made of that side's own views and beliefs; an input that it saw nothing of is no
picture.
"""

import time  # noqa: TID251 - how long a person has waited; no rule depends on it
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from importlib.resources import files
from typing import Any

import attrs
from markupsafe import Markup

from fireplan import table
from fireplan.analysis import believed_after, own_assets
from fireplan.draw.palette import page_style
from fireplan.solver import Compiler, TooLargeError, expected, falls_of
from fireplan_core import REFEREE, Ask, Order, ProcedureError, Scenario
from fireplan_core.play import Answered, State, Thrown
from fireplan_studio.board import board_of, environment

MOST, ORDERS = 8_000, 8
"""States that are followed for one chance, about a second's work, and orders that are weighed where one was given."""


@attrs.define
class Picture:
    """A side's view after an input, what was told of the input, and what could have come of it.

    ``position`` is the game as the side knows it. ``fell`` is the place of what came of a throw among its
    ``prospects``, ``good`` the chance of anything as good. Of an order that was ``given``, ``offered`` holds the
    position after each that could have been, ``best`` the one with the greatest ``chances`` that fire falls on the
    target; ``chance`` is that of this position. ``layers`` are those of the map that have changed, drawn.
    """

    view: table.SideView
    position: tuple[Scenario, State]
    lines: list[table.LogLine]
    prospects: tuple[table.Prospect, ...] = ()
    fell: int = -1
    good: Fraction | None = None
    chance: Fraction | None = None
    given: str = ""
    standard: str = ""
    chances: dict[str, Fraction] = attrs.field(factory=dict)
    best: str = ""
    offered: dict[str, tuple[Scenario, State]] = attrs.field(factory=dict)
    layers: dict[str, str] = attrs.field(factory=dict)


def kept_back(session: table.Session, side: str) -> str:
    """Return why there is no film for a side: the referee's is made once two sides have played the game; or nothing."""
    sides = table.sides_of(session.scenario)
    if side != REFEREE or session.table.waits_for is None or session.revealed or len(sides) == 1:
        return ""
    return f"the whole of a game is filmed when it is over, and until then as a side saw it: {' or '.join(sides)}"


def film_of(session: table.Session, side: str, seconds: float = 30.0) -> Markup:
    """Return the film of a game as a side may see it, drawn as a part of a page.

    After the reveal, everything for all.

    In about so many seconds exact odds are worked out, evenly over the film, and for orders. Raises
    ValueError for the referee's while ``kept_back`` says so.
    """
    if reason := kept_back(session, side):
        raise ValueError(reason)
    firing = (setup.side for setup in session.scenario.missions.values())
    camera = _Camera(
        session,
        REFEREE if session.revealed else side,
        next(firing, side) if side == REFEREE else side,
    )
    pictures = list(camera.pictures())
    camera.weigh(pictures, seconds)
    board, before = (
        board_of(session, pictures[-1].view, [each.view for each in pictures]),
        dict[str, str](),
    )
    beside: Any = environment().get_template("_displays.svg.j2").module
    for picture in pictures:
        layers = board.at(session, picture.view) if board else {}
        layers["displays"] = "".join(map(beside.display, picture.view.situation.displays))
        picture.layers = {
            name: layer for name, layer in layers.items() if before.get(name) != layer
        }
        before = layers
    page = environment().get_template("_film.html.j2")
    return Markup(page.render(side=camera.side, board=board, pictures=pictures))  # noqa: S704 - escaped there


def one_file(title: str, side: str, film: Markup) -> str:
    """Return a film that was drawn as an HTML file that needs no network."""
    board, play, style = (
        (files("fireplan_studio") / "static" / name).read_text(encoding="utf-8")
        for name in ("board.js", "film.js", "studio.css")
    )
    page = environment().get_template("film_alone.html.j2")
    return page.render(
        title=title, side=side, film=film, style=page_style() + style, scripts=(board, play)
    )


class _Camera:
    """The making of a film: whose eyes see it, and whose orders and fire are weighed."""

    def __init__(self, session: table.Session, eyes: str, side: str) -> None:
        self.session, self.eyes, self.side = session, eyes, side
        self.own, self._until = own_assets(session, side), 0.0
        self._compilers: dict[tuple[str, ...], Compiler] = {}

    def pictures(self) -> Iterator[Picture]:
        """Yield what was seen after each input that anything was seen of.

        Odds and drawings are still to come.
        """
        last, asked = None, dict[str, Any]()
        for then, told in self.session.again():
            viewer = table.Viewer(then, self.eyes)
            view = table.SideView(
                self.eyes, viewer.situation(), viewer.known.lines, table.Prompt("film")
            )
            if view != last:
                fresh = Counter(view.log) - Counter(last.log if last else ())
                yield Picture(view, believed_after(viewer), list(fresh.elements()), **asked)
            last, asked = view, {}
            if told is not None and isinstance(told.given, Thrown):
                found = table.fallen(then.table, told.given.faces, viewer.eyes.learns, self.side)
                asked = dict(zip(("prospects", "fell", "good"), found, strict=True))
            elif (
                told is not None
                and isinstance(told.given, Answered)
                and self.eyes in (told.who, REFEREE)
            ):
                asked = self._asked(viewer, told.given)

    def _asked(self, viewer: table.Viewer, given: Answered) -> dict[str, Any]:
        """Return what is known of an order before it is given."""
        at, waits = viewer.session.table, viewer.session.table.waits_for
        if not isinstance(waits, Ask):
            return {}
        standard = at.rulebook.answer(waits, {}, at.read)
        orders: dict[Order, str] = {
            order: viewer.words.order(order) for order in (given.order, standard)
        }
        found: dict[str, Any] = {"given": orders[given.order], "standard": orders[standard]}
        if self.own and waits.who == self.side:
            legal = (
                order for order, refusal in table.offered(viewer.session, ORDERS) if refusal is None
            )
            orders |= {order: viewer.words.order(order) for order in legal}
            with suppress(ProcedureError):  # the question is not in what the side knows
                found["offered"] = {
                    text: believed_after(viewer, each) for each, text in [*orders.items()][:ORDERS]
                }
        return found

    def weigh(self, pictures: list[Picture], seconds: float) -> None:
        """Weigh positions, ever more densely over the film, then orders, until the seconds are over."""
        self._until = time.monotonic() + seconds / 2
        for every in (32, 16, 8, 4, 2, 1) if self.own else ():
            for picture in (*pictures[::every], pictures[-1]):
                picture.chance = (
                    picture.chance
                    if picture.chance is not None
                    else self._chance(*picture.position)
                )
        self._until += seconds / 2
        for picture in pictures:
            found = {
                text: chance
                for text, at in picture.offered.items()
                if (chance := self._chance(*at)) is not None
            }
            if len(set(found.values())) > 1 and picture.given in found:
                picture.chances, picture.best = found, max(found, key=lambda text: found[text])

    def _chance(self, scenario: Scenario, state: State) -> Fraction | None:
        """Return the chance of fire on the target from a position.

        None where it is not worked out.
        """
        if time.monotonic() > self._until or state.moment >= self.session.moments:
            return None
        units = tuple(scenario.units)
        compiler = self._compilers[units] = self._compilers.get(units) or Compiler(scenario)
        try:
            ((falls,), _) = expected(
                compiler, state, self.session.moments, [falls_of(self.own)], MOST
            )
            return falls.shares.get(True, Fraction(0))
        except ProcedureError:
            return None
        except TooLargeError:
            self._until -= 3  # where much is too large the seconds are for what is not
            return None
