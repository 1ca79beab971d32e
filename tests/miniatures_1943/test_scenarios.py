"""Scenario files: air superiority, chits and boxes filled before play, several lines, faults, and
the user's own charts.
"""

import io
from fractions import Fraction

import pytest

import fireplan_miniatures_1943 as plugin
from fireplan.cli import main
from fireplan.positions import Position, Source, Sources, position_of
from fireplan.solver import Analysis, Count, Ever, WorstSeverity, sample, solve, tail
from fireplan_core import CannotStageError, Order, Refusal, View
from fireplan_core.chance import RandomFaces
from fireplan_core.files import FileError, read_file, write_toml
from fireplan_core.play import (
    Answered,
    Catalogue,
    Table,
    find_scenario,
    load_scenario,
    play_out,
    replay,
    stage_scenario,
)
from fireplan_miniatures_1943.charts import read_air_superiority, read_area_weapons
from fireplan_miniatures_1943.scenario import AirForm, FilledForm, M1943Scenario
from fireplan_miniatures_1943.terrain import Terrain, TerrainPiece

SIDES = (("r", "red", -300, 0), ("b", "blue", 300, 0))


def place(barrages=0, air_strikes=0, dummies=0):
    return Order.of("place", barrages=barrages, air_strikes=air_strikes, dummies=dummies)


@pytest.fixture
def catalogue():
    found = Catalogue()
    found.admit(plugin)
    return found


# --- before play ----------------------------------------------------------------------------------
def air(lay, a_base, theatre="Germany: France/Belgium", year=1944, axis="blue"):
    lines = [{"air_strikes": 2}, {"side": "blue", "nationality": "german", "air_strikes": 1}]
    bases = [a_base(*b) for b in SIDES]
    return lay(bases=bases, lines=lines, air=AirForm(axis=axis, theatre=theatre, year=year))


def strikes_of(table):
    """Return the sides that can still make an air strike."""
    missions = table.scenario.missions
    return {
        setup.side
        for name, setup in missions.items()
        if table.read(f"missions/{name}/stage", None).value == "idle"
    }


@pytest.mark.parametrize(
    ("faces", "year", "winner"),
    [
        ([6, 2], 1944, "red"),  # the Axis has 6 - 5 = 1, the Allies have 2
        ([6, 1], 1944, None),  # both sides have 1: with a tie neither side wins
        ([1, 3], 1940, None),  # the Axis has 1 + 2 = 3, and so have the Allies
        ([2, 3], 1940, "blue"),
        ([1, 4], 1940, "red"),
    ],
)
def test_s_a_the_higher_total_has_the_air(lay, a_base, drive, seen, faces, year, winner):
    table = drive(air(lay, a_base, year=year), 1, {}, faces=faces)
    assert seen(table, "air_superiority") == [(0, {"side": winner})]
    assert strikes_of(table) == ({winner} if winner else set())
    lost = [e.event.cite for e in table.log if e.event.kind == "ended"]
    assert lost == ["S.a"] * {"red": 1, "blue": 2, None: 3}[winner]


# Typed from the set-up page: Axis modifiers for 1939 to 1945.
THEATRES = {
    "Germany: Russia/Poland": (4, None, 4, 2, 0, -2, -4),
    "Germany: France/Belgium": (None, 2, None, None, None, -5, -5),
    "Germany: Africa/Italy": (None, None, 0, -1, -3, -4, -5),
    "Japan: China": (3, 3, 3, 2, 0, -1, -3),
    "Japan: Field Force": (None, None, 1, 0, -1, -3, -5),
}


@pytest.mark.parametrize("theatre", THEATRES)
def test_s_b_the_modifier_of_theatre_and_year(lay, a_base, drive, theatre):
    for year, modifier in zip(range(1939, 1946), THEATRES[theatre], strict=True):
        if modifier is None:
            with pytest.raises(CannotStageError, match=str(year)):
                air(lay, a_base, theatre, year)
            continue
        table = drive(air(lay, a_base, theatre, year), 1, {}, faces=[3, 3])
        told = [
            e.event["value"]
            for e in table.log
            if e.event.kind == "modifier" and e.event.cite == "S.b"
        ]
        assert told == ([modifier] if modifier else [])


def test_s_a_chances_by_counting(lay, a_base):
    # Germany in France 1944: of 36 rolls only 6 - 5 = 1 against 1 is a tie; red wins all others.
    analysis = Analysis(air(lay, a_base), 1)
    shares = analysis.solve(Ever("air_superiority", "side", ("red",))).shares
    assert shares == {True: Fraction(35, 36), False: Fraction(1, 36)}


