"""One mapping held to its model: the good fields as the model has them, a problem for each other.

pydantic's own words speak of Python; ours are here. Source: Definitions, The file.
"""

from collections.abc import Iterator, Mapping
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from corbie.adapters.documents.models import (
    LATER,
    MENDS,
    WHERE,
    DefinitionFields,
    Fields,
    FullFields,
)
from corbie.domain.definitions.check import PlaceOf
from corbie.domain.places import Place, Problem, nearest_name
from corbie.domain.ports.schemas import Path
from corbie.domain.values import JsonValue, cut_text, kind_of

F = TypeVar("F", bound=Fields)

_STANDINS: Mapping[str, JsonValue] = {"stages": {}, "job": None, "engine": "quickjs"}
"""What stands for a required field that is missing or wrong; a text is empty."""


def read_fields(
    model: type[F], written: JsonValue, path: Path, place_of: PlaceOf
) -> tuple[F, list[Problem]]:
    """Give the fields of a mapping, defaults for those that are wrong, and every problem.

    A field with nothing behind it counts as not written.
    """
    problems: list[Problem] = []
    fields: dict[str, JsonValue] = {}
    if isinstance(written, dict):
        known = model.model_fields
        fields = {
            name: value for name, value in written.items() if value is not None or name not in known
        }
    else:
        place = place_of(path, False)  # noqa: FBT003 - the port's form
        what = f"{_say_value(written)} stands where a mapping of fields must"
        problems.append(Problem(place=place, what=what, mend=_mend_of(path)))
    try:
        return model.model_validate(fields), problems
    except ValidationError as error:
        wrong = error.errors(include_url=False, include_context=True)
    if isinstance(written, dict):
        # A job of a kind that is not read yet lacks nothing else.
        is_later = any(name in LATER.get(model, ()) for name in fields)
        problems += [
            _explain(model, one, path, place_of)
            for one in wrong
            if not (is_later and one["type"] == "missing")
        ]
    bad = {str(one["loc"][0]) for one in wrong}
    good = {name: value for name, value in fields.items() if name not in bad}
    required = {name for name, field in model.model_fields.items() if field.is_required()}
    for name in required - set(good):
        good[name] = _STANDINS.get(name, "")
    return model.model_validate(good), problems


def _explain(model: type[Fields], error: ErrorDetails, path: Path, place_of: PlaceOf) -> Problem:
    """Give the problem that an error of pydantic's stands for."""
    loc = error["loc"]
    name = str(loc[0])
    at = (*path, *loc)
    if error["type"] == "extra_forbidden":
        return _explain_unknown(model, name, path, place_of)
    if error["type"] == "missing":
        place = place_of(path, False)  # noqa: FBT003 - the port's form
        return Problem(place=place, what=f'the field "{name}" is missing', mend=_mend_of(at))
    place = place_of(at, False)  # noqa: FBT003 - the port's form
    return Problem(place=place, what=_say_wrong(error), mend=_mend_of(at))


def _explain_unknown(model: type[Fields], name: str, path: Path, place_of: PlaceOf) -> Problem:
    there = place_of((*path, name), True)  # noqa: FBT003 - the port's form
    mapping = place_of(path, False).path  # noqa: FBT003 - the port's form
    place = Place(file=there.file, line=there.line, column=there.column, path=mapping)
    kind = DefinitionFields if model is FullFields else model
    if name in LATER.get(kind, ()):
        what = f'"{name}" is not supported by this version of corbie yet'
        return Problem(place=place, what=what)
    what = f'unknown field "{name[:60]}"'
    owners = [WHERE[other] for other in _owners(name)]
    near = nearest_name(name, [*model.model_fields, *LATER.get(kind, ())])
    if near:
        mend = f'did you mean "{near}"?'
    elif owners:
        mend = f"it is a field of {' and of '.join(owners)}"
    else:
        mend = f"the fields of {WHERE.get(kind, 'this')} are {', '.join(model.model_fields)}"
    return Problem(place=place, what=what, mend=mend)


def _owners(name: str) -> Iterator[type[Fields]]:
    return (kind for kind in WHERE if name in kind.model_fields or name in LATER[kind])


def _say_wrong(error: ErrorDetails) -> str:
    value: JsonValue = error["input"]
    shown = _say_value(value)
    match error["type"]:
        case "string_type":
            return f"{shown} stands where a text must"
        case "list_type":
            return f"{shown} stands where a text or a list of texts must"
        case "dict_type":
            return f"{shown} stands where a mapping must"
        case "int_type" | "int_from_float" | "greater_than_equal" | "less_than_equal":
            return f"{shown} stands where a whole number from 0 or none must"
        case _:
            return f"{shown} does not stand right here: {error['msg']}"


def _say_value(value: JsonValue) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, list | dict):
        return f"{'an' if isinstance(value, dict) else 'a'} {_kind(value)}"
    return f"the {kind_of(value)} {cut_text(value)}"


def _kind(value: JsonValue) -> str:
    return "mapping" if isinstance(value, dict) else kind_of(value)


def _mend_of(path: Path) -> str:
    """Give what to write in the innermost field of a path that has advice."""
    for part in reversed(path[-2:]):
        if isinstance(part, str):
            return MENDS.get(part, "")
    return ""
