"""Options on the points that the rules leave open, each against its default."""

import attrs
import pytest

from fireplan_core import Order
from fireplan_core.play import Answered
from fireplan_wacht_am_rhein import GAME


def marching(war, **options):
    """Return a scenario in which only a unit in strategic mode would see the target, with a gun in
    range.
    """
    return war.on_map(
        war.us("column", "3028", mode="strategic", sees=(war.hex("3030"),)),
        war.us("guns", "3026", factors=8, range=6),
        war.ge("I-77", "3030"),
        weather="overcast",
        options=options,
    )


@pytest.mark.parametrize(
    ("option", "drm"),
    [("unobserved", [("12.1.6g, 12.3.1", -4)]), ("without_modifier", []), ("no_barrage", None)],
)
def test_12_1_6b_where_only_a_unit_in_strategic_mode_would_see_the_hex(war, option, drm):
    table = war.Play(marching(war, strategic_observer=option), faces=[0, 0])
    assert table.until("requests.declare")
    table.answer("requests.declare", "barrage")
    refusal = table.barrage({"guns": 8}, at=war.hex("3030"), observer="column")
    assert refusal.cite == "12.1.6b"
    refusal = table.barrage({"guns": 8}, at=war.hex("3030"), observer="")
    if drm is None:
        assert refusal.cite == "12.1.6b"
        assert refusal.why == "only column could see the hex, but cannot observe in strategic mode"
        return
    assert refusal is None
    table.until("never")
    assert [(event.cite, event["value"]) for event in table.events("modifier")] == drm


@pytest.mark.parametrize(
    ("weather", "option", "may"),
    [
        ("clear", "clear", True),
        ("partly_overcast", "clear", False),
        ("partly_overcast", "partly_overcast", True),
        ("overcast", "partly_overcast", False),
        ("clear", "partly_overcast", True),
    ],
)
def test_12_1_6f_the_weather_in_which_aircraft_observe(war, weather, option, may):
    on = war.on_map(
        war.us("I-110", "3027"),
        war.us("guns", "3026", factors=8, range=6),
        war.ge("I-77", "3030"),
        weather=weather,
        options={"air_weather": option},
    )
    table = war.Play(on, faces=[0, 0])
    table.until("requests.barrage")
    refusal = table.barrage({"guns": 8}, at=war.hex("3030"), observer="air:28th")
    if may:
        assert refusal is None
    else:
        assert (refusal.cite, refusal.why) == (
            "12.1.6f",
            "observation aircraft do not fly in this weather or at night",
        )


def test_12_1_6f_aircraft_observe_by_day_alone(war):
    units = (
        war.us("I-110", "3027"),
        war.us("guns", "3026", factors=8, range=6),
        war.ge("I-77", "3030"),
    )
    table = war.Play(war.on_map(*units, night=True))
    refusal = table.barrage({"guns": 8}, at=war.hex("3030"), observer="air:28th")
    assert (refusal.cite, refusal.why) == (
        "12.1.6f",
        "observation aircraft do not fly in this weather or at night",
    )


@pytest.mark.parametrize(
    ("terrain", "observer", "hit"),
    [
        ("woods", "air:28th", ("marching",)),  # the woods hide the unit that is not on a road
        ("clear", "air:28th", ("marching", "resting")),
        ("rough", "air:28th", ("marching", "resting")),
        ("woods", "I-110", ("marching", "resting")),
    ],
)
def test_12_4_0_a_barrage_observed_from_the_air_falls_on_those_that_aircraft_see(
    war, terrain, observer, hit
):
    sees = (war.hex("3030"),) if observer == "I-110" else ()
    on = war.on_map(
        war.us("I-110", "3027", sees=sees),
        war.us("guns", "3026", factors=8, range=6),
        war.ge("marching", "3030", on_road=True, can_retreat=False),
        war.ge("resting", "3030", can_retreat=False),
        hexes=(war.hexed("3030", terrain),),
    )
    # In a full volley a 9, with no modifier below -1, is at least two hits: one per unit, or both
    # on the only unit hit.
    table = war.Play(on, faces=[0, 9])
    assert table.barrage({"guns": 8}, at=war.hex("3030"), observer=observer) is None
    table.until("never")
    assert tuple(unit for unit in ("marching", "resting") if table.body(unit)[0] < 3) == hit
    assert tuple(sorted(event["unit"] for event in table.events("suffered"))) == hit


