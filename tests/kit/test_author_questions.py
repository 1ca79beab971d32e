"""Answers to questions of authors, each played in a new game."""

from fireplan_core import Reason
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Table, play_out, stage_engagement
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