def test_s_b_an_unknown_theatre_is_refused(lay, a_base):
    with pytest.raises(CannotStageError, match="no theatre"):
        air(lay, a_base, "Japan: Island Garrison")


@pytest.mark.parametrize(("field", "cite"), [("air_strikes", "S.c"), ("barrages", "S.d")])
def test_s_c_s_d_chits_are_the_numbers_of_the_scenario(lay, a_base, field, cite):
    scenario = lay(bases=[a_base(*b) for b in SIDES], lines=[{field: 3}])
    table = Table(scenario, 2)
    answer = table.submit(Answered("requests.request", place(**{field: 4})))
    assert isinstance(answer, Refusal)
    assert answer.cite == cite
    assert isinstance(table.submit(Answered("requests.request", place(**{field: 3}))), tuple)


def test_s_c_air_strikes_of_the_scenario_are_used_once(lay, a_base, drive, seen):
    scenario = lay(bases=[a_base(*b) for b in SIDES], lines=[{"air_strikes": 1}])
    table = drive(scenario, 4, {(0, "requests.request", "red"): place(air_strikes=1)})
    assert [fields["reason"].value for _, fields in seen(table, "ended")] == ["exhausted"]


@pytest.mark.parametrize("box", [0, 1, 2])
def test_s_e_boxes_filled_before_play(lay, a_base, drive, seen, box):
    lines = [{"boxes": 2, "barrages": 2, "filled": (FilledForm(box=box, barrages=1),)}]
    table = drive(lay(bases=[a_base(*b) for b in SIDES], lines=lines), 4, {})
    # A chit in the Request box needs three moves, the first of them in the first phase.
    assert [fields["to_go"] for _, fields in seen(table, "laid")] == [3 - box]
    assert [turn for turn, _ in seen(table, "placed")] == [2 - box]
    assert [e.event.cite for e in table.log if e.event.kind == "laid"] == ["S.e"]


def test_s_e_lost_air_strikes_are_not_in_the_line(lay, a_base, drive, seen):
    filled = (FilledForm(box=0, air_strikes=1, dummies=1),)
    lines = [{"air_strikes": 1, "dummies": 1, "filled": filled}]
    scenario = lay(
        bases=[a_base(*b) for b in SIDES],
        lines=lines,
        air=AirForm(axis="red", theatre="Japan: China", year=1945),
    )
    table = drive(scenario, 1, {}, faces=[1, 6])
    assert [fields["mission"] for _, fields in seen(table, "laid")] == ["american dummy 1"]


def test_s_e_boxes_that_the_chart_lacks_are_refused(lay, a_base):
    lines = [{"nationality": "german", "dummies": 1, "filled": (FilledForm(box=2, dummies=1),)}]
    with pytest.raises(CannotStageError, match="box 2"):
        lay(bases=[a_base(*b) for b in SIDES], lines=lines)


# --- lines of the request chart ------------------------------------------------------------------
@pytest.mark.parametrize("boxes", [0, 1, 2, 3, 7])
def test_6_1_i_the_delay_of_a_line_with_any_number_of_boxes(lay, a_base, drive, seen, boxes):
    scenario = lay(bases=[a_base(*b) for b in SIDES], lines=[{"boxes": boxes, "barrages": 1}])
    table = drive(scenario, boxes + 2, {(0, "requests.request", "red"): place(barrages=1)})
    assert [turn for turn, _ in seen(table, "fall")] == [boxes + 1]


def two_lines(lay, a_base, **options):
    lines = [
        {"nationality": "german", "boxes": 0, "barrages": 9},
        {"nationality": "italian", "boxes": 3, "barrages": 9},
    ]
    return lay(bases=[a_base(*b) for b in SIDES], lines=lines, options=options)


def test_6_1_c_a_side_has_a_line_for_each_nationality(lay, a_base, drive, seen):
    orders = {
        (0, "requests.request", "german barrage 1"): place(barrages=1),
        (0, "requests.request", "italian barrage 1"): place(barrages=1),
    }
    table = drive(two_lines(lay, a_base), 5, orders)
    assert [(turn, f["mission"]) for turn, f in seen(table, "fall")] == [
        (1, "german barrage 1"),
        (4, "italian barrage 1"),
    ]


