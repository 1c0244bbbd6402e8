"""Durable machines on nothing but a store of files.

`from corbie import Corbie` is the library; the version needs none of it.
"""

from importlib import import_module

__version__ = "0.1.0"

_LIBRARY = ("Corbie", "Outcome", "Run")


def __getattr__(name: str) -> object:
    """Give a name of the library, which is imported when it is first asked for."""
    if name in _LIBRARY:
        return getattr(import_module("corbie.entrypoints.library"), name)
    message = f"module corbie has no attribute {name}"
    raise AttributeError(message)
