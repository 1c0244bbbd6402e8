"""Input shapes: the short form to JSON Schema, defaults, and what an input must fit.

Source: Definitions, Input shapes.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from corbie.domain.definitions.subschemas import (
    JSON_TYPES,
    find_missing_refs,
    move_refs,
    pointer_to,
    walk_schemas,
)
from corbie.domain.places import Place, Problem, join_path, nearest_name
from corbie.domain.ports.schemas import Path, SchemaChecker
from corbie.domain.values import JsonValue, cut_text, kind_of

Schema = dict[str, JsonValue]
"""A JSON Schema 2020-12 whose `$ref`s resolve inside itself."""

PlaceOf = Callable[[Path], Place]

_WORDS = {
    "string": "string",
    "number": "number",
    "integer": "integer",
    "boolean": "boolean",
    "list": "array",
    "object": "object",
}
_MEND = "write string, number, integer, boolean, list, object or any, [TYPE], or a mapping"
# Brackets nest, so the length bounds the depth; no honest type comes near.
WORD_LENGTH_MAX = 100
_WHOLE = "https://corbie.invalid/shape"


def make_schema(
    shape: JsonValue, place_of: PlaceOf, checker: SchemaChecker
) -> tuple[Schema, list[Problem]]:
    """Give the JSON Schema of a shape as written, and every problem of it.

    `place_of` gives the place of a part of the shape.
    """
    maker = _Maker(place_of=place_of)
    if not isinstance(shape, dict):
        what = f"a shape is a mapping of each name to its type, not a {kind_of(shape)}"
        maker.report((), what, "write NAME: TYPE")
        return {"type": "object"}, maker.problems
    if shape.get("type") == "object":
        schema = maker.keep(shape, (), ())
    else:
        schema = maker.make_names(shape, (), ())
    maker.check(schema, checker)
    return schema, maker.problems


def fill_defaults(schema: Mapping[str, JsonValue] | None, value: JsonValue) -> JsonValue:
    """Give the value with the defaults of missing names, outermost first."""
    if schema is None:
        return value
    if isinstance(value, dict):
        properties = schema.get("properties")
        return _fill_names(properties, value) if isinstance(properties, dict) else value
    items = schema.get("items")
    if not isinstance(value, list) or not isinstance(items, dict):
        return value
    prefix = schema.get("prefixItems")
    first = len(prefix) if isinstance(prefix, list) else 0
    return [*value[:first], *(fill_defaults(items, item) for item in value[first:])]


def problems_in_input(
    schema: Mapping[str, JsonValue] | None, value: JsonValue, checker: SchemaChecker
) -> list[str]:
    """Give every place where an input with its defaults filled in does not fit its shape.

    Each as `input.urls[3]: 7 is not a string`, in the order of the input.
    """
    if schema is None:
        return []
    return [
        f"{_show(('input', *path))}: {what}"
        for path, what in checker.problems_in_value(schema, value)
    ]


@dataclass(slots=True)
class _Maker:
    """Makes one schema. Paths come in pairs: in the shape as written, and in the schema."""

    place_of: PlaceOf
    problems: list[Problem] = field(default_factory=list)
    # Path in the schema to the path in the shape, of each part that is JSON Schema as written.
    kept: dict[Path, Path] = field(default_factory=dict)

    def report(self, path: Path, what: str, mend: str = "") -> None:
        """Note a problem of a part of the shape."""
        self.problems.append(Problem(place=self.place_of(path), what=what, mend=mend))

    def keep(self, part: Mapping[str, JsonValue], path: Path, made: Path) -> Schema:
        """Give JSON Schema as written, its references moved to where it comes to stand."""
        self.kept[made] = path
        moved = move_refs(dict(part), pointer_to(made))
        return moved if isinstance(moved, dict) else {}

    def make_names(self, names: Mapping[str, JsonValue], path: Path, made: Path) -> Schema:
        """Give the schema of an object with these names."""
        properties: Schema = {}
        required: list[JsonValue] = []
        for name, written in names.items():
            at = (*path, name)
            schema, is_required = self._make_type(written, at, (*made, "properties", name))
            properties[name] = schema
            if is_required:
                required.append(name)
        found: Schema = {"type": "object", "properties": properties}
        return {**found, "required": required} if required else found

    def check(self, schema: Schema, checker: SchemaChecker) -> None:
        """Note what is wrong with the schema as JSON Schema, its references and its defaults."""
        found = [
            *checker.problems_in_schema(schema),
            *find_missing_refs(schema),
            *_misplaced_defaults(schema),
        ]
        for path, what in found:
            self.report(self._written(path), what)
        if found or self.problems:
            # A default cannot be held to a schema that does not stand.
            return
        for path, default in _defaults(schema):
            for inner, what in _problems_in_default(schema, path, default, checker):
                text = f"the default does not fit: {what}"
                self.report((*self._written(path), "default", *inner), text)

    def _written(self, path: Path) -> Path:
        """Give where in the shape a part of the schema was written."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.kept:
                return (*self.kept[path[:length]], *path[length:])
        return ()

    def _make_type(self, written: JsonValue, path: Path, made: Path) -> tuple[Schema, bool]:
        """Give the schema of a type, and whether a value must be there."""
        match written:
            case str():
                return self._make_word(written, path)
            case [one]:
                inner, _ = self._make_type(one, (*path, 0), (*made, "items"))
                return {"type": "array", "items": inner}, True
            case dict() if written.get("type") in JSON_TYPES:
                return self.keep(written, path, made), "default" not in written
            case dict():
                return self.make_names(written, path, made), True
            case list():
                what = f"a list of {len(written)} types"
                self.report(path, what, "write [TYPE], with the one type of its items")
            case _:
                self.report(path, f"{cut_text(written)} is no type", _MEND)
        return {}, False

    def _make_word(self, word: str, path: Path) -> tuple[Schema, bool]:
        optional = word.endswith("?")
        kind = word[:-1] if optional else word
        if len(word) > WORD_LENGTH_MAX:
            self.report(path, f'"{word[:20]}…" is no type', _MEND)
            return {}, False
        if kind == "any":
            return {}, False
        if kind.startswith("[") and kind.endswith("]"):
            inner, _ = self._make_word(kind[1:-1], path)
            schema: Schema = {"type": "array", "items": inner}
        elif kind in _WORDS:
            schema = {"type": _WORDS[kind]}
        else:
            near = nearest_name(kind, [*_WORDS, "any"])
            mend = f'did you mean "{near}{"?" if optional else ""}"?' if near else _MEND
            self.report(path, f'"{word[:60]}" is no type', mend)
            return {}, False
        if optional:
            schema["type"] = [schema["type"], "null"]
        return schema, not optional


