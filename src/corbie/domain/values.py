"""JSON values: their type, bounds, strict reading and stable text.

Numbers are IEEE doubles written as JavaScript writes them. A value is never changed once
made: whoever needs another makes another. Source: Definitions, The file.
"""

import json
import math
import re
from collections.abc import Iterator

from typing_extensions import TypeAliasType

from corbie.domain.errors import ValueRefused

# A plain recursive alias makes pydantic's TypeAdapter recurse without end (tried).
JsonValue = TypeAliasType(
    "JsonValue", "None | bool | int | float | str | list[JsonValue] | dict[str, JsonValue]"
)

INTEGER_MAX = 2**53 - 1
DEPTH_MAX = 200
VALUE_BYTES_MAX = 8 * 1024 * 1024

# What Python's writer may have written otherwise than JavaScript would: an exponent, or `.0`.
_UNLIKE_JAVASCRIPT = re.compile(r"[0-9]e[+-]?[0-9]|\.0(?![0-9])")
_SURROGATE = re.compile("[\ud800-\udfff]")


def stable_text(value: JsonValue) -> str:
    """Give compact JSON in written order, with numbers as JavaScript writes them.

    Raises:
        ValueRefused: a number is not finite, or a text holds a lone surrogate.
    """
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    except ValueError as error:
        message = "a number that is not finite has no JSON form"
        raise ValueRefused(message) from error
    if _UNLIKE_JAVASCRIPT.search(text):
        text = "".join(_pieces(value))
    if _SURROGATE.search(text):
        message = "a text holds half of a surrogate pair, which UTF-8 cannot hold"
        raise ValueRefused(message)
    return text


def sorted_text(value: JsonValue) -> str:
    """Give compact JSON with the fields of every object sorted, for people to read."""
    return stable_text(_sorted(value))


def parse_json(text: str | bytes, *, what: str = "the text") -> JsonValue:
    """Read one JSON value strictly: what a person or another program hands over.

    Raises:
        ValueRefused: not JSON or not UTF-8; a doubled name, an integer past ±(2^53-1), NaN or
            Infinity, a lone surrogate, or more than 200 levels.
    """
    try:
        decoded = text if isinstance(text, str) else text.decode("utf-8")
        value: JsonValue = json.loads(
            decoded,
            object_pairs_hook=_object,
            parse_int=_integer,
            parse_float=_double,
            parse_constant=_refuse_constant,
        )
    except UnicodeDecodeError as error:
        message = f"{what} is not UTF-8: byte {error.start} is 0x{error.object[error.start]:02x}"
        raise ValueRefused(message) from error
    except json.JSONDecodeError as error:
        message = f"{what} is not JSON: {error.msg} at line {error.lineno} column {error.colno}"
        raise ValueRefused(message) from error
    except RecursionError as error:
        message = f"{what} is nested more than {DEPTH_MAX} levels deep"
        raise ValueRefused(message) from error
    except ValueRefused as error:
        message = f"{what}: {error}"
        raise ValueRefused(message) from error
    if depth(value) > DEPTH_MAX:
        message = f"{what} is nested more than {DEPTH_MAX} levels deep"
        raise ValueRefused(message)
    if _SURROGATE.search(decoded) or ("\\u" in decoded and _has_surrogate(value)):
        message = f"{what} holds half of a surrogate pair"
        raise ValueRefused(message)
    return value


def read_json(text: str | bytes) -> JsonValue:
    """Read JSON that Corbie or an engine wrote; an integer past the bound is a double.

    Raises:
        ValueRefused: not JSON.
    """
    try:
        value: JsonValue = json.loads(text, parse_int=_any_integer, parse_float=_double)
    except (ValueError, RecursionError) as error:
        message = f"not JSON: {error}"
        raise ValueRefused(message) from error
    return value


def depth(value: JsonValue) -> int:
    """Count the levels of lists and objects; a bare number or text has none."""
    levels = 0
    layer: list[JsonValue] = [value]
    while layer:
        inner: list[JsonValue] = []
        for item in layer:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        if not any(isinstance(item, dict | list) for item in layer):
            return levels
        levels += 1
        layer = inner
    return levels


def kind_of(value: JsonValue) -> str:
    """Name a value's JSON kind for a message: null, boolean, number, text, list or object."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "text"
        case list():
            return "list"
        case dict():
            return "object"


def cut_text(value: JsonValue, length_max: int = 60) -> str:
    """Give a value's stable text for a message, cut to at most so many characters."""
    text = stable_text(value)
    return text if len(text) <= length_max else text[: length_max - 1] + "…"


def number_text(number: float) -> str:
    """Write a finite double as JavaScript's `String` does. Source: ECMA-262, 6.1.6.1.20."""
    if number == 0:
        return "0"
    if number < 0:
        return "-" + number_text(-number)
    mantissa, _, exponent = f"{number!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    # The value is 0.DIGITS times ten to the point.
    point = len(whole) + int(exponent or 0)
    if whole == "0":
        point -= len(fraction) - len(fraction.lstrip("0")) + 1
    digits = digits.rstrip("0") or "0"
    return _placed(digits, point)


def _placed(digits: str, point: int) -> str:
    """Put the decimal point into digits as ECMA-262 says; 21 and -6 are its bounds."""
    count = len(digits)
    if count <= point <= 21:
        return digits + "0" * (point - count)
    if 0 < point <= 21:
        return f"{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return "0." + "0" * -point + digits
    power = point - 1
    sign = "+" if power > 0 else "-"
    head = digits if count == 1 else f"{digits[0]}.{digits[1:]}"
    return f"{head}e{sign}{abs(power)}"


def _pieces(value: JsonValue) -> Iterator[str]:
    match value:
        case float():
            yield number_text(value)
        case list():
            yield "["
            for index, item in enumerate(value):
                if index:
                    yield ","
                yield from _pieces(item)
            yield "]"
        case dict():
            yield "{"
            for index, (name, item) in enumerate(value.items()):
                yield f"{',' if index else ''}{json.dumps(name, ensure_ascii=False)}:"
                yield from _pieces(item)
            yield "}"
        case _:
            yield json.dumps(value, ensure_ascii=False)


def _sorted(value: JsonValue) -> JsonValue:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_sorted(item) for item in value]
    return value


def _object(pairs: list[tuple[str, JsonValue]]) -> JsonValue:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for name, _ in pairs:
            if name in seen:
                message = f"the name {json.dumps(name)} stands twice in one object"
                raise ValueRefused(message)
            seen.add(name)
    return made


def _integer(text: str) -> int:
    number = int(text) if len(text) < 20 else INTEGER_MAX + 1
    if abs(number) > INTEGER_MAX:
        message = f"the integer {text[:40]} is past ±(2^53-1); write it as a text"
        raise ValueRefused(message)
    return number


def _any_integer(text: str) -> int | float:
    number = int(text) if len(text) < 400 else math.inf
    return number if abs(number) <= INTEGER_MAX else float(number)


def _double(text: str) -> int | float:
    number = float(text)
    if math.isinf(number):
        message = f"the number {text[:40]} is past what a double holds"
        raise ValueRefused(message)
    return int(number) if number.is_integer() and abs(number) <= INTEGER_MAX else number


def _refuse_constant(text: str) -> float:
    message = f"{text} is no JSON number"
    raise ValueRefused(message)


def _has_surrogate(value: JsonValue) -> bool:
    if isinstance(value, str):
        return bool(_SURROGATE.search(value))
    if isinstance(value, dict):
        return any(_has_surrogate(name) or _has_surrogate(item) for name, item in value.items())
    if isinstance(value, list):
        return any(_has_surrogate(item) for item in value)
    return False
