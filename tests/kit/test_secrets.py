"""L21: rules that reveal where a hidden unit is, and rules that do not."""

import pytest
from tiers import one_in

from fireplan_kit import examine
from fireplan_kit.kitbash import imported
from fireplan_kit.scaffolding import rendered

HIDES = '''
    def hides(self, scenario, name, side):
        """Hide own troops from the enemy."""
        here = name in scenario.units and name not in scenario.targets
        return here and scenario.owner(name) != side
'''
AWAY = '''from math import hypot

from fireplan_core import Effects, Refusal, emit, orders, step


def away(view, place, unit):
    """Return the distance of a unit from a place in metres."""
    (x, y), (u, v) = view.frame.metres(place), view.frame.metres(view.place_of(unit))
    return hypot(x - u, y - v)


'''
FALLEN = '''
    @step(cite="4.2")
    def fallen(self, chance, view, mission):
        """Tell something of the units around the impact."""
        metres = [round(away(view, view.mission(mission).impact, unit)) for unit in view.units]
        return Effects(super().fallen(chance, view, mission), {tells})
'''
EVENTS = {
    "a sum of distances": 'emit("echo", "4.2", mission=mission, far=sum(metres))',
    "a count": 'emit("echo", "4.2", mission=mission, near=sum(m <= 400 for m in metres))',
    "the number of events": '*(emit("echo", "4.2", mission=mission, n=n) for n, m in enumerate(sorted(metres)) if m <= 400)',
    "the order of events": '*(emit("echo", "4.2", mission=mission, far=m > 400) for m in metres)',
}
SPOTTED = FALLEN.format(
    tells="""*(emit("echo", "4.2", mission=mission, place=view.place_of(unit))
            for unit, m in zip(view.units, metres) if m <= 400)"""
)
FUSE = """    @step(cite="4.2")
    def fallen(self, chance, view, mission):
        delay = view.own(mission, Fuse).delay
        return Effects(super().fallen(chance, view, mission), emit("echo", "4.2", mission=mission, delay=delay))

    keeps = Keeps(assets=(Fuse,))

    def stage(self, staging):
        super().stage(staging)
        for mission in staging.assets:
            staging.mission(mission, self.word, Fuse(delay=2))
"""
RECORD = """from fireplan_core import Keeps, kept, record


@record
class Fuse:
    delay: int = kept(0, "the delay of the fuse", "4.2", between=(0, 3), assumed=0)


"""
REFUSES = '''
    def shoot(self, view, mission, intent, at):
        """Refuse every spotting round, with the number of units near the target."""
        near = sum(away(view, at, unit) <= 400 for unit in view.units)
        return Refusal("1.3", f"{near} are near")
'''


def leaks(head="", **parts):
    """Return the findings of L21 for a new game whose parts also have these methods.

    ``head`` is inserted before each part's class.
    """
    files = rendered("secrets", "hex")
    for part, method in parts.items():
        path = f"src/fireplan_secrets/{part}.py"
        text = files[path].replace('"""\n\nfrom', f'"""\n\n{AWAY}{head}from', 1)
        files[path] = text.replace(
            "    cites: ClassVar = {", f"{method}\n    cites: ClassVar = {{", 1
        )
    sentences = "src/fireplan_secrets/data/sentences.toml"
    own = '[rolls]\nword = "word"\n\n[events]\necho = "an echo"'
    files[sentences] = files[sentences].replace("[events]", own, 1)
    with imported("secrets", files) as plugin:
        ((_, findings),) = examine("secrets", plugin, only=("L21-views",))
    return [finding.flaw.text for finding in findings]


@pytest.mark.parametrize("tells", one_in(2, EVENTS.values()), ids=[*EVENTS])
def test_an_event_may_not_reveal_where_a_hidden_unit_is(tells):
    found = leaks(resolution=HIDES, areas=FALLEN.format(tells=tells))
    assert any("can tell whether o1 is elsewhere: echo " in text for text in found), found


@pytest.mark.parametrize("tells", one_in(2, [SPOTTED, FUSE]), ids=["a place", "a field"])
def test_a_part_declares_events_that_reveal_a_secret(tells):
    hidden = leaks(RECORD, resolution=HIDES, areas=tells)
    assert any(": echo " in text and "in the part's reveals" in text for text in hidden), hidden
    revealed = leaks(RECORD, resolution=HIDES, areas=f'{tells}\n    reveals = ("echo",)\n')
    assert not any(": echo " in text for text in revealed), revealed


def test_an_event_that_reveals_a_secret_is_one_that_the_game_emits():
    found = leaks(areas='    reveals = ("ecko",)\n')
    assert found == ["reveals of the areas names 'ecko', but no source emits such an event"]


WORD = """
    @step(cite="4.2")
    def fallen(self, chance, view, mission):
        behind = FromDeck(seen_by=view.side(mission))
        word = chance.draw("word", {1: 1, 2: 1, 3: 1}, behind).exact()
        told = emit("echo", "4.2", mission=mission) if word == 1 else Effects()
        return Effects(super().fallen(chance, view, mission), told)
"""
BEHIND = "from fireplan_core.chance import FromDeck\n\n\n"


