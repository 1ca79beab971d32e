"""Contradictions between the tables of a sheet, which checks of single keys cannot find."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

import attrs

from fireplan.sheets.forms import METRES, SheetMap, SheetModifier, SheetOption, SheetTable
from fireplan.sheets.tables import (
    BY_COVER,
    COVERS,
    ReadyClasses,
    bounds_of,
    chooses,
    cited_names,
    figure_types,
    figure_value,
    in_module,
    in_sheet,
    kinds_of,
    rolls_of,
    whole_numbers_in,
)
from fireplan.sheets.unread import without_effect
from fireplan_core.chance import Die
from fireplan_core.files import Complaint, did_you_mean, near, nearest, repeated, toml_key
from fireplan_core.mission import Outcome
from fireplan_core.play.catalogue import CONTRACTS, faults_of
from fireplan_core.ready_parts import (
    Depletion,
    Hand,
    OneForAll,
    Ready,
    Relay,
    RequestChart,
    TableLookUp,
)
from fireplan_core.space import HexFrame, PlaneFrame, VertexFrame

Chosen = Mapping[str, ReadyClasses]
"""The ready classes of each part that has been chosen, by the part's word."""
_MOST_TABLES = 50  # a game has a few tables; the limit stops hostile sheets


def wrong_between(form: Any, chosen: Chosen) -> Iterator[Complaint]:
    """Yield each fault between the tables of a sheet.

    ``form`` has the tables that could be read; an unreadable table is absent or None, and nothing
    that depends on it is checked.
    """
    rules = {rule.id for rule in form.rule or ()}
    for name, by in (("rule", "id"), ("scenario", "name"), ("option", "name")):
        if getattr(form, name):
            yield from repeated(form, name, by=by)
        elif name != "option" and getattr(form, name) is not None:
            yield name, f"there is no {name}", f"add [[{name}]] with its keys below it"
    key = form.key
    if key is not None and (not key.isidentifier() or key != key.lower()):
        yield "key", f'"{key}" is not a key', 'lower-case letters, digits and _, e.g. "my_game"'
    for number, scenario in enumerate(form.scenario or ()):
        repeats = repeated(scenario, "unit", "battery", by="id")
        yield from _under(f"scenario[{number}]", repeats)
        if not re.fullmatch(r"[a-z0-9_]+", scenario.name):
            problem = f'"{scenario.name}" is not a valid name'
            yield (
                f"scenario[{number}].name",
                problem,
                'lower-case letters, digits and _, e.g. "first"',
            )
    yield from _wrong_tables(form, rules)
    for word, kinds in chosen.items():
        yield from _wrong_part(form, word, kinds, rules)
    yield from _wrong_modifiers(form, chosen, rules)
    yield from _wrong_options(form, chosen, rules)
    yield from without_effect(form, chosen)
    if form.map is not None:
        yield from _under("map", form.map.check())
        if form.map.metres > 0:
            yield from _wrong_map(form.map, chosen.get("areas", ()))
            yield from _wrong_places(form)


def _under(key: str, complaints: Iterator[Complaint]) -> Iterator[Complaint]:
    """Yield each complaint with ``key`` placed before its own key."""
    for inner, problem, hint in complaints:
        yield ".".join(filter(None, (key, inner))), problem, hint


def _wrong_tables(form: Any, rules: set[str]) -> Iterator[Complaint]:
    examples = {
        "table": ("rows", 'such as rows = { "2-6" = "-", "7-12" = "pinned" }'),
        "deck": ("cards", 'such as cards = { "1-8" = 5 }'),
    }
    for table, (key, example) in examples.items():
        entries = getattr(form, table) or {}
        if len(entries) > _MOST_TABLES:
            yield table, f"more than {_MOST_TABLES} tables", "is it the right file?"
            continue
        for name, entry in entries.items():
            if entry.rule:
                yield from _uncited(f"{table}.{name}.rule", entry.rule, rules)
            try:
                entry.chart(name)
            except ValueError as error:
                yield f"{table}.{name}.{key}", str(error), example
    for name, deck in (form.deck or {}).items():
        try:
            deck.printed() if _numbers_of(deck.counts) else None
        except ValueError as error:
            yield f"deck.{name}.faces", str(error), 'such as faces = { "1-4" = "fog" }'
    for name in sorted({*(form.table or {})} & {*(form.deck or {})}):
        yield f"deck.{name}", f"a table is also called {name}", "give each its own name"


