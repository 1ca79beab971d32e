"""The sides that share one keyboard."""

from collections import Counter
from collections.abc import Iterable

import attrs

from fireplan import table
from fireplan.cli.map import text_map, unit_lines
from fireplan.cli.printing import timed_line
from fireplan.cli.prompt.terminal import Terminal
from fireplan_core import FINAL, REFEREE, Ask, Display, Scenario, Stage
from fireplan_core.space import PlaneFrame

FIRED = {Stage.FALLING.value, Stage.LINGERING.value}
"""The stages in which an asset's target no longer matters."""
SPENT = {reason.value for reason in FINAL}
"""The reasons after which an asset never fires again."""
LISTED = 12
"""Maximum number of places under fire that are listed; the map shows them as well."""


class SharedKeyboard:
    """The side at the keyboard, what it sees, and what each side has read.

    With a ``briefing``, each side sees its goals when it first takes its seat.
    """

    def __init__(
        self, session: table.Session, terminal: Terminal, briefing: table.Briefing | None
    ) -> None:
        self.session, self.terminal = session, terminal
        self._goals = dict(briefing.wants) if briefing else {}
        """The goals of each side whose player has not read them yet."""
        sides = table.sides_of(session.scenario)
        self.apart = any(table.Visibility(session.scenario, side).veiled for side in sides)
        """True if the sides see different things."""
        self.side = sides[0] if sides else ""
        """The side at the keyboard."""
        self._when = ""
        """The moment that was last announced."""
        self._held: list[table.LogLine] = []
        """Lines of the log that wait until their moment is announced."""
        self._drawn: dict[str, table.TableSituation] = {}
        """The situation whose map each side saw last."""
        self._boards: dict[str, tuple[str, ...]] = {}
        """The lines on the rest of the table that each side read last."""
        self._read: dict[str, Counter[table.LogLine]] = {}
        """The lines of the log that each side has read."""

    @property
    def viewer(self) -> table.Viewer:
        """Return the table as the side at the keyboard sees it."""
        return table.Viewer(self.session, self.side)

    def hand_over(self, side: str) -> None:
        """Pass the keyboard to another side, and print its goals if it has not read them.

        If the sides see different things, separate the sides first, and print the news and the
        situation.
        """
        self.side = side
        if self.apart and not self.session.revealed:
            self.pass_to(side)
            self.brief()
            self.news(echo=False)
            self.show(again=self.terminal.clears)
        else:
            self.brief()

    def pass_to(self, side: str) -> None:
        """Ask for the keyboard to be handed to a side.

        The terminal is cleared first, or a dividing line printed.
        """
        self.terminal.pass_to(self.viewer.words.said("side", side))

    def brief(self) -> None:
        """Print the goals of the side at the keyboard, unless it has read them already."""
        if goals := self._goals.pop(self.side, ""):
            self.terminal.say(f"\n{table.side_name(self.side)}: {goals.strip()}")

    def agreed(self, other: str, what: str) -> bool:
        """Ask another side to agree to ``what``, and return whether it does.

        If views differ, the keyboard is passed to that side, and back again unless it agrees.
        """
        here, apart = self.side, self.apart and not self.session.revealed
        self.terminal.say(f"  that needs {self.viewer.words.said('side', other)} to agree")
        if apart:
            self.pass_to(other)
        answer = self.terminal.hear(f"{table.side_name(other)}: agree to {what} (yes or no): ")
        if answer.strip().lower() == "yes":
            return True
        if apart:
            self.pass_to(here)
        self.terminal.say("  not agreed: nothing was changed")
        return False

    def news(self, *, spare: bool = False, harm: bool = False, echo: bool = True) -> bool:
        """Print the lines of the log that are new to the side; return whether there are any.

        Sealed records are printed only with the whole log. With ``spare``, omit modifiers, and the
        orders and rolls that the side has just typed, and hold back the lines of a moment that is
        announced next. With ``harm``, print only harm to units. Without ``echo``, omit orders whose
        own events follow in the log.
        """
        reported = () if echo else self.viewer.known.reported
        lines = [
            line
            for line in self._unread()
            if line.kind != "sealed"
            and line not in reported
            and not (spare and line.kind in ("order", "roll", "modifier"))
            and not (harm and not line.harm)
        ]
        when = self._announced_next() if spare else ""
        self._held = [line for line in lines if line.when == when]
        self.print_log(line for line in lines if line.when != when)
        return bool(lines)

    def _announced_next(self) -> str:
        """Return the moment that is announced before this side's next prompt, or "" if none is."""
        waits = self.session.table.waits_for
        if waits is None:
            return ""
        side = waits.who if isinstance(waits, Ask) else waits.seen_by
        when = self.session.scenario.clock.name(self.session.table.state.moment)
        stays = not self.apart or side in ("", self.side)
        return when if stays and when != self._when else ""

    def mark_read(self) -> None:
        """Mark the present log as read by the side at the keyboard.

        Lines removed by an undo count as unread for every side, in case they come again.
        """
        for reader, read in self._read.items():
            self._read[reader] = read & Counter(self._lines(reader))
        self._unread()

    def _unread(self) -> list[table.LogLine]:
        """Return the lines of the log that the side at the keyboard has not read before."""
        reader = self.side if self.apart else REFEREE
        lines = self._lines(reader)
        left, unread = Counter(self._read.get(reader, ())), list[table.LogLine]()
        for line in lines:
            if left[line]:
                left[line] -= 1
            else:
                unread.append(line)
        self._read[reader] = Counter(lines)
        return unread

    def _lines(self, reader: str) -> tuple[table.LogLine, ...]:
        """Return the log as a side sees it."""
        return table.Viewer(self.session, reader).known.lines

    def print_log(self, lines: Iterable[table.LogLine]) -> None:
        """Print lines of the log; salts and commitments stay in the journal."""
        for line in lines:
            self.terminal.say(f"  {table.without_commitment(timed_line(line))}")

    def say_when(self) -> None:
        """Print the moment, the assets on call, and what else has changed, once for each moment.

        Displays such as tracks are left to the map.
        """
        when = self.session.scenario.clock.name(self.session.table.state.moment)
        if when == self._when:
            return
        self._when = when
        viewer = self.viewer
        situation = viewer.situation()
        self.terminal.say(f"\n{table.moment_heading(situation, self.session.scenario)}")
        for line in asset_lines(situation, viewer.words, waiting=False):
            self.terminal.say(line)
        known = {*map(str, situation.displays), *self._boards.get(self.side, ())}
        self._boards[self.side] = situation.board
        for line in situation.board:
            if line not in known:
                self.terminal.say(f"  {line}")
        self.print_log(self._held)
        self._held = []

    def show(self, *, again: bool = True) -> None:
        """Print the current situation; once the game is over, without targets.

        A map that has not changed since the side saw it is printed only if ``again`` is true.
        """
        situation, scenario = self.viewer.situation(), self.session.scenario
        self._when = situation.when
        self._boards[self.side] = situation.board
        over = self.session.table.waits_for is None  # after the last moment nothing is pending
        if over:
            assets = tuple(attrs.evolve(asset, target=None) for asset in situation.assets)
            situation = attrs.evolve(situation, assets=assets)
        self.terminal.say(f"\n{self.viewer.heading()}")
        for line in situation_lines(situation, self.viewer.words, waiting=False):
            self.terminal.say(line)
        if hand := self.viewer.hand():
            self.terminal.say(
                f"  hand (cards seen so far): {', '.join(card.text for card in hand)}"
            )
        before = self._drawn.get(self.side)
        self._drawn[self.side] = situation
        if before is None or again or _redrawn(before, situation, scenario):
            drawn = text_map(
                situation,
                scenario.frame,
                scenario.features,
                self.terminal.width(),
                self.viewer.choices(),
            )
        else:
            seen = unit_lines(before)
            drawn = [line for line in unit_lines(situation) if line not in seen]
            rest = "the rest of the map" if drawn else "the map"
            drawn.append(f"  {rest} is as you saw it last ('map' shows it)")
        for line in drawn:
            self.terminal.say(line)


