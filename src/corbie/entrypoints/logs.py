"""The logs of a process, on standard error: lines for people, or JSON lines for programs.

Source: Interfaces, Configuration (logging).
"""

import logging
import sys
from typing import Literal

import structlog


def start_logging(log_format: Literal["human", "json"], *, level: int = logging.INFO) -> None:
    """Write what this process logs from now on to standard error.

    A traceback shows no values of variables: they may be an author's.
    """
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
    ]
    last: list[structlog.typing.Processor]
    if log_format == "json":
        last = [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    else:
        is_coloured = sys.stderr.isatty()
        last = [
            structlog.dev.ConsoleRenderer(
                colors=is_coloured,
                timestamp_key="at",
                pad_event_to=0,
                exception_formatter=structlog.dev.plain_traceback,
            )
        ]
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # Libraries' own news, such as every request of httpx with its URL, are not ours to write.
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.WARNING)
