"""An answer in a notebook: its fields are the question's arguments, and each change is answered as
in Python.
"""

import sys

import pytest

import fireplan as fp


def test_a_changed_field_is_answered_as_python_answers_it():
    shown = fp.widget(fp.compare, "woods", games=["red_poppies"], minutes=12, guns=24)
    assert shown.fields == {"engagement": "woods", "minutes": 12, "guns": 24}
    shown.fields = {"engagement": "dug_in", "minutes": 20, "guns": 12}
    assert (
        shown.html == fp.compare("dug_in", games=["red_poppies"], minutes=20, guns=12)._repr_html_()
    )


def test_a_position_is_a_widget_with_its_line_as_a_field():
    shown = fp.widget(fp.position, "asl/village")
    line = "red_poppies/cut_wires"
    shown.fields = {"name": line}
    assert shown.html == fp.position(line)._repr_html_()


def test_faults_are_shown_beside_their_fields():
    shown = fp.widget(fp.compare, games=["red_poppies"], minutes=12)
    shown.fields = {"minutes": 0}
    assert shown.html == "<p>minutes: expected 1 to 1440, got 0.</p>"


def test_without_its_library_it_names_the_package_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    with pytest.raises(fp.InputError, match="pip install anywidget"):
        fp.widget(fp.compare)
