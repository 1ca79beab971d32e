"""Faults found in the sources of a game: fixed names of sides, unstable values, gaps in metres."""

import ast
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator

SIDES = frozenset(("side", "other", "unit_side"))
"""Names of the methods that return a side."""
IN_PLAY = frozenset(("view", "scenario"))
"""Names of parameters of functions that run in play, where a parameter ``side`` is any side."""
SETS = frozenset(("set", "frozenset"))
IN_ORDER = frozenset(("list", "tuple", "enumerate", "next", "iter", "str", "repr", "join"))
"""Names of functions whose result depends on the order of the values that they take."""
BY_NAME = "by name: scenarios name their sides"
NO_ORDER = "takes the values of a set in no certain order: sort them"


def named_or_unordered(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and a description of each place that names a side or uses a set in order.

    ``id`` and ``hash`` are reported too, because their values differ from process to process, and
    so is the title of a scenario, because rules must not depend on it.
    """
    sides, sets = _Names(tree, _gives_side), _Names(tree, _gives_set)
    texts = _Names(tree, _texts)
    imports = (node for node in ast.walk(tree) if isinstance(node, ast.alias))
    asks = {"ask", *(node.asname for node in imports if node.name == "ask")}
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Call(ast.Name(name), [ast.Constant(str(side)), *_]) if name in asks:
                yield line, f'asks "{side}" by name: use view.side or view.other'
            case ast.Call(ast.Name("id" | "hash" as name), [_]) | ast.keyword(
                "key", ast.Name("id" | "hash" as name)
            ):
                yield line, f"uses {name}, which differs from process to process"
            case ast.Attribute(ast.Attribute(attr="scenario"), "title"):
                yield line, "reads the title of the scenario, which only players should read"
        if any(map(sides.hold, _compared_with_text(node, texts.hold))):
            yield line, f"compares a side {BY_NAME}"
        if any(map(sets.hold, _taken_in_order(node))):
            yield line, NO_ORDER


class _Names:
    """The names in a module that always refer to values of one kind.

    ``gives`` returns whether an expression has a value of this kind.
    """

    def __init__(self, tree: ast.Module, gives: Callable[[ast.expr], bool]) -> None:
        bound: dict[str, list[bool]] = defaultdict(list)
        self._gives = gives
        for name, value in _bindings(tree):
            bound[name].append(value is not None and gives(value))
        self._names = {name for name, kinds in bound.items() if all(kinds)}

    def hold(self, value: ast.expr | None) -> bool:
        """Return whether an expression always has a value of the kind that ``gives`` recognises."""
        match value:
            case None:
                return False
            case ast.Name(name) | ast.Attribute(ast.Name("self" | "cls"), name):
                return name in self._names or self._gives(value)
            case ast.Call(ast.Name(name)) | ast.Call(
                ast.Attribute(ast.Name("self" | "cls"), name)
            ) if name in self._names:
                return True
            case ast.BinOp(left, ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor(), right):
                return self.hold(left) or self.hold(right)
        return self._gives(value)


A_SIDE = ast.parse("view.side()", mode="eval").body
"""The syntax tree of an expression that gives a side."""


def _bindings(tree: ast.Module) -> Iterator[tuple[str, ast.expr | None]]:
    """Yield (name, value) for each name that a module binds; an unknown value is None.

    A function yields one pair for each value that it returns.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets, value):
                for target in targets:
                    name = _name_of(target)
                    yield from [(name, value)] if name else _stored(target)
            case ast.AnnAssign(target, _, ast.expr() as value):
                yield _name_of(target), value
            case ast.NamedExpr(ast.Name(name), value):
                yield name, value
            case ast.FunctionDef(name):
                returns = [each for each in ast.walk(node) if isinstance(each, ast.Return)]
                yield from ((name, each.value) for each in returns or [ast.Return(None)])
                names = {arg.arg.strip("_") for arg in (*node.args.args, *node.args.kwonlyargs)}
                values = {"side": A_SIDE} if names & IN_PLAY else {}
                yield from ((name, values.get(name)) for name in names)
            case ast.For(target) | ast.comprehension(target):
                yield from _stored(target)
            case ast.withitem(_, ast.expr() as target):
                yield from _stored(target)
            case ast.alias(name, asname):
                yield asname or name, None


def _name_of(target: ast.expr) -> str:
    match target:
        case ast.Name(name) | ast.Attribute(ast.Name("self" | "cls"), name):
            return name
    return ""


def _stored(target: ast.expr) -> Iterator[tuple[str, None]]:
    yield from ((node.id, None) for node in ast.walk(target) if isinstance(node, ast.Name))


