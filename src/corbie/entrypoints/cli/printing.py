"""Writing to standard output and error: what a file or a peer wrote cannot steer the terminal."""

import os
import sys


def visible(text: str) -> str:
    """Give the text with control and bidirectional characters written as their numbers."""
    if text.isprintable():
        return text
    return "".join(one if one in "\n\t" or one.isprintable() else ascii(one)[1:-1] for one in text)


def write(text: str, *, width: int | None = None) -> None:
    """Write lines to standard output at once, each cut at so many characters."""
    shown = visible(text)
    if width is not None:
        shown = "\n".join(_cut(line, width) for line in shown.split("\n"))
    sys.stdout.write(shown + "\n")
    sys.stdout.flush()


def write_note(text: str) -> None:
    """Write lines to standard error at once."""
    sys.stderr.write(visible(text) + "\n")
    sys.stderr.flush()


def terminal_width() -> int | None:
    """Give how many characters fit a line of standard output, None where it is no terminal."""
    if not sys.stdout.isatty():
        return None
    try:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns
    except OSError:
        return None
    # A terminal that does not know its width says 0.
    return columns if columns > 1 else None


def _cut(line: str, width: int) -> str:
    return line if len(line) <= width else line[: width - 1] + "…"
