"""Where an expression ends, and which free names it reads.

Knows texts and tree-sitter; the engine's own word on a text comes through `compile_fault`.
What a tree may hold is in `scopes`. Source: Values and expressions.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import tree_sitter_javascript
from tree_sitter import Language, Node, Parser

from corbie.adapters.javascript import scopes
from corbie.domain.errors import ExpressionFault
from corbie.domain.ports.evaluator import Reading

SOURCE_BYTES_MAX = 16 * 1024
# Each `}` costs a parse of all before it; no expression of 16 KiB written by a person has more.
ENDS_MAX = 1000
# Kept answers, some 2 KB each: more expressions than any definition seen.
CACHE_MAX = 2048

BUILTIN_NAMES = frozenset(
    [
        "Math",
        "JSON",
        "Date",
        "Object",
        "Array",
        "String",
        "Number",
        "Boolean",
        "RegExp",
        "Map",
        "Set",
        "Error",
        "EvalError",
        "RangeError",
        "ReferenceError",
        "SyntaxError",
        "TypeError",
        "URIError",
        "AggregateError",
        "parseInt",
        "parseFloat",
        "isNaN",
        "isFinite",
        "encodeURIComponent",
        "decodeURIComponent",
        "encodeURI",
        "decodeURI",
        "NaN",
        "Infinity",
        "undefined",
    ]
)
"""The names that every expression may use and no place gives."""

EMPTY = "there is no expression between ${ and }"
UNCLOSED = "the expression is not closed; write } after it"
TOO_LONG = "the expression is longer than 16 KiB; move the work into a script"
TOO_MANY_ENDS = "more than 1000 } stand in the expression; move the work into a script"
NOT_TEXT = "a character that is no text stands in the expression; write it as an escape in quotes"
RESERVED = "$corbie_"
"""What no expression may hold: the names that `guarding` adds begin with it."""
RESERVED_USED = f"{RESERVED} cannot stand in an expression; write another name"
NOT_ONE = "this is not one JavaScript expression"

CompileFault = Callable[[str], "tuple[str, int | None] | None"]
"""A source to the engine's objection and its offset in characters, None if it compiles."""

LANGUAGE = Language(tree_sitter_javascript.language())
_BRACKETS = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class _Analysis:
    """What is known of a source: its reading, or what is wrong with it."""

    reading: Reading | None = None
    uses: tuple[tuple[str, str | None, int], ...] = ()
    fault: str = ""
    offset: int | None = None
    is_whole: bool = False


