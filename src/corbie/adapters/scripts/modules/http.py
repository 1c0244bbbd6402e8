"""`require("http")`: httpx over connections that `exits.connect` made.

The permission is checked where a connection is made, so every redirect is checked anew; proxies
of the environment are not used, since one would hide the address.
"""

import base64
import contextlib
import json
import ssl
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

import httpcore
import httpx
from typing_extensions import override

from corbie.adapters.scripts import exit_paths
from corbie.adapters.scripts.exits import Exits
from corbie.adapters.scripts.faults import FaultCode, Function, ModuleFault
from corbie.adapters.scripts.frames import WHOLE_BYTES_MAX
from corbie.adapters.scripts.modules.streams import CheckedNetwork
from corbie.domain.values import JsonValue

TIMEOUT_MS_DEFAULT = 60_000
REDIRECTS_DEFAULT = 20
REDIRECTS_MAX = 100

_OPTIONS = frozenset(
    {"method", "url", "headers", "query", "body", "json", "form", "timeout", "redirects"}
)
# The first that fits; a kind of error stands before what it is a kind of.
_CODES: tuple[tuple[type[Exception], FaultCode], ...] = (
    (httpcore.TimeoutException, "timeout"),
    (httpcore.NetworkError, "failed"),
    (httpcore.UnsupportedProtocol, "bad_input"),
    (httpcore.LocalProtocolError, "bad_input"),
    (httpcore.RemoteProtocolError, "failed"),
    (httpx.TimeoutException, "timeout"),
    (httpx.InvalidURL, "bad_input"),
    (httpx.UnsupportedProtocol, "bad_input"),
    (httpx.HTTPError, "failed"),
    (ssl.SSLError, "failed"),
    (UnicodeError, "bad_input"),
    (ValueError, "bad_input"),
    (TypeError, "bad_input"),
)


def open_module(exits: Exits) -> Mapping[str, Function]:
    """Give the module's functions for one job."""
    client = _Client(exits)
    return {"request": client.request, "download": client.download}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    """One request as a script gave it, checked."""

    request: httpx.Request
    redirects: int
    due_at: float


class _Client:
    """One job's connections, opened at its first request."""

    def __init__(self, exits: Exits) -> None:
        self._exits = exits
        self._client = httpx.Client(
            transport=_Transport(exits), trust_env=False, follow_redirects=True
        )

    def request(self, given: list[JsonValue]) -> JsonValue:
        with self._sent(given[0]) as (call, response):
            data = bytearray()
            for piece in _pieces(call, response):
                data += piece
                if len(data) > WHOLE_BYTES_MAX:
                    message = f"the answer is larger than {WHOLE_BYTES_MAX >> 20} MiB; download it"
                    raise ModuleFault(message, "failed")
            return {**_head(response), **_body(bytes(data), response.charset_encoding)}

    def download(self, given: list[JsonValue]) -> JsonValue:
        target = exit_paths.find_target(self._exits, given[1])
        size = 0
        with (
            contextlib.closing(target),
            self._sent(given[0]) as (call, response),
            target.replacing() as file,
        ):
            for piece in _pieces(call, response):
                file.write(piece)
                size += len(piece)
            return {**_head(response), "size": size}

    @contextlib.contextmanager
    def _sent(self, given: JsonValue) -> Iterator[tuple[_Call, httpx.Response]]:
        """Send a request and give its answer, with every error in a script's terms."""
        try:
            call = self._read(given)
            # The bound is the client's, of which a job has one that runs one call at a time.
            self._client.max_redirects = call.redirects
            response = self._client.send(
                call.request, stream=True, follow_redirects=call.redirects > 0
            )
            try:
                yield call, response
            finally:
                response.close()
        except ModuleFault:
            raise
        except tuple(kind for kind, _ in _CODES) as error:
            code = next(code for kind, code in _CODES if isinstance(error, kind))
            what = str(error) or type(error).__name__
            url = given.get("url") if isinstance(given, dict) else None
            message = f"{url}: {what}"
            raise ModuleFault(message, code) from error

    def _read(self, given: JsonValue) -> _Call:
        if not isinstance(given, dict) or not isinstance(given.get("url"), str):
            message = "http takes a url, a text like https://example.com/"
            raise ModuleFault(message, "bad_input")
        for name in given.keys() - _OPTIONS:
            message = f'http knows no option "{name}"; there are {", ".join(sorted(_OPTIONS))}'
            raise ModuleFault(message, "bad_input")
        timeout_ms = _number(given, "timeout", TIMEOUT_MS_DEFAULT)
        redirects = min(int(_number(given, "redirects", REDIRECTS_DEFAULT)), REDIRECTS_MAX)
        content = _content(given)
        request = self._client.build_request(
            str(given.get("method") or "GET").upper(),
            str(given["url"]),
            headers=_texts(given, "headers"),
            params=_texts(given, "query") or None,
            content=content,
            data=_texts(given, "form") if content is None else None,
            timeout=timeout_ms / 1000,
        )
        if "json" in given and "content-type" not in request.headers:
            request.headers["content-type"] = "application/json"
        due_at = time.monotonic() + timeout_ms / 1000
        return _Call(request=request, redirects=redirects, due_at=due_at)


