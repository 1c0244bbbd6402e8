"""`JsonSchemaChecker`: JSON Schema 2020-12 on jsonschema, with our own bounds and words.

jsonschema's ways out of the document are closed: the registry is empty, so a remote `$ref`
resolves nowhere; `format` is not checked; patterns go to the function that is handed in.
Source: Definitions, Input shapes; JSON Schema 2020-12.
"""

import itertools
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.protocols import Validator
from jsonschema.validators import extend
from referencing import Registry
from referencing.exceptions import Unresolvable

from corbie.adapters.schema_words import name_kind, say_misfit
from corbie.domain.definitions.subschemas import walk_schemas
from corbie.domain.errors import CorbieError, Refusal
from corbie.domain.ports.schemas import Path
from corbie.domain.values import JsonValue, cut_text, sorted_text

# What jsonschema hands to a keyword's function: no narrower type is published.
Foreign = Any
Keyword = Callable[[Foreign, Foreign, Foreign, Foreign], Iterator[ValidationError]]

# Each level is some four frames of Python's thousand; the bound, not the stack's depth at the
# call, decides, so that every process gives the same answer.
LEVELS_MAX = 150
# References alone can make work grow as a power; this many take a second or two.
REFERENCES_MAX = 100_000
PROBLEMS_MAX = 1_000

_DIALECT = "https://json-schema.org/draft/2020-12/schema"
_APPLICATORS = (
    "$ref",
    "$dynamicRef",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "items",
    "prefixItems",
    "contains",
    "properties",
    "propertyNames",
    "dependentSchemas",
    "unevaluatedItems",
)


class _CannotTell(Refusal):
    """The value cannot be held to the schema; the text says why."""


class _State(threading.local):
    """Where one thread's check is: levels open, references followed, values at each."""

    levels = 0
    references = 0

    def __init__(self) -> None:
        """Begin a thread."""
        self.followed: set[tuple[int, int]] = set()


