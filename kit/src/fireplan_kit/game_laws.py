"""The checks on a game as a whole: admission, ledger, pure sources, capabilities."""

import ast
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import Any

import attrs

from fireplan.table import Visibility, sides_of
from fireplan_core import (
    CannotStageError,
    Mission,
    OwnTroops,
    Reason,
    Severity,
    Stage,
    Unit,
    View,
    defaults,
    numbers_of,
)
from fireplan_core.chance import Chance
from fireplan_core.mission import Decks
from fireplan_core.play import Variation, changed_values, find_scenario, stage_engagement
from fireplan_core.play.catalogue import sentence_faults
from fireplan_core.sources import calls_in, parsed, texts_in
from fireplan_kit.bench import Bench
from fireplan_kit.check import Flaw, Flaws, admitted
from fireplan_kit.memory import ADVICE, memories_in
from fireplan_kit.names_in_sources import named_or_unordered
from fireplan_kit.play_laws import wander
from fireplan_kit.relaxed_setups import exceeding_orders

FOREIGN = {
    **dict.fromkeys(("random", "secrets", "urandom"), "use the chance given to the step instead"),
    **dict.fromkeys(
        ("input", "open", "os", "socket", "subprocess", "tempfile", "threading", "uuid"),
        "rules must not depend on the machine: read the view, charts and options instead",
    ),
    **dict.fromkeys(
        ("time", "datetime.now", "datetime.today", "date.today"),
        "use the moment in the state instead",
    ),
}
"""Maps each module or call that rules must not use to advice on a replacement."""


BY_ATTRIBUTE = frozenset(("random", "secrets", "urandom"))
"""Names that are reported as attributes too, of any module or object."""


def game_is_admitted(bench: Bench) -> Flaws:
    """Check that every hook, part and step of the game fits its contract.

    Hooks take their arguments without defaults, and every modifier is for a roll that is thrown.
    Rules name only attributes of views and chances, and fields of records, that exist.
    Orders, refusals, events, rolls and questions have sentences, and every sentence is used.
    """
    return [
        *admitted(bench.key, bench.installed.plugin)[1],
        *map(Flaw, sentence_faults(bench.installed.game, bench.installed.plugin)),
        *_modifiers_without_roll(bench),
        *_unknown_names(bench),
    ]


def _unknown_names(bench: Bench) -> Iterator[str]:
    """Yield a flaw for each attribute of a view or chance, and each field, that does not exist.

    Type checkers find these only where arguments are annotated, and play finds them only when it
    reaches them.
    """
    records = [kind for part in bench.scenario.parts for kind in part.keeps.records]
    fields = {name for kind in (Mission, Unit, Decks, *records) for name in defaults(kind)}
    for path in bench.installed.files("*.py"):
        tree = parsed(path)
        for node in ast.walk(tree):
            match node:
                case ast.Attribute(ast.Name("view" | "chance" as owner), name) if not hasattr(
                    ARGUMENTS[owner], name
                ):
                    meant = _meant(name, dir(ARGUMENTS[owner]))
                    yield f"{path.name}:{node.lineno} {owner} has no attribute {name}{meant}"
                case ast.Call(ast.Name("update"), keywords=changes):
                    for name in (change.arg for change in changes if change.arg):
                        if name not in fields:
                            meant = _meant(name, fields)
                            yield f"{path.name}:{node.lineno} no record has a field {name}{meant}"


def _meant(name: str, names: Iterable[str]) -> str:
    similar = get_close_matches(name, names, 1)
    return f"; did you mean {similar[0]}?" if similar else ""


ARGUMENTS: Mapping[str, type] = {"view": View, "chance": Chance}
"""The classes of the arguments that every step has under these names."""


