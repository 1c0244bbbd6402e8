"""The parser's events to values with places, one event at a time, without recursion.

Source: Definitions, The file.
"""

from dataclasses import dataclass, field
from typing import Any, NoReturn

import yaml

from corbie.adapters.documents.yaml_scalars import (
    COLLECTION_TAGS,
    TAG_PREFIX,
    refused_tag,
    resolve_plain,
    resolve_tagged,
)
from corbie.domain.errors import ValueRefused
from corbie.domain.places import DefinitionRefused, Place, Problem, join_path
from corbie.domain.values import DEPTH_MAX, JsonValue, cut_text, kind_of

ALIAS_FREE_NODES = 1_000
ALIAS_FACTOR_MAX = 100
PROBLEMS_MAX = 1_000
# Aliases double a size at every line; past this it only has to stay a small integer.
_SIZE_CAP = 10**12


@dataclass(slots=True)
class Node:
    """A value, where it stands (from 1), and the nodes inside it.

    `fields` maps a field's name to its line, its column and the value's node. `size` counts
    nodes and `depth` levels as if every alias were written out.
    """

    value: JsonValue
    line: int
    column: int
    fields: dict[str, tuple[int, int, "Node"]] | None = None
    items: list["Node"] | None = None
    size: int = 1
    depth: int = 0
    is_merge: bool = False


@dataclass(slots=True)
class _Open:
    """A collection whose end is not read yet; `key` is a name that waits for its value."""

    node: Node
    anchor: str | None
    key: Node | None = None


