"""Scopes that are paths: their grammar, what they match, and which covers which.

A backslash makes the `*` or backslash after it literal. Source: Permissions and approval, Entries.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from corbie.domain.errors import ValueRefused

SCOPE_LENGTH_MAX = 4096
WILDCARDS_MAX = 32
COVER_STEPS_MAX = 200_000
"""Pairs of positions looked at to compare two path scopes; people's scopes need tens."""

# Path patterns. A segment is a tuple of one-character literals and of _ANY; the segment
# _DEEP stands for any number of segments; _HOME, as a literal, is the runner's home.
_ANY = ""
_HOME = "~/"
_OTHER = "\0"
_DEEP = ("**",)
Segment = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PathScope:
    """A path pattern, segment by segment."""

    segments: tuple[Segment, ...]

    @property
    def is_pattern(self) -> bool:
        """Whether it can name more than one path."""
        return any(_ANY in part or part == _DEEP for part in self.segments)

    @property
    def literal_folder(self) -> str:
        """The deepest folder that every path it names is in."""
        parts: list[str] = []
        for part in self.segments[:-1]:
            if _ANY in part or part == _DEEP:
                break
            parts.append("".join(part))
        return "/" + "/".join(parts)


@lru_cache(maxsize=4096)
def parse_path_scope(scope: str, home: str = "") -> PathScope:
    """Read an absolute path with `*` and `**`, or one below `~`, which is `home` if that is given.

    Raises:
        ValueRefused: another form.
    """
    if len(scope) > SCOPE_LENGTH_MAX or scope.count("*") > WILDCARDS_MAX:
        message = (
            f"at most {SCOPE_LENGTH_MAX} characters and {WILDCARDS_MAX} * can stand in a scope"
        )
        raise ValueRefused(message)
    if scope == "~" or scope.startswith("~/"):
        rest = _segments(scope[1:]) if len(scope) > 1 else ()
        start = tuple((*part,) for part in home.split("/") if part) if home else ((_HOME,),)
        return PathScope((*start, *rest))
    if not scope.startswith("/"):
        message = f'"{scope}" is no absolute path; begin it with / or ~/'
        raise ValueRefused(message)
    return PathScope(() if scope == "/" else _segments(scope))


def _segments(text: str) -> tuple[Segment, ...]:
    return tuple(_segment(part, text) for part in text[1:].split("/"))


def _segment(part: str, whole: str) -> Segment:
    if part in {"", ".", ".."}:
        message = (
            f'"{whole}" has an empty, . or .. segment; write the path without it, and /**'
            " at the end for all that is below it"
        )
        raise ValueRefused(message)
    if part == "**":
        return _DEEP
    tokens = tuple(_tokens(part))
    if any(pair == (_ANY, _ANY) for pair in pairwise(tokens)):
        message = f'"{part}" is no segment; ** stands alone between slashes, * within a segment'
        raise ValueRefused(message)
    return tokens


def _tokens(part: str) -> Iterator[str]:
    rest = iter(part)
    for letter in rest:
        if letter != "\\":
            yield _ANY if letter == "*" else letter
            continue
        escaped = next(rest, "")
        if escaped not in {"\\", "*"}:
            message = r"a backslash in a scope stands only before * or another backslash"
            raise ValueRefused(message)
        yield escaped


def escape_path(text: str) -> str:
    """Give a path or part of one as a scope that matches nothing else."""
    return text.replace("\\", "\\\\").replace("*", "\\*")


def matches_path(pattern: PathScope, path: str) -> bool:
    """Tell whether an absolute path in its shortest form is one that a pattern names."""
    segments = pattern.segments
    at = _past_deep(segments, {0})
    for part in path.split("/")[1:] if path != "/" else ():
        after: set[int] = set()
        for index in at:
            if index == len(segments):
                continue
            if segments[index] == _DEEP:
                after.add(index)
            elif _fits(segments[index], part):
                after.add(index + 1)
        at = _past_deep(segments, after)
    return len(segments) in at