@pytest.mark.parametrize(("per", "most"), [("line", 8), ("player", 3)])
def test_6_1_e_the_limit_of_eight_is_of_a_line_or_by_option_of_a_player(lay, a_base, per, most):
    table = Table(two_lines(lay, a_base, limit_per=per), 1)
    assert isinstance(table.submit(Answered("requests.request", place(barrages=9))), Refusal)
    assert isinstance(table.submit(Answered("requests.request", place(barrages=5))), tuple)
    refusal = table.submit(Answered("requests.request", place(barrages=most + 1)))
    assert isinstance(refusal, Refusal)
    assert refusal.cite == "6.1.e"
    assert isinstance(table.submit(Answered("requests.request", place(barrages=most))), tuple)


def test_6_2_d_barrages_fall_in_the_fire_phase_of_the_player_who_placed_them(lay, a_base, drive):
    lines = [{"barrages": 1}, {"side": "blue", "barrages": 1}]
    orders = {(0, "requests.request", side): place(barrages=1) for side in ("red", "blue")}
    orders[1, "resolution.movement", "blue"] = [
        Order.of("move", base="b", to=(400, 400)),
        Order.of("done"),
    ]
    table = drive(lay(bases=[a_base(*b) for b in SIDES], lines=lines), 2, orders)
    told = [(e.event.kind, dict(e.event.fields).get("mission")) for e in table.log]
    red = told.index(("fall", "red american barrage 1"))
    assert red < told.index(("moved", None)) < told.index(("fall", "blue american barrage 1"))


# --- files ----------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "side"), [("hedgerow_farm", "american"), ("river_crossing", "german")]
)
def test_s_d_shipped_scenarios_are_played_and_replayed(catalogue, name, side):
    scenario, form = find_scenario(catalogue, f"miniatures_1943/{name}")
    assert scenario.firer == side
    assert len(scenario.units) == 7
    table = play_out(Table(scenario, form.moments), RandomFaces(8))
    assert replay(scenario, form.moments, table.journal).state == table.state
    assert {"placed", "fall", "suffered", "terrain_lost", "laid"} <= {
        entry.event.kind for entry in table.log
    }
    ledger = catalogue["miniatures_1943"].game.ledger
    assert all(entry.event.cite in ledger for entry in table.log)


BAD = """
game = "miniatures_1943"
title = "bad"
moments = 3
sides = ["red", "red"]
[air]
axis = "nobody"
theatre = "Japan: China"
year = 1944
[[base]]
id = "a"
side = "red"
x = 0
y = 0
heading = [0, 0]
[[base]]
id = "a"
side = "green"
x = 0
y = 0
[[terrain]]
id = "t"
kind = "wire"
x = 0
y = 0
[[line]]
side = "red"
nationality = "german"
boxes = 1
barrages = 1
[[line.filled]]
box = 2
barrages = 9
"""


