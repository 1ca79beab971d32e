"""Every order on offer reads as a sentence: no two are alike, and none contains a file's id or key."""

import re

import pytest

from fireplan.table import Session, Viewer
from fireplan_core import Ask
from fireplan_core.chance import RandomFaces
from fireplan_core.play import Catalogue, find_scenario, shipped_scenarios

INSTALLED = Catalogue.installed()
INPUTS, ORDERS = 150, 8
"""Limits on the inputs and on the questions of each scenario; orders are given at random."""
DICE = {"red_poppies/combined_arms_assault"}
"""Scenarios that begin with too many dice for these limits."""
INTERNAL = re.compile(r"[a-z]_[a-z]|=|\{|\bTrue\b|\bFalse\b|\bNone\b|\.\.$")


@pytest.mark.parametrize("name", [*shipped_scenarios(INSTALLED)])
def test_orders_are_distinguishable_in_words(name):
    scenario, form = find_scenario(INSTALLED, name)
    session, faces, asked = Session(scenario, form.moments), RandomFaces(name), 0
    for _ in range(INPUTS):
        waits = session.table.waits_for
        if waits is None or asked == ORDERS:
            break
        if not isinstance(waits, Ask):
            session.throw([(face, False) for face in faces.faces(waits)])
            continue
        viewer = Viewer(session, waits.who)
        orders = viewer.form().orders
        words = [order.words for order in orders]
        assert len({*words}) == len(words), [o for o in orders if words.count(o.words) > 1]
        for order in orders:
            assert order.words[0].isupper() or not order.words[0].isalpha()
            assert not INTERNAL.search(order.words), order.words
        legal = [order.text for order in orders if not order.refusal]
        viewer.give(viewer.read_order(legal[faces.below(len(legal))]))
        asked += 1
    assert asked or name in DICE
