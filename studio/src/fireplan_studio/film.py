"""The film of a game: a picture after every input, with the map, odds, orders and luck.

A side's film is made from that side's own views and beliefs only; an input that the side did not
notice gets no picture.
"""

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
from fireplan.solver import Compiler, StateGoal, StateValues, TooLargeError, falls_of
from fireplan_core import REFEREE, Ask, Order, ProcedureError, Scenario
from fireplan_core.play import Answered, State, Thrown
from fireplan_core.sentences import capitalized
from fireplan_studio.board import Board, board_of, template_environment

MOST, ORDERS = 20_000, 8
"""Maximum number of states that the solver follows, and of orders compared at one decision."""
POINTS, WEIGHED, TOO_LARGE = 64, 128, 5
"""Maximum number of pictures and of orders, in the whole film, for which a chance is solved.

Once ``TOO_LARGE`` positions have been too large to solve, no more are tried. These limits are
counts, not seconds, because a visible delay could reveal hidden facts.
"""


@attrs.define
class FilmFrame:
    """A side's view after an input, with the input's log lines and the possible alternatives.

    ``position`` is the game as the side knows it; ``chance`` is the chance, from that position,
    that the side's next fire for effect is on target. After a roll, ``prospects`` are its possible
    outcomes, ``fell`` is the index of the actual outcome (-1: none), and ``good`` is the chance of
    an outcome at least as good. After an order, ``given`` is the order in words and ``standard``
    the standard order. ``offered`` maps each possible order to the position after it, and
    ``chances`` maps the order to the chance from there; ``best`` is the order with the greatest
    chance. Both are empty unless the chances differ. ``layers`` contains the changed layers of the
    map, as SVG.
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
    """Return the reason why a side may not have its film, or "" if it may.

    In a game of two sides the referee's film is made only when the game is over.
    """
    sides = table.sides_of(session.scenario)
    if side != REFEREE or session.table.waits_for is None or session.revealed or len(sides) == 1:
        return ""
    return f"Until the game is over, only the view of one side can be filmed: {' or '.join(sides)}"


def film_of(session: table.Session, side: str, *, odds: bool = True) -> Markup:
    """Return the film of a game as a side may see it, as HTML for a page.

    After the reveal every side sees everything. ``odds`` adds exact odds at evenly spaced pictures
    and at the orders. Raises ``ValueError`` if ``kept_back`` gives a reason.
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
    if odds:
        camera.weigh(pictures)
    board = board_of(session, pictures[-1].view, [picture.view for picture in pictures])
    _draw(session, pictures, board)
    page = template_environment().get_template("_film.html.j2")
    words = table.Words(session.scenario)
    side, next_fire = words.said("side", camera.side), words.of_fire("the next fire for effect")
    return Markup(page.render(side=side, next_fire=next_fire, board=board, pictures=pictures))  # noqa: S704 - the template escapes


def short_film_of(session: table.Session) -> tuple[Markup, list[dict[str, str]], list[str]]:
    """Return a finished game as a film: the map, the layers and the captions.

    The map is SVG. For each picture there are the layers that it changes, as SVG by name, and a
    caption. Raises ``ValueError`` if nothing in the game has a place on a map.
    """
    pictures = list(_Camera(session, REFEREE, "").pictures())
    board = board_of(session, pictures[-1].view, [picture.view for picture in pictures])
    if board is None:
        raise ValueError("nothing in this game has a place on a map")
    _draw(session, pictures, board)
    captions = [_caption(picture) for picture in pictures]
    layers = [{**picture.layers} for picture in pictures]
    for changed in layers:
        changed.pop("displays", None)
    return board.svg, layers, captions


def _caption(picture: FilmFrame) -> str:
    """Return the time of a picture and the sentences of its lines, or that the game begins."""
    sentences = [capitalized(line.text) for line in picture.lines] or ["The game begins"]
    return f"{capitalized(picture.view.situation.when)}: {'. '.join(sentences)}."


def _draw(session: table.Session, pictures: list[FilmFrame], board: Board | None) -> None:
    """Draw, for each picture, the map layers that differ from the previous picture."""
    before: dict[str, str] = {}
    displays: Any = template_environment().get_template("_displays.svg.j2").module
    for picture in pictures:
        layers = board.layers(session, picture.view) if board else {}
        layers["displays"] = "".join(map(displays.display, picture.view.situation.displays))
        picture.layers = {
            name: layer for name, layer in layers.items() if before.get(name) != layer
        }
        before = layers


