import pytest

from corbie.adapters.documents.yaml_text import read_yaml
from corbie.domain.places import DefinitionRefused, format_problem


def value_of(text):
    document = read_yaml(text if isinstance(text, bytes) else text.encode(), "a.yaml")
    assert document.problems == ()
    return document.value


def problems_of(text):
    try:
        document = read_yaml(text if isinstance(text, bytes) else text.encode(), "a.yaml")
    except DefinitionRefused as error:
        return [format_problem(one) for one in error.problems]
    return [format_problem(one) for one in document.problems]


@pytest.mark.parametrize(
    "text",
    [
        "on",
        "off",
        "yes",
        "no",
        "Yes",
        "NO",
        "y",
        "n",
        "12:30",
        "2026-01-01",
        "1.2.3",
        "0b1",
        "1_000",
        "0777x",
        "<<x",
        "=",
        "+.e3",
        "0o8",
        "0xg",
        "NaN",
        "nan",
        "Infinity",
        "tRUE",
        "nULL",
        ".infx",
        "1e",
        "1.e+",
    ],
)
def test_what_yaml_1_1_took_for_something_else_is_text(text):
    assert value_of(f"a: {text}") == {"a": text}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", True),
        ("False", False),
        ("TRUE", True),
        ("null", None),
        ("~", None),
        ("", None),
        ("010", 10),
        ("+7", 7),
        ("0o17", 15),
        ("0xfF", 255),
        ("1e3", 1000),
        (".5", 0.5),
        ("5.", 5),
        ("-1.5E-2", -0.015),
        ("9007199254740991", 9007199254740991),
        ('"1"', "1"),
        ("'true'", "true"),
        ("!!str 1", "1"),
        ("! 1", "1"),
        ('!!int "3"', 3),
        ("!!float 3", 3),
    ],
)
def test_a_value_is_that_of_the_core_schema(text, value):
    found = value_of(f"a: {text}")["a"]

    assert found == value
    assert type(found) is type(value)


def test_a_field_called_on_stays_text():
    assert value_of("on: { yes: no }") == {"on": {"yes": "no"}}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: 1\nb: 2\na: 3", 'a.yaml:3:1: a: the field "a" stands twice; the first is in line 1'),
        ("a: { b: 1, 'b': 2 }", 'a.yaml:1:12: a.b: the field "b" stands twice'),
        ("1: a", 'a.yaml:1:1: a field\'s name is a text, not the number 1; write "1"'),
        ("true: a", "not the boolean true"),
        ("? [a]\n: b", "a.yaml:1:3: a field's name is a text, not a list"),
        ("~: a", "not null"),
        ("a: !!python/name:os.system x", "the tag !!python/name:os.system is not read"),
        ("a: !x y", "the tag !x is not read"),
        ("a: !!set { b }", "the tag !!set is not read"),
        ("a: !!binary aGk=", "the tag !!binary is not read"),
        ("a: !!int x", '"x" is no !!int'),
        ("a: 1\n---\nb: 2", "a.yaml:2:1: a second document begins"),
        ("a: .inf", ".inf is no JSON number"),
        ("a: -.INF", "is no JSON number"),
        ("a: .nan", "is no JSON number"),
        ("a: 1e999", "past what a double holds"),
        ("a: 9007199254740992", "past ±(2^53-1)"),
        ("a: -9007199254740992", "past ±(2^53-1)"),
        ("a: 0x20000000000000", "past ±(2^53-1)"),
        ("a: " + "9" * 5_000, "past ±(2^53-1)"),
        ("b: &b { a: 1 }\n<<: *b", "the merge key << is not read"),
        ("a: &a [*a]", "*a contains itself"),
        ("a: &a { b: { c: *a } }", "*a contains itself"),
        ("a: *b", "no &b stands before *b"),
        (b"a: \xff", "a.yaml:1:4: the file is not UTF-8: byte 3 is 0xff"),
        (
            "a: 1\nb: é\n".encode() + b"c: \xe9",
            "a.yaml:3:4: the file is not UTF-8: byte 14 is 0xe9",
        ),
        ("a: \0", "a.yaml:1:4: the character U+0000"),
        ("a: \x1b[2J", "the character U+001B"),
        ("a: x\u2028y", "the character U+2028"),
        ('a: "\\ud800"', "half of a surrogate pair"),
        ("", "the file is empty"),
        ("# nothing", "the file is empty"),
        (b"x" * (5 * 1024 * 1024), "a definition has at most 4 MiB"),
    ],
)
def test_what_is_refused_is_told_with_its_place(text, says):
    (problem,) = problems_of(text)

    assert says in problem


def test_the_merge_keys_text_may_stand_in_quotes():
    assert value_of('"<<": 1') == {"<<": 1}


