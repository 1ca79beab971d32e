"""Questions that begin at a position: the best orders, and beliefs."""

from __future__ import annotations

from typing import Any

from fireplan.errors import besides, gathered, refuse
from fireplan.questions.belief import BeliefResult
from fireplan.questions.best import LONGEST_WAIT, BestResult, SearchRequest
from fireplan.questions.from_position import FromPosition
from fireplan.questions.position import opens
from fireplan.questions.question import asks
from fireplan.questions.shared_arguments import asks_moments_ahead
from fireplan.solver.best import MEASURES

GOALS = tuple(MEASURES)


class Best(FromPosition[BestResult]):
    """Find the best orders for a goal: a policy, its distance from the best, and rules of thumb.

    The answer begins with the orders and what they gain over the standard ones, then a few rules of
    thumb with what each is worth, then the distance from the best. If the whole question can be
    solved, the policy is the best of all. Otherwise the bound comes from coarser models, and the
    policy is the best among the standard doctrine, changes to it, and orders at the target only. If
    even the standard doctrine is too large to solve, all policies are sampled, and the answer says
    so; the bound is still valid. If stopped early, the search returns the best policy found so far.
    """

    key = "best"
    example = """
        >>> fp.best(game='wacht_am_rhein', goal='destroyed', moments=1).found.value
        Fraction(1, 5)
    """

    goal: str | None = asks(
        "The goal; by default the game's usual one. For minutes, own troops under fire and exhausted,"
        " less is better.",
        placed=True,
        option="--for",
        choices=GOALS,
    )
    moments: int | None = asks_moments_ahead()
    side: str | None = asks(
        "The side whose orders are sought; by default the firing side. A side without artillery wants"
        " the other side's fire to do as little as possible."
    )
    only: tuple[str, ...] = asks(
        'Weigh only these orders: "QUESTION", or "QUESTION=ORDER, ORDER ..." with an ORDER as VERB or'
        " VERB SLOT=VALUE (VERB * is any; VALUE target is the place where fire is wanted). Questions"
        " that are not named keep their standard answer, which is always weighed too. Without this"
        " option every question of the side is open.",
        (),
        repeated=True,
    )
    also: tuple[str, ...] = asks(
        'Weigh further values of a slot: "QUESTION.SLOT=VALUE"; NAME:NUMBER+NAME:NUMBER is a list of'
        " pairs.",
        (),
        repeated=True,
    )
    belief: tuple[str, ...] = asks(
        'How others answer a question: "QUESTION=WEIGHT ORDER, WEIGHT ORDER ...", drawn again each time it is'
        " asked.",
        (),
        repeated=True,
    )
    frontier: str | None = asks(
        "A second goal: list every best trade-off between the two.", choices=GOALS
    )
    seconds: int | None = asks(
        "Search for about this long, in processor time. By default the limits on states and rule"
        " runs end the search.",
        range=(1, LONGEST_WAIT),
        unit="s",
    )
    card: bool = asks(
        "Print a card of at most eight lines to follow at the table, and how much is lost by doing so.",
        False,
    )
    why: bool = asks(
        "Also explain how the answer was found: exact figures, the orders weighed, and every rule.",
        False,
    )

    def answer(self) -> BestResult:
        """Return the best orders found."""
        said: dict[str, Any] = {
            name: getattr(self, name)
            for name in ("frontier", "moments", "side", "seconds", "card", "only", "also", "belief")
        }
        faults: list[str] = []
        if self.from_position:
            at = self.position(faults)
        else:
            faults += SearchRequest(self.goal, **said).faults()
            opening: Any = gathered(
                faults, opens, self.scenario, self.game, self.facts, catalogue=self.catalogue
            )
            if opening is None:  # without a table, the orders cannot be checked
                refuse(faults)
            faults = []
            at = gathered(faults, opening.under, self.orders) or opening
        with besides(faults):
            return at.best(self.goal, why=self.why, progress=self.progress, **said)


class Belief(FromPosition[BeliefResult]):
    """Infer hidden facts from what a side has seen: by Bayes' rule, in exact fractions.

    The side has seen everything that a journal or playthrough showed it, or only the present
    situation if the question starts from a position.
    """

    key = "belief"
    example = """
        >>> seen = fp.belief('miniatures_1943/only_dummies', side='german', at=2)
        >>> print(seen)
        The Germans can infer most about american barrage 1: in the Request box ...
        ...
    """

    side: str = asks("The side that infers.", "")
    world: tuple[str, ...] = asks(
        'Play may have begun like this: "WEIGHT DESCRIPTION", as in the line of a position, or'
        ' "WEIGHT SCENARIO", another scenario or file of the same game; a weight by itself is the'
        " scenario as it is.",
        (),
        repeated=True,
    )
    policy: tuple[str, ...] = asks(
        'How others answer: "QUESTION=standard", or "QUESTION=WEIGHT ORDER, WEIGHT ORDER ...". Without'
        " it, hidden orders are taken to be equally likely.",
        (),
        repeated=True,
    )

    def answer(self) -> BeliefResult:
        """Return the beliefs of the side.

        Raise ``InputError`` if there are too many worlds, or if no world explains what was seen.
        """
        return self.position([]).belief(self.side, world=[*self.world], policy=[*self.policy])
