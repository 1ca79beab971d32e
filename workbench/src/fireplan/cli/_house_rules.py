"""House rules named on the command line: a Python file or a module that implements the hooks of ``RuleSpec``."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from fireplan.cli import _core as core
from fireplan.cli._app import BadInputError, refuse


def house_rules(given: Iterable[str] | None) -> tuple[ModuleType, ...]:
    """Return the modules of these names or files; raise ``BadInputError`` for each that holds no house rules."""
    found: list[ModuleType] = []
    faults: list[str] = []
    for name in given or ():
        try:
            module = _loaded(name)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever a file does when it is read
            faults.append(f"--house-rules {name}: cannot be loaded: {type(error).__name__}: {error}")
            continue
        faults += [f"--house-rules {name}: {fault}" for fault in _faults(module)]
        found.append(module)
    refuse(faults)
    return tuple(found)


def _loaded(name: str) -> ModuleType:
    """Return the module in a file, or the importable one of that name."""
    path = Path(name)
    if path.suffix != ".py":
        return import_module(name)
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise BadInputError("is no Python file")
    module = module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # attrs and dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def _faults(module: ModuleType) -> list[str]:
    """Return what is wrong with house rules: a hook that there is not, or none at all."""
    import pluggy


    manager = pluggy.PluginManager("fireplan")
    manager.add_hookspecs(core.RuleSpec)
    try:
        manager.register(module)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        return [str(error)]
    if manager.get_hookcallers(module):
        return []
    hooks = " or ".join(name for name in vars(core.RuleSpec) if name.startswith("fireplan_"))
    return [f"no house rules: it has no function {hooks} marked with @hookimpl (from fireplan_core)"]


def titled(title: str, rules: tuple[Any, ...]) -> str:
    """Return a title with the house rules that are played."""
    return f"{title}, house rules: {', '.join(core.rule_names(rules))}" if rules else title
