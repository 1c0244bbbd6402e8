"""libyaml's refusals in plain words, with what to write instead.

libyaml's own sentences stand here only as keys to recognise; one that is not known is given
as it is. Source: Definitions, The file (a syntax error on a line with an unquoted `${`).
"""

import yaml

from corbie.domain.places import Place, Problem

_QUOTE_IT = "put the text with ${…} in quotes"

# What libyaml says (a part of it), what is wrong, what to write.
_WORDS: tuple[tuple[str, str, str], ...] = (
    (
        "mapping values are not allowed",
        'a ":" begins a field where none can stand',
        "put a text that holds a colon and a space in quotes",
    ),
    ("found undefined tag handle", "a tag begins with a handle that is not known", "remove it"),
    (
        "could not find expected ':'",
        "a field's name has no colon behind it",
        'write "name: value", the name in one line',
    ),
    (
        "did not find expected key",
        "this line does not continue the fields above",
        "indent it like them, or under the value it belongs to",
    ),
    (
        "did not find expected '-' indicator",
        "this line does not continue the list above",
        'begin it with "- " at the same column',
    ),
    ("did not find expected ',' or ']'", "a list in [ ] is not closed here", 'write "," or "]"'),
    (
        "did not find expected ',' or '}'",
        "a mapping in { } is not closed here",
        'write "," or "}"',
    ),
    (
        "did not find expected node content",
        "a value is missing here",
        "write one, or close what is open",
    ),
    (
        "found character that cannot start any token",
        "no text can begin with this character",
        "put the text in quotes; indent with spaces, not with tabs",
    ),
    ("tab character", "a tab stands where only spaces may indent", "use spaces"),
    (
        "found unexpected end of stream",
        "a text in quotes is not closed",
        "write the closing quote",
    ),
    (
        "found unexpected document indicator",
        "a text in quotes is not closed",
        "write the closing quote",
    ),
    (
        "found unknown escape character",
        "a \\ in double quotes begins no escape that is known",
        "write \\\\, or use single quotes",
    ),
    (
        "did not find expected hexdecimal number",
        "an escape in double quotes has too few digits",
        'write as many as it takes: "\\x41", "\\u0041"',
    ),
    (
        "found invalid Unicode character escape code",
        "an escape names half of a surrogate pair, or no character",
        "write the character itself",
    ),
    (
        "block sequence entries are not allowed",
        'a list item ("- ") cannot begin here',
        "begin the list on a line of its own",
    ),
    (
        "block collections are not allowed",
        "fields or list items in lines cannot stand in [ ] or { }",
        "write them in the same form as what is around them",
    ),
    ("mapping keys are not allowed", 'a "? " cannot stand here', "put the text in quotes"),
    (
        "did not find expected <document start>",
        "the text goes on after the document's value",
        "indent it under a field, or give it one",
    ),
    ("exceeded maximum nesting depth", "nested more than 200 levels deep", ""),
    ("exceeded maximum depth", "nested more than 200 levels deep", ""),
    (
        "found incompatible YAML document",
        "this %YAML line names a version that is not read",
        "remove it",
    ),
    (
        "directive",
        "a line that begins with % is a directive, and this one is not read",
        "remove it",
    ),
    (
        "found duplicate anchor",
        "an anchor's name stands twice",
        "give it another name",
    ),
    (
        "did not find expected alphabetic or numeric character",
        "the name behind & or * holds more than letters, digits, _ and -",
        "give it another name, or put the text in quotes",
    ),
    (
        "found unexpected ':'",
        'a ":" stands in a text in [ ] or { }',
        "put the text in quotes",
    ),
    (
        "while scanning a block scalar",
        "the line behind | or > holds more than an indentation, + or -",
        "begin the text on the next line",
    ),
    ("tag", "a tag is not well formed", "remove it"),
)


def explain_fault(error: yaml.YAMLError, text: str, file: str) -> Problem:
    """Give the problem that a refusal of the parser stands for."""
    said = str(getattr(error, "problem", None) or error)
    context = str(getattr(error, "context", None) or "")
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line, column = (mark.line, mark.column) if mark is not None else (-1, -1)
    what, mend = _explain(f"{said}\n{context}")
    first = getattr(getattr(error, "context_mark", None), "line", line)
    lines = text.split("\n")
    if 0 <= line < len(lines) and lines[line][column : column + 1] == "\t":
        what, mend = "a tab stands where only spaces may indent", "use spaces"
    # The parser often notices a line late, when the text it took for a value has ended.
    suspects = {line, line - 1, first}
    if any(0 <= number < len(lines) and has_unquoted(lines[number]) for number in suspects):
        mend = _QUOTE_IT
    place = Place(file=file, line=line + 1, column=column + 1)
    return Problem(place=place, what=what, mend=mend)


def has_unquoted(line: str) -> bool:
    """Tell whether a `${` stands in a line outside of quotes and comments."""
    quote = ""
    for index, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            before = line[:index].rstrip()
            # An apostrophe inside an unquoted text opens nothing.
            quote = letter if not before or before[-1] in ":-,[{?" else ""
        elif letter == "#" and line[:index].endswith((" ", "\t")):
            return False
        elif line.startswith("${", index):
            return True
    return False


def _explain(said: str) -> tuple[str, str]:
    for part, what, mend in _WORDS:
        if part in said:
            return what, mend
    return f"not YAML: {said.splitlines()[0]}", ""
