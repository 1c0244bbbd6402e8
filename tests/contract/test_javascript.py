"""The JavaScript engines keep the evaluator port's contract, and their own promises."""

import resource
import threading
import time

import pytest

from corbie.adapters.javascript.quickjs import QuickJsEvaluator
from corbie.adapters.javascript.syntax import BUILTIN_NAMES
from corbie.adapters.javascript.watching import Watch
from corbie.domain.errors import ExpressionFault
from tests.contract.evaluator_cases import AT, VALUES
from tests.contract.evaluator_contract import EvaluatorContract, print_answers


def print_all():
    print_answers(QuickJsEvaluator())


class TestQuickJs(EvaluatorContract):
    """The default engine."""

    def make(self):
        return QuickJsEvaluator()


READINGS = [
    ("input.n + run.id", {"input": 0, "run": 10}),
    ("x => x + y", {"y": 9}),
    ("({ a, b: c, [d]: 1, e() { return f } })", {"a": 3, "c": 9, "d": 13, "f": 33}),
    ("(a, b = a, { c, d: [e = g] } = h, ...i) => [a, b, c, e, i]", {"g": 24, "h": 31}),
    ("() => { let k = 1; var v; function f() {} return [k, v, f, w] }", {"w": 59}),
    ("() => { { let k = 1 } return k }", {"k": 29}),
    ("() => { { var k = 1 } return k }", {}),
    ("() => { use(k); let k = 1 }", {"use": 8}),
    ("(a = b) => { var b; return a }", {"b": 5}),
    ("() => { for (const x of xs) use(x); return x }", {"xs": 24, "use": 28, "x": 43}),
    ("() => { for (let i = 0; i < n; i++); return i }", {"n": 28, "i": 44}),
    ("() => { try { a } catch ({ b, c }) { b; c } b }", {"a": 14, "b": 44}),
    ("() => { switch (s) { case 1: let t = 1; t } }", {"s": 16}),
    ("() => { l: for (;;) break l }", {}),
    ("(function f() { return f })", {}),
    ("`a${b}${`${c}`}`", {"b": 4, "c": 11}),
    ("a?.b.c[d]?.(e)", {"a": 0, "d": 7, "e": 12}),
    ("/re/g.test('s')", {}),
    ("typeof nope", {"nope": 7}),
    ("x => { x = 1; let y; [y, x.z] = [1, 2]; ({ y } = q) }", {"q": 49}),
    ("'é' + input", {"input": 6}),
    ("new Thing(a)", {"Thing": 4, "a": 10}),
    ("Math.max(NaN, undefined)", {}),
    ("/* z */ a // b\n", {"a": 8}),
]


@pytest.mark.parametrize(("source", "free"), READINGS)
def test_free_names_honour_scopes(source, free):
    assert dict(QuickJsEvaluator().read_names(source).free) == free


def test_members_are_read_by_dot_bracket_and_optional_chain():
    source = "[stages.a, stages['b-c'].x, stages?.d, stages[e], stages, (stages => stages.f)(1)]"

    reading = QuickJsEvaluator().read_names(source, "stages")

    assert reading.members == (
        ("stages", "a", 1),
        ("stages", "b-c", 11),
        ("stages", "d", 28),
        ("stages", None, 39),
        ("stages", None, 50),
    )


def test_a_member_under_an_escape_or_in_a_shorthand_is_no_plain_use():
    for source in ("stages['\\x61']", "({ stages })", "stages[`a`]", "{ ...stages }"):
        reading = QuickJsEvaluator().read_names(source, "stages")
        assert [member for _, member, _ in reading.members] == [None]


def test_a_fault_says_where_it_stands():
    with pytest.raises(ExpressionFault) as caught:
        QuickJsEvaluator().read_names("'é' + (this.x)")
    assert caught.value.offset == 7
    with pytest.raises(ExpressionFault) as caught:
        QuickJsEvaluator().read_names("1 + * 2")
    assert caught.value.offset == 4


def test_only_the_allowed_names_stand_in_the_global_object():
    evaluator = QuickJsEvaluator()
    scope = evaluator.open_scope({}, at=AT, seed="")

    for name in sorted(BUILTIN_NAMES):
        assert scope.evaluate(f"typeof {name}") in ("function", "object", "number", "undefined")
    for name in ("eval", "Function", "Promise", "Proxy", "Reflect", "globalThis", "Symbol"):
        with pytest.raises(ExpressionFault, match=f'"{name}" is not a name here'):
            scope.evaluate(name)


def test_a_watch_reports_each_stuck_evaluation_once():
    stuck = threading.Semaphore(0)
    watch = Watch(on_stuck=stuck.release, stuck_s=0.05)

    with watch.watching():
        assert stuck.acquire(timeout=5)
        assert not stuck.acquire(timeout=0.2)
    with watch.watching():
        assert stuck.acquire(timeout=5)


def test_a_watched_evaluator_gives_the_same_values():
    scope = QuickJsEvaluator(on_stuck=lambda: None).open_scope(VALUES, at=AT, seed="")

    assert scope.evaluate("input.n") == 2


@pytest.mark.slow
def test_memory_stays_flat_over_twenty_thousand_evaluations():
    evaluator = QuickJsEvaluator()
    source = "input.list.map(x => { const a = { x }; a.self = a; return x + input.n })"

    def work(count):
        for number in range(count):
            scope = evaluator.open_scope(VALUES, at=AT, seed=str(number))
            scope.evaluate(source)
            scope.evaluate(f"{number % 5000} + 1")
            scope.close()

    work(6_000)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    work(20_000)

    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 8 * 1024


@pytest.mark.slow
def test_an_evaluation_costs_microseconds():
    scope = QuickJsEvaluator().open_scope(VALUES, at=AT, seed="")
    scope.evaluate("input.n * 2")
    started = time.perf_counter()

    for _ in range(10_000):
        scope.evaluate("input.n * 2")

    # About 8 µs when the machine is idle; a shared one is given ten times as much.
    assert (time.perf_counter() - started) / 10_000 < 80e-6