def _modifiers_without_roll(bench: Bench) -> Iterator[Flaw]:
    """Yield a flaw for each modifier to a roll that neither the game nor its ready parts make."""
    own = {word for path in bench.installed.files("*.py") for word in _words(path)}
    for modifier in bench.scenario.modifiers:
        part, _, roll = modifier.roll.partition(".")
        answers = getattr(bench.scenario.parts, part, None)
        definitions = (
            [*type(answers).__mro__[:-1], *(step.run for step in answers.steps().values())]
            if answers
            else []
        )
        sources = set(map(inspect.getsourcefile, definitions))
        if answers is None or roll not in own.union(
            *(_words(Path(source)) for source in sources if source)
        ):
            yield Flaw(f"modifier to {modifier.roll}: there is no such roll", modifier.cite)


@cache
def _words(path: Path) -> frozenset[str]:
    """Return the texts in a module that may name rolls: those passed to ``chance`` or assigned.

    Texts in ``cites``, and in effects and events, name no roll.
    """
    tree = parsed(path)
    trees: list[ast.AST] = [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and not _only_cites(node)
    ]
    for name, call in calls_in(tree):
        if name.partition(".")[0].strip("_") == "chance":
            trees += [*call.args, *call.keywords]
    return frozenset(text for part in trees for _, text in texts_in(part))


def _only_cites(assigned: ast.Assign) -> bool:
    match assigned:
        case (
            ast.Assign([ast.Name("cites")])
            | ast.Assign(value=ast.Call(ast.Name("emit" | "Effects")))
        ):
            return True
    return False


def ledger_is_cited(bench: Bench) -> Flaws:
    """Check that every rule marked as implemented is cited, and no heading is.

    A cited rule marked as not applicable must give a reason; printed numbers and options must cite
    rules in the ledger, and the sources must name each number and option. An option that is read
    only when parts are made must change a part.
    """
    ledger = bench.installed.game.ledger
    cited = bench.installed.citations()
    faults: Flaws = [] if ledger.rules else ["the ledger has no rules"]
    for rule in ledger.rules.values():
        if rule.status == "implemented" and rule.id not in cited:
            faults.append(
                Flaw(f"rule {rule.id} is marked implemented, but nothing cites it", rule.id)
            )
        if rule.status == "not applicable" and rule.id in cited and not rule.reason:
            faults.append(
                Flaw(f"rule {rule.id} is marked not applicable without a reason", rule.id)
            )
        if rule.status == "heading" and rule.id in cited:
            faults.append(
                Flaw(
                    f"rule {rule.id} is marked as a heading, but {cited[rule.id][0]} cites it",
                    rule.id,
                )
            )
    for number in (
        named
        for named in numbers_of(bench.installed.game.charts).values()
        if named.chart == "numbers"
    ):
        cell = number.cell
        if (
            cell.provenance == "printed"
            and any(map(str.isdigit, cell.cite))
            and cell.cite not in ledger
        ):
            faults.append(f"number {number.name} cites {cell.cite!r}, which is not in the ledger")
    for option in bench.installed.game.options:
        if option.cite not in ledger:
            faults.append(f"option {option.name} cites {option.cite!r}, which is not in the ledger")
        if len(set(option.values)) != len(option.values) or not option.values:
            faults.append(
                Flaw(f"option {option.name} has no values, or lists one twice", option.cite)
            )
    return [*faults, *_never_named(bench), *_options_without_effect(bench)]


def _never_named(bench: Bench) -> Iterator[Flaw]:
    """Yield a flaw for each number and option that neither the game nor its ready parts name.

    An f-string, such as ``f"close_{kind}"``, names everything that matches it. Sheets are not
    checked, because a sheet names its numbers itself.
    """
    if bench.installed.folder is None or not (files := bench.installed.files("*.py")):
        return
    answers = [kind for part in bench.scenario.parts for kind in type(part).__mro__[:-1]]
    sources = {inspect.getsourcefile(kind) for kind in answers}
    trees = [parsed(Path(path)) for path in {*map(str, files), *filter(None, sources)}]
    patterns = {pattern for tree in trees for pattern in _patterns(tree)}
    named = re.compile("|".join(sorted(patterns)))
    game = bench.installed.game
    for option in game.options:
        if not named.fullmatch(option.name):
            yield Flaw(f"option {option.name} is never read: no source names it", option.cite)
    for number in numbers_of(game.charts).values():
        name = number.name.rpartition(".")[2]
        if number.chart == "numbers" and not named.fullmatch(name):
            yield Flaw(f"number {number.name} is never read: no source names it", number.cell.cite)


