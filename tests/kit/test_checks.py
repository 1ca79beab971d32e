"""The checks: each is documented, reports what is wrong, and never raises."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import attrs
import null_game
import pytest

import fireplan_red_poppies
from fireplan.solver import TooLargeError
from fireplan.table import LogLine, Session, Visibility, view_of
from fireplan_core import Ask
from fireplan_core.play import Catalogue, Rulebook, find_scenario, stage_engagement
from fireplan_kit import (
    LAWS,
    STANDARD,
    Bench,
    Finding,
    Flaw,
    GameSuite,
    Law,
    checks,
    examine,
    random_play,
    secrecy_laws,
)
from fireplan_kit.check import admitted, raised
from fireplan_kit.check_question import Check, CheckResult
from fireplan_kit.kitbash import imported
from fireplan_kit.perft import PerftPosition, read_position
from fireplan_kit.scaffolding import rendered

DOCS = Path(__file__).resolve().parents[2] / "docs" / "reference/checks.md"


def test_drawn_engagements_too_large_to_compare_are_noted(monkeypatch):
    def too_large(_bench):
        raise TooLargeError("more than 2 states", 0)

    monkeypatch.setitem(random_play.HELD, "the three evaluations of steps", too_large)
    ((law, findings),) = examine("red_poppies", fireplan_red_poppies, only=("L28-drawn",))
    assert findings == []
    assert len(law.notes) == random_play.STAGED
    assert law.notes[0].startswith(
        "too large: the three evaluations of steps not compared on target.men=8"
    )
    result = CheckResult("g", {law.id: []}, frozenset(), {}, notes={law.id: law.notes})
    texts = [block.text.strip() for block in result.blocks()]
    assert texts[1:] == [*law.notes]
    assert result.rows()[27]["notes"] == [*law.notes]
    assert result.passed


def test_an_engagement_that_cannot_be_drawn_is_noted(monkeypatch):
    monkeypatch.setattr(random_play, "TRIED", 0)
    ((law, _),) = examine("red_poppies", fireplan_red_poppies, only=("L28-drawn",))
    assert law.notes == ("none of 0 engagements drawn at random can be staged",)


def test_scenarios_alone_can_show_friendly_fire():
    """No engagement has own troops within 500 m, but the scenario's patrol is two hexes away."""
    files = rendered("apart", "hex")
    path = "src/fireplan_apart/requests.py"
    far = """    def stage(self, staging):
        super().stage(staging)
        own = staging.engagement.own_troops
        if own is not None and own.distance_m < 500:
            staging.cannot("own troops are nearer than 500 m (1.1)")

    cites: ClassVar = {"""
    files[path] = files[path].replace("    cites: ClassVar = {", far, 1)
    rules = "src/fireplan_apart/data/rules.toml"
    found = []
    for kept in (files[rules], files[rules].replace("own_under_fire=true", "")):
        with imported("apart", files | {rules: kept}) as plugin:
            ((_, findings),) = examine("apart", plugin, only=("L18-capabilities",))
        found.append([finding.flaw.text for finding in findings])
    assert found == [[], []]


def test_a_chain_that_is_too_large_is_explored_once_for_all_checks(monkeypatch):
    explored = []

    def explore(scenario):
        explored.append(scenario)
        raise TooLargeError("more than 400,000 states", 3)

    monkeypatch.setattr("fireplan_kit.bench.explore_orders", explore)
    with imported("large", rendered("large", "hex")) as plugin:
        bench = Bench(admitted("large", plugin)[0], "large")
        for _ in range(3):
            with pytest.raises(TooLargeError, match="400,000"):
                _ = bench.orders
    assert len(explored) == 1


def test_ids_are_numbered_in_order_and_documented_each_in_a_section():
    ids = [law.id for law in LAWS]
    assert [int(name[1:3]) for name in ids] == list(range(1, len(ids) + 1))
    sections = re.findall(r"^## (L\d\d-[a-z]+)$", DOCS.read_text(encoding="utf-8"), re.MULTILINE)
    assert sections == ids


def test_every_section_gives_causes_and_remedies():
    text = DOCS.read_text(encoding="utf-8")
    for section in re.split(r"^## (?=L\d\d)", text, flags=re.MULTILINE)[1:]:
        body = section.partition("\n")[2].partition("\n## ")[0]
        assert "**What breaks it.**" in body, section[:20]
        assert "**What to do.**" in body, section[:20]


def test_a_finding_names_game_check_rule_and_command():
    finding = Finding("my_game", "L03-mass", Flaw("the weights do not sum", "4.1"))
    assert str(finding) == (
        "my_game: L03-mass: the weights do not sum [4.1]; to reproduce: fireplan check my_game --only L03-mass"
    )


def test_the_command_of_a_finding_names_the_engagement_it_was_found_on():
    finding = Finding("my_game", "L14-ends", Flaw("stuck"), " --engagement dug_in")
    assert finding.command == "fireplan check my_game --only L14-ends --engagement dug_in"


def test_a_check_may_be_named_by_its_number():
    named, numbered = (
        Check(game="miniatures_1943", only=(name,)).answer() for name in ("L07-cited", "L07")
    )
    assert str(named) == str(numbered)
    assert "L07-cited" in str(numbered)


