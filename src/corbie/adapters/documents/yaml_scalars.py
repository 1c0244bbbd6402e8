"""Plain texts and tags as YAML 1.2's core schema reads them, and nothing of YAML 1.1.

Source: YAML 1.2.2, 10.3.2; Definitions, The file.
"""

import math
import re

from corbie.domain.errors import ValueRefused
from corbie.domain.values import INTEGER_MAX, JsonValue

TAG_PREFIX = "tag:yaml.org,2002:"
COLLECTION_TAGS = {"list": "seq", "object": "map"}

_WORDS: dict[str, JsonValue] = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_INTEGER = re.compile(r"[-+]?[0-9]+")
_OTHER_BASE = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_NO_JSON = re.compile(r"[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)")
_MAYBE_NUMBER = frozenset("0123456789+-.")
# 309 digits are past every double, so no longer text need be counted.
_DIGITS_MAX = 400


def resolve_plain(text: str) -> JsonValue:
    """Give the value of an unquoted text.

    Raises:
        ValueRefused: an integer past ±(2^53-1), infinity or not-a-number.
    """
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _MAYBE_NUMBER:
        return text
    if _INTEGER.fullmatch(text):
        return _integer(text, 10)
    if _OTHER_BASE.fullmatch(text):
        return _integer(text[2:], 8 if text[1] == "o" else 16)
    if _FLOAT.fullmatch(text):
        return _double(text)
    if _NO_JSON.fullmatch(text):
        message = f"{text} is no JSON number"
        raise ValueRefused(message)
    return text


def resolve_tagged(tag: str, text: str) -> JsonValue:
    """Give the value of a text whose tag an author wrote.

    Raises:
        ValueRefused: the tag is not of the core schema, or the text does not fit it.
    """
    name = tag.removeprefix(TAG_PREFIX)
    if tag in {"!", TAG_PREFIX + "str"}:
        return text
    if not tag.startswith(TAG_PREFIX) or name not in {"null", "bool", "int", "float"}:
        raise ValueRefused(refused_tag(tag))
    value = resolve_plain(text)
    fits = {
        "null": value is None,
        "bool": isinstance(value, bool),
        "int": isinstance(value, int) and not isinstance(value, bool),
        "float": isinstance(value, int | float) and not isinstance(value, bool),
    }
    if not fits[name]:
        message = f'"{text[:40]}" is no !!{name}'
        raise ValueRefused(message)
    return value


def refused_tag(tag: str) -> str:
    """Say that a tag is not one of the core schema's."""
    short = tag.replace(TAG_PREFIX, "!!", 1)
    return f"the tag {short[:60]} is not read; remove it"


def _integer(digits: str, radix: int) -> int:
    number = int(digits, radix) if len(digits) < _DIGITS_MAX else INTEGER_MAX + 1
    if abs(number) > INTEGER_MAX:
        message = f"the integer {digits[:40]} is past ±(2^53-1); write it in quotes, as a text"
        raise ValueRefused(message)
    return number


def _double(text: str) -> int | float:
    number = float(text)
    if math.isinf(number):
        message = f"the number {text[:40]} is past what a double holds"
        raise ValueRefused(message)
    return int(number) if number.is_integer() and abs(number) <= INTEGER_MAX else number
