"""The life cycle of a mission as the code really has it: stages, and what leads from one to another."""

from __future__ import annotations

import attrs

from fireplan.mission import Scenario, Stage
from fireplan.odds._chain import MAX_NODES, Chain, Compiler, build_chain

STAGE = "/stage"


@attrs.frozen(order=True)
class Passage:
    """A way from a stage to another: the event told on it and the rule it cites."""

    before: str
    after: str
    event: str
    cite: str


def explore_orders(scenario: Scenario, max_nodes: int = MAX_NODES) -> Chain:
    """Every state that any legal orders can reach, strikes set apart."""
    return build_chain(Compiler(scenario, every_order=True), apart=True, max_nodes=max_nodes)


def passages(chain: Chain, mission: str) -> tuple[Passage, ...]:
    """Every passage between two stages of a mission, and every event told within one, sorted."""
    address = f"missions/{mission}{STAGE}"
    position = chain.addresses.index(address)
    found: set[Passage] = set()
    for node, edges in enumerate(chain.edges):
        before = chain.values[node][position]
        for edge in edges:
            after = chain.values[edge.target][position]
            for event in edge.events:
                if event.kind != "modifier":
                    found.add(Passage(_name(before), _name(after), event.kind, event.cite))
    return tuple(sorted(found))


def _name(stage: Stage) -> str:
    return stage.value


def mermaid(found: tuple[Passage, ...]) -> str:
    """The passages as a Mermaid state diagram."""
    lines = ["stateDiagram-v2", "    [*] --> idle"]
    ways: dict[tuple[str, str], list[str]] = {}
    for passage in found:
        label = f"{passage.event.replace('_', ' ')} ({passage.cite})"
        ways.setdefault((passage.before, passage.after), []).append(label)
    for (before, after), labels in ways.items():
        if before != after:
            lines.append(f"    {before} --> {after}: {'; '.join(labels)}")
    for (before, after), labels in ways.items():
        if before == after:
            lines.append(f"    note right of {before}: {'; '.join(labels)}")
    if any(passage.after == Stage.ENDED.value for passage in found):
        lines.append("    ended --> [*]")
    return "\n".join(lines) + "\n"
