"""The studio without a server: the same pages, answered where they are asked for, by no thread but the caller's."""

import asyncio
import json
import threading

import pytest

from fireplan.comparison import as_json, compare, contenders, find_engagement
from fireplan.studio import alone
from fireplan_core.play import Catalogue


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    answer = alone(tmp_path_factory.mktemp("tables"))
    return lambda method, address, body=b"": asyncio.run(answer(method, address, body))


def test_it_answers_with_the_same_fractions_and_starts_no_thread(ask):
    before = threading.active_count()
    found = ask("GET", "/compare/comparison.json?engagement=dug_in&games=asl&v=1")
    installed = Catalogue.installed()
    expected = as_json(compare(find_engagement("dug_in"), installed, contenders(installed, ["asl"])))
    assert (found.status, json.loads(found.body)) == (200, json.loads(expected))
    assert threading.active_count() == before


def test_a_table_is_begun_and_kept(ask):
    begun = ask("POST", "/tables", b"scenario=asl/village")
    assert (begun.status, begun.headers["location"]) == (303, "/tables/asl-village-1")
    assert b"asl-village-1" in ask("GET", "/tables").body


def test_what_is_wrong_is_a_page_that_says_so(ask):
    assert ask("GET", "/compare?minutes=0").status == 400
    assert ask("GET", "/nowhere").status == 404
    assert ask("GET", "/whatif?game=asl&minutes=10&set=set_breaks%3Dbanana&v=1").status == 400
