"""A script in QuickJS: its context, its names, and the calls it makes out of it.

Only JSON text passes the border, which loses or breaks everything else: integers past 2^31, text
after a NUL, bytes, exceptions. Source: Values and expressions, Engines; Scripts.
"""

import json
import posixpath
import re
import time
from collections.abc import Mapping
from functools import cache
from importlib import import_module, resources
from typing import Protocol

import quickjs

from corbie.adapters.scripts.exits import Exits
from corbie.adapters.scripts.faults import Function, ModuleFault
from corbie.adapters.scripts.frames import WHOLE_BYTES_MAX
from corbie.adapters.scripts.lines import LineMap
from corbie.domain.places import nearest_name
from corbie.domain.values import JsonValue

HEAP_BYTES_MAX = 512 * 1024 * 1024
"""What a script's own values may use: a few whole things of 64 MiB, copied."""

STACK_BYTES_MAX = 2 * 1024 * 1024
SLEEP_MS_MAX = 366 * 24 * 3600 * 1000

MODULES = ("env", "exec", "fs", "html", "http", "json")
LATER = (
    *("archive", "blobs", "csv", "hash", "machines", "model", "tar", "text", "time"),
    *("toml", "url", "yaml", "zip"),
)

_EVENT = re.compile(r"[A-Za-z][A-Za-z0-9_.-]{0,99}")
_RESERVED = re.compile(r"(start|done|failed|timer)(\..*)?")
_GIVEN = ("input", "job", "secrets")
_HEAD = "(function (require, module, exports) { return function () {"
_TAIL = "\n}})"


class Reports(Protocol):
    """Where a script's words go; see `job.Reports`."""

    def say(self, level: str, value: str, name: str | None = None) -> None:
        """Hand over a log line or an emitted value."""
        ...

    def finish(self, output: str) -> None:
        """Hand over the output and end the process."""
        ...

    def end(self, **outcome: object) -> None:
        """Hand over another outcome and end the process."""
        ...


@cache
def read_shape(name: str) -> str:
    """Give the JavaScript of the shim or of a module's shape."""
    folder, _, file = name.rpartition("/")
    here = resources.files("corbie.adapters.scripts")
    return (here / folder / file if folder else here / file).read_text("utf-8")


def preload_shapes() -> None:
    """Read every shape, so that no job's process has to."""
    read_shape("shim.js")
    for name in MODULES:
        read_shape(f"modules/{name}.js")


class Engine:
    """A fresh context with the shim in it, for one script."""

    def __init__(self) -> None:
        """Make everything ready that needs no order."""
        self._lines = LineMap()
        self._host: _Host | None = None
        context = quickjs.Context()
        context.set_memory_limit(HEAP_BYTES_MAX)
        context.set_max_stack_size(STACK_BYTES_MAX)
        context.add_callable("corbieCall", self._call)
        self._start = context.eval(self._lines.place(None, read_shape("shim.js")))
        # The engine's objects do not keep their context.
        self._context = context

    def _call(self, name: str, given: str) -> str:
        return self._host.call(name, given) if self._host else "{}"

    def run(self, told: Mapping[str, JsonValue], exits: Exits, reports: Reports) -> None:
        """Run the script an order tells of, and hand over how it ended."""
        sources = told["sources"]
        files = sources if isinstance(sources, dict) else {}
        host = self._host = _Host(files, self._lines, exits, reports)
        setup = {"main": told["script"], **{name: told[name] for name in _GIVEN}}
        try:
            result = str(self._start(json.dumps(setup)))
        except (quickjs.JSException, quickjs.StackOverflow, UnicodeError) as error:
            # Even the report of what was thrown threw: there is no memory left for it.
            reports.end(status="error", error=f"the script's engine gave up: {str(error)[:500]}")
            return
        if result[:1] == "d":
            reports.finish(result[1:])
        thrown = json.loads(result[1:])
        host.report(str(told["script"]), thrown["message"], thrown["stack"])


