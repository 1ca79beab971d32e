"""A sample that nobody asked for ends where every trajectory meets new situations.

One that was asked for does not.
"""

from fireplan.questions import sampling
from fireplan_core.play import Catalogue, find_scenario


def test_a_sample_for_want_is_the_beginning_of_one_that_is_asked_for(monkeypatch):
    monkeypatch.setattr(sampling, "MOST_MET", 20)
    scenario, moments = find_scenario(Catalogue.installed(), "miniatures_1943/hedgerow_farm")[0], 3
    how, shares, walked = sampling.Sample(seed=4).or_advised().walked(scenario, moments)
    assert 0 < walked < sampling.ADVISED
    assert f"(stopped after {walked:,}, " in how
    asked = sampling.Sample(walked, 4).or_advised()
    assert asked.walked(scenario, moments) == ("the rules step by step", shares, walked)


def test_without_new_situations_as_many_are_drawn_as_are_advised(monkeypatch):
    monkeypatch.setattr(sampling, "ADVISED", 40)
    scenario = find_scenario(Catalogue.installed(), "miniatures_1943/hedgerow_farm")[0]
    how, _, walked = sampling.Sample().or_advised().walked(scenario, 2)
    assert (how, walked) == ("the rules step by step", 40)
