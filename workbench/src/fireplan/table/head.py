"""The head of a table: the scenario file, or engagement and game, from which it is opened.

The full texts of its files are stored, so that the table can be opened again.
"""

import tempfile
from collections.abc import Collection, Iterable, Mapping
from importlib.metadata import version
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Self

import attrs
import tomli
from attrs.validators import deep_iterable, deep_mapping, in_, instance_of

from fireplan.errors import InputError, unknown
from fireplan.positions import Source
from fireplan.sheets import SHEET, admit, in_use, keep
from fireplan_core import CannotStageError, Engagement, ProcedureError, Scenario
from fireplan_core.files import (
    MAX_BYTES,
    Document,
    FileError,
    below,
    describe,
    read_file,
    read_ordinary,
)
from fireplan_core.play import (
    Catalogue,
    Variation,
    load_scenario,
    rule_names,
    shipped_scenarios,
    stage_engagement,
)

ENGAGEMENT, SCENARIO = "engagement", "scenario"
MOST_MOMENTS = 10_000
"""Maximum number of moments for which a table may be played.

Scenario files have about fifty, and an engagement of a day has a few hundred.
"""


def _pairs(value: Iterable[Iterable[str]]) -> tuple[tuple[str, str], ...]:
    return tuple((salt, commitment) for salt, commitment in value)


def _moments(_head: Any, _field: Any, value: Any) -> None:
    if value is not None and (type(value) is not int or not 1 <= value <= MOST_MOMENTS):
        raise ValueError(
            f"moments: expected a whole number from 1 to {MOST_MOMENTS:,}, got {value!r}"
        )


_TEXT = instance_of(str)
_PAIRS = deep_iterable(deep_iterable(_TEXT))
_TEXTS = deep_mapping(_TEXT, _TEXT, instance_of((Mapping,)))
_OPTIONS = deep_mapping(_TEXT, instance_of((str, int)), instance_of((Mapping,)))


@attrs.frozen(kw_only=True)
class Head:
    """The source of a table: name and text of its file, game, options and length in moments.

    ``moments`` is None if the scenario's own length is used. ``charts`` maps file names to the
    chart files that the scenario names. ``shipped`` is set if the file comes with the game or the
    framework. ``edition``, ``version`` and ``core`` record the game, its plugin and the core when
    the table was opened. ``numbers`` contains the digests of the game's charts at that time, and
    ``opening`` the digest of everything before the first input. ``seals`` contains the salt and the
    commitment of each record written before play, and ``house_rules`` the names of the house rules
    in play, in order. ``sheet`` is the text of the sheet that describes the game, if there is one.
    """

    kind: str = attrs.field(validator=in_((ENGAGEMENT, SCENARIO)))
    name: str = attrs.field(validator=_TEXT)
    text: str = attrs.field(validator=_TEXT)
    game: str = attrs.field(validator=_TEXT)
    options: Mapping[str, str | int | bool] = attrs.field(factory=dict, validator=_OPTIONS)
    charts: Mapping[str, str] = attrs.field(factory=dict, validator=_TEXTS)
    moments: int | None = attrs.field(default=None, validator=_moments)
    edition: str = attrs.field(default="", validator=_TEXT)
    version: str = attrs.field(default="", validator=_TEXT)
    shipped: bool = attrs.field(default=False, validator=instance_of(bool))
    seals: tuple[tuple[str, str], ...] = attrs.field(default=(), converter=_pairs, validator=_PAIRS)
    house_rules: tuple[str, ...] = attrs.field(
        default=(), converter=tuple[str, ...], validator=deep_iterable(_TEXT)
    )
    core: str = attrs.field(default="", validator=_TEXT)
    numbers: Mapping[str, str] = attrs.field(factory=dict, validator=_TEXTS)
    opening: str = attrs.field(default="", validator=_TEXT)
    sheet: str = attrs.field(default="", validator=_TEXT)

    def data(self) -> dict[str, Any]:
        """Return the head as data for JSON; house rules and a sheet only if there are any."""
        return {
            name: value
            for name, value in attrs.asdict(self).items()
            if value or name not in {"house_rules", "sheet"}
        }

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> Self:
        """Return the head that ``data`` describes; raise ``InputError`` if it is malformed."""
        try:
            return cls(**data)
        except (TypeError, ValueError, LookupError, AttributeError):
            raise InputError("the head does not describe a game") from None