class JsonSchemaChecker:
    """A `SchemaChecker`; may be used from several threads if `matches` may."""

    def __init__(self, *, matches: Callable[[str, str], bool]) -> None:
        """Take the function that tells whether a JavaScript pattern is found in a text.

        It raises a `CorbieError` for a pattern that is none or takes too long.
        """
        self._matches = matches
        self._state = _State()
        kept = Draft202012Validator.VALIDATORS
        ours: dict[str, Keyword] = {name: self._level(kept[name]) for name in _APPLICATORS}
        for name in ("$ref", "$dynamicRef"):
            ours[name] = self._level(self._once(kept[name]))
        ours["patternProperties"] = self._level(self._pattern_properties)
        ours["additionalProperties"] = self._level(self._additional_properties)
        ours["unevaluatedProperties"] = self._level(self._unevaluated_properties)
        ours["pattern"] = self._pattern
        ours["uniqueItems"] = _unique_items
        ours["required"] = _required
        ours["dependentRequired"] = _dependent_required
        # The types say nothing of what extend gives.
        self._class: Foreign = extend(Draft202012Validator, validators=ours)  # type: ignore[no-untyped-call]
        self._meta = Draft202012Validator(Draft202012Validator.META_SCHEMA)

    def problems_in_schema(self, schema: Mapping[str, JsonValue]) -> list[tuple[Path, str]]:
        """Give what is wrong with a schema."""
        try:
            errors = list(itertools.islice(self._meta.iter_errors(dict(schema)), PROBLEMS_MAX))
        except RecursionError:
            return [((), "nested too deeply to be checked")]
        found = [(tuple(error.absolute_path), _words_of_schema(error)) for error in errors]
        found += [*_wrong_dialects(schema), *self._wrong_patterns(schema)]
        return _in_order(schema, found)

    def problems_in_value(
        self, schema: Mapping[str, JsonValue], value: JsonValue
    ) -> list[tuple[Path, str]]:
        """Give each place where a value does not fit."""
        self._state.levels = self._state.references = 0
        self._state.followed = set()
        validator = self._class(dict(schema), registry=Registry())
        found: list[tuple[Path, str]] = []
        try:
            for error in validator.iter_errors(value):
                found.append((tuple(error.absolute_path), _words(error)))
                if len(found) > PROBLEMS_MAX:
                    found[-1] = ((), f"more than {PROBLEMS_MAX} places do not fit")
                    break
        except RecursionError:
            found.append(((), "nested too deeply to be checked"))
        except Unresolvable as error:
            found.append(((), f'the shape refers to "{error.ref}", which is not in it'))
        except _CannotTell as error:
            found.append(((), str(error)))
        return _in_order(value, found)

    def _level(self, keyword: Keyword) -> Keyword:
        """Give the keyword, counted as a level while it is carried out."""

        def counted(
            validator: Validator, wanted: JsonValue, instance: JsonValue, schema: JsonValue
        ) -> Iterator[ValidationError]:
            state = self._state
            if state.levels >= LEVELS_MAX:
                message = "the shape is nested too deeply to hold a value to it"
                raise _CannotTell(message)
            state.levels += 1
            try:
                yield from keyword(validator, wanted, instance, schema)
            finally:
                state.levels -= 1

        return counted

    def _once(self, keyword: Keyword) -> Keyword:
        """Give the keyword of a reference, which fails a value that it leads back to."""

        def followed(
            validator: Validator, wanted: JsonValue, instance: JsonValue, schema: JsonValue
        ) -> Iterator[ValidationError]:
            state = self._state
            at = (id(schema), id(instance))
            if at in state.followed:
                yield ValidationError(f'the shape\'s "{wanted}" leads back to itself here')
                return
            state.references += 1
            if state.references > REFERENCES_MAX:
                message = f"holding the value to its shape follows over {REFERENCES_MAX} $refs"
                raise _CannotTell(message)
            state.followed.add(at)
            try:
                yield from keyword(validator, wanted, instance, schema)
            finally:
                state.followed.discard(at)

        return followed

    def _found(self, pattern: str, text: str) -> bool:
        try:
            return self._matches(pattern, text)
        except CorbieError as error:
            message = f"the pattern {cut_text(pattern)} cannot be tried: {error}"
            raise _CannotTell(message) from error

    def _pattern(
        self, _: Validator, pattern: str, instance: JsonValue, __: JsonValue
    ) -> Iterator[ValidationError]:
        if isinstance(instance, str) and not self._found(pattern, instance):
            yield ValidationError(f"{cut_text(instance)} does not match {pattern}")

    def _pattern_properties(
        self, validator: Validator, patterns: JsonValue, instance: JsonValue, _: JsonValue
    ) -> Iterator[ValidationError]:
        if not isinstance(instance, dict) or not isinstance(patterns, dict):
            return
        for pattern, schema in patterns.items():
            for name, item in instance.items():
                if self._found(pattern, name):
                    yield from _descend(validator, item, schema, name)

    def _additional_properties(
        self, validator: Validator, wanted: JsonValue, instance: JsonValue, schema: Foreign
    ) -> Iterator[ValidationError]:
        if not isinstance(instance, dict):
            return
        for name in instance:
            if name not in schema.get("properties", {}) and not any(
                self._found(pattern, name) for pattern in schema.get("patternProperties", {})
            ):
                yield from _extra(validator, wanted, instance, name)

    def _unevaluated_properties(
        self, validator: Validator, wanted: JsonValue, instance: JsonValue, schema: JsonValue
    ) -> Iterator[ValidationError]:
        if not isinstance(instance, dict):
            return
        evaluated = self._evaluated(validator, instance, schema)
        for name in instance:
            if name not in evaluated:
                yield from _extra(validator, wanted, instance, name)

    def _evaluated(
        self, validator: Foreign, instance: dict[str, JsonValue], schema: Foreign
    ) -> set[str]:
        """Give the names that a schema, without its `unevaluatedProperties`, looks at."""
        if not isinstance(schema, dict):
            return set()
        names = set(schema.get("properties", {})) & set(instance)
        patterns = schema.get("patternProperties", {})
        names.update(
            name for name in instance if any(self._found(pattern, name) for pattern in patterns)
        )
        if "additionalProperties" in schema:
            return set(instance)
        for inner in _in_place(validator, instance, schema):
            if "unevaluatedProperties" in inner[1]:
                return set(instance)
            names |= self._evaluated(inner[0], instance, inner[1])
        return names

    def _wrong_patterns(self, schema: Mapping[str, JsonValue]) -> Iterator[tuple[Path, str]]:
        for path, part in walk_schemas(dict(schema)):
            if not isinstance(part, dict):
                continue
            pattern = part.get("pattern")
            named = part.get("patternProperties")
            tried = [((*path, "pattern"), pattern)] if isinstance(pattern, str) else []
            if isinstance(named, dict):
                tried += [((*path, "patternProperties", name), name) for name in named]
            for at, text in tried:
                try:
                    self._matches(str(text), "")
                except CorbieError as error:
                    yield at, f"not a JavaScript regular expression: {error}"


