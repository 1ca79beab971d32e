"""``fireplan whatif``: a game changed, before and after; or which of its numbers move a figure most."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import attrs
from cyclopts import Parameter

from fireplan import comparison as comparing
from fireplan import solver as solving
from fireplan.cli import _core as core
from fireplan.cli._app import gathered, refuse, refusing, unknown
from fireplan.cli._open import catalogue, house_rules, known_games, setting_of, titled
from fireplan.cli._options import Csv, HouseRules, Picture, Seed, Several
from fireplan.cli._print import SAMPLE, Bar, command, say_json, say_sampled, say_table, say_text
from fireplan.cli._sample import Sample
from fireplan.cli.compare import ComparisonRequest


def whatif(  # noqa: PLR0913 - as compare
    name: str | None = None,
    /,
    *,
    numbers: Annotated[list[str] | None, Parameter(name="--set", consume_multiple=True)] = None,
    option: Several = None,
    chart: Several = None,
    rules: HouseRules = None,
    game: str | None = None,
    games: Several = None,
    minutes: int | None = None,
    sensitivity: bool = False,
    measure: Annotated[str, Parameter(name="--for")] = "delivered",
    top: int = 25,
    sample: int = 0,
    seed: Seed = 1,
    json: bool = False,
    csv: Csv = False,
    picture: Picture = None,
) -> None:
    """Change numbers, options or charts of a game and see before and after side by side, exactly.

    :param name: A shipped scenario (game/name) or a scenario file; else an engagement, shipped or your own; woods by
        default.
    :param numbers: GAME.NUMBER=VALUE, any number of them: 'GAME.limit=7', 'GAME.chart[column][row]=ENTRY'. A name
        without its keys means all that stand under it. 'fireplan numbers GAME' lists them.
    :param option: GAME.NAME=VALUE, any number of them; 'fireplan games --json' lists a game's options and their values.
    :param chart: GAME.NAME=FILE: a chart of your own in place of the shipped one, any number of them.
    :param game: The game that stages the engagement, for --sensitivity.
    :param games: Also show these games as printed.
    :param minutes: Watch for so many minutes instead of the engagement's or scenario's own.
    :param sensitivity: Rank every number that the table reads by how far one step of it moves a measure; each is solved
        exactly. A table that is too large for that is sampled, with standard errors; the answer says so.
    :param measure: The measure to rank by: delivered, on_target, minutes, suppressed, reduced, destroyed,
        own_troops_under_fire or exhausted.
    :param top: How many numbers of a ranking to show.
    :param sample: Of a scenario, or for --sensitivity: sample so many trajectories before and after instead of solving
        exactly.
    :param json: Print JSON with exact rationals instead of the table; the changed game's key ends with *.
    """
    request = ComparisonRequest(name, minutes, picture, json, csv)
    changes = Changes(tuple(option or ()), tuple(chart or ()), tuple(numbers or ()), tuple(rules or ()))
    installed, drawn = catalogue(), Sample(sample, seed)
    if sensitivity:
        from fireplan.cli._sensitivity import rank

        rank(request, installed, game, changes.read(installed), drawn, measure, top)
        return
    also = games if games is not None else [game] if game else None
    if name is not None and comparing.is_scenario(installed, name):
        _scenario(request, installed, also or [], changes, drawn)
    else:
        _engagement(request, installed, also, changes, drawn)


@attrs.frozen
class Changes:
    """Say what is changed, as typed: ``GAME.NAME=VALUE`` and house rules.

    House rules are laid over the games that are changed otherwise, or over all where none is.
    """

    options: tuple[str, ...] = ()
    charts: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()

    @property
    def typed(self) -> tuple[str, ...]:
        """Return what is changed, as it is typed again."""
        options = ("--set", "--option", "--chart", "--house-rules")
        given = zip(options, (self.numbers, self.options, self.charts, self.rules), strict=True)
        return tuple(word for option, values in given if values for word in (option, *values))

    @property
    def general(self) -> bool:
        """Return whether no game is named, so that house rules are laid over every one."""
        return not (self.options or self.charts or self.numbers)

    def some(self, installed: core.Catalogue, faults: list[str]) -> dict[str, core.Variation]:
        """Return for each game what is changed, which must be something; add every fault to ``faults``."""
        if not self.typed:
            faults.append("Change something: --set, --option GAME.NAME=VALUE or --chart GAME.NAME=FILE.")
        return gathered(faults, self.read, installed) or {}

    def read(self, installed: core.Catalogue) -> dict[str, core.Variation]:
        """Return for each game what is changed; raise ``BadInputError`` with every fault at once."""
        found: dict[str, dict[str, Any]] = {}
        given: dict[tuple[str, str], str] = {}
        faults: list[str] = []
        typed = (("options", self.options), ("charts", self.charts), ("numbers", self.numbers))
        for kind, text in ((kind, text) for kind, texts in typed for text in texts):
            where, equals, value = (part.strip() for part in text.partition("="))
            key, dot, name = where.partition(".")
            if not equals or not dot:
                faults.append(f"{text!r}: write GAME.NAME=VALUE.")
            elif key not in installed.games:
                faults.append(str(unknown("game", key, list(installed.games))))
            else:
                kept = found.setdefault(key, {"options": {}, "charts": {}, "numbers": {}})[kind]
                faults += _keep(installed[key].game, kind, name, value, kept)
                before = given.setdefault((kind, where), value)
                if before != value:
                    faults.append(f"{where}: is changed to {before} and to {value}; choose one.")
        rules = gathered(faults, house_rules, self.rules)
        refuse(faults)
        if rules and self.general:
            return {key: core.Variation(rules=rules) for key in installed.games}
        return {key: core.Variation(**kinds, rules=rules) for key, kinds in found.items()}


def _keep(game: core.Game, kind: str, name: str, value: str, kept: dict[str, Any]) -> list[str]:
    """Keep one change, and return what is wrong with it."""
    key = game.key
    if kind == "charts":
        if name not in game.chart_readers:
            return [f"{key}: {unknown('replaceable chart', name, list(game.chart_readers))}"]
        kept[name] = Path(value)
    elif kind == "numbers":
        try:
            named = core.find_numbers(game.charts, name)
            game.charts_with({}, {name: value})
        except core.CellError as error:
            return [f"{key}: {error}; 'fireplan numbers {key}' lists them all"]
        kept.update({one.name: value for one in named})
    else:
        known = {option.name: {str(value): value for value in option.values} for option in game.options}
        if name not in known:
            return [f"{key}: {unknown('option', name, list(known))}"]
        values = known[name]
        if value not in values:
            return [f"{key}.{name}: {unknown('value', value, list(values))}"]
        kept[name] = values[value]
    return []


# --- an engagement --------------------------------------------------------------------------------
def _engagement(
    request: ComparisonRequest, installed: core.Catalogue, games: list[str] | None, changes: Changes, drawn: Sample
) -> None:
    """Compare each game that is changed with itself as printed."""
    faults: list[str] = []
    if drawn.trajectories:
        faults.append("--sample is for scenarios; 'fireplan odds --game KEY --sample N' samples an engagement.")
    gathered(faults, request.read)
    changed = changes.some(installed, faults)
    shown = [] if games is None else gathered(faults, known_games, installed, games)
    refuse(faults)
    if changes.general and shown:
        changed = {key: changed[key] for key in shown}
    entrants = []
    for plain in comparing.contenders(installed, [key for key in installed.games if key in (*shown, *changed)]):
        entrants.append(plain)
        if plain.game in changed:
            variation = changed[plain.game]
            title = titled(f"{plain.title}, changed", variation.rules)
            entrants.append(comparing.Contender(f"{plain.name}*", plain.game, title, variation))
    found = request.answer(installed, entrants)
    if not request.json and not request.csv:
        for key in changed:
            if key in found.games and f"{key}*" in found.games:
                _print_changes(found.games[key], found.games[f"{key}*"])


def _print_changes(before: comparing.GameAnswer, after: comparing.GameAnswer) -> None:
    """Print the yardsticks before and after; what differs stands out."""
    from rich.text import Text

    rows = []
    for change in comparing.changes(before, after):
        style, mark = ("bold yellow", "* ") if change.changed else ("dim", "  ")
        cells = (mark + change.what, change.before, change.after, change.difference)
        rows.append([Text(text, style=style) for text in cells])
    say_table(("", "before", "after", "difference"), rows, title=before.title)
    say_text("* differs, exactly compared", "dim")


# --- a scenario -----------------------------------------------------------------------------------
def _scenario(
    request: ComparisonRequest, installed: core.Catalogue, games: list[str], changes: Changes, drawn: Sample
) -> None:
    """Answer a scenario before and after: exactly, or sampled where that is asked for or it is too large."""
    faults = drawn.faults()
    if request.csv or request.picture:
        faults.append("--csv and --picture are for engagements; a scenario is printed as a table or with --json.")
    changed = changes.some(installed, faults)
    also = [*(changed or {}).values()]
    setting = gathered(faults, setting_of, installed, request.engagement, None, request.minutes, also)
    if setting is not None:
        named = [] if changes.general else [*changed]
        if foreign := [key for key in dict.fromkeys((*named, *games)) if key != setting.game]:
            faults.append(f"{setting.name} is a scenario of {setting.game}; {', '.join(foreign)} has no part in it.")
    refuse(faults)
    variation = changed[setting.game]
    plain = variation if setting.refused else core.Variation()
    if setting.refused and not request.json:
        say_text(f"As written it is refused, so that both columns have the change: {setting.refused}", "yellow")
    if drawn.trajectories:
        _sampled(setting, variation, request, drawn)
        return
    try:
        with Bar(8) as bar, refusing("solved exactly"):
            before, after = (_answer(setting, one, bar) for one in (plain, variation))
    except solving.TooLargeError as error:
        minutes = int(error.moments * setting.lay(plain).clock.minutes)
        shorter = command("whatif", setting.name, *changes.typed, "--minutes", minutes)
        say_sampled(error, [("exactly, a shorter watch", shorter)] if minutes else [])
        _sampled(setting, variation, request, Sample(SAMPLE, drawn.seed, "rules"))
        return
    if request.json:
        printed = {} if setting.refused else {setting.game: comparing.answer_data(before)}
        data = {
            "scenario": {"name": setting.name, "title": setting.title},
            "changed": _overlays(variation),
            "games": {**printed, f"{setting.game}*": comparing.answer_data(after)},
        }
        say_json(data)
        return
    say_text(titled(setting.title, variation.rules), "bold")
    say_text(f"{before.moments} x 1 {before.moment}; every probability is exact.", "dim")
    _print_changes(before, after)


def _answer(setting: comparing.Setting, variation: core.Variation, bar: Bar) -> comparing.GameAnswer:
    game = setting.catalogue[setting.game].game
    scenario = setting.lay(variation)
    return comparing.answer(game.key, game.title, game.edition, scenario, setting.moments(scenario), bar.step)


def _sampled(setting: comparing.Setting, variation: core.Variation, request: ComparisonRequest, drawn: Sample) -> None:
    """Print shares before and after over so many trajectories of the same seed, with their standard errors."""
    with refusing("sampled"):
        laid = [setting.lay(one) for one in (variation if setting.refused else core.Variation(), variation)]
        before, after = (drawn.shares(one, setting.moments(one)) for one in laid)
    rows = [(what, *pair, *after_pair) for (what, pair), after_pair in zip(before.items(), after.values(), strict=True)]
    if request.json:
        names = ("before", "before_error", "after", "after_error")
        data = {"exact": False, "trajectories": drawn.trajectories, "changed": _overlays(variation)}
        say_json(data | {"sampled": {what: dict(zip(names, shares, strict=True)) for what, *shares in rows}})
        return
    title = titled(setting.title, variation.rules)
    say_text(f"{title}: sampled, {drawn.trajectories:,} trajectories each, seed {drawn.seed}", "bold")
    shown = []
    for what, a, a_error, b, b_error in rows:
        apart = (a_error**2 + b_error**2) ** 0.5
        difference = f"{(b - a) * 100:+.1f} ± {apart * 100:.1f} points"
        shown.append((what, f"{a:.1%} ± {a_error:.1%}", f"{b:.1%} ± {b_error:.1%}", difference))
    say_table(("", "before", "after", "difference"), shown)
    say_text("± standard errors", "dim")


def _overlays(variation: core.Variation) -> dict[str, Any]:
    """Return what a variation changes, as JSON data."""
    rules = {"house_rules": list(core.rule_names(variation.rules))} if variation.rules else {}
    return {
        "options": dict(variation.options),
        "charts": {name: str(file) for name, file in variation.charts.items()},
        "numbers": dict(variation.numbers),
        **rules,
    }
