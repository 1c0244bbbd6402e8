"""What does not fit a JSON Schema, in our own words: one sentence for each keyword."""

from corbie.domain.values import JsonValue, cut_text

_SAID = {
    "const": "{shown} is not {one}",
    "minLength": "{shown} has fewer than {wanted} character{s}",
    "maxLength": "{shown} has more than {wanted} character{s}",
    "minimum": "{shown} is less than {one}",
    "maximum": "{shown} is more than {one}",
    "exclusiveMinimum": "{shown} is not more than {one}",
    "exclusiveMaximum": "{shown} is not less than {one}",
    "multipleOf": "{shown} is no multiple of {one}",
    "minItems": "the list has fewer than {wanted} item{s}",
    "maxItems": "the list has more than {wanted} item{s}",
    "minProperties": "the object has fewer than {wanted} name{s}",
    "maxProperties": "the object has more than {wanted} name{s}",
    "contains": "no item of the list is what one must be",
    "minContains": "fewer than {wanted} item{s} of the list are what so many must be",
    "maxContains": "more than {wanted} item{s} of the list are what no more may be",
    "not": "{shown} is what it must not be",
    "unevaluatedItems": "the list has items that are not accepted",
}


def say_misfit(keyword: str, wanted: JsonValue, shown: str, *, has_forms: bool) -> str:
    """Say why a value, given as it is shown, does not fit a keyword; empty if there is no word.

    `has_forms` tells, of `oneOf`, that each form was refused by itself.
    """
    values = wanted if isinstance(wanted, list) else [wanted]
    match keyword:
        case "type":
            return f"{shown} is {_neither([name_kind(str(kind)) for kind in values])}"
        case "enum":
            return f"{shown} is {_neither([cut_text(one) for one in values])}"
        case "oneOf" if not has_forms:
            return f"{shown} fits more than one of the {len(values)} forms that it may have"
        case "anyOf" | "oneOf":
            return f"{shown} fits none of the {len(values)} forms that it may have"
        case _:
            said = _SAID.get(keyword, "")
            plural = "" if wanted == 1 else "s"
            return said.format(shown=shown, wanted=wanted, one=cut_text(wanted), s=plural)


def name_kind(kind: str) -> str:
    """Name a JSON Schema type as an author would, with its article."""
    names = {"array": "a list", "null": "null", "integer": "an integer", "object": "an object"}
    return names.get(kind, f"a {kind}")


def _neither(kinds: list[str]) -> str:
    if len(kinds) <= 1:
        return f"not {kinds[0]}" if kinds else "nothing that fits"
    return f"neither {', '.join(kinds[:-1])} nor {kinds[-1]}"
