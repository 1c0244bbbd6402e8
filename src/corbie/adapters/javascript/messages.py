"""What engines say and what results cannot be, in our words. One table for each.

Source: Values and expressions.
"""

import json
import re
from collections.abc import Sequence

TIME_PASSED = "it takes longer than 1 second; move the work into a script"
STEP_TIME_PASSED = (
    "the expressions of one step take longer than 10 seconds; move the work into a script"
)
MEMORY_PASSED = "it needs more than 64 MiB; move the work into a script"
RECURSION_PASSED = "it calls itself too deep; write a loop or move the work into a script"
SIZE_PASSED = "the result is larger than 8 MiB; move the work into a script"

_RESULTS = {
    "function": "a function is no JSON value; call it",
    "symbol": "a symbol is no JSON value; write a text",
    "bigint": "a BigInt is no JSON value; write Number(x) or String(x)",
    "nan": "NaN is no JSON value; write what to give instead, as in x || 0",
    "infinity": "Infinity is no JSON value; write what to give instead, as in Math.min(x, 100)",
    "invalid date": "an invalid Date is no JSON value; check the text that it is made from",
    "map": "a Map is no JSON value; write Object.fromEntries(map) or [...map]",
    "set": "a Set is no JSON value; write [...set]",
    "regexp": "a RegExp is no JSON value; write its source",
    "error": "an Error is no JSON value; write its message",
    "bytes": "bytes are no JSON value; write Array.from(bytes)",
    "iterator": "an iterator is no JSON value; write [...iterator]",
    "circle": "an object that contains itself is no JSON value; leave that field out",
    "depth": "the result is nested more than 200 levels deep; make it flatter",
    "size": SIZE_PASSED,
}

_WORDS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern, re.DOTALL), words)
    for pattern, words in (
        (r"cannot (read|set) property 'Symbol\.iterator' of (null|undefined)", r"\2 is no list"),
        (r"cannot (read|set) property '(.*)' of (null|undefined)", r'cannot \1 "\2" of \3'),
        (r"'(.*)' is read-only", r'"\1" cannot be changed; make a copy, as in {...x} or [...x]'),
        (r"object is not extensible", "it cannot be added to; make a copy, as in {...x} or [...x]"),
        (r"could not delete property", "it cannot be taken from; make a copy without that part"),
        (r"not a function", "what is called is not a function"),
        (r"value is not iterable", "what is gone through is no list"),
        (r"(.*) is not defined", r'"\1" is not a name here'),
        (r"Cannot convert undefined or null to object", "null or undefined has no fields"),
        (r"Maximum call stack size exceeded", RECURSION_PASSED),
        (r"stack overflow", RECURSION_PASSED),
    )
)
_NOT_JAVASCRIPT = "this is not JavaScript"
_LINE_FEED = 10
_PLACED = re.compile(r"^(\w+): (.*?)\n\s+at <input>:(\d+):(\d+)", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_$][\w$]*")


def word_error(name: str, message: str) -> str:
    """Say what an error that was thrown says, in our words where the engine made it."""
    for pattern, words in _WORDS:
        found = pattern.fullmatch(message)
        if found is not None:
            return found.expand(words)
    return message if name == "Error" and message else f"{name}: {message}".rstrip(": ")


def word_thrown(shown: str) -> str:
    """Say that something was thrown that is no Error, given its JSON or its kind."""
    return f"it threw {shown}"


def word_result(kind: str, path: Sequence[str | int]) -> str:
    """Say why a result is no JSON value; `path` leads to the part that is none."""
    words = _RESULTS[kind]
    if not path or kind in ("circle", "depth"):
        return words
    where = "".join(_step(part) for part in path[:20])
    return f"at {where[:200].removeprefix('.')}: {words}"


def word_compile_fault(text: str, prefix: str, source: str) -> tuple[str, int | None]:
    """Say why the engine does not compile `prefix` and a source; the offset is in the source."""
    if "call stack size exceeded" in text or "stack overflow" in text:
        return "the expression is nested too deep; move the work into a script", None
    found = _PLACED.match(text)
    if found is None:
        return f"{_NOT_JAVASCRIPT}: {text.partition(chr(10))[0]}", None
    line, column = int(found[3]), int(found[4])
    # The engine counts lines from one, and columns in bytes.
    encoded = source.encode()
    ends = [0, *(index + 1 for index, byte in enumerate(encoded) if byte == _LINE_FEED)]
    offset = column - 1 + (ends[line - 1] if line <= len(ends) else len(encoded))
    offset -= len(prefix) if line == 1 else 0
    if offset < 0:
        return f"{_NOT_JAVASCRIPT}: {found[2]}", None
    characters = len(encoded[:offset].decode(errors="ignore"))
    # What is met there is the bracket that was put around it.
    what = "it ends in the wrong place" if offset >= len(encoded) else found[2]
    return f"{_NOT_JAVASCRIPT}: {what}", characters


def _step(part: str | int) -> str:
    if isinstance(part, int):
        return f"[{part}]"
    return f".{part}" if _NAME.fullmatch(part) else f"[{json.dumps(part, ensure_ascii=False)}]"
