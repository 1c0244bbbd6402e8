"""A controller and a runner at work, as `corbie start` runs them, for as long as a block."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from corbie import Corbie

READY = ("controller", "runner")


@contextmanager
def served(folder: Path) -> Iterator[Corbie]:
    """Set up in a folder, start both with an interval of 60 s, and give a client."""
    home = folder / "home"
    environment = {**os.environ, "CORBIE_HOME": str(home)}
    command = [str(Path(sys.executable).with_name("corbie"))]
    subprocess.run(
        [*command, "init", "--name", "bench"], env=environment, check=True, capture_output=True
    )
    started = subprocess.Popen(
        [*command, "start", "--interval", "60s"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        assert started.stdout is not None
        for _ in READY:
            started.stdout.readline()
        yield Corbie(config={"home": str(home)})
    finally:
        started.send_signal(signal.SIGTERM)
        started.wait(timeout=30)
