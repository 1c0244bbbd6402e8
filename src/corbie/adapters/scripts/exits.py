"""The few ways out of a script: connecting, starting a program, reading a variable; paths.

Each checks its permission before anything happens; a refusal ends the job inside the call, so
`deny` never returns. Modules reach the outside through these and nothing else. Opening files is
in `exit_paths`. Source: Permissions and approval, Entries; Scripts.
"""

import os
import posixpath
import shutil
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

from corbie.adapters.scripts.faults import ModuleFault, fault_of
from corbie.domain.addresses import parse_address
from corbie.domain.permission_nets import normal_host
from corbie.domain.permissions import (
    ConnectionWanted,
    Layer,
    NameWanted,
    ProgramWanted,
    Refusal,
    Wanted,
    decide,
)


class Exits:
    """What one job may do outside."""

    def __init__(
        self,
        *,
        layers: Sequence[Layer],
        home: str,
        variables: Mapping[str, str],
        deny: Callable[[Refusal], NoReturn],
    ) -> None:
        """Hold the job's layers, what `~` is, the variables it may read, and what refuses."""
        self._layers = tuple(layers)
        self._variables = variables
        self._deny = deny
        self.home = home

    def require(self, wanted: Wanted) -> None:
        """Return if the job may; else end it as denied."""
        refusal = decide(self._layers, wanted, home=self.home)
        if refusal is not None:
            self._deny(refusal)

    def permits(self, wanted: Wanted) -> bool:
        """Tell whether the job may, without ending it."""
        return decide(self._layers, wanted, home=self.home) is None

    def connect(self, host: str, port: int, timeout_s: float) -> socket.socket:
        """Connect to a host: to an address of it that was checked, and to no other.

        Raises:
            ModuleFault: no such host, or nothing there answers.
        """
        name = host if parse_address(host) is not None else normal_host(host)
        if name is None or not 0 < port < 65_536:
            message = f"{host[:200]!r} with port {port} is nothing to connect to"
            raise ModuleFault(message, "bad_input")
        self.require(ConnectionWanted(host=name, port=port))
        wanted = [
            ConnectionWanted(host=name, port=port, address=address)
            for address in _resolve(name, port)
        ]
        allowed = [one for one in wanted if self.permits(one)]
        if not allowed:
            self.require(wanted[0])
        failure: OSError | None = None
        for one in allowed:
            try:
                return socket.create_connection((one.address or name, port), timeout_s)
            except OSError as error:
                failure = error
        raise fault_of(failure or OSError(f"{name} has no address"), f"{name}:{port}") from failure

    def start_program(
        self, program: str, given: Sequence[str], *, cwd: str | None, more: Mapping[str, str]
    ) -> "subprocess.Popen[bytes]":
        """Start a program by name or absolute path, never through a shell; its pipes are open.

        `more` are environment variables beside the fixed ones.

        Raises:
            ModuleFault: there is no such program, or it cannot be started.
        """
        if "\0" in program or not program or ("/" in program and not program.startswith("/")):
            message = "a program is named as in PATH, or by its absolute path"
            raise ModuleFault(message, "bad_input")
        path = program if program.startswith("/") else shutil.which(program)
        if path is None:
            # Whether it exists is said only to a job that may start it.
            self.require(ProgramWanted(path=f"/{program}", name=program))
            message = f"there is no program {program} in the runner's PATH"
            raise ModuleFault(message, "not_found")
        path = os.path.normpath(path)
        name = posixpath.basename(path)
        self.require(ProgramWanted(path=path, name=name if _is_named(name, path) else None))
        try:
            return subprocess.Popen(  # noqa: S603 - a list of arguments, no shell
                [program, *given],
                executable=path,
                cwd=cwd,
                env={**os.environ, **more},
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
        except ValueError as error:
            message = f"{program}: {error}"
            raise ModuleFault(message, "bad_input") from error
        except OSError as error:
            raise fault_of(error, program) from error

    def read_variable(self, name: str) -> str | None:
        """Give a variable of the runner's environment, None if it is not set."""
        self.require(NameWanted(kind="env", name=name))
        return self._variables.get(name)


def _is_named(name: str, path: str) -> bool:
    found = shutil.which(name)
    return found is not None and os.path.normpath(found) == path


def _resolve(host: str, port: int) -> list[str]:
    """Give a host's addresses in the system's order."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except socket.gaierror as error:
        message = f"the host {host} is not found: {error.strerror}"
        raise ModuleFault(message, "not_found") from error
    except OSError as error:
        raise fault_of(error, host) from error
    return list(dict.fromkeys(str(one[4][0]) for one in found))