def test_a_byte_order_mark_is_skipped():
    assert value_of(b"\xef\xbb\xbfa: 1") == {"a": 1}


@pytest.mark.parametrize(
    "text",
    [
        "a: ${ {b: 1} }",
        "a: { url: ${input.url} }",
        "a: ${x ? y : z}",
        "a:\n  b: ${x ? y : z}\n",
        "a: [${b}]",
        "a: it's ${ {b: 1} }",
    ],
)
def test_a_syntax_error_beside_an_unquoted_expression_says_to_quote_it(text):
    (problem,) = problems_of(text)

    assert problem.endswith("; put the text with ${…} in quotes")


@pytest.mark.parametrize("text", ['a: "${b}\nc: d: e', "a: '${x}' : y", "a: b: c # ${x}"])
def test_a_quoted_expression_is_not_blamed(text):
    assert "${" not in problems_of(text)[0]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: [b,\nc]", "a.yaml:2:1: this line belongs to the value above"),
        ('a: "b\nc"', "this line belongs to the value above"),
        ("- [\n\tb\n ]", "this line belongs to the value above"),
        ("a: [b]#c", "a # that begins a comment has a space before it"),
        ("a: [b,#c\n  d]", "a # that begins a comment"),
        ('a: "b"#c', "a # that begins a comment"),
        ("a: |#c\n  d", "a # that begins a comment"),
        ("[ ?a ]", "a ? with no space behind it"),
        ("{ ?a: b }", "a ? with no space behind it"),
        ("[-]", "a - alone is no text"),
        ("a: &b:c d", "the name behind & or *"),
        ("a: &b 1\nc: *b:d", "the name behind & or *"),
        ("a: >\n   \n b", "the blank lines above are indented further"),
        ("%YAML 1.2#x\n---\na: 1", "this %YAML line is not well formed"),
    ],
)
def test_what_libyaml_reads_otherwise_than_yaml_1_2_is_refused(text, says):
    assert any(says in problem for problem in problems_of(text))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a:\n  - &x [b,\n   c] # d\n  - *x", {"a": [["b", "c"], ["b", "c"]]}),
        ("a: [b, # c\n# d\n  e]", {"a": ["b", "e"]}),
        ("a: |+\n  b\n   ", {"a": "b\n \n"}),
        ("[a,\nb]", ["a", "b"]),
        ("a: 'b#c'", {"a": "b#c"}),
        ("a: b#c", {"a": "b#c"}),
        ("a: &x\n  b: 'c\n    d'\n", {"a": {"b": "c d"}}),
        ("a: { b?: c?d, ? e : f }", {"a": {"b?": "c?d", "e": "f"}}),
        ("%YAML 1.2 # x\n---\na: 1\n...", {"a": 1}),
        ("a: b\r\nc: |\r\n  d\r\n", {"a": "b", "c": "d\n"}),
    ],
)
def test_the_lints_leave_good_yaml_alone(text, value):
    assert value_of(text) == value


def bomb(levels):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    for level in range(1, levels):
        alias = f"*a{level - 1}"
        lines.append(f"a{level}: &a{level} [{', '.join([alias] * 10)}]")
    return "\n".join(lines)


def test_aliases_that_make_too_much_are_refused_and_few_are_not():
    (problem,) = problems_of(bomb(9))

    assert "aliases make more than 100 times" in problem
    assert problems_of(bomb(3)) == []


@pytest.mark.parametrize("text", ["[", "- ", "{a: ", "? ", "a:\n ", "&a [", "[[[[[[[[[[\n"])
def test_deep_nesting_is_refused_and_nothing_worse(text):
    assert problems_of(text * 10_000)


def test_nesting_is_bounded_through_aliases_as_well():
    lines = ["a0: &a0 []", *(f"a{n}: &a{n} [*a{n - 1}]" for n in range(1, 300))]

    assert "200 levels deep by its aliases" in problems_of("\n".join(lines))[-1]


def test_200_levels_are_read():
    assert problems_of("[" * 200 + "]" * 200) == []
    assert problems_of("[" * 201 + "]" * 201) != []


def test_a_place_is_that_of_the_value_or_of_its_name():
    document = read_yaml(b"a:\n  b: [1, { c: 2 }]\nd: &x [7]\ne: *x\n", "a.yaml")

    def spot(*path, is_name=False):
        place = document.find_place(path, is_name)
        return place.line, place.column, place.path

    assert spot("a", "b") == (2, 6, "a.b")
    assert spot("a", "b", is_name=True) == (2, 3, "a.b")
    assert spot("a", "b", 1, "c") == (2, 15, "a.b[1].c")
    assert spot("e", 0) == (3, 8, "e[0]")
    assert spot("e") == (4, 4, "e")
    assert spot("a", "b", "none") == (2, 6, "a.b.none")
    assert spot() == (1, 1, "")
