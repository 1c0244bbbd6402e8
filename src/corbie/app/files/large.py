"""Values over 64 KiB leave their record for a blob, and come back when it is read.

Works on the record's plain JSON: below the fields that hold an author's values, nothing else.
Source: Machines, The step (Values); The store, A file.
"""

import re
from collections import OrderedDict
from collections.abc import Iterator

from corbie.app.files.blobs import BlobFiles, Home
from corbie.domain.blobs import BlobRef
from corbie.domain.errors import Untrusted
from corbie.domain.values import JsonValue, read_json, stable_text

LARGE_BYTES = 64 * 1024
KNOWN_MAX = 10_000

# A pointer comes from whoever wrote the record: not every text of digits is an `int`.
_INDEX = re.compile(r"[0-9]{1,9}")
_VALUE_FIELDS = frozenset({"input", "output", "value", "data"})


class LargeValues:
    """Lifts large values out of records and puts them back.

    A value that was lifted before, from the same run, keeps its blob: a run's large input costs
    one blob, not one a step.
    """

    def __init__(self, *, blobs: BlobFiles) -> None:
        """Know no blob yet."""
        self._blobs = blobs
        self._known: OrderedDict[tuple[Home, str], BlobRef] = OrderedDict()

    def lift(self, home: Home, data: bytes, prefix: str) -> bytes:
        """Give the record's text with every value over 64 KiB in a blob, named in `large`."""
        if len(data) <= LARGE_BYTES:
            return data
        plain = read_json(data)
        if not isinstance(plain, dict):
            return data
        large: dict[str, JsonValue] = {}
        for holder, name, pointer in _slots(plain, ""):
            text = stable_text(holder[name])
            if len(text) > LARGE_BYTES or len(text.encode()) > LARGE_BYTES:
                large[pointer] = _plain_ref(self._ref(home, text.encode(), prefix))
                holder[name] = None
        if not large:
            return data
        plain["large"] = large
        return stable_text(plain).encode()

    def lower(
        self, home: Home, data: bytes, large: dict[str, BlobRef], bytes_max: int | None = None
    ) -> bytes:
        """Give the record's text with the values put back, and `large` empty.

        `bytes_max` is how much they may be together; None for a record of a controller.

        Raises:
            Untrusted: a blob is not what it should be, or a pointer leads nowhere.
        """
        plain = read_json(data)
        size = sum(ref.size for ref in large.values())
        if bytes_max is not None and size > bytes_max:
            what = f"its large values have {size} bytes together; at most {bytes_max} fit"
            raise Untrusted(path=home.run, check="content", what=what)
        for pointer, ref in large.items():
            content = self._blobs.read(home, ref)
            self._remember(home, ref)
            _put(plain, pointer, read_json(content))
        if isinstance(plain, dict):
            plain["large"] = {}
        return stable_text(plain).encode()

    def _ref(self, home: Home, content: bytes, prefix: str) -> BlobRef:
        known = self._known.get((home, self._blobs.digest(content)))
        if known is not None:
            return known
        ref = self._blobs.write(home, content, prefix)
        self._remember(home, ref)
        return ref

    def _remember(self, home: Home, ref: BlobRef) -> None:
        self._known[home, ref.sha256] = ref
        if len(self._known) > KNOWN_MAX:
            self._known.popitem(last=False)


def _slots(plain: JsonValue, pointer: str) -> Iterator[tuple[dict[str, JsonValue], str, str]]:
    """Give each field that holds an author's value, with what holds it and its JSON pointer."""
    if isinstance(plain, dict):
        for name, value in plain.items():
            below = f"{pointer}/{_escape(name)}"
            if name in _VALUE_FIELDS:
                yield plain, name, below
            else:
                yield from _slots(value, below)
    elif isinstance(plain, list):
        for index, value in enumerate(plain):
            yield from _slots(value, f"{pointer}/{index}")


def _put(plain: JsonValue, pointer: str, value: JsonValue) -> None:
    *way, last = [_unescape(part) for part in pointer.split("/")[1:]]
    at = plain
    for part in way:
        if isinstance(at, dict):
            at = at.get(part)
        elif isinstance(at, list) and _INDEX.fullmatch(part) and int(part) < len(at):
            at = at[int(part)]
        else:
            at = None
    if not isinstance(at, dict):
        raise Untrusted(path=pointer, check="content", what="a pointer leads nowhere")
    at[last] = value


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _unescape(part: str) -> str:
    return part.replace("~1", "/").replace("~0", "~")


def _plain_ref(ref: BlobRef) -> JsonValue:
    return {"blob": ref.blob, "key": ref.key, "size": ref.size, "sha256": ref.sha256}
