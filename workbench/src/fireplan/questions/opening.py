"""Opening games, engagements, scenarios and house rules by name."""

import sys
from collections.abc import Collection, Iterable, Mapping
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

from fireplan import analysis, positions, sheets, table
from fireplan.errors import (
    REMOTE,
    WARN,
    InputError,
    argument_name,
    gathered,
    outside,
    refuse,
    sentences_of,
    unknown,
    unread_file,
)
from fireplan.questions.refusing import refusing
from fireplan_core import Engagement, RuleSpec, Scenario
from fireplan_core.extras import game_to_install
from fireplan_core.files import MAX_BYTES, MOST_NAMES, FileError, read_ordinary, write_toml
from fireplan_core.play import Catalogue, Variation, load_scenario, rule_names, shipped_scenarios
from fireplan_core.setups.setup import LONGEST_WATCH

LONGEST = 1000
"""Maximum number of moments that can be watched."""


def catalogue() -> Catalogue:
    """Return the installed games, warning of those that failed to load."""
    return _warned(sheets.installed())


def _warned(installed: Catalogue) -> Catalogue:
    for problem in installed.problems:
        WARN.get()(
            f"{problem.entry_point} ({problem.distribution}) failed to load: {problem.reason}"
        )
    return installed


def catalogue_for(name: str | None, game: str | None) -> Catalogue:
    """Return a catalogue of the game that ``game`` or a shipped scenario names, else of all games.

    Loading one game takes a quarter of the time that loading all takes.
    """
    key = game or (name or "").partition("/")[0]
    only = sheets.installed(only=(key,))
    if key in only.games and (game or name in shipped_scenarios(only)):
        return _warned(only)
    return catalogue()


def catalogue_with(key: str) -> Catalogue:
    """Return a catalogue containing a game; raise ``InputError`` if there is no such game."""
    installed = catalogue_for(None, key)
    if key not in installed.games:
        raise unknown("game", key, installed.games, files=True)
    return installed


def known_games(installed: Catalogue, games: str | Iterable[str] | None) -> list[str]:
    """Return the keys in a text, or in texts, separated by commas or spaces, without repeats.

    ``all`` means every game. By default, games not based on their rulebook (``Game.sources``) are
    left out if there are others. Raise ``InputError`` for an unknown key, if the text is empty, or
    if no game is installed.
    """
    installed_keys = list(installed.games)
    texts = [games] if isinstance(games, str) else games
    words = (
        analysis.default_games(installed)
        if texts is None
        else " ".join(texts).replace(",", " ").split()
    )
    keys = list(
        dict.fromkeys(
            key for word in words for key in (installed_keys if word == "all" else (word,))
        )
    )
    refuse(
        str(unknown("game", key, installed_keys, files=True))
        for key in keys
        if key not in installed_keys
    )
    if not installed_keys:
        raise InputError("No game is installed: pip install 'fireplan[games]'.")
    if not keys:
        raise InputError(
            f"{argument_name('games')}: name at least one game. Available: {', '.join(installed_keys)}."
        )
    return keys


def check_shipped(kind: str, name: str) -> None:
    """Raise ``InputError`` unless a name is that of a shipped item, so that no file is read.

    ``kind`` is "game", "engagement", "scenario", "playthrough", or "position" for any of the
    last three or a position line.
    """
    installed = sheets.installed()
    shipped: dict[str, Collection[str]] = {
        "game": installed.games,
        "engagement": analysis.shipped_engagements(),
        "scenario": shipped_scenarios(installed),
        "playthrough": table.shipped_playthroughs(installed),
    }
    if kind == "position":
        from fireplan.questions.lines import is_line

        if is_line(name) or any(name in names for key, names in shipped.items() if key != "game"):
            return
        kind = "scenario"
    if name not in shipped[kind]:
        raise unknown(kind, name, shipped[kind])


def check_elsewhere(kind: str, name: str) -> None:
    """Raise ``InputError`` if a question from another machine names anything that is not shipped.

    Every function that may open a name as a file calls this function first.
    """
    if REMOTE.get():
        check_shipped(kind, name)


