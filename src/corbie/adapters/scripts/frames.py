"""What passes between a runner and a job's process: JSON objects, each after its length.

The job's side is foreign: everything read here is bounded. Four bytes of length, big-endian.
"""

import json
import socket
from dataclasses import dataclass, field

from corbie.domain.errors import ValueRefused
from corbie.domain.values import DEPTH_MAX, JsonValue, depth, read_json

WHOLE_BYTES_MAX = 64 * 1024 * 1024
"""Whatever a script takes or gives whole. Source: Scripts."""

FRAME_BYTES_MAX = WHOLE_BYTES_MAX + 1024 * 1024
"""A whole thing, and what is said about it. JSON's escapes are counted, as they cross."""

ORDER_BYTES_MAX = 1024 * 1024 * 1024
"""An order and its scripts, from the runner, which checked them."""

_READ_BYTES = 256 * 1024


def send_frame(end: socket.socket, text: str) -> None:
    """Write one frame whole; raises OSError if the other side is gone."""
    data = text.encode()
    end.sendall(len(data).to_bytes(4, "big"))
    end.sendall(data)


def receive_frame(end: socket.socket) -> bytes | None:
    """Read one whole frame of the runner's; None if the other side ended first."""
    head = _receive_exactly(end, 4)
    size = int.from_bytes(head, "big") if head is not None else 0
    return _receive_exactly(end, size) if head is not None and size <= ORDER_BYTES_MAX else None


def _receive_exactly(end: socket.socket, size: int) -> bytes | None:
    data = bytearray()
    while len(data) < size:
        piece = end.recv(min(size - len(data), _READ_BYTES))
        if not piece:
            return None
        data += piece
    return bytes(data)


@dataclass(slots=True)
class FrameReader:
    """Frames out of pieces, as they come from a job's process."""

    _data: bytearray = field(default_factory=bytearray)

    def take(self, piece: bytes) -> list[dict[str, JsonValue]]:
        """Give the frames that a further piece completes.

        Raises:
            ValueRefused: a frame is too long or no JSON object of bounded depth.
        """
        self._data += piece
        frames: list[dict[str, JsonValue]] = []
        while len(self._data) >= 4:
            size = int.from_bytes(self._data[:4], "big")
            if size > FRAME_BYTES_MAX:
                message = f"it handed over {size} bytes at once"
                raise ValueRefused(message)
            if len(self._data) < 4 + size:
                break
            frames.append(_read_object(bytes(self._data[4 : 4 + size])))
            del self._data[: 4 + size]
        return frames


def _read_object(data: bytes) -> dict[str, JsonValue]:
    value = read_json(_without_halves(data))
    if not isinstance(value, dict):
        message = "it handed over something else than an object"
        raise ValueRefused(message)
    if depth(value) > DEPTH_MAX + 2:
        message = f"it handed over a value nested more than {DEPTH_MAX} levels deep"
        raise ValueRefused(message)
    _require_finite(value)
    return value


def _without_halves(data: bytes) -> bytes:
    r"""Put U+FFFD for each half of a surrogate pair that a `\u` escape holds."""
    if b"\\ud" not in data and b"\\uD" not in data:
        return data
    try:
        value = json.loads(data)
    except (ValueError, RecursionError) as error:
        message = f"it handed over no JSON: {error}"
        raise ValueRefused(message) from error
    text = json.dumps(value, ensure_ascii=False)
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def _require_finite(value: JsonValue) -> None:
    layer: list[JsonValue] = [value]
    while layer:
        item = layer.pop()
        if isinstance(item, dict):
            layer.extend(item.values())
        elif isinstance(item, list):
            layer.extend(item)
        elif isinstance(item, float) and item - item != 0:
            message = "it handed over a number that is not finite"
            raise ValueRefused(message)