def _fill_names(properties: Schema, value: Schema) -> Schema:
    filled = dict(value)
    for name, schema in properties.items():
        if not isinstance(schema, dict):
            continue
        if name not in filled:
            if "default" not in schema:
                continue
            filled[name] = schema["default"]
        filled[name] = fill_defaults(schema, filled[name])
    return filled


def _defaults(schema: Schema, path: Path = ()) -> Iterator[tuple[Path, JsonValue]]:
    """Give the path of each schema whose default is filled in, and the default."""
    properties = schema.get("properties")
    if isinstance(properties, dict):
        for name, inner in properties.items():
            if not isinstance(inner, dict):
                continue
            at = (*path, "properties", name)
            if "default" in inner:
                yield at, inner["default"]
            yield from _defaults(inner, at)
    items = schema.get("items")
    if isinstance(items, dict):
        yield from _defaults(items, (*path, "items"))


def _misplaced_defaults(schema: Schema) -> Iterator[tuple[Path, str]]:
    filled = {path for path, _ in _defaults(schema)}
    for path, inner in walk_schemas(schema):
        if isinstance(inner, dict) and "default" in inner and path not in filled:
            what = "a default here is never filled in; one stands on a name under properties"
            yield (*path, "default"), what


def _problems_in_default(
    schema: Schema, path: Path, default: JsonValue, checker: SchemaChecker
) -> list[tuple[Path, str]]:
    """Hold a default, with the defaults inside it, to the schema that it stands in."""
    part: JsonValue = schema
    for name in path:
        if isinstance(part, dict) and isinstance(name, str):
            part = part[name]
    if not isinstance(part, dict):
        return []
    alone = not any(
        isinstance(one, dict) and ("$ref" in one or "$dynamicRef" in one)
        for _, one in walk_schemas(part)
    )
    # References resolve in the whole shape, so it comes along under a name.
    held: Schema = part
    if not alone:
        held = {
            "$ref": f"{_WHOLE}#{pointer_to(path)}",
            "$defs": {"shape": {"$id": _WHOLE, **schema}},
        }
    return list(checker.problems_in_value(held, fill_defaults(part, default)))


def _show(path: Path) -> str:
    shown = ""
    for part in path:
        shown = join_path(shown, part)
    return shown
