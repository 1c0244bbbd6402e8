"""Suspect runs as empty files in a directory of this computer's."""

import os
import urllib.parse
from contextlib import suppress
from pathlib import Path

from corbie.domain.names import RunId

STUCK_STATUS = 75
"""The exit status of a process that an evaluation held up. Source: sysexits, EX_TEMPFAIL."""


class SuspectFolder:
    """A `Suspects`; `die` is what an evaluator calls when it is stuck."""

    def __init__(self, *, folder: Path) -> None:
        """Read which runs are suspects; the folder is made with the first."""
        self._folder = folder
        self._run: RunId | None = None
        names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
        self._suspects = {RunId(urllib.parse.unquote(name)) for name in names}

    def begin(self, run: RunId) -> bool:
        """Say that a run is evaluated from here to `end`; tells whether it is a suspect."""
        self._run = run
        return run in self._suspects

    def end(self) -> None:
        """Say that nothing is evaluated."""
        self._run = None

    def clear(self, run: RunId) -> None:
        """Suspect a run no more."""
        self._suspects.discard(run)
        with suppress(OSError):
            self._path(run).unlink(missing_ok=True)

    def die(self) -> None:
        """Write down the run under way and end this process at once; another one goes on."""
        with suppress(OSError):
            if self._run is not None:
                self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._path(self._run).touch(mode=0o600)
        os._exit(STUCK_STATUS)

    def _path(self, run: RunId) -> Path:
        return self._folder / urllib.parse.quote(run, safe="")


class NoSuspects:
    """A `Suspects` where no process outlives its trial."""

    def begin(self, run: RunId) -> bool:  # noqa: ARG002 - the port's
        """Suspect nobody."""
        return False

    def end(self) -> None:
        """Suspect nobody."""

    def clear(self, run: RunId) -> None:
        """Suspect nobody."""
