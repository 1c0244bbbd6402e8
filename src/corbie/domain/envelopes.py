"""The three-line file as text: compose, split, and the checks that need no mathematics.

The form is exact, so that no changed byte goes unnoticed: line 1 is compact JSON with its
fields in one order, lines 2 and 3 are base64url without padding in the one spelling of their
bytes, every line ends in one newline, and nothing follows. What is over and under the
signature, and who must be known, is decided here; signatures and sealing are behind
`ports.crypto`, and the order of all checks is run by `app.files.sealed`.
Source: The store, A file.
"""

import base64
import re
from dataclasses import dataclass
from typing import Literal

from corbie.domain.access import is_sealed, is_signed
from corbie.domain.errors import Expired, Untrusted, ValueRefused
from corbie.domain.invariants import ensure
from corbie.domain.names import PartyName, parse_party_name
from corbie.domain.paths import FileKind, PathParts, StorePath
from corbie.domain.times import SKEW, Instant, format_instant, parse_instant
from corbie.domain.values import stable_text

Check = Literal[
    "size",
    "lines",
    "header",
    "place",
    "writer",
    "card",
    "signature",
    "time",
    "sealing",
    "opening",
    "content",
]
"""The checks of a file, in the order they are made; `Untrusted.check` is one of these."""

READERS_MAX = 16
READER_BYTES = 8 + 32 + 12 + 48
SIGNATURE_BYTES = 64
HEAD_BYTES_MAX = 2048
"""A path has at most 900 characters, a name 64, a time 30."""

_SEALING_BYTES_MAX = 1 + READERS_MAX * READER_BYTES + 12 + 16
_KIB = 1024
_CONTENT_BYTES_MAX_ELSE = 256 * _KIB
# A batch of emits is cut at 64 KiB, or holds one large line; a step may start many jobs.
_CONTENT_BYTES_MAX: dict[FileKind, int] = {"step": 4096 * _KIB, "emit": 1024 * _KIB}

