"""The command for sheets: list the templates, copy one, and print the schema for editors."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from fireplan import sheets
from fireplan.cli.printing import say_wrapped
from fireplan.errors import InputError, unknown
from fireplan.questions.result import write
from fireplan_core.files import parse_toml


def sheet(
    template: str | None = None, into: Path | None = None, /, *, schema: bool = False
) -> None:
    """List the templates of sheets, copy one to begin from, or print the schema for editors.

    :param template: The template to copy.
    :param into: The file to write, which must not exist yet; its name becomes the game's key.
    :param schema: Print the JSON Schema of sheets, which editors use for completion and validation.
    """
    if schema and template:
        raise InputError("--schema prints only the schema: leave out the template.")
    if schema:
        sys.stdout.write(json.dumps(sheets.schema(), indent=2) + "\n")
        return
    shipped = sheets.sheet_templates()
    if template is None:
        rows = tuple(
            (name, str(parse_toml(file).content["summary"])) for name, file in shipped.items()
        )
        for name, summary in rows:
            say_wrapped(f"{name}: {summary}")
        return
    if template not in shipped:
        raise unknown("template", template, shipped)
    if into is None:
        raise InputError(f"Name the file to write, such as: fireplan sheet {template} mine.toml")
    key = into.stem
    if into.suffix != ".toml" or not key.isidentifier() or key != key.lower():
        raise InputError(
            f"{into}: expected a name of lower-case letters, digits and _ that ends in .toml, such as mine.toml."
        )
    if into.exists() or into.is_symlink():
        raise InputError(f"{into}: already exists; choose another name.")
    text = shipped[template].read_text(encoding="utf-8")
    write(into, text.replace(f'key = "{template}"', f'key = "{key}"', 1), anew=True)
    sys.stdout.write(f"Wrote {into}. Next:\n    fireplan odds {into}\n    fireplan check {into}\n")
