"""Plant procedural faults in two new games and two examples, and count those that are detected.

``python benchmarks/faults/strangers.py [WORD ...]`` tries all faults, or those with one of the
words in their id. Every fault is there from the start: frozen tables and playthroughs are removed,
and the checks that compare with them do not run. The other checks run, cheapest first, until one
has a finding.

Each result is kept in ``strangers.csv`` as soon as it is known, and is not tried again; delete a
line to try its fault again, or pass ``--again``. ``--seconds`` stops after that much processor
time. ``--table`` prints the table of ``docs/reference/seeded_faults.md``.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "kit" / "mutants"))

from shelf import FROZEN, Edit, Fault, broken

from fireplan_kit import LAWS, Bench
from fireplan_kit.check import TOO_LARGE, admitted, raised

CHEAP = [
    "L01",
    "L02",
    "L07",
    "L12",
    "L16",
    "L08",
    "L09",
    "L10",
    "L06",
    "L14",
    "L18",
    "L03",
    "L25",
    "L13",
    "L17",
    "L11",
    "L24",
    "L05",
    "L23",
    "L21",
    "L15",
    "L04",
    "L19",
    "L26",
    "L28",
    "L27",
    "L30",
    "L29",
]
"""The checks in the order in which they run; those of the frozen files are left out.

