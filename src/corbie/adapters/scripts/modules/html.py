"""`require("html")`: reading HTML with selectolax. A script holds elements by number."""

from collections.abc import Mapping

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from corbie.adapters.scripts.exits import Exits
from corbie.adapters.scripts.faults import Function, ModuleFault
from corbie.adapters.scripts.frames import WHOLE_BYTES_MAX
from corbie.domain.values import JsonValue

ELEMENTS_MAX = 1_000_000
"""Elements a job may have looked at; each is kept until it ends."""


def open_module(exits: Exits) -> Mapping[str, Function]:
    """Give the module's functions for one job."""
    del exits
    elements = _Elements()
    return {
        "parse": elements.parse,
        "all": elements.all,
        "find": elements.find,
        "text": lambda given: elements.get(given).text(deep=True),
        "html": lambda given: elements.get(given).html,
        "attrs": lambda given: dict(elements.get(given).attributes),
        "children": elements.children,
        "parent": elements.parent,
    }


class _Elements:
    """The elements a job has seen, by number."""

    def __init__(self) -> None:
        self._nodes: list[LexborNode] = []
        # A node is part of its parser's memory, which must outlive it.
        self._documents: list[LexborHTMLParser] = []

    def parse(self, given: list[JsonValue]) -> JsonValue:
        text = given[0]
        if not isinstance(text, str):
            message = "html.parse takes a text"
            raise ModuleFault(message, "bad_input")
        if len(text) > WHOLE_BYTES_MAX:
            message = f"html.parse takes at most {WHOLE_BYTES_MAX >> 20} MiB"
            raise ModuleFault(message, "bad_input")
        document = LexborHTMLParser(text)
        self._documents.append(document)
        if document.root is None:
            message = "the text holds no document"
            raise ModuleFault(message, "bad_input")
        return self._keep(document.root)

    def get(self, given: list[JsonValue]) -> LexborNode:
        return self._nodes[int(str(given[0]))]

    def all(self, given: list[JsonValue]) -> JsonValue:
        return [self._keep(node) for node in self._select(given)]

    def find(self, given: list[JsonValue]) -> JsonValue:
        found = self._select(given)
        return self._keep(found[0]) if found else None

    def children(self, given: list[JsonValue]) -> JsonValue:
        return [self._keep(node) for node in self.get(given).iter(include_text=False)]

    def parent(self, given: list[JsonValue]) -> JsonValue:
        parent = self.get(given).parent
        return self._keep(parent) if parent is not None and parent.is_element_node else None

    def _select(self, given: list[JsonValue]) -> list[LexborNode]:
        try:
            return list(self.get(given).css(str(given[1])))
        except (SelectolaxError, ValueError) as error:
            message = f"{str(given[1])[:100]!r} is no CSS selector: {error}"
            raise ModuleFault(message, "bad_input") from error

    def _keep(self, node: LexborNode) -> int:
        if len(self._nodes) >= ELEMENTS_MAX:
            message = f"a job looks at no more than {ELEMENTS_MAX} elements"
            raise ModuleFault(message, "failed")
        self._nodes.append(node)
        return len(self._nodes) - 1
