"""Values: what each kind of field accepts and refuses; each fault has its keys, its line and a
suggestion.
"""

import datetime as dt

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fireplan_core.files import Fault, FileError, describe, read_file

TOP = 'title = "x"\nday = 1944-12-18\n'
LEAST = TOP + "[board]\n"
KNIGHT = '[[knight]]\nid = "n1"\nplace = "b1"\n'


# -- reading


def test_keys_left_out_have_the_defaults_of_the_class(read):
    game = read(LEAST)
    assert (game.title, game.day) == ("x", dt.date(1944, 12, 18))
    assert (game.board.size, game.board.made, game.knight, game.stock) == (8, None, (), {})


FULL = """\
title = "x"
day = 1944-12-18
notes = '''
two
lines'''
players = ["a", "b"]
scores = [1, 2]
[board]
made = 1900-01-31
maker = { name = "Ida" }
[files]
"odd key" = "a.csv"
[stock]
he = 3
[options]
fast = true
"odd key" = "text"
[[knight]]
id = "n1"
place = "b1"
[[knight.rider]]
name = "Bo"
[[knight.rider]]
name = "Cy"
age = 30
[[knight]]
id = "n2"
place = "g1"
gait = "trot"
route = ["f3", "e5"]
"""


def test_a_field_of_every_kind(read):
    game = read(FULL)
    assert game.notes == "two\nlines"
    assert (game.players, game.scores) == (("a", "b"), (1, 2))
    assert (game.board.made, game.board.maker.name) == (dt.date(1900, 1, 31), "Ida")
    assert (game.files, game.stock) == ({"odd key": "a.csv"}, {"he": 3})
    assert game.options == {"fast": True, "odd key": "text"}
    first, second = game.knight
    # The knight's id and place are fields of its base class.
    assert (first.id, first.place, first.gait) == ("n1", ("b", 1), "walk")
    assert [(rider.name, rider.age) for rider in first.rider] == [("Bo", 20), ("Cy", 30)]
    assert (second.gait, second.route) == ("trot", (("f", 3), ("e", 5)))


def test_tables_may_be_written_inline(read):
    game = read(TOP + 'board = { size = 9 }\nknight = [{ id = "n1", place = "b1" }]\n')
    assert (game.board.size, game.knight[0].place) == (9, ("b", 1))


