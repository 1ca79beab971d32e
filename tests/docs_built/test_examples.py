"""Every example of the documentation is run: Python blocks as they are, commands with the output
shown.

A line ``...`` in a command's output matches any lines, ``...`` within a line any text. A
here-document is written as in a terminal, its lines after ``>``. A command that needs no shell is
called in this process. Blocks marked ``text`` are not run, nor are commands other than
``fireplan``: ``docs/explanation/reliability.md`` shows long runs, of which
``tests/workbench/reliability`` makes short ones. The sequence of ``new_game.md`` installs a game and
is run by ``.ci/run`` outside the workspace; only that page's Python is run here.
"""

import io
import os
import re
import shlex
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from sybil import Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser

from fireplan.cli import main
from fireplan.sheets import registry

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(
    page for page in DOCS.rglob("*.md") if not {"_build", "_generated"} & set(page.parts)
)
OUTSIDE = ("new_game.md",)


def commands_of(block):
    """Return the commands of a console block, each with the lines of output shown below it."""
    found = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append(([line[2:]], []))
        elif line.startswith(">") and found and "<<" in found[-1][0][0] and not found[-1][1]:
            found[-1][0].append(line[1:].removeprefix(" "))
        elif found:
            found[-1][1].append(line)
    return [("\n".join(command), shown) for command, shown in found]


def pattern_of(shown):
    """Return the pattern that the output must match."""
    lines = []
    for line in shown:
        if line == "...":
            lines.append(r"(?:[^\n]*\n)*")
        else:
            lines.append(
                ".*".join(re.escape(piece) for piece in line.rstrip().split("...")) + r"[ ]*\n"
            )
    return re.compile("".join(lines))


def words_of(command):
    """Return the words of a command, or None if it needs a shell."""
    lexer = shlex.shlex(command, posix=True, punctuation_chars="<>|&;")
    lexer.whitespace_split, lexer.commenters = True, ""
    words = list(lexer)
    needs_shell = "\n" in command or any(set(word) <= set("<>|&;") for word in words)
    return None if needs_shell else words


def run(command, folder):
    """Run a command as a reader would, in a terminal of 110 columns; return its status, output and errors."""
    words = words_of(command)
    return run_in_bash(command, folder) if words is None else call(words[1:], folder)


def run_in_bash(command, folder):
    """Run a command in a shell, with the fireplan of this environment."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "COLUMNS": "110"}
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


def call(arguments, folder):
    """Call the command in this process, which then forgets the sheets that were named, as at its end."""
    output, errors = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("COLUMNS", "110")
        patched.chdir(folder)
        with redirect_stdout(output), redirect_stderr(errors):
            status = main(arguments)
    registry._IN_USE.clear()
    return status, output.getvalue(), errors.getvalue()


def run_console(example):
    """Run the commands in a folder for the page; each must succeed and print what is shown."""
    for command, shown in commands_of(example.parsed):
        if not command.startswith("fireplan "):
            continue
        status, printed, errors = run(command, example.namespace["folder"])
        assert status == 0, f"{command}\n{errors}"
        assert not shown or pattern_of(shown).fullmatch(printed), f"{command} printed\n{printed}"


def write_file(example, ending="toml"):
    """Write a TOML or Python block as one of the page's files, if the text before it names one in
    backquotes.
    """
    before = example.document.text[: example.region.start]
    names = re.findall(r"`(\w+\.(?:toml|py))`", before)
    if names and names[-1].endswith(f".{ending}"):
        (example.namespace["folder"] / names[-1]).write_text(example.parsed, encoding="utf-8")


class PythonBlocks(PythonCodeBlockParser):
    """A runner of Python blocks; a block that follows a file's name is also written to that file."""

    def __call__(self, document):
        for region in super().__call__(document):
            region.evaluator = written_and(region.evaluator)
            yield region


def written_and(evaluate):
    def both(example):
        write_file(example, "py")
        return evaluate(example)

    return both


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(DOCS)))
def test_examples_of(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parsers = [PythonBlocks()]
    if page.name not in OUTSIDE:
        parsers += [CodeBlockParser("console", run_console), CodeBlockParser("toml", write_file)]
    document = Sybil(parsers=parsers, path=str(DOCS), pattern="**/*.md").parse(page)
    document.namespace["folder"] = tmp_path
    (tmp_path / "examples").symlink_to(DOCS.parent / "examples")
    for example in document.examples():
        example.evaluate()


def test_the_figures_that_the_readme_shows_are_printed(tmp_path):
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    _, printed, _ = run_in_bash("fireplan compare", tmp_path)
    assert [
        line for line in readme.splitlines() if line[:1] in ("│", "┃") and line not in printed
    ] == []