def test_an_exception_of_a_rule_is_a_flaw_with_its_notes():
    def stumbles(bench):
        error = KeyError("at")
        error.add_note("in step delays.wait(a) (2.2)")
        raise error

    (flaw,) = Law("L99-none", "", stumbles).flaws(None)
    assert flaw.cite == "2.2"
    assert "raised KeyError: 'at' in step delays.wait(a) (2.2), at test_checks.py:" in flaw.text
    assert raised(ValueError("no")).text.startswith("raised ValueError: no")
    (flaw,) = Law("L99-none", "", lambda bench: [].pop()).flaws(None)
    assert flaw.cite == ""  # without a known rule, none is cited


def test_a_game_in_a_folder_named_like_the_project_is_still_named(tmp_path):
    source = tmp_path / "fireplan" / "pluggy" / "mine.py"
    asks = compile("def asks():\n    Rulebook(None)", source, "exec")
    exec(asks, made := {"Rulebook": Rulebook})  # noqa: S102
    (flaw,) = Law("L99-none", "", lambda _bench: made["asks"]()).flaws(None)
    assert "at mine.py:2, asks" in flaw.text


def test_an_exception_inside_a_question_names_the_rule_and_the_line_of_the_game():
    scenario, _ = find_scenario(Catalogue.installed(only=("asl",)), "asl/village")
    call = attrs.evolve(
        scenario.questions["requests.call"], offers=lambda view, mission: [view.side("1st squad")]
    )
    broken = Rulebook(attrs.evolve(scenario, questions={"requests.call": call}))

    def asks(bench):
        broken.forms(Ask("german", "requests.call", ("a",)), {}.get)

    (flaw,) = Law("L99-none", "", asks).flaws(None)
    assert (
        f"raised KeyError: '1st squad' in question requests.call(a) ({call.cite}), at " in flaw.text
    )
    assert "at test_checks.py:" in flaw.text  # the line of the law, not one in the core's view
    assert flaw.cite == call.cite


def test_an_oversized_problem_is_reported_once_and_dependent_checks_are_skipped(monkeypatch):
    def too_large(_bench):
        raise TooLargeError("more than 3 states: aim takes 9 values")

    laws = [
        Law(f"L9{n}-{n}", "", check)
        for n, check in enumerate((too_large, lambda _bench: [], too_large))
    ]
    monkeypatch.setattr(checks, "LAWS", tuple(laws))
    found = [
        (law.id, [finding.flaw.text for finding in findings])
        for law, findings in examine("null", null_game)
    ]
    assert found == [
        ("L90-0", ["too large: more than 3 states: aim takes 9 values"]),
        ("L91-1", []),
    ]


def test_a_frozen_position_is_read_back_as_it_was_written():
    position = PerftPosition("engagement woods", (("contact", ("3", "4")), ("access", ("black",))))
    written = "\n".join(["# words", *position.lines(), "throws: 1, 36 sequences, chance 1", ""])
    assert read_position(written) == position
    with pytest.raises(ValueError, match="start: engagement"):
        read_position("start: nowhere\n")


def test_frozen_chances_are_those_of_the_dice():
    # In the new game's opening, a relay needs 4 or more on a d6, with +1 after a failure; the file
    # counts its first two attempts.
    text = (
        Path(__file__).resolve().parents[2]
        / "kit/src/fireplan_kit/scaffold/hex/src/package/data/perft/01-checks-0.txt.j2"
    ).read_text(encoding="utf-8")
    rows = re.findall(r"^ +(\d+) +([\d/]+)  (\S+)", text.partition("throws: 2")[0], re.MULTILINE)
    assert {(int(ways), Fraction(chance), kind) for ways, chance, kind in rows} == {
        (3, Fraction(1, 2), "through"),
        (3, Fraction(1, 2), "not_through"),
    }
    second = text.partition("throws: 2")[2].partition("throws: 3")[0]
    # After a failure (3 of 6 faces), the +1 makes 3 or more enough (4 of 6 faces): 12 of 36
    # sequences.
    assert re.search(r"^ +12 +1/3  through", second, re.MULTILINE)


def test_suites_with_engagements_of_their_own_share_no_bench(monkeypatch):
    class Entry:
        load = staticmethod(lambda: null_game)

    monkeypatch.setattr("fireplan_kit.checks.entry_points", lambda **_: [Entry])
    checks._bench.cache_clear()

    class Short(GameSuite):
        game = "null"
        engagement = attrs.evolve(STANDARD, minutes=5)

    class Usual(GameSuite):
        game = "null"

    assert Short()._bench().engagement.minutes == 5
    assert Usual()._bench().engagement == STANDARD
    assert Usual()._bench() is Usual()._bench()


def test_a_log_that_names_what_is_hidden_is_a_leak(monkeypatch):
    catalogue, flaws = admitted("null", null_game)
    assert flaws == []
    session = Session(stage_engagement(catalogue, "null", STANDARD), 4)
    unit = session.scenario.targets[0]
    monkeypatch.setitem(
        vars(session.scenario.parts.resolution),
        "hides",
        lambda _scenario, name, _side: name == unit,
    )
    view, eyes = view_of(session, "firer"), Visibility(session.scenario, "firer")
    sitting = [(session.table, secrecy_laws._shown(eyes, session.table))]
    assert list(secrecy_laws._leaks(eyes, sitting)) == []
    told = attrs.evolve(
        view, log=(LogLine(0, "moment 1", "order", f"target: lie_low unit={unit}"),)
    )
    monkeypatch.setattr(secrecy_laws, "view_of", lambda *_: told)
    sitting = [(session.table, secrecy_laws._shown(eyes, session.table))]
    assert list(secrecy_laws._leaks(eyes, sitting)) == [
        f"the view of firer names {unit}, which is hidden from it"
    ]
