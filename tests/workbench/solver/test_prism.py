"""The PRISM text of a mission gives fireplan's answers: read by a small reader here, and by Storm
where it installs.
"""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from prism import PROPERTIES, prism

from fireplan.analysis import FIGURES
from fireplan.questions.opening import setting_of
from fireplan.solver import Analysis
from fireplan_core.play import Catalogue, Variation

CASES = {
    "red_poppies": ("woods", 6),
    "wacht_am_rhein": ("woods", 2),
    "miniatures_1943": ("dug_in", 5),
    "asl": ("woods", 4),
}
CHANCES = ("delivered", "on_target", "own_troops_under_fire", "exhausted")
_COMMAND = re.compile(r"^\s*\[\] s=(\d+) & m<MOMENTS -> (.*);$", re.MULTILINE)
_REWARDS = re.compile(r'rewards "(\w+)"\n(.*?)endrewards', re.DOTALL)
_REWARD = re.compile(r"s=(\d+) & m<MOMENTS( & !delivered)? : ([\d./]+);")


def number(text):
    over = text.split("/")
    return Fraction(over[0]) / (Fraction(over[1]) if len(over) > 1 else 1)


class Reader:
    """A reader of the text, independent of its writer, which carries the probability mass forward
    by moments.
    """

    def __init__(self, text):
        self.moments = int(re.search(r"const int MOMENTS = (\d+);", text)[1])
        self.commands = {}
        for state, updates in _COMMAND.findall(text):
            ways = []
            for update in updates.split(" + "):
                share, then = update.split(":", 1)
                ways.append((number(share), dict(re.findall(r"\((\w+)'=([^)]+)\)", then))))
            assert sum(share for share, _ in ways) == 1
            self.commands[int(state)] = ways
        self.rewards = {
            name: [
                (int(state), bool(waiting), number(value))
                for state, waiting, value in _REWARD.findall(body)
            ]
            for name, body in _REWARDS.findall(text)
        }

    def run(self):
        """Return the chances of the flags at the end, and the mean of each reward."""
        earned = {
            name: {(s, w): value for s, w, value in rows} for name, rows in self.rewards.items()
        }
        means = dict.fromkeys(self.rewards, Fraction(0))
        opening = {(0, *(False for _ in CHANCES)): Fraction(1)}
        for _ in range(self.moments):
            following = {}
            waiting = dict(opening)
            while waiting:
                (state, *flags), mass = waiting.popitem()
                for name, rows in earned.items():
                    means[name] += mass * rows.get((state, False), Fraction(0))
                    means[name] += mass * rows.get((state, True), Fraction(0)) * (not flags[0])
                for share, then in self.commands[state]:
                    after = dict(zip(CHANCES, flags, strict=True))
                    for name in CHANCES:
                        if name in then:
                            after[name] = after[name] or (
                                not flags[0] if name == "on_target" else True
                            )
                    key = (int(then["s"]), *after.values())
                    into = following if "m" in then else waiting
                    into[key] = into.get(key, Fraction(0)) + mass * share
            opening = following
        assert sum(opening.values()) == 1
        found = {
            name: sum((mass for key, mass in opening.items() if key[1 + n]), Fraction(0))
            for n, name in enumerate(CHANCES)
        }
        return {**found, **means}


@pytest.fixture(scope="module", params=CASES)
def written(request):
    name, moments = CASES[request.param]
    table = setting_of(Catalogue.installed(), name, request.param)
    analysis = Analysis(table.stage(Variation()), moments)
    return analysis, prism(analysis)


def test_the_text_read_back_gives_the_exact_figures(written):
    analysis, text = written
    found = Reader(text).run()
    for name in CHANCES:
        assert found[name] == FIGURES[name].of(analysis), name
    # Minutes to first effect: the moments waited, in minutes, plus one grain of the clock if fire
    # was delivered.
    clock = analysis.scenario.clock
    minutes = found["moments_waited"] * clock.minutes + found["delivered"] * clock.grain
    assert minutes == FIGURES["minutes_to_first_effect"].of(analysis)


def test_storm_agrees_to_1e_12(written, tmp_path):
    # stormpy is optional, because it has no wheel for some platforms.
    stormpy = pytest.importorskip(
        "stormpy", reason="the Storm model checker (stormpy) is not installed here"
    )
    _, text = written
    found = Reader(text).run()
    file = tmp_path / "mission.prism"
    file.write_text(text, encoding="utf-8")
    program = stormpy.parse_prism_program(str(file))
    for name, asked in PROPERTIES.items():
        wanted = stormpy.parse_properties(asked, program)
        model = stormpy.build_model(program, wanted)
        value = stormpy.model_checking(model, wanted[0]).get_value(model.initial_states[0])
        assert value == pytest.approx(float(found[name]), rel=1e-12, abs=1e-12), name
