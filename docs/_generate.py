"""Write the generated parts of the pages: the contract, the commands' help, and facts of games.

``python docs/_generate.py`` writes them into the pages, between marks, so that the pages can be
read without a build. Introductions, and everything that needs judgement, are written by hand around
them. ``write_all`` writes files that are only included when the pages are built.
"""

from __future__ import annotations

import ast
import csv
import inspect
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from importlib import import_module
from pathlib import Path
from textwrap import dedent
from typing import Any, Literal, get_args, get_origin, get_type_hints

import _signatures
import attrs
import tomli
from _game_pages import BESIDE, figures, mission, surprises
from _notebooks import notebooks
from _notebooks import page as notebook_page
from _procedures import (
    ASPECTS,
    games_of,
    is_complete,
    mechanism_rows,
    mechanisms,
    named,
    procedure_rows,
)

from fireplan.analysis import YARDSTICKS, find_engagement, shipped_engagements
from fireplan.analysis import number as rounded
from fireplan.analysis.rule_pages import rule_page
from fireplan.cli import app
from fireplan.cli.question_commands import FACTS
from fireplan.sheets import kinds_of
from fireplan.sheets.forms import SheetHead
from fireplan.sheets.tables import cited_names, in_sheet, part_table, rolls_of
from fireplan.solver import explore_orders, lifecycle_svg, passages
from fireplan.table import shipped_playthroughs
from fireplan_core import (
    WORDS,
    Engagement,
    Game,
    GameSpec,
    Mission,
    Part,
    RuleSpec,
    Staging,
    Unit,
    View,
    cycle,
    numbers_of,
)
from fireplan_core.ledger import Rule
from fireplan_core.mission import Decks
from fireplan_core.play import (
    CONTRACTS,
    Catalogue,
    Variation,
    contract_of,
    part_of,
    shipped_scenarios,
    stage_engagement,
)

RULES = {
    "asl": "C1.21",
    "wacht_am_rhein": "12.2.0",
    "red_poppies": "5.11",
    "miniatures_1943": "6.2.b",
}
"""The rule of each game that is shown with its code."""
DOCS = Path(__file__).parent
GAMES = tuple(sorted(page.stem for page in (DOCS / "games").glob("*.md")))
"""The games that have a page; pages of games that are not installed are not changed."""
ENGAGEMENT = "woods"
"""The engagement whose missions the diagrams follow."""
SIDE_BY_SIDE = "seven_games"
"""The page of all games; it is not changed if some are not installed."""
SENTENCES = sorted((Path(__file__).parent / "sentences").glob("*.toml"))
"""The second readings of the games' texts, sentence by sentence."""

EDITIONS = sorted((Path(__file__).parent / "editions").glob("*.csv"))
"""The results of ``_editions.py`` about the other readings of every option."""


MARKED = re.compile(r"<!-- generated: ([\w./-]+) -->\n.*?<!-- end -->\n", re.DOTALL)
"""The generated parts of the pages.

Nothing between the marks is written by hand.
"""


def write_all(folder: Path) -> None:
    """Write the files that pages include, below a folder: tables of sentences and notebooks.

    Files that would not change are not written.
    """
    for file in SENTENCES:
        _write(folder / "sentences" / f"{file.stem}.md", sentences(file))
    for file in EDITIONS:
        _write(folder / "editions" / f"{file.stem}.md", editions(file))
    for notebook in notebooks():
        _write(
            folder / "notebooks" / f"{notebook.stem}.md",
            notebook_page(notebook.read_text(encoding="utf-8")),
        )


def pieces() -> dict[str, str]:
    """Return every generated text by its mark, and every picture by its file name."""
    catalogue = Catalogue.installed()
    found = {f"commands/{name}": text for name, text in facts_once(commands()).items()}
    found |= {f"contract/{name}": text for name, text in contract().items()}
    found |= {
        "yardsticks": yardsticks(),
        "engagements": engagements(),
        "engagement_keys": keys(Engagement),
        "sheet_keys": keys(SheetHead),
        **{f"sheet_{word}": ready_keys(word) for word in WORDS},
        "sheet_mechanisms": said_in_sheets(),
    }
    found["one_rule"] = one_rule(catalogue)
    found |= seven_games(catalogue) if is_complete(catalogue) else {}
    for key in _installed(catalogue):
        found |= {
            f"games/{key}/{name.removesuffix('.md')}": text
            for name, text in game_pieces(catalogue, key).items()
        }
    return found


