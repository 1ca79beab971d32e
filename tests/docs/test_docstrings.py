"""Every public function of the front door has an example in its docstring, and the examples are true."""

import doctest
import inspect

import pytest

import fireplan as fp

PUBLIC = sorted(fp.__all__)
WITHOUT = {
    "Question": "examples are those of its kinds",
    "asks": "see docs/reference/front_door.md",
}
LIKE_SHOWN = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


SLOW = {"diff"}
EXAMPLES = [
    pytest.param(name, marks=[pytest.mark.full] * (name in SLOW))
    for name in PUBLIC
    if name not in WITHOUT
]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_in_the_docstring_of_a_public_name_is_true(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = inspect.getdoc(getattr(fp, name))
    example = doctest.DocTestParser().get_doctest(text, {"fp": fp}, name, None, 0)
    assert example.examples, "the docstring has no example"
    said = []
    doctest.DocTestRunner(optionflags=LIKE_SHOWN).run(example, out=said.append)
    assert "".join(said) == ""