def is_there(name: str) -> bool:
    """Return whether a file or folder has this name."""
    try:
        return Path(name).exists()
    except OSError:
        return False


def engagement_named(
    source: str | Path | Engagement | None,
    facts: Mapping[str, Any] | None = None,
    minutes: int | None = None,
) -> Engagement:
    """Return a shipped engagement or the user's own, with changed facts and minutes.

    Raise ``InputError`` listing every fault in the file and in the facts.
    """
    faults = outside("minutes", minutes, 1, LONGEST_WATCH)
    name = str(analysis.DEFAULT if source is None else source)
    engagement_found: Any = (
        source if isinstance(source, Engagement) else gathered(faults, _engagement, name)
    )
    if facts:  # if the engagement is invalid, check the facts against the default engagement
        engagement_found = gathered(
            faults, with_facts, engagement_found or _engagement(analysis.DEFAULT), facts
        )
    refuse(faults)
    engagement: Engagement = (
        engagement_found if minutes is None else attrs.evolve(engagement_found, minutes=minutes)
    )
    return engagement


def _engagement(name: str) -> Engagement:
    shipped = analysis.shipped_engagements()
    if name not in shipped and name in shipped_scenarios(catalogue_for(name, None)):
        raise InputError(
            f"{name!r} is a scenario of one game: ask odds about it, or name an engagement here:"
            f" {', '.join(shipped)}."
        )
    if name not in shipped and name in sheets.installed().games:
        raise InputError(_game_as_engagement(name))
    check_elsewhere("engagement", name)
    if name not in shipped and not is_there(name):
        raise unknown("engagement", name, shipped, files=True)
    if not REMOTE.get() and sheets.is_sheet(name):
        raise InputError(
            f"{name}: a sheet is a game, not an engagement; name it where a game or scenario is named."
        )
    with refusing():
        return analysis.find_engagement(name)


def references(given: Iterable[str | analysis.ReferenceFigure]) -> tuple[Any, ...]:
    """Return the reference figures in lines and files; raise ``InputError`` with all faults."""
    figures: list[analysis.ReferenceFigure] = []
    faults: list[str] = []
    for each in given:
        if not isinstance(each, str):
            figures.append(each)
        elif "=" in each:
            try:
                figures.append(analysis.ReferenceFigure.read(each))
            except ValueError as error:
                faults.append(f"{argument_name('reference')}: {error}.")
        elif REMOTE.get():
            faults.append(f"{argument_name('reference')}: no file can be named here; write a line.")
        else:
            figures += gathered(faults, _references_in, each) or ()
    refuse(faults)
    return tuple(figures)


def _references_in(name: str) -> tuple[analysis.ReferenceFigure, ...]:
    with refusing():
        return analysis.references_in(Path(name))


def with_facts(engagement: Engagement, changes: Mapping[str, Any]) -> Engagement:
    """Return an engagement with these facts changed.

    Raise ``InputError`` listing every wrong name and value.
    """
    try:
        return positions.with_facts(engagement, changes)
    except FileError as error:
        raise InputError(*sentences_of(error, argument_name)) from error


def is_scenario(installed: Catalogue, name: str) -> bool:
    """Return whether a name denotes a scenario: GAME/NAME, or a file that may be read."""
    if name in shipped_scenarios(installed):
        return True
    key, slash, _ = name.partition("/")
    if slash and (key in installed.games or game_to_install(key)) and not is_there(name):
        return True
    return not REMOTE.get() and analysis.is_scenario(installed, name)