def _options_without_effect(bench: Bench) -> Iterator[Flaw]:
    """Yield a flaw for each option that only ``__init__`` methods read and that changes no part."""
    at_start, elsewhere = set[str](), set[str]()
    for tree in map(parsed, bench.installed.files("*.py")):
        makers = [
            node
            for node in ast.walk(tree)
            if isinstance(node, ast.FunctionDef) and node.name == "__init__"
        ]
        at_start |= {pattern for maker in makers for pattern in _patterns(maker)}
        elsewhere |= {*_patterns(tree, without=makers)}
    for option in bench.installed.game.options:
        if not _names(at_start, option.name) or _names(elsewhere, option.name):
            continue
        made = [_made_with(bench, option.name, value) for value in option.values]
        if made[0] is not None and all(parts == made[0] for parts in made):
            yield Flaw(
                f"option {option.name} changes nothing: every part is the same with"
                f" {', '.join(map(str, option.values))}",
                option.cite,
            )


def _names(patterns: Iterable[str], name: str) -> bool:
    return any(re.fullmatch(pattern, name) for pattern in patterns)


def _made_with(bench: Bench, option: str, value: Any) -> list[dict[str, Any]] | None:
    """Return the attributes of each part made with an option set to ``value``.

    Return None if the engagement cannot be staged with that option.
    """
    variation = Variation(options={option: value})
    try:
        scenario = stage_engagement(bench.catalogue, bench.key, bench.engagement, variation)
    except CannotStageError:
        return None
    return [
        {name: of for name, of in vars(part).items() if name not in GIVEN}
        for part in scenario.parts
    ]


GIVEN = frozenset(("options", "charts"))
"""The attributes of a part that hold its arguments, whether or not it uses them."""
FEW_LETTERS = 2
"""Minimum number of letters in an f-string that names a number."""


def _patterns(tree: ast.AST, without: Iterable[ast.AST] = ()) -> Iterator[str]:
    """Yield, as a regular expression, each text of a tree that may be a name.

    The declaration of an option is left out, because it does not read the option. So are the trees
    ``without``.
    """
    declared = {
        id(inner) for name, call in calls_in(tree) if name == "Option" for inner in ast.walk(call)
    }
    declared |= {id(inner) for part in without for inner in ast.walk(part)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(str(text)) if id(node) not in declared:
                yield re.escape(text)
            case ast.JoinedStr(parts) if id(node) not in declared:
                texts = [
                    str(part.value) if isinstance(part, ast.Constant) else "" for part in parts
                ]
                if sum(map(str.isalpha, "".join(texts))) >= FEW_LETTERS:
                    yield "".join(re.escape(text) or ".+" for text in texts)


def sources_are_pure(bench: Bench) -> Flaws:
    """Check that no module of the game draws random numbers, reads a clock, or has global state.

    Nothing that outlives a step may change: a part or view has no caches, and no rule adds entries
    to values of a module or class. The check reads the sources, and watches the rules run. Sides
    are addressed as view.side and view.other, never by name.
    """
    faults: Flaws = []
    for path in bench.installed.files("*.py"):
        tree = parsed(path)
        read = (*memories_in(tree), *named_or_unordered(tree))
        faults += [f"{path.name}:{line} {fault}" for line, fault in read]
        for node in ast.walk(tree):
            line = getattr(node, "lineno", 0)
            faults += [
                f"{path.name}:{line} uses {name}: {FOREIGN[name]}" for name in _foreign(node)
            ]
            if isinstance(node, ast.Global):
                faults.append(
                    f"{path.name}:{line} changes {', '.join(node.names)} of its module:"
                    " keep it in the state"
                )
    with suppress(Exception):  # other checks report rules that raise and tables that are too large
        _ = bench.chain, bench.orders  # exploring the chains runs the rules
        bench.played(2)
    return [
        *faults,
        *(
            f"{name} changed while the rules ran, {ADVICE}"
            for name in changed_values(bench.scenario.packages)
        ),
    ]


def _foreign(node: ast.AST) -> list[str]:
    match node:
        case ast.Call(ast.Name("open" | "input" as name)):
            return [name]
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names if alias.name in FOREIGN]
    if isinstance(node, ast.ImportFrom):
        return (
            [node.module]
            if node.module in FOREIGN
            else [a.name for a in node.names if a.name == "urandom"]
        )
    if isinstance(node, ast.Attribute):
        owner = (
            node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
        )
        return [
            name
            for name in (f"{owner}.{node.attr}", node.attr)
            if name in FOREIGN and ("." in name or name in BY_ATTRIBUTE)
        ]
    return []