The witnesses come last, because a stranger's first draft may have none.
"""
IMPORTS = (
    "from fireplan_core import (Effects, Form, Keeps, Outcome, Reason, Refusal, Severity, Slot, Stage, cycle, emit, kept,\n"
    "    orders, push, record, step, update)\n"
    "from fireplan_core.chance import d6\n"
    "from fireplan_core.five_parts import parts_of\n"
)
ANCHORS = {
    "marsh_road": {
        "observers": '    cites = {"sight": "3"}',
        "requests": "    from_target_m = figure(",
        "delays": "    minutes, dice, chart, tries",
        "areas": "    places, radius, duration = ",
        "resolution": "    hit, wounds, men_a_unit",
    },
    "night_rockets": {
        "requests": '    cites: ClassVar = {"requested": "1.2"',
        "delays": "    boxes = 3",
        "areas": "    vectors = ((0, -2)",
        "resolution": "    men_a_unit = 15",
    },
}
"""The text before which a method is inserted, by example and part; parts share one file."""
RULES = {
    "marsh_road": {"call": "5", "fire": "9", "delay": "6", "land": "10", "fall": "13", "hit": "14"},
    "": {"call": "1.2", "fire": "1.3", "delay": "2.2", "land": "4.1", "fall": "4.2", "hit": "5.1"},
}
HEX, PLANE, MARSH, NIGHT = GAMES = "hex", "plane", "marsh_road", "night_rockets"


def planted(
    name: str, game: str, part: str, method: str, head: str = "", edits: tuple[Edit, ...] = ()
) -> Fault:
    """Return a fault: a method added to a part of a game, and the code that its module needs before it."""
    rules = RULES.get(game, RULES[""])
    for word, rule in rules.items():
        method, head = (text.replace(f"<{word}>", rule) for text in (method, head))
    changes = list(edits)
    if method and game in ANCHORS:
        anchor = ANCHORS[game][part]
        start = "from fractions import Fraction\n"
        changes += [
            Edit("parts.py", start, f"{start}{IMPORTS}{head}\n"),
            Edit("parts.py", anchor, f"{method}\n{anchor}"),
        ]
    elif method:
        anchor = "    cites: ClassVar = {"
        changes += [
            Edit(f"{part}.py", '"""\n\nfrom', f'"""\n\n{IMPORTS}{head}\nfrom'),
            Edit(f"{part}.py", anchor, f"{method}\n{anchor}"),
        ]
    kind = name.partition(":")[0]
    for table, word in (("rolls", "first"), ("rolls", "echo"), ("events", "rumble")):
        if f"('{word}'" in method and "without a sentence" not in name:
            before = f"[{table}]\n" if game in ANCHORS else "[events]\n"
            new = f'[{table}]\n{word} = "{word}"\n'
            after = "" if table in before else f"\n{before}"
            changes.append(Edit("data/sentences.toml", before, f"{new}{after}"))
    words = name.replace(": ", "-").replace(" ", "-").replace("'", "")
    id_ = f"{words}-{game.replace('_', '-')}"
    return Fault(id_, kind, game, "", tuple(changes), ("data/perft", "data/playthroughs"))


WAIT = '    @step(cite="<delay>")\n    def wait(self, chance, view, mission):\n'
ASKS = '    @step(cite="<call>")\n    def opportunity(self, chance, view, mission):\n'
FORMS = '    @orders(cite="<call>")\n    def ask(self, view, mission):\n'
FIRES = '    @orders(cite="<fire>")\n    def fire(self, view, mission):\n        yield from super().fire(view, mission)\n'
SHOOTS = "    def shoot(self, view, mission, intent, at):\n"
FALLEN = '    @step(cite="<fall>")\n    def fallen(self, chance, view, mission):\n'
STRIKE = '    @step(cite="<hit>")\n    def strike(self, chance, view, mission, place, shot):\n'
WAITED = "        return super().wait(chance, view, mission)\n"
ASKED = "        return super().opportunity(chance, view, mission)\n"
SHOT = "        return super().shoot(view, mission, intent, at)\n"
FELL = "        return super().fallen(chance, view, mission)\n"
STRUCK = "        return super().strike(chance, view, mission, place, shot)\n"

METHODS: tuple[tuple[str, tuple[str, ...], str, str, str], ...] = (
    # --- memory outside the state
    (
        "memory: a list in a closure",
        GAMES,
        "delays",
        WAIT + "        TICK()\n" + WAITED,
        "def counter():\n    n = [0]\n    def tick():\n        n[0] += 1\n        return n[0]\n    return tick\nTICK = counter()\n",
    ),
    (
        "memory: nonlocal",
        (HEX, NIGHT),
        "delays",
        WAIT + "        TICK()\n" + WAITED,
        "def counter():\n    n = 0\n    def tick():\n        nonlocal n\n        n += 1\n        return n\n    return tick\nTICK = counter()\n",
    ),
    (
        "memory: vars of a part",
        GAMES,
        "requests",
        ASKS + "        vars(self)['calls'] = vars(self).get('calls', 0) + 1\n" + ASKED,
        "",
    ),
    (
        "memory: an attribute of a part",
        (HEX, MARSH),
        "requests",
        ASKS + "        self.calls = view.moment()\n" + ASKED,
        "",
    ),
    (
        "memory: an iterator",
        (PLANE, MARSH),
        "delays",
        WAIT + "        next(TICKS, 0)\n" + WAITED,
        "TICKS = iter(range(10_000))\n",
    ),
    (
        "memory: a context variable",
        (HEX, NIGHT),
        "delays",
        WAIT + "        LAST.set(view.moment())\n" + WAITED,
        "from contextvars import ContextVar\nLAST = ContextVar('LAST', default=0)\n",
    ),
    (
        "memory: the environment",
        (HEX, MARSH),
        "delays",
        WAIT + "        os.environ['LAST'] = str(view.moment())\n" + WAITED,
        "import os\n",
    ),
    (
        "memory: a dict by another name",
        (PLANE, NIGHT),
        "requests",
        ASKS + "        known = CACHE\n        known.setdefault(mission, 1)\n" + ASKED,
        "CACHE = {}\n",
    ),
    (
        "memory: a function that stores",
        GAMES,
        "areas",
        FALLEN + "        store(mission, 1)\n" + FELL,
        "SEEN = {}\ndef store(key, value):\n    SEEN[key] = value\n",
    ),
    (
        "memory: the module itself",
        (HEX, NIGHT),
        "areas",
        FALLEN + "        sys.modules[__name__].LAST = mission\n" + FELL,
        "import sys\nLAST = ''\n",
    ),
    (
        "memory: a cache of a view",
        (PLANE, MARSH),
        "areas",
        FALLEN + "        seen(view)\n" + FELL,
        "from functools import cache\n@cache\ndef seen(view):\n    return view.moment()\n",
    ),
    (
        "memory: a deque",
        (HEX, PLANE),
        "requests",
        ASKS + "        LAST.append(mission)\n" + ASKED,
        "from collections import deque\nLAST = deque(maxlen=3)\n",
    ),
    (
        "memory: a holder object",
        (HEX, MARSH),
        "requests",
        ASKS + "        BOX.last = mission\n" + ASKED,
        "from types import SimpleNamespace\nBOX = SimpleNamespace(last='')\n",
    ),
    (
        "memory: a generator that is sent to",
        (HEX,),
        "requests",
        ASKS + "        GEN.send(1)\n" + ASKED,
        "def forever():\n    n = 0\n    while True:\n        n += (yield n) or 0\nGEN = forever()\nnext(GEN)\n",
    ),
    # --- chance, clocks and processes
    (
        "chance: import of random in a function",
        GAMES,
        "delays",
        WAIT
        + "        import random\n        if random.random() < 0:\n            return Effects()\n"
        + WAITED,
        "",
    ),
    (
        "chance: by name",
        (HEX, NIGHT),
        "delays",
        WAIT
        + "        if __import__('random').random() < 0:\n            return Effects()\n"
        + WAITED,
        "",
    ),
    (
        "chance: uuid",
        (PLANE, MARSH),
        "delays",
        WAIT + "        if uuid.uuid4().int < 0:\n            return Effects()\n" + WAITED,
        "import uuid\n",
    ),
    (
        "clock: perf_counter",
        (HEX, MARSH),
        "areas",
        FALLEN + "        if perf_counter() < 0:\n            return Effects()\n" + FELL,
        "from time import perf_counter\n",
    ),
    (
        "clock: today",
        (PLANE, NIGHT),
        "areas",
        FALLEN + "        if dt.date.today().year < 0:\n            return Effects()\n" + FELL,
        "import datetime as dt\n",
    ),
    (
        "process: hash of a name",
        (HEX, PLANE),
        "requests",
        ASKS + "        if hash(mission) % 2 == 3:\n            return Effects()\n" + ASKED,
        "",
    ),
    (
        "process: the process number",
        (HEX, NIGHT),
        "requests",
        ASKS + "        if os.getpid() < 0:\n            return Effects()\n" + ASKED,
        "import os\n",
    ),
    (
        "process: orders from a set",
        GAMES,
        "requests",
        FORMS
        + "        for verb in WAYS:\n            yield Form(verb, '<call>', does=push(cycle.request, mission) if verb == 'ask' else Effects())\n",
        "WAYS = {'ask', 'pass'}\n",
    ),
    (
        "process: words with an address",
        (HEX, MARSH),
        "requests",
        FORMS
        + "        yield Form('ask', '<call>', does=push(cycle.request, mission), summary=f'call by {self}')\n        yield Form('pass', '<call>')\n",
        "",
    ),
    (
        "process: a file that is read",
        (HEX, NIGHT),
        "delays",
        WAIT + "        if open(__file__).read() == '':\n            return Effects()\n" + WAITED,
        "",
    ),
    # --- events
    (
        "event: twice in one step",
        GAMES,
        "requests",
        ASKS
        + "        told = emit('requested', '<call>', mission=mission)\n        return Effects(super().opportunity(chance, view, mission), told, told)\n",
        "",
    ),
    (
        "event: without a sentence",
        GAMES,
        "areas",
        FALLEN
        + "        return Effects(super().fallen(chance, view, mission), emit('rumble', '<fall>', mission=mission))\n",
        "",
    ),
    (
        "event: of a rule that does not exist",
        (HEX, MARSH),
        "areas",
        FALLEN
        + "        return Effects(super().fallen(chance, view, mission), emit('rumble', RULE, mission=mission))\n",
        "RULE = '99.9'\n",
    ),
    (
        "event: with a list",
        (HEX, NIGHT),
        "delays",
        WAIT
        + "        return Effects(super().wait(chance, view, mission), emit('requested', '<call>', mission=[mission]))\n",
        "",
    ),
    (
        "event: with a float",
        (PLANE, MARSH),
        "delays",
        WAIT
        + "        return Effects(super().wait(chance, view, mission), emit('requested', '<call>', mission=mission, share=0.5))\n",
        "",
    ),
    # --- state
    (
        "state: another part's neutral field",
        GAMES,
        "delays",
        WAIT
        + "        return Effects(super().wait(chance, view, mission), update(view.mission(mission), impact=view.mission(mission).target))\n",
        "",
    ),
    (
        "state: another part's record",
        (HEX, NIGHT),
        "requests",
        ASKS
        + "        left = view.peek(mission, LinkState).left\n        return Effects(super().opportunity(chance, view, mission)) if left < 99 else Effects()\n",
        "from fireplan_core.ready_parts import LinkState\n",
    ),
    (
        "state: harm done by the requests",
        (HEX, PLANE),
        "requests",
        SHOOTS
        + "        return Effects(super().shoot(view, mission, intent, at), update(view.mission(mission), impact=at))\n",
        "",
    ),
    (
        "state: a float",
        (HEX, MARSH),
        "delays",
        WAIT
        + "        return Effects(super().wait(chance, view, mission), update(view.own(mission, LinkState), left=0.5))\n",
        "from fireplan_core.ready_parts import LinkState\n",
    ),
    (
        "state: a count without end",
        (HEX, PLANE),
        "requests",
        ASKS
        + "        own = view.own(mission, Calls_)\n        return Effects(super().opportunity(chance, view, mission), update(own, n=own.n + 1))\n    keeps = Keeps(assets=(Calls_,))\n    def stage(self, staging):\n        super().stage(staging)\n        for mission in staging.assets:\n            staging.mission(mission, self.word, Calls_())\n",
        "@record\nclass Calls_:\n    n: int = kept(0, 'calls', '<call>', between=(0, 10**9))\n",
    ),
    (
        "state: beyond its range",
        (HEX, PLANE),
        "requests",
        ASKS
        + "        own = view.own(mission, Calls_)\n        return Effects(super().opportunity(chance, view, mission), update(own, n=min(3, own.n + 1)))\n    keeps = Keeps(assets=(Calls_,))\n    def stage(self, staging):\n        super().stage(staging)\n        for mission in staging.assets:\n            staging.mission(mission, self.word, Calls_())\n",
        "@record\nclass Calls_:\n    n: int = kept(0, 'calls', '<call>', between=(0, 1))\n",
    ),
    (
        "state: a word of no list",
        (HEX, PLANE),
        "requests",
        ASKS
        + "        own = view.own(mission, Mood)\n        return Effects(super().opportunity(chance, view, mission), update(own, mood='angry'))\n    keeps = Keeps(assets=(Mood,))\n    def stage(self, staging):\n        super().stage(staging)\n        for mission in staging.assets:\n            staging.mission(mission, self.word, Mood())\n",
        "@record\nclass Mood:\n    mood: str = kept('calm', 'mood', '<call>', among=('calm', 'tense'))\n",
    ),
    # --- orders
    (
        "order: always refused",
        GAMES,
        "requests",
        FIRES
        + "        yield Form('burst', '<fire>', does=lambda: Refusal('<fire>', 'no such shells'), summary='air burst')\n",
        "",
    ),
    (
        "order: offered twice",
        (HEX, MARSH),
        "requests",
        FORMS
        + "        yield from super().ask(view, mission)\n        yield from super().ask(view, mission)\n",
        "",
    ),
    (
        "order: pass that calls",
        GAMES,
        "requests",
        FORMS
        + "        yield Form('ask', '<call>', does=push(cycle.request, mission))\n        yield Form('pass', '<call>', does=push(cycle.request, mission))\n",
        "",
    ),
    (
        "order: cancel that waits",
        (HEX, PLANE),
        "requests",
        "    @orders(cite='<fire>')\n    def fire(self, view, mission):\n        for form in super().fire(view, mission):\n            yield Form('cancel', '<fire>') if form.verb == 'cancel' else form\n        yield Form('hold', '<fire>', summary='hold')\n",
        "",
    ),
    (
        "order: an aim that is ignored",
        GAMES,
        "requests",
        SHOOTS
        + "        if not view.frame.on_map(at):\n            return super().shoot(view, mission, intent, at)\n        return super().shoot(view, mission, intent, view.mission(mission).target)\n",
        "",
    ),
    (
        "order: refused by no rule",
        GAMES,
        "requests",
        SHOOTS
        + "        if view.moment() > 3:\n            return Refusal(self.nowhere, 'too late')\n"
        + SHOT
        + "    nowhere = '77.7'\n",
        "",
    ),
    (
        "order: refused without a reason",
        (HEX, NIGHT),
        "requests",
        SHOOTS + "        if view.moment() > 2:\n            return Refusal('<fire>', '')\n" + SHOT,
        "",
    ),
    (
        "order: a judge that raises",
        (PLANE, MARSH),
        "requests",
        SHOOTS
        + "        if not view.frame.on_map(at) or abs(at[0]) > 500_000:\n            raise KeyError(at)\n"
        + SHOT,
        "",
    ),
    (
        "order: no order at all",
        (HEX, PLANE),
        "requests",
        FORMS
        + "        if view.moment() < 3:\n            yield from super().ask(view, mission)\n",
        "",
    ),
    (
        "order: any aim accepted",
        (HEX,),
        "requests",
        SHOOTS
        + "        return Effects(update(view.mission(mission), aim=at), push(cycle.release, mission, intent))\n",
        "",
    ),
    (
        "order: a value that no list has",
        (HEX, NIGHT),
        "requests",
        FIRES
        + "        yield Form('load', '<fire>', (Slot('shell', 'the shell', ('HE', 'HE')),), does=lambda shell: Effects(), summary='load')\n",
        "",
    ),
    (
        "order: a slot without a use",
        (PLANE, MARSH),
        "requests",
        FIRES
        + "        yield Form('load', '<fire>', (Slot('shell', 'the shell', ('HE', 'smoke')),), does=lambda shell: Effects(), summary='load')\n",
        "",
    ),
    # --- sides
    (
        "side: in a variable",
        GAMES,
        "requests",
        ASKS
        + "        who = view.side(mission)\n        if who == 'target':\n            return Effects()\n"
        + ASKED,
        "",
    ),
    (
        "side: from a helper",
        (HEX, NIGHT),
        "requests",
        ASKS
        + "        if owner(view, mission) == 'target':\n            return Effects()\n"
        + ASKED,
        "def owner(view, mission):\n    return view.side(mission)\n",
    ),
    (
        "side: looked up",
        (PLANE, MARSH),
        "requests",
        ASKS
        + "        if {'target': 1}.get(view.side(mission)):\n            return Effects()\n"
        + ASKED,
        "",
    ),
    (
        "side: asked by name",
        (HEX, PLANE),
        "requests",
        ASKS + "        return Effects(ask_('firer', self.ask, mission))\n",
        "from fireplan_core import ask as ask_\n",
    ),
    (
        "side: of a unit",
        (HEX, NIGHT),
        "resolution",
        STRIKE
        + "        if any(view.unit_side(unit) in ('target', 'german') for unit in view.units_at(place)):\n            pass\n"
        + STRUCK,
        "",
    ),
    # --- procedure
    (
        "procedure: two throws in a step",
        GAMES,
        "delays",
        WAIT
        + "        if chance.dice('first', white=d6).total > 6:\n            return Effects()\n"
        + WAITED,
        "",
    ),
    (
        "procedure: a roll read as a number",
        (HEX, PLANE),
        "areas",
        FALLEN
        + "        n = chance.dice('echo', white=d6, black=d6, red=d6, blue=d6)\n        n = (n.white.exact(), n.black.exact(), n.red.exact(), n.blue.exact())\n"
        + FELL,
        "",
    ),
    (
        "procedure: a step for ever",
        GAMES,
        "delays",
        WAIT + "        return Effects(push(self.wait, mission))\n",
        "",
    ),
    ("procedure: never ready", (HEX, NIGHT), "delays", WAIT + "        return Effects()\n", ""),
    (
        "procedure: a rare exception",
        GAMES,
        "areas",
        FALLEN + "        if view.moment() == 5:\n            return Effects({}['rare'])\n" + FELL,
        "",
    ),
    (
        "procedure: a misspelt field in a rare case",
        GAMES,
        "areas",
        FALLEN
        + "        if view.moment() == 97:\n            return Effects(update(view.mission(mission), aims=None))\n"
        + FELL,
        "",
    ),
    (
        "procedure: a misspelt method in a rare case",
        GAMES,
        "delays",
        WAIT
        + "        if view.moment() == 97:\n            return Effects(view.misson(mission))\n"
        + WAITED,
        "",
    ),
    (
        "procedure: a push with too few arguments in a rare case",
        (HEX, PLANE),
        "delays",
        WAIT
        + "        if view.moment() == 97:\n            return Effects(push(cycle.close, mission))\n"
        + WAITED,
        "",
    ),
    (
        "procedure: fire that falls again for ever",
        (HEX, MARSH),
        "areas",
        FALLEN + "        return Effects(push(cycle.fall, mission))\n",
        "",
    ),
    (
        "procedure: strikes that speak outside their place",
        (HEX, PLANE),
        "resolution",
        STRIKE
        + "        return Effects(super().strike(chance, view, mission, place, shot), update(view.mission(mission), fell=True))\n",
        "",
    ),
    (
        "procedure: a chance that depends on asking",
        (HEX, NIGHT),
        "delays",
        WAIT
        + "        roll = chance.dice('relay', white=d6)\n        if str(roll):\n            return Effects()\n        return Effects()\n",
        "",
    ),
    # --- secrets
    (
        "secret: a board with hidden units",
        (HEX, PLANE),
        "resolution",
        "    def hides(self, scenario, name, side):\n        return name in scenario.units and scenario.owner(name) != side\n    def board(self, view, side):\n        return (', '.join(view.units),)\n",
        "",
    ),
    (
        "secret: a count of hidden units",
        (HEX, PLANE),
        "resolution",
        "    def hides(self, scenario, name, side):\n        return name in scenario.units and scenario.owner(name) != side\n    def board(self, view, side):\n        return (f'{sum(view.place_of(unit) == view.place_of(view.units[0]) for unit in view.units)} together',)\n",
        "",
    ),
    (
        "secret: an order refused for hidden units",
        (HEX, PLANE),
        "requests",
        "    def hides(self, scenario, name, side):\n        return name in scenario.units and scenario.owner(name) != side\n"
        + SHOOTS
        + "        if not view.units_at(at):\n            return Refusal('<fire>', 'nobody is there')\n"
        + SHOT,
        "",
    ),
    # --- ground
    (
        "ground: twice the hectares",
        GAMES,
        "areas",
        "    def footprint(self, view, mission):\n        cells, hectares = super().footprint(view, mission)\n        return cells, 2 * hectares\n",
        "",
    ),
    (
        "ground: the impact alone",
        (HEX,),
        "areas",
        "    def covers(self, view, mission, place, extent):\n        return super().covers(view, mission, place, extent) if place == view.mission(mission).impact else 0\n",
        "",
    ),
    (
        "ground: covers more than all",
        GAMES,
        "areas",
        "    def covers(self, view, mission, place, extent):\n        return 2 * super().covers(view, mission, place, extent)\n",
        "",
    ),
    (
        "ground: covers everything",
        GAMES,
        "areas",
        "    def covers(self, view, mission, place, extent):\n        return 1\n",
        "",
    ),
    (
        "ground: a cell twice",
        (HEX,),
        "areas",
        "    def footprint(self, view, mission):\n        cells, hectares = super().footprint(view, mission)\n        return (*cells, cells[0]), hectares\n",
        "",
    ),
    (
        "ground: lopsided",
        (HEX,),
        "areas",
        "    def footprint(self, view, mission):\n        cells, hectares = super().footprint(view, mission)\n        return cells[:-1], hectares * 6 / 7\n",
        "",
    ),
    (
        "ground: off centre",
        (PLANE, MARSH),
        "areas",
        "    def covers(self, view, mission, place, extent):\n        return super().covers(view, mission, (place[0] + 100_000, place[1]), extent)\n",
        "",
    ),
    # --- another game's table
    (
        "kitbash: squared hexes as metres",
        (HEX, PLANE),
        "requests",
        SHOOTS
        + "        if view.frame.gap(view.mission(mission).target, at) > 20:\n            return Refusal('<fire>', 'too far')\n"
        + SHOT,
        "",
    ),
    (
        "kitbash: an aim that is never None",
        (HEX, PLANE),
        "delays",
        WAIT
        + "        if view.mission(mission).aim[0] > 10**9:\n            return Effects()\n"
        + WAITED,
        "",
    ),
    (
        "kitbash: another part by its class",
        (HEX, NIGHT),
        "requests",
        SHOOTS
        + "        if parts_of(view).areas.accurate > 9:\n            return Refusal('<fire>', 'never')\n"
        + SHOT,
        "",
    ),
    (
        "kitbash: a place as two numbers",
        (HEX,),
        "areas",
        FALLEN
        + "        x, y = view.mission(mission).target\n        if x + y > 10**9:\n            return Effects()\n"
        + FELL,
        "",
    ),
    # --- a third set, of all kinds
    (
        "memory: an attribute of a function",
        (HEX,),
        "areas",
        '    @step(cite="<fall>")\n    def fallen(self, chance, view, mission):\n        note.last = mission\n        return super().fallen(chance, view, mission)\n',
        "def note():\n    return ''\nnote.last = ''\n",
    ),
    (
        "memory: count of itertools",
        (HEX,),
        "delays",
        '    @step(cite="<delay>")\n    def wait(self, chance, view, mission):\n        if next(TICK) > 10**6:\n            return Effects()\n        return super().wait(chance, view, mission)\n',
        "from itertools import count\nTICK = count()\n",
    ),
    (
        "memory: a bytearray by index",
        (PLANE,),
        "delays",
        '    @step(cite="<delay>")\n    def wait(self, chance, view, mission):\n        SEEN[0] = 1\n        return super().wait(chance, view, mission)\n',
        "SEEN = bytearray(8)\n",
    ),
    (
        "memory: a weak dictionary by frame",
        (HEX,),
        "areas",
        '    @step(cite="<fall>")\n    def fallen(self, chance, view, mission):\n        MEMO.setdefault(view.frame, len(view.units))\n        return super().fallen(chance, view, mission)\n',
        "from weakref import WeakKeyDictionary\nMEMO = WeakKeyDictionary()\n",
    ),
    (
        "memory: a callable object",
        (PLANE,),
        "requests",
        '    @step(cite="<call>")\n    def opportunity(self, chance, view, mission):\n        TICK()\n        return super().opportunity(chance, view, mission)\n',
        "class Tick:\n    def __init__(self):\n        self.n = 0\n    def __call__(self):\n        self.n += 1\n        return self.n\nTICK = Tick()\n",
    ),
    (
        "memory: cached helper by mission alone",
        (HEX,),
        "areas",
        '    @step(cite="<fall>")\n    def fallen(self, chance, view, mission):\n        guns_of(mission, lambda: len(view.units))\n        return super().fallen(chance, view, mission)\n',
        "from functools import lru_cache\nGUNS = {}\ndef guns_of(mission, f):\n    if mission not in GUNS:\n        GUNS.update({mission: f()})\n    return GUNS[mission]\n",
    ),
    (
        "event: about another mission",
        (MARSH,),
        "areas",
        "    @step(cite=\"<fall>\")\n    def fallen(self, chance, view, mission):\n        return Effects(super().fallen(chance, view, mission), emit('rumble', '<fall>', mission=view.missions[0]+'x'))\n",
        "",
    ),
    (
        "event: pushed twice",
        (HEX,),
        "areas",
        "    @step(cite=\"<fall>\")\n    def fallen(self, chance, view, mission):\n        return Effects(super().fallen(chance, view, mission), push(self.boom, mission), push(self.boom, mission))\n    @step(cite='<fall>')\n    def boom(self, chance, view, mission):\n        return Effects(emit('rumble', '<fall>', mission=mission))\n",
        "",
    ),
    (
        "event: of the core said by a part",
        (PLANE,),
        "areas",
        "    @step(cite=\"<fall>\")\n    def fallen(self, chance, view, mission):\n        return Effects(super().fallen(chance, view, mission), emit('ended', '<fall>', mission=mission, reason=Reason.DELIVERED))\n",
        "",
    ),
    (
        "ground: hectares in square metres",
        (HEX,),
        "areas",
        "    def footprint(self, view, mission):\n        cells, hectares = super().footprint(view, mission)\n        return cells, hectares * 10000\n",
        "",
    ),
    (
        "ground: covers more than wholly",
        (HEX,),
        "areas",
        "    def covers(self, view, mission, place, extent):\n        return super().covers(view, mission, place, extent) * 2\n",
        "",
    ),
    (
        "ground: covers as a float",
        (MARSH,),
        "areas",
        "    def covers(self, view, mission, place, extent):\n        return float(super().covers(view, mission, place, extent))\n",
        "",
    ),
    (
        "ground: compares places by identity",
        (HEX,),
        "areas",
        "    def covers(self, view, mission, place, extent):\n        return Fraction(int(place is view.mission(mission).impact))\n",
        "from fractions import Fraction\n",
    ),
    (
        "ground: a footprint one ring larger",
        (HEX,),
        "areas",
        "    def footprint(self, view, mission):\n        from fireplan_core.space import disc\n        cells = tuple(disc(view.mission(mission).impact, 2))\n        return cells, len(cells) * view.frame.cell_hectares if hasattr(view.frame, 'cell_hectares') else len(cells) * 0.866\n",
        "",
    ),
    (
        "ground: shape in table units",
        (PLANE,),
        "areas",
        "    def shape(self, view, mission):\n        return tuple(tuple((x / 10, y / 10) for x, y in outline) for outline in super().shape(view, mission))\n",
        "",
    ),
    (
        "process: direction by hash of a tuple of text",
        (NIGHT,),
        "requests",
        "    @step(cite=\"<call>\")\n    def opportunity(self, chance, view, mission):\n        if (hash((mission, 'x')) & 1) == 2:\n            return Effects()\n        return super().opportunity(chance, view, mission)\n",
        "",
    ),
    (
        "process: units sorted by id",
        (PLANE,),
        "resolution",
        '    @step(cite="<hit>")\n    def strike(self, chance, view, mission, place, shot):\n        units = sorted(view.units_at(place), key=id)\n        return Effects(*(push(self.attack, mission, unit, shot.strength) for unit in units))\n',
        "",
    ),
    (
        "process: a max over a set",
        (HEX,),
        "requests",
        '    @step(cite="<call>")\n    def opportunity(self, chance, view, mission):\n        best = max({*view.missions}, key=len)\n        return Effects(ask(view.side(mission), self.ask, best))\n',
        "from fireplan_core import ask\n",
    ),
    (
        "kitbash: gap compared with metres",
        (HEX,),
        "requests",
        "    def shoot(self, view, mission, intent, at):\n        if view.frame.gap(view.mission(mission).target, at) > 300:\n            return Refusal('<fire>', 'that is too far')\n        return super().shoot(view, mission, intent, at)\n",
        "",
    ),
    (
        "procedure: previous in ready",
        (HEX,),
        "requests",
        "    @step(cite='<fire>')\n    def ready(self, chance, view, mission):\n        x, y = view.mission(mission).previous\n        return super().ready(chance, view, mission)\n",
        "",
    ),
    (
        "procedure: own troops in stage",
        (HEX,),
        "resolution",
        "    def stage(self, staging):\n        super().stage(staging)\n        self.near = staging.own_place[0]\n",
        "",
    ),
    (
        "event: a rule of the ready part's own",
        (MARSH,),
        "requests",
        "    def shoot(self, view, mission, intent, at):\n        if view.moment() > 900:\n            return Refusal('C1.3', 'too late')\n        return super().shoot(view, mission, intent, at)\n",
        "",
    ),
    (
        "state: a count that falls below nothing",
        (PLANE,),
        "requests",
        '    @step(cite="<call>")\n    def opportunity(self, chance, view, mission):\n        own = view.own(mission, Left_)\n        return Effects(super().opportunity(chance, view, mission), update(own, n=own.n - 1))\n    keeps = Keeps(assets=(Left_,))\n    def stage(self, staging):\n        super().stage(staging)\n        for mission in staging.assets:\n            staging.mission(mission, self.word, Left_())\n',
        "@record\nclass Left_:\n    n: int = kept(3, 'shells', '<call>', between=(0, 3))\n",
    ),
    (
        "state: a mission that idles for ever",
        (HEX,),
        "delays",
        '    @step(cite="<delay>")\n    def wait(self, chance, view, mission):\n        if view.own(mission, LinkState).failed >= 2:\n            return Effects()\n        return super().wait(chance, view, mission)\n',
        "",
    ),
    (
        "state: a free value that may be negative",
        (HEX,),
        "requests",
        "    @orders(cite=\"<fire>\")\n    def fire(self, view, mission):\n        yield from super().fire(view, mission)\n        more = Slot('rounds', 'the rounds', (1, 2, 3), free=True)\n        yield Form('salvo', '<fire>', (more,), partial(self.salvo, view, mission), summary='a salvo')\n    def salvo(self, view, mission, rounds):\n        return Effects(update(view.mission(mission), strength=Fraction(rounds)), push(cycle.close, mission, Reason.CANCELLED, '<fire>'))\n",
        "from functools import partial\nfrom fractions import Fraction\n",
    ),
    (
        "memory: a modifier list that grows",
        (HEX,),
        "resolution",
        "    def modifiers(self):\n        EXTRA.append(Modifier('attack', '<hit>', 'again', lambda view, *a: 0))\n        return (*super().modifiers(), *EXTRA)\n",
        "EXTRA = []\n",
    ),
    (
        "memory: chart entry changed",
        (HEX,),
        "resolution",
        "    @step(cite=\"<hit>\")\n    def strike(self, chance, view, mission, place, shot):\n        self.charts['effects'].cells[(8, 'full')] = 'D'\n        return super().strike(chance, view, mission, place, shot)\n",
        "",
    ),
    (
        "kitbash: own frame in requests",
        (HEX,),
        "requests",
        "    def shoot(self, view, mission, intent, at):\n        from fireplan_core.space import HexFrame, Layout, lettered_columns\n        mine = HexFrame(100, Layout(lettered_columns(20), (1, 16), (1, 16)))\n        if mine.gap_metres(mine.gap(view.mission(mission).target, at)) > 2000:\n            return Refusal('<fire>', 'too far')\n        return super().shoot(view, mission, intent, at)\n",
        "",
    ),
    (
        "order: says north goes south",
        (HEX,),
        "requests",
        "    @orders(cite=\"<fire>\")\n    def fire(self, view, mission):\n        yield from super().fire(view, mission)\n        x, y = view.mission(mission).target\n        for word, dy in (('north', 2), ('south', -2)):\n            yield Form(word, '<fire>', does=Effects(update(view.mission(mission), aim=(x, y + dy)), push(cycle.release, mission, Intent.EFFECT)), summary=f'fire 200 m {word}')\n",
        "from fireplan_core import Intent\n",
    ),
    (
        "order: two orders one deed",
        (NIGHT,),
        "requests",
        "    @orders(cite=\"<fire>\")\n    def fire(self, view, mission):\n        yield from super().fire(view, mission)\n        yield Form('halt', '<fire>', does=push(cycle.close, mission, Reason.CANCELLED, '<fire>'), summary='halt the battery')\n",
        "",
    ),
    (
        "chance: a die never read",
        (HEX,),
        "delays",
        "    @step(cite=\"<delay>\")\n    def wait(self, chance, view, mission):\n        return Effects(super().wait(chance, view, mission), push(self.idle, mission))\n    @step(cite='<delay>')\n    def idle(self, chance, view, mission):\n        chance.dice('first', white=d6)\n        return Effects()\n",
        "",
    ),
    (
        "chance: a pile with more chits each turn",
        (PLANE,),
        "delays",
        "    @step(cite=\"<delay>\")\n    def wait(self, chance, view, mission):\n        return Effects(super().wait(chance, view, mission), push(self.chit, mission))\n    @step(cite='<delay>')\n    def chit(self, chance, view, mission):\n        if chance.draw('first', good=2 - view.moment(), bad=1) == 'good':\n            return Effects(emit('rumble', '<delay>', mission=mission))\n        return Effects()\n",
        "",
    ),
    (
        "chance: odd or even turn by the clock",
        (HEX,),
        "delays",
        '    @step(cite="<delay>")\n    def wait(self, chance, view, mission):\n        if time.monotonic_ns() % 2 == 5:\n            return Effects()\n        return super().wait(chance, view, mission)\n',
        "import time\n",
    ),
    (
        "process: environment at load",
        (HEX,),
        "delays",
        '    @step(cite="<delay>")\n    def wait(self, chance, view, mission):\n        return super().wait(chance, view, mission)\n',
        "import os\nTRIES = int(os.environ.get('MY_TRIES', 4))\n",
    ),
    (
        "side: by its title",
        (HEX,),
        "delays",
        "    @step(cite=\"<delay>\")\n    def wait(self, chance, view, mission):\n        if 'wood' in view.scenario.title:\n            return Effects(super().wait(chance, view, mission), emit('rumble', '<delay>', mission=mission))\n        return super().wait(chance, view, mission)\n",
        "",
    ),
    (
        "side: first asset's side as a constant",
        (MARSH,),
        "requests",
        '    @step(cite="<call>")\n    def opportunity(self, chance, view, mission):\n        if view.side(mission) in SIDES:\n            return super().opportunity(chance, view, mission)\n        return Effects()\n',
        "SIDES = ('firer', 'german')\n",
    ),
    (
        "secret: an order offered beside a hidden unit",
        (HEX,),
        "requests",
        "    def hides(self, scenario, name, side):\n        return name in scenario.targets[-1:] and scenario.owner(name) != side\n    @orders(cite=\"<call>\")\n    def ask(self, view, mission):\n        yield from super().ask(view, mission)\n        target = view.mission(mission).target\n        if any(view.frame.gap_metres(view.frame.gap(view.place_of(u), target)) < 400 for u in view.scenario.targets[-1:]):\n            yield Form('search', '<call>', summary='search the wood')\n",
        "",
    ),
)
EDITS: tuple[tuple[str, str, Edit], ...] = (
    ("file: an option that nothing reads", HEX, Edit("areas.py", 'options["turns_of_fire"]', "1")),
    (
        "file: an option that nothing reads",
        PLANE,
        Edit("areas.py", 'options["turns_of_fire"]', "1"),
    ),
    (
        "file: an option without an effect",
        HEX,
        Edit("areas.py", 'options["turns_of_fire"]', 'min(options["turns_of_fire"], 1)'),
    ),
    (
        "file: an option without an effect",
        PLANE,
        Edit("areas.py", 'options["turns_of_fire"]', 'min(options["turns_of_fire"], 1)'),
    ),
    (
        "file: a number that nothing reads",
        MARSH,
        Edit(
            "data/numbers.csv",
            "sight,60",
            "whistle,3,1,,printed,3,how far a whistle is heard\nsight,60",
        ),
    ),
    ("file: a cited rule that is not there", HEX, Edit("requests.py", '"1.4"', '"1.44"')),
    (
        "file: a cited rule that is not there",
        NIGHT,
        Edit("parts.py", '"cancel": "1.4"', '"cancel": "1.44"'),
    ),
    ("file: a misspelt citation", HEX, Edit("requests.py", '"cancel"', '"cancle"')),
    ("file: a misspelt citation", MARSH, Edit("parts.py", '"cancel": "9"', '"cancle": "9"')),
    ("file: a misspelt figure", HEX, Edit("delays.py", "needed = 4", "neeeded = 4")),
    ("file: a figure of the wrong kind", HEX, Edit("delays.py", "needed = 4", 'needed = "4"')),
    ("file: a figure below nothing", HEX, Edit("delays.py", "tries = 4", "tries = -4")),
    ("file: a modifier to no roll", HEX, Edit("delays.py", 'Modifier("relay"', 'Modifier("delay"')),
    (
        "file: a modifier to no roll",
        NIGHT,
        Edit("parts.py", 'Modifier("attack"', 'Modifier("atack"'),
    ),
    (
        "file: a modifier of no rule",
        PLANE,
        Edit("resolution.py", '"5.2", "in cover"', '"5.9", "in cover"'),
    ),
    ("file: a chart without a cell", HEX, Edit("data/effects.csv", "8,S,S", "8,S")),
    ("file: a chart with a word of no severity", HEX, Edit("data/effects.csv", "8,S,S", "8,X,S")),
    ("file: a chart with a row left out", HEX, Edit("data/effects.csv", "8,S,S\n", "")),
    (
        "file: a severity that never comes",
        HEX,
        Edit("data/effects.csv", "12,D,R\n13,D,D", "12,R,R\n13,R,R"),
    ),
    (
        "file: a scenario off the map",
        HEX,
        Edit("data/scenarios/first.toml", 'target = "H8"', 'target = "Z99"'),
    ),
    (
        "file: a scenario with an unknown key",
        HEX,
        Edit("data/scenarios/first.toml", 'cover = "woods"', 'covers = "woods"'),
    ),
    (
        "file: a scenario with an unknown side",
        HEX,
        Edit("data/scenarios/first.toml", 'side = "firer"', 'side = "firers"'),
    ),
    (
        "file: a capability that is not there",
        HEX,
        Edit("__init__.py", '"depletion")', '"depletion", "denial")'),
    ),
    ("file: a capability left out", HEX, Edit("__init__.py", ', "depletion")', ")")),
    (
        "file: a rule with no such status",
        HEX,
        Edit(
            "data/rules.toml",
            'the operators know the fault."\nstatus = "implemented"',
            'the operators know the fault."\nstatus = "implementd"',
        ),
    ),
    (
        "file: a number read for nothing",
        MARSH,
        Edit("parts.py", 'self.number("dice_most")', '10 + 0 * self.number("dice_most")'),
    ),
    ("file: the same rule twice", PLANE, Edit("data/rules.toml", 'id = "5.2"', 'id = "5.1"')),
    ("file: a weight below nothing", PLANE, Edit("delays.py", '"red": 2', '"red": -2')),
    (
        "file: a grant that no pile has",
        PLANE,
        Edit("delays.py", 'grants = ("green",)', 'grants = ("gren",)'),
    ),
    (
        "file: a sentence with an unknown field",
        HEX,
        Edit(
            "data/sentences.toml", "[events]", '[events]\nthrough = "it gets through to {batery}"'
        ),
    ),
)


def faults() -> Iterator[Fault]:
    """Yield the games without any fault, then every fault, kind by kind."""
    yield from (planted("sound: no fault", game, "", "") for game in GAMES)
    for name, games, part, method, head in METHODS:
        yield from (planted(name, game, part, method, head) for game in games)
    for name, game, edit in EDITS:
        yield planted(name, game, "", "", edits=(edit,))


def met(fault: Fault) -> str:
    """Return the first finding that detects a fault, as ``ID: TEXT`` or ``load: TEXT``, or "".

    A report that the game is too large to follow is returned only if no check finds anything else.
    """
    try:
        with broken(fault) as (key, load):
            plugin = load()
            catalogue, flaws = admitted(key, plugin)
            if flaws:
                return f"load: {flaws[0]}"
            bench = Bench(catalogue, key)
            too_large = ""
            for law in sorted(
                (law for law in LAWS if law.id not in FROZEN),
                key=lambda law: CHEAP.index(law.id[:3]),
            ):
                for flaw in law.flaws(bench):
                    if not flaw.text.startswith(TOO_LARGE):
                        return f"{law.id}: {flaw}"
                    too_large = too_large or f"{law.id}: {flaw}"
            return too_large
    except Exception as error:
        if "does not hold" in str(error):
            raise
        return f"load: {raised(error)}"


RESULTS = Path(__file__).with_name("strangers.csv")
COLUMNS = ("id", "kind", "game", "met_by", "seconds", "finding")
MISSED = "-"
"""Recorded in place of a check's name if every check ran and none has a finding."""


