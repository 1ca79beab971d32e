"""Sentences: how fields choose words, which faults of a file are reported, and what admission
refuses.
"""

from types import ModuleType

import attrs
import pytest

from fireplan_core import (
    Form,
    Order,
    ProcedureError,
    Reason,
    Refusal,
    Resolution,
    Sentences,
    Severity,
    hookimpl,
    orders,
    read_sentences,
)
from fireplan_core.files import FileError
from fireplan_core.play import Catalogue
from fireplan_core.play.catalogue import questions_of, sentence_faults
from fireplan_core.sentences import common


def said(text, **fields):
    return Sentences({"events": {"it": (text,)}}).say(
        "events", "it", fields, lambda _name, value: str(value)
    )


@pytest.mark.parametrize(
    ("text", "fields", "words"),
    [
        ("{unit} breaks", {"unit": "the squad"}, "the squad breaks"),
        ("{n:# hit|# hits}", {"n": 1}, "1 hit"),
        ("{n:# hit|# hits}", {"n": 2}, "2 hits"),
        ("{n:# hit|# hits}", {"n": 0}, "0 hits"),
        ("{n:0=no hits|{n:# hit|# hits}}", {"n": 0}, "no hits"),
        ("{n:0=no hits|{n:# hit|# hits}}", {"n": 1}, "1 hit"),
        ("{ok:stands|does not stand}", {"ok": True}, "stands"),
        ("{ok:stands|does not stand}", {"ok": False}, "does not stand"),
        ("{by:, seen by {by}|}", {"by": "x"}, ", seen by x"),
        ("{by:, seen by {by}|}", {"by": ""}, ""),
        ("{how:pinned=is pinned|loses {how}}", {"how": "men"}, "loses men"),
        ("{severity:destroyed=is lost|is {severity}}", {"severity": Severity.DESTROYED}, "is lost"),
        ("{reason:denied=refused|over}", {"reason": Reason.DENIED}, "refused"),
        ("{reason:denied=refused|over}", {"reason": None}, "over"),
        # A value is never parsed as part of a sentence.
        ("{a:{a}|none}", {"a": "x|y=z{b}#"}, "x|y=z{b}#"),
    ],
)
def test_a_field_chooses_words(text, fields, words):
    assert said(text, **fields) == words


def test_the_first_sentence_with_all_its_fields_is_used():
    both = Sentences({"events": {"fall": ("lands on {at}, {gap} off", "lands on {at}")}})
    say = lambda _name, value: str(value)  # noqa: E731
    assert both.say("events", "fall", {"at": "K5", "gap": 3}, say) == "lands on K5, 3 off"
    assert both.say("events", "fall", {"at": "K5"}, say) == "lands on K5"
    assert both.say("events", "fall", {}, say) is None


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[event]\n", "line 1: event: expected names, events"),
        ('[events]\nx = "{a"\n', "events.x: "),
        ("[events]\nx = 3\n", "events.x: "),
        (
            '[events]\nx = "{a:one=1|two=2}"\n',
            "expected two choices, or value=words for all but the last",
        ),
        ('[events]\nx = "{a:1|2|3}"\n', "expected two choices"),
        ("not toml", "sentences.toml"),
    ],
)
def test_an_unusable_file_is_refused_with_its_faults(tmp_path, text, told):
    file = tmp_path / "sentences.toml"
    file.write_text(text)
    with pytest.raises(FileError) as caught:
        read_sentences(file)
    assert told in str(caught.value)


def test_every_fault_of_a_file_is_reported_at_once(tmp_path):
    file = tmp_path / "sentences.toml"
    file.write_text('[events]\na = "{x"\nb = "{x:1|2|3}"\n[odd]\n')
    with pytest.raises(FileError) as caught:
        read_sentences(file)
    assert all(part in str(caught.value) for part in ("events.a", "events.b", "odd:"))


SOURCE = """
def f(chance, unit):
    chance.dice("luck", white=d6)
    return emit("shaken", "1", unit=unit, by=(1, (2)))
"""


@pytest.mark.parametrize(
    ("events", "rolls", "faults"),
    [
        ({"shaken": ("{unit} is shaken",)}, {"luck": ("luck",)}, []),
        ({}, {"luck": ("luck",)}, ["events.shaken has no sentence"]),
        ({"shaken": ("{unit} is shaken",)}, {}, ["rolls.luck has no sentence"]),
        (
            {"shaken": ("{units} shaken",)},
            {"luck": ("luck",)},
            ["events.shaken uses the unknown field units"],
        ),
        ({"shaken": ("{several:{unit}|it} is shaken by {by}",)}, {"luck": ("luck",)}, []),
        (
            {"shaken": ("{unit} is shaken",), "fall": common().tables["events"]["fall"]},
            {"luck": ("luck",)},
            ["events.fall repeats the sentence common to all games: remove it"],
        ),
    ],
)
def test_events_without_a_sentence_are_found_in_the_sources(events, rolls, faults):
    assert list(Sentences({"events": events, "rolls": rolls}).faults([SOURCE], [])) == faults


@pytest.mark.parametrize(
    "source",
    [
        "emit('shaken', '1', unit=unit)",
        "emit(\n    'shaken',  # the unit falls back\n    \"1\",\n    unit=f(unit),\n)",
        "emit(kind='shaken', cite='1', unit=unit)",
        "Effects(*[emit('shaken', '1', **dict(unit=u, text=')')) for u in units])",
    ],
)
def test_an_event_is_found_however_its_call_is_written(source):
    fitting = Sentences({"events": {"shaken": ("{unit} is shaken",)}})
    other = Sentences({"events": {"shaken": ("{hex} is shaken",)}})
    assert list(fitting.faults([source], [])) == []
    assert list(Sentences().faults([source], [])) == ["events.shaken has no sentence"]
    assert list(other.faults([source], [])) == ["events.shaken uses the unknown field hex"]


