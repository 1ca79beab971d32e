"""Engagement files: the shipped ones, the keys allowed, and the message for every mistake.

``tests/core/files`` tests the reader for all kinds of files.
"""

import datetime as dt
from typing import get_args

import attrs
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from fireplan.analysis import (
    DEFAULT,
    Fault,
    describe,
    find_engagement,
    load_engagement,
    shipped_engagements,
)
from fireplan_core import Asset, Engagement, Firer, Observer, OwnTroops, Situation, Target
from fireplan_core.files import FileError
from fireplan_core.setups.setup import Posture

LEAST = """\
title = "x"
date = 1944-12-18
[firer]
nationality = "american"
[target]
nationality = "german"
"""
SHIPPED = shipped_engagements()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("engagements")


@pytest.fixture
def faults(folder):
    """Return a function that returns the faults of a file with the given content."""

    def read(content):
        file = folder / "my.toml"
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        with pytest.raises(FileError) as caught:
            load_engagement(file)
        assert str(caught.value) == describe(caught.value.faults)
        return caught.value.faults

    return read


@pytest.fixture
def fault(faults):
    """Return a function that returns the only fault of a file with the given content."""

    def read(content):
        (only,) = faults(content)
        return only

    return read


# -- reading


def test_keys_left_out_have_the_defaults_of_the_classes(folder):
    file = folder / "least.toml"
    file.write_text(LEAST)
    assert load_engagement(file) == Engagement(
        title="x",
        date=dt.date(1944, 12, 18),
        firer=Firer(nationality="american"),
        target=Target(nationality="german"),
        observer=Observer(),
        asset=Asset(),
        own_troops=None,
        situation=Situation(),
    )


def test_five_engagements_are_shipped_and_can_be_found_by_name():
    assert list(SHIPPED) == ["drone", "dug_in", "open_attack", "strongpoint", "woods"]
    assert DEFAULT in SHIPPED
    for name, file in SHIPPED.items():
        engagement = find_engagement(name)
        assert engagement == load_engagement(file)
        sides = {engagement.firer.nationality, engagement.target.nationality}
        modern = name == "drone"
        assert sides == ({"british", "russian"} if modern else {"american", "german"})
        assert engagement.date.year == (2027 if modern else 1944)
        assert engagement.summary
        assert "#" in file.read_text(encoding="utf-8")


def test_woods_is_a_company_shelled_by_a_light_howitzer_battalion():
    woods = find_engagement("woods")
    assert (woods.target.men, woods.target.posture, woods.target.cover) == (120, "prone", "woods")
    assert woods.observer == Observer(kind="forward", link="radio", sight="clear", distance_m=500)
    assert woods.asset == Asset(calibre_mm=105, weapon="howitzer", guns=12, range_m=6000)
    assert (woods.own_troops.distance_m, woods.situation.commands, woods.minutes) == (400, 2, 60)


def test_dug_in_is_the_company_of_woods_in_trenches_after_a_bombardment():
    woods, dug_in = find_engagement("woods"), find_engagement("dug_in")
    assert dug_in == attrs.evolve(
        woods,
        title=dug_in.title,
        summary=dug_in.summary,
        target=attrs.evolve(woods.target, posture="dug_in", cover="trench"),
        observer=attrs.evolve(woods.observer, link="telephone"),
        situation=attrs.evolve(woods.situation, bombardment=True),
    )


def test_a_path_is_found_too(folder):
    file = folder / "found.toml"
    file.write_text(LEAST)
    assert find_engagement(str(file)).title == "x"


# -- names and paths


def missing(path):
    with pytest.raises(FileError) as caught:
        find_engagement(str(path))
    (only,) = caught.value.faults
    return only


