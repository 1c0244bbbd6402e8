"""Expressions in the scopes of permission entries: where they may stand, and filling them in.

What an expression gives is never a pattern. Source: Permissions and approval, Entries.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from corbie.domain.addresses import parse_address
from corbie.domain.errors import ValueRefused
from corbie.domain.permission_nets import normal_host, parse_port
from corbie.domain.permission_paths import escape_path
from corbie.domain.permissions import KINDS, has_control, parse_entry
from corbie.domain.values import JsonValue, cut_text, kind_of, number_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What an expression gave."""

    value: JsonValue


Part = str | Given

# Stands for an expression while a definition is checked; parses in every kind.
_SAMPLE = "x0given0x"
_SHOWN = "${…}"
_PATH_KINDS = ("fs.read", "fs.write")


def check_entry_parts(parts: Sequence[str | None]) -> list[str]:
    """Give what is wrong with an entry as written; None stands for an expression.

    At most one sentence: where an expression may not stand, or what of the rest cannot be read.
    """
    try:
        kind, scope = _split_kind([Given(value=None) if part is None else part for part in parts])
        samples = [
            part if isinstance(part, str) else Given(value=_sample(kind, scope, index))
            for index, part in enumerate(scope)
        ]
        _fill_scope(kind, samples)
    except ValueRefused as error:
        return [str(error).replace(_SAMPLE, _SHOWN)]
    return []


def _sample(kind: str, scope: Sequence[Part], index: int) -> str:
    if kind == "net" and _before(scope, index).endswith(":"):
        return "443"
    if len(scope) == 1 and kind in _PATH_KINDS:
        return f"/{_SAMPLE}"
    return f"{_SAMPLE}/x" if len(scope) == 1 and kind == "model" else _SAMPLE


def fill_entry(parts: Sequence[Part]) -> str:
    """Give the text of an entry whose expressions gave these values.

    Raises:
        ValueRefused: a value cannot stand where its expression does, or the whole is no entry.
    """
    kind, scope = _split_kind(parts)
    return _fill_scope(kind, scope)


def _split_kind(parts: Sequence[Part]) -> tuple[str, list[Part]]:
    """Give the kind, which is written out, and the parts of the scope."""
    first = parts[0] if parts else ""
    kind, colon, rest = first.partition(":") if isinstance(first, str) else ("", "", "")
    if len(parts) == 1 and isinstance(first, str):
        parse_entry(first)
        return kind, [rest] if colon else []
    if not colon:
        message = "an expression stands only in a scope; write the kind and a colon before it"
        raise ValueRefused(message)
    if kind not in KINDS:
        # Refuses a group, which takes no scope, as well as a kind that does not exist.
        parse_entry(f"{kind}:x")
    return kind, [rest, *parts[1:]] if rest else list(parts[1:])


def _fill_scope(kind: str, scope: Sequence[Part]) -> str:
    if not scope:
        return kind
    pieces = [
        part if isinstance(part, str) else _fill_part(kind, scope, index, part.value)
        for index, part in enumerate(scope)
    ]
    text = f"{kind}:{''.join(pieces)}"
    parse_entry(text)
    return text


def _fill_part(kind: str, scope: Sequence[Part], index: int, value: JsonValue) -> str:
    text = _require_text(kind, value)
    is_whole = len(scope) == 1
    if kind == "net":
        return _fill_net(_before(scope, index), _after(scope, index), text)
    if kind in _PATH_KINDS or (kind == "exec" and isinstance(scope[0], str)):
        return _fill_path(scope, index, text)
    if kind == "exec":
        return escape_path(text) if is_whole and text.startswith("/") else text
    if "*" in text or ("/" in text and not (is_whole and kind == "model")):
        message = f"{cut_text(text)} cannot be part of a scope of {kind}: it has a * or a /"
        raise ValueRefused(message)
    return text


def _require_text(kind: str, value: JsonValue) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return number_text(value)
    if not isinstance(value, str) or not value:
        what = "an empty text" if value == "" else kind_of(value)
        message = f"an expression in a scope of {kind} gave {what}; it must give a text"
        raise ValueRefused(message)
    if has_control(value):
        message = f"an expression in a scope of {kind} gave a text with a control character"
        raise ValueRefused(message)
    return value


def _before(scope: Sequence[Part], index: int) -> str:
    """Give the literal text right before a part; an expression counts as a letter."""
    part = scope[index - 1] if index else ""
    return part if isinstance(part, str) else "x"


def _after(scope: Sequence[Part], index: int) -> str:
    part = scope[index + 1] if index + 1 < len(scope) else ""
    return part if isinstance(part, str) else "x"


def _fill_net(before: str, after: str, text: str) -> str:
    if before.endswith(":") and not after:
        parse_port(text)
        return text
    is_start = not before or before.endswith((".", "["))
    if not is_start or not (not after or after.startswith((".", ":", "]"))):
        message = (
            "an expression in a scope of net stands for a host, for whole labels of one, or for a"
            " port, as in net:${input.host}:443"
        )
        raise ValueRefused(message)
    address = parse_address(text)
    if address is not None and not before.endswith(".") and not after.startswith("."):
        return f"[{text}]" if ":" in text and not before else text
    # With a label after it, so that a label of digits can stand before others.
    host = normal_host(f"{text}.x" if after.startswith(".") else text)
    if host is None:
        message = f"{cut_text(text)} is no host; an expression in a scope of net gives one alone"
        raise ValueRefused(message)
    return host.removesuffix(".x") if after.startswith(".") else host


def _fill_path(scope: Sequence[Part], index: int, text: str) -> str:
    if len(scope) == 1:
        if not text.startswith("/"):
            message = f"{cut_text(text)} is no absolute path; an expression alone must give one"
            raise ValueRefused(message)
        return escape_path(text)
    if not (isinstance(scope[0], str) and scope[0].startswith(("/", "~/"))):
        message = (
            "an expression in a path stands for a segment after a / or ~/ that is written out,"
            " or alone for a whole path"
        )
        raise ValueRefused(message)
    before = _before(scope, index)
    if (len(before) - len(before.rstrip("\\"))) % 2:
        message = r"a backslash stands only before * or another backslash, not before an expression"
        raise ValueRefused(message)
    if "/" in text or text in {".", ".."}:
        message = (
            f"{cut_text(text)} cannot be a segment of a path; an expression there gives one name,"
            " without a slash"
        )
        raise ValueRefused(message)
    return escape_path(text)
