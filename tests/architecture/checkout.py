"""Where the checkout's files are, for the tests that read them."""

from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
_NOT_OURS = {"__pycache__", "build", "dist", "node_modules"}


def python_files(*folders: str) -> list[Path]:
    """Give the Python files below some folders of the checkout."""
    return [path for path in text_files() if path.suffix == ".py" and _is_below(path, folders)]


def text_files() -> list[Path]:
    """Give every file of the checkout that is text, without caches and environments."""
    return sorted(_walk(ROOT))


def shown(path: Path) -> str:
    """Give a path as people know it."""
    return path.relative_to(ROOT).as_posix()


def _is_below(path: Path, folders: tuple[str, ...]) -> bool:
    return path.relative_to(ROOT).parts[0] in folders


def _walk(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.is_symlink() or path.name in _NOT_OURS:
            continue
        if path.is_dir():
            if not path.name.startswith(".") or path.name == ".ci":
                yield from _walk(path)
        elif b"\0" not in path.read_bytes()[:8000]:
            yield path
