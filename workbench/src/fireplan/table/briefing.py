"""The briefing before a game: what each side wants and has, and how the game ends."""

import re
from collections import Counter
from collections.abc import Mapping

import attrs
import tomli

from fireplan.errors import counted
from fireplan.table.head import SCENARIO, Head
from fireplan.table.sides import sides_of
from fireplan.table.words import Words
from fireplan_core import Scenario
from fireplan_core.files import FileError
from fireplan_core.play import Catalogue, load_scenario, shipped_scenarios

_NUMBERED = re.compile(r"[ _.](\d+\.)?\d+$")


@attrs.frozen
class Briefing:
    """The text that players read before a game.

    ``wants`` maps each side to its goals, and ``commands`` to its assets and units, in words.
    ``terms`` explains the words and abbreviations of the game.
    """

    title: str
    summary: str
    length: str
    ends: str
    wants: dict[str, str]
    commands: dict[str, str]
    terms: str = ""


@attrs.frozen
class ShippedScenario:
    """A shipped scenario that can be played: the title of its game, the scenario, its briefing."""

    game: str
    scenario: Scenario
    briefing: Briefing


def briefing_of(scenario: Scenario, moments: int, content: Head | None) -> Briefing:
    """Return the briefing of a game; ``content`` is the head of its journal, if it has one."""
    data = {} if content is None or content.kind != SCENARIO else tomli.loads(content.text)
    return _briefing(scenario, moments, str(data.get("summary", "")), data.get("wants", {}))


def shipped_briefings(catalogue: Catalogue) -> dict[str, ShippedScenario]:
    """Map the name of each shipped scenario to the scenario with its briefing.

    A scenario that cannot be staged is left out.
    """
    briefings = {}
    for name, path in shipped_scenarios(catalogue).items():
        try:
            scenario, form = load_scenario(catalogue, path)
        except FileError:
            continue
        briefings[name] = ShippedScenario(
            catalogue[form.game].game.title,
            scenario,
            _briefing(scenario, form.moments, form.summary, form.wants),
        )
    return briefings


def _briefing(scenario: Scenario, moments: int, summary: str, wants: Mapping[str, str]) -> Briefing:
    clock = scenario.clock
    length = counted(moments, clock.moment)
    minutes = moments * clock.minutes
    if minutes >= 1:
        length += f", {counted(round(minutes), 'minute')} of the battle"
    words = Words(scenario)
    firers = dict.fromkeys(words.said("", setup.side) for setup in scenario.missions.values())
    return Briefing(
        title=scenario.title,
        summary=summary,
        length=length,
        ends=(
            f"It ends after {counted(moments, clock.moment)}, or when nothing more can happen. No points "
            f"are counted: the question is whether {words.of_fire('fire for effect')} of "
            f"{' or '.join(firers)} falls on its target, and what it does."
        ),
        wants={side: wants.get(side, "") for side in sides_of(scenario)},
        commands={side: _commands(scenario, side) for side in sides_of(scenario)},
        terms=words.terms(),
    )


def _commands(scenario: Scenario, side: str) -> str:
    """Return the assets and units of a side in words, such as "battery; squad (3), leader"."""
    words = Words(scenario)
    own = [
        words.said("mission", name)
        for name, setup in scenario.missions.items()
        if setup.side == side
    ]
    units = [words.unit(name) for name, setup in scenario.units.items() if setup.side == side]
    texts = [_counted(own, side), _counted(units, side)]
    return "; ".join(filter(None, texts)) or "nothing that takes orders here"


def _counted(names: list[str], side: str) -> str:
    plain = (_NUMBERED.sub("", name.removeprefix(f"{side} ")).replace("_", " ") for name in names)
    counts = Counter(plain)
    return ", ".join(f"{name} ({n})" if n > 1 else name for name, n in counts.items())