def setting_of(
    installed: Catalogue,
    name: str | None,
    game: str | None,
    minutes: int | None = None,
    *,
    facts: Mapping[str, Any] | None = None,
    changed: Collection[Variation] = (),
) -> analysis.Setting:
    """Return a scenario, or an engagement with its game, ready to be staged with changes.

    A file that is refused unchanged is accepted if one of the changes makes it legal. Raise
    ``InputError`` for an unknown name, a wrong fact or a number of minutes out of range.
    """
    refuse(outside("minutes", minutes, 1, LONGEST_WATCH))
    if game is not None:
        engagement = with_facts(_engagement(name or analysis.DEFAULT), facts or {})
        return analysis.Setting(
            installed,
            game,
            name or analysis.DEFAULT,
            engagement.title,
            engagement,
            minutes=minutes,
        )
    if facts:
        raise InputError(facts_of_scenario(facts))
    check_elsewhere("scenario", str(name))
    shipped = shipped_scenarios(installed)
    if name not in shipped and not is_there(str(name)):
        raise unknown("scenario", str(name), shipped, files=True)
    file, refused = shipped.get(str(name), Path(str(name))), None
    with refusing():
        for variation in (None, *changed):
            try:
                scenario, form = load_scenario(installed, file, variation=variation)
            except FileError as error:
                refused = refused or error
                continue
            return analysis.Setting(
                installed,
                form.game,
                str(name),
                scenario.title,
                None,
                minutes,
                form.moments,
                refused,
            )
        raise refused or ValueError(name)


def one_table(
    installed: Catalogue,
    name: str | None,
    game: str | None,
    minutes: int | None,
    facts: Mapping[str, Any],
    changed: Collection[Variation],
    faults: list[str],
) -> analysis.Setting:
    """Return the setting of a question about one table: a scenario, or an engagement and game.

    Raise ``InputError`` with the table's faults and those already in ``faults``.
    """
    found_before = len(faults)
    is_file = name is not None and is_scenario(installed, name)
    if not is_file:
        gathered(faults, engagement_named, name, facts)
        if game is None:
            faults.append(
                f"This question is about one table: name a scenario, or add {argument_name('game')}."
            )
        elif game not in installed.games:
            faults.append(str(unknown("game", game, installed.games, files=True)))
    elif game is not None:
        faults.append(_game_of_scenario(name))
    if len(faults) > found_before:
        refuse(faults)
    setting = gathered(
        faults,
        setting_of,
        installed,
        name,
        None if is_file else game,
        minutes,
        facts=facts,
        changed=changed,
    )
    refuse(faults)
    return setting


def _game_of_scenario(name: str | None) -> str:
    """Return the fault message for a game that is named together with a scenario."""
    return f"{name!r} is a scenario, which has its own game: leave {argument_name('game')} out."


def facts_of_scenario(names: Iterable[str]) -> str:
    """Return the fault message for facts of an engagement that are given with a scenario."""
    facts = ", ".join(argument_name(name) for name in positions.facts() if name in {*names})
    return f"Facts of an engagement ({facts}) cannot be combined with a scenario."


def head_of(installed: Catalogue, name: str | None, game: str | None) -> table.Head:
    """Return the head of a table, given a scenario, or an engagement and a game.

    Raises ``InputError`` if neither is given, or if nothing has that name.
    """
    if name is None and game is None:
        scenarios = ", ".join([*shipped_scenarios(installed)][:MOST_NAMES])
        some = f" (such as {scenarios})" if scenarios else ""
        raise InputError(
            f"Name a scenario{some} or a file, or an engagement with {argument_name('game')} KEY."
        )
    if game is not None and game not in installed.games and not _mistaken(name, game):
        faults = [str(unknown("game", game, installed.games, files=True))]
        gathered(faults, engagement_named, name)
        refuse(faults)
    try:
        check_elsewhere("scenario" if game is None else "engagement", name or analysis.DEFAULT)
        return table.make_head(
            installed, name or analysis.DEFAULT, game, analysis.shipped_engagements()
        )
    except InputError as error:
        mistaken = _mistaken(name, game)
        raise InputError(*([mistaken] if mistaken else error.faults)) from error


def _game_as_engagement(name: str) -> str:
    either = " or ".join(map(argument_name, ("game", "games")))
    engagements = ", ".join(analysis.shipped_engagements())
    return f"{name!r} is a game, so it goes with {either}. Engagements: {engagements}."