@pytest.mark.parametrize("name", ["wood", "Woods", "woods.toml", "nowhere/wods"])
def test_an_unknown_name_proposes_the_shipped_one_it_comes_near_to(name, folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert missing(name).suggestion.startswith("did you mean woods?")


def test_a_missing_file_suggests_neighbours_and_lists_shipped_files(folder):
    (folder / "bridge.toml").write_text(LEAST)
    only = missing(folder / "brigde.toml")
    assert (only.path, only.line) == ("brigde.toml", None)
    assert "did you mean bridge.toml?" in only.suggestion
    assert all(name in only.suggestion for name in SHIPPED)


def test_a_name_like_no_other_gets_only_the_list(folder):
    named = "shipped engagements: drone, dug_in, open_attack, strongpoint, woods"
    assert missing(folder / "qqq.toml").suggestion == named


# -- permitted content


@pytest.mark.parametrize(
    ("key", "value", "message", "suggestion"),
    [
        (
            "men",
            '"120"',
            'expected a whole number, got "120"',
            "write men = 120 (number of men in the target)",
        ),
        (
            "men",
            "0",
            "expected a whole number from 1 to 2000, got 0",
            "such as men = 120 (number of men in the target)",
        ),
        (
            "identified",
            "1",
            "expected true or false, got 1",
            "such as identified = true (whether the observer has identified the target)",
        ),
        (
            "posture",
            '"porne"',
            'expected one of "standing", "prone", "moving", "dug_in", got "porne"',
            'did you mean "prone"? (posture of the target)',
        ),
        ("mens", "5", "unknown key", "did you mean men? (number of men in the target)"),
        (
            "minutes",
            "5",
            "unknown key",
            "it belongs at the top of the file, above the first [table]",
        ),
        ("guns", "5", "unknown key", "it belongs under [asset]"),
        ("distance_m", "5", "unknown key", "it belongs under [observer] or under [own_troops]"),
        (
            "qqqq",
            "5",
            "unknown key",
            "possible here: nationality, men, frontage_m, depth_m, posture, cover, quality, identified",
        ),
    ],
)
def test_a_fault_under_target(fault, key, value, message, suggestion):
    assert fault(f"{LEAST}# a remark\n{key} = {value}\n") == Fault(
        message, suggestion, key=f"target.{key}", line=8, file="my.toml"
    )


def test_own_troops_need_their_distance(fault):
    only = fault(LEAST + "[own_troops]\nmen = 20\n")
    assert (only.key, only.line, only.message) == (
        "own_troops.distance_m",
        7,
        "this key is missing",
    )


SPANS = [
    ("minutes", 1, 1440),
    ("target.men", 1, 2000),
    ("target.frontage_m", 1, 5000),
    ("target.depth_m", 1, 5000),
    ("observer.distance_m", 0, 10_000),
    ("asset.calibre_mm", 20, 914),
    ("asset.guns", 1, 500),
    ("asset.range_m", 0, 100_000),
    ("own_troops.distance_m", 0, 10_000),
    ("own_troops.men", 1, 2000),
    ("situation.commands", 0, 20),
]


def with_number(key, number):
    """Return a whole file in dotted keys, with one number set."""
    rest = {} if key == "own_troops.distance_m" else {"own_troops.distance_m": 1}
    dotted = 'title = "x"\ndate = 1944-12-18\nfirer.nationality = "a"\ntarget.nationality = "b"\n'
    return dotted + "".join(f"{name} = {value}\n" for name, value in {**rest, key: number}.items())


@pytest.mark.parametrize(("key", "low", "high"), SPANS)
def test_both_ends_of_a_span_are_in_it_and_their_neighbours_are_not(fault, folder, key, low, high):
    for number in (low, high):
        file = folder / "span.toml"
        file.write_text(with_number(key, number))
        value = load_engagement(file)
        for name in key.split("."):
            value = getattr(value, name)
        assert value == number
    for number in (low - 1, high + 1):
        only = fault(with_number(key, number))
        assert only.key == key
        assert only.message == f"expected a whole number from {low} to {high}, got {number}"
        assert only.line == with_number(key, number).splitlines().index(f"{key} = {number}") + 1


def test_every_number_of_an_engagement_has_a_span_and_every_field_a_meaning():
    tables = {"target": Target, "observer": Observer, "asset": Asset, "own_troops": OwnTroops}
    tables |= {"firer": Firer, "situation": Situation}
    fields = {field.name: field for field in attrs.fields(Engagement)}
    assert set(tables) < set(fields)
    fields |= {
        f"{name}.{field.name}": field for name, cls in tables.items() for field in attrs.fields(cls)
    }
    assert all(field.metadata["help"] for field in fields.values())
    assert {key for key, field in fields.items() if field.type in {int, "int"}} == {
        key for key, _, _ in SPANS
    }


# -- arbitrary content


def slips(word):
    """Yield common typing errors: a letter omitted or doubled, or two letters swapped."""
    for i in range(len(word)):
        yield word[:i] + word[i + 1 :]
        yield word[: i + 1] + word[i:]
        yield word[:i] + word[i : i + 2][::-1] + word[i + 2 :]


def test_at_least_95_in_100_slips_are_led_back_to_the_right_word(folder):
    right = total = 0
    file = folder / "slip.toml"
    keys = [field.name for field in attrs.fields(Target)]
    cases = [(f"{slip} = 1", key) for key in keys for slip in set(slips(key)) - set(keys)]
    cases += [
        (f'posture = "{slip}"', f'"{v}"') for v in get_args(Posture) for slip in set(slips(v)) - {v}
    ]
    for line, meant in cases:
        file.write_text(f"{LEAST}{line}\n")
        with pytest.raises(FileError) as caught:
            load_engagement(file)
        total += 1
        right += any(f.suggestion.startswith(f"did you mean {meant}?") for f in caught.value.faults)
    assert total > 200
    assert right >= 0.95 * total


LINES = sorted(
    {line for file in SHIPPED.values() for line in file.read_text(encoding="utf-8").splitlines()}
)
SCRAPS = [
    *(
        "nan",
        "-inf",
        "1e999",
        "true",
        "-1",
        "2.5",
        "99999999999999999999",
        "0x" + "f" * 99,
        "_",
        ".",
    ),
    *(
        "[",
        "]",
        "{",
        "}",
        '"',
        "'",
        '"""',
        "=",
        "#",
        "\n",
        "\0",
        "\x1b",
        "\\",
        "\u00e9",
        "\ud800",
        "\ufeff",
    ),
    *("[[target]]", "[target.men]", "[own_troops]", "a.b.c = 1", "target = 5", "[[]]", "{a={}}"),
    *("12:30:00", "1944-12-18T00:00:00Z"),
]


@st.composite
def mutated(draw):
    """Return a shipped file in which a few lines or characters are deleted, moved or replaced."""
    text = draw(st.sampled_from([file.read_text(encoding="utf-8") for file in SHIPPED.values()]))
    for _ in range(draw(st.integers(1, 6))):
        scrap = draw(st.sampled_from(SCRAPS) | st.sampled_from(LINES) | st.text(max_size=4))
        if draw(st.booleans()):
            rows = text.split("\n")
            row = draw(st.integers(0, len(rows) - 1))
            if draw(st.booleans()) and "=" in rows[row]:
                rows[row] = f"{rows[row].split('=')[0]}= {scrap}"
            else:
                rows[row : row + draw(st.integers(0, 2))] = [scrap]
            text = "\n".join(rows)
        else:
            at = draw(st.integers(0, len(text)))
            text = text[:at] + scrap + text[at + draw(st.integers(0, 9)) :]
    return text.encode("utf-8", "surrogatepass")


@settings(max_examples=300)
@given(mutated())
@example(b"")
@example(b"\n" * 9000)
@example(b"[[target]]\n[[target]]\n")
@example(b"target.men.x = 1\n[target.posture]\n")
@example(b'"" = 1\n[""]\n')
@pytest.mark.long
def test_a_mutated_file_is_read_or_refused_with_faults_but_never_crashes(folder, content):
    file = folder / "mutated.toml"
    file.write_bytes(content)
    faults, engagement = (), None
    try:
        engagement = load_engagement(file)
    except FileError as error:
        faults = error.faults
    assert (engagement is None) == bool(faults)
    for fault in faults:
        assert fault.message
        assert fault.suggestion
        assert fault.line is None or 1 <= fault.line <= content.count(b"\n") + 1
        assert describe([fault]).isprintable()
    for key, low, high in SPANS if engagement else ():
        value = engagement
        for name in key.split("."):
            value = getattr(value, name, None)
        assert value is None or (type(value) is int and low <= value <= high)
