"""A script host whose processes start while everything else is still being imported.

Source: Interfaces (`test`); Performance.
"""

import contextlib
import threading

from corbie.adapters.scripts.host import ProcessScriptHost
from corbie.domain.errors import CorbieError
from corbie.domain.ports.clock import Clock


def start_host(clock: Clock) -> ProcessScriptHost:
    """Give a host at once; its first job waits for whatever is not ready by then."""
    host = ProcessScriptHost(clock=clock)
    threading.Thread(target=_warm, args=(host,), daemon=True).start()
    return host


def _warm(host: ProcessScriptHost) -> None:
    # The first job tries again, and says what is wrong.
    with contextlib.suppress(CorbieError):
        host.warm()
