"""Lets no `try` swallow a limit: how deep a stack or how full a memory is differs by machine.

Each `catch` first hands what it caught to a function of the border, which remembers a limit;
an evaluation that met one fails, whatever it made of it. Source: Values and expressions.
"""

from tree_sitter import Node, Parser

from corbie.adapters.javascript.syntax import LANGUAGE, RESERVED

NOTE = f"{RESERVED}note"
"""The parameter under which a compiled expression finds that function."""

_CAUGHT = f"{RESERVED}caught"


def guard_catches(source: str) -> str:
    """Give the source with a call at the head of each `catch`; it was found well formed."""
    if "try" not in source:
        return source
    code = f"({source})".encode()
    inserts: list[tuple[int, int, str]] = []
    waiting = [Parser(LANGUAGE).parse(code).root_node]
    while waiting:
        node = waiting.pop()
        if node.type == "try_statement":
            inserts.extend(_inserts(node))
        waiting.extend(node.named_children)
    for start, end, text in sorted(inserts, reverse=True):
        code = code[:start] + text.encode() + code[end:]
    return code.decode()[1:-1]


def _inserts(node: Node) -> list[tuple[int, int, str]]:
    """Give what to write in place of which bytes of one `try`."""
    handler = node.child_by_field_name("handler")
    if handler is None:
        body = node.child_by_field_name("body")
        at = body.end_byte if body is not None else node.end_byte
        return [(at, at, f"catch({_CAUGHT}){{{NOTE}({_CAUGHT});throw {_CAUGHT};}}")]
    parameter = handler.child_by_field_name("parameter")
    body = handler.child_by_field_name("body")
    if body is None:
        return []
    head = body.start_byte + 1
    if parameter is None:
        at = body.start_byte
        return [(at, at, f"({_CAUGHT})"), (head, head, f"{NOTE}({_CAUGHT});")]
    name = (parameter.text or b"").decode()
    if parameter.type == "identifier":
        return [(head, head, f"{NOTE}({name});")]
    return [
        (parameter.start_byte, parameter.end_byte, _CAUGHT),
        (head, head, f"{NOTE}({_CAUGHT});let {name}={_CAUGHT};"),
    ]
