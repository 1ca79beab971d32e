"""Ten turns of the shipped scenario "hedgerow_farm", by a script of orders and dice, compared line
by line.

Shorthand: "A" and "G" are the American and German lines; the last entry of a line is what the event
reports.
"""

import attrs

import fireplan_miniatures_1943 as plugin
from fireplan.table import Visibility
from fireplan_core import Order, View
from fireplan_core.play import Catalogue, Variation, find_scenario, replay
from fireplan_miniatures_1943.delays import hand, request_chart

A, G = "american ", "german "
DONE = Order.of("done")


def place(barrages=0, air_strikes=0, dummies=0):
    return Order.of("place", barrages=barrages, air_strikes=air_strikes, dummies=dummies)


def mark(x, y):
    return Order.of("mark", at=(x, y))


def move(unit, x, y):
    return Order.of("move", base=unit, to=(x, y))


def fire(unit, target):
    return Order.of("fire", base=unit, target=target)


STRIKE_KEPT = Variation(options={"strike_kept": "any fire phase"})
"""The option by which the air strike waits a turn."""

# The orders by turn (from 0), question, and side or chit. A pair is an order and the rule that must
# refuse it.
ORDERS = {
    (0, "requests.request", "american"): [(place(9), "6.1.e"), (place(5), "S.d"), place(2, 1, 1)],
    (0, "requests.request", "german"): [(place(0, 1), "S.c"), place(1, 0, 1)],
    (1, "requests.request", "american"): place(0, 0, 3),
    (1, "requests.marker", A + "barrage 1"): mark(0, 0),
    (1, "requests.marker", A + "barrage 2"): Order.of("smoke", at=(-60, -180)),
    (1, "requests.marker", A + "air strike 1"): Order.of("withhold"),
    (1, "requests.marker", G + "barrage 1"): mark(0, -300),
    (1, "resolution.movement", "american"): [
        Order.of("prone", base="rifle 2"),
        move("rifle 3", 300, -320),
        DONE,
    ],
    (1, "resolution.displace", "trench guard"): [
        (Order.of("displace", to=(-30, 20)), "6.4.l"),  # a move of 70 yards
        Order.of("displace", to=(-40, 20)),
    ],
    (1, "resolution.firing", "american"): [fire("tank", "machine gun"), DONE],
    (1, "resolution.firing", "german"): [(fire("farm guard", "rifle 2"), "6.4.e"), DONE],
    (2, "requests.marker", A + "air strike 1"): mark(-120, 40),
    (2, "areas.heading", A + "air strike 1"): Order.of("head", along=(1, 0)),
    (4, "requests.request", "american"): place(2),
    (4, "requests.request", "german"): place(1, 0, 1),
    (5, "requests.marker", A + "barrage 3"): mark(60, 0),
    (5, "requests.marker", A + "barrage 4"): Order.of("withhold"),
    (5, "resolution.displace", "farm guard"): Order.of("stay"),
    (5, "resolution.firing", "german"): [fire("farm guard", "tank"), DONE],
    (7, "requests.marker", G + "barrage 3"): mark(0, -300),
    (7, "resolution.movement", "american"): [move("tank", 150, -300), DONE],
}

# The first two dice are for air superiority: the Axis rolls 3, the Allies 2. Then each base rolls
# one die, in the order of play.
FACES = [3, 2]
# In turn 2, rifle 3 rolls as it leaves the barrage, then the farm guard, the trench guard, the
# machine gun, and rifles 1 and 2.
FACES += [1, 6, 5, 5, 5, 5]
FACES += [5, 5, 6]  # turn 3, air strike: farm guard, trench guard, machine gun
FACES += [6]  # turn 4: rifle 2
FACES += [1, 2]  # turn 6: farm guard, trench guard
FACES += [5]  # turn 8: the tank as it drives in

