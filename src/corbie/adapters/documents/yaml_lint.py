"""What is refused beyond YAML 1.2, and what libyaml reads otherwise than YAML 1.2 does.

Each check is named for what it refuses; the manual lists them. Positions are libyaml's marks:
`index`, `line` and `column` count characters from 0.
Source: Definitions, The file; YAML 1.2.2.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from corbie.domain.places import Place, Problem

# The first thousand are refusal enough; a file can hold a million.
PROBLEMS_MAX = 1_000

# YAML 1.2.2, 5.1, less U+FEFF, which no editor shows. U+0085, U+2028 and U+2029 are plain
# characters there and line breaks for libyaml.
_REFUSED = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufeff\ufffe\uffff\u2028\u2029]")
_DIRECTIVES = re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n|%[^\n]*\n)*")
_VERSION = re.compile(r"%YAML[ \t]+1\.[0-9]+[ \t]*([ \t]#[^\n]*)?\r?")
_BLOCK_HEADER = re.compile(r"(?:^|[ \t])[|>]([-+0-9]*)(#?)")
_PLAIN_STYLES = frozenset({None, ""})
_QUOTES = frozenset({"'", '"'})
# What libyaml lets stand right behind an anchor's name and YAML 1.2 reads as part of it.
_IN_ANCHOR = frozenset("?:%@`")


def find_refused_character(text: str, file: str) -> list[Problem]:
    """Give a problem for the first character that may not stand in a definition as it is."""
    found = _REFUSED.search(text)
    if found is None:
        return []
    line = text.count("\n", 0, found.start()) + 1
    column = found.start() - text.rfind("\n", 0, found.start())
    what = f"the character U+{ord(found[0]):04X} may not stand in a definition"
    mend = f'in a text in double quotes write "\\u{ord(found[0]):04x}"'
    return [Problem(place=Place(file=file, line=line, column=column), what=what, mend=mend)]


def end_last_line(text: str) -> str:
    """End a last line of spaces with a line break, without which libyaml drops it."""
    last = text.rpartition("\n")[2]
    return text + "\n" if last and not last.strip(" ") else text


@dataclass(slots=True)
class Lint:
    """Looks at each event beside the text that it comes from."""

    text: str
    file: str
    problems: list[Problem] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)
    # Columns of the open block collections; None for one whose first child is still to come.
    _indents: list[int | None] = field(default_factory=list)
    _flow: int = 0
    _flow_line: int = 0
    _end: int = 0

    def __post_init__(self) -> None:
        """Cut the text into lines and look at its directives."""
        self._lines = self.text.split("\n")
        found = _DIRECTIVES.match(self.text)
        for number, line in enumerate(found[0].split("\n") if found else []):
            if line.startswith("%YAML") and not _VERSION.fullmatch(line):
                self._report(number, 0, "this %YAML line is not well formed", "remove it")

    def look(self, event: Any) -> None:  # noqa: ANN401 - PyYAML's events have no types
        """Note what libyaml accepts and YAML 1.2 does not, or reads otherwise."""
        start, end = event.start_mark.index, event.end_mark.index
        match event:
            case yaml.ScalarEvent():
                self._enter(event)
                self._look_at_scalar(event)
            case yaml.AliasEvent():
                self._enter(event)
                self._look_behind_name(end, event.start_mark)
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                self._enter(event)
                self._open(event)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                self._look_between(start)
                self._close(event)
            case _:
                self._look_between(start)
        self._end = max(self._end, end)

    def _enter(self, event: Any) -> None:  # noqa: ANN401 - as above
        """Look at what stands between the last event and this one, and at its anchor."""
        start = event.start_mark
        if self._indents and self._indents[-1] is None:
            line = self._lines[start.line]
            self._indents[-1] = len(line) - len(line.lstrip(" "))
        self._look_between(start.index)
        anchor = None if isinstance(event, yaml.AliasEvent) else event.anchor
        if anchor is not None:
            at = self.text.find(f"&{anchor}", start.index)
            self._look_behind_name(at + 1 + len(anchor), start)

    def _open(self, event: Any) -> None:  # noqa: ANN401 - as above
        start = event.start_mark
        if event.flow_style:
            if not self._flow:
                self._flow_line = start.line
            self._flow += 1
            if self.text[start.index : start.index + 1] == "?":
                self._look_behind_question(start.index)
        elif event.anchor is not None or event.tag is not None:
            # The mark is that of the anchor or tag, on a line before.
            self._indents.append(None)
        else:
            self._indents.append(start.column)

    def _close(self, event: Any) -> None:  # noqa: ANN401 - as above
        if not self._flow:
            self._indents.pop()
            return
        self._flow -= 1
        if not self._flow:
            self._look_at_indents(self._flow_line, event.end_mark.line, has_comments=True)

    def _look_at_scalar(self, event: Any) -> None:  # noqa: ANN401 - as above
        start, end = event.start_mark, event.end_mark
        if event.style in _PLAIN_STYLES:
            if event.value == "-" and event.implicit[0]:
                self._report(start.line, start.column, "a - alone is no text", 'write "-"')
        elif event.style in _QUOTES:
            if end.line > start.line and not self._flow:
                self._look_at_indents(start.line, end.line, has_comments=False)
        else:
            self._look_at_block(start)

    def _look_at_block(self, start: Any) -> None:  # noqa: ANN401 - as above
        """Look at the header of a block scalar and at the blank lines it begins with."""
        found = _BLOCK_HEADER.search(self._lines[start.line][start.column :])
        if found is not None and found[2]:
            self._report(start.line, start.column + found.end() - 1, *_COMMENT)
        if found is not None and any(letter.isdigit() for letter in found[1]):
            return
        blank = 0
        for number in range(start.line + 1, len(self._lines)):
            line = self._lines[number].rstrip("\r")
            indent = len(line) - len(line.lstrip(" "))
            if indent < len(line):
                if self._indent() < indent < blank:
                    what = "the blank lines above are indented further than this first line"
                    self._report(number, indent, what, "remove their spaces")
                return
            blank = max(blank, indent)

    def _look_at_indents(self, first: int, last: int, *, has_comments: bool) -> None:
        """Refuse the lines of a text or flow collection that stand left of what holds it."""
        least = self._indent() + 1
        for number in range(first + 1, last + 1):
            line = self._lines[number]
            rest = line.lstrip(" ")
            blank = not rest.strip()
            if blank or (has_comments and rest.lstrip("\t").startswith("#")):
                continue
            if len(line) - len(rest) < least:
                what = "this line belongs to the value above and is not indented under it"
                plural = "" if least == 1 else "s"
                self._report(number, 0, what, f"begin it with {least} space{plural} or more")
                return

    def _look_between(self, index: int) -> None:
        """Look at indicators and comments that stand before the index."""
        gap = self.text[self._end : index]
        if "#" not in gap and "?" not in gap:
            return
        at = self._end
        for piece in gap.split("\n"):
            mark = piece.find("#")
            before = self.text[at + mark - 1 : at + mark]
            if mark >= 0 and before and not before.isspace():
                self._report(*self._spot(at + mark), *_COMMENT)
            asked = piece.find("?") if self._flow else -1
            is_asked = asked >= 0 and (mark < 0 or asked < mark)
            if is_asked:
                self._look_behind_question(at + asked)
            at += len(piece) + 1
        self._end = max(self._end, index)

    def _look_behind_question(self, index: int) -> None:
        behind = self.text[index + 1 : index + 2]
        if behind and not behind.isspace():
            what = "a ? with no space behind it begins a text for YAML 1.2"
            self._report(*self._spot(index), what, "quote the text")

    def _look_behind_name(self, index: int, start: Any) -> None:  # noqa: ANN401 - as above
        if self.text[index : index + 1] in _IN_ANCHOR:
            what = "the name behind & or * holds more than letters, digits, _ and -"
            self._report(start.line, start.column, what, "give it another name")

    def _indent(self) -> int:
        """Give the column of the innermost block collection, -1 outside of all."""
        if not self._indents:
            return -1
        return self._indents[-1] or 0

    def _spot(self, index: int) -> tuple[int, int]:
        line = self.text.count("\n", 0, index)
        return line, index - self.text.rfind("\n", 0, index) - 1

    def _report(self, line: int, column: int, what: str, mend: str) -> None:
        if len(self.problems) >= PROBLEMS_MAX:
            return
        place = Place(file=self.file, line=line + 1, column=column + 1)
        self.problems.append(Problem(place=place, what=what, mend=mend))


_COMMENT = ("a # that begins a comment has a space before it", "write a space before #")
