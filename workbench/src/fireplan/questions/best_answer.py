"""The best orders as lines of text, as JSON data, and as an SVG image."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

import attrs

from fireplan.analysis import number, percent
from fireplan.errors import all_data, argument_name, counted
from fireplan.questions.rule_words import RuleWords
from fireplan.solver import best as solving
from fireplan.solver.best import NamedGoal
from fireplan.solver.best.trials import FEWEST, order_in_words
from fireplan_core import Ask, Scenario
from fireplan_core.sentences import capitalized

Figures = tuple[Fraction, Fraction]
"""The values of two goals, as a pair."""

_FEW = 2
"""Maximum number of usual orders that advice names beside the better one."""
_KEY = re.compile(r"\b[a-z]+/[\w./-]*\w")


@attrs.frozen(eq=False)
class SearchResult:
    """The answer to a search; in ``found``, values of goals to be minimized are negated."""

    goal: NamedGoal
    process: solving.Process
    found: solving.Bounded
    rules: tuple[solving.DecisionRules, ...] = ()
    thumbs: tuple[solving.DecisionRules, ...] = ()
    """The few rules that matter most, each with its value."""
    thumbs_loss: Fraction | None = None
    """Loss from following these rules, and otherwise the standard doctrine; None if unknown."""
    card: tuple[solving.DecisionRules, ...] | None = None
    loss: Fraction = Fraction(0)
    """Loss from following the card, and the standard doctrine where the card has no rule."""
    second: NamedGoal | None = None
    points: tuple[tuple[Figures, Figures], ...] = ()
    """For each corner of the frontier, the values of both goals: those reached and their bounds."""
    whole: bool = True
    """True if the frontier has all its corners."""

    @property
    def scenario(self) -> Scenario:
        """Return the scenario that was searched."""
        return self.process.scenario

    @property
    def searched(self) -> solving.Process:
        """Return the process in which the policy was found; it may be a coarser one."""
        return self.found.process or self.process

    @property
    def in_percent(self) -> bool:
        """Return whether the goal's values are shown as percentages."""
        return self.goal.unit in {"probability", "share"}

    def amount(self, value: Fraction) -> str:
        """Return a value of the goal in a player's terms, such as "6.2 %"."""
        return percent(value) if self.in_percent else number(value)

    @property
    def value(self) -> Fraction:
        """Return the value of the policy, or the mean if it was sampled."""
        trial = self.found.trial
        return self.figure(self.found.value if trial is None else Fraction(trial.value.mean))

    @property
    def standard(self) -> Fraction | None:
        """Return the value of the standard doctrine, or None if it is too large to solve."""
        return None if self.found.standard is None else self.figure(self.found.standard)

    @property
    def bound(self) -> Fraction | None:
        """Return a value that no policy can beat, or None if there is no bound."""
        return None if self.found.bound is None else self.figure(self.found.bound)

    @property
    def gap(self) -> Fraction | None:
        """Return the largest possible distance from the best, or None without a bound."""
        return None if self.bound is None else abs(self.bound - self.value)

    @property
    def exact(self) -> bool:
        """Return whether no policy is better."""
        return self.found.gap == 0

    def figure(self, earned: Fraction | None, number: int = 0) -> Fraction:
        """Return the figure to print for a reward of the first goal (``number`` 0) or the second.

        A reward of None counts as 0.
        """
        measured = self.goal if number == 0 or self.second is None else self.second
        least = measured.goal_of(self.scenario, self.process.open_decisions.side).least
        earned = earned or Fraction(0)
        return measured.shown(-earned if least else earned, self.scenario, self.process.moments)


def figure_text(value: Fraction | float) -> str:
    """Return a figure as text, to four decimals; a figure that would round to 0 is ``<0.0001``."""
    text = f"{float(value):.4f}".rstrip("0").rstrip(".")
    return "<0.0001" if value and text in {"0", "-0"} else text


