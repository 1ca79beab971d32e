"""Duels of a shipped game: mixtures worked out by hand, and secrets that no plan may depend on."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import attrs
import pytest

import fireplan as fp
from fireplan.questions.duel import DuelResult

STACK = Path(__file__).parents[3] / "examples" / "duels" / "empty_stack.toml"
DUMMY = '"american barrage 1"{stage=ended reason=lost}'
OPEN = ("request", "movement=done, prone base=section")
STANDING, PRONE = Fraction(1, 3), Fraction(1, 6)
"""The chance that a barrage destroys a base in the open (6.4 and the chart): on 5 or 6, or if prone
only on 6.
"""


def stack(real: str, fake: str, *tolls: str) -> DuelResult:
    worlds = (real, f"{fake} {DUMMY}")
    return fp.duel(str(STACK), "destroyed", only=OPEN, world=worlds, toll=tolls)


def mixtures(found: DuelResult, side: str) -> list[dict[str, Fraction]]:
    return [line.mixture for line in found.plans if line.side == side and line.when == "turn 1"]


def test_6_1_c_a_dummy_is_placed_with_two_chances_in_nine() -> None:
    found = stack("1/4", "3/4", "posture=1/10", "requested=1/20")
    assert (found.low, found.high, found.found.exploitability) == (
        Fraction(1, 16),
        Fraction(1, 16),
        0,
    )
    bluff = next(one for one in mixtures(found, "american") if one.get("place a dummy"))
    down = next(one for one in mixtures(found, "german") if one["done"] < 1)
    # A side that sees a stack is indifferent: with this chance that the stack is real, lying down
    # saves exactly what it costs.
    real = Fraction(1, 4) / (Fraction(1, 4) + Fraction(3, 4) * bluff["place a dummy"])
    assert real * (STANDING - PRONE) == Fraction(1, 10)
    # A side without a barrage is indifferent: a bluff gains exactly what it costs.
    assert down["prone base=section"] * Fraction(1, 10) == Fraction(1, 20)
    assert bluff["place a dummy"] == Fraction(2, 9)
    assert "place a dummy with 2 chances in 9" in found.markdown()


def test_a_duel_begins_with_the_guaranteed_value() -> None:
    found = stack("1/4", "3/4", "posture=1/10", "requested=1/20")
    first, *others = " ".join(str(found).split("\n")).split(" american, turn 1: ")
    assert first == (  # 1/16 is 6.2 %
        "The Americans can count on 6.2 % (destroyed, after the costs of events) whatever the Germans"
        " do, and the Germans can hold them to that."
    )
    assert "Neither side can gain anything by changing its plan (exploitability 0)." in others[-1]
    assert "sequences" not in str(found)
    assert "Found with 60 sequences" in str(attrs.evolve(found, in_full=True))


def test_6_1_h_beliefs_are_bayes_rule_over_every_hidden_world() -> None:
    """Brute force: every play of the Americans that the Germans may be facing, weighed by hand."""
    found = stack("1/4", "3/4", "posture=1/10", "requested=1/20")
    hands = {"as it is": Fraction(1, 4), DUMMY: Fraction(3, 4)}
    american = {next(iter(line.believes)): line for line in found.plans if line.side == "american"
                if line.when == "turn 1"}  # fmt: skip
    first = [line for line in found.plans if line.side == "german" and line.when == "turn 1"]
    # Leave out lines with one order: a side that has gone to ground is only asked for its next
    # order.
    german = [line for line in first if len(line.mixture) > 1]
    assert set(american) == set(hands)
    for line in german:
        saw_a_stack = any("placed" in told for told in line.knowing)
        weights = {
            world: prior
            * sum(
                (
                    chance
                    for order, chance in american[world].mixture.items()
                    if (order != "pass") == saw_a_stack
                ),
                Fraction(0),
            )
            for world, prior in hands.items()
        }
        total = sum(weights.values())
        assert line.reached == total
        assert line.believes == {
            world: weight / total for world, weight in weights.items() if weight
        }
    assert {line.believes.get("as it is", 0) for line in german} == {Fraction(3, 5), 0}


def test_a_side_knows_its_own_assets() -> None:
    found = stack("1/4", "3/4", "posture=1/10", "requested=1/20")
    assert all(len(line.believes) == 1 for line in found.plans if line.side == "american")
    assert all(sum(line.believes.values()) == 1 for line in found.plans)


@pytest.mark.parametrize(("real", "value"), [("1", Fraction(3, 20)), ("0", Fraction(0))])
def test_where_there_is_no_secret_nobody_bluffs(real: str, value: Fraction) -> None:
    """A certain barrage is placed and answered by lying down; without one there is nothing to
    threaten.
    """
    found = stack(real, str(1 - int(real)), "posture=1/20", "requested=1/15")
    assert found.low == found.high == value
    assert PRONE + Fraction(1, 20) - Fraction(1, 15) == Fraction(3, 20)
    assert all(max(line.mixture.values()) == 1 for line in found.plans)


def test_6_1_h_the_other_side_acts_alike_where_it_sees_the_same() -> None:
    """In turn 1 the Germans decide by whether they see a stack, whatever is in it."""
    found = stack("1/4", "3/4", "posture=1/10", "requested=1/20")
    german = [at for at in found.form.situations[1] if at.knows.moment == 0 and len(at.orders) > 1]
    assert len(german) == 2


def test_a_side_that_may_choose_its_secret_chooses_as_well_as_any_chance_would() -> None:
    lost = '"american dummy 1"{stage=ended reason=lost}'
    chosen = fp.duel(
        str(STACK),
        "destroyed",
        only=OPEN,
        world=("as it is", lost, DUMMY),
        chosen_by="american",
        toll=("posture=1/10",),
    )
    assert chosen.found.exploitability == 0
    for world in ("as it is", lost, DUMMY):
        one = fp.duel(
            str(STACK), "destroyed", only=OPEN, world=(f"1 {world}",), toll=("posture=1/10",)
        )
        assert one.low <= chosen.low


def test_all_bad_input_is_reported_at_once() -> None:
    with pytest.raises(fp.InputError) as told:
        fp.duel(
            str(STACK), "fame", side="french", world=("half",), toll=("posture",), chosen_by=None
        )
    text = str(told.value)
    assert all(word in text for word in ("fame", "french", "half", "posture"))


def test_without_the_library_of_linear_programs_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "highspy", None)
    with pytest.raises(fp.InputError, match=r"fireplan\[duel\]"):
        fp.duel(str(STACK), "destroyed", only=OPEN)


def test_a_duel_that_is_too_large_explains_how_to_reduce_it() -> None:
    with pytest.raises(fp.InputError, match=r"too large.*only"):
        fp.duel("miniatures_1943/river_crossing", "destroyed")