class Syntax:
    """Reads expressions, keeping what it found; may be used from several threads."""

    def __init__(self, *, compile_fault: CompileFault) -> None:
        """Hold how to ask the engine."""
        self._compile_fault = compile_fault
        self._analyse = lru_cache(maxsize=CACHE_MAX)(self._analyse_uncached)
        self._read_members = lru_cache(maxsize=CACHE_MAX)(self._read_members_uncached)

    def find_end(self, text: str, start: int) -> int:
        """Give the index of the `}` that ends the expression which begins at `start`.

        Raises:
            ExpressionFault: none does; `offset` counts from start.
        """
        brackets = _Brackets()
        tried: str | None = None
        is_likely = False
        taken = start
        end = text.find("}", start, start + SOURCE_BYTES_MAX + 1)
        for _ in range(ENDS_MAX):
            if end < 0:
                break
            brackets.take(text[taken:end])
            could_end = brackets.is_balanced or not brackets.is_exact
            if could_end and self._analyse(text[start:end]).is_whole:
                return end
            # The best to report is what stands up to a `}` that closes nothing else.
            if (could_end or brackets.is_broken) and not is_likely:
                tried = text[start:end] if tried is None or brackets.is_balanced else tried
                is_likely = brackets.is_balanced
            taken = end
            end = text.find("}", end + 1, start + SOURCE_BYTES_MAX + 1)
        source = text[start : start + SOURCE_BYTES_MAX]
        if end >= 0:
            raise ExpressionFault(TOO_MANY_ENDS, source=source)
        brackets.take(text[taken : taken + 1])
        if tried is None and brackets.is_broken:
            tried = text[start:taken]
        if tried is not None:
            analysis = self._analyse(tried)
            raise ExpressionFault(analysis.fault, source=tried, offset=analysis.offset)
        what = TOO_LONG if "}" in text[start + SOURCE_BYTES_MAX :] else UNCLOSED
        raise ExpressionFault(what, source=source, offset=0)

    def read_names(self, source: str, members_of: str | None = None) -> Reading:
        """Give what an expression reads; `NAME?.member` counts as a use of the member.

        Raises:
            ExpressionFault: it is not well formed, too long, or uses something refused.
        """
        analysis = self._analyse(source)
        if analysis.reading is None:
            raise ExpressionFault(analysis.fault, source=source, offset=analysis.offset)
        if members_of is None:
            return analysis.reading
        return self._read_members(source, members_of)

    def _read_members_uncached(self, source: str, members_of: str) -> Reading:
        analysis = self._analyse(source)
        return Reading(
            free=analysis.reading.free if analysis.reading else {},
            members=tuple(use for use in analysis.uses if use[0] == members_of),
        )

    def _analyse_uncached(self, source: str) -> _Analysis:
        fault = _text_fault(source)
        if fault:
            return _Analysis(fault=fault)
        code = f"({source})".encode()
        # A parser holds state of the text it reads, so each reading has its own.
        root = Parser(LANGUAGE).parse(code).root_node
        parsed = _one_expression(root, len(code))
        try:
            uses = scopes.find_uses(root) if parsed else ()
        except scopes.TreeRefused as error:
            offset = _Offsets(code).character(error.offset) - 1
            return _Analysis(fault=error.what, offset=offset, is_whole=True)
        objection = self._compile_fault(source)
        if objection is not None:
            return _Analysis(fault=objection[0], offset=objection[1])
        if not parsed:
            return _Analysis(fault=NOT_ONE)
        offsets = _Offsets(code)
        placed = tuple((name, member, offsets.character(at) - 1) for name, member, at in uses)
        free: dict[str, int] = {}
        for name, _, at in placed:
            if name not in BUILTIN_NAMES:
                free.setdefault(name, at)
        return _Analysis(reading=Reading(free=free), uses=placed, is_whole=True)


class _Brackets:
    """Counts the brackets of a text taken bit by bit; exact until a quote or slash is met."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self.is_broken = False
        self.is_exact = True

    @property
    def is_balanced(self) -> bool:
        """Whether each bracket so far has its other half."""
        return not self._open and not self.is_broken

    def take(self, text: str) -> None:
        """Go on by some characters."""
        for character in text:
            if character in "\"'`/":
                self.is_exact = False
            elif character in "([{":
                self._open.append(character)
            elif character in _BRACKETS and (
                not self._open or self._open.pop() != _BRACKETS[character]
            ):
                self.is_broken = True


class _Offsets:
    """Turns offsets in UTF-8 bytes into offsets in characters."""

    def __init__(self, code: bytes) -> None:
        self._code = None if code.isascii() else code

    def character(self, offset: int) -> int:
        """Give how many characters stand before a byte."""
        return offset if self._code is None else len(self._code[:offset].decode())


def _text_fault(source: str) -> str:
    """Tell what is wrong with an expression as a text, before any parsing."""
    if not source or source.isspace():
        return EMPTY
    try:
        encoded = source.encode()
    except UnicodeEncodeError:
        return NOT_TEXT
    if b"\0" in encoded:
        return NOT_TEXT
    if RESERVED in source:
        return RESERVED_USED
    return TOO_LONG if len(encoded) > SOURCE_BYTES_MAX else ""


def _one_expression(root: Node, length: int) -> bool:
    """Tell whether the tree is one expression in parentheses and nothing else."""
    if root.has_error or root.child_count != 1:
        return False
    statement = root.children[0]
    if statement.type != "expression_statement" or statement.child_count != 1:
        return False
    inner = statement.children[0]
    return (
        inner.type == "parenthesized_expression"
        and inner.start_byte == 0
        and inner.end_byte == length
    )
