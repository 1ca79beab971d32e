"""Memory outside the state is refused, because answers may not depend on earlier questions."""

import ast
from contextlib import contextmanager

import pytest

import fireplan as fp
from fireplan.analysis import shipped_engagements
from fireplan.errors import InputError
from fireplan.sweeps import Point, run
from fireplan_core.play import Catalogue
from fireplan_kit import examine
from fireplan_kit.kitbash import imported
from fireplan_kit.memory import memories_in
from fireplan_kit.scaffolding import rendered

HEAD = """
from collections import Counter, defaultdict
from functools import cache, lru_cache
from itertools import count
import facts
CACHE, CALLS, NUMBERS = {}, [], count()
"""
REFUSED = {
    "an entry by default": "def f(view, m): return CACHE.setdefault(m, view.moment())",
    "an entry": "def f(view, m): CACHE[m] = view.moment()",
    "an entry below an entry": "def f(view, m): CACHE[m]['left'] = 1",
    "an entry added to": "def f(m): CACHE[m] += 1",
    "an entry deleted": "def f(m): del CACHE[m]",
    "one of several targets": "def f(m): left, CACHE[m] = 1, 2",
    "an item appended": "def f(m): CALLS.append(m)",
    "another name of it": "def f(m):\n known = CACHE\n known[m] = 1",
    "a counter": "def f(): return next(NUMBERS)",
    "a context variable": "def f(m): NUMBERS.set(m)",
    "a value sent to a generator": "def f(m): NUMBERS.send(m)",
    "an entry in another module": "def f(m): facts.CACHE[m] = 1",
    "an attribute of a function": "def f(): f.calls = 1",
    "an attribute set by name": "class P: pass\ndef f(): setattr(P, 'calls', 1)",
    "a module variable by name": "def f(m): globals()[m] = 1",
    "an attribute of its class": "class P:\n def f(self): type(self).calls = 1",
    "an attribute of its class by dunder": "class P:\n def f(self): self.__class__.calls = 1",
    "an attribute of a class by its name": "class P:\n calls = 0\n def f(self): P.calls += 1",
    "a list of its class": "class P:\n calls = []\n def f(self): self.calls.append(1)",
    "a dict of its class": "class P:\n calls = defaultdict(int)\n def f(self, m): self.calls[m] += 1",
    "a list of a part": "class P:\n def __init__(self): self.calls = []\n"
    " @step(cite='1')\n def f(self, m): self.calls.append(m)",
    "a default that is changed": "def f(m, known={}): known[m] = 1",
    "a default made by a call": "def f(m, *, known=Counter()): pass",
    "a cache of a part": "class P:\n @lru_cache(maxsize=9)\n def f(self, m): return m",
    "a cache of a view": "@cache\ndef f(view): return view.moment()",
    "inside a closure": "def f(m):\n def inner(): CALLS.append(m)\n return inner",
    "inside a lambda": "def f(m): return lambda: CALLS.append(m)",
}
ALLOWED = {
    "a name of its own": "def f(m):\n CACHE = {}\n CACHE[m] = 1\n return CACHE",
    "a parameter": "def f(found, m): found[m] = 1",
    "a dict that a loop fills": "def f(ms):\n found = {}\n for m in ms: found.setdefault(m, []).append(m)",
    "a dict of the function around": "def f(m):\n found = {}\n def inner(): found[m] = 1\n inner()",
    "what runs once, when the module is loaded": "CACHE[1] = 2\nCALLS.append(1)",
    "a cache of values alone": "@cache\ndef f(hexes): return len(hexes)",
    "an entry read": "def f(m): return CACHE[m], CACHE.get(m)",
    "an attribute of an object that it makes": "class Q:\n def __init__(self): self.found = {}\n"
    " def f(self, m): self.found[m] = 1",
    "what runs once, when a class is made": "class P:\n def __init_subclass__(cls): CALLS.append(cls)",
    "a copy": "def f(m):\n known = dict(CACHE)\n known[m] = 1",
}