def pages() -> dict[Path, str]:
    """Return every page with its generated texts as they should be now, and the pictures beside the pages."""
    found, made = {}, pieces()
    installed = _installed(Catalogue.installed())
    left = (f"{SIDE_BY_SIDE}/", *(f"games/{key}/" for key in GAMES if key not in installed))

    def filled(mark: re.Match[str]) -> str:
        if mark[1].startswith(left) and mark[1] not in made:
            return mark[0]
        return f"<!-- generated: {mark[1]} -->\n\n{made[mark[1]].strip()}\n\n<!-- end -->\n"

    for page in sorted(DOCS.rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        if MARKED.search(text):
            found[page] = MARKED.sub(filled, text)
    return found | {
        DOCS / "games" / f"{key}_life.svg": made[f"games/{key}/life.svg"] for key in installed
    }


def _installed(catalogue: Catalogue) -> list[str]:
    """Return the installed games that have a page."""
    return [key for key in GAMES if key in catalogue.games]


def _write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if not file.exists() or file.read_text(encoding="utf-8") != text:
        file.write_text(text, encoding="utf-8")


def contract() -> dict[str, str]:
    """Return the tables of the contract's page, by name."""
    asked = ((word, query) for word in WORDS for query in queries_of(CONTRACTS[word]))
    hooks = (
        (whose, hook)
        for whose, kind in (("game", GameSpec), ("house rule", RuleSpec))
        for hook in queries_of(kind)
    )
    declared = (
        (word, f"`{name}`", DECLARED[name])
        for word, kind in {"every part": Part, **CONTRACTS}.items()
        for name in inspect.get_annotations(kind)
        if name != "word"
    )
    tables = {
        "steps": _table(
            ("part", "step", "must it be there?", "what it is for"),
            (
                (word, signature(step), _needed(step, "optional"), _text(step))
                for word, step in steps_of_the_contract()
            ),
        ),
        "cycle": _table(
            ("step of the core", "what it does"),
            ((signature(step.run), _text(step.run)) for step in cycle.steps().values()),
        ),
        "queries": _table(
            ("part", "query", "must it be there?", "what it answers"),
            (
                (word, signature(query), _needed(query, "has a default"), _text(query))
                for word, query in asked
            ),
        ),
        "part": _table(
            ("method", "must it be there?", "what it is for"),
            (
                (signature(method), _needed(method, "has a default"), _text(method))
                for method in queries_of(Part)
            ),
        ),
        "declared": _table(("part", "attribute", "what it says"), declared),
        "neutral": _table(
            ("field", "parts that may change it", "what the core does with it", "what it says"),
            neutral_fields(),
        ),
        **{
            name: _table(("name", meaning), members_of(kind))
            for name, meaning, kind in (
                ("view", "what it gives", View),
                ("staging", "what it does", Staging),
            )
        },
        "hooks": _table(
            ("hook of a", "hook", "what it answers"),
            ((whose, signature(hook), _text(hook)) for whose, hook in hooks),
        ),
    }
    return {**tables, "imports": _table(("from", "import"), imports(tables.values()))}


MODULES = (
    "fireplan_core",
    "fireplan_core.chance",
    "fireplan_core.ready_parts",
    "fireplan_core.space",
    "fireplan_core.ledger",
    "fireplan_core.play",
    "fireplan_core.mission",
    "fractions",
    "collections.abc",
    "typing",
)
"""The modules from which authors import, in the order in which names are looked up."""
FOR_AUTHORS = (
    "reference/contract.md",
    "tutorials/new_game.md",
    "explanation/author_questions.md",
    "how_to/dice.md",
)
"""The pages for authors of games."""


def imports(tables: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each module that authors import from, with those of its names that the authors' pages use.

    A name that several modules have is listed with each module from which a page imports it, or
    with the first of them.
    """
    pages = [(DOCS / page).read_text(encoding="utf-8") for page in FOR_AUTHORS]
    text = "\n".join([*tables, *(MARKED.sub("", page) for page in pages)])
    code = "\n".join(re.findall(r"```.*?```|`[^`\n]+`", text, re.DOTALL))
    types = set(re.findall(r"(?<![\w.'])[A-Z]\w*", code))
    called = set(re.findall(r"(?<![\w.])(?<!def )([a-z]\w*)(?=\()|@([a-z]\w*)", code))
    imported: dict[str, set[str]] = {}
    for module, listed in re.findall(r"^from (\S+) import (\([^)]*\)|.*)", code, re.MULTILINE):
        names = re.findall(r"(\w+)(?: as \w+)?(?:,|\s|\)|$)", listed)
        imported.setdefault(module, set()).update(names)
    homes: dict[str, str] = {}
    for module in map(import_module, MODULES):
        own = [name for name, value in vars(module).items() if _module_of(value) == module.__name__]
        for name in getattr(module, "__all__", own):
            homes.setdefault(name, module.__name__)
    for module in MODULES:
        used = types.union(*called) if module in MODULES[:2] else types
        names = {name for name in used if homes.get(name) == module} | imported.get(module, set())
        yield (
            f"`{module}`",
            ", ".join(f"`{name}`" for name in sorted(sorted(names), key=str.casefold)),
        )


def _module_of(value: object) -> str:
    return getattr(value, "__module__", "")


DECLARED: Mapping[str, str] = {
    "cites": "the game's rule for each event that the core emits on the part's behalf",
    "publishes": "the records that other parts may read",
    "places_apart": "False if strikes affect more than their place; then no strike is confined to its place",
    "decks": "the decks that it draws from, each with the chart that counts its cards by kind",
    "printed": "what is printed on each card of its decks, by which players name the cards",
    "keeps": "all records that it writes, each for an asset, a unit, the table, a place, or an asset at a place",
    "miss_not_modelled": "why there is no miss distance, in a game whose fire lands where it is aimed by rule",
    "weighs_aim": "False if orders are weighed at a table for harm first, not for fire on target",
    "removes_destroyed": "True if destroyed units leave the table wherever units can move",
    "least_weighed": "the least harm that counts when orders are compared at a table",
    "reveals": "the kinds of events that reveal a secret by rule; the check L21-views does not take them for leaks",
    "kinds": "the kinds of fire that may land; requests offer no others",
    "severities": "each result of the game on the neutral scale",
}
"""The attributes that a part class declares, with their meanings."""


def neutral_fields() -> Iterator[tuple[str, str, str, str]]:
    """Yield every neutral field: its name, who may change it, when the core does, its meaning."""
    changed: dict[str, list[str]] = {}
    for found in ast.parse(inspect.getsource(cycle)).body:
        calls = [
            node
            for node in ast.walk(found)
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "update"
        ]
        for given in (word for call in calls for word in call.keywords):
            value = ast.unparse(given.value)
            cleared = value in ("None", "False", "''")
            how = "clears it" if cleared else f"sets it to `{value}`"
            changed.setdefault(str(given.arg), []).append(f"`{getattr(found, 'name', '')}` {how}")
    for kind in (Mission, Unit, Decks):
        for field in attrs.fields(kind):
            told = "; ".join(changed.get(field.name, ())) if kind is Mission else ""
            may = ", ".join(field.metadata["by"]) or "none"
            first = str(field.default) if isinstance(field.default, Enum) else repr(field.default)
            says = f"{field.metadata['help']}; at first `{first}`"
            yield f"`{kind.__name__}.{field.name}`", may, told or "reads it only", says


def steps_of_the_contract() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Yield every step of the contract with its part: required ones first, then in the order of the classes."""
    for word in WORDS:
        order = [name for kind in CONTRACTS[word].__mro__ for name in vars(kind)]
        steps = sorted(
            contract_of(word).items(),
            key=lambda item: (not _is_required(item[1]), order.index(item[0])),
        )
        yield from ((word, step) for _, step in steps)


def queries_of(kind: type) -> list[Callable[..., Any]]:
    """Return the public methods that a class itself defines, except the steps of its contract."""
    steps = contract_of(kind.word) if kind in CONTRACTS.values() else {}
    return [
        method
        for name, method in vars(kind).items()
        if inspect.isfunction(method) and not name.startswith("_") and name not in steps
    ]


def members_of(kind: type) -> Iterator[tuple[str, str]]:
    """Yield the public methods and properties of a class: how a caller writes each, and its purpose."""
    for name, member in vars(kind).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield signature(member.fget).replace("() ->", ":"), _text(member.fget)
        elif inspect.isfunction(member):
            yield signature(member), _text(member)


def signature(function: Callable[..., Any]) -> str:
    """Return a function as a caller writes it.

    A step is written without chance and view, a query with its answer.
    """
    written = inspect.signature(function)
    arguments = [one for one in written.parameters.values() if one.name != "self"]
    answer = written.return_annotation
    if arguments and arguments[0].name.lstrip("_") == "chance":
        arguments, answer = arguments[2:], inspect.Signature.empty
    shown = str(written.replace(parameters=arguments, return_annotation=answer))
    unquoted = re.sub(r"'([^']+)'", r"\1", re.sub(r"<([\w.]+): [^>]*>", r"\1", shown))
    short = re.sub(
        r"\b(?:typing|collections\.abc|fractions|fireplan_core(?:\.\w+)*)\.", "", unquoted
    )
    places = short.replace("Annotated[Any, place]", "Place")
    written_out = re.sub(r"Optional\[(\w+)\]", r"\1 | None", places)
    written_out = written_out.replace("-> Footprint", "-> tuple[tuple[Place, ...], float]")
    return f"`{function.__name__}{written_out}`"


def _is_required(function: Callable[..., Any]) -> bool:
    """Return whether a game must write a method: a step marked as required, or a query without a default."""
    return "raise NotImplementedError" in inspect.getsource(function)


def _needed(function: Callable[..., Any], otherwise: str) -> str:
    return "**required**" if _is_required(function) else otherwise


def _text(function: Callable[..., Any]) -> str:
    return (inspect.getdoc(function) or "").replace("``", "`")


def commands() -> dict[str, str]:
    """Return the help of every command as Markdown, by name: usage, arguments, and options with defaults."""
    text = app.app().generate_docs(output_format="markdown")
    found = re.split(r"^## fireplan ([\w-]+)$", text, flags=re.MULTILINE)[1:]
    # Leave out "-m MODULE", which the usage contains if the program was started as a module.
    plain = {
        name: re.sub(r"^(fireplan [\w-]+) -m \S+", r"\1", body.strip(), flags=re.MULTILINE) + "\n"
        for name, body in zip(found[::2], found[1::2], strict=True)
    }
    # Escape double square brackets, which would be read as markup.
    escaped = {
        name: body.replace("[[", r"\[\[").replace("]]", r"\]\]")
        for name, body in sorted(plain.items())
    }
    return {name: body.replace("```console", "```text") for name, body in escaped.items()}


def facts_once(helps: dict[str, str]) -> dict[str, str]:
    """Return the commands' help with the facts of an engagement listed only for ``compare``."""
    mark = f"**{FACTS}**:\n\n"
    listed = helps["compare"].partition(mark)[2].splitlines()

    def shortened(body: str) -> str:
        rest, found, facts = body.partition(mark)
        own = [line for line in facts.splitlines() if line not in listed]
        more = ", and:\n\n" + "\n".join(own) if own else "."
        return f"{rest}**{FACTS}**: as for [compare](#compare){more}\n" if found else body

    return {name: body if name == "compare" else shortened(body) for name, body in helps.items()}


def one_rule(catalogue: Catalogue) -> str:
    """Return one rule of each game, as ``fireplan rules GAME RULE`` prints it, and the first step that cites it."""
    found = []
    for key, number in RULES.items():
        page = rule_page(catalogue, key, number)
        step = page.steps[0]
        printed = "\n".join(page.lines())
        code = f"# {step.file}, line {step.line}\n{dedent(step.source)}"
        found.append(
            f"## {page.title}: {number}\n\n```text\n{printed}\n```\n\n```py\n{code}\n```\n"
        )
    return "\n".join(found)


def sentences(file: Path) -> str:
    """Return the second reading of a text: each sentence's requirement, its tests, and the decision."""
    text = tomli.loads(file.read_text(encoding="utf-8"))
    rows = (
        (
            one["clause"],
            one["asks"],
            " ".join(f"`{test.partition('::')[2]}`" for test in one["test"]),
            one.get("ruled", ""),
        )
        for one in text["sentence"]
    )
    head = f"## {text['title']}\n\n{len(text['sentence'])} sentences; tests are in `{text['tests']}`.\n\n"
    return head + _table(("clause", "asked", "tests", "ruled"), rows)


def editions(file: Path) -> str:
    """Return every reading of a game except the default, with its effect and how soon the two diverge."""
    with file.open(encoding="utf-8", newline="") as lines:
        found = list(csv.DictReader(lines))
    why = tomli.loads((file.parent / "none.toml").read_text(encoding="utf-8")).get(file.stem, {})
    rows = (
        (
            row["rule"],
            f"`{row['option']}`",
            f"{row['default']} / {row['value']}",
            row["moved"].replace(" | ", ", ") or "nothing moves",
            row["left_out"].replace(" | ", ", "),
            f"{row['by']} after {row['inputs']}: {row['what']}"
            if row["by"]
            else why[row["option"]][row["value"]],
        )
        for row in found
    )
    title = Catalogue.installed()[file.stem].game.title
    head = f"## {title}\n\nOver {found[0]['moments']} moments.\n\n"
    return head + _table(
        ("rule", "option", "readings", "moves odds in", "too large there", "parts"), rows
    )


def yardsticks() -> str:
    """Return a table of the yardsticks of the comparison, with their units and definitions."""
    return _table(
        ("yardstick", "unit", "what it says"), ((y.title, y.unit, y.definition) for y in YARDSTICKS)
    )


def engagements() -> str:
    """Return a table of the shipped engagements."""
    found = ((name, find_engagement(name)) for name in shipped_engagements())
    return _table(
        ("name", "what it is", "watched"),
        ((f"`{n}`", e.summary, f"{e.minutes} min") for n, e in found),
    )


def seven_games(catalogue: Catalogue) -> dict[str, str]:
    """Return the tables of the installed games side by side, and of the mechanisms they consist of."""
    clocks = []
    for key in games_of(catalogue):
        game = catalogue[key].game
        clock = part_of(catalogue, "delays", key, Variation()).clock()
        clocks.append((named(game), game.edition, f"{clock.moment}, {_length(clock.minutes)}"))
    found = {f"{SIDE_BY_SIDE}/games": _table(("game", "rules", "a moment"), clocks)}
    for aspect, rows in procedure_rows(catalogue).items():
        head = ("game", "how", "rules", ASPECTS[aspect][0])
        found[f"{SIDE_BY_SIDE}/{aspect}"] = _table(head, rows)
    mapped = (
        (what, how, *(", ".join(names) for names in users))
        for what, how, *users in mechanism_rows(catalogue)
    )
    head = (
        "mechanism",
        "ready part",
        "games that use it",
        "games with steps of their own",
        "small examples",
    )
    return found | {f"{SIDE_BY_SIDE}/mechanisms": _table(head, mapped)}


def keys(kind: type) -> str:
    """Return a table of every key that a file of this form may hold: its meaning, values and default."""
    return _table(("key", "meaning", "values", "default"), _keys(kind, ""))


def ready_keys(word: str) -> str:
    """Return every ready part for a table of a sheet: what it does, its keys, and the names of its rules."""
    found = []
    for name, kind in kinds_of(word).items():
        summary = (kind.__doc__ or "").strip().partition("\n")[0].replace("``", "`")
        table = part_table((kind,))
        needs, may = cited_names((kind,))
        rows = [
            (key, *cells, default or _of_class(kind, key.strip("`")))
            for key, *cells, default in _keys(table, "")
            if key not in ("`kind`", "`rules`", "`draws`")
        ]
        rules = f"Rules: {', '.join(needs) or 'none'}"
        rules += f"; optional: {', '.join(may)}." if may else "."
        rules += f" Rolls: {', '.join(rolls)}." if (rolls := rolls_of((kind,))) else ""
        found += [f"**`{name}`**: {summary}", "", rules, ""]
        found += [_table(("key", "meaning", "values", "default"), rows), ""] if rows else []
    return "\n".join(found)


def _of_class(kind: type, figure: str) -> str:
    """Return a ready part's own value of a figure, as a sheet writes it."""
    value = getattr(kind, figure, None)
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        value = " ".join(f'"{east},{south}"' for east, south in value)
    text = "" if value is None or value in ((), {}) else in_sheet(value)
    return f"`{text}`" if text else ""


def said_in_sheets() -> str:
    """Return a table of how a sheet expresses each mechanism, or why it cannot."""
    return _table(
        ("mechanism", "in a sheet"),
        (
            (
                f"**{one['name']}**: {one['what']}",
                " ".join(f"`{line}`" for line in one["sheet"].split("\n") if line)
                if "sheet" in one
                else f"not yet: {one['no_sheet']}",
            )
            for one in mechanisms()
        ),
    )


def _keys(kind: type, above: str) -> Iterator[tuple[str, str, str, str]]:
    """Yield the rows of a form, each followed by those of its tables: ``target.men``, ``unit[].hex``."""
    hints = get_type_hints(kind)
    for field in attrs.fields(kind):
        hint = hints[field.name]
        inner = [one for one in (hint, *get_args(hint)) if isinstance(one, type) and attrs.has(one)]
        several = "[]" if inner and get_origin(hint) is tuple else ""
        name = f"{above}{field.name}{several}"
        help_text = field.metadata.get("help", "")
        yield (
            f"`{name}`",
            help_text,
            _values(hint, field.metadata.get("range")),
            _default(field.default),
        )
        for one in inner:
            yield from _keys(one, f"{name}.")


def _values(hint: Any, span: tuple[int, int] | None) -> str:
    if span is not None:
        return f"{span[0]} to {span[1]}"
    for one in (hint, *get_args(hint)):
        if get_origin(one) is Literal:
            return ", ".join(f"`{value}`" for value in get_args(one) if value != "")
    return "`true`, `false`" if hint is bool else ""


def _default(value: Any) -> str:
    if value is attrs.NOTHING:
        return "needed"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, tuple):
        return ", ".join(f"`{one}`" for one in value)
    return f"`{value}`" if isinstance(value, int | str) and value != "" else ""


def game_pieces(catalogue: Catalogue, key: str) -> dict[str, str]:
    """Return the pieces of a game's page, by file name."""
    game = catalogue[key].game
    scenario = stage_engagement(catalogue, key, find_engagement(ENGAGEMENT))
    found = passages(explore_orders(scenario), scenario, scenario.mission_ids[0])
    clock = scenario.clock
    facts = [
        ("name in commands", f"`{key}`"),
        ("rules", game.edition),
        ("length of a moment", f"1 {clock.moment} = {_length(clock.minutes)}"),
        ("models", ", ".join(game.capabilities)),
        (
            "scenarios",
            ", ".join(
                f"`{name}`" for name in shipped_scenarios(catalogue) if name.startswith(f"{key}/")
            ),
        ),
        (
            "charts that a file of yours can replace",
            ", ".join(f"`{name}`" for name in game.chart_readers) or "none",
        ),
        (
            "playthroughs",
            str(sum(name.startswith(f"{key}/") for name in shipped_playthroughs(catalogue))),
        ),
    ]
    return {
        "life.svg": lifecycle_svg(found, game.title),
        "life.md": f"![Life of a mission: {game.title}]({key}_life.svg)\n\n"
        "This picture is drawn from the code, from every legal order and every result of the dice. A number on an arrow marks "
        "a transition from one stage to another; a number on a box marks an event within that stage. Rules are in brackets. "
        f"`fireplan graph {key} --engagement dug_in` draws it for another engagement.\n",
        "facts.md": _table(("", ""), facts),
        "figures.md": _table(("game", *BESIDE.values()), figures(catalogue, key)),
        "surprises.md": surprises(key),
        "mission.md": mission(key),
        "options.md": "The first value is the default: it applies unless you choose another. "
        f"`fireplan whatif --option '{key}.NAME=VALUE'` shows exactly what another value changes.\n\n"
        + _options(game),
        "charts.md": _charts(game)
        + "\nThe table counts the entries of each chart. *Printed* entries are the game's. *Derived* ones are our "
        "interpretation of them for engagements in metres and men. *Reconstructed* ones replace values that no source gives. "
        f"`fireplan numbers {key}` lists them all.\n",
        "numbers.md": _named(game),
        "rests_on.md": f"In the engagement `{ENGAGEMENT}`:\n\n"
        + "".join(f"* {_cell(_by_meaning(note))}\n" for note in scenario.provenance),
        "keys.md": "A scenario file gives the game's own units and places instead of an engagement; start from one of "
        f"those in `plugins/{key}/src/fireplan_{key}/data/scenarios`. `[]` marks tables that may be repeated (`[[unit]]`). All faults of a file are reported at "
        "once.\n\n" + keys(game.scenarios.kind)
        if game.scenarios
        else "",
        "rules.md": _rules(key, game.ledger.rules.values()),
    }


def _length(minutes: Fraction) -> str:
    """Return a duration in minutes, or in seconds if it is shorter than one."""
    return f"{rounded(minutes)} min" if minutes >= 1 else f"{rounded(minutes * 60)} s"


def _options(game: Game) -> str:
    rows = (
        (f"`{o.name}`", ", ".join(f"`{value}`" for value in o.values), o.summary, o.cite)
        for o in game.options
    )
    return _table(("option", "values, default first", "what it decides", "rule"), rows)


def _charts(game: Game) -> str:
    """Return a table of the charts: the numbers of entries by provenance, and their rules."""
    counted: dict[str, Counter[str]] = {}
    rules: dict[str, set[str]] = {}
    for number in numbers_of(game.charts).values():
        counted.setdefault(number.chart, Counter())[number.cell.provenance] += 1
        rules.setdefault(number.chart, set()).add(number.cell.cite)
    rows = (
        (
            f"`{chart}`",
            *(str(count[kind] or "") for kind in ("printed", "derived", "reconstructed")),
            _few(rules[chart]),
        )
        for chart, count in counted.items()
    )
    return _table(("chart", "printed", "derived", "reconstructed", "rules"), rows)


def _few(rules: set[str], most: int = 6) -> str:
    found = sorted(rule for rule in rules if rule)
    return "; ".join(found[:most]) + ("; and others" if len(found) > most else "")


def _named(game: Game) -> str:
    rows = (
        (
            f"`{name}`",
            str(number.cell.value),
            number.cell.summary,
            number.cell.provenance,
            number.cell.cite,
        )
        for name, number in numbers_of(game.charts).items()
        if number.chart == "numbers"
    )
    return _table(("number", "value", "what it is", "provenance", "rule"), rows)


def _rules(key: str, rules: Iterable[Rule]) -> str:
    """Return the number of rules in force, then the others (except headings), each with the reason."""
    listed = list(rules)
    counts = Counter(rule.status for rule in listed)
    out = [rule for rule in listed if rule.status == "not applicable"]
    words = ", ".join(f"{status} {count}" for status, count in sorted(counts.items()))
    head = f"`fireplan rules {key}` lists {len(listed)} numbered rules by status: {words}.\n"
    reasons = ((rule.id, rule.reason) for rule in out)
    return f"{head}\n{_table(('rule', 'not played because'), reasons)}" if out else head


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(_cell(str(cell)) for cell in line) + " |\n" for line in lines)


def _by_meaning(note: str) -> str:
    """Return a note on the rules; a reconstructed number is named by its meaning, not its key."""
    key, tag = r"^.* is reconstructed (\([^()]*\)): ", r"(?:\[\w+\] )?"
    return re.sub(f"{key}{tag}(.*)$", r"\2: reconstructed \1", note)


def _cell(text: str) -> str:
    """Return a text that is safe in one cell of a Markdown table."""
    return " ".join(text.split()).replace("|", r"\|").replace("<", r"\<")


if __name__ == "__main__":
    _signatures.STUB.write_text(_signatures.stub(), encoding="utf-8")
    for page, text in pages().items():
        _write(page, text)