LOG = """
-- turn 1
modifier | S.b | -5
air_superiority | S.a | american
laid | S.e | G barrage 1 | 2
laid | S.e | G dummy 1 | 3
advanced | 6.1.f | G barrage 1 | 1
advanced | 6.1.f | G dummy 1 | 2
requested | 6.1.c | A barrage 1
requested | 6.1.c | A barrage 2
requested | 6.1.c | A air strike 1
requested | 6.1.c | A dummy 1
requested | 6.1.c | G barrage 2
requested | 6.1.c | G dummy 2
-- turn 2
advanced | 6.1.f | A barrage 1 | 0
advanced | 6.1.f | A barrage 2 | 0
advanced | 6.1.f | A air strike 1 | 0
advanced | 6.1.f | A dummy 1 | 0
advanced | 6.1.f | G barrage 1 | 0
advanced | 6.1.f | G barrage 2 | 2
advanced | 6.1.f | G dummy 1 | 1
advanced | 6.1.f | G dummy 2 | 2
placed | 6.2.b | A barrage 1 | 0,0
smoke | 6.4.c | A barrage 2 | -60,-180
ended | 6.1.g | A dummy 1
placed | 6.2.b | G barrage 1 | 0,-300
requested | 6.1.c | A dummy 1
requested | 6.1.c | A dummy 2
requested | 6.1.c | A dummy 3
posture | 6.2.h | rifle 2
moved | 6.2.f | rifle 3 | 300,-320
modifier | 6.3.f | 1
fall | 6.2.e | A barrage 1
modifier | 6.3.c | -1
modifier | 6.3.d, 6.3.e | -1
modifier | 6.3.f | 1
suffered | 6.3.a | farm guard | suppressed
modifier | 6.3.c | -1
modifier | 6.3.d, 6.3.e | -1
modifier | 6.3.f | 1
modifier | 6.3.c | -1
modifier | 6.3.f | 1
suffered | 6.3.a | machine gun | suppressed
terrain_lost | 6.4.h | trench
terrain_lost | 6.4.h | wire
crater | 6.4.i | -90,-50
moved | 6.2.f | trench guard | -40,20
shot | 6.4.a | tank | machine gun cover 0
fall | 6.2.e | G barrage 1
modifier | 6.3.f | 1
suffered | 6.3.a | rifle 1 | destroyed
modifier | 6.3.c | -1
modifier | 6.3.f | 1
suffered | 6.3.a | rifle 2 | suppressed
ended | 6.2.d | A barrage 1
ended | 6.2.d | G barrage 1
-- turn 3
advanced | 6.1.f | A dummy 1 | 0
advanced | 6.1.f | A dummy 2 | 0
advanced | 6.1.f | A dummy 3 | 0
advanced | 6.1.f | G barrage 2 | 1
advanced | 6.1.f | G dummy 1 | 0
advanced | 6.1.f | G dummy 2 | 1
ended | 6.1.g | A dummy 1
ended | 6.1.g | A dummy 2
ended | 6.1.g | A dummy 3
ended | 6.1.g | G dummy 1
placed | 6.2.j | A air strike 1 | -120,40
fall | 6.2.e | A air strike 1
modifier | 6.3.c | -1
modifier | 6.3.d, 6.3.e | -1
modifier | 6.3.f | 1
modifier | 6.3.c | -1
modifier | 6.3.d, 6.3.e | -1
modifier | 6.3.f | 1
modifier | 6.3.c | -1
modifier | 6.3.f | 1
suffered | 6.3.a | machine gun | destroyed
ended | 6.4.d | A barrage 2
ended | 6.2.k | A air strike 1
-- turn 4
advanced | 6.1.f | G barrage 2 | 0
advanced | 6.1.f | G dummy 2 | 0
placed | 6.2.b | G barrage 2 | 0,-300
ended | 6.1.g | G dummy 2
fall | 6.2.e | G barrage 2
modifier | 6.3.c | -1
modifier | 6.3.f | 1
suffered | 6.3.a | rifle 2 | destroyed
ended | 6.2.d | G barrage 2
-- turn 5
requested | 6.1.c | A barrage 3
requested | 6.1.c | A barrage 4
requested | 6.1.c | G barrage 3
requested | 6.1.c | G dummy 1
-- turn 6
advanced | 6.1.f | A barrage 3 | 0
advanced | 6.1.f | A barrage 4 | 0
advanced | 6.1.f | G barrage 3 | 2
advanced | 6.1.f | G dummy 1 | 2
placed | 6.2.b | A barrage 3 | 60,0
ended | 6.2.a | A barrage 4
fall | 6.2.e | A barrage 3
modifier | 6.3.c | -1
modifier | 6.3.d, 6.3.e | -1
modifier | 6.3.f | 1
modifier | 6.3.c | -1
modifier | 6.3.d, 6.3.e | -1
modifier | 6.3.f | 1
terrain_lost | 6.4.f | farmhouse
crater | 6.4.g | 0,0
terrain_lost | 6.4.f | orchard
crater | 6.4.g | 30,90
modifier | 6.4.b | -1
shot | 6.4.a | farm guard | tank open -1
ended | 6.2.d | A barrage 3
-- turn 7
advanced | 6.1.f | G barrage 3 | 1
advanced | 6.1.f | G dummy 1 | 1
-- turn 8
advanced | 6.1.f | G barrage 3 | 0
advanced | 6.1.f | G dummy 1 | 0
placed | 6.2.b | G barrage 3 | 0,-300
ended | 6.1.g | G dummy 1
moved | 6.2.f | tank | 150,-300
suffered | 6.3.a | tank | suppressed
fall | 6.2.e | G barrage 3
ended | 6.2.d | G barrage 3
"""