@pytest.mark.parametrize("source", REFUSED.values(), ids=REFUSED)
def test_a_change_that_outlives_a_step_is_found(source):
    (fault,) = memories_in(ast.parse(HEAD + source))
    assert "outlives the step: keep it in the state" in fault[1]


@pytest.mark.parametrize("source", ALLOWED.values(), ids=ALLOWED)
def test_changes_within_a_step_are_allowed(source):
    assert list(memories_in(ast.parse(HEAD + source))) == []


def test_each_change_is_reported_with_its_line_and_name():
    source = "LEFT = {}\n\ndef wait(view, mission):\n    LEFT[mission] = 3\n"
    assert list(memories_in(ast.parse(source))) == [
        (4, "changes LEFT, which outlives the step: keep it in the state")
    ]


# --- while the rules run ----------------------------------------------------------------------------
HEADS = {
    "an entry of a value that a function returns": (
        "CACHE = {}\n\n\ndef known() -> dict[str, int]:\n    return CACHE\n",
        "known().setdefault(mission, 1)",
        "CACHE",
    ),
    "an entry of a value in a tuple": (
        "CACHES = ({}, {})\n",
        "for cache in CACHES:\n        cache[mission] = 1",
        "CACHES",
    ),
    "an attribute of an object": (
        "class Memory:\n    calls = 0\n\n    def add(self) -> None:\n        self.calls += 1\n\n\nMEMORY = Memory()\n",
        "MEMORY.add()",
        "MEMORY",
    ),
    "a closure": (
        "def counter():\n    calls = [0]\n\n    def add() -> None:\n        calls[0] += 1\n\n    return add\n\n\nADD = counter()\n",
        "ADD()",
        "ADD",
    ),
}


@contextmanager
def remembering(head: str, line: str):
    """Yield a new game whose modifier to the relay also runs this line."""
    files = rendered("memory", "hex")
    source = files["src/fireplan_memory/delays.py"]
    anchor = "    return int(view.own(mission, LinkState)"
    assert anchor in source
    source = source.replace(anchor, f"    {line}\n{anchor}").replace(
        "\n\ndef failed_before", f"\n{head}\n\ndef failed_before"
    )
    files["src/fireplan_memory/delays.py"] = source
    with imported("memory", files) as plugin:
        yield plugin


@pytest.mark.parametrize(("head", "line", "name"), HEADS.values(), ids=HEADS)
def test_a_change_that_the_sources_do_not_show_is_found_while_the_rules_run(head, line, name):
    with remembering(head, line) as plugin:
        ((_, findings),) = examine("memory", plugin, only=("L12-pure",))
    assert f"fireplan_memory.delays.{name} changed while the rules ran" in str(findings)


def test_no_question_is_answered_by_rules_that_remember():
    head, line, name = HEADS["a closure"]
    with remembering(head, line) as plugin:
        catalogue = Catalogue()
        catalogue.admit(plugin)
        with pytest.raises(InputError, match=f"the rules changed fireplan_memory.delays.{name} "):
            fp.odds("woods", game="memory", catalogue=catalogue)
        for question, more in (
            (fp.odds, {"game": "memory"}),
            (fp.compare, {}),
            (fp.best, {"game": "memory"}),
        ):
            with pytest.raises(InputError, match="depend on what was asked before"):
                question("woods", catalogue=catalogue, **more)


def test_another_game_is_answered_after_one_that_remembers():
    head, line, _ = HEADS["a closure"]
    with remembering(head, line) as plugin:
        catalogue = Catalogue.installed(only=("wacht_am_rhein",))
        catalogue.admit(plugin)
        with pytest.raises(InputError):
            fp.odds("woods", game="memory", catalogue=catalogue)
        assert fp.odds("woods", game="wacht_am_rhein", catalogue=catalogue)


@pytest.mark.full
def test_an_answer_that_depends_on_earlier_questions_differs_between_processes():
    """The number of units comes from the first question, and only a function's cache stores it."""
    head = "from functools import cache\n\n\n@cache\ndef memory(game: str) -> dict[str, int]:\n    return {}\n"
    line = "if memory('first').setdefault('units', len(view.units)) > 3:\n        return 1"
    with remembering(head, line) as plugin:
        ((_, findings),) = examine("memory", plugin, only=("L27-processes",))
    assert "two processes differ in the exact answers for" in str(findings)