def _wrong_modifiers(form: Any, chosen: Chosen, rules: set[str]) -> Iterator[Complaint]:
    rolls = [roll for kinds in chosen.values() for roll in rolls_of(kinds)]
    for number, modifier in enumerate(form.modifier or ()):
        key = f"modifier[{number}]"
        yield from _uncited(f"{key}.rule", modifier.rule, rules)
        if modifier.roll not in rolls:
            if modifier.roll.partition(".")[0] in chosen or "." not in modifier.roll:
                hint = f"rolls here: {', '.join(nearest(modifier.roll, rolls)) or 'none'}"
                yield f"{key}.roll", f'no part rolls "{modifier.roll}"', hint
            continue
        if modifier.value == 0:
            yield f"{key}.value", "adds nothing", "such as value = -2, or remove the modifier"
        yield from _under(key, _unmet(modifier, chosen))


_OF_UNITS = ("resolution.attack", "resolution.hits", "resolution.saves", "resolution.check")
_WITHOUT_MISSION = ("resolution.saves", "resolution.check")


def _unmet(modifier: SheetModifier, chosen: Chosen) -> Iterator[Complaint]:
    """Yield a fault for each condition of a modifier that cannot be checked or never holds."""
    if modifier.of_unit and modifier.roll not in _OF_UNITS:
        problem = (
            f"{modifier.roll} is not rolled for a unit, so cover, posture and quality do not apply"
        )
        yield "", problem, f"leave these out, or modify one of {', '.join(_OF_UNITS)}"
    if modifier.of_battery and modifier.roll in _WITHOUT_MISSION:
        problem = f"{modifier.roll} is rolled by a unit, so facts of the battery do not apply"
        yield "", problem, "leave out guns, calibre_mm, range_m, night, outcome and failures"
    relays = any(issubclass(kind, Relay) for kind in chosen.get("delays", ()))
    if modifier.failures and not (relays and modifier.roll == "delays.relay"):
        yield "failures", "only delays.relay counts failures", "leave failures out"
    for name, example in (("guns", "9-500"), ("calibre_mm", "150-914"), ("range_m", "0-2000")):
        text = getattr(modifier, name)
        try:
            whole_numbers_in(text or "0", METRES)
        except ValueError:
            yield (
                name,
                f'expected a span such as "{example}", got "{text}"',
                f'write {name} = "{example}"',
            )


def _wrong_options(form: Any, chosen: Chosen, rules: set[str]) -> Iterator[Complaint]:
    figures = {
        f"{word}.{name}": kind
        for word, kinds in chosen.items()
        for name, kind in figure_types(kinds).items()
        if kind in (int, bool)
    }
    decided: dict[str, str] = {}
    for number, option in enumerate(form.option or ()):
        key = f"option[{number}]"
        yield from _uncited(f"{key}.rule", option.rule, rules)
        if not re.fullmatch(r"[a-z][a-z0-9_]*", option.name):
            problem = f'"{option.name}" is not a valid name'
            yield f"{key}.name", problem, 'lower-case letters, digits and _, e.g. "short_delay"'
        if option.sets in figures:
            yield from _wrong_values(key, option, figures[option.sets])
            yield from _wrong_bounds(form, key, option, chosen)
        elif option.sets.partition(".")[0] in chosen or "." not in option.sets:
            hint = f"figures here: {', '.join(nearest(option.sets, figures)) or 'none'}"
            yield f"{key}.sets", f'no part has the figure "{option.sets}"', hint
        if option.sets in decided:
            problem = f"{option.sets} is decided by {decided[option.sets]} already"
            yield f"{key}.sets", problem, "let only one option decide a figure"
        decided[option.sets] = option.name
    yield from _wrong_choices(form)


