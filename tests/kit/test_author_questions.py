"""Answers to authors' questions, each tried in a new game."""

import pytest

from fireplan_core import Reason, Severity
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Table, find_scenario, play_out, stage_engagement
from fireplan_kit import STANDARD
from fireplan_kit.check import admitted
from fireplan_kit.kitbash import imported
from fireplan_kit.scaffolding import rendered

REQUESTS = '''"""Requests: the order comes first, the flight of the shells afterwards."""

from functools import partial

from fireplan_core import Effects, Form, Intent, Slot, cycle, orders, push, step, update
from fireplan_core.ready_parts import AskAndFire


class Calls(AskAndFire):
    """1.1-1.4: order fire with an idle battery."""

    cites = {"requested": "1.2", "fire": "1.3", "cancel": "1.4", "sight": "1.1"}

    @orders(cite="1.2")
    def ask(self, view, mission):
        """Yield the orders for an idle battery."""
        at = Slot("at", "the aim", view.aim_at(view.mission(mission).target), free=True)
        yield Form("fire", "1.2", (at,), partial(self.call, view, mission), summary="fire")
        yield Form("pass", "1.2")

    def call(self, view, mission, at):
        """Return the effects of an order."""
        return Effects(update(view.mission(mission), aim=at), push(cycle.request, mission))

    @step(cite="1.3")
    def ready(self, chance, view, mission):
        """Let the shells fall."""
        return Effects(push(cycle.release, mission, Intent.EFFECT))
'''
DELAYS = '''"""Delays: shells fly for two turns."""

from fractions import Fraction

from fireplan_core.ready_parts import FixedDelay


class Link(FixedDelay):
    """2.1, 2.2: the flight."""

    cites = {"moment": "2.1", "delay": "2.2"}
    minutes = Fraction(5)
    delay = 2
'''
SUFFER = '''    def suffer(self, view, unit, severity):
        """Return the effects of harm to a unit; a unit is lost by a rule of its own."""
        own = view.unit(unit, Losses)
        if severity <= own.worst:
            return Effects()
        rule = "5.3" if severity is Severity.DESTROYED else "5.1"
        told = emit("suffered", rule, unit=unit, severity=severity)
        return Effects(update(own, worst=severity), told)

    cites: ClassVar = {'''
WIND = '''
@attrs.frozen(kw_only=True)
class Windy(PlainScenario):
    """A plain scenario with wind."""

    wind: int = 0


@attrs.frozen
class Wind:
    """The wind at a battery."""

    force: int = 0


def stage_windy(form, staging, parts):
    """Stage a scenario with its wind."""
    stage_plain(form, staging, parts)
    for battery in form.battery:
        staging.mission(battery.id, "delays", facts=Wind(form.wind))


GAME = '''
CLIP = '''    def fires_of(self, view, mission):
        """Return the shells in the clip of a battery."""
        return {12: 3}.get(view.facts(mission, Battery).guns, 1)

    cites: ClassVar = {'''


def test_an_order_comes_first_and_its_shells_fall_two_turns_later_until_the_clip_is_empty():
    files = rendered("lamps", "hex")
    resolution = files["src/fireplan_lamps/resolution.py"]
    files |= {
        "src/fireplan_lamps/requests.py": REQUESTS,
        "src/fireplan_lamps/delays.py": DELAYS,
        "src/fireplan_lamps/resolution.py": resolution.replace(
            "    cites: ClassVar = {", CLIP, 1
        ).replace("import Depletion", "import Battery, Depletion", 1),
    }
    assert STANDARD.asset.guns == 12
    with imported("lamps", files) as plugin:
        catalogue, flaws = admitted("lamps", plugin)
        assert flaws == []
        scenario = stage_engagement(catalogue, "lamps", STANDARD)
        log = play_out(Table(scenario, 20), RandomFaces(1)).log
    told = [(entry.moment, entry.event) for entry in log]
    asked = [moment for moment, event in told if event.kind == "requested"]
    fell = [moment for moment, event in told if event.kind == "fall"]
    assert len(fell) == 3
    assert [fall - ask for ask, fall in zip(asked, fell, strict=True)] == [2, 2, 2]
    ends = [event["reason"] for _, event in told if event.kind == "ended"]
    assert ends[-1] is Reason.EXHAUSTED


def test_a_severity_may_have_a_rule_of_its_own():
    files = rendered("lamps", "hex")
    path = "src/fireplan_lamps/resolution.py"
    files[path] = (
        files[path]
        .replace("    cites: ClassVar = {", SUFFER, 1)
        .replace("import Modifier,", "import Effects, Modifier, emit, update,", 1)
        .replace("import Depletion,", "import Depletion, Losses,", 1)
    )
    with imported("lamps", files) as plugin:
        catalogue, flaws = admitted("lamps", plugin)
        assert flaws == []
        scenario = stage_engagement(catalogue, "lamps", STANDARD)
        events = [
            entry.event
            for seed in range(30)
            for entry in play_out(Table(scenario, 20), RandomFaces(seed)).log
            if entry.event.kind == "suffered"
        ]
    assert {(event["severity"] is Severity.DESTROYED, event.cite) for event in events} == {
        (True, "5.3"),
        (False, "5.1"),
    }


def test_a_custom_scenario_file_gives_facts_to_a_part():
    files = rendered("lamps", "hex")
    for path, old, new in (
        ("__init__.py", "GAME = ", WIND),
        ("__init__.py", "from importlib", "import attrs\nfrom importlib"),
        (
            "__init__.py",
            "ScenarioForm(PlainScenario, stage_plain)",
            "ScenarioForm(Windy, stage_windy)",
        ),
        ("data/scenarios/first.toml", "moments = ", "wind = 3\nmoments = "),
        (
            "delays.py",
            "    return int(view.own(mission, LinkState).failed > 0)",
            "    from fireplan_lamps import Wind\n\n    return -view.facts(mission, Wind).force",
        ),
    ):
        name = f"src/fireplan_lamps/{path}"
        assert old in files[name]
        files[name] = files[name].replace(old, new, 1)
    with imported("lamps", files) as plugin:
        catalogue, flaws = admitted("lamps", plugin)
        assert flaws == []
        scenario, form = find_scenario(catalogue, "lamps/first")
        log = play_out(Table(scenario, form.moments), RandomFaces(1)).log
    values = {entry.event["value"] for entry in log if entry.event.kind == "modifier"}
    assert values == {-3}


@pytest.mark.parametrize(
    ("method", "message"),
    [
        (
            "word",
            "Shelling.word: word is the name of the part, here 'resolution'; give yours another name",
        ),
        ("number", "Shelling.number: number belongs to every part; give the question another name"),
    ],
)
def test_a_question_may_not_have_the_name_of_something_that_every_part_has(method, message):
    question = f'''    @orders(cite="5.1")
    def {method}(self, view, mission):
        """Ask for the word of the gunners."""
        yield Form("fire", "5.1", summary="fire")

    cites: ClassVar = {{'''
    files = rendered("lamps", "hex")
    path = "src/fireplan_lamps/resolution.py"
    files[path] = (
        files[path]
        .replace("    cites: ClassVar = {", question, 1)
        .replace('"""\n\nfrom', '"""\n\nfrom fireplan_core import Form, orders\nfrom', 1)
    )
    with imported("lamps", files) as plugin:
        _, flaws = admitted("lamps", plugin)
    assert message in flaws[0].text, flaws
