"""The demonstration: a page's title, in memory first, then through a signed, encrypted store.

It needs nothing but this checkout: the page is served on loopback, the home is a temporary one.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from typing_extensions import override

HERE = Path(__file__).parent
CORBIE = [sys.executable, "-m", "corbie.entrypoints.cli.main"]
READY_LINES = 2
STOP_S = 30.0


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves the site without writing a line for each request."""

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Write nothing."""


def main() -> int:
    """Show both ways; 0 if every command ended well."""
    handler = partial(QuietHandler, directory=str(HERE / "site"))
    with (
        ThreadingHTTPServer(("127.0.0.1", 0), handler) as site,
        tempfile.TemporaryDirectory(prefix="corbie-demo-") as home,
    ):
        threading.Thread(target=site.serve_forever, daemon=True).start()
        try:
            return show(f"127.0.0.1:{site.server_port}", Path(home))
        finally:
            site.shutdown()


def show(served: str, home: Path) -> int:
    """Run the commands, each printed before what it prints."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("CORBIE_")}
    environment = {**plain, "CORBIE_HOME": str(home / "corbie")}
    given = json.dumps({"url": f"http://{served}"})

    say("In memory, with nothing set up:")
    status = run(["test", "title.yaml", "--input", given, "--watch"], environment)

    say("Durably: a controller, a runner and a client, and a store of files.")
    status |= run(["init", "--name", "demo"], environment)
    with start(environment) as processes:
        try:
            submit = ["run", "submit", "title.yaml", "--input", given, "--wait"]
            status |= run(submit, environment)
            status |= run(["run", "show", "last"], environment)
        finally:
            processes.terminate()
            processes.wait(STOP_S)

    say("What is left in the store: signed and encrypted files.")
    store = home / "corbie" / "store"
    for path in sorted(path for path in store.rglob("*") if path.is_file()):
        print(f"  {path.stat().st_size:>6}  {path.relative_to(store)}")
    status |= run(["store", "verify"], environment)
    return status


def say(text: str) -> None:
    """Print a heading."""
    print(f"\n{text}\n", flush=True)


def run(words: list[str], environment: Mapping[str, str]) -> int:
    """Print a command and carry it out; give its exit status."""
    print(f"$ corbie {shlex.join(words)}", flush=True)
    done = subprocess.run([*CORBIE, *words], cwd=HERE, env=environment, check=False)
    return done.returncode


def start(environment: Mapping[str, str]) -> subprocess.Popen[str]:
    """Start the processes; they are ready when this returns."""
    print("$ corbie start &", flush=True)
    served = subprocess.Popen(
        [*CORBIE, "start"], cwd=HERE, env=environment, stdout=subprocess.PIPE, text=True
    )
    if served.stdout is not None:
        for _ in range(READY_LINES):
            print(served.stdout.readline(), end="", flush=True)
    return served


if __name__ == "__main__":
    sys.exit(main())