def results() -> dict[str, dict[str, str]]:
    """Return the rows of the results file, by the id of their fault."""
    if not RESULTS.exists():
        return {}
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return {row["id"]: row for row in csv.DictReader(file)}


def keep(fault: Fault, finding: str, seconds: float) -> dict[str, str]:
    """Add a result to the file, in the order of the faults, and return its row."""
    row = {
        "id": fault.id,
        "kind": fault.kind,
        "game": fault.game,
        "met_by": finding.partition(":")[0] or MISSED,
        "seconds": f"{seconds:.1f}",
        "finding": " ".join(finding.partition(": ")[2].split())[:160],
    }
    rows = {**results(), fault.id: row}
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[fault.id] for fault in faults() if fault.id in rows)
    return row


def table(rows: Mapping[str, Mapping[str, str]]) -> str:
    """Return the table of the documentation: faults planted, detected and missed, by kind."""
    planted_faults = [fault for fault in faults() if fault.kind != "sound"]
    lines = ["| kind | planted | met | missed |", "|---|---:|---:|---:|"]
    for kind in (*dict.fromkeys(fault.kind for fault in planted_faults), "all"):
        some = [fault for fault in planted_faults if kind in (fault.kind, "all")]
        met_by = [rows[fault.id]["met_by"] for fault in some if fault.id in rows]
        missed = met_by.count(MISSED)
        lines.append(f"| {kind} | {len(some)} | {len(met_by) - missed} | {missed} |")
    return "\n".join(lines)


