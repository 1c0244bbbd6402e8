"""Where the schemas inside a JSON Schema stand, and what they refer to.

Source: JSON Schema 2020-12, core 10 and 11; Definitions, Input shapes.
"""

from collections.abc import Iterator, Mapping

from corbie.domain.ports.schemas import Path
from corbie.domain.values import JsonValue

JSON_TYPES: tuple[JsonValue, ...] = (
    "string",
    "number",
    "integer",
    "boolean",
    "array",
    "object",
    "null",
)

_MAPPINGS = frozenset(
    {"properties", "patternProperties", "$defs", "definitions", "dependentSchemas"}
)
_LISTS = frozenset({"allOf", "anyOf", "oneOf", "prefixItems"})
_SINGLES = frozenset(
    {
        "items",
        "contains",
        "additionalProperties",
        "propertyNames",
        "not",
        "if",
        "then",
        "else",
        "unevaluatedItems",
        "unevaluatedProperties",
        "contentSchema",
    }
)


def walk_schemas(schema: JsonValue, path: Path = ()) -> Iterator[tuple[Path, JsonValue]]:
    """Give the schema and every schema inside it with its path, outer before inner."""
    open_ones: list[tuple[Path, JsonValue]] = [(path, schema)]
    while open_ones:
        at, one = open_ones.pop()
        yield at, one
        if isinstance(one, dict):
            open_ones.extend(reversed(list(_inside(at, one))))


def find_missing_refs(schema: Mapping[str, JsonValue]) -> Iterator[tuple[Path, str]]:
    """Give the path of each `$ref` that leads nowhere or out of the shape, and what it does."""
    whole = dict(schema)
    anchors: set[str] = set()
    refs: list[tuple[Path, str]] = []
    for path, one in walk_schemas(whole):
        if not isinstance(one, dict):
            continue
        if path and "$id" in one:
            # References below resolve against it; the checker alone can follow them.
            return
        anchors.update(str(one[name]) for name in ("$anchor", "$dynamicAnchor") if name in one)
        refs.extend(
            ((*path, name), ref)
            for name in ("$ref", "$dynamicRef")
            if isinstance(ref := one.get(name), str)
        )
    for path, ref in refs:
        if not ref.startswith("#"):
            yield path, f'"{ref[:80]}" leads out of this shape'
        elif not _leads_somewhere(whole, ref[1:], anchors):
            yield path, f'"{ref[:80]}" leads nowhere in this shape'


def move_refs(schema: JsonValue, pointer: str) -> JsonValue:
    """Give a schema as it is written inside another at a pointer: `#` then means itself."""
    if not isinstance(schema, dict) or "$id" in schema:
        return schema
    moved: dict[str, JsonValue] = {}
    for name, value in schema.items():
        if name in {"$ref", "$dynamicRef"} and isinstance(value, str):
            is_pointer = value == "#" or value.startswith("#/")
            moved[name] = f"#{pointer}{value[1:]}" if is_pointer else value
        elif name in _MAPPINGS and isinstance(value, dict):
            moved[name] = {one: move_refs(inner, pointer) for one, inner in value.items()}
        elif name in _LISTS and isinstance(value, list):
            moved[name] = [move_refs(inner, pointer) for inner in value]
        elif name in _SINGLES:
            moved[name] = move_refs(value, pointer)
        else:
            moved[name] = value
    return moved


def pointer_to(path: Path) -> str:
    """Write a path as a JSON pointer in a URI fragment. Source: RFC 6901, 3 and 6."""
    return "".join("/" + _escape(str(part)) for part in path)


def _inside(path: Path, schema: Mapping[str, JsonValue]) -> Iterator[tuple[Path, JsonValue]]:
    for name, value in schema.items():
        if name in _MAPPINGS and isinstance(value, dict):
            yield from (((*path, name, one), inner) for one, inner in value.items())
        elif name in _LISTS and isinstance(value, list):
            yield from (((*path, name, index), inner) for index, inner in enumerate(value))
        elif name in _SINGLES:
            yield (*path, name), value


def _leads_somewhere(whole: JsonValue, fragment: str, anchors: set[str]) -> bool:
    if not fragment:
        return True
    if not fragment.startswith("/"):
        return fragment in anchors
    part: JsonValue = whole
    for piece in fragment[1:].split("/"):
        name = _unescape(piece)
        if isinstance(part, dict) and name in part:
            part = part[name]
        elif isinstance(part, list) and name.isdecimal() and int(name) < len(part):
            part = part[int(name)]
        else:
            return False
    return isinstance(part, dict | bool)


# A URI fragment may hold any of these as they are. Source: RFC 3986, 3.5.
_PLAIN = frozenset(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._!$&'()*+,;=:@?"
)


def _escape(name: str) -> str:
    pointed = name.replace("~", "~0").replace("/", "~1")
    return "".join(
        letter if letter in _PLAIN or letter == "~" else _percent(letter) for letter in pointed
    )


def _percent(letter: str) -> str:
    return "".join(f"%{byte:02X}" for byte in letter.encode("utf-8", "surrogatepass"))


def _unescape(piece: str) -> str:
    head, *rest = piece.split("%")
    encoded = bytearray(head.encode("utf-8", "surrogatepass"))
    for one in rest:
        try:
            encoded.append(int(one[:2], 16))
            encoded.extend(one[2:].encode("utf-8", "surrogatepass"))
        except ValueError:
            encoded.extend(b"%" + one.encode("utf-8", "surrogatepass"))
    text = encoded.decode("utf-8", "replace")
    return text.replace("~1", "/").replace("~0", "~")
