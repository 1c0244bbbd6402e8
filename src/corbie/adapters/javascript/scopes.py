"""What an expression's tree reads: free names, honouring JavaScript's scopes.

Knows tree-sitter's node types; `syntax` knows texts. A node type that is not listed here is
refused, so that a construct nobody thought of is refused too. Source: Values and expressions.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from tree_sitter import Node

REFUSED = {
    "await_expression": "await cannot be used; values are here already",
    "yield_expression": "yield cannot be used; write a list",
    "generator_function": "a generator cannot be used; write a function that gives a list",
    "generator_function_declaration": (
        "a generator cannot be used; write a function that gives a list"
    ),
    "import": "import cannot be used; an expression reads only its names",
    "class": "class cannot be used; write an object",
    "class_declaration": "class cannot be used; write an object",
    "this": "this cannot be used; write the name of the value",
    "super": "super cannot be used; write the name of the value",
    "meta_property": "new.target and import.meta cannot be used",
    "using_declaration": "using cannot be used; write const",
    "private_property_identifier": "a private name cannot be used; write a plain name",
    "debugger_statement": "debugger cannot be used",
    "with_statement": "with cannot be used; write the name of the value",
}
ASYNC = "async cannot be used; write a plain function"
GENERATOR = REFUSED["generator_function"]
ARGUMENTS = "arguments cannot be used; write parameters, as in (...list) => list"
ESCAPED = "an escape cannot stand in a name; write the letter itself"
HTML_COMMENT = "<!-- and --> cannot stand here; put a space in between"
ASSIGNED = "{name} cannot be assigned to; an expression may change only what it declares itself"
UNKNOWN = "{type} cannot stand in an expression"

_PLAIN = frozenset(
    [
        "arguments",
        "array",
        "binary_expression",
        "break_statement",
        "call_expression",
        "computed_property_name",
        "continue_statement",
        "do_statement",
        "else_clause",
        "expression_statement",
        "finally_clause",
        "if_statement",
        "labeled_statement",
        "new_expression",
        "object",
        "pair",
        "program",
        "return_statement",
        "sequence_expression",
        "spread_element",
        "switch_case",
        "switch_default",
        "switch_statement",
        "template_string",
        "template_substitution",
        "ternary_expression",
        "throw_statement",
        "try_statement",
        "unary_expression",
        "while_statement",
    ]
)
_LEAVES = frozenset(
    [
        "comment",
        "empty_statement",
        "escape_sequence",
        "false",
        "null",
        "number",
        "optional_chain",
        "regex",
        "string",
        "string_fragment",
        "true",
        "undefined",
    ]
)


class TreeRefused(Exception):
    """The tree holds what no expression may use; `offset` is in bytes."""

    def __init__(self, what: str, offset: int) -> None:
        """Hold what it is and where it stands."""
        super().__init__(what)
        self.what = what
        self.offset = offset


@dataclass(slots=True)
class _Scope:
    """Names declared in one function or block."""

    parent: "_Scope | None" = None
    is_function: bool = False
    names: set[str] = field(default_factory=set)

    def holds(self, name: str) -> bool:
        """Tell whether the name is declared here or around here."""
        scope: _Scope | None = self
        while scope is not None:
            if name in scope.names:
                return True
            scope = scope.parent
        return False

    def function(self) -> "_Scope":
        """Give the scope that a `var` here is declared in."""
        scope = self
        while not scope.is_function and scope.parent is not None:
            scope = scope.parent
        return scope


@dataclass(frozen=True, slots=True)
class _Use:
    name: str
    scope: _Scope
    offset: int
    member: str | None
    is_assigned: bool


# What an identifier met on the way is: read (None), assigned to (ASSIGN), or declared in a scope.
_ASSIGN = _Scope()
_Target = _Scope | None


def find_uses(root: Node) -> tuple[tuple[str, str | None, int], ...]:
    """Give each use of a free name as (name, member or None, offset in bytes), in order.

    Raises:
        TreeRefused: the tree holds what no expression may use.
    """
    walk = _Walk(root)
    walk.run()
    free: list[tuple[str, str | None, int]] = []
    for use in sorted(walk.uses, key=lambda one: one.offset):
        if use.scope.holds(use.name):
            continue
        if use.name == "arguments":
            raise TreeRefused(ARGUMENTS, use.offset)
        if use.is_assigned:
            raise TreeRefused(ASSIGNED.format(name=use.name), use.offset)
        free.append((use.name, use.member, use.offset))
    return tuple(free)


class _Walk:
    """Goes through a tree without recursion: 16 KiB of brackets nest deep."""

    def __init__(self, root: Node) -> None:
        self.uses: list[_Use] = []
        self._root = root
        self._stack: list[tuple[Node, _Scope, _Target]] = []

    def run(self) -> None:
        """Visit every node."""
        self._stack.append((self._root, _Scope(is_function=True), None))
        while self._stack:
            node, scope, target = self._stack.pop()
            kind = node.type
            handler = _HANDLERS.get(kind)
            if handler is not None:
                handler(self, node, scope, target)
            elif kind in _PLAIN:
                self._push(node.named_children, scope)
            elif kind in _LEAVES:
                continue
            elif kind in REFUSED:
                raise TreeRefused(REFUSED[kind], node.start_byte)
            else:
                raise TreeRefused(UNKNOWN.format(type=kind.replace("_", " ")), node.start_byte)

    def _push(self, nodes: list[Node], scope: _Scope, target: _Target = None) -> None:
        for node in reversed(nodes):
            self._stack.append((node, scope, target))

    def _push_field(self, node: Node, name: str, scope: _Scope, target: _Target = None) -> None:
        child = node.child_by_field_name(name)
        if child is not None:
            self._stack.append((child, scope, target))

    def _use(
        self, node: Node, scope: _Scope, *, member: str | None = None, is_assigned: bool = False
    ) -> None:
        name = _name_text(node)
        self.uses.append(
            _Use(
                name=name,
                scope=scope,
                offset=node.start_byte,
                member=member,
                is_assigned=is_assigned,
            )
        )

    def name(self, node: Node, scope: _Scope, target: _Target) -> None:
        """Note a name where it is read, assigned to or declared."""
        if target is None or target is _ASSIGN:
            self._use(node, scope, is_assigned=target is _ASSIGN)
        else:
            target.names.add(_name_text(node))

    def label(self, node: Node, _scope: _Scope, _target: _Target) -> None:
        """Pass over the name of a member or a label."""
        _name_text(node)

    def member(self, node: Node, scope: _Scope, _target: _Target) -> None:
        """Note `NAME.member`, with or without `?.`."""
        below = node.child_by_field_name("object")
        prop = node.child_by_field_name("property")
        if prop is not None and below is not None and below.type == "identifier":
            self._use(below, scope, member=_name_text(prop))
            below = None
        self._push([one for one in (below, prop) if one is not None], scope)

    def subscript(self, node: Node, scope: _Scope, _target: _Target) -> None:
        """Note `NAME["member"]`, with or without `?.`."""
        below = node.child_by_field_name("object")
        index = node.child_by_field_name("index")
        if below is not None and index is not None and below.type == "identifier":
            self._use(below, scope, member=_plain_string(index))
            below = None
        self._push([one for one in (below, index) if one is not None], scope)

    def passed_on(self, node: Node, scope: _Scope, target: _Target) -> None:
        """Take the children for what the node itself is."""
        self._push(node.named_children, scope, target)

    def default(self, node: Node, scope: _Scope, target: _Target) -> None:
        """Visit a pattern with a default, which is read."""
        self._push_field(node, "right", scope)
        self._push_field(node, "left", scope, target)

    def pair_pattern(self, node: Node, scope: _Scope, target: _Target) -> None:
        """Visit `key: pattern`."""
        self._push_field(node, "value", scope, target)
        self._push_field(node, "key", scope)

    def assignment(self, node: Node, scope: _Scope, _target: _Target) -> None:
        """Visit an assignment, with or without an operator."""
        self._push_field(node, "right", scope)
        self._push_field(node, "left", scope, _ASSIGN)

    def update(self, node: Node, scope: _Scope, _target: _Target) -> None:
        """Visit `++` or `--`; the engine reads `<!--` and `-->` as comments in places."""
        text = node.text or b""
        source = self._root.text or b""
        if text.startswith(b"--") and source[: node.start_byte].endswith(b"<!"):
            raise TreeRefused(HTML_COMMENT, node.start_byte - 2)
        if text.endswith(b"--") and source.startswith(b">", node.end_byte):
            raise TreeRefused(HTML_COMMENT, node.end_byte - 2)
        self._push_field(node, "argument", scope, _ASSIGN)

    def block(self, node: Node, scope: _Scope, _target: _Target) -> None:
        """Visit a block in a scope of its own."""
        self._push(node.named_children, _Scope(scope))

    def declaration(self, node: Node, scope: _Scope, _target: _Target) -> None:
        """Declare the names of `let`, `const` or `var`."""
        target = scope.function() if node.type == "variable_declaration" else scope
        for declarator in node.named_children:
            if declarator.type == "variable_declarator":
                self._push_field(declarator, "value", scope)
                self._push_field(declarator, "name", scope, target)

    def loop(self, node: Node, scope: _Scope, _target: _Target) -> None:
        """Visit `for (a in b)` or `for (a of b)`."""
        if any(child.type == "await" for child in node.children):
            raise TreeRefused(REFUSED["await_expression"], node.start_byte)
        inner = _Scope(scope)
        kind = node.child_by_field_name("kind")
        target = _ASSIGN if kind is None else inner
        if kind is not None and kind.text == b"var":
            target = inner.function()
        for name in ("body", "right", "value"):
            self._push_field(node, name, inner)
        self._push_field(node, "left", inner, target)

    def catch(self, node: Node, scope: _Scope, _target: _Target) -> None:
        """Declare what is caught for the block."""
        inner = _Scope(scope)
        self._push_field(node, "body", inner)
        self._push_field(node, "parameter", inner, inner)

    def function(self, node: Node, scope: _Scope, _target: _Target) -> None:
        """Visit a function: its name outside or around, its parameters, then its body."""
        for child in node.children:
            if child.type == "async":
                raise TreeRefused(ASYNC, child.start_byte)
            if child.type == "*":
                raise TreeRefused(GENERATOR, child.start_byte)
        outer = scope
        if node.type == "function_expression":
            outer = _Scope(scope)
        inner = _Scope(outer, is_function=True)
        self._push_field(node, "body", _Scope(inner, is_function=True))
        self._push_field(node, "parameters", inner, inner)
        self._push_field(node, "parameter", inner, inner)
        is_named_by_key = node.type == "method_definition"
        self._push_field(node, "name", outer, None if is_named_by_key else outer)


_Handler = Callable[[_Walk, Node, _Scope, _Target], None]
_HANDLERS: dict[str, _Handler] = {
    "identifier": _Walk.name,
    "shorthand_property_identifier": _Walk.name,
    "shorthand_property_identifier_pattern": _Walk.name,
    "property_identifier": _Walk.label,
    "statement_identifier": _Walk.label,
    "member_expression": _Walk.member,
    "subscript_expression": _Walk.subscript,
    "parenthesized_expression": _Walk.passed_on,
    "formal_parameters": _Walk.passed_on,
    "object_pattern": _Walk.passed_on,
    "array_pattern": _Walk.passed_on,
    "rest_pattern": _Walk.passed_on,
    "assignment_pattern": _Walk.default,
    "object_assignment_pattern": _Walk.default,
    "pair_pattern": _Walk.pair_pattern,
    "assignment_expression": _Walk.assignment,
    "augmented_assignment_expression": _Walk.assignment,
    "update_expression": _Walk.update,
    "statement_block": _Walk.block,
    "switch_body": _Walk.block,
    "for_statement": _Walk.block,
    "lexical_declaration": _Walk.declaration,
    "variable_declaration": _Walk.declaration,
    "for_in_statement": _Walk.loop,
    "catch_clause": _Walk.catch,
    "arrow_function": _Walk.function,
    "function_expression": _Walk.function,
    "function_declaration": _Walk.function,
    "method_definition": _Walk.function,
}


def _name_text(node: Node) -> str:
    if node.type == "private_property_identifier":
        raise TreeRefused(REFUSED[node.type], node.start_byte)
    text = (node.text or b"").decode()
    if "\\" in text:
        raise TreeRefused(ESCAPED, node.start_byte)
    return text


def _plain_string(node: Node) -> str | None:
    """Give a quoted text's own characters, None if it is none or has escapes."""
    if node.type != "string" or any(one.type == "escape_sequence" for one in node.children):
        return None
    return (node.text or b"").decode()[1:-1]