def distance_from_best(result: SearchResult) -> str:
    """Return a sentence with the largest possible distance from the best, in the goal's unit.

    The sentence says so if no bound is known.
    """
    if result.bound is None or result.gap is None:
        return "No bound was found: how far this is from the best is not known."
    goal, trial = result.goal, result.found.trial
    title = f" {goal.title.lower().replace('moment', result.scenario.clock.moment)}"
    a, what, mean, scale = {
        "min": ("", " min to the first effect", " on average", 1),
        "probability": ("a chance of ", "", "", 100),
        "share": ("", f" of the target{title}", " on average", 100),
    }.get(goal.unit if goal.name != "strikes" else "", ("", title, " on average", 1))
    amount, points = (percent, " percentage points") if scale > 1 else (number, "")
    most = amount(result.bound)
    what = re.sub(r"s\b", "", what, count=1) if most == "1" else what
    less = result.figure(Fraction(1)) < result.figure(Fraction(0))
    than, short = ("less", "above") if less else ("more", "short of")
    if result.exact:
        return f"The best there is: {a}{most}{what}{mean}; no orders give {than} (exact)."
    best = f"No orders can give {a}{than} than {most}{what} here; these orders give"
    sampled = "" if trial is None else _sampled_error(trial, scale)
    if result.gap == 0:
        return f"{best} as {'little' if less else 'much'}{sampled}."
    gap = f"at most {number(result.gap * scale)}".replace("at most <", "less than ")
    return f"{best} {amount(result.value)}{mean}: {gap}{points} {short} the best{sampled}."


def _sampled_error(trial: solving.PolicyTrial, scale: int) -> str:
    """Return the sampling error in words, such as ", give or take 0.4 (sampled)".

    If there were too few plays to estimate the error, or if it is 0, return a remark with the
    number of plays instead. ``scale`` is 100 for percentages.
    """
    if trial.trajectories < FEWEST:
        return f" (sampled in only {counted(trial.trajectories, 'play')})"
    if trial.value.error == 0:
        return f" (in each of {trial.trajectories:,} sampled plays)"
    return f", give or take {number(trial.value.error * scale)} (sampled)"


def so_far(result: SearchResult) -> str:
    """Return the value and the bound found so far in a few words, for a progress bar."""
    found = result.found
    words = [
        f"{word} {result.amount(result.figure(value))}"
        for word, value in (("have", found.value), ("at best", found.bound))
        if value is not None
    ]
    return ", ".join(words) or "searching"


def _share(part: Fraction, whole: Fraction) -> str:
    """Return one figure as a percentage of another, to a tenth; empty if either is 0."""
    share = float(abs(part / whole)) if whole else 0.0
    return f" ({share:.1%})".replace("%", " %").replace("(0.0", "(<0.1") if share else ""


def lines(result: SearchResult) -> list[str]:
    """Return the lines of the answer: advice, rules of thumb, distance from the best, and goal."""
    goal, process, scenario = result.goal, result.process, result.scenario
    text = [*_advice(result), *_thumbs(result)]
    text += [
        *([""] if text else []),
        distance_from_best(result),
        f"{scenario.title}: {_side(result)}, {counted(process.moments, scenario.clock.moment)}",
        f"goal: {goal.title.lower()} ({goal.definition})",
    ]
    text += _frontier_lines(result)
    notes = result.scenario.provenance
    if notes:
        text += ["", *(f"note: {note}" for note in notes), ""]
    return [*text, f"Ask with {argument_name('why')} for the exact figures and the orders weighed."]


