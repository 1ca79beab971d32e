"""An option given for a file has the same effect as the same option written in it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import attrs
import pytest
import tomli

from fireplan_core import Game, Option, Setup
from fireplan_core.files import FileError
from fireplan_core.play import Catalogue, Variation, load_scenario
from fireplan_kit import Bench


def loaded(catalogue: Catalogue, path: Path, variation: Variation | None = None) -> Any:
    """Return a file's result: everything that is staged from it, or its faults."""
    try:
        scenario, form = load_scenario(catalogue, path, variation=variation)
    except FileError as error:
        return [fault.message for fault in error.faults]
    facts = {field.name: getattr(scenario, field.name) for field in attrs.fields(Setup)}
    staged = [
        (name, one.slots, one.facts)
        for kind in ("missions", "units")
        for name, one in facts.pop(kind).items()
    ]
    plain = re.sub(r" at 0x[0-9a-f]+", "", f"{facts} {staged}")
    return form.options, plain, [part.options for part in scenario.parts]


def written(text: str, option: Option, value: Any) -> str:
    """Return the file's text with an option chosen in it."""
    if option.name in tomli.loads(text).get("options", {}):
        text = re.sub(rf"^{option.name} *=.*\n", "", text, count=1, flags=re.MULTILINE)
    said = json.dumps(value)
    line = f"{option.name} = {said}\n"
    if re.search(r"^\[options\]", text, re.MULTILINE):
        return re.sub(r"^\[options\].*\n", f"[options]\n{line}", text, count=1, flags=re.MULTILINE)
    return f"options = {{ {line.strip()} }}\n{text}"


@pytest.mark.full
def test_an_option_given_for_a_file_acts_as_one_written_in_it(bench: Bench, tmp_path: Path) -> None:
    game: Game = bench.catalogue[bench.key].game
    shipped = sorted((game.scenarios.shipped if game.scenarios else {}).items())
    for number, option in enumerate(game.options if shipped else ()):
        name, file = shipped[number % len(shipped)]
        text = file.read_text(encoding="utf-8")
        plain, chosen = tmp_path / f"{name}.toml", tmp_path / "chosen.toml"
        plain.write_text(text, encoding="utf-8")
        for value in option.values:
            chosen.write_text(written(text, option, value), encoding="utf-8")
            laid = Variation(options={option.name: value})
            assert loaded(bench.catalogue, plain, laid) == loaded(bench.catalogue, chosen), (
                name,
                option,
                value,
            )