@pytest.mark.full
def test_a_cache_filled_at_staging_differs_between_processes():
    """Staging fills the cache once, and every later question of the process uses the first entry."""
    head = "from functools import cache\n\n\n@cache\ndef memory(game: str) -> dict[str, int]:\n    return {}\n"
    files = rendered("memory", "hex")
    path = "src/fireplan_memory/delays.py"
    source = files[path].replace("\n\ndef failed_before", f"\n{head}\n\ndef failed_before", 1)
    source = source.replace(
        "    return int(view.own(mission, LinkState)",
        "    if memory('first')['men'] != 60:\n        return 1\n    return int(view.own(mission, LinkState)",
        1,
    )
    files[path] = source.replace(
        "    cites: ClassVar = {",
        "    def stage(self, staging):\n        super().stage(staging)\n"
        "        men = staging._engagement.target.men if staging._engagement else 0\n"
        "        memory('first').setdefault('men', men)\n\n    cites: ClassVar = {",
        1,
    )
    with imported("memory", files) as plugin:
        ((_, findings),) = examine("memory", plugin, only=("L27-processes",))
    assert "two processes differ in the exact answers for" in str(findings)


@pytest.mark.full
def test_no_point_of_a_sweep_is_solved_by_rules_that_remember(monkeypatch):
    head, line, name = HEADS["a closure"]
    engagement = str(shipped_engagements()["woods"])
    points = [Point(n, "woods", engagement, False, "memory", (), (), None) for n in (1, 2)]
    with remembering(head, line) as plugin:
        catalogue = Catalogue()
        catalogue.admit(plugin)
        monkeypatch.setattr(run, "_catalogue", lambda: catalogue)
        for point in points:
            (result,) = run.solve_points([point])
            assert result["outcome"] == run.REFUSED
            assert f"the rules changed fireplan_memory.delays.{name} " in result["reason"]


def test_unreplayable_play_is_reported_with_its_input_and_difference():
    line = "if CALLS.append(1) or len(CALLS) % 7 == 3:\n        return 1"
    with remembering("CALLS = []\n", line) as plugin:
        ((_, findings),) = examine("memory", plugin, only=("L05-journal",))
    first = findings[0].flaw.text
    assert first.startswith("seed 1: after input 2 (roll relay: 4) the event modifier {"), first
    assert "'after a failure'} comes in play and the event through" in first


def test_a_count_kept_outside_the_state_is_reported_by_field():
    """The relay counts its failures in a list, and the state takes the count from that list."""
    counts = """
    def wait(self, chance, view, mission):
        CALLS.append(1)
        count = update(view.own(mission, Count), calls=len(CALLS) % 50)
        return Effects(super().wait(chance, view, mission), count)
    wait = step(cite="2.2")(wait)
    keeps = Keeps(assets=(LinkState, Count))

    def stage(self, staging):
        super().stage(staging)
        for mission in staging.assets:
            staging.mission(mission, self.word, Count())

"""
    head = (
        "from fireplan_core import Effects, Keeps, kept, record, step, update\n\nCALLS = []\n\n\n"
        '@record\nclass Count:\n    calls: int = kept(0, "calls", "2.2", between=(0, 50))\n    failed: int = kept(0, "failures", "2.2", between=(0, 9))\n'
        '    left: int = kept(0, "left", "2.2", between=(0, 9))\n'
    )
    files = rendered("memory", "hex")
    path = "src/fireplan_memory/delays.py"
    source = files[path].replace("\n\ndef failed_before", f"\n{head}\n\ndef failed_before")
    files[path] = source.replace("    cites: ClassVar = {", f"{counts}    cites: ClassVar = {{", 1)
    with imported("memory", files) as plugin:
        ((_, findings),) = examine("memory", plugin, only=("L05-journal",))
    assert "/delays/calls is " in findings[0].flaw.text, findings
