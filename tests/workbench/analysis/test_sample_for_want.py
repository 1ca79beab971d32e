"""A sample drawn only because the exact answer is too large stops early if every run meets new
situations.

A sample that was requested does not.
"""

from fireplan.questions import sampling
from fireplan_core.play import Catalogue, find_scenario


def test_a_sample_that_stops_early_is_the_beginning_of_a_requested_one(monkeypatch):
    monkeypatch.setattr(sampling, "MOST_MET", 20)
    scenario, moments = find_scenario(Catalogue.installed(), "miniatures_1943/hedgerow_farm")[0], 3
    how, shares, walked = sampling.Sample(seed=4).or_advised().walked(scenario, moments)
    assert 0 < walked < sampling.ADVISED
    assert f"(stopped after {walked:,}, " in how
    asked = sampling.Sample(walked, 4).or_advised()
    assert asked.walked(scenario, moments) == ("the rules step by step", shares, walked)


def test_without_new_situations_the_advised_number_is_drawn(monkeypatch):
    monkeypatch.setattr(sampling, "ADVISED", 40)
    scenario = find_scenario(Catalogue.installed(), "miniatures_1943/hedgerow_farm")[0]
    how, _, walked = sampling.Sample().or_advised().walked(scenario, 2)
    assert (how, walked) == ("the rules step by step", 40)
