"""Say what a table is opened with: a scenario file, or an engagement and a game, kept whole to be opened again."""

import tempfile
from collections.abc import Collection, Iterable, Mapping
from difflib import get_close_matches
from importlib.metadata import version
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Self

import attrs
import tomli
from attrs.validators import deep_iterable, deep_mapping, in_, instance_of

from fireplan_core import CannotStageError, Engagement, Scenario
from fireplan_core.files import (
    MAX_BYTES,
    FileError,
    below,
    describe,
    near,
    read_file,
    read_ordinary,
)
from fireplan_core.play import (
    Catalogue,
    HouseRuleError,
    Variation,
    load_scenario,
    rule_names,
    shipped_scenarios,
    stage_engagement,
)

ENGAGEMENT, SCENARIO = "engagement", "scenario"
MOST_NAMES = 12
"""The most names that an answer to an unknown one lists."""
MOST_MOMENTS = 10_000
"""A table may be played for so long.

A scenario file says fifty, an engagement of a day some hundreds.
"""


class HeadError(ValueError):
    """A table that cannot be opened; the message says everything that is wrong."""


def _pairs(value: Iterable[Iterable[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((salt, commitment) for salt, commitment in value)


def _moments(_head: Any, _field: Any, value: Any) -> None:
    if value is not None and (type(value) is not int or not 1 <= value <= MOST_MOMENTS):
        raise ValueError("moments")


_TEXT = instance_of(str)
_PAIRS, _OPTIONS = deep_iterable(deep_iterable(_TEXT)), deep_mapping(_TEXT, instance_of((str, int)))


@attrs.frozen(kw_only=True)
class Head:
    """Say what is played: the name and text of its file, game and options, for how many moments (None: its own).

    ``charts`` holds the chart files a scenario names, by file name; ``edition`` and ``version`` are those of the
    game when the table was opened; ``shipped`` says that the file comes with the game or the framework. ``seals``
    holds the salt and the commitment of each record that was written down before play, ``house_rules`` the names of
    the house rules that are played, in their order. ``core`` is the version of the core, ``numbers`` the digest of each
    chart of the game, and ``opening`` that of what happened before the first input, all when the table was opened.
    """

    kind: str = attrs.field(validator=in_((ENGAGEMENT, SCENARIO)))
    name: str = attrs.field(validator=_TEXT)
    text: str = attrs.field(validator=_TEXT)
    game: str = attrs.field(validator=_TEXT)
    options: Mapping[str, str | int | bool] = attrs.field(factory=dict, validator=_OPTIONS)
    charts: Mapping[str, str] = attrs.field(factory=dict, validator=deep_mapping(_TEXT, _TEXT))
    moments: int | None = attrs.field(default=None, validator=_moments)
    edition: str = attrs.field(default="", validator=_TEXT)
    version: str = attrs.field(default="", validator=_TEXT)
    shipped: bool = attrs.field(default=False, validator=instance_of(bool))
    seals: tuple[tuple[str, str], ...] = attrs.field(default=(), converter=_pairs, validator=_PAIRS)
    house_rules: tuple[str, ...] = attrs.field(
        default=(), converter=tuple[str, ...], validator=deep_iterable(_TEXT)
    )
    core: str = attrs.field(default="", validator=_TEXT)
    numbers: Mapping[str, str] = attrs.field(factory=dict, validator=deep_mapping(_TEXT, _TEXT))
    opening: str = attrs.field(default="", validator=_TEXT)

    def data(self) -> dict[str, Any]:
        """Return it as JSON has it; house rules only where there are some."""
        data = attrs.asdict(self)
        return (
            data
            if self.house_rules
            else {name: value for name, value in data.items() if name != "house_rules"}
        )

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> Self:
        """Read what ``data`` gave; raises ``HeadError`` for anything else."""
        try:
            return cls(**data)
        except (TypeError, ValueError, LookupError, AttributeError):
            raise HeadError("its head does not say what is played") from None


def make_head(
    catalogue: Catalogue,
    name: str,
    game: str | None,
    engagements: Mapping[str, Traversable],
    options: Mapping[str, str | int | bool] | None = None,
    folder: Path | None = None,
) -> Head:
    """Return the head for a shipped scenario or a file.

    With a game, for a shipped engagement or a file of one.

    With a folder, a file must lie below it: that is where whatever names it lies. Raises
    ``HeadError`` for a name that there is not.
    """
    kind = SCENARIO if game is None else ENGAGEMENT
    known: Mapping[str, Any] = shipped_scenarios(catalogue) if game is None else engagements
    if game is not None and game not in catalogue.games:
        raise HeadError(no_such("game", game, catalogue.games))
    try:
        file = (
            known[name] if name in known else Path(name) if folder is None else below(folder, name)
        )
    except ValueError as error:
        raise HeadError(str(error)) from None
    try:
        text = read_ordinary(file, MAX_BYTES).decode("utf-8")
    except (OSError, UnicodeDecodeError, ValueError):
        raise HeadError(no_such(kind, name, known)) from None
    head = Head(
        kind=kind,
        name=name,
        text=text,
        game=game or "",
        options=options or {},
        shipped=name in known,
    )
    return signed(catalogue, _with_charts(head, Path(str(file)).parent))


def signed(catalogue: Catalogue, head: Head) -> Head:
    """Return the same with its game named, and the edition and version that the game has now."""
    game = head.game or str(_content(head.text).get("game", ""))
    entry = catalogue.games.get(game)
    if entry is None:
        return attrs.evolve(head, game=game)
    return attrs.evolve(
        head,
        game=game,
        edition=entry.game.edition,
        version=entry.version,
        core=version("fireplan-core"),
    )


def opened(catalogue: Catalogue, head: Head, rules: Collection[Any] = ()) -> tuple[Scenario, int]:
    """Return the scenario that a head tells, and for how many moments it is played.

    The house rules that it names are taken from ``rules``. Raises ``HeadError`` with everything
    that is wrong.
    """
    given = dict(zip(rule_names(rules), rules, strict=True))
    if missing := [name for name in head.house_rules if name not in given]:
        raise HeadError(
            f"it is played with house rules: give {', '.join(missing)} with --house-rules"
        )
    laid = tuple(given[name] for name in head.house_rules)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{Path(head.name).stem or 'table'}.toml"
        try:
            file.write_text(head.text, encoding="utf-8")
            stored = {
                name: f"{number}/{Path(name).name}" for number, name in enumerate(head.charts)
            }
            for name, chart in stored.items():
                (Path(folder) / chart).parent.mkdir()
                (Path(folder) / chart).write_text(head.charts[name], encoding="utf-8")
            changed = Variation(options=head.options, rules=laid)
            if head.kind == ENGAGEMENT:
                engagement = read_file(file, Engagement, what="engagement")
                scenario = stage_engagement(catalogue, head.game, engagement, changed)
                moments = scenario.clock.moments(engagement.minutes)
            else:
                scenario, form = load_scenario(catalogue, file, variation=changed, stored=stored)
                moments = form.moments
        except FileError as error:
            raise HeadError(describe(error.faults)) from error
        except CannotStageError as error:
            raise HeadError(
                f"{head.game} cannot stage this: " + "; ".join(error.reasons)
            ) from error
        except (KeyError, ValueError, OSError, HouseRuleError) as error:
            raise HeadError(str(error.args[0] if error.args else error)) from error
    return scenario, head.moments or moments


def no_such(what: str, given: str, known: Iterable[str]) -> str:
    """Return the answer to an unknown name, with the nearest known one and at most twelve of the others."""
    names = list(known)
    meant = near(given, names, 0.4)
    hint = f" Did you mean {meant!r}?" if meant else ""
    if len(names) <= MOST_NAMES:
        return f"There is no {what} {given!r}.{hint} There are: {', '.join(names) or 'none'}."
    shown = get_close_matches(given, names, n=MOST_NAMES, cutoff=0.4) or names[:MOST_NAMES]
    return (
        f"There is no {what} {given!r}.{hint} There are {len(names)}, such as {', '.join(shown)}."
    )


def _content(text: str) -> dict[str, Any]:
    """Return what a file says.

    Nothing where it cannot be read, for what is wrong with it is said when it is opened.
    """
    try:
        return tomli.loads(text) if len(text) <= MAX_BYTES else {}
    except (ValueError, RecursionError):
        return {}


def _with_charts(head: Head, folder: Path) -> Head:
    """The same with the texts of the chart files that a scenario names: a journal holds all it is played with."""
    charts = _content(head.text).get("charts", {}) if head.kind == SCENARIO else {}
    try:
        files = {
            str(file): read_ordinary(below(folder, str(file)), MAX_BYTES)
            for file in dict(charts).values()
        }
    except (ValueError, TypeError, OSError):
        return head
    # One that is too large is cut off, which is said when it is opened.
    found = {name: content.decode("utf-8", errors="ignore") for name, content in files.items()}
    return attrs.evolve(head, charts=found)