def _past_deep(segments: tuple[Segment, ...], at: set[int]) -> set[int]:
    """Add what follows each `**` reached, since it may stand for no segment."""
    for index in sorted(at):
        after = index
        while after < len(segments) and segments[after] == _DEEP:
            after += 1
            at.add(after)
    return at


@lru_cache(maxsize=4096)
def _fits(segment: Segment, name: str) -> bool:
    """Tell whether a segment's pattern names a name: first and last piece, others in order."""
    pieces = _pieces(segment)
    if len(pieces) == 1:
        return name == pieces[0]
    first, last = pieces[0], pieces[-1]
    at, end = len(first), len(name) - len(last)
    if at > end or not (name.startswith(first) and name.endswith(last)):
        return False
    for piece in pieces[1:-1]:
        found = name.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True


def _pieces(segment: Segment) -> list[str]:
    pieces = [""]
    for token in segment:
        if token == _ANY:
            pieces.append("")
        else:
            pieces[-1] += token
    return pieces


def covers_path(one: PathScope, other: PathScope) -> bool:
    """Tell whether every path that the other pattern names is named by the one.

    Decided on the patterns: every way through the other is followed, with the places where the
    one can then be. Raises ValueRefused past COVER_STEPS_MAX.
    """
    letters = {token for part in (*one.segments, *other.segments) for token in part}
    alphabet = (letters - {_ANY, "**", "/"}) | {_OTHER}
    begin = (_closure(other, frozenset({(0, -1)})), _closure(one, frozenset({(0, -1)})), False)
    seen = {begin}
    todo = [begin]
    while todo:
        theirs, ours, is_fresh = todo.pop()
        if not is_fresh and _accepts(other, theirs) and not _accepts(one, ours):
            return False
        # A segment is never empty: right after a slash no other one and no end is possible.
        for letter in alphabet if is_fresh else (*alphabet, "/"):
            next_theirs = _advance(other, theirs, letter)
            if not next_theirs:
                continue
            pair = (next_theirs, _advance(one, ours, letter), letter == "/")
            if pair not in seen:
                seen.add(pair)
                todo.append(pair)
        if len(seen) > COVER_STEPS_MAX:
            message = "two scopes have too many * to be compared; write them with fewer"
            raise ValueRefused(message)
    return True


# Where a reader of a pattern can be: before segment i (i, -1), or in it, before token j (i, j).
_Spot = tuple[int, int]


def _closure(pattern: PathScope, spots: frozenset[_Spot]) -> frozenset[_Spot]:
    """Add the spots reached without reading: over a `*` or `**`, and past a segment's end."""
    found = set(spots)
    todo = list(spots)
    while todo:
        index, inner = todo.pop()
        segments = pattern.segments
        step: _Spot | None = None
        if index < len(segments):
            if inner == -1:
                step = (index + 1, -1) if segments[index] == _DEEP else None
            elif segments[index] == _DEEP:
                step = (index, -1)
            elif inner == len(segments[index]):
                step = (index + 1, -1)
            elif segments[index][inner] == _ANY:
                step = (index, inner + 1)
        if step is not None and step not in found:
            found.add(step)
            todo.append(step)
    return frozenset(found)


def _advance(pattern: PathScope, spots: frozenset[_Spot], letter: str) -> frozenset[_Spot]:
    """Give the spots after one more character."""
    after: set[_Spot] = set()
    for index, inner in spots:
        if index >= len(pattern.segments):
            continue
        segment = pattern.segments[index]
        if letter == "/":
            if inner == -1:
                after.add((index, 0))
        elif inner == -1:
            continue
        elif segment == _DEEP:
            after.add((index, 0))
        elif inner < len(segment):
            token = segment[inner]
            if token == _ANY and letter != _HOME:
                after.add((index, inner))
            elif token == letter:
                after.add((index, inner + 1))
    return _closure(pattern, frozenset(after))


def _accepts(pattern: PathScope, spots: frozenset[_Spot]) -> bool:
    return (len(pattern.segments), -1) in spots
