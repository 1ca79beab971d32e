"""Scenario files: both shipped ones played through with scripted dice, faults reported at once, the
user's own charts.
"""

from importlib.resources import files

import pytest

from fireplan.table.words import Words
from fireplan_core import Order
from fireplan_core.files import FileError
from fireplan_core.play import (
    Answered,
    Table,
    Variation,
    find_scenario,
    load_scenario,
    replay,
    stage_engagement,
)
from fireplan_wacht_am_rhein.charts import DATA

SCENARIOS = files("fireplan_wacht_am_rhein") / "data" / "scenarios"


def shipped(war, name):
    return find_scenario(war.catalogue(), f"wacht_am_rhein/{name}")


def barrage(war, at, observer, **fire):
    """Return a barrage order; unit names have an underscore in place of a hyphen."""
    units = tuple((name.replace("_", "-"), factors) for name, factors in fire.items())
    return Order.of("barrage", at=war.hex(at), observer=observer, fire=units)


def played(scenario, moments, war, faces, orders):
    """Return a table played to the end with these dice and with these answers to each question, in
    order.
    """
    table = war.Play(scenario, moments, faces)
    for question, order in orders:
        assert table.until(question), question
        answer = table.table.submit(Answered(question, order))
        assert isinstance(answer, tuple), answer
    while table.until("requests.declare"):
        table.answer("requests.declare", "pass")
    assert replay(scenario, moments, table.table.journal).state == table.table.state
    return table


def lines(table):
    return [(entry.event.kind, entry.event.cite) for entry in table.table.log]


def test_12_1_0_the_crossroads_from_the_first_order_to_the_administrative_phase(war):
    scenario, form = shipped(war, "crossroads")
    faces = [
        9,  # ammunition: 9 exceeds 7 by two, both battalions
        9,  # the volley of 8: less 1 for two steps makes 8, two hits
        7, 8,  # replenishment of the US: 7 succeeds, 8 does not
        3,  # replenishment of the Germans, who need 4 or less: 3 + 1, as they are inactive
    ]  # fmt: skip
    orders = [
        ("requests.declare", Order.of("barrage")),
        ("requests.barrage", barrage(war, "3030", "I-110", **{"109_FA": 4, "687_FA": 4})),
        (
            "resolution.satisfy",
            Order.of("losses_then_retreat", units=("I-77",), to=war.hex("3031")),
        ),
        ("requests.advance", Order.of("advance", unit="I-110", keep=True)),
    ]
    table = played(scenario, form.moments, war, faces, orders)
    assert lines(table) == [
        ("segment", "12.0"),
        ("requested", "12.1.0"),
        ("barrage", "12.1.0"),
        ("depleted", "12.6.1"),
        ("depleted", "12.6.1"),
        ("weakened", "12.6.2"),
        ("weakened", "12.6.2"),
        ("fall", "12.1.1"),
        ("volleys", "12.2.0, 12.3.0"),
        ("modifier", "12.3.1"),
        ("final_result", "12.3.2, 12.3.3"),
        ("suffered", "12.4.1a, 12.4.1b, 12.4.3"),
        ("emptied", "12.5.0"),
        ("ended", "12.4.0"),
        ("advanced", "12.5.0"),
        ("shift_removed", "12.4.3"),
        ("administration", "12.6.0"),
        ("replenished", "12.6.3"),
        ("still_depleted", "12.6.3"),
        ("modifier", "12.6.3"),
        ("replenished", "12.6.3"),
    ]
    assert [event["unit"] for event in table.events("replenished")] == ["109-FA", "I-26-Art"]
    assert (table.where("I-77"), table.where("I-110")) == ("3031", "3030")
    assert table.body("I-77") == (1, 0, False)


