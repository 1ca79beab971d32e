"""The film of a game: it shows what was seen, its odds obey the law of total probability, and it
reveals no secret.
"""

from __future__ import annotations

import time
from fractions import Fraction
from itertools import count, product

import pytest

import fireplan as fp
from fireplan.analysis import own_assets
from fireplan.solver import Compiler, StateGoal, StateValues, falls_of
from fireplan.table import Session, Viewer, make_head, scenario_of, sides_of, throw_results, view_of
from fireplan_core import Ask, Order
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, Thrown
from fireplan_studio import film, film_of, kept_back, one_file
from fireplan_studio.board import asset_names, board_of
from fireplan_studio.film import _Camera


def table(name):
    installed = Catalogue.installed()
    return Session(*scenario_of(installed, make_head(installed, name, None, {})))


def play(session, inputs, orders=None):
    """Play this many inputs: standard orders, or those named by side for a question, and dice from
    one seed.
    """
    dice = RandomFaces("film")
    for _ in range(inputs):
        waits = session.table.waits_for
        if isinstance(waits, Ask):
            wanted = (orders or {}).get((waits.who, waits.question))
            session.order(wanted or session.table.rulebook.answer(waits, {}, session.table.read))
        elif waits is not None:
            session.face(dice.face(session.die), typed=False)
    return session


@pytest.mark.parametrize("name", ["asl/village", "miniatures_1943/chits_in_hand"])
def test_every_side_has_a_map_with_the_assets_that_it_knows_under_names(name):
    """The other side's chits are named by their number in its line, such as ``American marker 1``."""
    session, named = table(name), set()
    for _ in range(12):
        play(session, 1)
        for side in sides_of(session.scenario):
            view = view_of(session, side)
            names = asset_names(session.scenario, view)
            assert names.keys() == {asset.name for asset in view.situation.assets}
            assert board_of(session, view) is not None
            named |= {*names.values()}
    assert ("American marker 1" in named) == name.startswith("miniatures")


@pytest.mark.parametrize(
    "name", ["asl/smoke_and_wp", "miniatures_1943/air_strike", "red_poppies/flare"]
)
def test_a_film_has_every_log_line_once_and_ends_like_the_table(name):
    session = fp.load(name).session
    side = sides_of(session.scenario)[0]
    pictures, viewer = list(_Camera(session, side, side).pictures()), Viewer(session, side)
    told = [line for picture in pictures for line in picture.lines]
    assert sorted(map(str, told)) == sorted(map(str, viewer.known.lines))
    assert pictures[-1].view.situation == viewer.situation()
    assert len(pictures) == len(session.table.journal) + 1
    for picture in pictures:
        assert sum(each.chance for each in picture.prospects) == (1 if picture.prospects else 0)
        assert -1 <= picture.fell < max(1, len(picture.prospects))
        assert picture.good is None or picture.prospects[picture.fell].chance <= picture.good <= 1


@pytest.mark.full
def test_odds_before_a_roll_are_the_weighted_odds_after_it():
    """The law of total probability, with each face actually rolled."""
    session = fp.load("red_poppies/signal_fails_and_tries_again").session
    own = own_assets(session, session.scenario.missions[session.scenario.mission_ids[0]].side)
    values, weighed = (
        StateValues(Compiler(session.scenario), [StateGoal(falls_of(own))], session.moments, 8_000),
        0,
    )

    def on_target(state):
        return values(state)[0]

    for then, _ in session.again():
        waits, state = then.table.waits_for, then.table.state
        if waits is None or isinstance(waits, Ask):
            continue
        after = Fraction(0)
        for faces in product(*(die.weights for die in waits.faces)):
            mark = then.table.mark()
            then.table.submit(Thrown(waits.name, tuple(face for face, _ in faces)))
            chance = Fraction(1)
            for die, (_, weight) in zip(waits.faces, faces, strict=True):
                chance *= Fraction(weight, sum(each for _, each in die.weights))
            fell = [
                e.event["on_target"]
                for e in then.table.log[mark.entries :]
                if e.event.kind == "fall"
            ]
            if fell or then.table.waits_for is None:
                after += chance * (bool(fell) and fell[0])
            else:
                after += chance * on_target(then.table.state)
            then.table.back_to(mark)
        if state.moment < session.moments:
            assert on_target(state) == after
            weighed += 0 < after < 1
    assert weighed


def test_a_roll_is_shown_with_the_chance_of_one_at_least_as_good():
    """C1.2: contact on 8 or less (26 of 36), the radio breaks on 12."""
    session = play(table("asl/village"), 1)
    session.order(Order.of("roll"))
    side = "german"
    for faces, place, good in (
        ((1, 2), 0, Fraction(26, 36)),
        ((5, 5), 1, Fraction(35, 36)),
        ((6, 6), 2, Fraction(1)),
    ):
        prospects, fell, at_least = throw_results(session.table, faces, lambda event: event, side)
        assert [each.when for each in prospects] == ["8 or less", "9 to 11", "12"]
        assert (fell, at_least) == (place, good)


