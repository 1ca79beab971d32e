"""The laws of every game on a scenario with a map, and every paragraph applied in play or cited by
a refusal.
"""

import random
from pathlib import Path

import pytest

from fireplan_core import Ask, Order, Refusal, View
from fireplan_core import ledger as coverage
from fireplan_core.chance import RandomFaces
from fireplan_core.ledger import read_ledger
from fireplan_core.play import Answered, Table, Thrown, find_scenario, replay
from fireplan_kit import LAWS, STANDARD, Bench
from fireplan_wacht_am_rhein.charts import DATA

LEDGER = read_ledger(DATA / "rules.toml")
DONE = {rule for rule, entry in LEDGER.rules.items() if entry.status == "implemented"}


@pytest.fixture(scope="module")
def benches():
    return {}


HERE = [law for law in LAWS if not law.whole_game]


@pytest.mark.parametrize("law", HERE, ids=lambda law: law.id)
def test_the_crossroads_keep_the_law(war, benches, law):
    if not benches:
        scenario, form = find_scenario(war.catalogue(), "wacht_am_rhein/crossroads")
        bench = Bench(war.catalogue(), "wacht_am_rhein", STANDARD)
        bench.scenario, bench.moments = scenario, form.moments
        benches["crossroads"] = bench
    assert law.check(benches["crossroads"]) == []


def wander(scenario, moments, seed):
    """Return a table played with random legal orders and dice."""
    drawn = random.Random(seed)
    faces = RandomFaces(seed)
    table = Table(scenario, moments)
    while (waits := table.waits_for) is not None:
        if isinstance(waits, Ask):
            order = drawn.choice(table.rulebook.legal(waits, table.read, each=6))
            assert not isinstance(table.submit(Answered(waits.question, order)), Refusal)
        else:
            table.submit(Thrown(waits.name, faces.faces(waits)))
    return table


@pytest.mark.parametrize("name", ["crossroads", "two_divisions"])
@pytest.mark.parametrize("seed", range(5))
def test_any_legal_orders_lead_to_an_end_that_its_journal_gives_again(war, name, seed):
    scenario, form = find_scenario(war.catalogue(), f"wacht_am_rhein/{name}")
    table = wander(scenario, form.moments, seed)
    again = replay(scenario, form.moments, table.journal)
    assert (again.state, again.log) == (table.state, table.log)
    for entry in table.log:
        assert entry.event.cite in LEDGER
    places = {}
    for unit, setup in scenario.units.items():
        place = table.state.values[f"units/{unit}/place"]
        alive = table.state.values[f"units/{unit}/resolution/steps"] > 0
        assert (place is not None) is alive
        if alive:
            # Friend and foe never share a hex.
            assert places.setdefault(place, setup.side) == setup.side


# Faulty barrages of the scenario with two divisions, each with the rule that refuses it.
WRONG = (
    ("us", "3029", "I-9", {"15-FA": 4}, "12.1.1"),
    ("us", "3030", "I-9", {"nobody": 4}, "12.1.2"),
    ("us", "3030", "I-9", {"142-FG": 5}, "12.1.3"),
    ("us", "3030", "I-9", {"15-FA": 5}, "12.1.4"),
    ("ge", "3229", "I-751", {"II-277-Art": 3}, "12.1.5"),
    ("us", "3030", "nobody", {"15-FA": 4}, "12.1.6"),
    (
        "ge",
        "3229",
        "I-751",
        dict.fromkeys(("388-VAK", "402-VAK", "405-VAK", "51-Werfer"), 4),
        "12.1.6a",
    ),
    ("us", "2831", "II-9", {"15-FA": 4, "12-FA": 5, "187-FG": 5}, "12.1.6b"),
    ("us", "2831", "III-9", {"187-FG": 5, "196-FG": 5, "268-FA": 5}, "12.1.6c"),
    (
        "us",
        "3331",
        "II-393",
        {"370-FA": 4, "372-FA": 5, "142-FG": 5, "187-FG": 5},
        "12.1.6b, 12.1.6d",
    ),
    ("us", "3131", "A-9", {"37-FA": 4, "15-FA": 4}, "12.1.6e"),
    ("us", "3131", "air:2nd-Division", {"37-FA": 4}, "12.1.6f"),
    ("us", "3434", "", {"196-FG": 5, "268-FA": 5}, "12.1.6g"),
)


def refusal(scenario, mission, at, observer, fire):
    view = View(scenario.initial.get, scenario, "requests")
    order = Order.of(
        "barrage", at=scenario.frame.parse(at), observer=observer, fire=tuple(fire.items())
    )
    found = scenario.parts.requests.questions()["requests.barrage"].judge(view, order, mission)
    return found if isinstance(found, Refusal) else None


@pytest.mark.parametrize(("mission", "at", "observer", "fire", "cite"), WRONG)
def test_12_1_6_every_limit_refuses_in_the_shipped_scenario(war, mission, at, observer, fire, cite):
    scenario, _ = find_scenario(war.catalogue(), "wacht_am_rhein/two_divisions")
    found = refusal(scenario, mission, at, observer, fire)
    assert found is not None
    assert found.cite == cite


def test_every_implemented_paragraph_is_cited_by_an_event_a_modifier_or_a_refusal_that_is_met(war):
    met = set()
    for name in ("crossroads", "two_divisions"):
        scenario, form = find_scenario(war.catalogue(), f"wacht_am_rhein/{name}")
        for seed in range(6):
            met |= {
                cite
                for entry in wander(scenario, form.moments, seed).log
                for cite in entry.event.cite.split(", ")
            }
    scenario, _ = find_scenario(war.catalogue(), "wacht_am_rhein/two_divisions")
    for mission, at, observer, fire, _ in WRONG:
        met |= set(refusal(scenario, mission, at, observer, fire).cite.split(", "))
    thaw = war.Play(war.scenario(thaw=True))
    thaw.until("never")
    met |= {event.cite for event in thaw.events("modifier")}
    overkill = war.Play(war.on_map(
        war.us("I-110", "3029"), war.us("a", "3026", factors=40, range=6, supply="low"),
        war.ge("I-77", "3030", can_retreat=False),
    ), faces=[9] * 5 + [0, 9])  # fmt: skip
    overkill.until("never")
    met |= {cite for entry in overkill.table.log for cite in entry.event.cite.split(", ")}
    assert met >= DONE, DONE - met


def test_the_ledger_is_complete_cited_and_tested():
    assert [rule for rule, entry in LEDGER.rules.items() if entry.status == "open"] == []
    cited = coverage.citations_in(Path(str(DATA)).parent, LEDGER.rules)
    borne = coverage.tests_in(Path(__file__).parent, LEDGER.rules)
    assert DONE - set(cited) == set()
    assert DONE - set(borne) == set()
    assert len(DONE) == 33
