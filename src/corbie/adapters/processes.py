"""Processes of this computer, told apart also after a restart and when numbers come again."""

import os
import socket
from pathlib import Path

_BOOT = Path("/proc/sys/kernel/random/boot_id")
_STARTED_FIELD = 19
"""Field 22 of /proc/PID/stat, counted after the name and its bracket."""


def host_name() -> str:
    """Give a name for this computer since its last start."""
    try:
        boot = _BOOT.read_text(encoding="ascii").strip()
    except OSError:
        boot = ""
    return f"{socket.gethostname()}/{boot}"


def process_started(process: int) -> str:
    """Give when a process started, in the kernel's own count; "" where none is to be found."""
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    _, _, fields = stat.rpartition(")")
    parts = fields.split()
    # A zombie has ended; only its parent has not asked how.
    return "" if not parts or parts[0] in {"Z", "X"} else parts[_STARTED_FIELD]


def is_process(process: int, started: str) -> bool:
    """Tell whether the process that started then still runs.

    Where the kernel does not say when (no /proc), a process of that number counts.
    """
    if started:
        return process_started(process) == started
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