def _wrong_values(key: str, option: SheetOption, kind: type) -> Iterator[Complaint]:
    if wrong := [value for value in option.values.values() if type(value) is not kind]:
        expected = "true or false" if kind is bool else "a whole number"
        example = f"such as values = {{ printed = {'true' if kind is bool else 2} }}"
        yield f"{key}.values", f"{option.sets} is {expected}, not {wrong[0]}", example
    if not all(map(str.isidentifier, option.values)):
        yield f"{key}.values", "expected words with letters, digits and _", "such as short"
    if len(option.values) < 2:  # noqa: PLR2004 - a choice is between two at least
        yield f"{key}.values", "there is nothing to choose", "give two values or more"


def _wrong_bounds(form: Any, key: str, option: SheetOption, chosen: Chosen) -> Iterator[Complaint]:
    """Yield a fault for each value of an option that its figure cannot have.

    Yield a fault, too, if the default differs from the value in the part's own table.
    """
    word, _, figure = option.sets.partition(".")
    kinds, table = chosen[word], getattr(form, word)
    least, most = bounds_of(kinds, figure)
    for name, value in option.values.items():
        if type(value) is int and not least <= value <= most:
            problem = f"{option.sets} is {least} to {most}, not {value}"
            yield f"{key}.values.{name}", problem, f"such as {name} = {max(least, 1)}"
        elif table is not None and figure in _SUMS and type(value) is int:
            one = attrs.evolve(table, **{figure: value})
            for _, problem, hint in _wrong_sum(form, word, kinds, one, figure):
                yield f"{key}.values.{name}", problem, hint
    given = getattr(table, figure, None)
    default = next(iter(option.values.values()), None)
    if given is not None and type(default) is type(given) and default != given:
        problem = f"the default is {in_sheet(default)}, but {option.sets} is {in_sheet(given)}"
        yield f"{key}.values", problem, f"write {figure} = {in_sheet(default)} in [{word}]"


def _wrong_choices(form: Any) -> Iterator[Complaint]:
    """Yield a fault for each option or value that a scenario chooses but the sheet lacks."""
    known = {option.name: option.values for option in form.option or ()}
    for number, scenario in enumerate(form.scenario or ()):
        for name, value in scenario.options.items():
            key = f"scenario[{number}].options.{name}"
            if name not in known:
                yield key, f"there is no option {name}", f"options: {', '.join(known) or 'none'}"
            elif value not in known[name]:
                yield key, f"{name} is never {value}", f"one of {', '.join(known[name])}"


_MAPS = {HexFrame: "hexes", VertexFrame: "corners", PlaneFrame: "table"}


def _wrong_map(ground: SheetMap, kinds: ReadyClasses) -> Iterator[Complaint]:
    """Yield a fault for each ready areas part that cannot be used on the map."""
    frame = ground.frame()
    for kind in kinds:
        if not _fits(kind, frame):
            maps = " or ".join(f'"{_MAPS[one]}"' for one in dict.fromkeys(_frames(kind)))
            others = ", ".join(
                name for name, other in kinds_of("areas").items() if _fits(other, frame)
            )
            problem = f'{kind.__name__} needs a map of kind = {maps}, not "{ground.kind}"'
            yield f"areas.{chooses(kinds)}", problem, f"change the map, or use {others}"


def _fits(kind: type[Ready], frame: object) -> bool:
    return not (frames := _frames(kind)) or isinstance(frame, frames)


def _frames(kind: type[Ready]) -> tuple[type, ...]:
    """Return the kinds of map that a ready part and its bases name; empty if any will do."""
    return tuple(one for cls in kind.__mro__ for one in vars(cls).get("frames", ()))