def told(entry):
    event, fields = entry.event, dict(entry.event.fields)
    subject = str(
        fields.get("mission")
        or fields.get("unit")
        or fields.get("segment")
        or fields.get("side")
        or ""
    )
    subject = subject.replace(A, "A ").replace(G, "G ")
    match event.kind:
        case "modifier":
            what = str(fields["value"])
        case "placed" | "smoke" | "moved" | "crater":
            what = "{},{}".format(*fields["at"])
        case "suffered":
            what = fields["severity"].name.lower()
        case "advanced" | "laid":
            what = str(fields["to_go"])
        case "shot":
            what = f"{fields['at']} {'cover' if fields['solid_cover'] else 'open'} {fields['modifier']}"
        case _:
            what = ""
    return " | ".join(part for part in (event.kind, event.cite, subject, what) if part)


def played(drive):
    catalogue = Catalogue()
    catalogue.admit(plugin)
    scenario, form = find_scenario(catalogue, "miniatures_1943/hedgerow_farm", STRIKE_KEPT)
    return drive(scenario, form.moments, ORDERS, FACES)


def test_6_1_6_2_6_3_6_4_ten_turns_at_the_farm(drive):
    table = played(drive)
    lines, turn = [], None
    for entry in table.log:
        if entry.moment != turn:
            turn = entry.moment
            lines.append(f"-- turn {turn + 1}")
        lines.append(told(entry))
    assert lines == LOG.strip().split("\n")
    assert replay(table.scenario, 10, table.journal).state == table.state
    assert hash(replay(table.scenario, 10, table.journal).state) == hash(table.state)


def test_6_1_6_2_6_3_6_4_the_result_of_the_ten_turns(drive):
    table = played(drive)
    standing = {unit: table.read(f"units/{unit}/place", None) for unit in table.scenario.units}
    assert standing == {
        "rifle 1": None,
        "rifle 2": None,
        "rifle 3": (300, -320),
        "tank": (150, -300),
        "farm guard": (0, 0),
        "trench guard": (-40, 20),
        "machine gun": None,
    }
    assert set(table.read("shared/resolution/lost", None)) == {
        "trench",
        "wire",
        "farmhouse",
        "orchard",
    }
    chart = View(table.read, table.scenario, "delays")
    assert hand(chart, "american") == {"american": {"barrage": 0, "air strike": 0, "dummy": 3}}
    assert hand(chart, "german") == {"german": {"barrage": 0, "air strike": 0, "dummy": 3}}
    # Every line of the request chart is empty, and the Germans never see what the Americans held back.
    seen = [*request_chart(chart, "german"), *request_chart(chart, "american")]
    assert [str(track).endswith(": empty") for track in seen] == [True] * 4
    told = [Visibility(table.scenario, "german").learns(entry.event) for entry in table.log]
    kept_back = (A + "barrage 4", A + "dummy 1")
    assert not any(
        dict(event.fields).get("mission") in kept_back for event in told if event is not None
    )


def test_6_1_6_2_6_3_6_4_every_rule_is_reached_in_play(drive):
    catalogue = Catalogue()
    catalogue.admit(plugin)
    reached = set()

    def note(cite):
        reached.update(part.strip() for part in cite.split(","))

    def noting(definition):
        def run(chance, view, *args):
            note(definition.cite)
            return definition.run(chance, view, *args)

        return attrs.evolve(definition, run=run)

    def play(name, orders, faces):
        scenario, form = find_scenario(catalogue, f"miniatures_1943/{name}", STRIKE_KEPT)
        steps = {step: noting(definition) for step, definition in scenario.steps.items()}
        table = drive(attrs.evolve(scenario, steps=steps), form.moments, orders, faces)
        for entry in table.log:
            note(entry.event.cite)

    play("hedgerow_farm", ORDERS, FACES)
    # The marker is farther away than any unit can see.
    play("river_crossing", {(0, "requests.marker", "soviet"): mark(0, -190)}, 3)
    for orders in ORDERS.values():
        for order in orders if isinstance(orders, list) else [orders]:
            if isinstance(order, tuple):
                note(order[1])  # this rule refuses the order, which the driver checks
    ledger = catalogue["miniatures_1943"].game.ledger
    assert {rule.status for rule in ledger.rules.values()} == {"implemented", "not applicable"}
    assert {name for name, rule in ledger.rules.items() if rule.status == "implemented"} <= reached
