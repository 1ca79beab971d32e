"""Examples that open in the static studio: it answers every address that a page links to."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from fireplan_studio import opened_link

DOCS = Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS))

from _live import address_of, commands_of  # noqa: E402 - a tool of the documentation, which is no package

PAGE = "tutorials/first_comparison.md"
COMMANDS = sorted(
    {
        command
        for page in DOCS.rglob("*.md")
        for block in re.findall(
            r"^```console\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        )
        for command in commands_of(block)
        if address_of(command)
    }
)


def test_comparisons_of_the_pages_have_an_address():
    assert len(COMMANDS) >= 4


@pytest.mark.parametrize("command", COMMANDS)
def test_an_example_opens_in_the_studio(command):
    answer, _ = opened_link(address_of(command))
    assert answer.comparison.games


@pytest.mark.parametrize(
    ("command", "address"),
    [
        ("fireplan compare", "/compare?v=1"),
        (
            "fireplan compare dug_in --games asl red_poppies --guns 24",
            "/compare?e.guns=24&engagement=dug_in&games=asl,red_poppies&v=1",
        ),
        (
            "fireplan whatif --set asl.set_breaks=7 --minutes 20",
            "/whatif?game=asl&minutes=20&set=set_breaks%3D7&v=1",
        ),
        ("fireplan whatif --set asl.set_breaks=7 red_poppies.x=2", None),
        ("fireplan compare mine.toml", None),
        ("fireplan compare woods --games asl,mine.toml", None),
        ("fireplan whatif woods --set mine.toml.radius=8", None),
        ("fireplan compare --house-rules house.py", None),
        ("fireplan odds asl/village", None),
        ("fireplan compare | head", None),
    ],
)
def test_a_command_is_the_address_of_the_same_question(command, address):
    assert address_of(command) == address


def test_pages_link_to_the_studio_where_it_is_built_beside_them(tmp_path):
    options = ["-q", "-b", "html", "-D", "live_studio=studio/"]
    one_page = ["-D", "root_doc=tutorials/first_comparison", "-D", f"include_patterns={PAGE}"]
    command = [sys.executable, "-m", "sphinx", *options, *one_page, str(DOCS), str(tmp_path)]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    page = (tmp_path / PAGE).with_suffix(".html").read_text(encoding="utf-8")
    assert 'href="../studio/#/compare?' in page