def one_file(title: str, side: str, film: Markup) -> str:
    """Return a film as the text of one HTML file that needs no network."""
    board, play, style = (
        (files("fireplan_studio") / "static" / name).read_text(encoding="utf-8")
        for name in ("board.js", "film.js", "studio.css")
    )
    page = template_environment().get_template("film_standalone.html.j2")
    return page.render(
        title=title, side=side, film=film, style=page_style() + style, scripts=(board, play)
    )


class _Camera:
    """The maker of a film as seen from the seat ``eyes``, with the odds for ``side``."""

    def __init__(self, session: table.Session, eyes: str, side: str) -> None:
        self.session, self.eyes, self.side = session, eyes, side
        self.own, self._too_large = own_assets(session, side), 0
        self._values: dict[tuple[str, ...], StateValues] = {}

    def pictures(self) -> Iterator[FilmFrame]:
        """Yield a picture for each input that the seat noticed, without odds and drawings."""
        last, extras = None, dict[str, Any]()
        for session, row in self.session.again():
            viewer = table.Viewer(session, self.eyes)
            view = table.SideView(
                self.eyes, viewer.situation(), viewer.known.lines, table.Prompt("film")
            )
            if view != last:
                fresh = Counter(view.log) - Counter(last.log if last else ())
                yield FilmFrame(view, believed_after(viewer), list(fresh.elements()), **extras)
            last, extras = view, {}
            if row is not None and isinstance(row.given, Thrown):
                luck = table.throw_results(
                    session.table, row.given.faces, viewer.eyes.learns, self.side
                )
                extras = dict(zip(("prospects", "fell", "good"), luck, strict=True))
            elif (
                row is not None
                and isinstance(row.given, Answered)
                and self.eyes in (row.who, REFEREE)
            ):
                extras = self._choices(viewer, row.given)

    def _choices(self, viewer: table.Viewer, given: Answered) -> dict[str, Any]:
        """Return the fields of a picture for an order: the order given, and the standard order.

        If ``side`` gave the order, the field ``offered`` has the position after each of these two
        orders and each other order on offer. No fields are returned if the table does not wait for
        an order.
        """
        game, waits = viewer.session.table, viewer.session.table.waits_for
        if not isinstance(waits, Ask):
            return {}
        standard = game.rulebook.answer(waits, {}, game.read)
        forms = {form.verb: form for form in viewer.forms()}

        def in_words(order: Order) -> str:
            return viewer.words.deed(order, forms[order.verb], waits.question)

        orders: dict[Order, str] = {order: in_words(order) for order in (given.order, standard)}
        fields: dict[str, Any] = {"given": orders[given.order], "standard": orders[standard]}
        if self.own and waits.who == self.side:
            legal = (
                order
                for order, refusal in table.offered(viewer.session.table, ORDERS)
                if refusal is None
            )
            orders |= {order: in_words(order) for order in legal}
            with suppress(ProcedureError):  # the question is hidden from this side
                fields["offered"] = {
                    text: believed_after(viewer, order)
                    for order, text in [*orders.items()][:ORDERS]
                }
        return fields

    def weigh(self, pictures: list[FilmFrame]) -> None:
        """Solve the chances of evenly spaced pictures, then the chances after each order on offer.

        The chances are stored in the pictures. At most ``WEIGHED`` orders are solved.
        """
        last, points = len(pictures) - 1, min(len(pictures), POINTS)
        for point in range(points if self.own else 0):
            picture = pictures[last * point // max(1, points - 1)]
            picture.chance = self._chance(*picture.position)
        weighed = 0
        for picture in pictures:
            weighed += len(picture.offered)
            if weighed > WEIGHED:
                break
            chances = {
                text: chance
                for text, position in picture.offered.items()
                if (chance := self._chance(*position)) is not None
            }
            if len(set(chances.values())) > 1 and picture.given in chances:
                picture.chances = chances
                picture.best = max(chances, key=lambda text: chances[text])

    def _chance(self, scenario: Scenario, state: State) -> Fraction | None:
        """Return the chance, from this state on, that the side's next fire for effect is on target.

        The result is None at the end of the game, and if the state cannot be played on or is too
        large to solve. After ``TOO_LARGE`` states that were too large, no more are tried.
        """
        if self._too_large >= TOO_LARGE or state.moment >= self.session.moments:
            return None
        units = tuple(scenario.units)
        if units not in self._values:
            goals = [StateGoal(falls_of(self.own))]
            self._values[units] = StateValues(Compiler(scenario), goals, self.session.moments, MOST)
        try:
            return self._values[units](state)[0]
        except ProcedureError:
            return None
        except TooLargeError:
            self._too_large += 1
            return None