# --- sides ----------------------------------------------------------------------------------------
def _gives_side(value: ast.expr) -> bool:
    match value:
        case ast.Call(ast.Attribute(attr=name)):
            return name in SIDES
    return False


def _compared_with_text(
    node: ast.AST, texts: Callable[[ast.expr | None], bool]
) -> Iterator[ast.expr]:
    """Yield each expression that a node compares with a text, or uses as a key beside texts.

    ``texts`` returns whether an expression is a text, or a name for texts.
    """
    match node:
        case ast.Compare(left, _, others):
            values = [left, *others]
            if any(map(texts, values)):
                yield from values
        case ast.Match(subject, cases):
            patterns = [part for case in cases for part in ast.walk(case.pattern)]
            if any(isinstance(p, ast.MatchValue) and _texts(p.value) for p in patterns):
                yield subject
        case ast.Subscript(ast.Dict(keys), key) | ast.Call(
            ast.Attribute(ast.Dict(keys)), [key, *_]
        ) if any(map(_texts, keys)):
            yield key
        case ast.Call(ast.Attribute(value, "startswith" | "endswith")):
            yield value


def _texts(value: ast.expr | None) -> bool:
    """Return whether an expression is a text that is not empty, or a collection of such texts."""
    match value:
        case ast.Constant(str(text)):
            return bool(text)
        case ast.Tuple(items) | ast.List(items) | ast.Set(items):
            return bool(items) and all(map(_texts, items))
    return False


# --- sets -----------------------------------------------------------------------------------------
def _gives_set(value: ast.expr) -> bool:
    match value:
        case ast.Set() | ast.SetComp():
            return True
        case ast.Call(ast.Name(name)) | ast.Call(ast.Subscript(ast.Name(name))):
            return name in SETS
        case ast.BinOp(left, ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor(), right):
            return _gives_set(left) or _gives_set(right)
    return False


def _taken_in_order(node: ast.AST) -> Iterator[ast.expr]:
    """Yield each expression that a node iterates over where the order may matter."""
    match node:
        case ast.For(iter=values) | ast.FormattedValue(values):
            yield values
        case ast.Call(ast.Name("max" | "min" | "sorted"), [values], keywords=[_, *_] as keywords):
            if any(keyword.arg == "key" for keyword in keywords):
                yield values
        case ast.Call(ast.Name(name), [values, *_]) | ast.Call(ast.Attribute(_, name), [values]):
            if name in IN_ORDER:
                yield values
                if isinstance(values, ast.GeneratorExp):
                    yield values.generators[0].iter
        case ast.List(elements) | ast.Tuple(elements):
            yield from (of.value for of in elements if isinstance(of, ast.Starred))
        case ast.ListComp(generators=[ast.comprehension(iter=values), *_]):
            yield values


# --- distances ------------------------------------------------------------------------------------
def compared_gaps(tree: ast.Module, areas: Collection[str]) -> Iterator[int]:
    """Yield the line of each comparison of a gap in the view's frame with anything but a gap or 0.

    Classes whose names are in ``areas`` are left out, because the frame is theirs.
    """
    gaps = _Names(tree, _gives_gap)
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ClassDef) and node.name in areas:
            continue
        waiting += ast.iter_child_nodes(node)
        if isinstance(node, ast.Compare):
            values = [node.left, *node.comparators]
            others = [value for value in values if not gaps.hold(value)]
            if len(others) < len(values) and not all(map(_zero, others)):
                yield node.lineno


def own_frames(tree: ast.Module, areas: Collection[str]) -> Iterator[int]:
    """Yield the line of each measurement in a frame that the module makes itself.

    ``areas`` are the names of the classes to leave out, because the frame is theirs. Functions
    outside classes are left out too: they may stage scenarios.
    """
    frames = _Names(tree, _makes_frame)
    for kind in ast.walk(tree):
        if isinstance(kind, ast.ClassDef) and kind.name not in areas:
            for node in ast.walk(kind):
                match node:
                    case ast.Call(ast.Attribute(owner, name)) if name in MEASURES:
                        if frames.hold(owner):
                            yield node.lineno


MEASURES = frozenset(("gap", "gap_metres", "metres", "nearest", "cells"))
"""Names of the methods by which a frame measures."""


def _makes_frame(value: ast.expr) -> bool:
    match value:
        case ast.Call(ast.Name("HexFrame" | "PlaneFrame" | "VertexFrame")):
            return True
    return False


def _gives_gap(value: ast.expr) -> bool:
    match value:
        case ast.Call(ast.Attribute(ast.Name("frame") | ast.Attribute(attr="frame"), "gap")):
            return True
    return False


def _zero(value: ast.expr) -> bool:
    return isinstance(value, ast.Constant) and value.value == 0
