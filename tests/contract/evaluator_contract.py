"""What every evaluator must do. A subclass gives `make`, and says whether it reads ES2023."""

import os
import subprocess
import sys
import threading

import pytest

from corbie.domain.errors import ExpressionFault
from corbie.domain.times import SECOND, Instant
from tests.contract.evaluator_cases import (
    AT,
    ES5,
    ES2023,
    MORE,
    NO_EXPRESSIONS,
    SEED,
    VALUES,
    Fault,
)
from tests.contract.evaluator_escapes import ESCAPES

TIME = "it takes longer than 1 second"
MEMORY = "it needs more than 64 MiB"
STACK = "it calls itself too deep"
SIZE = "the result is larger than 8 MiB"
HOG = "(function () { var a = [1, 2]; for (;;) a = a.concat(a); })()"
SPIN = "(function () { for (;;) { try { for (;;); } finally { continue; } } })()"
CAUGHT = "(function f() { try { return f(); } catch (e) { return 1; } })()"
SWALLOWED = (
    "(function () { function f() { return f(); }"
    " l: for (;;) { try { f(); } finally { break l; } } return 1; })()"
)
HELD = "(function () { try { return new Array(3e7).join('xxxxxxxx'); } catch (e) { return 1; } })()"
LIMITS = [
    pytest.param("(function () { for (;;); })()", TIME, marks=pytest.mark.slow),
    pytest.param("/^(a+)+$/.test(new Array(50).join('a') + 'b')", TIME, marks=pytest.mark.slow),
    pytest.param(SPIN, TIME, marks=pytest.mark.slow),
    pytest.param("new Array(1e8).join('')", TIME, marks=pytest.mark.slow),
    pytest.param(HOG, MEMORY, marks=pytest.mark.slow),
    (HELD, MEMORY),
    ("(function f() { return f() + 1; })()", STACK),
    ("(function f() { return [1].map(f); })()", STACK),
    (CAUGHT, STACK),
    (SWALLOWED, STACK),
    ("new Array(9 * 1024 * 1024).join('x')", SIZE),
    ("new Array(3 * 1024 * 1024).join('é€')", SIZE),
]


def short(value):
    return value[:60] if isinstance(value, str) else None