def test_12_1_0_two_divisions_through_both_barrage_segments(war):
    scenario, form = shipped(war, "two_divisions")
    declare = ("requests.declare", Order.of("barrage"))
    done = ("requests.declare", Order.of("pass"))
    faces = [
        0,  # trucks: 3 points and a die of 0 change nothing
        8,  # ammunition: 8 exceeds the depletion value of 7 by one, so one unit is depleted
        # Volleys of 8, 8 and 1, with +1 for five steps, have the results 2 and AS, 2 and AS, and 1.
        8, 8, 8,
        6,  # the 99th draws on a pocket of 5: the die exceeds it by one
        2, 6,  # volleys of 8 and 2 on three steps: a hit, a shift
        0,
        9,  # a volley of 5 unobserved (-4) into a forest (-1) makes 4: a shift
        7, 8,  # the two US units: one is replenished, the other is not
        3,  # the German unit: 3 + 1 is more than 3
        9,  # trucks of the German segment: +3, so the value is 6
        7,  # ammunition: one over 6, besides the unit in low supply
        9, 9,  # volleys of 8 and 3, with -2 for the entrenchment, have the results 2 and 1
        7,  # the US unit: 7 + 1 is more than 7
        6, 7, 6,  # the German units, which need 6 or less
    ]  # fmt: skip
    orders = [
        declare,
        (
            "requests.barrage",
            # In prepared assault, the observer's formation, one other formation and corps artillery
            # may take part (12.1.6a).
            barrage(war, "3030", "I-9", **{"15_FA": 4, "37_FA": 4, "370_FA": 4, "196_FG": 5}),
        ),
        ("requests.deplete", Order.of("deplete", units=("37-FA",))),
        (
            "resolution.satisfy",
            Order.of("losses_then_retreat", units=("I-989", "Fus-277"), to=war.hex("2931")),
        ),
        ("requests.advance", Order.of("advance", unit="I-9", keep=True)),
        declare,
        (
            "requests.barrage",
            barrage(war, "3331", "air:99th-Division", **{"372_FA": 5, "187_FG": 5}),
        ),
        ("requests.deplete", Order.of("deplete", units=("187-FG",))),
        (
            "resolution.satisfy",
            Order.of("losses_then_retreat", units=("II-751",), to=None),
        ),
        declare,
        ("requests.barrage", barrage(war, "3434", "", **{"268_FA": 5})),
        done,
        declare,
        (
            "requests.barrage",
            barrage(war, "3229", "I-751", **{"I-326_Art": 3, "51_Werfer": 4, "388_VAK": 4}),
        ),
        ("requests.deplete", Order.of("deplete", units=("388-VAK",))),
        ("resolution.satisfy", Order.of("retreat_first", units=("I-393",), to=war.hex("3228"))),
        done,
    ]
    table = played(scenario, form.moments, war, faces, orders)
    assert lines(table) == [
        ("segment", "12.0"),
        ("transport", "12.6.1"),
        *[
            ("requested", "12.1.0"),
            ("barrage", "12.1.0"),
            ("depleted", "12.6.1"),
            ("weakened", "12.6.2"),
        ],
        *[("fall", "12.1.1"), ("volleys", "12.2.0, 12.3.0")],
        ("modifier", "12.3.1"),
        *[
            ("final_result", "12.3.2, 12.3.3"),
        ],
        *[("suffered", "12.4.1a, 12.4.1b, 12.4.3, 12.4.2a")] * 2,
        ("overkill", "12.4.1, 12.4.2a"),
        ("emptied", "12.5.0"),
        *[("ended", "12.4.0"), ("advanced", "12.5.0")],
        *[
            ("requested", "12.1.0"),
            ("barrage", "12.1.0"),
            ("depleted", "12.6.1"),
            ("weakened", "12.6.2"),
        ],
        *[("fall", "12.1.1"), ("volleys", "12.2.0, 12.3.0")],
        ("final_result", "12.3.2, 12.3.3"),
        ("suffered", "12.4.1a, 12.4.3"),
        ("ended", "12.4.0"),
        *[
            ("requested", "12.1.0"),
            ("barrage", "12.1.0"),
            ("fall", "12.1.1"),
            ("volleys", "12.2.0, 12.3.0"),
        ],
        *[
            ("modifier", "12.3.1"),
            ("modifier", "12.1.6g, 12.3.1"),
            ("final_result", "12.3.2, 12.3.3"),
        ],
        *[("suffered", "12.4.3"), ("ended", "12.4.0")],
        *[("shift_removed", "12.4.3")] * 4,
        *[("administration", "12.6.0"), ("unsupplied", "12.6.3")],
        *[("replenished", "12.6.3"), ("still_depleted", "12.6.3")],
        *[("modifier", "12.6.3"), ("still_depleted", "12.6.3")],
        ("segment", "12.0"),
        ("transport", "12.6.1"),
        *[("requested", "12.1.0"), ("barrage", "12.1.0")],
        *[
            ("depleted", "12.6.4"),
            ("weakened", "12.6.2"),
            ("depleted", "12.6.1"),
            ("weakened", "12.6.2"),
        ],
        *[("fall", "12.1.1"), ("volleys", "12.2.0, 12.3.0")],
        ("modifier", "12.3.1"),
        *[
            ("final_result", "12.3.2, 12.3.3"),
        ],
        ("suffered", "12.4.1a, 12.4.1b, 12.4.3, 12.4.2a"),
        *[("overkill", "12.4.1, 12.4.2a"), ("emptied", "12.5.0")],
        ("ended", "12.4.0"),
        ("shift_removed", "12.4.3"),
        *[("administration", "12.6.0"), ("unsupplied", "12.6.3")],
        *[("modifier", "12.6.3"), ("still_depleted", "12.6.3")],
        *[("replenished", "12.6.3"), ("still_depleted", "12.6.3"), ("replenished", "12.6.3")],
    ]
    assert [event["values"] for event in table.events("volleys")] == [
        (8, 8, 1),
        (8, 2),
        (5,),
        (8, 3),
    ]
    assert [event["hits"] for event in table.events("final_result")] == [5, 1, 0, 3]
    assert {unit: table.where(unit) for unit in ("I-989", "Fus-277", "I-9", "I-393")} == {
        "I-989": "2931", "Fus-277": "2931", "I-9": "3030", "I-393": "3228",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["crossroads", "two_divisions"])