def _wrong_places(form: Any) -> Iterator[Complaint]:
    frame = form.map.frame()
    for number, scenario in enumerate(form.scenario or ()):
        places = [(f"scenario[{number}].target", scenario.target)]
        places += [
            (f"scenario[{number}].unit[{n}].place", unit.place)
            for n, unit in enumerate(scenario.unit)
        ]
        places += [
            (f"scenario[{number}].battery[{n}].target", battery.target)
            for n, battery in enumerate(scenario.battery)
            if battery.target
        ]
        for key, text in places:
            try:
                frame.parse(text)
            except ValueError as error:
                yield key, str(error), "a place of the map"


def _wrong_part(form: Any, word: str, kinds: ReadyClasses, rules: set[str]) -> Iterator[Complaint]:
    table = getattr(form, word)
    if table is not None:
        yield from _wrong_rules(word, kinds, table.rules, rules)
        for name, kind in figure_types(kinds).items():
            value = getattr(table, name)
            try:
                if value is not None:
                    figure_value(kind, value)
            except ValueError as error:
                yield f"{word}.{name}", str(error), 'such as { "1-2" = 0, "3-6" = 1 }'
        yield from _wrong_chart(form, word, kinds, table)
        yield from _wrong_cards(form, word, kinds, table)
        yield from _wrong_figures(form, word, kinds, table)
    roles = [] if in_module(kinds) else [*_wrong_roles(form, word, kinds)]
    yield from roles
    others = f"add one of {', '.join(kinds_of(word))}"
    try:
        made = type("Part", kinds, {})
    except TypeError:
        yield f"{word}.kind", "these parts do not go together", "list the special one first"
        return
    if not roles:
        yield from (
            (
                f"{word}.{chooses(kinds)}",
                fault.removeprefix("Part: "),
                "correct the class in the module" if in_module(kinds) else others,
            )
            for fault in faults_of(made, word)
        )


_ROLES: Mapping[str, tuple[tuple[str, str, Any], ...]] = {
    "observers": (("sees", "what the observer sees", None),),
    "requests": (("opportunity", "how fire is called for", None),),
    "delays": (("wait", "how long a request takes", None),),
    "areas": (
        ("land", "where a shot lands", CONTRACTS["areas"]),
        ("covers", "what the fire covers", CONTRACTS["areas"]),
    ),
    "resolution": (("attack", "what fire does to a unit", Depletion),),
}
"""For each part, the methods that exactly one of its ready parts must implement.

Each has its name, its decision in words, and a base class whose version does not count (or None).
"""


def _wrong_roles(form: Any, word: str, kinds: ReadyClasses) -> Iterator[Complaint]:
    """Yield a fault for each decision that no ready part makes, or that several make."""
    frame = form.map.frame() if form.map is not None and form.map.metres > 0 else None
    for method, says, without in _ROLES[word]:
        absent = getattr(without, method, None)
        known = {
            name: kind
            for name, kind in kinds_of(word).items()
            if getattr(kind, method) is not absent
        }
        names = [kind.__name__ for kind in kinds if kind.__name__ in known]
        if not names:
            fitting = (name for name in known if frame is None or _fits(known[name], frame))
            yield f"{word}.kind", f"no part here decides {says}", f"add one of {', '.join(fitting)}"
        elif len(names) > 1:
            yield f"{word}.kind", f"{' and '.join(names)} both decide {says}", "keep one of them"


def _wrong_rules(
    word: str, kinds: ReadyClasses, cited: Mapping[str, str], rules: set[str]
) -> Iterator[Complaint]:
    needs, may = cited_names(kinds)
    known = list(dict.fromkeys([*needs, *may, *figure_types(kinds)]))
    for name, rule in cited.items():
        if name not in known:
            hint = did_you_mean(name, known, f"names here: {', '.join(nearest(name, known))}")
            yield f"{word}.rules.{name}", f"nothing here has a rule called {name}", hint
        yield from _uncited(f"{word}.rules.{name}", rule, rules)
    if missing := [name for name in needs if name not in cited]:
        names = ", ".join(f'{name} = "1.1"' for name in missing)
        yield f"{word}.rules", f"no rule for {', '.join(missing)}", f"add {names}"