def _mistaken(name: str | None, game: str | None) -> str:
    """Return a hint that says what a misplaced name is, or an empty string.

    It may be the name of an engagement, a scenario, a game, a playthrough, or a file that cannot be
    read.
    """
    if name is None:
        return ""
    if game is None and name in analysis.shipped_engagements():
        return (
            f"{name!r} is an engagement: name the game that stages it with {argument_name('game')} KEY"
            " ('fireplan games' lists the keys)."
        )
    if game is not None and name in shipped_scenarios(catalogue()):
        return _game_of_scenario(name)
    if game is not None and name in catalogue().games:
        return _game_as_engagement(name)
    if name in table.shipped_playthroughs(catalogue()):
        return f"{name!r} is a playthrough, not a scenario: odds, best and belief can start from it ({argument_name('at')} N selects the point)."
    if not REMOTE.get() and is_there(name):
        try:
            read_ordinary(Path(name), MAX_BYTES).decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            return f"{name}: {unread_file(error)}"
    return ""


def opened(
    installed: Catalogue,
    name: str | None,
    game: str | None,
    rules: tuple[Any, ...] = (),
    options: Mapping[str, str | int | bool] | None = None,
    facts: Mapping[str, Any] | None = None,
) -> tuple[table.Head, Scenario, int]:
    """Return the head of a table, its scenario, and its number of moments.

    The scenario is staged with the house ``rules`` and the ``options``. Raises ``InputError``
    for facts of an engagement that come with a scenario.
    """
    head = head_of(installed, name, game)
    if facts:
        engagement = engagement_named(head.name if game else None, facts) if game else None
        if engagement is None:
            raise InputError(facts_of_scenario(facts))
        head = attrs.evolve(head, text=write_toml(engagement), shipped=False)
    head = attrs.evolve(head, options=options or {}, house_rules=rule_names(rules))
    with refusing():
        return head, *table.scenario_of(installed, head, rules)


# --- house rules: a Python file or a module that implements the hooks of ``RuleSpec`` -
def house_rules(names: Iterable[str | ModuleType] | None) -> tuple[Any, ...]:
    """Return the house-rule modules with these names or files.

    Raise ``InputError`` listing each one that cannot be loaded, has no hooks, or has unknown hooks.
    Raise it also for any name that comes from another machine.
    """
    modules: list[Any] = []
    faults: list[str] = []
    option = argument_name("house_rules")
    if names and REMOTE.get():
        raise InputError(f"{option}: accepted only from this machine, not over the network.")
    for name in names or ():
        try:
            module = _loaded(name) if isinstance(name, str) else name
        except (FileNotFoundError, ModuleNotFoundError) as error:
            # An existing file may import a missing module.
            absent = name if isinstance(error, FileNotFoundError) else error.name
            faults.append(
                f"{option} {name}: there is no file or module {absent!r}; give a Python file"
            )
            continue
        except InputError as error:
            faults += [f"{option} {name}: {fault}" for fault in error.faults]
            continue
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a file may raise anything when it is run
            faults.append(f"{option} {name}: cannot be loaded: {type(error).__name__}: {error}")
            continue
        faults += [f"{option} {name}: {fault}" for fault in _faults(module)]
        modules.append(module)
    refuse(faults)
    return tuple(modules)


def _loaded(name: str) -> ModuleType:
    """Return the module in a Python file, or an importable module by its name."""
    path = Path(name)
    if path.suffix != ".py" and not path.is_file():
        return import_module(name)
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise InputError("is not a Python file: its name must end in .py")
    module = module_from_spec(spec)
    sys.modules.setdefault(path.stem, module)  # attrs and dataclasses look up a class's module
    spec.loader.exec_module(module)
    return module


def _faults(module: Any) -> list[str]:
    """Return the faults of house rules: unknown hooks, or no hook at all."""
    import pluggy

    manager = pluggy.PluginManager("fireplan")
    manager.add_hookspecs(RuleSpec)
    try:
        manager.register(module)
        manager.check_pending()
    except pluggy.PluginValidationError as error:
        return [str(error)]
    if manager.get_hookcallers(module):
        return []
    hooks = " or ".join(name for name in vars(RuleSpec) if name.startswith("fireplan_"))
    return [
        f"no house rules: it has no function {hooks} marked with @hookimpl (from fireplan_core)"
    ]


def titled(title: str, rules: tuple[Any, ...]) -> str:
    """Return a title followed by the names of the house rules in play."""
    return f"{title}, house rules: {', '.join(rule_names(rules))}" if rules else title
