"""Texts split into literal and `${…}` parts, and trees of them.

Source: Values and expressions.
"""

from dataclasses import dataclass

from typing_extensions import TypeAliasType

from corbie.domain.places import Place


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
