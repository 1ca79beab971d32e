"""Plain text in Markdown: text from files is shown literally, never as markup."""

import re

from fireplan.errors import shown

_INLINE = re.compile(r"[\\`*~\[\]|]|(?<![^\W_])_|_(?![^\W_])")
"""Characters that begin or end markup anywhere; an underscore within a word does not."""
_BEGINS = re.compile(r"^(\s*)([#>]|[=+-](?=[\s=+-]|$)|\d+(?=[.)](?:\s|$)))", re.MULTILINE)
"""Matches the beginning of a heading, a quotation, a list or a rule."""
_INDENT = re.compile(r"^( {4,}|\t)\s*", re.MULTILINE)


def markdown_text(text: str) -> str:
    """Return Markdown that is rendered as exactly this text, as whole lines or in a table cell."""
    escaped = _INLINE.sub(r"\\\g<0>", shown(text).replace("&", "&amp;").replace("<", "&lt;"))
    return _BEGINS.sub(_unlike_a_mark, _INDENT.sub("", escaped))


def _unlike_a_mark(match: re.Match[str]) -> str:
    space, mark = match.groups()
    return f"{space}{mark}\\" if mark.isdigit() else f"{space}\\{mark}"