class EvaluatorContract:
    """Evaluator and ExpressionScope."""

    is_es2023 = True

    def make(self):
        """Give a new evaluator."""
        raise NotImplementedError

    @pytest.fixture
    def evaluator(self):
        return self.make()

    @pytest.fixture
    def scope(self, evaluator):
        return evaluator.open_scope(VALUES, at=AT, seed=SEED)

    @pytest.mark.parametrize(("source", "expected"), ES5, ids=short)
    def test_an_expression_gives_its_value_or_its_error(self, evaluator, scope, source, expected):
        more = MORE if "item" in evaluator.read_names(source).free else None

        if isinstance(expected, Fault):
            with pytest.raises(ExpressionFault) as caught:
                scope.evaluate(source, more)
            assert caught.value.what == expected
            assert caught.value.source == source
        else:
            value = scope.evaluate(source, more)
            assert value == expected
            assert type(value) is type(expected)

    @pytest.mark.parametrize(("source", "expected"), ES2023, ids=short)
    def test_es2023_gives_its_value_or_is_refused_by_name(self, scope, source, expected):
        if not self.is_es2023:
            with pytest.raises(ExpressionFault, match="reads ES5"):
                scope.evaluate(source)
        elif isinstance(expected, Fault):
            with pytest.raises(ExpressionFault) as caught:
                scope.evaluate(source)
            assert caught.value.what == expected
        else:
            assert scope.evaluate(source) == expected

    @pytest.mark.parametrize(("source", "said"), NO_EXPRESSIONS, ids=short)
    def test_what_is_no_expression_is_refused_before_it_runs(self, evaluator, scope, source, said):
        for ask in (evaluator.read_names, scope.evaluate):
            with pytest.raises(ExpressionFault) as caught:
                ask(source)
            assert caught.value.what.startswith(said)

    def test_every_expression_ends_at_its_own_brace(self, evaluator):
        for source, _ in ES5:
            assert evaluator.find_end(source + "} tail }", 0) == len(source)
            assert evaluator.find_end("a ${" + source + "}", 4) == len(source) + 4

    def test_a_brace_in_a_text_or_an_object_ends_nothing(self, evaluator):
        for source in ("'}'", "{ a: '}' }.a", "{ a: { b: /}/ } }", "/* } */ 1", "'{' + 1"):
            assert evaluator.find_end(f"{source}}}", 0) == len(source)

    def test_an_expression_without_an_end_says_so(self, evaluator):
        with pytest.raises(ExpressionFault, match="is not closed; write } after it"):
            evaluator.find_end("input.n", 0)
        with pytest.raises(ExpressionFault, match="longer than 16 KiB"):
            evaluator.find_end("1+" * 9_000 + "1}", 0)
        with pytest.raises(ExpressionFault, match="this is not JavaScript"):
            evaluator.find_end("input.n +}", 0)
        with pytest.raises(ExpressionFault, match="more than 1000 }"):
            evaluator.find_end("'" + "}" * 2_000, 0)

    @pytest.mark.parametrize("source", ESCAPES, ids=short)
    def test_an_escape_fails_and_leaves_nothing_behind(self, evaluator, source):
        scope = evaluator.open_scope(VALUES, at=AT, seed=SEED)
        before = scope.evaluate("[input, typeof {}.x, Date.now(), [3, 1].map(String)]")

        with pytest.raises(ExpressionFault):
            scope.evaluate(source)

        assert scope.evaluate("[input, typeof {}.x, Date.now(), [3, 1].map(String)]") == before

    def test_chance_comes_from_the_seed_and_the_evaluations_number(self, evaluator):
        def draw(seed, count=3):
            scope = evaluator.open_scope({}, at=AT, seed=seed)
            return [scope.evaluate("[Math.random(), Math.random()]") for _ in range(count)]

        first = draw("a")

        assert draw("a") == first
        numbers = [number for pair in first + draw("b") + draw("aa") for number in pair]
        assert len(set(numbers)) == len(numbers)
        assert all(0 <= number < 1 for number in numbers)

    def test_a_failed_evaluation_counts(self, evaluator):
        one = evaluator.open_scope({"x": None}, at=AT, seed="s")
        other = evaluator.open_scope({"x": None}, at=AT, seed="s")
        with pytest.raises(ExpressionFault):
            one.evaluate("x.y")
        other.evaluate("1")

        assert one.evaluate("Math.random()") == other.evaluate("Math.random()")

    def test_time_stands_at_the_scopes_instant(self, evaluator):
        early = evaluator.open_scope({}, at=Instant(SECOND), seed="")
        late = evaluator.open_scope({}, at=Instant(2 * SECOND), seed="")

        assert [scope.evaluate("Date.now()") for scope in (early, late, early)] == [
            1000,
            2000,
            1000,
        ]

    def test_another_process_with_other_surroundings_gives_the_same(self):
        program = f"from {type(self).__module__} import print_all; print_all()"
        surroundings = (
            {"TZ": "UTC", "LC_ALL": "C", "PYTHONHASHSEED": "1", "PYTHONIOENCODING": "utf-8"},
            {"TZ": "Asia/Kathmandu", "LC_ALL": "C.UTF-8", "LANG": "de_DE", "PYTHONHASHSEED": "2"},
            {"TZ": "America/New_York", "PYTHONHASHSEED": "3", "PYTHONUTF8": "1"},
        )

        answers = {
            subprocess.run(
                [sys.executable, "-c", program],
                env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path), **around},
                capture_output=True,
                check=True,
            ).stdout
            for around in surroundings
        }

        assert len(answers) == 1
        assert answers.pop().count(b"\n") > 100

    def test_names_of_one_evaluation_are_gone_in_the_next(self, scope):
        assert scope.evaluate("item", {"item": 1}) == 1
        with pytest.raises(ExpressionFault, match='"item" is not a name here'):
            scope.evaluate("item")

    def test_names_of_one_evaluation_stand_before_the_scopes_and_are_frozen(self, scope):
        assert scope.evaluate("input", {"input": 1}) == 1
        assert scope.evaluate("input.n") == 2
        with pytest.raises(ExpressionFault, match="cannot be changed"):
            scope.evaluate("item.a = 1", {"item": {"a": 0}})

    def test_scopes_do_not_see_each_other(self, evaluator):
        scopes = [evaluator.open_scope({"n": n}, at=AT, seed="") for n in range(40)]

        assert [scope.evaluate("n") for scope in scopes] == list(range(40))
        assert [scope.evaluate("n + 1") for scope in scopes] == list(range(1, 41))
        for scope in scopes:
            scope.close()

    def test_threads_share_an_evaluator_and_a_scope(self, evaluator):
        scope = evaluator.open_scope({"n": 20}, at=AT, seed="")
        answers = []

        def work():
            answers.extend(scope.evaluate("n + 1") for _ in range(50))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert answers == [21] * 200

    @pytest.mark.parametrize(("source", "said"), LIMITS, ids=short)
    def test_a_limit_ends_the_expression_and_nothing_else(self, evaluator, source, said):
        scope = evaluator.open_scope(VALUES, at=AT, seed=SEED)

        with pytest.raises(ExpressionFault) as caught:
            scope.evaluate(source)

        assert caught.value.what.startswith(said)
        assert scope.evaluate("input.n") == 2

    def test_a_result_of_just_under_8_mib_and_200_levels_is_given(self, scope):
        assert len(scope.evaluate("new Array(8 * 1024 * 1024 - 2).join('x')")) == 8 * 1024**2 - 3
        deep = "(function () { var a = 1; for (var i = 0; i < 200; i++) a = [a]; return a; })()"
        assert str(scope.evaluate(deep)).count("[") == 200

    def test_large_inputs_do_not_count_as_memory_of_an_expression(self, evaluator):
        many = [{"id": number, "tags": ["a", "b"]} for number in range(100_000)]
        scope = evaluator.open_scope({"many": many}, at=AT, seed="")

        assert scope.evaluate("many.length") == 100_000
        assert scope.evaluate("more.length", {"more": many}) == 100_000

    @pytest.mark.slow
    def test_expressions_of_one_scope_have_ten_seconds_together(self, evaluator):
        scope = evaluator.open_scope({}, at=AT, seed="")
        said = ""
        for _ in range(12):
            with pytest.raises(ExpressionFault) as caught:
                scope.evaluate("(function () { for (;;); })()")
            said = caught.value.what

        assert said.startswith("the expressions of one step take longer than 10 seconds")
        with pytest.raises(ExpressionFault, match="10 seconds"):
            scope.evaluate("1")
        assert evaluator.open_scope({}, at=AT, seed="").evaluate("1") == 1


def print_answers(evaluator):
    """Write every case's answer, for another process to compare."""
    scope = evaluator.open_scope(VALUES, at=AT, seed=SEED)
    draws = [("Math.random()", None), ("new Date('Jan 2 2026 10:00').toString()", None)]
    for source, _ in [*ES5, *ES2023, *draws]:
        try:
            answer = ascii(scope.evaluate(source, MORE))
        except ExpressionFault as fault:
            answer = ascii(fault.what)
        sys.stdout.write(f"{answer}\n")
