"""Every example of the manual and the README runs, and prints what the page says.

A fenced block whose first line names a language and a file is that file; a later block of the
same name replaces it. In a `console` block a line that begins with `$ ` is a command, and what
follows is what it prints, `...` standing for any text. Commands other than corbie's are for the
reader: here a page is served already, at the address that stands for 127.0.0.1:8000.
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from typing_extensions import override

from corbie.entrypoints.cli.manual import manual_folder
from tests.architecture.checkout import ROOT

PAGES = sorted(manual_folder().glob("*.md"))
SERVED = "127.0.0.1:8000"
COMMAND = str(Path(sys.executable).with_name("corbie"))

_BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Example:
    words: list[str]
    expected: str


class QuietHandler(SimpleHTTPRequestHandler):
    @override
    def log_message(self, format: str, *args: object) -> None:
        del format, args


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    folder = tmp_path / "site"
    folder.mkdir()
    (folder / "index.html").write_text("<title>Example Domain</title>\n")
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=[page.stem for page in PAGES])
def test_a_page_prints_what_it_says(page: Path, site: str, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8").replace(SERVED, site)
    folder = tmp_path / "work"
    folder.mkdir()
    plain = {name: value for name, value in os.environ.items() if not name.startswith("CORBIE_")}
    environment = {**plain, "CORBIE_HOME": str(tmp_path / "home")}
    served: list[subprocess.Popen[bytes]] = []

    try:
        for language, name, body in _BLOCK.findall(text):
            if name:
                (folder / name).write_text(body, encoding="utf-8")
            if language == "console":
                for example in _examples(body):
                    seen = _carry_out(example, folder, environment, served)
                    assert _fits(example.expected, seen), (
                        f"{page.name}: {example.words} printed\n{seen}\nnot\n{example.expected}"
                    )
    finally:
        for process in served:
            with process:
                process.send_signal(signal.SIGTERM)
                process.wait(30)


def test_the_examples_that_are_files_have_no_problems() -> None:
    files = [str(path) for path in sorted((ROOT / "examples").glob("*.yaml"))]

    done = subprocess.run([COMMAND, "check", *files], capture_output=True, text=True, check=False)

    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count(": no problems") == len(files) > 1


def test_every_page_is_named_in_the_first() -> None:
    index = (manual_folder() / "index.md").read_text(encoding="utf-8")

    named = set(re.findall(r"^\| ([a-z][a-z-]+) \|", index, re.MULTILINE)) - {"page"}

    assert named == {page.stem for page in PAGES} - {"index"}


def _examples(body: str) -> Iterator[Example]:
    for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
        command, _, expected = part.partition("\n")
        yield Example(words=shlex.split(command), expected=expected)


def _carry_out(
    example: Example,
    folder: Path,
    environment: dict[str, str],
    served: list[subprocess.Popen[bytes]],
) -> str:
    program, *words = example.words
    if program != "corbie":
        return example.expected
    if words[-1] != "&":
        done = subprocess.run(
            [COMMAND, *words],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
        return done.stdout
    process = subprocess.Popen(
        [COMMAND, *words[:-1]], cwd=folder, env=environment, stdout=subprocess.PIPE
    )
    served.append(process)
    assert process.stdout is not None
    lines = [process.stdout.readline().decode() for _ in example.expected.splitlines()]
    # Two processes, ready in either order.
    return "".join(sorted(lines))


def _fits(expected: str, seen: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in expected.split("..."))
    return re.fullmatch(pattern, seen, re.DOTALL) is not None
