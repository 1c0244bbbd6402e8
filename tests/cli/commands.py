"""The command as a real process, in a home and a directory of its own."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

COMMAND = str(Path(sys.executable).with_name("corbie"))

ECHO = "return input\n"
ECHO_FLOW = """\
flow: echo
input: {word: string}
title: "the word ${input.word}"
stages:
  say:
    job: {script: ./echo.js, input: "${input.word}"}
output: "${stages.say.output}"
"""
SLOW = 'log("begun")\nsleep(60000)\n'


@dataclass(frozen=True)
class Done:
    status: int
    out: str
    err: str


@dataclass(frozen=True)
class Cli:
    """`run` carries out a command; the files of `folder` are what it sees."""

    root: Path
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.root / "home"

    @property
    def folder(self) -> Path:
        return self.root / "work"

    def run(self, *words: str, given: str | None = None) -> Done:
        done = subprocess.run(
            [COMMAND, *words],
            cwd=self.folder,
            env=self._all_variables(),
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    @contextlib.contextmanager
    def started(self, *words: str) -> Iterator[subprocess.Popen[str]]:
        """`corbie start`, ready; ended by SIGTERM at the end."""
        roles = [word for word in words if word in {"controller", "runner"}]
        process = subprocess.Popen(
            [COMMAND, "start", *words],
            cwd=self.folder,
            env=self._all_variables(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        with process:
            assert process.stdout is not None
            for _ in roles or ["controller", "runner"]:
                assert process.stdout.readline().endswith(" is ready\n")
            try:
                yield process
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(30)

    def write(self, name: str, text: str | bytes) -> None:
        data = text if isinstance(text, bytes) else text.encode()
        (self.folder / name).write_bytes(data)

    def _all_variables(self) -> dict[str, str]:
        plain = {name: value for name, value in os.environ.items() if name[:7] != "CORBIE_"}
        return {**plain, "CORBIE_HOME": str(self.home), **self.environment}


def make_cli(root: Path, **environment: str) -> Cli:
    """A home that is not set up, and a directory with a flow and its script."""
    cli = Cli(root, environment)
    cli.folder.mkdir(parents=True)
    cli.write("echo.js", ECHO)
    cli.write("echo.yaml", ECHO_FLOW)
    return cli


def copy_home(made: Cli, root: Path) -> Cli:
    """A copy of a home that was set up: cheaper than to set up another."""
    cli = make_cli(root)
    shutil.copytree(made.home, cli.home)
    return cli