@pytest.mark.full
def test_a_hidden_order_changes_no_byte_of_the_other_sides_film():
    """Two 1943 tables whose German side holds back different chits (6.1.c) give the American the
    same film.
    """
    films = []
    for held in (
        {"air_strikes": 0, "barrages": 1, "dummies": 0},
        {"air_strikes": 0, "barrages": 0, "dummies": 1},
    ):
        session, given = table("miniatures_1943/hedgerow_farm"), 0
        dice = RandomFaces("film")
        while not given:
            waits = session.table.waits_for
            if not isinstance(waits, Ask):
                session.face(dice.face(session.die), typed=False)
            elif waits.who == "german":
                assert not hasattr(session.order(Order.of("place", **held)), "reason")
                given += 1
            else:
                session.order(session.table.rulebook.answer(waits, {}, session.table.read))
        films.append({side: film_of(session, side) for side in ("american", "german")})
    assert films[0]["american"] == films[1]["american"]
    assert films[0]["german"] != films[1]["german"]


def test_a_film_weighs_only_the_orders_of_its_own_side():
    session = table("asl/village")
    session.order(Order.of("call"))
    own, other = (
        [frame for frame in _Camera(session, side, side).pictures() if frame.given]
        for side in ("german", "russian")
    )
    assert [frame.given.partition(":")[0] for frame in own] == ["Have the Observer call for fire"]
    assert other == []


def camera_of_the_flare():
    session = fp.load("red_poppies/flare").session
    side = sides_of(session.scenario)[0]
    camera = _Camera(session, side, side)
    pictures = list(camera.pictures())
    return camera, pictures


def test_the_curve_has_as_many_points_on_a_slow_machine(monkeypatch):
    """A clock that jumps omits no point: the time that positions take could reveal what is hidden."""
    camera, pictures = camera_of_the_flare()
    monkeypatch.setattr(time, "monotonic", count(step=1_000.0).__next__)
    camera.weigh(pictures)
    monkeypatch.undo()
    due = [picture for picture in pictures if picture.position[1].moment < camera.session.moments]
    assert len(due) > 1
    assert all(picture.chance is not None for picture in due)


def test_the_points_of_a_long_film_are_spread_evenly(monkeypatch):
    monkeypatch.setattr(film, "POINTS", 4)
    camera, pictures = camera_of_the_flare()
    weighed = []
    monkeypatch.setattr(camera, "_chance", lambda *position: weighed.append(position))
    for picture in pictures:
        picture.offered = {}
    camera.weigh(pictures)
    last = len(pictures) - 1
    assert weighed == [pictures[place].position for place in (0, last // 3, 2 * last // 3, last)]


def test_the_whole_is_filmed_when_two_sides_have_played_their_game():
    session = play(table("miniatures_1943/hedgerow_farm"), 4)
    assert "only the view of one side can be filmed: american or german" in kept_back(
        session, "referee"
    )
    with pytest.raises(ValueError, match="Until the game is over"):
        film_of(session, "referee")
    assert kept_back(session, "american") == ""
    session.reveal()
    assert kept_back(session, "referee") == ""


def test_one_file_names_nothing_outside_itself():
    session = fp.load("miniatures_1943/air_strike").session
    side = sides_of(session.scenario)[0]
    page = one_file(session.scenario.title, side, film_of(session, side, odds=False))
    assert "default-src 'none'" in page
    for outside in ("src=", "<link", "url(http", "@import", "fetch(", 'href="http'):
        assert outside not in page, outside


@pytest.mark.full
def test_a_seat_finds_its_film_and_takes_it_away_as_one_file(visitor):
    begun = visitor.post("/tables", b"scenario=miniatures_1943/hedgerow_farm").headers["location"]
    assert f"{begun}/seat/american/film" in visitor.get(f"{begun}/seat/american").text
    assert f"{begun}/seat/referee/film" not in visitor.get(f"{begun}/seat/referee").text
    page = visitor.answered(f"{begun}/seat/american/film")
    assert (page.status, "film-layers" in page.text) == (200, True)
    taken = visitor.answered(f"{begun}/seat/american/film.html")
    assert taken.headers["content-disposition"].startswith("attachment")
    refused = visitor.get(f"{begun}/seat/referee/film")
    assert (refused.status, "Until the game is over" in refused.text) == (403, True)
    assert visitor.get(f"{begun}/seat/nobody/film").status == 404


def test_the_films_curve_is_titled_with_the_games_term_for_fire():
    """12.1.0: the artillery of Wacht am Rhein fires barrages; ASL's fires for effect (C1.5)."""
    for name, fire in (
        ("wacht_am_rhein/crossroads", "barrage"),
        ("asl/village", "fire for effect"),
    ):
        session = play(table(name), 3)
        text = film_of(session, sides_of(session.scenario)[0])
        assert f"the next {fire} by the " in text
