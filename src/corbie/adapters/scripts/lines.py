"""Which file and line of the author's a line of the engine is.

The engine names every source `<input>`, so each file is evaluated on lines of its own: after as
many empty lines as the files before it have. Module shapes have lines too, but no name.
"""

import re
from dataclasses import dataclass, field

STACK_LINES_MAX = 50

_FRAME = re.compile(r"^\s*at (?:(?P<function>.+?) \()?<input>:(?P<line>\d+):(?P<column>\d+)\)?$")


@dataclass(frozen=True, slots=True)
class _Range:
    first: int
    last: int
    file: str | None


@dataclass(slots=True)
class LineMap:
    """The lines given out so far."""

    _ranges: list[_Range] = field(default_factory=list)

    def place(self, file: str | None, text: str, head: str = "", tail: str = "") -> str:
        """Give a text as the engine is to read it: on free lines, `head` on one before it."""
        free = self._ranges[-1].last + 3 if self._ranges else 1
        before = 1 if head else 0
        first = free + before
        self._ranges.append(_Range(first, first + text.count("\n"), file))
        return "\n" * (free - 1) + (f"{head}\n" if head else "") + text + tail

    def find(self, line: int) -> tuple[str, int] | None:
        """Give the author's file and line; None for a line of Corbie's own.

        The wrapper's last line is the file's: an error there is one of its end.
        """
        for one in self._ranges:
            if one.first <= line <= one.last + 1:
                return None if one.file is None else (one.file, min(line, one.last) - one.first + 1)
        return None

    def is_past_end(self, line: int) -> bool:
        """Tell whether a line is the wrapper's last."""
        return any(one.file is not None and line == one.last + 1 for one in self._ranges)

    def read_stack(self, stack: str) -> tuple[str | None, str]:
        """Give the innermost place in the author's files, and the stack in the author's terms."""
        place: str | None = None
        kept: list[str] = []
        frames = stack.splitlines()[: 2 * STACK_LINES_MAX]
        for index, frame in enumerate(frames):
            found = _FRAME.match(frame)
            after = frames[index + 1] if index + 1 < len(frames) else ""
            # A text that is no JSON is told with its own line, as if it were a source.
            if found is None or (found["function"] is None and after.endswith("at parse (native)")):
                continue
            spot = self.find(int(found["line"]))
            if spot is not None:
                where = f"{spot[0]}:{spot[1]}:{found['column']}"
                place = place or where
                function = found["function"]
                named = function is not None and function not in {"<anonymous>", "<eval>"}
                kept.append(f"at {function} ({where})" if named else f"at {where}")
        return place, "\n".join(kept[:STACK_LINES_MAX])

    def ends_early(self, stack: str) -> bool:
        """Tell whether a syntax error was found past a file's end: something is not closed."""
        found = _FRAME.match(stack.splitlines()[0]) if stack.strip() else None
        return found is not None and self.is_past_end(int(found["line"]))
