"""The odds shown next to the orders at a prompt."""

from collections.abc import Sequence
from fractions import Fraction

from fireplan import table
from fireplan.analysis import GOALS, HARM, GoalChance, OrderOdds, SideOdds, first_goal, own_assets
from fireplan.cli.prompt.shared_keyboard import SharedKeyboard
from fireplan.cli.prompt.terminal import Terminal
from fireplan_core import Ask

COLUMN = 12
"""Width of a column of chances."""
HARMED = next(iter(HARM))
"""The goal shown instead if the game's own goal does not distinguish the orders."""
WIDEST = Fraction(1, 10)
"""The standard error above which sampled chances that do not differ are not shown at all."""
FOLLOW = "if orders marked * follow"
FROM_NOW = " from now on"
"""Follows a goal of harm: earlier harm does not count."""
MARGIN = "± is twice the standard error: about 19 times in 20 the chance lies within it"
"""The meaning of the figure after a sampled chance, printed once for each side."""


class OrderFigures:
    """The chance of a goal after each order that the side at the keyboard may give."""

    def __init__(self, keyboard: SharedKeyboard) -> None:
        self._session, self._keyboard = keyboard.session, keyboard
        self._clock = keyboard.session.scenario.clock
        self._goals: dict[str, str] = {}
        self.shown = True
        """True if odds are shown beside the orders, for every side at the keyboard."""
        self._odds: dict[str, SideOdds] = {}
        self._margin_told: set[str] = set()
        """The sides that have been told what the error of a sampled chance means."""
        self._shown_goal = ""
        """The goal of the figures last shown: ``goal``, or harm if only harm tells orders apart."""
        self._by_near = False
        """True if ``goal`` is compared in the near future, as no sample tells the orders apart."""
        self._by_accident = False
        """True if the chances of ``goal`` that do not tell orders apart are sampled, below 1."""

    @property
    def goal(self) -> str:
        """The goal whose odds the side at the keyboard sees next to its orders."""
        return self._goals.get(self._keyboard.side, first_goal(self._session.scenario))

    @goal.setter
    def goal(self, goal: str) -> None:
        self._goals[self._keyboard.side] = goal

    def odds_of(self, form: table.Prompt) -> OrderOdds:
        """Return the odds to show next to the orders of a prompt, empty while none are shown.

        They are sampled if they are too large to solve. If the game's own goal does not distinguish
        the orders, it is compared in the near future, or else harm is compared instead.
        """
        self._shown_goal, self._by_near = self.goal, False
        if not self.shown:
            return OrderOdds({})
        odds = self._weighed(form, None, harm=self.goal in HARM)
        if self._told_apart_soon(odds):
            self._by_near = True
            return odds
        if not self._tells_nothing(odds):
            return odds
        by_harm = self._weighed(form, None, harm=True)
        if not _differs(by_harm, HARMED):
            return odds
        self._shown_goal = HARMED
        same = [chances[self.goal] for chances in odds.after.values()]
        self._by_accident = any(chance.error and chance.share < 1 for chance in same)
        return by_harm

    def _near(self, odds: OrderOdds) -> OrderOdds | None:
        """Return the chances of the goal in the near future, or None if they tell nothing more."""
        near = odds.near
        return near if near is not None and self._shown_goal in near.open else None

    def _told_apart_soon(self, odds: OrderOdds) -> bool:
        """Return whether the near future distinguishes orders that may all be best to the end."""
        near, goal = self._near(odds), self._shown_goal
        if near is None:
            return False
        leads = odds.leads(goal) if goal in odds.goals else near.after
        return len({near.after[order][goal].share for order in leads}) > 1

    def _compared(self, odds: OrderOdds) -> OrderOdds:
        """Return the odds by which orders are compared: in the near future, or to the end."""
        near = self._near(odds)
        return near if self._by_near and near is not None else odds

    def _tells_nothing(self, odds: OrderOdds) -> bool:
        """Return whether the game's own goal has the same chance, not 0, after all orders.

        Sampled chances may be the same by accident. False if the side has chosen a goal itself.
        """
        chosen = self._keyboard.side in self._goals
        if chosen or self.goal in HARM or self.goal not in odds.goals:
            return False
        return self.goal not in odds.open and any(
            chances[self.goal].share for chances in odds.after.values()
        )

    def print_all(self, terminal: Terminal, last: int | None) -> None:
        """Print the chances from here to a moment, and the chances after each order.

        ``last`` is the moment, or None for the end of the game.
        """
        for line in self._odds_of_side().now(self._session, last):
            terminal.say(f"  {line}")
        odds = self._weighed(self._keyboard.viewer.form(), last, harm=True)
        words = self._keyboard.viewer.words
        if odds.after and self.goal not in odds.goals:
            goal = words.of_fire(GOALS[self.goal])
            terminal.say(f"  too large to be weighed here: the chance that {goal}")
        goals = [
            goal
            for goal in GOALS
            if any(goal in each for each in odds.after.values())
            and (goal != "target" or self._session.scenario.parts.areas.weighs_aim)
        ]
        if odds.ranked:
            terminal.say(f"  {_row(goals)}after the order")
        terminal.some(
            [
                f"  {_row([str(odds.after[order].get(goal, '')) for goal in goals])}{order}"
                for order in odds.ranked
            ]
        )

    def equal(self, odds: OrderOdds, orders: list[str]) -> bool:
        """Return whether these orders are joint best by exact odds, while another order is worse.

        At least two of them must have odds.
        """
        odds = self._compared(odds)
        weighed = [order for order in orders if order in odds.after]
        return (
            len(weighed) > 1
            and self._shown_goal in odds.open
            and {*weighed} <= {*odds.leads(self._shown_goal)}
            and not any(odds.after[order][self._shown_goal].error for order in weighed)
        )

    def heading(self, odds: OrderOdds, orders: list[str]) -> str:
        """Return lines that explain the figures, with the figure itself if all are equal.

        ``orders`` are the numbered orders. The lines mention if figures are sampled, too large even
        to sample, or all 0. They are empty for a side without assets, for a question about its
        losses if all are 0, and while no odds are shown.
        """
        if not self.shown:
            return ""
        goal = f"chance that {self._keyboard.viewer.words.of_fire(GOALS[self._shown_goal])}"
        chance = f"{goal}{FROM_NOW}" if self._shown_goal in HARM else goal
        if self._by_near:
            return self._soon_heading(odds, orders, chance)
        if self._shown_goal not in odds.goals or self._vague(odds):
            own = own_assets(self._session, self._keyboard.side)
            return f"{chance}: not worked out here, as it would take too long" if own else ""
        figures = [chances[self._shown_goal] for chances in odds.after.values()]
        chance = self._instead(odds, orders) + chance
        how = f"{_sampled(figures)}{FOLLOW}"
        if self.equal(odds, orders):
            best = next(
                odds.after[order][self._shown_goal] for order in orders if order in odds.after
            )
            return f"{chance}, {how}: {best} after each numbered order{self._by_harm(odds)}"
        if self._shown_goal in odds.open and self._alike(odds):
            each = f"{in_all(figures)} after each of these"
            return f"{chance}, {how}: {each}; too few plays to tell them apart"
        margin = self._margin() if any("±" in str(figure) for figure in figures) else ""
        if self._shown_goal in odds.open:
            return f"{chance}, {how}:{margin}"
        return self._same_for_all(odds, goal, f"{chance}, {how}", margin)

    def _same_for_all(self, odds: OrderOdds, goal: str, heading: str, margin: str) -> str:
        """Return the heading of a chance that is the same after all orders, with the chance.

        ``heading`` is its beginning, ``goal`` the beginning for a chance of 0, and ``margin``
        explains an error. Return "" for a chance of 0 at a question about the side's losses.
        """
        alike = next(chances[self._shown_goal] for chances in odds.after.values())
        if not alike.share and not alike.error:
            own = own_assets(self._session, self._keyboard.side)
            fine = own and not self._asks_of_enemy_fire()
            return f"{goal}: 0 until the end, if the standard orders follow" if fine else ""
        each = " after each of these" if len(odds.after) > 1 else ""
        each += _in_no_play(alike)
        return f"{heading}: {alike}{each}{self._by_harm(odds)}{margin}"

    def _soon_heading(self, odds: OrderOdds, orders: list[str], chance: str) -> str:
        """Return the heading of chances in the near future, each followed by that to the end.

        ``chance`` is the beginning of the heading, such as "chance that ...".
        """
        near, whole = self._compared(odds), self._shown_goal in odds.goals
        soon = f"{chance.removesuffix(FROM_NOW)} {near.by_when(self._clock)}, {FOLLOW}"
        if self.equal(odds, orders):
            best = next(near.first_of(order) for order in orders if order in near.after)
            return f"{soon}: {best} after each numbered order"
        margin = any("±" in str(each[self._shown_goal]) for each in odds.after.values() if whole)
        to_the_end = f", and in brackets {odds.by_when(self._clock)}, sampled" * whole
        return f"{soon}{to_the_end}:{self._margin() if margin else ''}"

    def _asks_of_enemy_fire(self) -> bool:
        """Return whether the question is about the fire of another side's asset."""
        waits, missions = self._session.table.waits_for, self._session.scenario.missions
        named = [missions.get(str(each)) for each in waits.args] if isinstance(waits, Ask) else []
        return any(setup.side != self._keyboard.side for setup in named if setup)

    def _instead(self, odds: OrderOdds, orders: list[str]) -> str:
        """Return why harm is compared instead of the side's goal, or "" if it is the goal.

        The text says that exact chances are equal; it does not say so of sampled chances.
        """
        if self._shown_goal == self.goal:
            return ""
        goal = self._keyboard.viewer.words.of_fire(GOALS[self.goal])
        if self._by_accident:
            few = f"too few plays to tell these apart by the chance that {goal}"
            return f"{few}, so they are compared by harm:\n"
        each = (
            "each order"
            if all(order in odds.after for order in orders)
            else "each order with a figure"
        )
        return f"as it is equally likely after {each} that {goal}, these are compared by harm:\n"

    def _margin(self) -> str:
        """Return a line on the error of sampled chances, the first time that a side needs it."""
        if self._keyboard.side in self._margin_told:
            return ""
        self._margin_told.add(self._keyboard.side)
        return f"\n({MARGIN})"

    def _by_harm(self, odds: OrderOdds) -> str:
        """Return a hint to compare the orders by harm.

        Return "" if harm is the goal already, or is known not to distinguish the orders.
        """
        weighed = self._keyboard.side not in self._goals and self._shown_goal not in odds.open
        apart = not weighed and self._shown_goal not in HARM and len(odds.after) > 1
        return "; 'odds harmed' compares them by harm to the enemy" if apart else ""

    def figure(self, odds: OrderOdds, order: str) -> str:
        """Return an order's chance of the goal, and its distance from the best order.

        The distance is replaced by words if only a bound is shown of one of the two chances. Return
        "" if the order has no odds, or if all orders have the same odds or the sample cannot tell
        them apart.
        """
        near, compared = self._near(odds), self._compared(odds)
        if order not in compared.after or self._shown_goal not in compared.open:
            return ""
        if self._alike(compared):
            return ""
        chance = compared.after[order][self._shown_goal]
        behind = self._behind(compared, order)
        if self._by_near and self._shown_goal in odds.goals and chance.share < 1:
            behind += f"; {odds.after[order][self._shown_goal]} {odds.by_when(self._clock)}"
        elif near is not None and chance.error:
            behind += f"; {near.first_of(order)} {near.by_when(self._clock)}"
        return f"{chance} ({behind}) "

    def _behind(self, odds: OrderOdds, order: str) -> str:
        """Return an order's distance from the best order, in points or in words."""
        points = odds.points_behind(order, self._shown_goal)
        unclear = odds.unclear(order, self._shown_goal)
        if not points:
            equal = "may be best" if unclear else "joint best"
            verbs = {text.partition(" ")[0] for text in odds.leads(self._shown_goal)}
            return "best" if len(verbs) == 1 else equal
        if odds.bounded(order, self._shown_goal):
            return "within the error" if unclear else "worse"
        behind = f"{points} less" if points[0] == "<" else f"-{points}"
        return behind + ", within the error" * unclear

    def _vague(self, odds: OrderOdds) -> bool:
        """Return whether the chances are sampled too coarsely to be worth printing."""
        errors = [chances[self._shown_goal].error for chances in odds.after.values()]
        return self._alike(odds) and max(errors) > WIDEST

    def _alike(self, odds: OrderOdds) -> bool:
        """Return whether the sampled plays are too few to distinguish any two of the orders."""
        return all(odds.unclear(order, self._shown_goal) for order in odds.after)

    def best_of(self, odds: OrderOdds, order: str, others: list[str]) -> str:
        """Return the text of the best form of an order: the order itself if no other is better.

        Forms with exactly the chance of an order of another verb are left out, such as fire that
        the enemy will cancel. Return "" if the order has no odds, or if the sampled plays are too
        few to compare.
        """
        odds, goal = self._compared(odds), self._shown_goal
        if order not in odds.after or goal not in odds.goals or self._alike(odds):
            return ""
        forms = {order, *others}
        chances = [each[goal] for text, each in odds.after.items() if text not in forms]
        weighed = [
            text for text in others if text in odds.after and odds.after[text][goal] not in chances
        ]
        return min([order, *weighed], key=lambda text: odds.behind(text, goal))

    def apart(self, odds: OrderOdds, order: str, others: list[str]) -> dict[str, str]:
        """Map each other form of an order to its chance in brackets.

        The mapping is empty if all forms print the same chance as the order, if they or the order
        have no odds, or if the sample cannot tell the orders apart.
        """
        odds, goal = self._compared(odds), self._shown_goal
        if order not in odds.after or goal not in odds.goals or self._alike(odds):
            return {}
        chances = {text: odds.after[text][goal] for text in others if text in odds.after}
        if all(str(chance) == str(odds.after[order][goal]) for chance in chances.values()):
            return {}
        return {text: f" ({chance})" for text, chance in chances.items()}

    def danger(self, odds: OrderOdds, order: str, usual: str) -> str:
        """Return a warning if an order endangers own troops more than its ``usual`` form, else "".

        ``odds`` are the odds shown beside the orders; without them there is no warning.
        """
        if not self.shown or usual not in odds.after:
            return ""
        warning = self._odds_of_side().danger(self._session, order, usual, odds)
        return f"{warning}; 'undo' takes the order back" if warning else ""

    def _weighed(self, form: table.Prompt, last: int | None, *, harm: bool) -> OrderOdds:
        orders = [order.text for order in form.choices]
        return self._odds_of_side().orders(self._session, orders, last, harm=harm)

    def _odds_of_side(self) -> SideOdds:
        return self._odds.setdefault(self._keyboard.side, SideOdds(self._keyboard.side))