def _wrong_chart(form: Any, word: str, kinds: ReadyClasses, table: Any) -> Iterator[Complaint]:
    chart, tables = getattr(table, "chart", None), form.table
    if chart is None or tables is None:
        return
    if chart not in tables:
        hint = did_you_mean(chart, tables, f"write [table.{chart}]")
        yield f"{word}.chart", f'there is no table "{chart}"', hint
        return
    yield from _unreached(form, kinds, table, chart)
    columns = tables[chart].columns
    if word == "delays":
        for column in ("outcome", "answer"):
            if column not in columns:
                hint = 'write columns = ["outcome", "answer", "moments"]'
                yield f"table.{chart}.columns", f"the table {chart} has no column {column}", hint
        yield from _wrong_answers(chart, tables[chart])
        return
    rows = tables[chart].rows.values()
    entries = sorted({entry.strip() for text in rows for entry in text.split(",")})
    if not table.severities:
        pairs = (f'"{entry}" = "{"none" if entry == "-" else "suppressed"}"' for entry in entries)
        hint = f"write severities = {{ {', '.join(pairs)} }}"
        yield f"{word}.severities", f"no severity for the results of the table {chart}", hint
        return
    for entry in entries:
        if entry not in table.severities:
            problem = f"no severity for {entry}, which the table {chart} has"
            meant = near(entry, table.severities)
            hint = f'add {toml_key(entry)} = "suppressed"'
            hint += f", or write {meant} in the table" if meant else ""
            yield f"{word}.severities", problem, hint
            if meant:
                problem = f"the result {entry} has no severity in [{word}]"
                yield f"table.{chart}.rows", problem, f"did you mean {meant}?"
    yield from _unread_columns(kinds, chart, columns)


def _wrong_answers(name: str, table: SheetTable) -> Iterator[Complaint]:
    """Yield a fault for each entry of a request chart that is no outcome or number of moments.

    A chart in which no entry grants fire is a fault, too.
    """
    outcomes = [outcome.name.lower() for outcome in Outcome]
    granted = False
    for label, text in table.rows.items():
        key = f"table.{name}.rows.{toml_key(label)}"
        row = dict(zip(table.columns, map(str.strip, text.split(",")), strict=False))
        outcome, moments = row.get("outcome", ""), row.get("moments", "0")
        granted = granted or outcome in _GRANTING
        if outcome and outcome not in outcomes:
            hint = _meant(outcome, outcomes)
            yield key, f"there is no outcome {outcome}", hint
        if not moments.isdecimal():
            yield key, f'expected a whole number of moments, got "{moments}"', "such as 2"
    if "outcome" in table.columns and not granted:
        hint = "write good or very_good in the column outcome of a row"
        yield f"table.{name}.rows", f"no answer of the table {name} grants fire", hint


_GRANTING = ("good", "very_good")


def _unread_columns(
    kinds: ReadyClasses, chart: str, columns: tuple[str, ...]
) -> Iterator[Complaint]:
    """Yield a fault naming the columns of a table of results that its part never reads, if any."""
    one = any(issubclass(kind, OneForAll) for kind in kinds)
    unread = columns[1:] if one else columns[1:-1]
    if unread and not in_module(kinds):
        read = "the first column" if one else "the first column, or the last for weaker fire"
        problem = f"{', '.join(unread)} of the table {chart} is never read: only {read} is"
        hint = "remove it; for cover, posture or quality write a [[modifier]]"
        yield f"table.{chart}.columns", problem, hint


