"""Beliefs: worked by hand, checked against every hidden world, and the same wherever a side has
seen the same.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import comb
from pathlib import Path
from typing import Any

import pytest
from tiers import full_then_long

import fireplan as fp
from fireplan.duels import Beliefs, arranged
from fireplan.errors import InputError
from fireplan.questions.belief import belief_at
from fireplan.solver.best import OpenDecisions
from fireplan.table import Session, Viewer, Visibility, sides_of
from fireplan_core import Ask
from fireplan_core.chance import RandomFaces
from fireplan_core.play import (
    Answered,
    Catalogue,
    Input,
    Table,
    Thrown,
    find_scenario,
    opening,
    shipped_scenarios,
)

STACK = Path(__file__).parents[3] / "examples" / "duels" / "empty_stack.toml"
GAMES = Catalogue.installed()
VEILED = ("miniatures_1943", "combat_commander", "battlegroup_clash")
DEALT = ("combat_commander/lone_radio", "combat_commander/orchard")
"""Scenarios with too many hidden worlds to play one by one: hands are dealt from 72 cards before
the first order.
"""
OPEN = ("battlegroup_clash/jammed_nets",)
"""Scenarios without chits: tokens are face down for both sides, so each side knows the only world.
"""
SCENARIOS = [name for name in shipped_scenarios(GAMES) if name.partition("/")[0] in VEILED]
BARRAGE, NONE = "1/4", '3/4 "american barrage 1"{stage=ended reason=lost}'
PLACED = "place barrages=1 dummies=0 air_strikes=0"


# --- by hand --------------------------------------------------------------------------------------
def test_6_1_h_a_stack_is_real_as_often_as_bayes_has_it() -> None:
    """With a barrage, three orders place a stack (barrage, dummy, both) and one passes; without
    one, only the dummy does.

    The stack is seen with probability 1/4 x 3/4 if there is a barrage, and 3/4 x 1/2 if there is
    none. So the barrage exists with probability 1/3, and is then in the stack with probability 2/3.
    """
    after = fp.position(str(STACK)).play(PLACED)
    found = after.belief("german", world=[BARRAGE, NONE])
    assert sum(share for share, _ in found.positions()) == 1
    chances = defaultdict[str, Fraction](Fraction)
    for share, at in found.positions():
        chances[str(at["american barrage 1", "stage"])] += share
    assert chances == {"requested": Fraction(2, 9), "idle": Fraction(1, 9), "ended": Fraction(2, 3)}
    (about,) = (about for about in found.inferred if "Request box" in about)
    assert found.inferred[about]["place air_strikes=0 barrages=0 dummies=1"] == Fraction(
        1, 9
    ) + Fraction(2, 3)


def test_a_policy_weighs_orders_in_place_of_all_alike() -> None:
    after = fp.position(str(STACK)).play(PLACED)
    usual = after.belief("german", world=[BARRAGE, NONE], policy=["request=standard"])
    assert [at["american barrage 1", "stage"] for _, at in usual.positions()] == ["requested"]
    bluffs = "request=3 place barrages=1 dummies=0, 1 place barrages=0 dummies=1, 5 pass"
    mixed = after.belief("german", policy=[bluffs])
    assert sorted(share for share, _ in mixed.positions()) == [Fraction(1, 4), Fraction(3, 4)]


def test_s_e_the_enemy_does_not_know_which_chits_the_file_lays_before_play() -> None:
    """Five of ten chits are placed, and five of the ten are barrages: hypergeometric."""
    scenario, _ = find_scenario(GAMES, "miniatures_1943/river_crossing")
    worlds = [*arranged(scenario, opening(scenario), "german")]
    assert sum(share for share, *_ in worlds) == 1
    chances = defaultdict[int, Fraction](Fraction)
    for share, _, state in worlds:
        barrages = (name for name in scenario.missions if name.startswith("soviet barrage"))
        laid = (state.values[f"missions/{name}/delays/start"] is not None for name in barrages)
        chances[sum(laid)] += share
    assert chances == {k: Fraction(comb(5, k) * comb(5, 5 - k), comb(10, 5)) for k in range(6)}


def test_s_e_files_with_chits_in_other_boxes_give_the_enemy_the_same_belief(
    tmp_path: Path,
) -> None:
    path = shipped_scenarios(GAMES)["miniatures_1943/river_crossing"]
    text = path.read_text(encoding="utf-8")
    other = text.replace("box = 2\nbarrages = 1", "box = 2\ndummies = 1").replace(
        "box = 0\ndummies = 2", "box = 0\nbarrages = 1\ndummies = 1"
    )
    inferred = []
    for name, content in (("one", text), ("other", other)):
        file = tmp_path / f"{name}.toml"
        file.write_text(content, encoding="utf-8")
        scenario, _ = find_scenario(GAMES, str(file))
        worlds = arranged(scenario, opening(scenario), "german")
        inferred.append({state: share for share, _, state in worlds})
    assert inferred[0] == inferred[1]


def test_ten_chits_with_four_barrages_in_ten_boxes_are_210_worlds(tmp_path: Path) -> None:
    stacks = "".join(
        f"[[line.filled]]\nbox = {box}\n{'barrages' if box < 4 else 'dummies'} = 1\n"
        for box in range(10)
    )
    text = STACK.read_text(encoding="utf-8")
    line = text[text.index("[[line]]") : text.index("[[base]]")]
    filled = (
        '[[line]]\nside = "american"\nnationality = "american"\nboxes = 10\nbarrages = 4\ndummies = 6\n'
        f"{stacks}\n"
    )
    file = tmp_path / "ten_stacks.toml"
    file.write_text(text.replace(line, filled), encoding="utf-8")
    scenario, _ = find_scenario(GAMES, str(file))
    worlds = [*arranged(scenario, opening(scenario), "german")]
    assert [share for share, *_ in worlds] == [Fraction(1, 210)] * 210


def test_6_1_h_chits_placed_before_play_may_be_in_any_order(tmp_path: Path) -> None:
    """A barrage and a dummy are in two boxes: either order is equally likely until one arrives."""
    text = STACK.read_text(encoding="utf-8").replace("boxes = 0", "boxes = 3")
    file = tmp_path / "two_stacks.toml"
    file.write_text(text, encoding="utf-8")
    opens = fp.position(str(file))

    def laid(barrage: int, dummy: int) -> Any:
        at = {"american barrage 1": barrage, "american dummy 1": dummy}
        return opens.having(
            assets={name: {"stage": "delayed", "to_go": to_go} for name, to_go in at.items()}
        )

    two = laid(3, 2)
    found = two.belief("german")
    ways = sorted((share, at["american dummy 1", "to_go"]) for share, at in found.positions())
    assert ways == [(Fraction(1, 2), 1), (Fraction(1, 2), 2)]
    assert laid(2, 3).belief("german").inferred == found.inferred


def test_a_belief_begins_with_the_surest_fact() -> None:
    """Five of the nine orders that place a stack place the barrage, so that is listed first."""
    found = fp.belief("miniatures_1943/only_dummies", at=2, side="german")
    assert found.markdown().startswith(
        "**The Germans can infer most about american barrage 1: in the Request box with 5 chances in"
        " 9; in hand with 4 chances in 9.**"
    )
    assert found.markdown().index("what the Germans may infer (9 hidden arrangements fit") > 0


def test_another_scenario_may_be_how_it_began(tmp_path: Path) -> None:
    other = tmp_path / "two_barrages.toml"
    other.write_text(
        STACK.read_text(encoding="utf-8").replace("barrages = 1", "barrages = 2"), encoding="utf-8"
    )
    found = fp.belief(str(STACK), side="german", world=["2/3", f"1/3 {other}"])
    assert found.inferred["in hand, American"] == {
        "barrages 1, air strikes 0, dummies 1": Fraction(2, 3), "barrages 2, air strikes 0, dummies 1": Fraction(1, 3),
    }  # fmt: skip


def test_a_side_that_knows_everything_is_told_so_and_faults_are_reported_together() -> None:
    american = fp.belief(str(STACK), side="american")
    assert len(american.worlds) == 1
    assert str(american).startswith("Nothing is hidden from the Americans ")
    with pytest.raises(InputError) as told:
        fp.belief(str(STACK), side="nobody", world=["one"], policy=["asked=standard", "request=x"])
    for word in ("nobody", "world", "asked", "request"):
        assert word in str(told.value)


def test_worlds_can_be_given_for_a_position_in_play() -> None:
    """A line remembers only the state: before the first order the weights are the given ones."""
    waits = fp.position(str(STACK)).play(until="next order")
    line = fp.position(waits.line)
    assert " > american?" in str(line)
    found = line.belief("german", world=[BARRAGE, NONE])
    shares = {str(at["american barrage 1", "stage"]): share for share, at in found.positions()}
    assert shares == {"idle": Fraction(1, 4), "ended": Fraction(3, 4)}
    assert fp.belief(waits.line, side="german", world=[BARRAGE, NONE]).inferred == found.inferred
    with pytest.raises(InputError, match="did you mean stage"):
        line.belief("german", world=['1 "american barrage 1"{stag=ended}'])


def test_an_answer_without_weights_is_pointed_to_the_two_ways_of_a_policy() -> None:
    after = fp.position(str(STACK)).play(PLACED)
    with pytest.raises(InputError, match="write request=standard, or weights"):
        after.belief("german", policy=["request=standrd"])


def test_an_unexplained_observation_is_reported() -> None:
    after = fp.position(str(STACK)).play(PLACED)
    with pytest.raises(InputError, match="None of the starting positions considered explains"):
        after.belief(
            "german",
            world=['1 "american barrage 1"{stage=ended reason=lost}'],
            policy=["request=standard"],
        )


# --- every hidden world, one by one ----------------------------------------------------------------
def visible(eyes: Visibility, waits: Any) -> bool:
    if isinstance(waits, Ask):
        return eyes.hears(waits.who, waits.question)
    return waits is None or eyes.sees(waits.seen_by)


def looks(session: Session, side: str) -> Any:
    viewer = Viewer(session, side)
    waits = session.table.waits_for
    # Compare only the names of rolls: neither side is told which cards are left in a deck.
    told = waits if isinstance(waits, Ask) else waits and waits.name
    return (
        viewer.known.lines,
        viewer.situation(),
        told if visible(viewer.eyes, waits) else type(waits),
    )


def played(scenario: Any, moments: int, inputs: tuple[Input, ...]) -> Session:
    session = Session(scenario, moments)
    for given in inputs:
        if isinstance(given, Answered):
            session.order(given.order)
        else:
            session.throw([(face, True) for face in given.faces])
    return session


def one_by_one(
    scenario: Any, moments: int, side: str, inputs: tuple[Input, ...]
) -> dict[Any, Fraction]:
    """Return the possible states with their weights, by playing each hidden world from the opening."""
    eyes = Visibility(scenario, side)
    wanted, number = {}, 0
    for count in range(len(inputs) + 1):
        session = played(scenario, moments, inputs[:count])
        last = count == len(inputs)
        if visible(eyes, session.table.waits_for) or last:
            wanted[number] = looks(session, side), None if last else inputs[count]
            number += 1
    found: dict[Any, Fraction] = defaultdict(Fraction)

    def follow(given: tuple[Input, ...], share: Fraction, at: int) -> None:
        session = played(scenario, moments, given)
        waits, (look, then) = session.table.waits_for, wanted[at]
        shown = visible(eyes, waits)
        if looks(session, side) == look and (shown or then is None):
            if then is None:
                found[session.table.state] += share
            else:
                chance = Fraction(1)
                if isinstance(then, Thrown):
                    for die, face in zip(waits.faces, then.faces, strict=True):
                        chance *= Fraction(dict(die.weights)[face], sum(dict(die.weights).values()))
                follow((*given, then), share * chance, at + 1)
        elif not shown:
            ways = [*hidden_ways(session, waits)]
            for chance, way in ways:
                follow((*given, way), share * chance, at)

    follow((), Fraction(1), 0)
    whole = sum(found.values())
    return {state: share / whole for state, share in found.items()}


def hidden_ways(session: Session, waits: Any) -> Iterator[tuple[Fraction, Input]]:
    if isinstance(waits, Ask):
        orders = session.table.rulebook.legal(waits, session.table.read, each=10_000)
        yield from ((Fraction(1, len(orders)), Answered(waits.question, order)) for order in orders)
    else:
        (card,) = waits.faces
        whole = sum(count for _, count in card.weights)
        yield from (
            (Fraction(count, whole), Thrown(waits.name, (face,))) for face, count in card.weights
        )


def some_play(scenario: Any, moments: int, inputs: int, seed: int) -> tuple[Input, ...]:
    table, faces = Table(scenario, moments), RandomFaces(seed)
    while len(table.journal) < inputs and table.waits_for is not None:
        waits = table.waits_for
        if isinstance(waits, Ask):
            legal = table.rulebook.legal(waits, table.read, each=10_000)
            table.submit(Answered(waits.question, legal[(seed + len(table.journal)) % len(legal)]))
        else:
            table.submit(Thrown(waits.name, faces.faces(waits)))
    return table.journal


def test_nothing_is_hidden_in_the_other_shipped_scenarios() -> None:
    staged = {name: find_scenario(GAMES, name)[0] for name in shipped_scenarios(GAMES)}
    veiled = [
        name
        for name, at in staged.items()
        if any(Visibility(at, side).veiled for side in sides_of(at))
    ]
    assert sorted(veiled) == sorted(SCENARIOS)


@pytest.mark.parametrize("name", full_then_long(name for name in SCENARIOS if name not in DEALT))
def test_beliefs_are_those_of_all_hidden_worlds_one_by_one(name: str) -> None:
    scenario, form = find_scenario(GAMES, name)
    moments = form.moments
    compared = 0
    for seed in range(2):
        for side in sides_of(scenario):
            for inputs in (2, 4, 6):
                given = some_play(scenario, moments, inputs, seed)
                beliefs = Beliefs(
                    moments, side, [(Fraction(1), scenario, opening(scenario))], OpenDecisions(side)
                )
                worlds = beliefs.after(scenario, opening(scenario), given)
                if name in OPEN:
                    assert len(worlds) == 1
                elif not 1 < len(worlds) < 60:
                    continue
                assert {one.table.state: one.share for one in worlds} == one_by_one(
                    scenario, moments, side, given
                )
                compared += 1
    assert compared


# --- only what a side has seen counts ------------------------------------------------------------
def inferred(session: Session, side: str) -> Any:
    try:
        return belief_at(session, side).inferred
    except InputError as error:
        return str(error)


def unlike(session: Session) -> Iterator[Session]:
    """Yield sessions that differ in an order or a roll that the side does not see."""
    waits = session.table.waits_for
    if isinstance(waits, Ask):
        given: list[Input] = [
            Answered(waits.question, order)
            for order in session.table.rulebook.legal(waits, session.table.read, each=3)
        ]
    else:
        (card,) = waits.faces  # type: ignore[union-attr] # a throw
        given = [Thrown(waits.name, (face,)) for face, _ in card.weights[::23]]  # type: ignore[union-attr]
    for one in given[-3:]:
        yield played(session.scenario, session.moments, (*session.table.journal, one))


@pytest.mark.full
@pytest.mark.parametrize("name", full_then_long(SCENARIOS))
def test_tables_that_look_alike_to_a_side_give_it_the_same_belief(name: str) -> None:
    scenario, form = find_scenario(GAMES, name)
    moments = form.moments
    compared = 0
    for seed in range(2):
        given = some_play(
            scenario, moments, 30 if name.startswith("battlegroup_clash") else 14, seed
        )
        for count in range(len(given)):
            session = played(scenario, moments, given[:count])
            for side in sides_of(scenario):
                eyes = Visibility(scenario, side)
                if session.table.over or visible(eyes, session.table.waits_for):
                    continue
                for one, other in pairwise(unlike(session)):
                    if looks(one, side) == looks(other, side):
                        assert inferred(one, side) == inferred(other, side), (given[:count], side)
                        compared += 1
    assert compared or name == "battlegroup_clash/causeway"  # every order there is seen at once