class _Host:
    """What the shim may ask for: by name, with a list of arguments."""

    def __init__(
        self,
        sources: Mapping[str, JsonValue],
        lines: LineMap,
        exits: Exits,
        reports: Reports,
    ) -> None:
        self._lines = lines
        self._sources = {path: str(text) for path, text in sources.items()}
        self._exits = exits
        self._reports = reports
        self._functions: dict[str, Function] = {
            "log": self._log,
            "emit": self._emit,
            "fail": self._fail,
            "sleep": self._sleep,
            "find": self._find,
            "code": self._code,
            "text": lambda given: self._sources[str(given[0])],
            "module": self._module,
        }

    def call(self, name: str, given: str) -> str:
        """Answer one call: `{ok}` or `{error, code}`, as JSON text; never raises."""
        try:
            answer: dict[str, JsonValue] = {"ok": self._functions[name](json.loads(given))}
        except ModuleFault as fault:
            answer = {"error": str(fault), "code": fault.code}
        except MemoryError:
            answer = {"error": "the job's process has no memory left", "code": "failed"}
        except Exception as error:  # noqa: BLE001 - the engine breaks on any exception
            answer = {"error": f"{name}: {type(error).__name__}: {error}", "code": "failed"}
        return json.dumps(answer)

    def report(self, script: str, message: str, stack: str) -> None:
        """Hand over an error in the author's terms."""
        place, frames = self._lines.read_stack(stack)
        if message.startswith("SyntaxError:") and self._lines.ends_early(stack):
            message = "SyntaxError: the file ends before a {, ( or [ is closed"
        if "out of memory" in message:
            message = f"the script used more than {HEAP_BYTES_MAX >> 20} MiB of memory"
        self._reports.end(
            status="error", error=message[:10_000], place=place or script, stack=frames or None
        )

    def _log(self, given: list[JsonValue]) -> JsonValue:
        self._reports.say(str(given[0]), json.dumps(given[1], ensure_ascii=False))
        return None

    def _emit(self, given: list[JsonValue]) -> JsonValue:
        name = given[0]
        if name is not None:
            if not isinstance(name, str) or _EVENT.fullmatch(name) is None:
                message = (
                    "an event's name is a letter, then up to 99 letters, digits and _ - .; to emit"
                    " a value without a name, give it alone"
                )
                raise ModuleFault(message, "bad_input")
            if _RESERVED.fullmatch(name):
                message = f'the event "{name}" comes from Corbie only; choose another name'
                raise ModuleFault(message, "bad_input")
        text = json.dumps(given[1], ensure_ascii=False)
        if len(text.encode()) > WHOLE_BYTES_MAX:
            message = f"the emitted value is larger than {WHOLE_BYTES_MAX >> 20} MiB as JSON"
            raise ModuleFault(message, "bad_input")
        self._reports.say("emit", text, name)
        return None

    def _fail(self, given: list[JsonValue]) -> JsonValue:
        place, frames = self._lines.read_stack(str(given[2]))
        self._reports.end(
            status="error", error=str(given[0]), data=given[1], place=place, stack=frames or None
        )
        return None

    def _sleep(self, given: list[JsonValue]) -> JsonValue:
        span_ms = given[0] if given else None
        if not isinstance(span_ms, int | float) or not 0 <= span_ms <= SLEEP_MS_MAX:
            message = "sleep takes a number of milliseconds, 0 or more"
            raise ModuleFault(message, "bad_input")
        time.sleep(span_ms / 1000)
        return None

    def _find(self, given: list[JsonValue]) -> JsonValue:
        """Give the path of a required file: beside the one that requires it, `.js` implied."""
        here, name = str(given[0]), str(given[1])
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), name))
        for found in (path, f"{path}.js", f"{path}/index.js"):
            if found in self._sources:
                return found
        message = f'{here} requires "{name}", which is not among the files sent with this job'
        raise ModuleFault(message, "not_found")

    def _code(self, given: list[JsonValue]) -> JsonValue:
        path = str(given[0])
        text = self._sources.get(path)
        if text is None:
            message = f"the script {path} was not sent with this job"
            raise ModuleFault(message, "not_found")
        if "\0" in text:
            # The engine would read the file only up to there.
            message = f"the script {path} holds a NUL character"
            raise ModuleFault(message, "bad_input")
        return {"code": self._lines.place(path, text, _HEAD, _TAIL), "body": text}

    def _module(self, given: list[JsonValue]) -> JsonValue:
        name = str(given[0])
        if name in LATER:
            message = f'the module "{name}" is not part of this version of Corbie yet'
            raise ModuleFault(message, "not_found")
        if name not in MODULES:
            near = nearest_name(name, (*MODULES, *LATER))
            mend = f'did you mean "{near}"?' if near else f"there are {', '.join(MODULES)}"
            message = f'there is no module "{name}" (a file begins with ./); {mend}'
            raise ModuleFault(message, "not_found")
        opened = import_module(f"corbie.adapters.scripts.modules.{name}")
        functions: Mapping[str, Function] = opened.open_module(self._exits)
        for function, answer in functions.items():
            self._functions[f"{name}.{function}"] = answer
        return self._lines.place(None, read_shape(f"modules/{name}.js"))