@dataclass(slots=True)
class Composer:
    """Takes the events of one document; `problems` are those that still leave a value."""

    file: str
    problems: list[Problem] = field(default_factory=list)
    root: Node | None = None
    _stack: list[_Open] = field(default_factory=list)
    _anchors: dict[str, Node] = field(default_factory=dict)
    _documents: int = 0
    _written: int = 0

    def take(self, event: Any) -> None:  # noqa: ANN401 - PyYAML's events have no types
        """Carry one event into the nodes."""
        match event:
            case yaml.ScalarEvent():
                self._take_scalar(event)
            case yaml.AliasEvent():
                self._take_alias(event)
            case yaml.SequenceStartEvent() | yaml.MappingStartEvent():
                self._open(event)
            case yaml.SequenceEndEvent() | yaml.MappingEndEvent():
                self._close()
            case yaml.DocumentStartEvent():
                self._start_document(event)
            case _:
                pass

    def finish(self) -> Node:
        """Give the document's node.

        Raises:
            DefinitionRefused: no document, or aliases that make too much.
        """
        root = self.root
        if root is None:
            mend = 'a definition begins with its type and name, as in "flow: digest"'
            self._stop(Node(None, 1, 1), "the file is empty", mend)
        if root.size > ALIAS_FREE_NODES and root.size > ALIAS_FACTOR_MAX * self._written:
            what = (
                f"aliases make more than {ALIAS_FACTOR_MAX} times the {self._written} values"
                " that are written"
            )
            self._stop(root, what, "write the values out")
        return root

    def _start_document(self, event: Any) -> None:  # noqa: ANN401 - as above
        self._documents += 1
        if self._documents > 1:
            node = _node_at(event, None)
            self._stop(node, "a second document begins", "write one document in a file")

    def _take_scalar(self, event: Any) -> None:  # noqa: ANN401 - as above
        node = _node_at(event, event.value)
        is_plain = event.implicit[0]
        try:
            if event.tag is not None:
                node.value = resolve_tagged(event.tag, event.value)
            elif is_plain:
                node.value = resolve_plain(event.value)
        except ValueRefused as error:
            what, _, mend = str(error).partition("; ")
            self._report(node, what, mend)
        node.is_merge = is_plain and event.value == "<<"
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        self._written += 1
        self._attach(node, node)

    def _take_alias(self, event: Any) -> None:  # noqa: ANN401 - as above
        written = _node_at(event, None)
        self._written += 1
        target = self._anchors.get(event.anchor)
        if target is None:
            self._report(written, f"no &{event.anchor} stands before *{event.anchor}")
            target = written
        elif any(frame.node is target for frame in self._stack):
            self._report(written, f"*{event.anchor} contains itself", "write the value out")
            target = written
        self._attach(target, written)

    def _open(self, event: Any) -> None:  # noqa: ANN401 - as above
        is_list = isinstance(event, yaml.SequenceStartEvent)
        node = _node_at(event, [] if is_list else {})
        if is_list:
            node.items = []
        else:
            node.fields = {}
        name = COLLECTION_TAGS["list" if is_list else "object"]
        if event.tag not in {None, "!", TAG_PREFIX + name}:
            what, _, mend = refused_tag(event.tag).partition("; ")
            self._report(node, what, mend)
        if len(self._stack) >= DEPTH_MAX:
            self._stop(node, f"nested more than {DEPTH_MAX} levels deep", "")
        self._written += 1
        if event.anchor is not None:
            self._anchors[event.anchor] = node
        self._stack.append(_Open(node, event.anchor))

    def _close(self) -> None:
        node = self._stack.pop().node
        self._attach(node, node)

    def _attach(self, node: Node, written: Node) -> None:
        """Put a finished node, written at a place of its own, into what is open around it."""
        if not self._stack:
            self.root = node
            return
        frame = self._stack[-1]
        if frame.node.items is not None:
            self._grow(frame.node, node, written)
            frame.node.items.append(_placed(node, written))
            if isinstance(frame.node.value, list):
                frame.node.value.append(node.value)
        elif frame.key is None:
            frame.key = _placed(node, written)
        else:
            self._add_field(frame, frame.key, node, written)

    def _add_field(self, frame: _Open, key: Node, node: Node, written: Node) -> None:
        outer = frame.node
        name = key.value
        if key.is_merge:
            self._report(key, "the merge key << is not read", "write the fields")
        elif not isinstance(name, str):
            self._report(key, f"a field's name is a text, not {_shown(name)}", _quoted(name))
        elif outer.fields is None or name in outer.fields:
            first = outer.fields[name][0] if outer.fields else 0
            what = f'the field "{name[:60]}" stands twice'
            self._report(key, what, f"the first is in line {first}")
        elif isinstance(outer.value, dict):
            outer.fields[name] = (key.line, key.column, _placed(node, written))
            outer.value[name] = node.value
        self._grow(outer, node, written)
        frame.key = None

    def _grow(self, outer: Node, node: Node, written: Node) -> None:
        outer.size = min(outer.size + node.size, _SIZE_CAP)
        outer.depth = max(outer.depth, node.depth + 1)
        if outer.depth > DEPTH_MAX:
            self._stop(written, f"nested more than {DEPTH_MAX} levels deep by its aliases", "")

    def _report(self, node: Node, what: str, mend: str = "") -> None:
        if len(self.problems) >= PROBLEMS_MAX:
            self._stop(node, f"more than {PROBLEMS_MAX} problems; reading stops here", "")
        self.problems.append(Problem(place=self._place(node), what=what, mend=mend))

    def _stop(self, node: Node, what: str, mend: str) -> NoReturn:
        # Without a path: the deepest ones would fill pages.
        place = Place(file=self.file, line=node.line, column=node.column)
        last = Problem(place=place, what=what, mend=mend)
        raise DefinitionRefused([*self.problems, last])

    def _place(self, node: Node) -> Place:
        path = ""
        for frame in self._stack:
            if frame.node.items is not None:
                path = join_path(path, len(frame.node.items))
            elif frame.key is not None and isinstance(frame.key.value, str):
                path = join_path(path, frame.key.value)
        return Place(file=self.file, line=node.line, column=node.column, path=path)


def _node_at(event: Any, value: JsonValue) -> Node:  # noqa: ANN401 - as above
    mark = event.start_mark
    return Node(value, mark.line + 1, mark.column + 1)


def _placed(node: Node, written: Node) -> Node:
    """Give the node as it stands where it is written: an alias has a place of its own."""
    if node is written:
        return node
    return Node(
        node.value,
        written.line,
        written.column,
        node.fields,
        node.items,
        node.size,
        node.depth,
        node.is_merge,
    )


def _shown(value: JsonValue) -> str:
    if isinstance(value, list | dict):
        return f"a {kind_of(value)}"
    return f"the {kind_of(value)} {cut_text(value)}" if value is not None else "null or nothing"


def _quoted(value: JsonValue) -> str:
    return "" if isinstance(value, list | dict | None) else f'write "{cut_text(value)}"'
