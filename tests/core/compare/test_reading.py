"""Answers as people read them."""

from fractions import Fraction

import attrs

from fireplan.compare import compare, contenders, find_engagement, in_short
from fireplan.table import Catalogue


def test_equal_games_have_no_slowest_least_sure_or_narrowest():
    installed = Catalogue.installed()
    found = compare(find_engagement("woods"), installed, contenders(installed, ["wacht_am_rhein"]))
    answer = found.games["wacht_am_rhein"]
    twice = attrs.evolve(found, games={"a": answer, "b": attrs.evolve(answer, key="b", title="The same again")})
    said = " ".join(in_short(twice))
    assert "Fastest to fire half the time" in said
    assert not any(word in said for word in ("slowest", "least sure", "narrowest", "mildest"))
    slower = attrs.evolve(answer.measures["delivered"], value=Fraction(1, 2))
    other = attrs.evolve(answer, title="Another", measures={**answer.measures, "delivered": slower})
    assert "least sure Another, 50.0 %" in " ".join(in_short(attrs.evolve(found, games={"a": answer, "b": other})))
