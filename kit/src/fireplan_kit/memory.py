"""Memory outside the state: changes in a module's functions to values that outlive a step."""

import ast
from collections.abc import Iterator

CHANGING = frozenset(
    [
        "add",
        "append",
        "appendleft",
        "clear",
        "discard",
        "extend",
        "extendleft",
        "insert",
        "intersection_update",
        "pop",
        "popitem",
        "popleft",
        "remove",
        "reverse",
        "send",
        "set",
        "setdefault",
        "sort",
        "subtract",
        "symmetric_difference_update",
        "update",
    ]
)
"""Names of methods that change a list, dict, set, deque, counter, generator or context variable."""
MUTABLE = frozenset(("list", "dict", "set", "Counter", "defaultdict", "deque", "OrderedDict"))
CACHES = frozenset(("cache", "lru_cache"))
STATEFUL = frozenset(("self", "cls", "part", "view", "chance"))
"""Names of parameters whose values a cache would keep beyond the step."""
ADVICE = "which outlives the step: keep it in the state"

Functions = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def memories_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the line and a description of each change to a value that outlives a step.

    Code outside functions, and ``__init_subclass__``, run when modules are loaded, and may change
    anything.
    """
    imported = {
        alias.asname or alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    shared_values = {
        name
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        for name in _shared_values(node)
    }
    for function in _outer_functions(tree):
        yield from _ModuleReader(imported, shared_values).changes(function, frozenset(), {})


def _shared_values(kind: ast.ClassDef) -> Iterator[str]:
    """Yield the names of a class's attributes whose list, dict or set outlives a step.

    They are set in the class itself, or in any method of a part, because a part serves every table.
    """
    marks = {
        getattr(called, "attr", getattr(called, "id", ""))
        for method in kind.body
        if isinstance(method, ast.FunctionDef)
        for mark in method.decorator_list
        for called in [mark.func if isinstance(mark, ast.Call) else mark]
    }
    for line in kind.body:
        if isinstance(line, ast.Assign | ast.AnnAssign) and _mutable(line.value):
            yield from _names_stored(line)
    for node in ast.walk(kind) if marks & {"step", "orders"} else ():
        match node:
            case ast.Assign([ast.Attribute(ast.Name("self"), name)], value) if _mutable(value):
                yield name
            case ast.AnnAssign(ast.Attribute(ast.Name("self"), name), value=value) if _mutable(
                value
            ):
                yield name


def _outer_functions(node: ast.AST) -> Iterator[Functions]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, Functions):
            if getattr(child, "name", "") != "__init_subclass__":
                yield child
        else:
            yield from _outer_functions(child)


def _own_nodes(function: Functions) -> Iterator[ast.AST]:
    """Yield the nodes of a function's body, nested functions as one node each."""
    body = [function.body] if isinstance(function, ast.Lambda) else function.body
    waiting: list[ast.AST] = list(reversed(body))
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, Functions):
            waiting += reversed(list(ast.iter_child_nodes(node)))


def _names_stored(node: ast.AST) -> set[str]:
    return {
        name.id
        for name in ast.walk(node)
        if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
    }


def _arguments_of(function: Functions) -> set[str]:
    """Return the names of a function's parameters, apart from ``*args`` and ``**kwargs``."""
    every = function.args
    return {arg.arg for arg in (*every.posonlyargs, *every.args, *every.kwonlyargs)}


def _locals_of(function: Functions) -> set[str]:
    """Return the names of a function's parameters and local variables."""
    every = function.args
    names = _arguments_of(function) | {arg.arg for arg in (every.vararg, every.kwarg) if arg}
    shared: set[str] = set()
    for node in _own_nodes(function):
        match node:
            case ast.Name(name, ast.Store()):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                names.add(name)
            case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
                names.add(name)
            case ast.Import(aliases) | ast.ImportFrom(names=aliases):
                names |= {alias.asname or alias.name for alias in aliases}
            case ast.Global(shared_names):
                shared |= set(shared_names)
    return names - shared


