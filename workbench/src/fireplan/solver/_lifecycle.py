"""The life cycle of a mission as the code really has it: stages, and what leads from one to another."""

from __future__ import annotations

import attrs

from fireplan.solver._build import build_chain
from fireplan.solver._chain import Chain
from fireplan.solver._compile import Compiler
from fireplan_core import Scenario, Stage, Step

STAGE = "/stage"


@attrs.frozen(order=True)
class Passage:
    """A way from a stage to another: the event told on it and the rule it cites."""

    before: str
    after: str
    event: str
    cite: str


def explore_orders(scenario: Scenario) -> Chain:
    """Return every state that can be reached by giving every kind of order wherever it is legal, strikes set apart.

    Of each kind the order most like the standard one is given: other aims lead to the same stages.
    """
    return build_chain(Compiler(scenario, every_order=1), apart=True)


def passages(chain: Chain, scenario: Scenario, mission: str) -> tuple[Passage, ...]:
    """Return every passage between two stages of a mission, and every event told within one, sorted.

    A passage on which nothing is told bears the name of the step that makes it.
    """
    key = f"missions/{mission}{STAGE}"
    position = chain.keys.index(key)
    found: set[Passage] = set()
    for node, edges in enumerate(chain.edges):
        before = chain.values[node][position]
        for edge in edges:
            after = chain.values[edge.target][position]
            emission = [(event.kind, event.cite) for event in edge.events if event.kind != "modifier"]
            top = chain.tops[node]
            if not emission and before is not after and isinstance(top, Step):
                emission = [(top.name.partition(".")[2], scenario.steps[top.name].cite)]
            found.update(Passage(before.value, after.value, kind, cite) for kind, cite in emission)
    return tuple(sorted(found))


def labels_by_way(found: tuple[Passage, ...]) -> dict[tuple[str, str], list[str]]:
    """Return for each pair of stages, what is told between them, each with its rules: ``contact (C1.2, C1.22)``."""
    transitions: dict[tuple[str, str], dict[str, list[str]]] = {}
    for passage in found:
        cites = transitions.setdefault((passage.before, passage.after), {}).setdefault(passage.event, [])
        cites.append(passage.cite)
    return {
        transition: [f"{event.replace('_', ' ')} ({', '.join(cites)})" for event, cites in events.items()]
        for transition, events in transitions.items()
    }


def mermaid(found: tuple[Passage, ...]) -> str:
    """Return the passages as a Mermaid state diagram."""
    lines = ["stateDiagram-v2", "    [*] --> idle"]
    transitions = labels_by_way(found)
    for (before, after), labels in transitions.items():
        if before != after:
            lines.append(f"    {before} --> {after}: {'; '.join(labels)}")
    for (before, after), labels in transitions.items():
        if before == after:
            lines.append(f"    note right of {before}: {'; '.join(labels)}")
    if any(passage.after == Stage.ENDED.value for passage in found):
        lines.append("    ended --> [*]")
    return "\n".join(lines) + "\n"
