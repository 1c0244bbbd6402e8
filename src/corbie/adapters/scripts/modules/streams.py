"""Connections that the exits made, as httpcore wants them."""

import socket
import ssl
from collections.abc import Iterable

import httpcore
from typing_extensions import override

from corbie.adapters.scripts.exits import Exits

CONNECT_S_DEFAULT = 60.0

_LATE = "the other side did not answer in time"


class CheckedNetwork(httpcore.NetworkBackend):
    """Connects through the exits and in no other way."""

    def __init__(self, exits: Exits) -> None:
        """Hold the job's exits."""
        self._exits = exits

    @override
    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.NetworkStream:
        made = self._exits.connect(host.strip("[]"), port, timeout or CONNECT_S_DEFAULT)
        made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return _Stream(made)


class _Stream(httpcore.NetworkStream):
    def __init__(self, made: socket.socket) -> None:
        self._socket = made

    @override
    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        self._socket.settimeout(timeout)
        try:
            return self._socket.recv(max_bytes)
        except TimeoutError as error:
            raise httpcore.ReadTimeout(_LATE) from error
        except OSError as error:
            raise httpcore.ReadError(str(error)) from error

    @override
    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        self._socket.settimeout(timeout)
        try:
            self._socket.sendall(buffer)
        except TimeoutError as error:
            raise httpcore.WriteTimeout(_LATE) from error
        except OSError as error:
            raise httpcore.WriteError(str(error)) from error

    @override
    def close(self) -> None:
        self._socket.close()

    @override
    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        self._socket.settimeout(timeout)
        try:
            return _Stream(ssl_context.wrap_socket(self._socket, server_hostname=server_hostname))
        except TimeoutError as error:
            raise httpcore.ConnectTimeout(_LATE) from error
        except OSError as error:
            self._socket.close()
            raise httpcore.ConnectError(str(error)) from error

    @override
    def get_extra_info(self, info: str) -> object:
        if info == "ssl_object" and isinstance(self._socket, ssl.SSLSocket):
            return self._socket
        if info == "is_readable":
            return _is_readable(self._socket)
        return None


def _is_readable(made: socket.socket) -> bool:
    """Tell whether an idle connection has something to read: it is then of no more use."""
    made.settimeout(0)
    try:
        return bool(made.recv(1, socket.MSG_PEEK)) or True
    except (BlockingIOError, ssl.SSLWantReadError):
        return False
    except (OSError, ValueError):
        return True