def _mutable(value: ast.expr | None) -> bool:
    match value:
        case ast.List() | ast.Dict() | ast.Set() | ast.ListComp() | ast.DictComp() | ast.SetComp():
            return True
        case ast.Call(ast.Name(name)) | ast.Call(ast.Attribute(attr=name)):
            return name in MUTABLE
    return False


class _ModuleReader:
    """A search of one module's functions for changes to values that outlive a step."""

    def __init__(self, imported: set[str], shared_values: set[str]) -> None:
        self._imported, self._shared_values = imported, shared_values

    def changes(
        self, function: Functions, outer: frozenset[str], aliases: dict[str, str]
    ) -> Iterator[tuple[int, str]]:
        """Yield (line, description) for each change in a function to a value that outlives a step.

        ``outer`` has the local names of enclosing functions. ``aliases`` maps local names to the
        lasting values that they refer to.
        """
        names = outer | _locals_of(function)
        aliases = {name: of for name, of in aliases.items() if name in outer}
        yield from self._declared(function)
        for node in _own_nodes(function):
            match node:
                case ast.Assign([ast.Name(name)], ast.Name() | ast.Attribute() as value):
                    if of := self._lasting(value, names, aliases):
                        aliases[name] = of
        for node in _own_nodes(function):
            if isinstance(node, Functions):
                yield from self.changes(node, names, aliases)
                continue
            for target in self._targets(node):
                if of := self._lasting(target, names, aliases):
                    yield node.lineno, f"changes {of}, {ADVICE}"  # type: ignore[attr-defined] # a statement or call

    def _declared(self, function: Functions) -> Iterator[tuple[int, str]]:
        """Yield the line and a description of each mutable default and each cache of a function."""
        every = function.args
        for default in (*every.defaults, *every.kw_defaults):
            if _mutable(default):
                yield function.lineno, f"has a mutable default, {ADVICE}"
        arguments = _arguments_of(function)
        for mark in getattr(function, "decorator_list", ()):
            called = mark.func if isinstance(mark, ast.Call) else mark
            name = getattr(called, "attr", getattr(called, "id", ""))
            if name in CACHES and arguments & STATEFUL:
                kept = ", ".join(sorted(arguments & STATEFUL))
                yield function.lineno, f"caches answers by {kept}, {ADVICE}"

    def _targets(self, node: ast.AST) -> Iterator[ast.expr]:
        """Yield each expression whose value a statement or call changes."""
        match node:
            case ast.Assign(targets) | ast.Delete(targets):
                for target in targets:
                    for part in ast.walk(target):
                        if isinstance(part, ast.Subscript | ast.Attribute) and not isinstance(
                            part.ctx, ast.Load
                        ):
                            yield part.value
            case ast.AugAssign(ast.Subscript(value) | ast.Attribute(value)):
                yield value
            case ast.AnnAssign(ast.Subscript(value) | ast.Attribute(value)):
                yield value
            case ast.Call(ast.Attribute(owner, name)) if name in CHANGING:
                if not (isinstance(owner, ast.Name) and owner.id in self._imported):
                    yield owner
            case ast.Call(ast.Name("next" | "setattr" | "delattr"), [target, *_]):
                yield target
            case ast.Call(ast.Attribute(ast.Name("object"), "__setattr__"), [target, *_]):
                yield target

    def _lasting(self, value: ast.expr, names: frozenset[str], aliases: dict[str, str]) -> str:
        """Return a name for a value that may outlive the step, or "" if it cannot.

        ``names`` are the local names, and ``aliases`` maps some of them to the lasting values that
        they refer to.
        """
        match value:
            case ast.Name("cls"):
                return "its class"
            case ast.Name(name):
                return aliases.get(name, "" if name in names else name)
            case ast.Attribute(_, "__class__") | ast.Call(ast.Name("type"), [_]):
                return "its class"
            case ast.Attribute(ast.Name("self"), name):
                return f"self.{name}" if name in self._shared_values else ""
            case ast.Attribute(owner, name):
                of = self._lasting(owner, names, aliases)
                return of and f"{of}.{name}"
            case ast.Subscript(owner):
                return self._lasting(owner, names, aliases)
            case ast.Call(ast.Name("globals")):
                return "the module"
        return ""