def why_lines(result: SearchResult) -> list[str]:
    """Return lines on how the answer was found: exact figures, orders weighed, and every rule."""
    scenario = result.scenario
    value = "" if result.found.trial is not None else _short(result.value)
    standard = result.standard
    text = [
        f"  {'optimum' if result.exact else 'policy found':<18}{figure_text(result.value):>10}  {value}"
    ]
    if not result.exact and result.bound is not None:
        text.append(
            f"  {'no policy betters':<18}{figure_text(result.bound):>10}  {_short(result.bound)}"
        )
    if result.found.trial is None and standard is not None:
        text.append(f"  {'standard doctrine':<18}{figure_text(standard):>10}  {_short(standard)}")
    if result.found.trial is not None:
        text += _sampled(result.found.trial, result)
    many = len(scenario.missions) > 1
    text += ["", *_weighed(result)]
    text += [
        _KEY.sub(lambda key: solving.key_in_words(key[0], many=many), line)
        for line in _searched(result)
    ]
    policy = result.found.policy
    if policy is not None and policy.hidden:
        names = sorted({solving.key_in_words(key, many=many) for key in policy.hidden})
        shown = ", ".join(names[:6]) + (" ..." if len(names) > 6 else "")  # noqa: PLR2004
        text.append(
            f"The policy depends on nothing that {_side(result)} cannot see ({shown}); a bound may."
        )
    for rule in result.rules:
        text += ["", *_rules(rule, result)]
    return text


def _side(result: SearchResult) -> str:
    side = result.process.open_decisions.side
    return result.scenario.sentences.plain("names", side, {}) or side


def _thumbs(result: SearchResult) -> list[str]:
    """Return lines with the rules of thumb, their values, and the loss from following only these.

    Return no lines if the orders found gain next to nothing.
    """
    text: list[str] = []
    if _gains_nothing(result):
        return text
    words = RuleWords(result.scenario)
    for decision in result.thumbs:
        text.append(f"  {words.question(decision.question)}")
        for rule in decision.rules:
            worth = f"  (worth {_difference(rule.worth, result)})" if rule.worth else ""
            text.append(f"    {words.rule(rule, decision)}{worth}")
    if text and result.thumbs_loss:
        text.append(
            f"  These alone, and the standard orders otherwise, lose"
            f" {_difference(result.thumbs_loss, result)}."
        )
    elif text and result.thumbs_loss is not None:
        text.append("  The standard orders for everything else lose nothing.")
    elif text:
        text.append(f"  There was no time to weigh these. All rules: {argument_name('why')}.")
    return text


def _difference(part: Fraction, result: SearchResult) -> str:
    """Return a difference of values as text in the goal's unit, such as ``2.5 points``."""
    scaled = part * (100 if result.in_percent else 1)
    unit = {"probability": " points", "share": " points", "min": " min"}
    return f"{number(scaled)}{unit.get(result.goal.unit, '')}"


def card_lines(result: SearchResult) -> list[str]:
    """Return the lines of a card: the advice, the rules, and the loss from following them.

    The last line is the distance from the best.
    """
    scenario, words = result.scenario, RuleWords(result.scenario)
    text = [f"{scenario.title}: {result.goal.title} ({result.process.open_decisions.side})"]
    for decision in result.card or ():
        asked = words.question(decision.question)
        text += [f"  {asked} {words.rule(rule, decision)}" for rule in decision.rules]
    if not result.card:
        text.append(f"  {result.found.change or 'give the standard orders throughout'}")
    text.append(
        f"otherwise the standard orders; loses {figure_text(result.loss)}{_share(result.loss, result.value)}"
    )
    return [*_advice(result), *text, distance_from_best(result)]


def _changed(change: solving.DoctrineChange, result: SearchResult) -> str:
    """Return a change of the doctrine in words.

    For example ``Which Fire Mission? Always harassing instead of concentration``.
    """
    compiler, words = result.process.compiler, []
    for question, order in change.verbs:
        usual = {verb for asked, verb in compiler.usual if asked == question}
        others = [] if str(compiler.single.get(question)) == order else sorted(usual - {order})
        instead = f" instead of {' or '.join(others)}" if 0 < len(others) <= _FEW else ""
        asked = RuleWords(result.scenario).question(question)
        words.append(f"{asked} Always {order_in_words(order)}{instead.replace('_', ' ')}")
    return "; ".join(words)