@pytest.mark.parametrize(
    ("far", "terrain", "road", "why"),
    [
        ("3025", "clear", False, None),
        ("3025", "rough", False, None),
        ("3025", "woods", True, None),
        ("3025", "woods", False, "aircraft cannot observe this hex: it is covering terrain"),
        (
            "3024",
            "clear",
            False,
            "the nearest unit of 28th is 6 hexes away; aircraft observe up to 5",
        ),
    ],
)
def test_12_1_6f_on_a_map_the_division_of_a_unit_within_five_hexes_spots(
    war, far, terrain, road, why
):
    on = war.on_map(
        war.us("I-110", far),
        war.us("guns", "3020", factors=8, range=20),
        war.ge("I-77", "3030", on_road=road),
        hexes=[war.hexed("3030", terrain)],
    )
    table = war.Play(on, faces=[0, 0])
    table.until("requests.barrage")
    refusal = table.barrage({"guns": 8}, at=war.hex("3030"), observer="air:28th")
    assert (refusal and refusal.why) == why


def test_12_2_0_the_remainder_volley_may_be_declined_by_agreement(war):
    on = war.on_map(
        war.us("I-110", "3029"),
        war.us("guns", "3026", factors=11, range=6),
        war.ge("I-77", "3030"),
        options={"remainder_volley": "may_decline"},
    )
    for decline, values in ((False, (8, 3)), (True, (8,))):
        table = war.Play(on, faces=[0] * 4)
        table.until("requests.barrage")
        fire = {"at": war.hex("3030"), "observer": "I-110", "decline": decline}
        table.answer("requests.barrage", "barrage", fire=(("guns", 11),), **fire)
        table.until("requests.declare")
        assert table.events("volleys")[0]["values"] == values
    table = war.Play(on, faces=[0] * 4)
    table.until("requests.barrage")
    refusal = table.answer(
        "requests.barrage",
        "barrage",
        fire=(("guns", 7),),
        at=war.hex("3030"),
        observer="I-110",
        decline=True,
    )
    assert (refusal.cite, refusal.why) == (
        "12.2.0",
        "7 factors do not make a full volley of 8, so no volley would be left",
    )
    plain = war.on_map(
        war.us("I-110", "3029"), war.us("guns", "3026", factors=11, range=6), war.ge("I-77", "3030")
    )
    table = war.Play(plain)
    table.until("requests.barrage")
    order = Order.of(
        "barrage", at=war.hex("3030"), observer="I-110", fire=(("guns", 11),), decline=True
    )
    assert (
        "takes at, observer, fire, not decline"
        in table.table.submit(Answered("requests.barrage", order)).why
    )


@pytest.mark.parametrize(("option", "hits"), [("at_start", 5), ("per_volley", 4)])
def test_12_3_1_steps_may_be_recounted_for_every_volley_by_agreement(war, option, hits):
    on = war.on_map(
        war.us("I-110", "3029"),
        war.us("guns", "3026", factors=17, range=6),
        war.ge("a", "3030"),
        war.ge("b", "3030", steps=2),
        options={"density": option},
    )
    # Each die is an 8. With five steps, +1 makes two hits and a shift. With three steps left, an 8
    # is two hits as well. A volley of value 1 hits only on a modified 9: on 8 + 1, but not on 8 - 1
    # with one step left.
    table = war.Play(on, faces=[0, 8, 8, 8])
    table.until("requests.barrage")
    table.barrage({"guns": 17}, at=war.hex("3030"), observer="I-110")
    table.until("resolution.satisfy")
    assert table.events("final_result")[0]["hits"] == hits


@pytest.mark.parametrize(("thaw", "depleted"), [(False, False), (True, True)])
def test_12_6_1a_thaw_is_noted_until_its_modifier_is_chosen(war, thaw, depleted):
    on = war.on_map(
        war.us("I-110", "3029"),
        war.us("guns", "3026", factors=8, range=6),
        war.ge("I-77", "3030"),
        weather="thaw",
        options={"thaw": thaw},
    )
    assert any(note.startswith("thaw: ") for note in on.provenance) is not thaw
    table = war.Play(on, faces=[7, 0, 9])
    table.until("requests.barrage")
    table.barrage({"guns": 8}, at=war.hex("3030"), observer="I-110")
    table.until("never")
    assert bool(table.events("depleted")) is depleted