def _redrawn(
    before: table.TableSituation, situation: table.TableSituation, scenario: Scenario
) -> bool:
    """Return whether a map differs by more than words: units or fire have moved or disappeared.

    Fire on a plane is left out: the lines of the assets say where it has landed.
    """
    plane = isinstance(scenario.frame, PlaneFrame)

    def marks(seen: table.TableSituation) -> list[object]:
        fire = [] if plane else [(each.aim, each.impact, each.area) for each in seen.assets]
        return [*((unit.name, unit.place, unit.destroyed) for unit in seen.units), *fire]

    return marks(before) != marks(situation)


def situation_lines(
    situation: table.TableSituation, words: table.Words, *, waiting: bool = True
) -> list[str]:
    """Return a line of text for each asset, and for everything else on the table.

    With ``waiting``, the line of an asset includes the event that the asset waits for. A track with
    a single counter in the box of the present moment, the turn marker, is left out.
    """
    assets = asset_lines(situation, words, waiting=waiting)
    bare = [str(each) for each in situation.displays if _marks_now(each, situation.when)]
    return [*assets, *(f"  {line}" for line in situation.board if line not in bare)]


def _marks_now(display: Display, when: str) -> bool:
    """Return whether a display is a track with a single counter, in the box named ``when``."""
    boxes = [box for box, counters in display.fields for _ in counters]
    return display.kind == "track" and boxes == [when]


def asset_lines(situation: table.TableSituation, words: table.Words, *, waiting: bool) -> list[str]:
    """Return a line of text for each asset.

    With ``waiting``, the line includes the event that the asset waits for.
    """
    lines = []
    for asset in situation.assets:
        fired = asset.stage in FIRED or asset.reason in SPENT
        places = (
            ("target", None if fired or asset.target == asset.aim else asset.target),
            ("aimed at", None if asset.aim == asset.impact else asset.aim),
            ("landed on", asset.impact),
        )
        spots = [f"{where} {spot.label}" for where, spot in places if spot is not None]
        area = ""
        if any(spot != asset.impact for spot in asset.area):
            few = len(asset.area) <= LISTED
            labels = " ".join(spot.label for spot in asset.area)
            area = f"covers {labels if few else f'{len(asset.area)} places'}"
        waits = f"waits for {asset.waits}" if asset.waits and waiting else ""
        parts = [asset.text, waits, *spots, area, *asset.details]
        name = words.asset(asset.name).removeprefix("the ")
        side = table.side_name(asset.side)
        named = asset.name.casefold() == asset.side.casefold()
        if not named and not name.casefold().startswith(side.casefold()):
            name += f" ({side})"
        lines.append(f"  {name}: {'; '.join(part for part in parts if part)}")
    return lines