def _in_a_word(result: SearchResult) -> str:
    """Return the most important advice in words: a rule's order, or a change of the doctrine."""
    trial = result.found.trial
    change = result.found.change if trial is None else trial.best
    if isinstance(change, solving.DoctrineChange):
        return _changed(change, result)
    decisions = {
        rule: decision for decision in result.thumbs or result.card or () for rule in decision.rules
    }
    orders = [rule for rule in decisions if rule.order != solving.STANDARD]
    if not orders:
        return "Other orders than the standard ones"
    if len(orders) > 1 and not any(rule.worth for rule in orders):
        return "Follow these rules"
    most = max(orders, key=lambda rule: rule.worth or 0)
    above_all = "Above all " if len(decisions) > 1 else ""
    words, decision = RuleWords(result.scenario), decisions[most]
    order = words.order(most.order, decision)
    if " " in order:
        return f"{above_all}{order}"
    return f"{words.question(decision.question)} {above_all}{order if above_all else capitalized(order)}"


def _gains_nothing(result: SearchResult) -> bool:
    """Return whether the orders found gain so little that both figures read the same."""
    if result.standard is None or result.standard == result.value:
        return False
    return result.amount(result.standard) == result.amount(result.value)


def _advice(result: SearchResult) -> list[str]:
    """Return a sentence with the gain over the standard orders, or the advice to give those orders.

    The sentence says so if no orders can achieve the goal. Return no sentence if the value of the
    standard orders is not known.
    """
    standard, trial = result.standard, result.found.trial
    if trial is not None:
        return [_sampled_advice(trial, result)]
    if standard is None:
        return []
    if result.found.bound == 0 and not result.found.goal.least:
        return [
            f"No orders can achieve this here: ask for something else with {argument_name('goal')}."
        ]
    if standard == result.value:
        if result.exact and result.goal.unit == "probability" and standard == 1:
            more = f"{argument_name('goal')} falls or {argument_name('goal')} destroyed"
            return [f"Give the standard orders: they are certain of this. Ask for more: {more}."]
        return [
            "Give the standard orders: nothing is better."
            if result.exact
            else "Give the standard orders: nothing better was found."
        ]
    if _gains_nothing(result):
        return ["Give the standard orders: better ones were found, but they gain next to nothing."]
    return [f"{_gain(_in_a_word(result), result.value, standard, result)}."]


def _gain(orders: str, value: Fraction, standard: Fraction, result: SearchResult) -> str:
    """Return the gain of some orders over the standard ones, and the goal, as a sentence."""
    title = result.goal.title.lower().replace("moment", result.scenario.clock.moment)
    return (
        f"{capitalized(orders)}: {result.amount(value)} instead of {result.amount(standard)}"
        f" by the standard orders ({title})"
    )


def _sampled_advice(trial: solving.PolicyTrial, result: SearchResult) -> str:
    """Return a sentence with the gain of the best sampled orders over the standard ones.

    If none were found, the sentence advises the standard orders.
    """
    if trial.best is None and trial.trajectories < FEWEST:
        played = counted(trial.trajectories, "play")
        return (
            f"Give the standard orders for now: only {played} could be sampled, too few to compare"
            f" orders. Allow more {argument_name('seconds')}."
        )
    if trial.best is None:
        better = "is better" if result.gap == 0 else "better was found"
        return f"Give the standard orders: nothing {better} (sampled)."
    scale = 100 if result.in_percent else 1
    value, standard = (
        result.figure(Fraction(estimate.mean)) for estimate in (trial.value, trial.standard)
    )
    gain = _gain(_in_a_word(result), value, standard, result)
    return f"{gain}, give or take {number(trial.gain.error * scale)} (sampled)."