def test_an_event_in_the_step_of_a_secret_throw_may_reveal_its_result():
    hidden = leaks(BEHIND, areas=WORD)
    result = "target can tell the result of word, which only firer may see: "
    assert any(text.startswith(result) and "echo {" in text for text in hidden), hidden
    assert all("emit an event in the step that throws" in text for text in hidden), hidden
    assert leaks(BEHIND, areas=f'{WORD}\n    reveals = ("echo",)\n') == []


THROWN = """
    @step(cite="4.2")
    def fallen(self, chance, view, mission):
        fuse = view.own(mission, Fuse)
        {throw}
        return Effects(super().fallen(chance, view, mission), update(fuse, delay={delay}), {tells})
"""
DIE = 'word = chance.dice("word", white=d6).total.look_up({1: 1, 2: 1, 3: 2, 4: 2, 5: 3, 6: 3})'
DRAWN = (
    'word = chance.draw("word", {1: 1, 2: 1, 3: 1}, FromDeck(seen_by=view.side(mission))).exact()'
)
KEPT = FUSE[FUSE.index("    keeps") :]


def of_fuse(throw, delay, tells="Effects()"):
    """Return the findings of L21 for a new game that rolls for a secret fuse after fire has fallen."""
    imports = "from fireplan_core import Keeps, kept, record, update\nfrom fireplan_core.chance import FromDeck, d6"
    head = RECORD.replace("from fireplan_core import Keeps, kept, record", imports)
    method = THROWN.replace("{throw}", throw).replace("{delay}", delay).replace("{tells}", tells)
    return leaks(head, areas=f"{method}\n{KEPT}")


@pytest.mark.parametrize("delay", ["word", "3 if word == 1 else fuse.delay"])
def test_the_result_of_an_open_roll_is_not_secret(delay):
    found = of_fuse(DIE, delay)
    start = (
        "target sees the result of word, which sets the secret field missions/a/areas/delay: draw"
    )
    assert any(text.startswith(start) for text in found), found


@pytest.mark.parametrize(
    ("throw", "delay"),
    [
        (DRAWN, "word"),
        (DIE, "0 if word == 1 else fuse.delay"),
        (DIE, "min(3, fuse.delay + (word > 1))"),
    ],
    ids=["drawn in secret", "a reset", "a change by one"],
)
def test_a_secret_stays_one_if_an_open_throw_does_not_set_it(throw, delay):
    assert not any("sets the secret field" in text for text in of_fuse(throw, delay))


@pytest.mark.full
def test_a_secret_shown_before_its_revealing_event_is_a_leak():
    found = leaks(
        resolution=HIDES.replace("not in scenario.targets", "in scenario.targets[-1:]"),
        requests=REFUSES,
        areas=f'{SPOTTED}\n    reveals = ("echo",)\n',
    )
    assert any("are near" in text for text in found), found


@pytest.mark.full
def test_no_order_may_depend_on_where_a_hidden_unit_is():
    """The firer may order a search only if the hidden unit is near the target; the search changes
    nothing else.
    """
    offers = """
    @orders(cite="1.2")
    def ask(self, view, mission):
        near = [
            unit
            for unit in view.scenario.targets[-1:]
            if away(view, view.mission(mission).target, unit) <= 400
        ]
        yield from super().ask(view, mission)
        if near:
            yield Form("search", "1.2", summary="search the wood")
"""
    found = leaks(
        "from fireplan_core import Form\n\n\n",
        resolution=HIDES.replace("not in scenario.targets", "in scenario.targets[-1:]"),
        requests=offers,
    )
    assert any("search" in text for text in found), found


@pytest.mark.full
def test_a_refusal_may_not_reveal_where_a_hidden_unit_is():
    found = leaks(
        resolution=HIDES.replace("not in scenario.targets", "in scenario.targets[-1:]"),
        requests=REFUSES,
    )
    assert any("are near" in text for text in found), found


@pytest.mark.full
def test_the_title_of_a_scenario_may_hold_the_name_of_a_hidden_unit():
    files = rendered("secrets", "hex")
    path = "src/fireplan_secrets/data/scenarios/first.toml"
    hides = """
    def hides(self, scenario, name, side):
        return name == "outpost" and side == "firer"
"""
    found = []
    for title in ("The outpost", "The wood"):
        text = files[path].replace("Two sections at the wood's edge", title)
        assert title in text
        source = files["src/fireplan_secrets/resolution.py"]
        anchor = "    cites: ClassVar = {"
        changed = {
            **files,
            path: text,
            "src/fireplan_secrets/resolution.py": source.replace(anchor, f"{hides}\n{anchor}", 1),
        }
        with imported("secrets", changed) as plugin:
            ((_, findings),) = examine("secrets", plugin, only=("L21-views",))
        found.append([finding.flaw.text for finding in findings if "names outpost" in str(finding)])
    assert found[0] == found[1]


def test_dependence_on_visible_units_is_not_a_leak():
    tells = """emit("echo", "4.2", mission=mission, near=sum(
            away(view, view.mission(mission).impact, unit) <= 200 for unit in view.scenario.targets
        ))"""
    found = leaks(resolution=HIDES, areas=FALLEN.format(tells=tells))
    assert not any("echo" in text for text in found), found
