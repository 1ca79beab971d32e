"""Scenario files: read into the class of the game they name, staged on a table; and those shipped with the games.

What may stand in one is told by the game (``ScenarioForm``); how it is read is the matter of ``fireplan_core.files``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path

import attrs

from fireplan_core.chance import ChartError
from fireplan_core.files import Document, below, near, parse_toml
from fireplan_core.game import Game, ScenarioFile, ScenarioForm
from fireplan_core.play.catalogue import Catalogue, Variation
from fireplan_core.play.scenario import Scenario
from fireplan_core.play.staging import stage_scenario
from fireplan_core.scenario.staging import CannotStageError


def shipped_scenarios(catalogue: Catalogue) -> dict[str, Path | Traversable]:
    """Return the scenario files that come with the games, by ``game/name``, in the order of these names."""
    return {
        f"{key}/{name}": form.shipped[name]
        for key, form in sorted(_forms(catalogue).items())
        for name in sorted(form.shipped)
    }


def find_scenario(
    catalogue: Catalogue, name_or_path: str, variation: Variation | None = None
) -> tuple[Scenario, ScenarioFile]:
    """Return the shipped scenario of that name (``game/name``), else the one in the file at that path.

    Raises ``FileError``, with near names if there is neither.
    """
    path = shipped_scenarios(catalogue).get(name_or_path, Path(name_or_path))
    return load_scenario(catalogue, path, variation=variation)


def load_scenario(
    catalogue: Catalogue,
    path: Path | Traversable,
    *,
    variation: Variation | None = None,
    stored: Mapping[str, str] | None = None,
) -> tuple[Scenario, ScenarioFile]:
    """Read a scenario file and stage it with the game it names; charts of the user's lie beside the file or below.

    The options of a ``variation`` are laid over those that the file chooses before it is judged; what else it changes,
    when it is staged. ``stored`` names the files of the folder that stand in for chart files of other names.

    Raises ``FileError``: for a bad file with all its faults at once; then for options and charts that the game does
    not have or cannot use, together; then for what the game cannot stage.
    """
    document = parse_toml(path, what="scenario", shipped=shipped_scenarios(catalogue))
    kind = _kind_of(catalogue, document)
    form = document.over("options", variation.options if variation else {}).read(kind)
    if stored:
        form = attrs.evolve(form, charts={name: stored.get(file, file) for name, file in form.charts.items()})
    folder = Path(str(path)).parent
    choices = list(_wrong_choices(catalogue[form.game].game, form, folder))
    if choices:
        raise document.error(choices)
    try:
        return stage_scenario(catalogue, form, folder, variation), form
    except CannotStageError as error:
        raise document.error([("", reason, "") for reason in error.reasons]) from error
    except ValueError as error:
        raise document.error([("", str(error), "")]) from error


def _forms(catalogue: Catalogue) -> dict[str, ScenarioForm]:
    games = {key: installed.game.scenarios for key, installed in catalogue.games.items()}
    return {key: form for key, form in games.items() if form is not None}


def _kind_of(catalogue: Catalogue, document: Document) -> type[ScenarioFile]:
    """The class of the game that the file names; raises ``FileError`` when it names none that has scenarios."""
    forms = _forms(catalogue)
    known = ", ".join(forms) or "none"
    match document.content.get("game"):
        case None:
            wrong, hint = "this key is missing", f'add game = "...", one of {known}'
        case str(game) if game in forms:
            return forms[game].kind
        case str(game) if game in catalogue.games:
            wrong, hint = f"{game} has no scenario files", f"games with scenario files: {known}"
        case str(game):
            meant = near(game, forms)
            hint = f'did you mean "{meant}"?' if meant else f"installed with scenario files: {known}"
            wrong = "no game of this name is installed"
        case _:
            wrong, hint = "expected the name of a game in quotes", f"one of {known}"
    raise document.error([("game", wrong, hint)])


def _wrong_choices(game: Game, form: ScenarioFile, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Yield what is wrong with the options and the charts that a file chooses, each tried by itself."""
    for name, value in form.options.items():
        try:
            game.settled({name: value})
        except ValueError as error:
            known = {option.name: option for option in game.options}
            meant = name if name in known else near(name, known)
            hint = f"{meant}: {known[meant].summary} ({known[meant].cite})" if meant else ""
            yield f'options."{name}"', str(error), hint
    for name, file in form.charts.items():
        try:
            game.charts_with({name: below(folder, file)})
        except ChartError as error:
            yield from ((f'charts."{name}"', fault, f"mend {file}") for fault in error.faults)
        except OSError as error:
            yield f'charts."{name}"', f"{file} cannot be opened: {error.strerror}", "paths are beside the scenario file"
        except ValueError as error:
            yield f'charts."{name}"', str(error), ""