def _unreached(form: Any, kinds: ReadyClasses, table: Any, chart: str) -> Iterator[Complaint]:
    """Yield a fault for each row of a part's chart that no throw can reach with any modifiers.

    Yield one more for the unmodified sums that have no row.
    """
    looked_up = (
        roll for kind, roll in _LOOKED_UP.items() if any(issubclass(one, kind) for one in kinds)
    )
    roll = next(looked_up, "")
    if not roll or roll.partition(".")[2] in (table.draws or {}):
        return
    dice = _thrown(kinds, table, "dice")
    reach = _reach(dice, [one for one in form.modifier or () if one.roll == roll])
    thrown = {*_reach(dice, ())}
    for label in form.table[chart].rows:
        try:
            rows = whole_numbers_in(label)
        except ValueError:
            return  # reported with the table
        thrown -= {*rows}
        if not set(rows) & set(reach):
            sums = f"{reach.start} to {reach.stop - 1}"
            problem = f'the row "{label}" can never be reached: {roll} comes to {sums}'
            yield f"table.{chart}.rows", problem, "remove it, or change the dice or modifiers"
    if thrown:
        sums = ", ".join(map(str, sorted(thrown)))
        problem = f"no row for {sums}, which the dice can come to"
        yield f"table.{chart}.rows", problem, "widen the first or the last row"


def _wrong_figures(form: Any, word: str, kinds: ReadyClasses, table: Any) -> Iterator[Complaint]:
    """Yield a fault for each impossible figure of a part.

    A figure is impossible if it is too small, an unknown word, too far for the map, or a sum that
    no throw can reach.
    """
    if (minutes := getattr(table, "minutes", None)) is not None and minutes <= 0:
        yield f"{word}.minutes", f"expected more than 0, got {minutes}", "such as minutes = 5"
    if getattr(table, "vectors", None) == ():
        yield f"{word}.vectors", "there is no direction", 'such as vectors = ["0,-2", "2,0"]'
    yield from _wrong_words(word, table)
    yield from _too_far(form, word, table)
    yield from _never_saved(form, word, kinds, table)
    for figure, (_, roll, _) in _SUMS.items():
        has = getattr(table, figure, None) is not None
        if has and roll not in (table.draws or {}) and not _is_decided(form, f"{word}.{figure}"):
            yield from _wrong_sum(form, word, kinds, table, figure)


_IN_HEXES = ("radius", "length", "lift", "narrows", "extents", "rings")
"""Figures that count hexes on a map of hexes."""


def _too_far(form: Any, word: str, table: Any) -> Iterator[Complaint]:
    """Yield a fault for each figure in hexes that reaches beyond every map edge.

    Such a figure was probably meant in metres.
    """
    if word != "areas" or form.map is None or form.map.kind == "table":
        return
    widest = form.map.columns + form.map.rows
    for figure in _IN_HEXES:
        value = getattr(table, figure, None)
        numbers = [value]
        if isinstance(value, Mapping):
            texts = value if figure == "rings" else value.values()
            numbers = [int(each) for each in texts if str(each).isdecimal()]
        if far := [number for number in numbers if number is not None and number > widest]:
            problem = (
                f"{far[0]} hexes are more than the map has ({widest}, columns and rows together)"
            )
            yield f"{word}.{figure}", problem, "count hexes, not metres"


def _never_saved(form: Any, word: str, kinds: ReadyClasses, table: Any) -> Iterator[Complaint]:
    """Yield a fault for each cover whose saving face is below 1 or above the die's reach.

    Modifiers of the saving roll are counted.
    """
    saves: Mapping[str, int] = getattr(table, "saves", None) or {}
    if not saves:
        return
    modifiers = [one for one in form.modifier or () if one.roll == "resolution.saves"]
    reach = _reach(_thrown(kinds, table, "die"), modifiers)
    for cover, face in saves.items():
        if face >= reach.stop:
            problem = (
                f"{face} can never be reached: the die comes to {reach.start} to {reach.stop - 1}"
            )
            hint = f"at most {reach.stop - 1}; a cover that never saves is left out"
            yield f"{word}.saves.{toml_key(cover)}", problem, hint
        elif face < 1:
            problem = f"expected the lowest face that saves, got {face}"
            yield f"{word}.saves.{toml_key(cover)}", problem, f"such as {toml_key(cover)} = 5"