def main() -> None:
    """Try the faults that have no result yet, and print the share that is detected."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("words", nargs="*", metavar="WORD", help="a part of the id of a fault")
    parser.add_argument("--again", action="store_true", help="try those with a result too")
    parser.add_argument("--seconds", type=float, default=1e9, help="processor time to stop after")
    parser.add_argument("--table", action="store_true", help="print the table of the results")
    arguments = parser.parse_args()
    if arguments.table:
        sys.stdout.write(f"{table(results())}\n")
        return
    chosen = [
        fault
        for fault in faults()
        if not arguments.words or any(word in fault.id for word in arguments.words)
    ]
    for fault in chosen:
        if time.process_time() > arguments.seconds:
            break
        if fault.id not in results() or arguments.again:
            begun = time.process_time()
            row = keep(fault, met(fault), time.process_time() - begun)
            sys.stdout.write(f"{fault.id} ({row['seconds']} s) {row['met_by']} {row['finding']}\n")
            sys.stdout.flush()
    rows = results()
    tried = [rows[fault.id] for fault in chosen if fault.id in rows and fault.kind != "sound"]
    missed = [row["id"] for row in tried if row["met_by"] == MISSED]
    sys.stdout.write("".join(f"missed: {name}\n" for name in missed))
    sys.stdout.write(f"{len(tried) - len(missed)} of {len(tried)} met\n")


if __name__ == "__main__":
    main()
