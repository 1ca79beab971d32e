"""All checks by id, a function that runs them, and a pytest class that games can subclass."""

from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from inspect import cleandoc
from typing import Any, ClassVar

import attrs

from fireplan import sheets
from fireplan.questions.sheet_names import with_sheets
from fireplan_core import Engagement
from fireplan_core.play import GROUP
from fireplan_core.sentences import capitalized
from fireplan_kit import (
    game_laws,
    ground_laws,
    kitbash,
    laws,
    order_laws,
    perft,
    play_laws,
    processes,
    random_play,
    recorded_play,
    secrecy_laws,
    type_laws,
)
from fireplan_kit.bench import Bench
from fireplan_kit.check import RAISED, TOO_LARGE, Finding, Law, admitted, raised


def _law(
    number: int, name: str, check: Any, subjects: Any = None, *, whole_game: bool = False
) -> Law:
    text = cleandoc(check.__doc__ or "").removeprefix("Check that ")
    return Law(f"L{number:02}-{name}", capitalized(text), check, whole_game, subjects)


LAWS: tuple[Law, ...] = (
    _law(1, "admission", game_laws.game_is_admitted, whole_game=True),
    _law(2, "ledger", game_laws.ledger_is_cited, whole_game=True),
    _law(3, "mass", laws.mass_is_one),
    _law(4, "sampled", laws.exact_agrees_with_sampled),
    _law(5, "journal", play_laws.state_is_its_journal),
    _law(6, "frozen", laws.everything_is_frozen),
    _law(7, "cited", order_laws.everything_cites),
    _law(8, "refusals", order_laws.refusals_cite),
    _law(9, "apart", laws.parts_keep_to_themselves),
    _law(10, "once", laws.one_cause_strikes_once),
    _law(11, "branches", laws.steps_are_small),
    _law(12, "pure", game_laws.sources_are_pure, whole_game=True),
    _law(13, "deterministic", laws.three_evaluations_agree),
    _law(14, "ends", order_laws.every_mission_can_end),
    _law(15, "direct", laws.whole_missions_agree_with_direct_solution),
    _law(16, "footprint", ground_laws.footprints_are_whole, whole_game=True),
    _law(17, "lines", ground_laws.errors_stay_on_their_lines),
    _law(18, "capabilities", game_laws.capabilities_are_real, whole_game=True),
    _law(19, "walkers", perft.walkers_agree),
    _law(20, "perft", perft.tables_are_frozen, whole_game=True),
    _law(21, "views", secrecy_laws.secrets_are_kept, whole_game=True),
    _law(
        22,
        "playthroughs",
        recorded_play.playthroughs_come_out,
        lambda bench: bench.installed.folder,
        whole_game=True,
    ),
    _law(23, "events", laws.every_event_is_solved),
    _law(
        24,
        "rolls",
        recorded_play.no_roll_is_unaccounted,
        lambda bench: bench.playthroughs,
        whole_game=True,
    ),
    _law(25, "notation", play_laws.positions_read_back, whole_game=True),
    _law(26, "hybrids", kitbash.parts_stand_at_a_neutral_table, whole_game=True),
    _law(27, "processes", processes.processes_agree, whole_game=True),
    _law(28, "drawn", random_play.drawn_scenarios_agree, whole_game=True),
    _law(
        29,
        "witnesses",
        recorded_play.witnesses_are_borne_out,
        recorded_play.witnesses,
        whole_game=True,
    ),
    _law(30, "types", type_laws.types_fit, type_laws.typed_sources, whole_game=True),
)


def examine(
    key: str, plugin: Any, engagement: Engagement | None = None, only: tuple[str, ...] = ()
) -> Iterator[tuple[Law, list[Finding]]]:
    """Run the checks on a game; yield each check with its findings. ``only`` selects checks by id.

    If a game is not admitted or cannot stage the engagement, it fails the first check, and no other
    runs. An exception is reported by the first check that meets it; later checks that meet the same
    exception are skipped.

    >>> import fireplan_red_poppies
    >>> checked = examine("red_poppies", fireplan_red_poppies, only=("L07-cited",))
    >>> [(law.id, findings) for law, findings in checked]
    [('L07-cited', [])]
    """
    first = LAWS[0]
    catalogue, flaws = admitted(key, plugin)
    bench = None
    if not flaws:
        try:
            bench = Bench(catalogue, key, engagement)
        except Exception as error:  # noqa: BLE001 - report whatever a broken game raises
            flaws = [raised(error)]
    if bench is None:
        yield first, [Finding(key, first.id, flaw) for flaw in flaws]
        return
    reported = set[str]()
    for law in LAWS:
        if not only or law.id in only:
            bench.notes.clear()
            all_flaws = law.flaws(bench)
            flaws = [flaw for flaw in all_flaws if flaw.text not in reported]
            reported |= {flaw.text for flaw in flaws if flaw.text.startswith((TOO_LARGE, RAISED))}
            if flaws or not all_flaws:
                examined = law.subjects is None or bool(law.subjects(bench))
                yield (
                    attrs.evolve(law, examined=examined, notes=tuple(bench.notes)),
                    [Finding(key, law.id, flaw) for flaw in flaws],
                )


# --- as a test class ------------------------------------------------------------------------------
class GameSuite:
    """A test class for one game: subclass it and set ``game``; pytest runs each check as a test.

    ``game`` is the key of an installed game, or the file name of a sheet.

    ``engagement`` replaces the kit's standard engagement. A game that cannot stage the standard
    engagement is checked with own troops farther away.

    >>> class TestMyGame(GameSuite):
    ...     game = "asl"
    >>> TestMyGame().test_the_game_keeps(LAWS[0])
    """

    game: ClassVar[str] = ""
    engagement: ClassVar[Engagement | None] = None

    @classmethod
    def pytest_generate_tests(cls, metafunc: Any) -> None:
        """Parametrize the test so that it runs once for each check."""
        if "check" in metafunc.fixturenames:
            metafunc.parametrize("check", LAWS, ids=lambda law: law.id)

    def test_the_game_keeps(self, check: Any) -> None:
        """Run one check and fail with its findings, if there are any."""
        flaws = check.flaws(self._bench())
        assert not flaws, "\n".join(str(Finding(self.game, check.id, flaw)) for flaw in flaws)  # noqa: S101

    def _bench(self) -> Bench:
        return _bench(self.game, self.engagement)


@cache
def _bench(game: str, engagement: Engagement | None) -> Bench:
    game = with_sheets(game)
    entries = list(entry_points(group=GROUP, name=game))
    sheet = sheets.in_use().get(game)
    assert entries or sheet, f"no game {game!r} is installed; run pip install -e . first"  # noqa: S101
    catalogue, flaws = admitted(game, sheet or entries[0].load())
    assert not flaws, "\n".join(map(str, flaws))  # noqa: S101
    return Bench(catalogue, game, engagement)