# --- capabilities ---------------------------------------------------------------------------------
WANDERED, LATEST = 200, 12
"""Limits on the inputs of random play, and on the latest log entries examined after each input."""
CLOSE = 30
"""Distance to the target, in metres, at which own troops are in danger in every game."""
STEM = 5
"""Number of leading letters of each word in a capability that a text must contain."""


def _emits(kind: str, **fields: object) -> Callable[[Bench], bool]:
    def probe(bench: Bench) -> bool:
        return any(
            event.kind == kind
            and all(dict(event.fields).get(name) is value for name, value in fields.items())
            for edges in bench.orders.edges
            for edge in edges
            for event in edge.events
        )

    return probe


def _corrects(bench: Bench) -> bool:
    """Return whether one spotting round can follow another."""
    return any(
        stage is Stage.SPOTTING
        and any(event.kind == "spotting" for edge in edges for event in edge.events)
        for mission in bench.scenario.mission_ids
        for stage, edges in zip(
            bench.stages(bench.orders, mission), bench.orders.edges, strict=True
        )
    )


def _stages_differently(topic: str, **change: bool) -> Callable[[Bench], bool]:
    """Return a probe that is true if a change to one topic alters the staged scenario.

    ``change`` has the new values of the topic's facts. The probe is false if the game cannot stage
    them.
    """

    def probe(bench: Bench) -> bool:
        changed = attrs.evolve(getattr(bench.engagement, topic), **change)
        try:
            engagement = attrs.evolve(bench.engagement, **{topic: changed})
            other = stage_engagement(bench.catalogue, bench.key, engagement)
        except CannotStageError:
            return False
        here = bench.scenario
        return here.initial != other.initial or any(
            here.missions[mission].facts != other.missions[mission].facts
            for mission in here.mission_ids
            if mission in other.missions
        )

    return probe


def _hides_assets(bench: Bench) -> bool:
    """Return whether one of the game's scenarios hides an asset from a side."""
    scenarios = [find_scenario(bench.catalogue, name)[0] for name in bench.own_scenarios]
    return any(
        Visibility(scenario, side).hidden(mission)
        for scenario in scenarios
        for side in sides_of(scenario)
        for mission in scenario.mission_ids
    )


def _hits_friends(bench: Bench) -> bool:
    """Return whether fire can hit own troops.

    It is tried on the engagement, with own troops near the target, and in the game's scenarios.
    """
    probe = _emits("fall", own_under_fire=True)
    if probe(bench) or "own_under_fire=true" in "\n".join(bench.texts):
        return True
    near = attrs.evolve(bench.engagement, own_troops=OwnTroops(distance_m=CLOSE, men=20))
    try:
        return probe(Bench(bench.catalogue, bench.key, near)) or _hit_in_scenarios(bench)
    except CannotStageError:
        return _hit_in_scenarios(bench)


