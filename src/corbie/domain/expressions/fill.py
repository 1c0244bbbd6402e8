"""Templates filled in: a value or a text from each, or a fault that says where.

What has no expression is given as it is, and no engine is asked.
Source: Values and expressions.
"""

from collections.abc import Mapping

from corbie.domain.errors import ExpressionFault
from corbie.domain.expressions.template import Expression, Template, Tree
from corbie.domain.ports.evaluator import ExpressionScope
from corbie.domain.values import JsonValue, stable_text

More = Mapping[str, JsonValue] | None
"""Names that only these expressions read, as `item` and `index`."""

# A fault stands in a step's record and on a screen; the place leads to the whole.
_SHOWN_MAX = 200


class FillFault(ExpressionFault):
    """An expression failed at a place: `PATH: what in ${source}`."""

    def __init__(self, fault: ExpressionFault, *, path: str) -> None:
        """Hold the fault and the path of the text that its expression stands in."""
        source = " ".join(fault.source.split())
        shown = source if len(source) <= _SHOWN_MAX else source[: _SHOWN_MAX - 1] + "…"
        where = f"{path}: " if path else ""
        super().__init__(
            f"{where}{fault.what} in ${{{shown}}}", source=fault.source, offset=fault.offset
        )
        self.path = path


def fill_tree(tree: Tree, scope: ExpressionScope, more: More = None) -> JsonValue:
    """Give a tree with each template's value in its place.

    Raises:
        FillFault: an expression failed; the first in the order written.
    """
    match tree:
        case Template():
            if tree.is_whole and isinstance(tree.parts[0], Expression):
                return fill_expression(tree.parts[0], scope, more)
            return fill_text(tree, scope, more)
        case list():
            return [fill_tree(item, scope, more) for item in tree]
        case dict():
            return {name: fill_tree(item, scope, more) for name, item in tree.items()}
        case _:
            return tree


def fill_text(text: str | Template, scope: ExpressionScope, more: More = None) -> str:
    """Give a text in which null is nothing, a text is as it is, anything else compact JSON.

    Raises:
        FillFault: an expression failed.
    """
    if isinstance(text, str):
        return text
    return "".join(
        part if isinstance(part, str) else _shown(fill_expression(part, scope, more))
        for part in text.parts
    )


def fill_condition(expression: Expression, scope: ExpressionScope, more: More = None) -> bool:
    """Tell whether JavaScript takes an expression's value for true: a list always is.

    Raises:
        FillFault: the expression failed.
    """
    value = fill_expression(expression, scope, more)
    return bool(value) or isinstance(value, list | dict)


def fill_expression(expression: Expression, scope: ExpressionScope, more: More = None) -> JsonValue:
    """Give one expression's value.

    Raises:
        FillFault: the expression failed.
    """
    try:
        return scope.evaluate(expression.source, more)
    except ExpressionFault as fault:
        raise FillFault(fault, path=expression.place.path) from fault


def _shown(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else stable_text(value)
