"""A store's URL to the store, and the file that says which layout it has.

Source: The store, Kinds of store; Layout (`version`).
"""

import os
import re
from urllib.parse import unquote, urlsplit

from corbie.adapters.stores.directory import DirectoryStore
from corbie.adapters.stores.memory import MemoryStore
from corbie.adapters.stores.watching import WatchedStore
from corbie.domain.errors import AlreadyExists, SetupRefused
from corbie.domain.paths import STORE_VERSION, VERSION_PATH
from corbie.domain.ports.store import Store

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_VERSION = re.compile(rb"([0-9]{1,9})\n")


def open_store(url: str, *, create: bool = False) -> WatchedStore:
    """Open the store at a path, a `file:///…` URL or `memory:`; with `create`, make it first.

    Raises:
        SetupRefused: the URL is of no kind known here, or there is no store.
        StoreUnavailable: it cannot be opened or made.
    """
    if url == "memory:":
        return MemoryStore()
    path = _path_of(url)
    return DirectoryStore.create(path) if create else DirectoryStore(path)


def prepare_store(store: Store) -> bool:
    """Mark a store as one of this layout; tells whether it was not marked before.

    Raises:
        SetupRefused: it is marked as one of another layout.
    """
    try:
        store.write_new(VERSION_PATH, b"%d\n" % STORE_VERSION)
    except AlreadyExists:
        require_version(store)
        return False
    return True


def require_version(store: Store) -> None:
    """Return if the store has the layout that this program reads.

    Raises:
        SetupRefused: it was never set up, or has another layout.
    """
    there = store.read(VERSION_PATH)
    if there is None:
        message = "the store is not set up: it has no file named version; corbie init sets it up"
        raise SetupRefused(message)
    found = _VERSION.fullmatch(there.data)
    if found is None:
        message = "the store's file named version holds no number: this is no store of Corbie's"
        raise SetupRefused(message)
    number = int(found[1])
    if number != STORE_VERSION:
        message = f"the store has layout {number}; this corbie reads {STORE_VERSION}"
        raise SetupRefused(
            f"{message}: upgrade corbie" if number > STORE_VERSION else f"{message}: migrate it"
        )


def _path_of(url: str) -> str:
    if not url or "\0" in url:
        message = f"{url!r} is no store; give a path, file:///… or memory:"
        raise SetupRefused(message)
    if _SCHEME.match(url) is None:
        return os.path.expanduser(url)  # noqa: PTH111 - the store takes text
    parts = urlsplit(url)
    if parts.scheme == "file" and parts.netloc in {"", "localhost"}:
        path = unquote(parts.path)
        if path.startswith("/") and "\0" not in path and not parts.query and not parts.fragment:
            return path
        message = f"{url} names no absolute path; write file:///path/of/the/store"
        raise SetupRefused(message)
    message = (
        f"{url} is of no kind of store that this corbie knows; give a path, file:///… or memory:"
        f" (a path with a colon is written ./{url})"
    )
    raise SetupRefused(message)