def _hit_in_scenarios(bench: Bench) -> bool:
    """Return whether fire hits own troops in random play of the game's own scenarios."""
    scenarios = (find_scenario(bench.catalogue, name) for name in bench.own_scenarios)
    plays = (wander(scenario, form.moments, 1, WANDERED) for scenario, form in scenarios)
    events = (entry.event for play in plays for table in play for entry in table.log[-LATEST:])
    return any(
        event.kind == "fall" and dict(event.fields)["own_under_fire"] is True for event in events
    )


CAPABILITIES: Mapping[str, tuple[str, Callable[[Bench], bool]]] = {
    "spotting rounds": ("a round may be fired to see where it lands", _emits("spotting")),
    "correction": ("after a spotting round another may be fired", _corrects),
    "friendly fire": ("fire may fall on the firer's own troops", _hits_friends),
    "denial": ("a request may be denied and made again", _emits("ended", reason=Reason.DENIED)),
    "depletion": ("an asset may run out", _emits("ended", reason=Reason.EXHAUSTED)),
    "lingering fire": ("fire may stay on the ground without falling again", _emits("lingering")),
    "hidden requests": ("a side's requests may be hidden from the other", _hides_assets),
    "pre-registered fire": (
        "guns may have registered the target beforehand",
        _stages_differently("asset", preregistered=True),
    ),
    "bombardment": (
        "fire may have fallen before play",
        _stages_differently("situation", bombardment=True),
    ),
}
"""Maps each capability that the kit can test to its meaning and a probe for it."""


def capabilities_are_real(bench: Bench) -> Flaws:
    """Check that the game shows each capability it claims, and claims each that it shows.

    The kit tests its own capabilities with a probe, and looks for the others in the text of the
    game's playthroughs, scenarios, perft tables and worked examples. No orders may reach more than
    in the game's relaxed setups.
    """
    claimed = bench.installed.game.capabilities
    own = [name for name in claimed if name not in CAPABILITIES]
    texts = [text.lower() for text in bench.texts]
    faults: Flaws = [
        f"claims {name!r}, but no playthrough, scenario, perft table or worked example of the game mentions it;"
        f" the kit itself can look for {', '.join(CAPABILITIES)}"
        for name in own
        if not any(all(word[:STEM] in text for word in name.lower().split()) for text in texts)
    ]
    for name, (meaning, probe) in CAPABILITIES.items():
        can = probe(bench)
        if name in claimed and not can:
            faults.append(f"claims {name!r} ({meaning}), but no orders and dice show it")
        if can and name not in claimed:
            faults.append(f"can do {name!r} ({meaning}), but does not claim it")
    return [*faults, *_harm_that_never_comes(bench), *exceeding_orders(bench)]


def _harm_that_never_comes(bench: Bench) -> Iterator[str]:
    """Yield a single flaw with the severities that the sources name but no unit ever suffers.

    Yield nothing if there are none.
    """
    named = {
        Severity[node.attr]
        for path in bench.installed.files("*.py")
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == "Severity"
        and node.attr in Severity.__members__
    }
    if never := named - {Severity.NONE} - _suffered(bench):
        names = ", ".join(severity.name for severity in sorted(never))
        yield (
            f"names the severity {names}, but no unit ever suffers it, neither on the engagement"
            " nor in a playthrough, perft table or worked example"
        )


def _suffered(bench: Bench) -> set[Severity]:
    """Return the severities that units suffer in the engagement or that the game's files name."""
    texts = "\n".join(bench.texts)
    shown = {each for each in Severity if f"severity={each.name.lower()}" in texts}
    shares = bench.analysis.unit_severities().values()
    return shown | {severity for unit in shares for severity, share in unit.items() if share}