def test_s_d_a_scenario_with_faults_is_refused_with_all_of_them(catalogue, tmp_path):
    file = tmp_path / "bad.toml"
    file.write_text(BAD, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        load_scenario(catalogue, file)
    keys = [fault.key for fault in caught.value.faults]
    assert sorted(keys) == sorted(
        [
            "sides",
            "base[1].side",
            "base[1].id",
            "base[1]",
            "base[0].heading",
            "terrain[0]",
            "line[0].barrages",
            "line[0].filled[0].box",
            "line[0].filled",
            "air.axis",
        ]
    )


def test_s_d_values_of_a_wrong_kind_are_refused_together(catalogue, tmp_path):
    text = (
        BAD.replace("x = 0", "x = 0.5")
        .replace('kind = "wire"', 'kind = "moat"')
        .replace("year = 1944", "year = 1917")
    )
    file = tmp_path / "bad.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(FileError) as caught:
        load_scenario(catalogue, file)
    keys = [fault.key for fault in caught.value.faults]
    assert {"base[0].x", "base[1].x", "terrain[0].x", "terrain[0].kind", "air.year"} <= set(keys)


def test_6_4_f_terrain_is_a_line_or_a_rectangle(catalogue):
    scenario, _ = find_scenario(catalogue, "miniatures_1943/hedgerow_farm")
    segments = {segment.id: segment for segment in scenario.shared["resolution"].segments}
    assert segments["wire"] == TerrainPiece("wire", "wire", ends=((-150, -40), (-30, -60)))
    barn = segments["barn"].ground
    assert (barn.centre, barn.heading, barn.length, barn.width) == ((70, -20), (3, 4), 30, 50)
    assert segments["wire"].middle() == (-90, -50)


def test_6_2_b_points_of_a_scenario_may_be_aimed_at_anywhere(lay, a_base, drive, seen):
    orders = {
        (0, "requests.request", "red"): place(barrages=1),
        (1, "requests.marker", "american barrage 1"): Order.of("mark", at=(-123, 456)),
    }
    table = drive(lay(bases=[a_base(*b) for b in SIDES], lines=[{"barrages": 1}]), 2, orders)
    assert [fields["impact"] for _, fields in seen(table, "fall")] == [(-123, 456)]


def test_6_2_e_a_small_scenario_is_solved_exactly(lay, a_base):
    bases = [
        a_base("r", "red", -300, 0),
        a_base("b", "blue", 0, 0),
        a_base("v", "blue", 60, 0, kind="vehicle"),
    ]
    scenario = lay(bases=bases, lines=[{"barrages": 1}])
    analysis = Analysis(scenario, 3)
    (drawn,) = sample(analysis.compiler, [WorstSeverity("b")], 3, 800, seed=4)
    for unit, removed in (("b", Fraction(2, 6)), ("v", Fraction(1, 6))):
        shares = solve(analysis._explored(apart=False), WorstSeverity(unit), 3).shares
        assert {severity.name: share for severity, share in shares.items() if share} == {
            "DESTROYED": removed,
            "SUPPRESSED": Fraction(1, 6),
            "NONE": 1 - removed - Fraction(1, 6),
        }
    assert abs(drawn.share(max(drawn.counts)) - 1 / 3) < 4 * drawn.error(max(drawn.counts))


# --- the user's own charts -----------------------------------------------------------------------
CHART = """
[modifiers]
prone = 0
hard_cover = 0
personnel = 0
[result]
0 = 'none'
1 = 'K'
"""
HEAD = """
game = "miniatures_1943"
title = "charts"
moments = 5
sides = ["red", "blue"]
[charts]
request_chart = "lines.csv"
area_weapons = "weapons.toml"
air_superiority = "air.csv"
[air]
axis = "red"
theatre = "Moon"
year = 1942
[[base]]
id = "b"
side = "blue"
x = 0
y = 0
[[line]]
side = "red"
nationality = "german"
barrages = 1
"""


def test_6_3_a_charts_are_replaced_by_files_beside_the_scenario(catalogue, tmp_path, drive, seen):
    (tmp_path / "s.toml").write_text(HEAD, encoding="utf-8")
    (tmp_path / "lines.csv").write_text(
        "nationality,progress_boxes\nGermany,3\nother,0\n", encoding="utf-8"
    )
    (tmp_path / "weapons.toml").write_text(CHART, encoding="utf-8")
    (tmp_path / "air.csv").write_text("year,Moon\n1942,-3\n", encoding="utf-8")
    scenario, _ = load_scenario(catalogue, tmp_path / "s.toml")
    assert any("request chart is the user's" in note for note in scenario.provenance)
    assert any("Area Weapons Chart is the user's" in note for note in scenario.provenance)
    orders = {(0, "requests.request", "red"): place(barrages=1)}
    table = drive(scenario, 5, orders, faces=[4, 4, 1])
    assert [turn for turn, _ in seen(table, "fall")] == [4]
    assert [fields["severity"].name for _, fields in seen(table, "suffered")] == ["DESTROYED"]
    assert [e.event["value"] for e in table.log if e.event.cite == "S.b"] == [-3]


def test_6_3_a_bad_charts_are_refused_with_every_fault(catalogue, tmp_path):
    (tmp_path / "s.toml").write_text(HEAD, encoding="utf-8")
    (tmp_path / "lines.csv").write_text(
        "nationality,progress_boxes\nGermany,x\nGermany,-1\n", encoding="utf-8"
    )
    (tmp_path / "weapons.toml").write_text(
        CHART.replace("prone = 0", "prone = 'a'"), encoding="utf-8"
    )
    (tmp_path / "air.csv").write_text("year,Moon\nlate,1\n1942,good\n1942,1\n", encoding="utf-8")
    with pytest.raises(FileError) as caught:
        load_scenario(catalogue, tmp_path / "s.toml")
    text = str(caught.value)
    for fault in (
        "'x'",
        "'-1'",
        "appears twice",
        "'other'",
        '"a"',
        "'late'",
        "'good'",
        "1942 appears twice",
    ):
        assert fault in text, fault


def test_s_b_a_chart_of_air_superiority_with_faults(tmp_path):
    file = tmp_path / "air.csv"
    file.write_text("year,Moon\n,1\n1942,+\n", encoding="utf-8")
    with pytest.raises(FileError) as caught:
        read_air_superiority(file, provenance="user")
    assert len(caught.value.faults) == 2
    file.write_text("", encoding="utf-8")
    with pytest.raises(FileError, match="no rows"):
        read_air_superiority(file, provenance="user")


def test_6_3_a_a_file_may_name_its_provenance(tmp_path):
    file = tmp_path / "weapons.toml"
    file.write_text('provenance = "printed"\n' + CHART, encoding="utf-8")
    assert read_area_weapons(file).provenance == "printed"
    file.write_text(CHART, encoding="utf-8")
    assert read_area_weapons(file).provenance == "user"


# --- fractions of a yard --------------------------------------------------------------------------
FRACTIONS = """\
game = "miniatures_1943"
title = "fractions"
moments = 3
sides = ["red", "blue"]
[[line]]
side = "red"
nationality = "american"
boxes = 0
barrages = 1
target_x = "1/2"
[[base]]
id = "own"
side = "red"
x = "-0.25"
y = -300
[[base]]
id = "foe"
side = "blue"
x = 0
y = "301/2"
width = "81/2"
[[terrain]]
id = "wire"
kind = "wire"
x = 0
y = 0
to_x = 3
to_y = "4/2"
"""


def test_6_2_b_a_file_gives_places_and_measures_in_fractions_of_a_yard(tmp_path):
    path = tmp_path / "f.toml"
    path.write_text(FRACTIONS)
    form = read_file(path, M1943Scenario)
    own, foe = form.base
    assert (own.x, foe.y, foe.width) == (Fraction(-1, 4), Fraction(301, 2), Fraction(81, 2))
    assert type(form.terrain[0].to_y) is int
    path.write_text(write_toml(form))
    assert read_file(path, M1943Scenario) == form
    scenario = stage_scenario(Catalogue.installed(), form, tmp_path)
    assert scenario.initial["units/foe/place"] == (0, Fraction(301, 2))
    (wire,) = View(scenario.initial.get, scenario, "resolution").shared(Terrain).segments
    assert wire.middle() == (Fraction(3, 2), 1)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("0.5", 'y = "0.5"'),  # TOML would round this value
        ('"1/0"', "a fraction in quotes"),
        ('"half"', "a fraction in quotes"),
        ('"1/1000000"', "a fraction in quotes"),
        ('"40001/2"', "from -20000 to 20000"),
        ("true", "a fraction in quotes"),
    ],
)
def test_an_inexact_number_of_yards_is_refused_with_the_right_form(tmp_path, said, expected):
    path = tmp_path / "f.toml"
    path.write_text(FRACTIONS.replace('y = "301/2"', f"y = {said}"))
    with pytest.raises(FileError) as raised:
        read_file(path, M1943Scenario)
    (fault,) = raised.value.faults
    assert expected in f"{fault.message} - {fault.suggestion}"


