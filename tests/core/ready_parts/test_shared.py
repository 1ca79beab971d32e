"""Code that several games share: areas over hexes, outlines, even clocks, yes-or-no questions, file checks."""

from __future__ import annotations

from fractions import Fraction
from math import pi, sqrt
from types import SimpleNamespace

import attrs
import pytest

from fireplan_core import (
    Clock,
    Form,
    Order,
    OrderQuestion,
    ProcedureError,
    Refusal,
    Slot,
    emit,
    options_from_csv,
)
from fireplan_core.files import near, repeated, shipped, unknown_values, unparsed_texts
from fireplan_core.ready_parts import HexAreas
from fireplan_core.space import (
    HexFrame,
    Layout,
    PlaneFrame,
    VertexFrame,
    lettered_columns,
    vertices_of,
)

LAYOUT = Layout(lettered_columns(20), (1, 16), (1, 16))
HEXES, CORNERS = HexFrame(100, LAYOUT), VertexFrame(100, LAYOUT)
K8 = HEXES.parse("K8")


class Hexes(HexAreas):
    places = HEXES
    cites = {}  # noqa: RUF012 - as the base has it


class Corners(HexAreas):
    places = CORNERS
    cites = {}  # noqa: RUF012 - as the base has it


def seen(areas, impact):
    return SimpleNamespace(mission=lambda _: SimpleNamespace(impact=impact), frame=areas.frame())


def test_a_single_hex_is_covered_fully_and_a_wide_target_in_part():
    areas = Hexes("game", {}, {})
    view = seen(areas, K8)
    assert areas.covers(view, "a", K8, Fraction(0)) == 1
    assert areas.covers(view, "a", HEXES.parse("K9"), Fraction(0)) == 0
    # A circle of 100 m reaches into all seven hexes round its centre.
    assert areas.covers(view, "a", K8, Fraction(100)) == Fraction(1, 7)
    cells, hectares = areas.footprint(view, "a")
    assert cells == (K8,)
    assert hectares == pytest.approx(sqrt(3) / 2)


def test_nothing_is_covered_before_an_impact():
    areas = Hexes("game", {}, {})
    assert areas.covers(seen(areas, None), "a", K8, Fraction(0)) == 0


def test_fire_at_a_corner_covers_the_three_hexes_that_meet_there():
    areas, corner = Corners("game", {}, {}), vertices_of(K8)[0]
    view = seen(areas, corner)
    assert all(areas.covers(view, "a", cell, Fraction(0)) == 1 for cell in corner)
    assert areas.footprint(view, "a")[1] == pytest.approx(3 * sqrt(3) / 2)
    assert CORNERS.outline(corner) == tuple(CORNERS.metres(cell) for cell in corner)
    assert CORNERS.outline(K8) == tuple(CORNERS.metres(vertex) for vertex in vertices_of(K8))
    assert areas.shape(view, "a") == tuple(map(CORNERS.outline, corner))


def test_a_hex_beyond_the_map_is_off_it_and_a_corner_at_the_edge_is_on_it():
    beyond = HEXES.parse("K17")
    assert HEXES.on_map(K8)
    assert not HEXES.on_map(beyond)
    shared = next(vertex for vertex in vertices_of(HEXES.parse("K16")) if beyond in vertex)
    assert CORNERS.on_map(shared)
    assert PlaneFrame().on_map((10**6, 0))


def test_a_circle_is_drawn_about_its_centre_in_metres():
    corners = PlaneFrame(0.5).circle((10, -4), 6)
    assert all(sqrt((x - 5) ** 2 + (y + 2) ** 2) == pytest.approx(3) for x, y in corners)
    area = (
        sum(
            a[0] * b[1] - a[1] * b[0]
            for a, b in zip(corners, (*corners[1:], corners[0]), strict=True)
        )
        / 2
    )
    assert area == pytest.approx(pi * 9, rel=0.01)