def _wrong_sum(
    form: Any, word: str, kinds: ReadyClasses, table: Any, figure: str
) -> Iterator[Complaint]:
    """Yield a fault for a figure, or an entry of its table, that no throw can reach."""
    dice, roll, least = _SUMS[figure]
    key, value = f"{word}.{figure}", getattr(table, figure)
    modifiers = [one for one in form.modifier or () if one.roll == f"{word}.{roll}"]
    reach = _reach(_thrown(kinds, table, dice), modifiers)
    sums = f"{reach.start} to {reach.stop - 1}"
    if isinstance(value, Mapping):
        yield from _unreached_entries(key, value, reach, sums)
    elif least and value >= reach.stop:
        problem = f"{value} can never be reached: the dice come to {sums}"
        yield key, problem, f"at most {reach.stop - 1}"
    elif not least and 0 < value < reach.start and not getattr(table, "bonus", None):
        problem = f"the dice can never be as low as {value}: they come to {sums}"
        yield key, problem, f"at least {reach.start}"


def _thrown(kinds: ReadyClasses, table: Any, name: str) -> Mapping[str, Die]:
    """Return the dice for the figure ``name`` of a table, or else of its ready parts, by colour.

    A single die has the key ``one``.
    """
    dice = getattr(table, name, None)
    if dice is None:
        dice = next(getattr(kind, name) for kind in kinds if hasattr(kind, name))
    return {"one": dice} if isinstance(dice, Die) else dice


_SUMS = {
    "needed": ("dice", "relay", True),
    "skill": ("dice", "relay", False),
    "to_hit": ("accuracy_dice", "accuracy", True),
    "accurate": ("accuracy_dice", "accuracy", False),
    "score": ("dice", "check", False),
    "hit": ("die", "hits", True),
    "depleted": ("depletion_dice", "depletion", False),
    "moves": ("dice", "advance", True),
    "extents": ("extent_dice", "extent", True),
    "drifts": ("drift_dice", "blown", True),
    "shifts": ("shift_dice", "drift", True),
}
"""Figures compared with a sum: its dice, its roll, and whether the sum must reach the figure."""


def _is_decided(form: Any, figure: str) -> bool:
    return any(option.sets == figure for option in form.option or ())


def _unreached_entries(
    key: str, entries: Mapping[str, Any], reach: range, sums: str
) -> Iterator[Complaint]:
    """Yield a fault for each entry of a figure's table that no throw can reach."""
    for label in entries if len(reach) > 1 else ():
        try:
            numbers = whole_numbers_in(label)
        except ValueError:
            continue  # reported with the figure
        if not set(numbers) & set(reach):
            problem = f'the entry "{label}" can never be reached: the dice come to {sums}'
            yield key, problem, "remove it, or change the dice or modifiers"


def _wrong_words(word: str, table: Any) -> Iterator[Complaint]:
    """Yield a fault for each unknown cover or chit, and each negative number, in a part's table.

    A pile without a chit that grants a request is a fault, too.
    """
    for figure in BY_COVER:
        for cover in getattr(table, figure, None) or {}:
            if cover not in COVERS:
                yield (
                    f"{word}.{figure}.{cover}",
                    f"there is no cover {cover}",
                    _meant(cover, COVERS),
                )
    yield from _wrong_chits(word, table)
    for figure in ("pile", *BY_COVER, "rings", "delays"):
        for name, number in (getattr(table, figure, None) or {}).items():
            if number < 0:
                problem = f"expected 0 or more, got {number}"
                yield f"{word}.{figure}.{toml_key(name)}", problem, f"such as {toml_key(name)} = 3"


def _wrong_chits(word: str, table: Any) -> Iterator[Complaint]:
    """Yield a fault for each chit that is not in the pile, and for a pile that grants nothing."""
    pile: Mapping[str, int] = getattr(table, "pile", None) or {}
    if not pile:
        return
    if not any(pile.get(chit, 0) for chit in table.grants or ()):
        problem = "no chit of the pile grants a request"
        yield f"{word}.grants", problem, f'such as grants = ["{next(iter(pile))}"]'
    for name in ("grants", "denies"):
        for chit in getattr(table, name) or ():
            if chit not in pile:
                problem = f"no chit of the pile is called {chit}"
                yield f"{word}.{name}", problem, _meant(chit, pile)