def _words(error: ValidationError) -> str:
    if error.schema is False:
        return "nothing fits here"
    keyword = str(error.validator)
    wanted: Foreign = error.validator_value
    shown = cut_text(error.instance)  # type: ignore[arg-type]  # it is set by now
    return say_misfit(keyword, wanted, shown, has_forms=bool(error.context)) or error.message


def _words_of_schema(error: ValidationError) -> str:
    if error.absolute_path and error.absolute_path[-1] == "type":
        shown = cut_text(error.instance)  # type: ignore[arg-type]  # as above
        return f"{shown} is no type of JSON Schema; write one of its seven"
    return f"not JSON Schema: {_words(error)}"


def _descend(
    validator: Foreign, item: JsonValue, schema: JsonValue, name: str
) -> Iterator[ValidationError]:
    return iter(validator.descend(item, schema, path=name, schema_path=name))


def _extra(
    validator: Validator, wanted: JsonValue, instance: dict[str, JsonValue], name: str
) -> Iterator[ValidationError]:
    if wanted is False:
        yield ValidationError("this name is not accepted here", path=[name])
    else:
        yield from _descend(validator, instance[name], wanted, name)


def _in_place(
    validator: Foreign, instance: JsonValue, schema: dict[str, Foreign]
) -> Iterator[tuple[Foreign, dict[str, Foreign]]]:
    """Give the schemas that a schema applies to the same value, and which that value fits."""
    for name in ("$ref", "$dynamicRef"):
        if name in schema:
            resolved = validator._resolver.lookup(schema[name])  # noqa: SLF001 - no public way
            inner = validator.evolve(schema=resolved.contents, _resolver=resolved.resolver)
            if isinstance(resolved.contents, dict):
                yield inner, resolved.contents
    tried = [one for name in ("allOf", "anyOf", "oneOf") for one in schema.get(name, [])]
    for name, one in schema.get("dependentSchemas", {}).items():
        tried += [one] if isinstance(instance, dict) and name in instance else []
    if "if" in schema:
        holds = validator.evolve(schema=schema["if"]).is_valid(instance)
        tried += [schema["if"]] if holds else []
        tried.append(schema.get("then" if holds else "else", True))
    for one in tried:
        if isinstance(one, dict):
            inner = validator.evolve(schema=one)
            if inner.is_valid(instance):
                yield inner, one


def _unique_items(
    _: Validator, wanted: JsonValue, instance: JsonValue, __: JsonValue
) -> Iterator[ValidationError]:
    if not wanted or not isinstance(instance, list):
        return
    first: dict[str, int] = {}
    for index, item in enumerate(instance):
        before = first.setdefault(sorted_text(item), index)
        if before != index:
            yield ValidationError(f"the same as item {before}", path=[index])


def _required(
    _: Validator, names: list[str], instance: JsonValue, schema: Foreign
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    for name in names:
        if name not in instance:
            inner = schema.get("properties", {}).get(name)
            kind = inner.get("type") if isinstance(inner, dict) else None
            wanted = f"; {name_kind(kind)} is needed" if isinstance(kind, str) else ""
            yield ValidationError(f"missing{wanted}", path=[name])


def _dependent_required(
    _: Validator, wanted: dict[str, list[str]], instance: JsonValue, __: JsonValue
) -> Iterator[ValidationError]:
    if not isinstance(instance, dict):
        return
    for name, needed in wanted.items():
        for one in needed if name in instance else ():
            if one not in instance:
                yield ValidationError(f'missing; it goes with "{name}"', path=[one])


def _wrong_dialects(schema: Mapping[str, JsonValue]) -> Iterator[tuple[Path, str]]:
    for path, part in walk_schemas(dict(schema)):
        dialect = part.get("$schema") if isinstance(part, dict) else None
        if isinstance(dialect, str) and dialect.rstrip("#") != _DIALECT:
            yield (*path, "$schema"), "only JSON Schema 2020-12 is read"


def _in_order(whole: Foreign, found: Iterable[tuple[Path, str]]) -> list[tuple[Path, str]]:
    """Sort by where the parts stand in the whole; what is missing comes after what is there."""
    ranks: dict[int, dict[str, int]] = {}

    def rank(one: tuple[Path, str]) -> list[int]:
        places: list[int] = []
        part: Foreign = whole
        for name in one[0]:
            if isinstance(part, Mapping):
                order = ranks.setdefault(id(part), {})
                if not order:
                    order.update({field: index for index, field in enumerate(part)})
                places.append(order.get(str(name), len(order)))
                part = part.get(name)
            else:
                at = int(name)
                places.append(at)
                part = part[at] if isinstance(part, list) and at < len(part) else None
        return places

    return sorted(dict.fromkeys(found), key=rank)
