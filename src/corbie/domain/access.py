"""The access table: who may do what to which path, and for whom a path is sealed.

The guarded store, the testbed and bucket policies are all made from `permits`.
Source: The store, Who may read and write; A file (the table of readers).
"""

from dataclasses import dataclass
from typing import Literal

from corbie.domain.cards import Role
from corbie.domain.names import PartyName
from corbie.domain.paths import FileKind, PathParts

Action = Literal["read", "add", "replace", "delete"]

_CONTROLLER_ONLY: frozenset[FileKind] = frozenset(
    {"wake", "key", "slot", "waiting", "schedule", "trust", "secret"}
)
_SEALED_KINDS: frozenset[FileKind] = frozenset(
    {"inbox", "receipt", "step", "carried", "emit", "secret", "schedule"}
)
_UNSIGNED_KINDS: frozenset[FileKind] = frozenset({"version", "blob", "wake"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Party:
    """Who asks: a name and the column of the table that is its."""

    name: PartyName
    role: Role


def permits(party: Party, action: Action, path: PathParts) -> bool:
    """Tell whether the table lets a party do this to a path.

    `add` writes where no file is; `replace` overwrites, whether or not one is.
    """
    if path.kind == "version":
        return action == "read"
    if path.kind == "inbox":
        own = party.name == path.owner and party.role in {"controller", "runner"}
        return own or (action == "add" and party.name == path.sender and party.role != "viewer")
    match party.role:
        case "controller":
            if path.kind == "alive":
                return action == "read"
            return party.name == path.owner and path.kind != "taken"
        case "runner":
            return _permits_runner(party, action, path)
        case "client":
            return _permits_client(party, action, path)
        case "viewer":
            return action == "read" and path.kind in {"running", "finished", "alive"}


def _permits_runner(party: Party, action: Action, path: PathParts) -> bool:
    if path.kind in {"taken", "alive"}:
        return party.name == path.owner
    if path.kind == "blob":
        return action in {"read", "add"}
    return path.kind == "emit" and action == "add"


def _permits_client(party: Party, action: Action, path: PathParts) -> bool:
    if party.name != path.client:
        return False
    if path.kind == "blob":
        return action in {"read", "add"}
    readable = {"receipt", "running", "finished", "step", "carried", "emit"}
    return action == "read" and path.kind in readable


def permits_listing(party: Party, folder: str) -> bool:
    """Tell whether a party may list a folder: one that holds nothing but what it may read."""
    segments = folder.split("/")
    owner, rest = segments[0], segments[1:]
    if not rest:
        return party.role == "controller" and owner == party.name
    match rest[0]:
        case "inbox" | "taken":
            return party.name == owner and party.role in {"controller", "runner"}
        case "alive":
            return party.role in {"controller", "viewer"} or party.name == owner
        case "running" | "finished" if party.role == "viewer":
            return True
        case "running" | "finished" | "receipts" | "records" if party.role == "client":
            return len(rest) > 1 and rest[1] == party.name
    return party.role == "controller" and owner == party.name


def is_signed(kind: FileKind) -> bool:
    """Tell whether a file of this kind has the three lines; blobs, wakes and version do not."""
    return kind not in _UNSIGNED_KINDS


def is_sealed(kind: FileKind) -> bool:
    """Tell whether a signed file of this kind is encrypted for its readers."""
    return kind in _SEALED_KINDS


def reader_names(path: PathParts) -> tuple[str, ...]:
    """Name the parties a sealed file of this path is encrypted for."""
    match path.kind:
        case "inbox" | "secret" | "schedule":
            return (path.owner,)
        case "step" | "carried" | "emit":
            return (path.owner, path.client)
        case "receipt":
            return (path.client,)
        case _:
            return ()
