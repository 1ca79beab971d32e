"""Faults of figures and procedure, most of which only the rules can tell. Data: the code in it never runs here."""

from fireplan.kit.mutants._fault import STEP, Fault, in_hexes, in_plane, with_method

FROZEN, TOLD = "L20-perft", "L22-playthroughs"

FIGURES: tuple[Fault, ...] = (
    in_hexes("sign-of-dug-in", FROZEN, "resolution.py", "return -2 if", "return 2 if"),
    in_hexes("sign-of-woods", TOLD, "resolution.py", "return 1 if", "return -1 if"),
    in_hexes("radius-too-great", FROZEN, "areas.py", "radius = 1", "radius = 2"),
    in_hexes("radius-too-small", FROZEN, "areas.py", "radius = 1", "radius = 0"),
    in_plane("circle-a-metre-wide", FROZEN, "areas.py", "radius = 60", "radius = 61"),
    in_hexes("extent-too-long", FROZEN, "areas.py", "6: 3}", "6: 4}"),
    in_hexes("accurate-too-often", FROZEN, "areas.py", "accurate = 2", "accurate = 3"),
    in_plane("accurate-too-seldom", FROZEN, "areas.py", "accurate = 3", "accurate = 2"),
    in_hexes("relay-too-easy", FROZEN, "delays.py", "needed = 4", "needed = 3"),
    in_hexes("relay-gives-up-early", TOLD, "delays.py", "tries = 4", "tries = 3"),
    in_hexes("relay-never-gives-up", TOLD, "delays.py", "tries = 4", "tries = 0"),
    in_hexes(
        "modifier-without-cap",
        TOLD,
        "delays.py",
        "int(view.own(mission, LinkState).failed > 0)",
        "int(view.own(mission, LinkState).failed)",
    ),
    in_hexes("modifier-one-failure-late", FROZEN, "delays.py", "failed > 0", "failed > 1"),
    in_hexes(
        "modifier-forgotten",
        TOLD,
        "resolution.py",
        '            Modifier("attack", "5.2", "dug in", dug_in),\n',
        "",
    ),
    in_hexes(
        "modifier-to-a-roll-never-thrown",
        TOLD,
        "resolution.py",
        '"attack", "5.2"',
        '"atack", "5.2"',
    ),
    in_hexes("near-too-far", TOLD, "requests.py", "near_m = 100", "near_m = 200"),
    in_hexes("effect-without-spotting", TOLD, "requests.py", "spotting = True", "spotting = False"),
    in_hexes("fire-a-turn-too-long", TOLD, "areas.py", 'options["turns_of_fire"]', 'options["turns_of_fire"] + 1'),
    in_hexes("battery-empties-too-soon", FROZEN, "resolution.py", "depleted = 1", "depleted = 2"),
    in_hexes("chart-row-slipped", FROZEN, "data/effects.csv", "6,S,-", "6,-,-"),
    in_hexes("chart-cell-that-no-file-reaches", FROZEN, "data/effects.csv", "9,S,S", "9,S,R"),
    in_plane("score-that-no-file-reaches", FROZEN, "data/effects.csv", "0,6", "0,7"),
    in_hexes("result-read-as-another", TOLD, "resolution.py", '"R": Severity.REDUCED', '"R": Severity.DESTROYED'),
    in_hexes(
        "one-die-too-few",
        FROZEN,
        "resolution.py",
        '    chart = "effects"',
        '    chart = "effects"\n    from fireplan_core.chance import d6\n    dice: ClassVar = {"white": d6}',
    ),
    in_plane("score-mistyped", FROZEN, "data/effects.csv", "1,7", "1,8"),
    in_plane(
        "qualities-in-disorder",
        TOLD,
        "resolution.py",
        '("green", "average", "veteran")',
        '("veteran", "average", "green")',
    ),
    in_plane("cover-does-harm", FROZEN, "resolution.py", '== "open" else -2', '== "open" else 2'),
    in_plane("chit-too-many", FROZEN, "delays.py", '"green": 4', '"green": 5'),
    in_plane("second-red-does-nothing", TOLD, "delays.py", "last_denial = 2", "last_denial = 3"),
    in_plane("red-only-costs-the-turn", TOLD, "delays.py", 'denies = ("red",)', "denies = ()"),
    with_method(
        "red-chit-put-back",
        FROZEN,
        "delays.py",
        STEP,
        """
    @step(cite="2.2")
    def wait(self, chance, view, mission):
        then = super().wait(chance, view, mission)
        if any(event.kind == "drawn" and event["chit"] == "red" for event in then.events):
            kept = [Update(key, value) for key, value in then.updates if not key.endswith("/left")]
            return Effects(kept, *then.pushes, *then.events)
        return then
""",
        "plane",
    ),
    with_method(
        "delay-a-turn-short",
        FROZEN,
        "delays.py",
        STEP,
        """
    @step(cite="2.2")
    def request(self, chance, view, mission):
        return Effects(super().request(chance, view, mission), push(self.progress, mission))
""",
    ),
    with_method(
        "struck-twice",
        TOLD,
        "resolution.py",
        STEP,
        """
    @step(cite="5.1")
    def strike(self, chance, view, mission, place, shot):
        return Effects(*(push(self.attack, mission, unit, shot.strength) for unit in 2 * view.units_at(place)))
""",
    ),
    with_method(
        "own-troops-spared",
        TOLD,
        "resolution.py",
        STEP,
        """
    @step(cite="5.1")
    def attack(self, chance, view, mission, unit, intensity):
        if view.unit_side(unit) == view.side(mission):
            return Effects()
        return super().attack(chance, view, mission, unit, intensity)
""",
    ),
    Fault("no-frozen-tables", FROZEN, without=("data/perft/",)),
    Fault("no-playthrough", TOLD, without=("data/playthroughs/",)),
    in_hexes("scenario-off-the-map", TOLD, "data/scenarios/first.toml", 'place = "H9"', 'place = "99"'),
)
