"""Texts split into literal and `${…}` parts, and trees of them.

Parsing asks the engine where an expression ends and whether it is well formed; which names may
be read where is `scope`'s. Source: Values and expressions.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from typing_extensions import TypeAliasType

from corbie.domain.errors import ExpressionFault
from corbie.domain.places import DefinitionRefused, Place, Problem
from corbie.domain.ports.evaluator import Evaluator
from corbie.domain.values import JsonValue, kind_of

OPEN = "${"
ESCAPED = "$${"
# Long enough to find the expression by, short enough for one line.
_SHOWN_MAX = 60

ValuePath = tuple[str | int, ...]
"""Names and indexes that lead from the top of a tree to a part of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """One JavaScript expression, without its `${` and `}`, and where an author wrote it.

    `place.path` is the path of the text it stands in.
    """

    source: str
    place: Place


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A text with at least one expression.

    `parts` are literal texts and expressions in order. A template of one expression alone
    (`is_whole`) takes its value and type; any other makes a text.
    """

    parts: tuple[str | Expression, ...]
    is_whole: bool


Tree = TypeAliasType(
    "Tree", "None | bool | int | float | str | Template | list[Tree] | dict[str, Tree]"
)
"""A value as an author wrote it: JSON with templates in place of texts that hold expressions."""


def parse_tree(
    value: JsonValue, place_of: Callable[[ValuePath], Place], evaluator: Evaluator
) -> tuple[Tree, list[Problem]]:
    """Give a value with its texts parsed, and every problem in them.

    `place_of` gives the place of the part at a path; a text with a problem stays as written.
    """
    problems: list[Problem] = []

    def walk(part: JsonValue, path: ValuePath) -> Tree:
        if isinstance(part, str):
            if OPEN not in part:
                return part
            try:
                return parse_text(part, place_of(path), evaluator)
            except DefinitionRefused as refused:
                problems.extend(refused.problems)
                return part
        if isinstance(part, list):
            return [walk(item, (*path, index)) for index, item in enumerate(part)]
        if isinstance(part, dict):
            return {name: walk_field(name, item, (*path, name)) for name, item in part.items()}
        return part

    def walk_field(name: str, item: JsonValue, path: ValuePath) -> Tree:
        if OPEN in name:
            what = "the name of a field takes no expression"
            problems.append(Problem(place=place_of(path), what=what, mend="write the name itself"))
        return walk(item, path)

    return walk(value, ()), problems


def parse_text(text: str, place: Place, evaluator: Evaluator) -> str | Template:
    """Give a text's parts, or the text it writes where it holds no expression.

    Raises:
        DefinitionRefused: an expression is not well formed; each problem of the text.
    """
    if OPEN not in text:
        return text
    parts: list[str | Expression] = []
    problems: list[Problem] = []
    literal, at = "", 0
    while (found := text.find(OPEN, at)) >= 0:
        if found > at and text[found - 1] == "$":
            literal += text[at : found - 1] + OPEN
            at = found + len(OPEN)
            continue
        literal += text[at:found]
        start = found + len(OPEN)
        try:
            end = evaluator.find_end(text, start)
        except ExpressionFault as fault:
            # Where this one ends is not known, so nothing after it is read.
            raise DefinitionRefused([*problems, _problem(fault, place)]) from fault
        source = text[start:end]
        try:
            evaluator.read_names(source)
        except ExpressionFault as fault:
            problems.append(_problem(fault, place))
        if literal:
            parts.append(literal)
        parts.append(Expression(source=source, place=place))
        literal, at = "", end + 1
    if problems:
        raise DefinitionRefused(problems)
    literal += text[at:]
    return _assemble(parts, literal)


def parse_expression(value: JsonValue, place: Place, evaluator: Evaluator) -> Expression:
    """Give the one expression that a value such as `when:` is.

    Raises:
        DefinitionRefused: it is something else, or not well formed.
    """
    parsed = parse_text(value, place, evaluator) if isinstance(value, str) else None
    if isinstance(parsed, Template) and parsed.is_whole and isinstance(parsed.parts[0], Expression):
        return parsed.parts[0]
    shown = "a text" if isinstance(value, str) else f"a value of kind {kind_of(value)}"
    what = f"{shown} stands where one expression must"
    raise DefinitionRefused([Problem(place=place, what=what, mend="write it as ${…}")])


def format_tree(tree: Tree) -> JsonValue:
    """Give the value as an author writes it; parsing that gives an equal tree."""
    match tree:
        case Template():
            return format_template(tree)
        case str():
            return tree.replace(OPEN, ESCAPED)
        case list():
            return [format_tree(item) for item in tree]
        case dict():
            return {name: format_tree(item) for name, item in tree.items()}
        case _:
            return tree


def format_template(template: Template) -> str:
    """Give the text of a template as an author writes it."""
    return "".join(
        part.replace(OPEN, ESCAPED) if isinstance(part, str) else f"{OPEN}{part.source}}}"
        for part in template.parts
    )


def expressions_in(tree: Tree) -> Iterator[Expression]:
    """Yield every expression of a tree, in the order written."""
    match tree:
        case Template():
            yield from (part for part in tree.parts if isinstance(part, Expression))
        case list():
            for item in tree:
                yield from expressions_in(item)
        case dict():
            for item in tree.values():
                yield from expressions_in(item)
        case _:
            return


def _assemble(parts: list[str | Expression], rest: str) -> str | Template:
    """Give what the parts and the text after the last one make."""
    if not parts:
        return rest
    around = [part for part in (*parts, rest) if isinstance(part, str)]
    alone = [part for part in parts if isinstance(part, Expression)]
    if len(alone) == 1 and not "".join(around).strip():
        return Template(parts=(alone[0],), is_whole=True)
    return Template(parts=(*parts, rest) if rest else tuple(parts), is_whole=False)


def _problem(fault: ExpressionFault, place: Place) -> Problem:
    source = " ".join(fault.source.split())
    shown = source if len(source) <= _SHOWN_MAX else source[: _SHOWN_MAX - 1] + "…"
    where = "" if not fault.offset else f" at character {fault.offset + 1}"
    what, _, mend = fault.what.partition("; ")
    return Problem(place=place, what=f"{what}{where} in ${{{shown}}}", mend=mend)
