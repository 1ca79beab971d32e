"""A forecast names the hex where a shell lands if the outcomes differ in nothing else."""

from fireplan.table import Session, forecast
from fireplan_core import Ask
from fireplan_core.play import Catalogue, load_scenario, shipped_scenarios


def test_rolls_for_direction_name_the_six_hexes_that_the_shell_may_scatter_to():
    catalogue = Catalogue.installed()
    path = shipped_scenarios(catalogue)["battletech/ranging_in"]
    scenario, form = load_scenario(catalogue, path)
    session = Session(scenario, form.moments)
    while isinstance(waits := session.table.waits_for, Ask) or waits.name != "direction":
        if isinstance(waits, Ask):
            session.order(session.table.rulebook.answer(waits, {}, session.table.read))
        else:
            session.throw([(1, True) for _ in waits.faces])
    told = {each.when: each.what for each in forecast(session.table)}
    assert list(told) == ["1", "2", "3", "4", "5", "6"]
    assert len(set(told.values())) == 6
    assert all(words.startswith("The shell bursts on ") for words in told.values())
