"""The kit as a test class: three lines in a game's own tests run every check under its id."""

from functools import cache
from importlib.metadata import entry_points
from typing import Any, ClassVar

from fireplan.kit._bench import Bench
from fireplan.kit._check import Finding, admitted
from fireplan.kit._list import LAWS
from fireplan_core import Engagement
from fireplan_core.play import GROUP


class GameSuite:
    """Subclass it with the key of an installed game; pytest then runs each check as a test of its own.

    ``engagement`` may be another than the kit's standard one; a game that cannot stage that is checked
    on the same with own troops farther away.
    """

    game: ClassVar[str] = ""
    engagement: ClassVar[Engagement | None] = None

    @classmethod
    def pytest_generate_tests(cls, metafunc: Any) -> None:
        """Make one test for each check."""
        if "check" in metafunc.fixturenames:
            metafunc.parametrize("check", LAWS, ids=lambda law: law.id)

    def test_the_game_keeps(self, check: Any) -> None:
        """Fail with the findings of a check."""
        flaws = check.flaws(self._bench())
        assert not flaws, "\n".join(str(Finding(self.game, check.id, flaw)) for flaw in flaws)  # noqa: S101

    def _bench(self) -> Bench:
        return _bench(self.game, self.engagement)


@cache
def _bench(game: str, engagement: Engagement | None) -> Bench:
    found = list(entry_points(group=GROUP, name=game))
    assert found, f"no game {game!r} is installed: pip install -e . first"  # noqa: S101
    catalogue, flaws = admitted(game, found[0].load())
    assert not flaws, "\n".join(map(str, flaws))  # noqa: S101
    return Bench(catalogue, game, engagement)