def test_a_class_that_no_file_can_fill_is_a_flaw_of_the_class(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text("")
    with pytest.raises(TypeError, match="share"):
        read_file(file, attrs.make_class("Odd", {"share": attrs.field(type=complex)}))


# -- one fault


@pytest.mark.parametrize(
    ("key", "value", "message", "suggestion"),
    [
        ("size", '"12"', 'expected a whole number, got "12"', "write size = 12 (squares a side)"),
        ("size", "12.0", "expected a whole number, got 12.0", "write size = 12 (squares a side)"),
        ("size", "2.5", "expected a whole number, got 2.5", "such as size = 8 (squares a side)"),
        ("size", "true", "expected a whole number, got true", "such as size = 8 (squares a side)"),
        ("size", "nan", "expected a whole number, got nan", "such as size = 8 (squares a side)"),
        ("size", "-inf", "expected a whole number, got -inf", "such as size = 8 (squares a side)"),
        ("size", '"99"', 'expected a whole number, got "99"', "such as size = 8 (squares a side)"),
        (
            "size",
            "1944-12-18",
            "expected a whole number, got 1944-12-18",
            "such as size = 8 (squares a side)",
        ),
        ("size", "[8]", "expected a whole number, got a list", "such as size = 8 (squares a side)"),
        (
            "size",
            "{ n = 8 }",
            "expected a whole number, got a table",
            "such as size = 8 (squares a side)",
        ),
        (
            "size",
            "1",
            "expected a whole number from 2 to 26, got 1",
            "such as size = 8 (squares a side)",
        ),
        (
            "size",
            "0x" + "f" * 9000,
            "expected a whole number from 2 to 26, got a huge number",
            "such as size = 8 (squares a side)",
        ),
        (
            "wooden",
            "1",
            "expected true or false, got 1",
            "such as wooden = true (whether it is made of wood)",
        ),
        (
            "wooden",
            '"False"',
            'expected true or false, got "False"',
            "write wooden = false (whether it is made of wood)",
        ),
        (
            "made",
            '"1900-01-01"',
            'expected a date without quotes or time of day, got "1900-01-01"',
            "write made = 1900-01-01 (when it was made)",
        ),
        ("sise", "5", "unknown key", "did you mean size? (squares a side)"),
        ("title", "5", "unknown key", "it belongs at the top of the file, above the first [table]"),
        ("gait", "5", "unknown key", "it belongs under [[knight]]"),
        ("age", "5", "unknown key", "it belongs under [board.maker] or under [[knight.rider]]"),
        ("qqqq", "5", "unknown key", "possible here: size, wooden, made, maker"),
        (
            "maker",
            "5",
            "expected a table, got 5",
            'write [board.maker] (who made it) with its keys below it, such as name = "Ida"',
        ),
    ],
)
def test_a_fault_in_a_table(fault, key, value, message, suggestion):
    content = f"{LEAST}# a remark\n{key} = {value}\n"
    assert fault(content) == Fault(message, suggestion, key=f"board.{key}", line=5, file="my.toml")


def test_twelve_keys_at_most_are_listed_for_an_unknown_one(tmp_path):
    keys = [f"key_{letter}" for letter in "abcdefghijklm"]
    field = attrs.field(type=int, default=0, metadata={"help": "a number"})
    (tmp_path / "my.toml").write_text("qqqq = 1\n", encoding="utf-8")
    with pytest.raises(FileError) as error:
        read_file(tmp_path / "my.toml", attrs.make_class("Form", dict.fromkeys(keys, field)))
    (only,) = error.value.faults
    assert only.suggestion.startswith("13 are possible here, such as ")
    assert only.suggestion.count("key_") == 12


@pytest.mark.parametrize(
    ("line", "key", "message", "suggestion"),
    [
        (
            "board = 5",
            "board",
            "expected a table, got 5",
            "write [board] (what is played on) with its keys below it, such as size = 8",
        ),
        (
            "board = {}\nknight = 5",
            "knight",
            "expected tables in double brackets, got 5",
            'write [[knight]] (the knights) with its keys below it, such as id = "n1"',
        ),
        (
            "board = {}\nstock = 5",
            "stock",
            "expected a table, got 5",
            "write [stock] with key = value below it (how many are left)",
        ),
        (
            "board = {}\nplayers = 5",
            "players",
            "expected a list, got 5",
            'write players = ["..."] (who plays)',
        ),
        (
            'board = {}\nplayers = ["a", 5]',
            "players[1]",
            "expected text in quotes, got 5",
            'such as players = ["..."] (who plays)',
        ),
        (
            'board = {}\nplayers = [""]',
            "players[0]",
            'expected one line of text, got ""',
            'such as players = ["..."] (who plays)',
        ),
        (
            'board = {}\nscores = [1, "2"]',
            "scores[1]",
            'expected a whole number, got "2"',
            "write 2 (points)",
        ),
        (
            "board = {}\nscores = [10]",
            "scores[0]",
            "expected a whole number from 0 to 9, got 10",
            "such as scores = [1] (points)",
        ),
        (
            "board = {}\nstock.he = 10",
            "stock.he",
            "expected a whole number from 0 to 9, got 10",
            "such as stock = { key = 1 } (how many are left)",
        ),
        (
            'board = {}\nstock."h e" = "3"',
            'stock."h e"',
            'expected a whole number, got "3"',
            "write 3 (how many are left)",
        ),
        (
            "board = {}\noptions.fast = 1.5",
            "options.fast",
            "expected text in quotes or a whole number or true or false, got 1.5",
            'such as options = { key = "..." } (choices)',
        ),
        (
            "board = {}\nexact = 9223372036854775808",
            "exact",
            "expected a whole number from -9223372036854775808 to 9223372036854775807, got 9223372036854775808",
            "such as exact = 0 (any number)",
        ),
    ],
)
def test_a_fault_at_the_top(fault, line, key, message, suggestion):
    assert fault(f"{TOP}{line}\n") == Fault(
        message, suggestion, key=key, line=2 + len(line.split("\n")), file="my.toml"
    )


@pytest.mark.parametrize(
    ("value", "message", "suggestion"),
    [
        (
            'gait = "tort"',
            'expected one of "walk", "trot", "full_gallop", got "tort"',
            'did you mean "trot"? (how fast)',
        ),
        (
            'gait = "Full gallop"',
            'expected one of "walk", "trot", "full_gallop", got "Full gallop"',
            'did you mean "full_gallop"? (how fast)',
        ),
        (
            "gait = 3",
            'expected one of "walk", "trot", "full_gallop", got 3',
            'such as gait = "walk" (how fast)',
        ),
        (
            'route = ["c3", "z9"]',
            "'z9' is no square",
            'such as route = ["c3", "d5"] (squares to come)',
        ),
        (
            'route = "c3"',
            'expected a list, got "c3"',
            'write route = ["c3", "d5"] (squares to come)',
        ),
    ],
)
def test_a_fault_in_an_entry_of_a_list_of_tables(fault, value, message, suggestion):
    only = fault(f'{LEAST}{KNIGHT}[[knight]]\nid = "n2"\nplace = "g1"\n{value}\n')
    key = value.split(" ")[0] + ("[1]" if "z9" in value else "")
    assert only == Fault(message, suggestion, key=f"knight[1].{key}", line=10, file="my.toml")


@pytest.mark.parametrize(
    ("line", "new", "key", "said"),
    [
        (1, "title = 5", "title", "expected text in quotes, got 5"),
        (1, 'title = " "', "title", "expected one line of text"),
        (1, r'title = "a\nb"', "title", "expected one line of text"),
        (1, r'title = "a\u001b[31mb"', "title", "without control characters"),
        (2, 'day = "1944-12-18"', "day", 'got "1944-12-18" - write day = 1944-12-18 '),
        (2, 'day = "18.12.1944"', "day", 'got "18.12.1944" - such as day = 1944-12-18 '),
        (
            2,
            "day = 1944-12-18T06:00:00",
            "day",
            "got 1944-12-18 06:00:00 - write day = 1944-12-18 ",
        ),
        (2, "day = 06:00:00", "day", "expected a date"),
        (2, "day = 1944", "day", "expected a date"),
    ],
)
def test_a_fault_of_text_or_date(fault, line, new, key, said):
    lines = LEAST.splitlines()
    lines[line - 1] = new
    only = fault("\n".join(lines))
    assert (only.key, only.line) == (key, line)
    assert said in describe([only])


def test_only_fields_declared_so_take_text_of_several_lines(fault, read):
    text = '"""\nfirst\nsecond"""\n'
    assert read(f"notes = {text}{LEAST}").notes == "first\nsecond"
    only = fault(f"motto = {text}{LEAST}")
    assert (only.key, only.message) == ("motto", 'expected one line of text, got "first\\nsecond"')
    assert read(f'motto = ""\n{LEAST}').motto == ""


@pytest.mark.parametrize(
    ("content", "keys", "line"),
    [
        ("day = 1944-12-18\n[board]\n", ["title"], None),
        (TOP, ["board"], None),
        ("", ["board", "day", "title"], None),
        (f"{LEAST}[board.maker]\nage = 5\n", ["board.maker.name"], 4),
        (f'{LEAST}{KNIGHT}[[knight]]\nplace = "g1"\n', ["knight[1].id"], 7),
        (f"{LEAST}{KNIGHT}[[knight.rider]]\n", ["knight[0].rider[0].name"], 7),
    ],
)
def test_a_missing_value_is_requested_with_an_example(faults, content, keys, line):
    found = faults(content)
    assert [fault.key for fault in found] == keys
    for fault in found:
        assert fault.line == line
        assert fault.message in {"this key is missing", "this table is missing"}
        assert fault.suggestion.startswith("add ")


@pytest.mark.parametrize("value", ["5", '"a"', "true", "[]", "1944-12-18"])
def test_a_plain_value_where_a_table_is_expected(fault, value):
    only = fault(f"{TOP}board = {value}\n")
    assert (only.key, only.line) == ("board", 3)
    assert only.message.startswith("expected a table, got ")
    assert "[board]" in only.suggestion


def test_a_table_written_in_double_brackets(fault):
    only = fault(f"{TOP}[[board]]\nsize = 4\n")
    assert (only.key, only.line, only.message) == ("board", 3, "expected a table, got a list")


def test_a_list_of_tables_written_in_single_brackets(fault):
    only = fault(f'{LEAST}[knight]\nid = "n1"\n')
    assert (only.key, only.line, only.message) == (
        "knight",
        4,
        "expected tables in double brackets, got a table",
    )


# -- several faults, and their lines


def test_all_faults_arrive_at_once_in_the_order_of_the_file(faults):
    content = """\
title = "x"
day = "yesterday"
mottto = 5
[board]
size = "many"
[[knight]]
id = 1
place = "b1"
[[knight.rider]]
[[knight.rider]]
name = "Ida"
age = 0
[[knight]]
place = "b9"
[stock]
he = 1
smoke = "none"
[[knight]]
id = "n3"
place = "h8"
route = [
  "a1",
  7,
]
"""
    assert [(fault.path, fault.line) for fault in faults(content)] == [
        ("my.toml: day", 2),
        ("my.toml: mottto", 3),
        ("my.toml: board.size", 5),
        ("my.toml: knight[0].id", 7),
        ("my.toml: knight[0].rider[0].name", 9),
        ("my.toml: knight[0].rider[1].age", 12),
        ("my.toml: knight[1].id", 13),
        ("my.toml: knight[1].place", 14),
        ("my.toml: stock.smoke", 17),
        ("my.toml: knight[2].route[1]", 21),
    ]


def test_lines_are_right_in_dotted_keys_inline_tables_and_after_long_strings(faults):
    content = '''\
title = "x"
notes = """
size = 1
[board]
"""
day = 1944-12-18
knight = [
  { id = "n1", place = "b1" },
  { id = "n2", place = "zz" },
]
board.maker.age = 7
board."size" = "many"
board.sze = [
  [ "size = 1" ],
]
[ stock ]  # what is left
he = -1
'''
    assert [(fault.key, fault.line) for fault in faults(content)] == [
        ("knight[1].place", 7),
        ("board.maker.name", 11),
        ("board.size", 12),
        ("board.sze", 13),
        ("stock.he", 17),
    ]


def test_lines_are_found_below_a_list_of_a_hundred_and_fifty_lines(fault):
    squares = '  "a1",\n' * 150
    only = fault(f"{LEAST}{KNIGHT}route = [\n{squares}]\ngait = 1\n")
    assert (only.key, only.line) == ("knight[0].gait", 6 + 1 + 150 + 1 + 1)


def test_the_text_of_a_fault_is_one_printable_line(faults):
    found = faults(LEAST + r'"odd\nkey\u001b" = 1' + "\n" + r'made = "a\nb\u0007"' + "\nsize = 0\n")
    text = describe(found).split("\n")
    assert len(text) == len(found) == 3
    assert all(line.isprintable() for line in text)
    assert text[2] == (
        "my.toml: line 6: board.size: expected a whole number from 2 to 26, got 0 - such as size = 8 (squares a side)"
    )


# -- checks of the class itself


def test_faults_between_values_arrive_together_with_their_lines(faults):
    content = f'title = "x"\nmotto = "x"\nday = 1944-12-18\n[board]\n[options]\n"a b" = 1\n{KNIGHT}{KNIGHT}{KNIGHT}'
    assert faults(content) == (
        Fault("title and motto are the same", file="my.toml"),
        Fault("no such choice", key='options."a b"', line=6, file="my.toml"),
        Fault("n1 stands twice", "rename one", key="knight[1].id", line=11, file="my.toml"),
        Fault("n1 stands twice", "rename one", key="knight[2].id", line=14, file="my.toml"),
    )


def test_values_are_compared_only_when_each_is_good_by_itself(fault):
    assert fault(f"{LEAST}size = 0\n{KNIGHT}{KNIGHT}").key == "board.size"


# -- arbitrary content

SCRAPS = [
    *(
        "nan",
        "1e999",
        "true",
        "-1",
        "99999999999999999999",
        "[]",
        "{}",
        '"a1"',
        '["a1", 2]',
        "{ a = 1 }",
        "1944-12-18",
    ),
    *(
        "[[knight]]",
        "[knight]",
        "[[knight.rider]]",
        "[knight.rider]",
        "[[board]]",
        "[stock]",
        "[[stock]]",
        "[options]",
    ),
    *(
        "knight = []",
        "knight = [{}, 1]",
        "a.b.c = 1",
        "\0",
        "\x1b",
        "\ud800",
        '"""',
        "'''",
        "]",
        "}",
        "\\",
    ),
]


@st.composite
def mutated(draw):
    """Return a file in which a few lines or values are deleted, moved or replaced."""
    rows = FULL.split("\n")
    for _ in range(draw(st.integers(1, 6))):
        row = draw(st.integers(0, len(rows) - 1))
        scrap = draw(
            st.sampled_from(SCRAPS) | st.sampled_from(FULL.split("\n")) | st.text(max_size=4)
        )
        if draw(st.booleans()) and "=" in rows[row]:
            rows[row] = f"{rows[row].split('=')[0]}= {scrap}"
        else:
            rows[row : row + draw(st.integers(0, 2))] = [scrap]
    return "\n".join(rows).encode("utf-8", "surrogatepass")


@settings(
    max_examples=300,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(mutated())
@pytest.mark.full
def test_a_mutated_file_is_read_or_refused_with_faults_but_never_crashes(read, content):
    game, faults = None, ()
    try:
        game = read(content)
    except FileError as error:
        faults = error.faults
    assert (game is None) == bool(faults)
    for fault in faults:
        assert fault.message
        assert fault.line is None or 1 <= fault.line <= content.count(b"\n") + 1
        assert describe([fault]).isprintable()
