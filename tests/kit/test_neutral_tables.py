"""L26: parts of a game at plain games' tables with other maps, and at one that clears its aim."""

import pytest

from fireplan_core.play import Catalogue, stage_engagement
from fireplan_kit import STANDARD, examine
from fireplan_kit.kitbash import AREAS, NEUTRAL_GAMES, imported
from fireplan_kit.scaffolding import rendered

OWN_FRAME = '''
    def shoot(self, view, mission, intent, at):
        """Aim at a place that is measured in the frame of this game's own map."""
        own = PlaneFrame(1.0)
        return super().shoot(view, mission, intent, view.frame.nearest(*own.metres(at)))
'''
FAULTS = {
    "a place measured in its own frame": (
        "plane",
        "requests",
        OWN_FRAME,
        "from fireplan_core.space import PlaneFrame\n",
        "neutral_hex with the requests of guest: in 200 missions fire is never on target",
    ),
    "an aim that another game has cleared": (
        "hex",
        "delays",
        '''
    @step(cite="2.1")
    def moment(self, chance, view):
        """Read the aim of all fire that falls."""
        for mission in view.missions:
            if view.mission(mission).stage is Stage.FALLING:
                x, y = view.mission(mission).aim
        return super().moment(chance, view)
''',
        "from fireplan_core import Stage, step\n",
        "neutral_cleared with the delays of guest: raised TypeError: cannot unpack non-iterable NoneType",
    ),
}


@pytest.mark.parametrize(
    ("space", "part", "method", "imports", "finding"),
    [
        pytest.param(*fault, id=name, marks=[pytest.mark.full] if fault[0] == "plane" else [])
        for name, fault in FAULTS.items()
    ],
)
def test_a_part_that_takes_its_own_game_for_granted_is_found(space, part, method, imports, finding):
    files = rendered("guest", space)
    path = f"src/fireplan_guest/{part}.py"
    text = files[path].replace("from fireplan_core", f"{imports}from fireplan_core", 1)
    files[path] = text.replace("    cites: ClassVar = {", f"{method}\n    cites: ClassVar = {{", 1)
    with imported("guest", files) as plugin:
        ((_, found),) = examine("guest", plugin, only=("L26-hybrids",))
    texts = [each.flaw.text for each in found]
    assert any(finding in text for text in texts), texts


def test_every_neutral_game_stages_the_engagement_of_the_checks():
    for name, (space, changes) in NEUTRAL_GAMES.items():
        key = f"neutral_{name}"
        files = rendered(key, space)
        for old, new in changes:
            assert old in files[AREAS.format(key=key)]
            files[AREAS.format(key=key)] = files[AREAS.format(key=key)].replace(old, new)
        with imported(key, files) as plugin:
            catalogue = Catalogue()
            catalogue.admit(plugin)
            frame = stage_engagement(catalogue, key, STANDARD).frame
        expected = {"plane": "PlaneFrame", "vertex": "VertexFrame"}.get(name, "HexFrame")
        assert type(frame).__name__ == expected
