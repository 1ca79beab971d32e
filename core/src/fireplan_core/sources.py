"""The Python sources of a game, read as syntax trees: the calls in them, and their texts."""

import ast
from collections.abc import Iterator
from pathlib import Path


def parsed(path: Path) -> ast.Module:
    """Return the syntax tree of a module; raises SyntaxError if it is not Python."""
    return ast.parse(path.read_text(encoding="utf-8"))


def calls_in(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """Yield every call in a tree with its function's name, e.g. ``emit`` or ``Refusal.of``.

    Calls of other expressions, such as ``self.part.roll()``, are left out.
    """
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name(name)):
                yield name, node
            case ast.Call(ast.Attribute(ast.Name(owner), name)):
                yield f"{owner}.{name}", node


def call_argument(call: ast.Call, position: int, name: str = "") -> ast.expr | None:
    """Return an argument of a call, given by position or by name, or None if it is left out."""
    by_name = {keyword.arg: keyword.value for keyword in call.keywords}
    return call.args[position] if position < len(call.args) else by_name.get(name)


def texts_in(tree: ast.AST) -> list[tuple[int, str]]:
    """Return the string literals in a syntax tree, each after its line number, in order.

    Parts of f-strings are left out.
    """
    formatted = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    texts = [
        (node.lineno, node.col_offset, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in formatted
    ]
    return [(line, text) for line, _, text in sorted(texts)]