# No character here is one that JSON would escape, so a header has one spelling.
_HEAD = re.compile(
    rb'\{"by":"([A-Za-z0-9._-]{1,64})","at":"([A-Za-z0-9._~/-]{1,900})","sent":"([0-9TZ:.-]{30})"'
    rb'(?:,"until":"([0-9TZ:.-]{30})")?,"sealed":(true|false)\}'
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Line 1: who wrote the file, for which path, when, until when it holds, if it is sealed."""

    by: PartyName
    at: StorePath
    sent: Instant
    until: Instant | None = None
    sealed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Lines:
    """A file taken apart.

    `head` is line 1 as it stands and what sealing is bound to; `body` is line 2 decoded (the
    content, or what was sealed); `signed` is lines 1 and 2 as they stand with the newline
    between them; `signature` is line 3 decoded.
    """

    head: bytes
    body: bytes
    signed: bytes
    signature: bytes


def size_max(kind: FileKind) -> int:
    """Give the most bytes a whole file of a signed kind may have."""
    ensure(is_signed(kind), f"a {kind} has no three lines")
    body = _SEALING_BYTES_MAX + content_size_max(kind)
    return HEAD_BYTES_MAX + _base64_length(body) + _base64_length(SIGNATURE_BYTES) + 3


def content_size_max(kind: FileKind) -> int:
    """Give the most bytes the content of a signed kind may have, before it is sealed."""
    return _CONTENT_BYTES_MAX.get(kind, _CONTENT_BYTES_MAX_ELSE)


def compose_head(header: Header) -> bytes:
    """Give line 1 without its newline."""
    head: dict[str, str | bool] = {
        "by": header.by,
        "at": header.at,
        "sent": format_instant(header.sent),
    }
    if header.until is not None:
        head["until"] = format_instant(header.until)
    head["sealed"] = header.sealed
    text = stable_text({**head}).encode()
    ensure(_HEAD.fullmatch(text) is not None, "a header must be readable to who wrote it")
    return text


def compose_signed(head: bytes, body: bytes) -> bytes:
    """Give lines 1 and 2 as they are signed: without the newline that ends line 2."""
    return head + b"\n" + _encode(body)


def join(signed: bytes, signature: bytes) -> bytes:
    """Give the whole file, from what was signed and the signature over it."""
    return signed + b"\n" + _encode(signature) + b"\n"


def check_size(data: bytes, *, kind: FileKind, path: StorePath) -> None:
    """Return if the file is no larger than files of its kind may be.

    Raises:
        Untrusted: it is larger (size).
    """
    bytes_max = size_max(kind)
    if len(data) > bytes_max:
        what = f"it has {len(data)} bytes, and a file of its kind at most {bytes_max}"
        raise _untrusted(path, "size", what)


def split(data: bytes, *, path: StorePath) -> Lines:
    """Take a file apart; the lines are as exact as the module says.

    Raises:
        Untrusted: it has another form (lines).
    """
    pieces = data.split(b"\n", 4)
    if len(pieces) != 4 or pieces[3]:
        raise _untrusted(path, "lines", "it is not three lines, each ended by one newline")
    head, second, third, _ = pieces
    body, signature = _decode(second), _decode(third)
    if body is None or signature is None:
        number = 2 if body is None else 3
        what = f"line {number} is not base64url without padding in its one spelling"
        raise _untrusted(path, "lines", what)
    if len(signature) != SIGNATURE_BYTES:
        what = f"line 3 holds {len(signature)} bytes, and a signature has {SIGNATURE_BYTES}"
        raise _untrusted(path, "lines", what)
    signed = data[: len(head) + 1 + len(second)]
    return Lines(head=head, body=body, signed=signed, signature=signature)


def read_header(head: bytes, *, path: StorePath) -> Header:
    """Read line 1: exactly what `compose_head` writes, and nothing else.

    Raises:
        Untrusted: it has another form (header).
    """
    found = _HEAD.fullmatch(head)
    if found is None:
        what = "line 1 is not the header by, at, sent, until (if it expires), sealed"
        raise _untrusted(path, "header", what)
    by, at, sent, until, sealed = (text.decode() if text else "" for text in found.groups())
    try:
        return Header(
            by=parse_party_name(by),
            at=StorePath(at),
            sent=parse_instant(sent),
            until=parse_instant(until) if until else None,
            sealed=sealed == "true",
        )
    except ValueRefused as error:
        raise _untrusted(path, "header", str(error)) from error


def check_place(header: Header, *, path: StorePath) -> None:
    """Return if the file was written for the path it was read from.

    Raises:
        Untrusted: it was written for another (place).
    """
    if header.at != path:
        raise _untrusted(path, "place", f"it was written for {header.at}")


def check_writer(header: Header, *, parts: PathParts, path: StorePath) -> None:
    """Return if a file at this path may be by this writer, as far as the path says.

    A batch of emits may be by any party here: its reader knows which runner was sent the job.

    Raises:
        Untrusted: the path is another party's to write (writer).
    """
    ensure(is_signed(parts.kind), f"a {parts.kind} names no writer")
    if parts.kind == "emit":
        return
    writer = parts.sender if parts.kind == "inbox" else parts.owner
    if header.by != writer:
        raise _untrusted(path, "writer", f"it is by {header.by}, and only {writer} writes there")


def check_time(header: Header, *, now: Instant, path: StorePath) -> None:
    """Return if the file is neither from the future nor expired, five minutes allowed.

    Raises:
        Untrusted: it was sent more than five minutes from now (time).
        Expired: its `until` is more than five minutes ago (time).
    """
    if header.sent > now + SKEW:
        what = f"it was sent {format_instant(header.sent)}, and now is {format_instant(now)}"
        raise _untrusted(path, "time", what)
    if header.until is not None and now > header.until + SKEW:
        what = f"it expired {format_instant(header.until)}, and now is {format_instant(now)}"
        raise Expired(path=path, check="time", what=what)


def check_sealing(header: Header, *, kind: FileKind, path: StorePath) -> None:
    """Return if the file is sealed exactly when files of its kind are.

    Raises:
        Untrusted: it is not (sealing).
    """
    if header.sealed != is_sealed(kind):
        what = "it is not sealed and must be" if is_sealed(kind) else "it is sealed and must not be"
        raise _untrusted(path, "sealing", what)


def _untrusted(path: StorePath, check: Check, what: str) -> Untrusted:
    return Untrusted(path=path, check=check, what=what)


def _encode(data: bytes) -> bytes:
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def _decode(text: bytes) -> bytes | None:
    """Give the bytes of base64url without padding, or None for any but their one spelling."""
    try:
        data = base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))
    except ValueError:
        return None
    # Encoding again is the check of the alphabet, of padding and of the bits left over.
    return data if _encode(data) == text else None


def _base64_length(size: int) -> int:
    return -(-size * 4 // 3)