def test_12_3_1_on_a_map_rockets_alone_and_a_vantage_point_count_for_the_barrage_they_belong_to(
    war,
):
    on = war.on_map(
        war.us("I-110", "3029"),
        war.us("rockets", "3028", factors=8, range=6, rocket=True),
        war.us("guns", "3026", factors=8, range=6),
        war.ge("I-77", "3030"),
        hexes=[war.hexed("3029", vantage=True)],
    )
    for fire, die, hits in (({"rockets": 8}, 0, 1), ({"guns": 8}, 0, 0), ({"guns": 8}, 1, 1)):
        # The vantage point adds 1 for guns and rockets; rockets in the open add another 1 to their
        # first volley: a hit from 2 up.
        table = war.Play(on, faces=[0, die])
        table.until("requests.barrage")
        assert table.barrage(fire, at=war.hex("3030"), observer="I-110") is None
        table.until("resolution.satisfy")
        assert table.events("final_result")[0]["hits"] == hits
        assert ("12.3.1", 1) in [(event.cite, event["value"]) for event in table.events("modifier")]


def test_every_option_is_documented_by_a_rule_and_has_its_default_first(war):
    ledger = war.catalogue()["wacht_am_rhein"].game.ledger
    assert len({option.name for option in GAME.options}) == len(GAME.options)
    for option in GAME.options:
        assert option.cite in ledger
        assert option.summary
        assert len(option.values) > 1
        assert attrs.evolve(option).default == option.values[0]


@pytest.mark.parametrize("density", ["at_start", "per_volley"])
@pytest.mark.parametrize(("bound", "told"), [(1, [(-3, -1)]), (3, []), (2, [(-3, -2)])])
def test_12_3_1_modifiers_held_to_their_limit_are_reported(war, monkeypatch, density, bound, told):
    on = war.on_map(
        war.us("I-110", "3029"), war.us("guns", "3026", factors=8, range=6), war.ge("I-77", "3030"),
        hexes=[war.hexed("3030", "town")], options={"density": density},
    )  # fmt: skip
    monkeypatch.setitem(
        vars(on.parts.resolution), "drm", attrs.evolve(on.parts.resolution.drm, max_net=bound)
    )
    table = war.Play(on, faces=[0, 5])
    table.until("requests.barrage")
    assert table.barrage({"guns": 8}, at=war.hex("3030"), observer="I-110") is None
    table.until("requests.declare")
    held = [(event.cite, event["modifiers"], event["counted"]) for event in table.events("held")]
    assert held == [("12.3.1", *pair) for pair in told]


def test_12_3_1_counted_for_each_volley_rockets_raise_only_the_first(war):
    on = war.on_map(
        war.us("I-110", "3026", sees=(war.hex("3030"),)),
        war.us("rockets", "3025", factors=16, range=9, rocket=True),
        war.ge("I-77", "3030", steps=4),
        options={"density": "per_volley"},
    )
    # In the column for value 8 a die of 3 is one hit; raised to 4 it adds a shift, and 5 raised to
    # 6 a second hit.
    for faces, hits, shift in (
        ([3, 3], 2, True),
        ([3, 5], 2, True),
        ([5, 3], 3, False),
        ([1, 3], 2, False),
    ):
        table = war.Play(on, faces=[0, *faces])
        assert table.barrage({"rockets": 16}, at=war.hex("3030"), observer="I-110") is None
        table.until("resolution.satisfy")
        (result,) = table.events("final_result")
        assert (result["hits"], result["shift"]) == (hits, shift), faces


def test_12_1_6f_a_corps_has_no_observation_aircraft(war):
    on = war.on_map(
        war.us("I-110", "3020"),
        war.us("korps", "3026", under="VIII", factors=8, range=6),
        war.ge("I-77", "3030"),
    )
    refusal = war.Play(on).barrage({"korps": 8}, at=war.hex("3030"), observer="air:VIII")
    assert (refusal.cite, refusal.why) == (
        "12.1.6f",
        "'VIII' is not a division with aircraft; there are 28th",
    )