def test_shipped_scenarios_name_their_sources(war, name):
    said = " ".join(shipped(war, name)[0].provenance)
    for word in ("Barrage Results Table is reconstructed", "11.7", "8.4.0", "type chart"):
        assert word in said


def test_the_small_scenario_fits_on_a_screen_and_is_solved_exactly(war):
    scenario, form = shipped(war, "crossroads")
    analysis = war.Analysis(scenario, form.moments)
    shares = analysis.solve(war.Count("emptied")).shares
    # All factors together have value 8, less 1 for two steps: two hits on 7, 8 and 9 take a step
    # and force the retreat.
    assert shares == {0: 7 * war.TENTH, 1: 3 * war.TENTH}


def written(war, tmp_path, name="crossroads", **changes):
    """Write a shipped scenario with some text replaced into a new folder; return its path."""
    text = (SCENARIOS / f"{name}.toml").read_text(encoding="utf-8")
    for old, new in changes.values():
        assert old in text, old
        text = text.replace(old, new, 1)
    file = tmp_path / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return file


def faults(war, file):
    with pytest.raises(FileError) as refused:
        load_scenario(war.catalogue(), file)
    return [(fault.key, fault.message) for fault in refused.value.faults]


def test_12_1_5_faults_across_the_tables_are_named_together(war, tmp_path):
    file = written(
        war,
        tmp_path,
        a=('under = "28th-Division"\nhex = "3029"', 'under = "28-Division"\nhex = "3030"'),
        b=('name = "687-FA"', 'name = "109-FA"'),
        c=('type = "105mm howitzer M2"', 'type = "105mm howitzer"'),
        d=("depletion = { GE = 4 }", "depletion = { DE = 4 }"),
        e=('level = "division"\nunder = "VIII-Corps"', 'level = "division"\nunder = "VII-Corps"'),
        f=('target = "3030"', 'target = "3029"'),
    )
    assert sorted(faults(war, file)) == [
        ("depletion.DE", "no such side"),
        ("headquarters", "US: 28th-Division is under VII-Corps, but no headquarters has that name"),
        ("target", "no enemy of US is in this hex"),
        ("unit[0].under", "US has no headquarters '28-Division'"),
        ("unit[1].type", "no US type '105mm howitzer'"),
        ("unit[2].name", '"109-FA" appears twice'),
        ("unit[3].hex", "enemies of I-77 are in the same hex"),
    ]


@pytest.mark.parametrize(
    ("old", "new", "key", "message"),
    [
        ('hex = "3034"', 'hex = "6161"', "unit[4].hex", "column"),
        ('mode = "prepared_assault"', 'mode = "assault"', "unit[0].mode", "assault"),
        ("steps = 2", "steps = 0", "unit[3].steps", "0"),
        ('active = ["US"]', "active = []", "active", "no side is active"),
        ('active = ["US"]', 'active = ["DE"]', "active[0]", "DE"),
        (
            'type = "10.5cm leFH 18"',
            "factors = 3",
            "unit[4]",
            "artillery needs both factors and range",
        ),
        (
            'type = "10.5cm leFH 18"',
            'type = "10.5cm leFH 18"\npocket = 3',
            "unit[4].pocket",
            "only the US value",
        ),
        ('name = "I-77"', 'name = "I/77"', "unit[3].name", "contains a slash"),
        ('hex = "3026"\ntype = "105mm howitzer M2"', 'hex = "3026"', "unit[1]", ""),
    ],
)
def test_12_1_3_wrong_values_are_named_with_their_place(war, tmp_path, old, new, key, message):
    file = written(war, tmp_path, a=(old, new))
    if key == "unit[1]":  # a unit without factors is not artillery, which is no fault
        load_scenario(war.catalogue(), file)
        return
    assert any(found == key and message in text for found, text in faults(war, file)), faults(
        war, file
    )