def test_fractions_of_a_yard_work_in_orders_positions_and_journals(tmp_path, monkeypatch, capsys):
    (tmp_path / "f.toml").write_text(FRACTIONS)
    monkeypatch.chdir(tmp_path)
    typed = ["place barrages=1 air_strikes=0 dummies=0", *[""] * 4, "mark at=1/2,3.25", *[""] * 30]
    monkeypatch.setattr("sys.stdin", io.StringIO("\n".join(typed)))
    main(["play", "f.toml", "--journal", "j.fireplan", "--seed", "1"])
    capsys.readouterr()
    assert main(["replay", "j.fireplan"]) == 0
    assert "at 1/2,13/4" in capsys.readouterr().out


def test_6_2_a_a_position_aims_at_a_fraction_of_a_yard():
    sources, source = (
        Sources(Catalogue.installed(), {}),
        Source(name="miniatures_1943/chits_in_hand"),
    )
    scenario = sources.scenario(source)
    name = scenario.mission_ids[0]
    aimed = Position.of(source, scenario).having(assets={name: {"aim": "7/2,-0.5"}})
    assert aimed.state.values[f"missions/{name}/aim"] == (Fraction(7, 2), Fraction(-1, 2))
    assert "@7/2,-1/2" in str(aimed)
    assert position_of(str(aimed), sources) == aimed


@pytest.mark.long
def test_6_4_j_terrain_losses_are_exact_over_a_whole_scenario(catalogue):
    scenario, form = find_scenario(catalogue, "miniatures_1943/hedgerow_farm")
    analysis, lost = Analysis(scenario, form.moments), Count("terrain_lost", 6)
    (drawn,) = sample(analysis.compiler, [lost], form.moments, 400, seed=7)
    shares = analysis.solve(lost).shares
    # The pieces are the farmhouse, barn, orchard, trench and wire.
    assert max(shares) == 5
    assert drawn.counts.keys() <= shares.keys()
    assert all(
        tail(drawn.counts.get(pieces, 0), 400, share) > 1e-6 for pieces, share in shares.items()
    )