def _content(given: Mapping[str, JsonValue]) -> bytes | None:
    present = [name for name in ("body", "json", "form") if given.get(name) is not None]
    if len(present) > 1:
        message = f"http sends one of body, json and form, not {' and '.join(present)}"
        raise ModuleFault(message, "bad_input")
    if "json" in present:
        return json.dumps(given["json"], ensure_ascii=False).encode()
    body = given.get("body")
    if isinstance(body, dict) and isinstance(body.get("base64"), str):
        return base64.b64decode(str(body["base64"]))
    if body is not None and not isinstance(body, str):
        message = "a body is a text or bytes; give other values as json"
        raise ModuleFault(message, "bad_input")
    return None if body is None else body.encode()


def _number(given: Mapping[str, JsonValue], name: str, otherwise: float) -> float:
    value = given.get(name)
    if value is None:
        return otherwise
    if isinstance(value, bool):
        return otherwise if value else 0
    if not isinstance(value, int | float) or value < 0:
        message = f"{name} is a number, 0 or more"
        raise ModuleFault(message, "bad_input")
    return value


def _texts(given: Mapping[str, JsonValue], name: str) -> dict[str, str]:
    value = given.get(name)
    if value is None:
        return {}
    if not isinstance(value, dict):
        message = f"{name} is an object of texts"
        raise ModuleFault(message, "bad_input")
    return {
        key: item if isinstance(item, str) else json.dumps(item)
        for key, item in value.items()
        if item is not None
    }


def _pieces(call: _Call, response: httpx.Response) -> Iterator[bytes]:
    for piece in response.iter_bytes():
        if time.monotonic() > call.due_at:
            message = f"{call.request.url}: the answer took longer than its timeout"
            raise ModuleFault(message, "timeout")
        yield piece


def _head(response: httpx.Response) -> dict[str, JsonValue]:
    return {
        "status": response.status_code,
        "ok": response.is_success,
        "headers": dict(response.headers.items()),
        "url": str(response.url),
    }


def _body(data: bytes, charset: str | None) -> dict[str, JsonValue]:
    """Give the text, and the bytes as base64 unless they are that text in UTF-8."""
    try:
        return {"body": data.decode()}
    except UnicodeDecodeError:
        encoded = base64.b64encode(data).decode()
    try:
        text = data.decode(charset or "utf-8", "replace")
    except LookupError:
        text = data.decode("utf-8", "replace")
    return {"body": text, "base64": encoded}


class _Transport(httpx.BaseTransport):
    """httpcore's pool of connections, made by the exits alone."""

    def __init__(self, exits: Exits) -> None:
        self._pool = httpcore.ConnectionPool(
            ssl_context=_trusted(), network_backend=CheckedNetwork(exits), keepalive_expiry=30
        )

    @override
    def handle_request(self, request: httpx.Request) -> httpx.Response:
        url = request.url
        answer = self._pool.handle_request(
            httpcore.Request(
                method=request.method,
                url=httpcore.URL(
                    scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path
                ),
                headers=request.headers.raw,
                content=request.stream,
                extensions=request.extensions,
            )
        )
        return httpx.Response(
            status_code=answer.status,
            headers=answer.headers,
            stream=_Body(answer),
            extensions=answer.extensions,
        )


class _Body(httpx.SyncByteStream):
    """An answer's body, as httpx wants it."""

    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    @override
    def __iter__(self) -> Iterator[bytes]:
        yield from self._answer.iter_stream()

    @override
    def close(self) -> None:
        self._answer.close()


@cache
def _trusted() -> ssl.SSLContext:
    """Give what servers' certificates are checked with; SSL_CERT_FILE and SSL_CERT_DIR count."""
    return httpx.create_ssl_context()


_trusted()  # Read once, in the warm parent, so that no job needs to.