MILD = "AS,0,1,9+,8+,7+,6+,5+,4+,3+,2+,mine\n1,1,0,-,-,-,-,-,-,-,-,mine\n"
HEAD = "result,hits,artillery_shift,bv1,bv2,bv3,bv4,bv5,bv6,bv7,bv8,provenance\n"


def test_12_3_0_a_results_table_of_the_users_changes_outcome_and_provenance_of_a_scenario(
    war, tmp_path
):
    (tmp_path / "mild.csv").write_text(HEAD + MILD, encoding="utf-8")
    more = ('active = ["US"]', 'active = ["US"]\ncharts = { barrage_results = "mild.csv" }')
    scenario, form = load_scenario(war.catalogue(), written(war, tmp_path, a=more))
    assert "the Barrage Results Table is user (mild.csv)" in scenario.provenance
    analysis = war.Analysis(scenario, form.moments)
    # With a Barrage Value of 8 and a modifier of -1, a shift on 2 or more needs a die of 3 or more.
    assert analysis.solve(war.Count("suffered")).shares == {
        0: 3 * war.TENTH,
        1: 7 * war.TENTH,
    }


def test_12_3_0_a_results_table_of_the_users_changes_outcome_and_provenance_of_an_engagement(
    war, tmp_path
):
    file = tmp_path / "mild.csv"
    file.write_text(HEAD + MILD, encoding="utf-8")
    given = war.engagement(men=450)
    mild = stage_engagement(
        war.catalogue(), "wacht_am_rhein", given, Variation(charts={"barrage_results": file})
    )
    assert "the Barrage Results Table is user (mild.csv)" in mild.provenance
    found = {
        severity.name: share
        for severity, share in war.Analysis(mild, 1).severity().items()
        if share
    }
    # In the column for value 4 a 6 or more is a shift.
    assert found == {"NONE": 6 * war.TENTH, "SUPPRESSED": 4 * war.TENTH}


BAD = (
    "result,hits,artillery_shift,bv1,bv2,bv3,bv4,bv5,bv6,bv7,bv9,provenance\n"
    "AS,0,1,7-8,6-7,5-6,4-5,3-4,-,1-2,0-1,mine\n"
    "1,1,0,9+,9+,6-8,6-7,5-6,4-5,3-4,2-3,mine\n"
    "2,2,0,-,-,9+,8+,7+,6+,5+,4+,mine\n"
)
WANTED = (
    "column bv8 is missing",
    "column bv9 is not known",
    "line 3 bv2: gap between 6-7 (line 2) and 9+",
    "line 3 bv3: 6-8 overlaps 5-6 (line 2)",
    "line 3 bv6: 4-5 follows a hyphen (line 2)",
)


def test_12_3_0_a_malformed_table_is_refused_with_every_fault_through_a_scenario(war, tmp_path):
    (tmp_path / "bad.csv").write_text(BAD, encoding="utf-8")
    more = ('active = ["US"]', 'active = ["US"]\ncharts = { barrage_results = "bad.csv" }')
    found = [message for _, message in faults(war, written(war, tmp_path, a=more))]
    for wanted in WANTED:
        assert any(message.startswith(wanted) for message in found), (wanted, found)


def test_12_3_0_a_malformed_table_is_refused_with_every_fault_through_a_variation(war, tmp_path):
    file = tmp_path / "bad.csv"
    file.write_text(BAD, encoding="utf-8")
    with pytest.raises(FileError) as refused:
        stage_engagement(
            war.catalogue(),
            "wacht_am_rhein",
            war.engagement(),
            Variation(charts={"barrage_results": file}),
        )
    for wanted in WANTED:
        assert any(fault.message.startswith(wanted) for fault in refused.value.faults), (
            wanted,
            refused.value.faults,
        )


def test_12_6_1_a_transport_table_of_the_users_is_taken_too(war, tmp_path):
    text = (DATA / "german_transport.csv").read_text(encoding="utf-8")
    text = text.replace("3,0,0,1,1,1,2,2,2,3,3", "3" + ",9" * 10)
    (tmp_path / "trucks.csv").write_text(text, encoding="utf-8")
    more = (
        'active = ["US", "GE"]',
        'active = ["US", "GE"]\ncharts = { german_transport = "trucks.csv" }',
    )
    scenario, form = load_scenario(war.catalogue(), written(war, tmp_path, "two_divisions", a=more))
    table = war.Play(scenario, form.moments)
    table.until("requests.declare")
    assert table.events("transport")[0]["change"] == 9
    assert isinstance(table.table, Table)


def test_12_1_6f_aircraft_that_observe_are_named_in_words(war):
    scenario, _ = shipped(war, "crossroads")
    assert Words(scenario).said("observer", "air:28th-Division") == "aircraft of the 28th-Division"
