"""QuickJS: expressions compiled once, in a frozen context per thread, limited by the engine.

What an expression may be is in `syntax`, a thread's context in `realm`, what it runs in the
package's JavaScript files, the words of errors in `messages`.
Source: Values and expressions, Engines.
"""

import itertools
import json
import re
import threading
from collections.abc import Callable, Mapping

from corbie.adapters.javascript import messages
from corbie.adapters.javascript.realm import Attempt, Checker, Inputs, Realm
from corbie.adapters.javascript.syntax import Syntax
from corbie.adapters.javascript.watching import Watch
from corbie.domain.errors import ExpressionFault
from corbie.domain.ports.evaluator import ExpressionScope, Reading
from corbie.domain.times import MILLISECOND, Instant
from corbie.domain.values import VALUE_BYTES_MAX, JsonValue, read_json

TIME_MAX_S = 1.0
SCOPE_TIME_MAX_S = 10.0
# What an evaluation is given when other threads used up the process's time.
_SECOND_TRY = 8

_LONG_NUMBER = re.compile(r"[0-9]{16}|[0-9]e")
_SURROGATE = re.compile("[\ud800-\udfff]")


class _Local(threading.local):
    """What belongs to one thread."""

    realm: Realm | None = None
    checker: Checker | None = None


class QuickJsEvaluator:
    """The default engine; may be used from several threads."""

    def __init__(self, *, on_stuck: Callable[[], None] | None = None) -> None:
        """Hold what to call, from another thread, once an evaluation is 10 s old."""
        self._local = _Local()
        self._syntax = Syntax(compile_fault=self._find_compile_fault)
        self._watch = None if on_stuck is None else Watch(on_stuck=on_stuck)
        self._scopes = itertools.count()

    def find_end(self, text: str, start: int) -> int:
        """Give the index of the `}` that ends the expression beginning at start."""
        return self._syntax.find_end(text, start)

    def read_names(self, source: str, members_of: str | None = None) -> Reading:
        """Give what an expression reads; `NAME?.member` is a use of the member too."""
        return self._syntax.read_names(source, members_of)

    def open_scope(
        self, values: Mapping[str, JsonValue], *, at: Instant, seed: str
    ) -> ExpressionScope:
        """Give a scope; its values cross to the engine with its first evaluation."""
        inputs = Inputs(
            number=next(self._scopes),
            text=_json_text(values),
            now_ms=float(at // MILLISECOND),
            seed=seed,
        )
        return QuickJsScope(self, inputs, frozenset(values))

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
        """Evaluate once in this thread's context; a limit throws the context away."""
        realm = self._local.realm
        if realm is None:
            realm = self._local.realm = Realm()
        if self._watch is None:
            made = realm.attempt(source, names, inputs, number=number, more=more, limit_s=limit_s)
        else:
            with self._watch.watching():
                made = realm.attempt(
                    source, names, inputs, number=number, more=more, limit_s=limit_s
                )
        if made.fault:
            self._local.realm = None
        return made

    def forget(self, inputs: Inputs) -> None:
        """Let this thread's context drop a scope's values."""
        if self._local.realm is not None:
            self._local.realm.forget(inputs.number)

    def _find_compile_fault(self, source: str) -> tuple[str, int | None] | None:
        checker = self._local.checker
        if checker is None:
            checker = self._local.checker = Checker()
        return checker.find_fault(source)


class QuickJsScope:
    """Values that expressions read; each thread that evaluates here parses them once."""

    def __init__(self, evaluator: QuickJsEvaluator, inputs: Inputs, names: frozenset[str]) -> None:
        """Hold the values as one JSON text, and what they are called."""
        self._evaluator = evaluator
        self._inputs = inputs
        self._names = names
        self._number = 0
        self._spent_s = 0.0

    def evaluate(self, source: str, more: Mapping[str, JsonValue] | None = None) -> JsonValue:
        """Give an expression's value.

        Raises:
            ExpressionFault: as the port says, and where the scope does not hold a name.
        """
        number = self._number
        self._number += 1
        free = self._evaluator.read_names(source).free
        for name, offset in free.items():
            if name not in self._names and (more is None or name not in more):
                message = f'"{name}" is not a name here'
                raise ExpressionFault(message, source=source, offset=offset)
        names = tuple(free)
        answer = self._ask(source, names, number, _json_text(more) if more else None)
        return _read_answer(answer, source)

    def close(self) -> None:
        """Let go of the values; another thread's context drops them when it needs room."""
        self._evaluator.forget(self._inputs)

    def _ask(self, source: str, names: tuple[str, ...], number: int, more: str | None) -> str:
        """Give the border's answer."""
        left_s = SCOPE_TIME_MAX_S - self._spent_s
        if left_s <= 0:
            raise ExpressionFault(messages.STEP_TIME_PASSED, source=source)
        limit_s = min(TIME_MAX_S, left_s)

        def attempt(factor: int) -> Attempt:
            return self._evaluator.attempt(
                source, names, self._inputs, number=number, more=more, limit_s=limit_s * factor
            )

        made = attempt(1)
        if made.is_interrupted and made.took_s < limit_s * 0.9:
            # The engine counts the time of the whole process, of which other threads took a
            # part. An evaluation changes nothing, so it is simply made once more.
            made = attempt(_SECOND_TRY)
        self._spent_s += made.took_s
        if made.fault:
            is_last = made.fault == messages.TIME_PASSED and limit_s < TIME_MAX_S
            raise ExpressionFault(
                messages.STEP_TIME_PASSED if is_last else made.fault, source=source
            )
        return made.answer


def _read_answer(answer: str, source: str) -> JsonValue:
    """Give the value in the border's answer, or raise the fault in it."""
    if answer[0] != "!":
        if len(answer) * 4 > VALUE_BYTES_MAX and len(answer.encode()) > VALUE_BYTES_MAX:
            raise ExpressionFault(messages.SIZE_PASSED, source=source)
        return _read_value(answer)
    kind = answer[1]
    facts = json.loads(answer[2:]) if len(answer) > 2 else "null"
    if kind == "r":
        what = messages.word_result(facts[0], facts[1][::-1])
    elif kind == "e":
        what = messages.word_error(facts[0], facts[1])
    else:
        what = messages.word_thrown(facts)
    raise ExpressionFault(_mend(what), source=source)


def _read_value(text: str) -> JsonValue:
    # Python reads JavaScript's numbers as they are, but for those past 2^53.
    value: JsonValue = read_json(text) if _LONG_NUMBER.search(text) else json.loads(text)
    return _mend_all(value) if "\\ud" in text else value


def _mend(text: str) -> str:
    """Put U+FFFD in the place of each half of a surrogate pair."""
    return _SURROGATE.sub("\ufffd", text)


def _mend_all(value: JsonValue) -> JsonValue:
    if isinstance(value, str):
        return _mend(value)
    if isinstance(value, list):
        return [_mend_all(item) for item in value]
    if isinstance(value, dict):
        return {_mend(name): _mend_all(item) for name, item in value.items()}
    return value


def _json_text(values: Mapping[str, JsonValue]) -> str:
    # Escapes all but ASCII: half a surrogate pair could not cross otherwise.
    return json.dumps(values if isinstance(values, dict) else dict(values), separators=(",", ":"))