def _differs(odds: OrderOdds, goal: str) -> bool:
    """Return whether the printed chances of a goal differ, and not just within their errors."""
    if goal not in odds.open or all(odds.unclear(order, goal) for order in odds.after):
        return False
    return any(odds.points_behind(order, goal)[:1].isdigit() for order in odds.after)


def _in_no_play(chance: GoalChance) -> str:
    """Return a remark that no sampled play reached a goal, or "" if one did or none was sampled."""
    return "; it happens in no play sampled" if chance.error and not chance.share else ""


def _sampled(chances: Sequence[GoalChance]) -> str:
    """Return the beginning of a clause if any of these chances are sampled, otherwise "".

    The words tell whether all of them are sampled or only some.
    """
    drawn = [chance for chance in chances if chance.error]
    if not drawn or len(drawn) == len(chances):
        return "sampled, " * bool(drawn)
    marked = all("±" in str(chance) for chance in drawn)
    return "sampled where ± stands, " if marked else "some sampled, "


def in_all(chances: Sequence[GoalChance]) -> str:
    """Return the range of several sampled chances with their errors, in whole per cent.

    >>> in_all([GoalChance(Fraction(3, 4), Fraction(1, 20)), GoalChance(Fraction(1, 2))])
    '50 to 85 %'
    >>> in_all([GoalChance(Fraction(9, 10), Fraction(1, 20)), GoalChance(Fraction(1))])
    'over 80 %'
    """
    low = round(100 * min(chance.share - 2 * chance.error for chance in chances))
    high = round(100 * max(chance.share + 2 * chance.error for chance in chances))
    if high >= 100:  # noqa: PLR2004 - per cent
        return f"over {max(low, 0)} %"
    return f"{low} to {high} %" if low > 0 else f"under {high} %"


def _row(cells: list[str]) -> str:
    return "".join(f"{cell:{COLUMN}}" for cell in cells)
