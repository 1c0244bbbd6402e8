"""Which other scripts a script requires, read from its text without running it.

Only what must be told apart to find calls is: comments, texts, patterns, templates, code.
Source: Definitions, Jobs (`require`); Scripts.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<space>\s+|//[^\n\r\u2028\u2029]*|/\*.*?(?:\*/|\Z))
  | (?P<text>"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?)  # one that is not closed ends somewhere
  | (?P<word>[A-Za-z_$\u0080-\U0010ffff][\w$\u0080-\U0010ffff]*|\d[\w.]*)
  | (?P<mark>.)
    """,
    re.VERBOSE | re.DOTALL,
)
# The counts bound the work on a text that only begins like a pattern.
_PATTERN = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.){0,200}+\]){1,1000}+/[A-Za-z]*")
# Words after which a / begins a pattern, where after other words it divides.
_BEFORE_PATTERN = frozenset(
    {"return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else", "do"}
)
_ESCAPE = re.compile(
    r"\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))", re.DOTALL
)
_CONTROL = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Require:
    """One call of `require`: its literal, None if it has another argument, and where it is.

    Line and column count from 1.
    """

    path: str | None
    line: int
    column: int


def find_requires(script: str) -> list[Require]:
    """Give every call of `require` in a script, in the order written."""
    found: list[Require] = []
    tokens = list(_code_tokens(script))
    for index, (kind, word, offset) in enumerate(tokens[:-1]):
        if word != "require" or kind != "word" or tokens[index + 1][1] != "(":
            continue
        if index and tokens[index - 1][1] in {".", "function"}:
            continue
        argument = tokens[index + 2 : index + 4]
        path = None
        if len(argument) == 2 and argument[0][0] == "text" and argument[1][1] in {")", ","}:
            path = _read_literal(argument[0][1])
        line = script.count("\n", 0, offset) + 1
        column = offset - script.rfind("\n", 0, offset)
        found.append(Require(path=path, line=line, column=column))
    return found


def _code_tokens(script: str) -> Iterator[tuple[str, str, int]]:
    """Give the tokens of code: kind, text and offset, without comments, patterns and templates."""
    # For each open template, how many braces are open in its `${`.
    braces: list[int] = []
    before = ("mark", "")
    at = 0
    while at < len(script):
        if script[at] == "`" or (script[at] == "}" and braces and braces[-1] == 0):
            opens = script[at] == "`"
            at, is_code = _skip_template(script, at + 1)
            if is_code and opens:
                braces.append(0)
            elif not is_code and not opens:
                braces.pop()
            before = ("mark", "(") if is_code else ("text", "`")
            continue
        pattern = _PATTERN.match(script, at) if _may_begin_pattern(before) else None
        if pattern is not None and script[at : at + 2] not in {"//", "/*"}:
            at, before = pattern.end(), ("text", "/")
            continue
        found = _TOKEN.match(script, at)
        if found is None:
            return
        kind = str(found.lastgroup)
        text = found[0]
        if kind != "space":
            if braces and text in {"{", "}"}:
                braces[-1] += 1 if text == "{" else -1
            yield kind, text, at
            before = (kind, text)
        at = found.end()


def _may_begin_pattern(before: tuple[str, str]) -> bool:
    kind, text = before
    if kind == "word":
        return text in _BEFORE_PATTERN
    return kind == "mark" and text not in {")", "]", "}"}


def _skip_template(script: str, at: int) -> tuple[int, bool]:
    """Give where a template's text ends, and whether code begins there."""
    while at < len(script):
        if script[at] == "\\":
            at += 2
        elif script[at] == "`":
            return at + 1, False
        elif script.startswith("${", at):
            return at + 2, True
        else:
            at += 1
    return at, False


def _read_literal(token: str) -> str:
    def value(found: re.Match[str]) -> str:
        digits = found[1] or found[2] or found[3]
        if digits:
            number = int(digits, 16)
            return chr(number) if number <= 0x10FFFF else "\ufffd"
        return _CONTROL.get(found[4], "" if found[4] == "\n" else found[4])

    return _ESCAPE.sub(value, token[1:-1])