def test_an_f_string_name_is_refused_and_a_comment_is_ignored():
    source = 'emit(f"shot_{kind}", "1")  # emit("never", "1")\n"""emit("nor_here", "1")"""\n'
    (fault,) = Sentences().faults([source], [])
    assert "shot_{kind}" in fault
    assert fault.endswith("write the name out, not as an f-string")


ORDERS = """
def dig(self, view, unit, most):
    yield Form("dig", "1", (unit,), partial(self.dug, view))
    yield Form("leave", "1", summary="leave it")
    return Refusal.of("2", "too_deep", most=len(view.units), unit=unit)
"""


@pytest.mark.parametrize(
    ("orders", "refusals", "faults"),
    [
        ({"dig": ("dig in",)}, {"too_deep": ("{most:# hex|# hexes} deep",)}, []),
        ({"resolution.dig.dig": ("dig in",)}, {"too_deep": ("{unit}",)}, []),
        ({}, {"too_deep": ("no",)}, ["orders.dig has no sentence"]),
        ({"dig": ("dig in",)}, {}, ["refusals.too_deep has no sentence"]),
        (
            {"dig": ("dig in",)},
            {"too_deep": ("{far}",)},
            ["refusals.too_deep uses the unknown field far"],
        ),
        ({"dig": ("d",), "fly": ("f",)}, {"too_deep": ("no",)}, ["orders.fly: no rule uses it"]),
        ({"dig": ("d",)}, {"too_deep": ("no",), "wet": ("no",)}, ["refusals.wet: no rule uses it"]),
        (
            {"dig": ("d",), "cancel": ("of a ready part",)},
            {"too_deep": ("no",), "off_map": ("no",)},
            [],
        ),
    ],
)
def test_words_of_orders_and_refusals_are_neither_missing_nor_unused(orders, refusals, faults):
    assert list(Sentences({"orders": orders, "refusals": refusals}).faults([ORDERS], [])) == faults


def test_orders_and_refusals_of_a_part_use_its_games_words():
    class Digging(Resolution):
        @orders(cite="1")
        def dig(self, view, unit):
            wrong = Refusal.of("2", "too_deep", most=2, units=("a", "b"))
            yield Form("dig", "1", (), wrong, fields={"most": 1})
            yield Form("stay", "1")

    part = Digging("diggers", {}, {})
    part.words = Sentences({
        "orders": {"dig": ("dig in",), "resolution.dig.dig": ("dig {most:# hex|# hexes} deep",)},
        "refusals": {"too_deep": ("{most:# hex|# hexes} are too deep for {units}",)},
    })  # fmt: skip
    question = part.questions()["resolution.dig"]
    dig, stay = question.offers(None, "a")
    assert (dig.summary, stay.summary) == ("dig 1 hex deep", "")
    assert dig.judge(Order.of("dig")) == Refusal("2", "2 hexes are too deep for a, b")


def test_a_question_without_a_sentence_is_reported():
    assert list(Sentences().faults([], ["requests.odd"])) == [
        "questions.requests.odd has no sentence"
    ]


def test_questions_of_the_bases_of_a_part_need_a_sentence_too():
    parts = Catalogue.installed(only=("asl",))["asl"].game.parts
    assert {"requests.fire", "delays.contact"} <= {*questions_of(parts)}


def test_a_question_receives_only_the_asset_it_is_about(tmp_path):
    file = tmp_path / "sentences.toml"
    file.write_text(
        '[questions]\n"areas.shift" = ["Where does the fire of {mission} strike?", "{far} of {asset}?"]'
    )
    with pytest.raises(FileError) as caught:
        read_sentences(file)
    assert [(fault.line, fault.key, fault.message) for fault in caught.value.faults] == [
        (2, 'questions."areas.shift"', "uses the unknown field asset"),
        (2, 'questions."areas.shift"', "uses the unknown field far"),
    ]


def test_an_event_of_a_game_without_a_sentence_is_found_in_its_sources(tmp_path):
    asl = Catalogue.installed(only=("asl",)).games["asl"]
    package = ModuleType("talker")
    package.__path__ = [str(tmp_path)]
    (tmp_path / "rules.py").write_text(SOURCE)
    found = sentence_faults(asl.game, package)
    assert {"rolls.luck has no sentence", "events.shaken has no sentence"} <= {*found}


def test_a_game_whose_question_has_no_sentence_is_not_admitted():
    asl = Catalogue.installed(only=("asl",)).games["asl"]
    speechless = attrs.evolve(asl.game, sentences=Sentences({"events": {"shaken": ("shaken",)}}))
    package = ModuleType("talker")

    @hookimpl
    def fireplan_game():
        return speechless

    package.fireplan_game = fireplan_game
    with pytest.raises(ProcedureError, match=r"asl: questions\.\S+ has no sentence"):
        Catalogue().admit(package)


def test_the_sentences_of_the_core_serve_every_event_of_the_core():
    told = {"requested", "spotting", "fall", "lingering", "ceased", "ended", "suffered"}
    assert told <= set(common().tables["events"])


def test_a_field_of_a_choice_that_is_not_made_need_not_be_given():
    sentences = Sentences(
        {"questions": {"fire": ("What shall {several:{mission}|the battery} do?",)}}
    )
    assert sentences.plain("questions", "fire", {"several": False}) == "What shall the battery do?"
    assert sentences.plain("questions", "fire", {"several": True}) is None
    assert (
        sentences.plain("questions", "fire", {"several": True, "mission": "a"})
        == "What shall a do?"
    )
