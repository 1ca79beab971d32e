"""All faults; here those of places, orders, hooks, state and chance. Data: the code in it never runs here."""

from fireplan.kit.mutants._fault import STEP, Edit, Fault, in_hexes, with_method
from fireplan.kit.mutants._figures import FIGURES

LEDGER = "L02-ledger"

FAULTS: tuple[Fault, ...] = (
    *FIGURES,
    # --- where fire lands ------------------------------------------------------------------------
    with_method(
        "bent-scatter",
        "L17-lines",
        "areas.py",
        STEP + "\nfrom fireplan_core.space import step as hex_step",
        """
    @step(cite="4.1")
    def extent(self, chance, view, mission, direction):
        far = chance.dice("extent", white=d6).total.halved_up().exact()
        first = hex_step(view.mission(mission).aim, direction)
        return Effects(push(cycle.landed, mission, hex_step(first, direction % 6 + 1, far - 1)))
""".replace("white=d6", 'white=self.extent_dice["white"]'),
    ),
    with_method(
        "bent-deviation",
        "L17-lines",
        "areas.py",
        STEP,
        """
    @step(cite="4.1")
    def extent(self, chance, view, mission, direction):
        far = chance.dice("extent", white=self.extent_dice["white"]).total.exact()
        (x, y), (east, south) = view.mission(mission).aim, self.vectors[direction - 1]
        return Effects(push(cycle.landed, mission, (x + far * east + 3 * far * far, y + far * south)))
""",
        "plane",
    ),
    with_method(
        "footprint-counts-twice",
        "L16-footprint",
        "areas.py",
        STEP,
        """
    def cells(self, impact):
        return (*super().cells(impact), impact)
""",
    ),
    with_method(
        "footprint-by-column",
        "L16-footprint",
        "areas.py",
        STEP,
        """
    def cells(self, impact):
        cells = super().cells(impact)
        return cells[1:] if impact[0] % 2 else cells
""",
    ),
    # --- rules and orders ------------------------------------------------------------------------
    in_hexes("ruling-without-a-rule", "L07-cited", "resolution.py", '"strike": "5.1"', '"strike": ""'),
    in_hexes("ruling-by-no-rule-of-the-ledger", "L07-cited", "areas.py", '"fall": "4.2"', '"fall": "4.7"'),
    in_hexes("modifier-by-no-rule", "L07-cited", "resolution.py", '"5.3", "tree bursts"', '"5.9", "tree bursts"'),
    with_method(
        "refusal-without-a-rule",
        "L08-refusals",
        "requests.py",
        STEP,
        """
    def _refuse_fire(self, view, order, mission):
        refusal = super()._refuse_fire(view, order, mission)
        return None if refusal is None else Refusal("", refusal.why)
""",
    ),
    with_method(
        "refusal-without-a-reason",
        "L08-refusals",
        "requests.py",
        STEP,
        """
    def _refuse_fire(self, view, order, mission):
        refusal = super()._refuse_fire(view, order, mission)
        return None if refusal is None else Refusal(refusal.cite, "")
""",
    ),
    with_method(
        "judge-stumbles",
        "L08-refusals",
        "requests.py",
        STEP,
        """
    def _refuse_fire(self, view, order, mission):
        return None if order["at"] else Refusal("1.3", "nowhere")
""",
    ),
    with_method(
        "nothing-may-be-ordered",
        "L14-ends",
        "requests.py",
        STEP,
        """
    def _refuse_fire(self, view, order, mission):
        return Refusal("1.3", "not today")
""",
    ),
    with_method(
        "mission-cannot-end",
        "L14-ends",
        "areas.py",
        STEP,
        """
    @step(cite="4.2")
    def moment(self, chance, view, mission):
        return Effects()
""",
        "plane",
    ),
    with_method(
        "fire-never-falls",
        "L14-ends",
        "delays.py",
        STEP,
        """
    @step(cite="2.2")
    def clearance(self, chance, view, mission):
        return Effects(push(cycle.close, mission, Reason.CANCELLED, "2.2"))
""",
    ),
    with_method(
        "event-twice",
        "L10-once",
        "resolution.py",
        STEP,
        """
    def suffer(self, view, unit, severity):
        then = super().suffer(view, unit, severity)
        return Effects(then, *then.events)
""",
    ),
    in_hexes(
        "rule-nobody-cites",
        LEDGER,
        "data/rules.toml",
        '[[rule]]\nid = "5.4"',
        '[[rule]]\nid = "6.1"\nsummary = "Smoke."\nstatus = "implemented"\n\n[[rule]]\nid = "5.4"',
    ),
    in_hexes("option-by-no-rule", LEDGER, "_plugin.py", '(1, 2), "4.2"', '(1, 2), "4.9"'),
    in_hexes("option-twice-the-same", LEDGER, "_plugin.py", "(1, 2), ", "(1, 1), "),
    in_hexes(
        "capability-not-there", "L18-capabilities", "_plugin.py", '"spotting rounds", ', '"spotting rounds", "denial", '
    ),
    in_hexes("capability-unsaid", "L18-capabilities", "_plugin.py", '"spotting rounds", ', ""),
    # --- hooks -----------------------------------------------------------------------------------
    Fault(
        "hook-argument-with-a-default",
        "L01-admission",
        (
            Edit(
                "_plugin.py",
                "@hookimpl\n",
                "@hookimpl\ndef fireplan_areas(options, charts=None):\n    return None\n\n\n@hookimpl\n",
            ),
            Edit("__init__.py", "import fireplan_game", "import fireplan_areas, fireplan_game"),
        ),
    ),
    Fault(
        "hook-misspelt",
        "L01-admission",
        (
            Edit("_plugin.py", "def fireplan_game", "def fireplan_gmae"),
            Edit("__init__.py", "fireplan_game", "fireplan_gmae"),
        ),
    ),
    in_hexes("key-of-another-game", "L01-admission", "_plugin.py", 'KEY = "', 'KEY = "un'),
    in_hexes(
        "another-core-interface", "L01-admission", "_plugin.py", "    scenarios=", "    core_api=99,\n    scenarios="
    ),
    in_hexes("part-of-the-wrong-word", "L01-admission", "_plugin.py", "areas=Barrage", "areas=Link"),
    in_hexes(
        "rule-without-a-summary", "L01-admission", "data/rules.toml", 'summary = "In woods: add 1."', 'summary = ""'
    ),
    # --- state and chance ------------------------------------------------------------------------
    with_method(
        "mutable-slot",
        "L06-frozen",
        "delays.py",
        STEP + "\nimport attrs",
        """
    class slot(attrs.make_class("Loose", {"through": attrs.field(default=False), "failed": attrs.field(default=0)})):
        pass

    def stage_mission(self, staging, mission):
        staging.mission(mission, self.word, self.slot())
""",
    ),
    with_method(
        "list-in-the-state",
        "L06-frozen",
        "delays.py",
        STEP,
        """
    @step(cite="2.2")
    def request(self, chance, view, mission):
        return Effects(update(view.own(mission, LinkState), failed=[0]))
""",
    ),
    with_method(
        "chance-by-float",
        "L06-frozen",
        "areas.py",
        STEP,
        """
    def covers(self, view, mission, place, extent):
        return float(super().covers(view, mission, place, extent))
""",
    ),
    with_method(
        "chance-of-its-own",
        "L12-pure",
        "delays.py",
        STEP + "\nimport random",
        """
    @step(cite="2.2")
    def progress(self, chance, view, mission):
        return super().progress(chance, view, mission) if random.random() < 0.9 else Effects()
""",
    ),
    with_method(
        "clock-on-the-wall",
        "L12-pure",
        "delays.py",
        STEP + "\nimport time",
        """
    @step(cite="2.2")
    def progress(self, chance, view, mission):
        return super().progress(chance, view, mission) if time.time() % 2 else Effects()
""",
    ),
    with_method(
        "variable-of-the-module",
        "L12-pure",
        "delays.py",
        STEP + "\nTURN = 0",
        """
    @step(cite="2.1")
    def moment(self, chance, view):
        global TURN
        TURN += 1
        return super().moment(chance, view)
""",
    ),
    with_method(
        "memory-outside-the-state",
        "L05-journal",
        "delays.py",
        STEP + "\nCALLS = []",
        """
    @step(cite="2.1")
    def moment(self, chance, view):
        CALLS.append(1)
        return Effects(super().moment(chance, view), emit("call", "2.1", number=len(CALLS)))
""",
    ),
    with_method(
        "two-throws-in-a-step",
        "L13-deterministic",
        "delays.py",
        STEP,
        """
    @step(cite="2.2")
    def wait(self, chance, view, mission):
        chance.dice("extra", **self.dice)
        return super().wait(chance, view, mission)
""",
    ),
    with_method(
        "asks-what-may-still-fall",
        "L13-deterministic",
        "delays.py",
        STEP,
        """
    @step(cite="2.2")
    def wait(self, chance, view, mission):
        roll = chance.dice("relay", **self.dice)
        if roll.weight() == 1 or roll.total >= 4:
            return Effects(update(view.own(mission, LinkState), through=True), push(cycle.ready, mission))
        return Effects()
""",
    ),
    with_method(
        "damage-knows-the-die",
        "L19-walkers",
        "resolution.py",
        STEP,
        """
    @step(cite="5.1")
    def attack(self, chance, view, mission, unit, intensity):
        roll = chance.dice("attack", **self.dice)
        return Effects() if roll.weight() == 1 or roll.total < 7 else self.suffer(view, unit, Severity.REDUCED)
""",
    ),
    with_method(
        "too-many-branches",
        "L11-branches",
        "delays.py",
        STEP + "\nfrom fireplan_core.chance import Die",
        """
    @step(cite="2.2")
    def wait(self, chance, view, mission):
        number = chance.dice("relay", white=Die(500)).total.exact()
        return Effects(emit("number", "2.2", number=number), push(cycle.ready, mission))
""",
    ),
    with_method(
        "draws-from-an-empty-pile",
        "L03-mass",
        "delays.py",
        STEP,
        """
    @step(cite="2.2")
    def request(self, chance, view, mission):
        chance.draw("chit", green=0)
        return super().request(chance, view, mission)
""",
        "plane",
    ),
    with_method(
        "reads-in-another-order",
        "L03-mass",
        "delays.py",
        STEP + "\nCALLS = []",
        """
    @step(cite="2.2")
    def progress(self, chance, view, mission):
        CALLS.append(1)
        now, own = view.mission(mission), view.own(mission, LinkState)
        order = (now.stage, own.failed) if len(CALLS) % 2 else (own.failed, now.stage)
        return super().progress(chance, view, mission) if order else Effects()
""",
    ),
    with_method(
        "reads-another-part",
        "L09-apart",
        "delays.py",
        STEP + "\nfrom fireplan_core.blocks.shapes import Fire",
        """
    @step(cite="2.2")
    def progress(self, chance, view, mission):
        if view.seen_by("areas").own(mission, Fire).falls > 3:
            return Effects()
        return super().progress(chance, view, mission)
""",
    ),
    with_method(
        "hidden-unit-on-the-board",
        "L21-views",
        "resolution.py",
        STEP,
        """
    def hides(self, scenario, name, side):
        return name.startswith("t")

    def board(self, view, side):
        return tuple(f"{unit} lies low" for unit in view.units)
""",
    ),
)