def _sampled(trial: solving.PolicyTrial, result: SearchResult) -> list[str]:
    """Return lines with the sampled figures of a table that is too large to solve."""
    usual = f"{figure_text(result.figure(Fraction(trial.standard.mean))):>10}  ± {figure_text(trial.standard.error)}"
    large = "the standard doctrine is" if result.found.value is None else "better orders are"
    drawn = f"({trial.trajectories:,} trajectories; {large} too large to be followed exactly)"
    text = [f"  {'standard doctrine':<18}{usual}  {drawn}"]
    if trial.best is not None:
        text.append(
            f"  {'gain':<18}{figure_text(trial.gain.mean):>10}  ± {figure_text(trial.gain.error)}  (same trajectories)"
        )
    if isinstance(trial.best, solving.DoctrineChange):
        text.append(f"  the policy: {trial.best}, else the standard")
    return text


def _short(value: Fraction) -> str:
    text = str(value)
    return text if len(text) <= 40 else ""  # noqa: PLR2004 - longer fractions are exported, not printed


def _weighed(result: SearchResult) -> list[str]:
    """Return lines that list the orders compared, and the chances assumed for other decisions."""
    open_decisions, words = result.process.open_decisions, RuleWords(result.scenario)
    process = result.searched
    pendings = (pending for pending in process.compiler.compiled if isinstance(pending, Ask))
    openly = sorted({pending.question for pending in pendings if open_decisions.opens(pending)})
    if not open_decisions.only:
        text = [
            f"weighed: every order that the forms offer and the rules allow{':' if openly else ''}"
        ]
        text += [f"  {words.question(question)}" for question in openly]
    else:
        others = "all other questions keep their standard answer"
        text = [f"weighed (narrowed by {argument_name('only')}; {others}):"]
        for question, patterns in open_decisions.only.items():
            fitted = process.compiler.fitted
            listed = (
                f"{p}" if (question, p) in fitted else f"{p} (never possible)" for p in patterns
            )
            orders = "; ".join(listed) or "every order"
            came = "" if question in openly else " (never asked here)"
            text.append(f"  {words.question(question)} {orders}; and the standard one{came}")
    for (question, slot), values in open_decisions.also.items():
        many = counted(len(values), "further value")
        text.append(f"  with {many} of {slot} to: {words.question(question)}")
    for question, weights in open_decisions.belief.items():
        parts = ", ".join(f"{weight} {pattern}" for pattern, weight in weights)
        text.append(f"assumed chances, drawn again each time: {words.question(question)} {parts}")
    return text


def _searched(result: SearchResult) -> list[str]:
    """Return lines on the attempts that were too large, an early stop, and the situations found."""
    text: list[str] = []
    for attempt in result.found.attempts:
        if attempt.why and not result.exact:
            which = "only orders at the target" if attempt.aimed else "all orders together"
            text.append(f"too large, {which}: {attempt.why}")
    if result.found.stopped:
        text.append("Stopped: the best so far.")
    if result.found.policy is not None:
        situations = result.found.policy.situations
        apart = sum(situation.seen is not None for situation in situations)
        text.append(f"{counted(len(situations), 'situation')} with a choice of orders")
        text[-1] += f", {apart:,} of them distinguished by earlier events" if apart else ""
    return text


def _rules(decision: solving.DecisionRules, result: SearchResult) -> list[str]:
    words = RuleWords(result.scenario)
    head = f"{words.question(decision.question)} ({counted(decision.situations, 'situation')}"
    head += f", {decision.indifferent:,} of them indifferent)" if decision.indifferent else ")"
    text = [head]
    if not decision.rules and not decision.uncovered:
        text.append("  all orders are equally good")
    text += [
        f"  {number}. {words.rule(rule, decision)}  [{rule.situations:,}]"
        for number, rule in enumerate(decision.rules, start=1)
    ]
    if decision.uncovered:
        text.append(
            f"  {counted(decision.uncovered, 'situation')} covered by no short rule: see {all_data()}"
        )
    if decision.cost:
        text.append(
            f"  following these costs {figure_text(decision.cost)}{_share(decision.cost, result.value)}"
        )
    elif decision.cost is not None and not decision.standard:
        text.append("  following these costs nothing")
    if decision.standard and decision.rules:
        text.append("  the standard order is among the best throughout")
    return text