def make_head(
    catalogue: Catalogue,
    name: str,
    game: str | None,
    engagements: Mapping[str, Traversable],
    options: Mapping[str, str | int | bool] | None = None,
    folder: Path | None = None,
) -> Head:
    """Return the head of the table that a shipped scenario or a scenario file describes.

    With a game, ``name`` is a shipped engagement or an engagement file. With a folder, files must
    be inside it. Raise ``InputError`` if there is no such game or file.
    """
    kind = SCENARIO if game is None else ENGAGEMENT
    known: Mapping[str, Any] = shipped_scenarios(catalogue) if game is None else engagements
    if game is not None and game not in catalogue.games:
        raise unknown("game", game, catalogue.games, files=folder is None)
    try:
        file = (
            known[name] if name in known else Path(name) if folder is None else below(folder, name)
        )
    except ValueError as error:
        raise InputError(str(error)) from None
    try:
        text = read_ordinary(file, MAX_BYTES).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError, ValueError):
        raise unknown(kind, name, known, files=folder is None) from None
    head = Head(
        kind=kind,
        name=name,
        text=text,
        game=game or "",
        options=options or {},
        shipped=name in known,
    )
    return with_versions(catalogue, _with_charts(head, Path(str(file)).parent))


def with_versions(catalogue: Catalogue, head: Head) -> Head:
    """Return the head with its game, and the edition and versions now installed.

    If the game is not installed, only the game is filled in.
    """
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
        sheet=entry.plugin.document.text if entry.distribution == SHEET else "",
    )


def _admit_sheet(catalogue: Catalogue, text: str) -> None:
    """Add the game of a recorded sheet to a catalogue, and to the games in use if it is not there.

    A sheet already in use with the same text is reused, because a recorded one has no module. Raise
    ``InputError`` if the text is not a sheet.
    """
    from fireplan.sheets import sheet_game

    try:
        known = in_use()
        same = (sheet for sheet in known.values() if sheet.document.text == text)
        sheet = next(same, None) or sheet_game(Document.of(SHEET, text))
        if sheet.game.key not in known:
            keep(sheet)
        admit(catalogue, sheet)
    except (FileError, ProcedureError) as error:
        raise InputError(f"the sheet cannot be read: {error}") from error


def scenario_of(
    catalogue: Catalogue,
    head: Head,
    rules: Collection[Any] = (),
    *,
    changes: Variation | None = None,
) -> tuple[Scenario, int]:
    """Return the scenario that a head describes, and its length in moments.

    The head's house rules are taken from ``rules``, which must contain them. ``changes`` has other
    changes; its options override those of the head. Raise ``InputError`` listing every fault.
    """
    rules_by_name = dict(zip(rule_names(rules), rules, strict=True))
    if missing := [name for name in head.house_rules if name not in rules_by_name]:
        raise InputError(f"this game has house rules; add {', '.join(missing)} with --house-rules")
    house_rules = tuple(rules_by_name[name] for name in head.house_rules)
    if head.sheet:
        _admit_sheet(catalogue, head.sheet)
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
            more = changes or Variation()
            variation = attrs.evolve(
                more, options={**head.options, **more.options}, rules=house_rules
            )
            if head.kind == ENGAGEMENT:
                engagement = read_file(file, Engagement, what="engagement")
                scenario = stage_engagement(catalogue, head.game, engagement, variation)
                moments = scenario.clock.moments(engagement.minutes)
            else:
                scenario, form = load_scenario(catalogue, file, variation=variation, stored=stored)
                moments = form.moments
                if form.game != head.game:
                    raise InputError(
                        f"{head.name} is a scenario of {form.game}, not of {head.game}"
                    )
        except FileError as error:
            raise InputError(*(describe([fault]) for fault in error.faults)) from error
        except CannotStageError as error:
            raise InputError(
                f"{head.game} cannot stage this {head.kind}: " + "; ".join(error.reasons)
            ) from error
        except OSError as error:  # e.g. the disk is full
            reason = error.strerror or error
            raise InputError(f"the files cannot be unpacked ({reason})") from error
        except (KeyError, ValueError, ProcedureError) as error:
            raise InputError(str(error.args[0] if error.args else error)) from error
    return scenario, head.moments or moments


def _content(text: str) -> dict[str, Any]:
    """Return the content of a TOML file, or an empty dictionary if it cannot be read.

    Opening the file reports the reason.
    """
    try:
        return tomli.loads(text) if len(text) <= MAX_BYTES else {}
    except (ValueError, RecursionError):
        return {}


def _with_charts(head: Head, folder: Path) -> Head:
    """Return the head with the texts of the chart files that its scenario names.

    Return it unchanged if one of the files cannot be read.
    """
    charts = _content(head.text).get("charts", {}) if head.kind == SCENARIO else {}
    try:
        files = {
            str(file): read_ordinary(below(folder, str(file)), MAX_BYTES)
            for file in dict(charts).values()
        }
    except (ValueError, TypeError, OSError):
        return head
    # A chart that is too large is cut off here; opening the chart reports the fault.
    charts_read = {
        name: content.decode("utf-8-sig", errors="ignore") for name, content in files.items()
    }
    return attrs.evolve(head, charts=charts_read)


def source_of(head: Head) -> Source:
    """Return the source from which a table was staged; a user's file is identified by its name."""
    game = head.game if head.kind == ENGAGEMENT else ""
    return Source(
        name=head.name, game=game, options=tuple(head.options.items()), rules=head.house_rules
    )
