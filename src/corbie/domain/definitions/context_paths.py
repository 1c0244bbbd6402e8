"""Paths as a definition or a script writes them, made into paths below the context.

Source: Definitions, Jobs (paths, `require`); Scripts (`require`).
"""

from corbie.domain.errors import ValueRefused


def resolve_path(written: str, file: str) -> str:
    """Give the path below the context of a path that stands in a definition file.

    One that begins with `./` counts from the file's own directory.

    Raises:
        ValueRefused: empty, absolute, with `..`, or no path of a file.
    """
    if not written.strip("/."):
        message = f'"{written[:80]}" names no file'
        raise ValueRefused(message)
    _require_plain(written)
    if ".." in written.split("/"):
        message = f'"{written[:80]}" leaves its directory; write a path below the context'
        raise ValueRefused(message)
    start = directory_of(file) if written.startswith("./") else ()
    return "/".join((*start, *_segments(written)))


def resolve_required(written: str, file: str) -> str:
    """Give the path below the context of what a script requires by `./` or `../`.

    `.js` is added where neither it nor `.json` stands.

    Raises:
        ValueRefused: it leads out of the context, or is no path of a file.
    """
    _require_plain(written)
    parts = list(directory_of(file))
    for part in written.split("/"):
        if part == "..":
            if not parts:
                message = f'"{written[:80]}" leads out of the context'
                raise ValueRefused(message)
            parts.pop()
        elif part not in {"", "."}:
            parts.append(part)
    if not parts or written.endswith(("/", "/.", "/..")) or written in {".", ".."}:
        message = f'"{written[:80]}" names no file'
        raise ValueRefused(message)
    path = "/".join(parts)
    return path if path.endswith((".js", ".json")) else path + ".js"


def directory_of(file: str) -> tuple[str, ...]:
    """Give the segments of the directory that a file below the context stands in."""
    return tuple(_segments(file))[:-1]


def _segments(path: str) -> list[str]:
    return [part for part in path.split("/") if part not in {"", "."}]


def _require_plain(written: str) -> None:
    if written.startswith(("/", "~")) or written[1:3] in {":\\", ":/"}:
        message = f'"{written[:80]}" is absolute; write a path below the context'
        raise ValueRefused(message)
    if "\\" in written:
        message = f'"{written[:80]}" holds a \\; write / between directories'
        raise ValueRefused(message)
    if any(ord(letter) < 32 for letter in written):
        message = "a path holds a control character"
        raise ValueRefused(message)
