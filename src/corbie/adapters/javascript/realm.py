"""One QuickJS context of one thread: frozen, with what it has compiled and the values it holds.

Source: Values and expressions, What it may use; Engines.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import quickjs

from corbie.adapters.javascript import guarding, messages
from corbie.adapters.javascript.prelude import make_prelude
from corbie.adapters.javascript.syntax import BUILTIN_NAMES

MEMORY_MAX_BYTES = 64 * 1024 * 1024
# What parsed JSON takes at most for each character of its text: `[],` makes a list of 100 bytes.
PARSED_BYTES_MAX = 48
# A compiled expression takes about 1.5 KiB; past this the oldest is compiled again when needed.
COMPILED_MAX = 2048
COMPILED_BYTES = 4096
# Scopes whose values a context holds; one past it is opened again from its text when needed.
SCOPES_MAX = 16
# QuickJS's own bound: results of 200 levels need half of it, a thread's stack has 8 MiB.
STACK_BYTES_MAX = 1024 * 1024

COMPILE_PREFIX = '(function(){"use strict";return ('

_NO_TIME_LIMIT = -1
_LIMITS = {"!lmemory": messages.MEMORY_PASSED, "!lstack": messages.RECURSION_PASSED}

# A function of the border: its own types are the package's, which has none.
Call = Callable[..., str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """The values of a scope, as the context is given them. `number` tells scopes apart."""

    number: int
    text: str
    now_ms: float
    seed: str


class Attempt(NamedTuple):
    """How an evaluation ended: with the border's answer, or with a limit, and after how long.

    A tuple: a frozen dataclass takes a microsecond to make, a tenth of an evaluation.
    """

    answer: str
    fault: str
    took_s: float
    is_interrupted: bool = False


class Realm:
    """Evaluates in the thread that made it. Useless once an attempt has a fault."""

    def __init__(self) -> None:
        """Make and freeze the context, in some milliseconds."""
        self._context = quickjs.Context()
        self._context.set_max_stack_size(STACK_BYTES_MAX)
        self._border = self._context.eval(make_prelude(BUILTIN_NAMES))
        pick = self._context.eval("(function (border, name) { return border[name]; })")
        self._open: Call = pick(self._border, "open")
        self._bind: Callable[..., Call] = pick(self._border, "bind")
        self._compiled: dict[str, Call] = {}
        self._scopes: dict[int, object] = {}
        self._held_bytes = self._measure()

    def attempt(
        self,
        source: str,
        names: tuple[str, ...],
        inputs: Inputs,
        *,
        number: int,
        more: str | None,
        limit_s: float,
    ) -> Attempt:
        """Evaluate once, in at most `limit_s` of the process's time and 64 MiB more."""
        call = self._compiled.get(source) or self._compile(source, names)
        scope = self._scopes.get(inputs.number) or self._open_scope(inputs)
        context = self._context
        beyond = 0 if more is None else PARSED_BYTES_MAX * len(more)
        context.set_memory_limit(self._held_bytes + MEMORY_MAX_BYTES + beyond)
        context.set_time_limit(limit_s)
        started = time.thread_time()
        try:
            answer, error = call(scope, number, more), ""
        except quickjs.JSException as caught:
            answer, error = "", str(caught)
        took_s = time.thread_time() - started
        fault = _word_limit(error) if error else _LIMITS.get(answer, "")
        if not fault and took_s > limit_s:
            # A built-in cannot be interrupted; it ended by itself, too late.
            fault = messages.TIME_PASSED
        return Attempt(
            answer=answer, fault=fault, took_s=took_s, is_interrupted="interrupted" in error
        )

    def forget(self, number: int) -> None:
        """Drop a scope's values."""
        self._scopes.pop(number, None)

    def _compile(self, source: str, names: tuple[str, ...]) -> Call:
        self._lift_limits()
        parameters = ",".join((guarding.NOTE, *names))
        code = f'(function({parameters}){{"use strict";return ({guarding.guard_catches(source)})}})'
        call = self._bind(self._context.eval(code), json.dumps(names), "throw" in source)
        if len(self._compiled) >= COMPILED_MAX:
            del self._compiled[next(iter(self._compiled))]
        self._compiled[source] = call
        self._held_bytes += COMPILED_BYTES + 4 * len(source)
        return call

    def _open_scope(self, inputs: Inputs) -> object:
        self._lift_limits()
        scope = self._open(inputs.text, inputs.now_ms, inputs.seed)
        if len(self._scopes) >= SCOPES_MAX:
            del self._scopes[next(iter(self._scopes))]
        self._scopes[inputs.number] = scope
        self._held_bytes = self._measure()
        return scope

    def _lift_limits(self) -> None:
        self._context.set_time_limit(_NO_TIME_LIMIT)
        self._context.set_memory_limit(0)

    def _measure(self) -> int:
        return int(self._context.memory()["malloc_size"])


class Checker:
    """Asks the engine whether it compiles a source; runs nothing. For the thread that made it."""

    def __init__(self) -> None:
        """Make a plain context."""
        self._context = quickjs.Context()
        self._context.set_max_stack_size(STACK_BYTES_MAX)

    def find_fault(self, source: str) -> tuple[str, int | None] | None:
        """Give the engine's objection and its offset in the source, None if it compiles."""
        try:
            self._context.eval(f"{COMPILE_PREFIX}{source})}})")
            # Valid as well only if the source closes no bracket around it.
            self._context.eval(f'(()=>{{"use strict";return [({source})]}})')
        except quickjs.JSException as error:
            return messages.word_compile_fault(str(error), COMPILE_PREFIX, source)
        return None


def _word_limit(error: str) -> str:
    if "interrupted" in error:
        return messages.TIME_PASSED
    if "call stack size exceeded" in error:
        return messages.RECURSION_PASSED
    return messages.MEMORY_PASSED
