"""Answers as text for people."""

from fractions import Fraction

import attrs
import pytest

from fireplan.analysis import (
    FIGURES,
    Measures,
    compare,
    contenders,
    find_engagement,
    in_short,
    percent,
)
from fireplan.analysis.phrasing import signed
from fireplan_core.play import Catalogue


def test_equal_games_have_no_slowest_least_sure_or_narrowest():
    installed = Catalogue.installed()
    found = compare(find_engagement("woods"), installed, contenders(installed, ["wacht_am_rhein"]))
    answer = found.games["wacht_am_rhein"]
    twice = attrs.evolve(
        found, games={"a": answer, "b": attrs.evolve(answer, key="b", title="The same again")}
    )
    said = " ".join(in_short(twice))
    assert "Fastest to fire half the time" in said
    assert not any(word in said for word in ("slowest", "least sure", "narrowest", "mildest"))
    title = answer.title
    assert f"Surest to fire at all: {title} and The same again, 100 %." in said
    assert f"Hardest on the target: {title} and The same again destroy" in said
    slower = attrs.evolve(answer.measures["delivered"], number=Fraction(1, 2))
    measures = Measures({**answer.measures, "delivered": slower})
    other = attrs.evolve(answer, title="Another", measures=measures)
    assert "least sure Another, 50.0 %" in " ".join(
        in_short(attrs.evolve(found, games={"a": answer, "b": other}))
    )


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (Fraction(0), "0 %"),
        (Fraction(1, 10**9), "<0.1 %"),
        (Fraction(1, 2000), "0.1 %"),
        (Fraction(1998, 2000), "99.9 %"),
        (Fraction(1999, 2000), ">99.9 %"),
        (Fraction(10**9 - 1, 10**9), ">99.9 %"),
        (Fraction(1), "100 %"),
    ],
)
def test_only_certainties_are_shown_as_0_or_100_percent(share, said):
    assert percent(share) == said


@pytest.mark.parametrize(
    ("new", "old", "said"),
    [
        (Fraction(3, 4), Fraction(1, 2), "75.0 % instead of 50.0 %"),
        (Fraction(11402, 10**5), Fraction(11401, 10**5), "11.402 % instead of 11.401 %"),
        (Fraction(1, 10**5), Fraction(2, 10**6), "0.001 % instead of <0.001 %"),
        (1 - Fraction(1, 10**5), 1 - Fraction(1, 10**4), ">99.99 % instead of 99.99 %"),
        (Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**9), "33.3 %, nearly as before"),
        (Fraction(1, 3), Fraction(1, 3), "33.3 %, as before"),
    ],
)
def test_two_different_chances_never_look_alike(new, old, said):
    assert FIGURES["on_target"].compared(new, old) == said


def test_two_different_times_never_look_alike():
    minutes = FIGURES["minutes_to_first_effect"]
    assert minutes.compared(Fraction(12041, 100), Fraction(12044, 100)) == (
        "120.41 min instead of 120.44 min"
    )


@pytest.mark.parametrize(
    ("amount", "told"),
    [
        (4.567, "+4.57 points"),
        (-0.0004, "-<0.01 points"),
        (0.004, "+<0.01 points"),
        (0, "+0.00 points"),
    ],
)
def test_a_difference_has_a_sign_and_a_tiny_one_is_never_shown_as_zero(amount, told):
    assert signed(amount, "points") == told