def _frontier_lines(result: SearchResult) -> list[str]:
    if result.second is None:
        return []
    exact = all(reached == bound for reached, bound in result.points)
    first, second = result.goal.title.lower(), result.second.title.lower()
    text = [
        "",
        f"frontier: {first} against {second} (corners; choosing at random between two neighbours gives",
    ]
    text.append(
        "every point of the line between them, and nothing lies beyond"
        + (")" if exact else " the bounds)")
    )
    head = f"  {first:>24}  {second:>24}"
    text.append(head if exact else f"{head}  {'no policy betters':>24}")
    for reached, bound in result.points:
        line = f"  {figure_text(reached[0]):>24}  {figure_text(reached[1]):>24}"
        text.append(line if exact else f"{line}  {', '.join(map(figure_text, bound)):>24}")
    if not result.whole:
        text.append("  there are more corners between these; every one printed is exact")
    return text


def as_data(result: SearchResult) -> dict[str, Any]:
    """Return the answer as JSON data; rationals are text."""
    only, fitted = (
        result.process.open_decisions.only,
        result.searched.compiler.fitted,
    )
    pairs = [(question, pattern) for question, patterns in only.items() for pattern in patterns]
    policy, standard, trial = result.found.policy, result.standard, result.found.trial
    data: dict[str, Any] = {
        "scenario": result.scenario.title,
        "side": result.process.open_decisions.side,
        "moments": result.process.moments,
        "goal": result.goal.name,
        "unit": result.goal.unit,
        "exact": trial is None,
        "optimal": result.exact,
        "value": str(result.value) if trial is None else attrs.asdict(trial.value),
        "bound": _text(result.bound),
        "gap": _text(result.gap),
        "standard": _text(standard) if trial is None else attrs.asdict(trial.standard),
        "regret": None if standard is None else str(abs(result.value - standard)),
        "stopped": result.found.stopped,
        "attempts": [
            {"at_the_target_only": each.aimed, "too_large": each.why or None}
            for each in result.found.attempts
        ],
        "weighed": {question: list(map(str, patterns)) for question, patterns in only.items()},
        "never_possible": [
            f"{question}={pattern}"
            for question, pattern in pairs
            if (question, pattern) not in fitted
        ],
        "rules": list(map(_rules_data, result.rules)),
        "rules_of_thumb": list(map(_rules_data, result.thumbs)),
        "rules_of_thumb_loss": _text(result.thumbs_loss),
        "change": dict(result.found.change.verbs) if result.found.change else {},
        "policy": []
        if policy is None
        else [_situation(policy, situation) for situation in policy.situations],
        "notes": list(result.scenario.provenance),
    }
    if result.card is not None:
        data["card"] = {"rules": list(map(_rules_data, result.card)), "loss": str(result.loss)}
    if result.second is not None:
        data["frontier"] = {
            "goals": [result.goal.name, result.second.name],
            "corners": [list(map(str, reached)) for reached, _ in result.points],
            "bounds": [list(map(str, bound)) for _, bound in result.points],
            "whole": result.whole,
        }
    return data


def _text(value: Fraction | None) -> str | None:
    return None if value is None else str(value)


def _rules_data(decision: solving.DecisionRules) -> dict[str, Any]:
    def plain(_owner: Any, field: Any, value: Any) -> Any:
        if field is not None and field.name == "when":
            return list(map(str, value))
        return str(value) if isinstance(value, Fraction) else value

    data = attrs.asdict(attrs.evolve(decision, orders={}), value_serializer=plain)
    del data["orders"]
    return data


def _situation(policy: solving.Policy, situation: solving.Decision) -> dict[str, Any]:
    return {
        "question": situation.ask.question,
        "moment": situation.moment,
        "arguments": [str(arg) for arg in situation.ask.args],
        "state": {
            key: " or ".join(map(str, alike))
            for key, alike in zip(policy.keys, situation.values, strict=True)
        },
        "seen": sorted(situation.seen) if isinstance(situation.seen, frozenset) else situation.seen,
        "best": [str(situation.orders[order]) for order in situation.best],
    }
