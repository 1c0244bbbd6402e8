"""Expressions in the scopes of entries: what they give is never a pattern."""

import re

import pytest

from corbie.domain.errors import ValueRefused
from corbie.domain.permission_filling import Given, check_entry_parts, fill_entry


def filled(*parts):
    return fill_entry([part if isinstance(part, str) else Given(value=part[0]) for part in parts])


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (["net:", ("Example.com",), ":443"], "net:example.com:443"),
        (["net:x.com:", (8080,)], "net:x.com:8080"),
        (["net:", ("::1",), ":", ("80",)], "net:[::1]:80"),
        (["net:[", ("::1",), "]:80"], "net:[::1]:80"),
        (["net:", (5,), ".x.com"], "net:5.x.com"),
        (["net:*.", ("x.com",)], "net:*.x.com"),
        (["fs.read:/a/", ("*",), "/**"], r"fs.read:/a/\*/**"),
        (["fs.read:/a/*", ("**",)], r"fs.read:/a/*\*\*"),
        (["fs.read:~/", ("b\\",), ".txt"], r"fs.read:~/b\\.txt"),
        (["fs.write:", ("/a/*",)], r"fs.write:/a/\*"),
        (["exec:", ("/bin/sh",)], "exec:/bin/sh"),
        (["exec:", ("git",)], "exec:git"),
        (["env:", ("A",), "_*"], "env:A_*"),
        (["model:", ("a/b",)], "model:a/b"),
        (["all"], "all"),
    ],
)
def test_values_are_filled_in(parts, text):
    assert filled(*parts) == text


@pytest.mark.parametrize("kind", ["net", "fs.read", "exec", "env", "model", "archive"])
@pytest.mark.parametrize("value", [None, "", True, [], {}, "a\nb", "a\u0085b", "\ud800", "*", ".."])
def test_what_is_no_name_is_refused_in_every_kind(kind, value):
    with pytest.raises(ValueRefused):
        filled(f"{kind}:", (value,))


@pytest.mark.parametrize(
    "parts",
    [
        ["fs.read:/a/", ("b/c",)],
        ["fs.read:/a/", (".",)],
        ["fs.read:/a/", ("..",), "/x"],
        ["fs.read:/a/", ("",)],
        ["fs.read:", ("~",), "/x"],
        ["fs.read:", ("~/x",)],
        ["fs.read:", ("/a/../b",)],
        ["fs.read:/a\\", ("*",)],
        ["net:", ("x.com:80",)],
        ["net:", ("10.0.0.0/8",)],
        ["net:", ("*.com",)],
        ["net:x.com:", ("80-90",)],
        ["net:x", ("y",), ".com"],
        ["model:", ("a/*",)],
        ["model:a/", ("b/c",)],
        ["env:", ("A*",)],
        [("net",)],
        ["disk:", ("x",)],
    ],
)
def test_a_value_cannot_widen_or_leave_its_place(parts):
    with pytest.raises(ValueRefused):
        filled(*parts)


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ([None], "write the kind"),
        (["nt:", None], 'did you mean "net"?'),
        (["all:", None], "takes no scope"),
        (["fs.read:", None, "/x"], "written out"),
        (["net:x", None], "whole labels"),
        (["net:", None, ":99999"], "no port"),
        (["fs.read:/a//", None], r"/a//\$\{…\}"),
        (["fs.red:/a"], 'did you mean "fs.read"?'),
    ],
)
def test_a_check_says_where_an_expression_may_stand(parts, says):
    (problem,) = check_entry_parts(parts)

    assert re.search(says, problem)


@pytest.mark.parametrize(
    "parts",
    [
        ["net:", None, ":", None],
        ["net:*.", None],
        ["fs.read:", None],
        ["fs.read:/a/", None, "/**"],
        ["exec:", None],
        ["env:A_", None],
        ["model:", None],
        ["model:a/", None],
        ["archive:", None],
        ["disk"],
    ],
)
def test_a_check_finds_nothing_wrong_with_a_good_entry(parts):
    assert check_entry_parts(parts) == []