def _meant(given: str, known: Iterable[str]) -> str:
    """Return a suggestion for an unknown word: the nearest known one, or all of them."""
    return did_you_mean(given, known, f"one of {', '.join(known)}")


def _reach(dice: Mapping[str, Die], modifiers: Collection[SheetModifier]) -> range:
    """Return the range from the lowest to the highest sum of these dice and any modifiers."""
    values = [one.value * max(one.failures, 1) for one in modifiers]
    least = len(dice) + sum(min(value, 0) for value in values)
    most = sum(die.faces[-1] for die in dice.values()) + sum(max(value, 0) for value in values)
    return range(least, most + 1)


_LOOKED_UP = {
    OneForAll: "resolution.strikes",
    TableLookUp: "resolution.attack",
    RequestChart: "delays.relay",
}
"""Maps ready classes to the rolls that they look up in a chart; subclasses precede their bases."""


def _wrong_cards(form: Any, word: str, kinds: ReadyClasses, table: Any) -> Iterator[Complaint]:
    decks = form.deck
    if decks is None:
        return
    named = {f"{word}.draws.{roll}": deck for roll, deck in (table.draws or {}).items()}
    if any(issubclass(kind, Hand) for kind in kinds):
        named[f"{word}.deck"] = table.deck
    for key, deck in named.items():
        if deck not in decks:
            yield key, f'there is no deck "{deck}"', f"write [deck.{deck}]"
    rolls = [roll.partition(".")[2] for roll in rolls_of(kinds)]
    for roll in table.draws or {}:
        if roll not in rolls:
            hint = f"rolls here: {', '.join(rolls) or 'none'}"
            yield f"{word}.draws.{roll}", f'this part does not roll "{roll}"', hint
    if hasattr(table, "kinds") and getattr(table, "deck", None) in decks:
        counts = _numbers_of(decks[table.deck].counts)
        yield from _wrong_kinds(word, table, counts)
        if counts and table.hand > sum(counts.values()):
            problem = f"the deck {table.deck} has fewer cards than a hand"
            yield f"{word}.hand", problem, f"at most {sum(counts.values())}"


def _numbers_of(counts: Callable[[], Mapping[int, int]]) -> Mapping[int, int]:
    try:
        return counts()
    except ValueError:
        return {}  # the deck itself is at fault


def _wrong_kinds(word: str, table: Any, numbers: Collection[int]) -> Iterator[Complaint]:
    try:
        kinds: Mapping[int, str] = figure_value(Mapping[int, str], table.kinds)
    except ValueError:
        return
    if missing := sorted(set(numbers) - set(kinds)):
        problem = f"no kind for card {', '.join(map(str, missing))}"
        yield f"{word}.kinds", problem, f'add "{missing[0]}" = "{next(iter(kinds.values()))}"'
    if numbers and (unused := sorted(set(kinds) - set(numbers))):
        problem = f"the deck has no card {', '.join(map(str, unused))}"
        yield f"{word}.kinds", problem, f"remove it, or add it to [deck.{table.deck}]"
    for name in ("calls_with", "changes", "denies_with"):
        kind = getattr(table, name, None)
        if kind and kind not in kinds.values():
            hint = f"one of {', '.join(dict.fromkeys(kinds.values()))}"
            yield f"{word}.{name}", f'no card is of the kind "{kind}"', hint


def _uncited(key: str, text: str, rules: set[str]) -> Iterator[Complaint]:
    for rule in (part.strip() for part in text.split(",")):
        if rules and rule not in rules:
            similar = ", ".join(nearest(rule, sorted(rules)))
            yield key, f"there is no rule {rule}", f"add a [[rule]] for it, or one of {similar}"
