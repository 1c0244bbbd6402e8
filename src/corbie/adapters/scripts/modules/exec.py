"""`require("exec")`: starting programs, never through a shell."""

import contextlib
import signal
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO

from corbie.adapters.scripts.exit_paths import open_read
from corbie.adapters.scripts.exits import Exits
from corbie.adapters.scripts.faults import Function, ModuleFault
from corbie.adapters.scripts.frames import WHOLE_BYTES_MAX
from corbie.adapters.scripts.trees import find_descendants, signal_all
from corbie.domain.values import JsonValue

_PIPES_S = 1.0

_OPTIONS = frozenset({"cwd", "env", "input", "timeout", "check"})


def open_module(exits: Exits) -> Mapping[str, Function]:
    """Give the module's functions for one job."""
    return {"run": lambda given: _run(exits, given)}


def _run(exits: Exits, given: list[JsonValue]) -> JsonValue:
    program, arguments, options = _read_call(given)
    cwd = options.get("cwd")
    if cwd is not None:
        # The program sees the folder anyway; the script has to be allowed to name it.
        with open_read(exits, cwd, folder=True) as (_, path):
            cwd = path
    env = options.get("env") or {}
    if not isinstance(env, dict) or not all(isinstance(one, str) for one in env.values()):
        message = "env is an object of texts"
        raise ModuleFault(message, "bad_input")
    timeout_ms = options.get("timeout")
    if timeout_ms is not None and not isinstance(timeout_ms, int | float):
        message = "timeout is a number of milliseconds"
        raise ModuleFault(message, "bad_input")
    process = exits.start_program(
        program,
        arguments,
        cwd=cwd if isinstance(cwd, str) else None,
        more={name: str(value) for name, value in env.items()},
    )
    body = options.get("input")
    ended = _follow(
        process,
        body.encode() if isinstance(body, str) else b"",
        None if timeout_ms is None else timeout_ms / 1000,
    )
    if ended.is_late:
        message = f"{program} ran longer than its timeout of {timeout_ms} ms"
        raise ModuleFault(message, "timeout")
    if ended.is_too_long:
        message = f"{program} wrote more than {WHOLE_BYTES_MAX >> 20} MiB"
        raise ModuleFault(message, "failed")
    if options.get("check") is not False and ended.code:
        said = ended.stderr.strip()[-500:]
        message = f"{program} ended with {ended.code}{': ' if said else ''}{said}"
        raise ModuleFault(message, "failed")
    return {"code": ended.code, "stdout": ended.stdout, "stderr": ended.stderr}


def _read_call(given: list[JsonValue]) -> tuple[str, list[str], Mapping[str, JsonValue]]:
    program, arguments, options = (*given, None, None, None)[:3]
    arguments = arguments if arguments is not None else []
    options = options if options is not None else {}
    if (
        not isinstance(program, str)
        or not isinstance(arguments, list)
        or not isinstance(options, dict)
    ):
        message = "exec.run takes a program, a list of arguments and an object of options"
        raise ModuleFault(message, "bad_input")
    for name in options.keys() - _OPTIONS:
        message = f'exec knows no option "{name}"; there are {", ".join(sorted(_OPTIONS))}'
        raise ModuleFault(message, "bad_input")
    texts = [one if isinstance(one, str) else _number_text(one) for one in arguments]
    return program, texts, options


def _number_text(value: JsonValue) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    message = "an argument of a program is a text or a number"
    raise ModuleFault(message, "bad_input")


@dataclass(slots=True, kw_only=True)
class _Ended:
    code: int
    stdout: str
    stderr: str
    is_late: bool
    is_too_long: bool


def _follow(process: "subprocess.Popen[bytes]", body: bytes, timeout_s: float | None) -> _Ended:
    """Feed a program, take what it writes, and wait until it ends or is late."""
    pieces: dict[str, bytearray] = {"stdout": bytearray(), "stderr": bytearray()}
    too_long = threading.Event()

    def take(name: str, pipe: IO[bytes]) -> None:
        with pipe:
            while piece := pipe.read1(65_536):  # type: ignore[attr-defined]  # a pipe is buffered
                pieces[name] += piece
                if len(pieces[name]) > WHOLE_BYTES_MAX:
                    too_long.set()
                    process.kill()
                    return

    def feed(pipe: IO[bytes]) -> None:
        with contextlib.suppress(OSError), pipe:
            pipe.write(body)

    threads = [threading.Thread(target=feed, args=(process.stdin,), daemon=True)]
    for name in ("stdout", "stderr"):
        given = (name, getattr(process, name))
        threads.append(threading.Thread(target=take, args=given, daemon=True))
    for thread in threads:
        thread.start()
    is_late = False
    try:
        process.wait(timeout_s)
    except subprocess.TimeoutExpired:
        is_late = True
        signal_all([process.pid, *find_descendants(process.pid)], signal.SIGKILL)
        process.wait()
    for thread in threads:
        # A program left behind may hold the pipes; it ends with the job, not with this call.
        thread.join(_PIPES_S)
    return _Ended(
        code=process.returncode,
        stdout=pieces["stdout"].decode("utf-8", "replace"),
        stderr=pieces["stderr"].decode("utf-8", "replace"),
        is_late=is_late,
        is_too_long=too_long.is_set(),
    )
