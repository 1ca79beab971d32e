"""Answers as Markdown: a parser reads every text back unchanged, and never as markup."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from fireplan.errors import InputError
from fireplan.questions.markup import markdown_text
from fireplan.questions.result import Grid, Listing, Result, Text

PARSER = MarkdownIt("commonmark").enable("table")
PIECES = st.lists(
    st.sampled_from([*"\\`*_~[]()<>#|&!=+-. ", "a", "1", "\n", "http", "&amp;", "<b>", "***", "1."]),
    max_size=14,
)  # fmt: skip


def texts_and_tags(markdown):
    tokens = PARSER.parse(markdown)
    inline = [child for token in tokens for child in token.children or ()]
    tags = {token.tag for token in (*tokens, *inline) if token.tag} - {"br"}
    said = "".join(
        "\n" if each.type in ("softbreak", "hardbreak") else each.content for each in inline
    )
    return said, tags


def plainly(text):
    """Return the lines without trailing blanks and blank lines, which Markdown does not keep."""
    return [line.strip() for line in text.split("\n") if line.strip()]


@settings(max_examples=400, deadline=None)
@given(PIECES.map("".join))
def test_a_text_is_read_back_unchanged(text):
    said, tags = texts_and_tags(re.sub(r"\n\s*\n", "\n", markdown_text(text)))
    assert plainly(said) == plainly(text)
    assert tags <= {"p"}
    cell = markdown_text(text.replace("\n", " "))
    said, tags = texts_and_tags(f"| {cell} | b |\n| --- | --- |\n| c | {cell} |\n")
    assert tags <= {"table", "thead", "tbody", "tr", "th", "td"}
    assert said.count("c") == 1


HOSTILE = "[click](http://evil) <script>alert(1)</script> | **x** _y_"


class Hostile(Result):
    def blocks(self):
        yield Text(HOSTILE, "bold")
        yield Text(f"# {HOSTILE}")
        yield Listing(HOSTILE, (HOSTILE,))
        yield Grid((HOSTILE,), ((HOSTILE,),), title=HOSTILE)


def test_titles_from_files_are_escaped_in_answers_saved_as_markdown(tmp_path):
    written = Hostile().save(tmp_path / "x.md").read_text()
    said, tags = texts_and_tags(written)
    assert said.count(HOSTILE) == 7
    assert not tags & {"a", "script", "h1", "em"}


def test_ordinary_answers_are_not_cluttered():
    assert markdown_text("77.7 %") == "77.7 %"
    assert (
        markdown_text("set_breaks: -0.5 of 83.8 % (C1.33)") == "set_breaks: -0.5 of 83.8 % (C1.33)"
    )


@pytest.mark.parametrize("name", ["a\0b.md", "a\0b", "\ud800.md"])
def test_a_name_that_no_file_can_have_is_refused(tmp_path, name):
    with pytest.raises(InputError, match=r"a file name cannot contain|is not a valid file name"):
        Hostile().save(f"{tmp_path}/{name}")