def test_even_moments_are_numbered_from_one():
    clock = Clock.even(Fraction(10), "game turn", "5.0", called="turn")
    assert (clock.name(0), clock.moment, clock.grain, clock.source) == (
        "turn 1",
        "game turn",
        10,
        "5.0",
    )
    assert Clock.even(Fraction(10), "phase").name(2) == "phase 3"


def test_an_order_is_judged_and_carried_out_by_one_function():
    def offers(_view, mission):
        yield Form("pass", "1", does=Refusal("2", "not today"), summary="do not")
        at = Slot("at", "where", (1, 2)), Slot("how", "how", ("far",), free=True)
        yield Form(
            "call",
            "1",
            at,
            lambda at, how: emit("called", "1", unit=mission, at=at, how=how),
            summary="call",
        )

    asked = OrderQuestion(offers)
    call = Order.of("call", at=1, how="far")
    assert asked.standard(None, "a") == call
    assert asked.carry_out(None, None, call, "a").events == (
        emit("called", "1", unit="a", at=1, how="far"),
    )
    assert asked.judge(None, Order.of("pass"), "a") == Refusal("2", "not today")
    assert asked.judge(None, Order.of("call", at=3, how="far"), "a").cite == "1"
    assert not isinstance(asked.judge(None, Order.of("call", at=1, how="near"), "a"), Refusal)
    assert isinstance(asked.judge(None, Order.of("call", at=1, how=7), "a"), Refusal)
    with pytest.raises(ProcedureError, match=r"the order pass is refused: not today \[2\]"):
        asked.carry_out(None, None, Order.of("pass"), "a")
    with pytest.raises(ProcedureError, match="'sing' is not an order here"):
        asked.judge(None, Order.of("sing"), "a")
    with pytest.raises(ProcedureError, match="a dead end"):
        OrderQuestion(
            lambda _view: [Form("pass", "1", does=Refusal("2", "no"), summary="do not")]
        ).standard(None)


@attrs.frozen
class Entry:
    name: str
    side: str = "red"


@attrs.frozen
class File:
    unit: tuple[Entry, ...]
    gun: tuple[Entry, ...] = ()


def test_repeated_names_are_found_across_tables():
    file = File((Entry("a"), Entry("b")), (Entry("b"),))
    assert [key for key, _, _ in repeated(file, "unit", "gun")] == ["gun[0].name"]
    assert list(repeated(file, "unit")) == []


def test_unknown_names_are_reported_with_the_known_ones():
    ((key, wrong, hint),) = unknown_values(
        File((Entry("a"), Entry("b", "rad"))), ["red", "blue"], "side", "unit"
    )
    assert (key, wrong, hint) == ("unit[1].side", "there is no side rad", "one of red, blue")


def test_unreadable_texts_are_reported_and_omissions_are_allowed():
    assert [
        key for key, _, _ in unparsed_texts("at", ("K8", None, "?"), LAYOUT.parse, "a hex")
    ] == ["at"]


def test_the_nearest_name_does_not_mind_capitals_and_blanks():
    assert near("Wacht am Rhien", ["wacht_am_rhein", "asl"]) == "wacht_am_rhein"
    assert near("zzz", ["wacht_am_rhein"]) is None


def test_shipped_files_are_those_of_toml_by_name(tmp_path):
    for name in ("b.toml", "a.c.toml", "note.txt"):
        (tmp_path / name).touch()
    assert list(shipped(tmp_path)) == ["a.c", "b"]


def test_options_are_read_with_their_kinds_of_values(tmp_path):
    file = tmp_path / "options.csv"
    file.write_text(
        'name,values,rule,summary\nfirm,false | true,1.2,"is it, or not"\nout,-1 | a b,1.3,how\n',
        encoding="utf-8",
    )
    firm, out = options_from_csv(file)
    assert (firm.values, firm.default, firm.cite, firm.summary) == (
        (False, True),
        False,
        "1.2",
        "is it, or not",
    )
    assert out.values == (-1, "a b")
