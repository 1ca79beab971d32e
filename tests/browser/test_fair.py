"""Dice that two browsers throw together: each makes its own secret, and looks again at what became of it."""

from fireplan.table import begin, make_head, reopen
from fireplan_core import Ask
from fireplan_core.play import Catalogue

CATALOGUE = Catalogue.installed()


def test_two_browsers_throw_together_and_notice_what_was_changed(opened, tables):
    file = tables / "together.journal"
    session = begin(
        file, CATALOGUE, make_head(CATALOGUE, "miniatures_1943/hedgerow_farm", None, {})
    )
    while isinstance(session.table.waits_for, Ask):
        session.order(
            session.table.rulebook.answer(session.table.waits_for, {}, session.table.read)
        )
    session.journal.close()
    american, german = opened(), opened()
    one = american.go("/tables/together/seat/american")
    one.get_by_text("Shared dice").click()
    one.get_by_role("button", name="Roll all dice together").click()
    one.get_by_role("button", name="Commit").click()
    one.wait_for_selector("text=This page refreshes by itself")
    two = german.go("/tables/together/seat/german")
    two.get_by_role("button", name="Commit").click()
    for page in (one, two):
        page.wait_for_selector("text=Shared dice (1 thrown)")
    kept = [page.evaluate("() => Object.entries(localStorage)") for page in (one, two)]
    again, _ = reopen(file, CATALOGUE, read_only=True)
    again.journal.close()
    (thrown,) = again.fair.thrown
    for side, mine in zip(("american", "german"), kept, strict=True):
        assert dict(mine)[f"together {side} 1"] == thrown.secrets[side]
    assert not one.locator("#unfair:not([hidden])").count()
    one.evaluate("() => localStorage.setItem('together american 1', '0'.repeat(32))")
    one.goto(one.url.partition("?")[0])
    one.wait_for_selector("#unfair:not([hidden])", state="attached")
