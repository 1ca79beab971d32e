"""Names that a sheet prints on its cards: players use them to name, enter and hold cards."""

import sys
from importlib import import_module
from io import StringIO
from pathlib import Path

import pytest

import fireplan as fp
from fireplan.cli import main
from fireplan.sheets import read_sheet, sheet_game, sheet_templates
from fireplan_core import CardFace
from fireplan_core.files import Document, FileError
from fireplan_core.play import Catalogue, find_scenario

DECK = sheet_templates()["card_deck"].read_text(encoding="utf-8")
GUNS = CardFace("guns", (4,))


def admitted(text):
    catalogue = Catalogue()
    catalogue.admit(sheet_game(Document.of("card_deck.toml", text)))
    return catalogue


def played(text, inputs, tmp_path, monkeypatch, capsys):
    """Return what is printed when a sheet is played with these inputs."""
    monkeypatch.chdir(tmp_path)
    Path("deck.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr("sys.stdin", StringIO("\n".join([*inputs, "quit", ""])))
    assert main(["play", "deck.toml"]) == 0
    return capsys.readouterr().out


def test_a_card_is_entered_by_its_name_held_by_it_and_drawn_by_it(tmp_path, monkeypatch, capsys):
    inputs = ("barrage", "fog", "call", "guns", "guns", "allow", "fire at=J8", "4")
    out = played(DECK, inputs, tmp_path, monkeypatch, capsys)
    assert "drew barrage" in out
    assert "hand (cards seen so far): fog (2)" in out
    assert "5 (battery), 6 (barrage): the round goes astray (33.3 %)" in out
    assert "drew 4 (guns)" in out


def test_printed_faces_change_no_chance():
    faces = next(line for line in DECK.splitlines() if line.startswith("faces ="))
    bare = DECK.replace(faces + "\n", "").replace('columns = ["name", "dice"]\n', "")
    assert bare.count("\n") == DECK.count("\n") - 2
    with_faces, without = (
        fp.odds("card_deck/first", catalogue=admitted(text), moments=3).answer.measures
        for text in (DECK, bare)
    )
    assert with_faces == without
    scenario, _ = find_scenario(admitted(DECK), "card_deck/first")
    assert scenario.printed["battle"][4] == GUNS
    assert set(scenario.printed["battle"]) == set(range(1, 7))


def test_a_plugin_written_from_a_sheet_has_its_cards(tmp_path, monkeypatch):
    (tmp_path / "deck.toml").write_text(DECK, encoding="utf-8")
    into = ["--from", str(tmp_path / "deck.toml"), "--into", str(tmp_path)]
    assert main(["new", "own_deck", *into]) == 0
    monkeypatch.setattr(sys, "path", [str(tmp_path / "own_deck" / "src"), *sys.path])
    both = Catalogue()
    both.admit(read_sheet(tmp_path / "deck.toml"))
    both.admit(import_module("fireplan_own_deck"))
    own, written = (find_scenario(both, f"{key}/first")[0] for key in ("card_deck", "own_deck"))
    assert own.printed["battle"][4] == written.printed["battle"][4] == GUNS
    assert own.printed == written.printed
    assert both["own_deck"].game.sentences == both["card_deck"].game.sentences


@pytest.mark.parametrize("missing", ["questions", "orders"])
def test_a_deck_needs_no_sentences_of_its_own(missing, tmp_path, monkeypatch, capsys):
    out = played(DECK, ("barrage", "fog", "call", "", ""), tmp_path, monkeypatch, capsys)
    told = {"questions": "Stop the request?", "orders": "Let the request through"}
    assert told[missing] in out


def test_the_kinds_of_cards_are_compared_by_their_meaning():
    kinds = '{ "1-3" = "low", "4-6" = "high" }'
    assert DECK.count(kinds) == 2
    before, after = DECK.rsplit(kinds, 1)
    same = before + '{ "1" = "low", "2-3" = "low", "4-6" = "high" }' + after
    assert "card_deck" in admitted(same).games
    other = before + '{ "1-2" = "low", "3-6" = "high" }' + after
    with pytest.raises(FileError, match=r"delays\.kinds: the cards of battle have other kinds"):
        admitted(other)
