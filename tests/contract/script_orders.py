"""Orders and small servers for the tests of script hosts."""

import contextlib
import os
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from corbie.domain.cards import Card
from corbie.domain.orders import JobOrder, Layer
from corbie.domain.times import SECOND

CLIENT = Card(name="ada", role="client", sign="", seal="")
SAYS = 'the job "get" in the definition of "fetch"'


class WallClock:
    """The system's clock."""

    def now(self):
        return time.time_ns()


def an_order(allow=(), *, due_s=60.0, layers=None, job="ada.run.1.0", given=None, **more):
    """Give an order for the script `get.js`, due so many seconds from now."""
    one = Layer(says=SAYS, fix="add {entry} to the allow list of that job", allow=tuple(allow))
    return JobOrder(
        job=job,
        run="ada/run",
        name="get",
        machine="fetch",
        script="get.js",
        files={},
        input=given,
        layers=(one,) if layers is None else layers,
        due=int(time.time_ns() + due_s * SECOND),
        client=CLIENT,
        **more,
    )


def run_script(host, source, allow=(), *, files=None, emit=None, **more):
    """Run a script and give its outcome and what it said."""
    said = []
    order = an_order(allow, **more)
    outcome = host.run(order, {"get.js": source, **(files or {})}, emit or said.append)
    return outcome, said


def has_ended(pid):
    """Tell whether a process is gone, or a zombie that nobody has looked at yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_until(fact, seconds=10.0):
    """Give whether a fact became true in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if fact():
            return True
        time.sleep(0.01)
    return False


def find_processes(mark):
    """Give the processes whose command line holds a mark."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                if mark.encode() in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return [pid for pid in found if not has_ended(pid)]


class _Answers(BaseHTTPRequestHandler):
    def do_GET(self):
        answer = self.server.answers.get(self.path.partition("?")[0])
        if answer is None:
            self.send_error(404)
            return
        status, headers, body = answer
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.server.seen.append(self.path)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        kind = self.headers.get("Content-Type", "-").encode()
        self.send_response(201)
        self.end_headers()
        self.wfile.write(kind + b" " + body)

    def log_message(self, *_):
        pass


@contextlib.contextmanager
def serving(answers):
    """Serve paths on loopback: each a status, headers and body."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Answers)
    server.daemon_threads = True
    server.answers, server.seen = answers, []
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def pour(server):
    """Answer one request with a body that never ends."""
    made, _ = server.accept()
    try:
        made.recv(65_536)
        made.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while True:
            made.sendall(b"x" * 1_000_000)
    except OSError:
        made.close()


def swap_link(inside, out, stop):
    """Lead a link to a folder inside, then to one outside, over and over."""
    draft = inside / "draft"
    while not stop.is_set():
        for target in (inside / "real", out):
            draft.symlink_to(target)
            draft.rename(inside / "at")
