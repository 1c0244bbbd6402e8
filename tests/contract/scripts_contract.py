"""What every script host must do. A subclass gives the fixture `host`."""

import threading

import pytest

from corbie.domain.orders import Layer
from tests.contract.script_orders import SAYS, an_order, run_script, wait_until


class ScriptHostContract:
    """Values, words, errors, places and endings; no process is looked at here."""

    @pytest.mark.parametrize(
        ("source", "output"),
        [
            ("return 1 + 1", 2),
            ("", None),
            ("return undefined", None),
            ("return [undefined, { a: undefined, b: null }]", [None, {"b": None}]),
            ("return new Date(0)", "1970-01-01T00:00:00.000Z"),
            (r"return 'a\0b\ud800'", "a\0b\ufffd"),
            ("return 9007199254740993", 9007199254740992.0),
            ("return { ['__proto__']: 1 }", {"__proto__": 1}),
            ("'use strict'; return (function () { return this })() === undefined", True),
            ("return typeof corbieCall", "undefined"),
            ("const input = 1; const log = 2; const module = 3; return input + log + module", 6),
            ("Object.prototype.error = 1; Array.prototype.map = 2; return [1]", [1]),
        ],
    )
    def test_what_a_script_returns_is_its_output(self, host, source, output):
        outcome, _ = run_script(host, source)

        assert (outcome.status, outcome.output, outcome.error) == ("done", output, None)

    @pytest.mark.parametrize(
        ("source", "says"),
        [
            ("return () => 1", "the output is a function"),
            ("return { a: [1n] }", "the output.a[0] is a BigInt"),
            ("return new Map()", "Object.fromEntries"),
            ("return NaN", "the output is NaN"),
            ("return new Uint8Array(1)", "the output is bytes"),
            ("const a = {}; a.a = a; return a", "in a circle"),
            ("return Promise.resolve(1)", "returned a promise"),
            ("return 'x'.repeat(64 * 1024 * 1024)", "larger than 64 MiB"),
            ("return new Date(NaN)", "invalid Date"),
        ],
    )
    def test_an_output_that_is_no_json_value_is_an_error(self, host, source, says):
        outcome, _ = run_script(host, source)

        assert outcome.status == "error"
        assert says in outcome.error

    def test_a_script_sees_its_input_and_may_change_it(self, host):
        given = {"n": [1, 2.5, "\u00e9\0\U0001f600", None], "big": 1e300}

        outcome, _ = run_script(host, "input.more = 1; return input", given=given)

        assert outcome.output == {**given, "more": 1}

    def test_a_script_sees_its_job_and_its_secrets(self, host):
        more = {"attempt": 2, "request": "r", "key": "k", "secrets": {"T": "s3"}}

        outcome, _ = run_script(host, "return { ...job, t: secrets.T }", **more)

        assert outcome.output.pop("deadline").endswith("Z")
        assert outcome.output == {
            "name": "get",
            "request": "r",
            "attempt": 2,
            "run": "ada/run",
            "machine": "fetch",
            "key": "k",
            "t": "s3",
        }

    def test_words_come_in_order_with_their_levels(self, host):
        source = """
            log("a", { b: [1] }, undefined);
            console.warn(new TypeError("x"));
            emit({ n: 1 });
            emit("page.found", 2);
            console.error("end");
        """

        outcome, said = run_script(host, source)

        assert [(one.level, one.name, one.value) for one in said] == [
            ("info", None, 'a {"b":[1]} undefined'),
            ("warn", None, "TypeError: x"),
            ("emit", None, {"n": 1}),
            ("emit", "page.found", 2),
            ("error", None, "end"),
        ]
        assert outcome.emitted == 2

    @pytest.mark.parametrize("name", ["start", "done.x", "failed", "timer.a", "1a", "", "a b"])
    def test_a_reserved_or_odd_event_name_is_refused(self, host, name):
        outcome, said = run_script(host, f"emit({name!r}, 1)")

        assert outcome.status == "error"
        assert outcome.place == "get.js:1:1"
        assert said == []

    @pytest.mark.parametrize(
        ("source", "place", "says"),
        [
            ("throw new Error('boom')", "get.js:1:", "boom"),
            ("\n\n  null.x", "get.js:3:", "TypeError: cannot read"),
            ("const a = 1\nlet b = ;\n", "get.js:2:", "SyntaxError"),
            ("if (1) {\n  log(1)\n", "get.js:3:", "ends before a {"),
            ("}, function () {", "get.js", "closes what was never opened"),
            ("return await 1", "get.js:1:", "SyntaxError"),
            ("throw 'plain'", "get.js", "plain"),
            ("log(1)\nJSON.parse('\\n\\n\\n{')", "get.js:2:", "SyntaxError"),
            ("const f = () => {\n  throw new RangeError('r') }\nf()", "get.js:2:", "RangeError: r"),
            ("return require('fs').read(7)", "get.js:1:", "a path is an absolute one"),
            ("\nfail('gone', { n: 1 })", "get.js:2:", "gone"),
            ("(function f() { f() })()", "get.js:1:", "call stack"),
        ],
    )
    def test_an_error_names_the_place_as_the_author_wrote_it(self, host, source, place, says):
        outcome, _ = run_script(host, source)

        assert outcome.status == "error"
        assert says in outcome.error
        assert outcome.place.startswith(place)

    def test_fail_cannot_be_caught_and_carries_data(self, host):
        source = "try { fail('gone', { n: 1 }) } catch { log('no') } finally { log('never') }"

        outcome, said = run_script(host, source)

        assert (outcome.error, outcome.data, said) == ("gone", {"n": 1}, [])

    def test_files_are_required_relative_to_the_one_that_requires(self, host):
        files = {
            "lib/a.js": "exports.n = () => require('../b').n + require('./c.json').m;",
            "b.js": "module.exports = { n: 1 }; log('once');",
            "lib/c.json": '{"m": 41}',
        }

        source = "require('./b'); return require('./lib/a').n()"
        outcome, said = run_script(host, source, files=files)

        assert outcome.output == 42
        assert len(said) == 1

    def test_an_error_in_a_required_file_names_that_file(self, host):
        files = {"lib/a.js": "exports.f = () => {\n  throw new Error('inner');\n};"}

        outcome, _ = run_script(host, "\nrequire('./lib/a').f()", files=files)

        assert outcome.place.startswith("lib/a.js:2:")
        assert [line.split(":")[0] for line in outcome.stack.split("\n")][-1] == "at get.js"

    @pytest.mark.parametrize(
        ("name", "says"),
        [
            ("./gone", "not among the files"),
            ("../../etc/passwd", "not among the files"),
            ("./a", "in a circle: a.js requires b.js requires a.js"),
            ("htpp", 'did you mean "http"?'),
            ("yaml", "not part of this version"),
        ],
    )
    def test_what_cannot_be_required_says_why(self, host, name, says):
        files = {"a.js": "require('./b')", "b.js": "require('./a')"}

        outcome, _ = run_script(host, f"require('{name}')", files=files)

        assert says in outcome.error

    def test_a_refusal_names_entry_layer_and_mend_and_cannot_be_caught(self, host):
        source = """
            try { require("fs").read("/etc/hostname") }
            catch { log("caught") }
            finally { log("finally") }
        """

        outcome, said = run_script(host, source)

        assert said == []
        assert outcome.status == "denied"
        assert outcome.refused == "fs.read:/etc/hostname"
        assert outcome.layer == SAYS
        assert outcome.fix == "add fs.read:/etc/hostname to the allow list of that job"

    def test_a_denial_of_a_higher_layer_wins(self, host):
        layers = (
            Layer(says="the job", fix="", allow=("all",)),
            Layer(says="the flow", fix="", allow=None, deny=("fs.read:/etc/**",)),
        )

        outcome, _ = run_script(host, "require('fs').read('/etc/hostname')", layers=layers)

        assert outcome.fix == "remove fs.read:/etc/** from the deny list of the flow"

    def test_an_endless_script_ends_when_it_is_due(self, host):
        outcome, said = run_script(host, "emit(1); while (true);", due_s=0.5)

        assert outcome.status == "timeout"
        assert outcome.emitted == len(said) == 1

    def test_a_job_that_is_due_already_does_not_start(self, host):
        outcome, said = run_script(host, "emit(1)", due_s=-1)

        assert (outcome.status, said) == ("timeout", [])

    def test_a_cancelled_job_says_so(self, host):
        said, outcomes = [], []
        order = an_order()
        sources = {"get.js": "emit(1); sleep(60000)"}
        runner = threading.Thread(
            target=lambda: outcomes.append(host.run(order, sources, said.append))
        )
        runner.start()
        assert wait_until(lambda: said)

        host.cancel(order.job)
        runner.join(10)

        assert outcomes[0].status == "cancelled"

    def test_cancelling_what_is_not_under_way_does_nothing(self, host):
        host.cancel("ada.run.9.9")

    def test_what_the_caller_raises_ends_the_job_and_comes_through(self, host):
        def emit(_):
            message = "full"
            raise OSError(message)

        with pytest.raises(OSError, match="full"):
            run_script(host, "emit(1); sleep(60000)", emit=emit)

    def test_jobs_of_several_threads_run_at_once(self, host):
        outputs = []

        def work(number):
            outcome, _ = run_script(
                host, "sleep(200); return input", given=number, job=f"ada.run.1.{number}"
            )
            outputs.append(outcome.output)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert sorted(outputs) == list(range(8))

    def test_a_log_without_end_is_bounded(self, host):
        count = 0

        def emit(_):
            nonlocal count
            count += 1

        source = "const line = 'x'.repeat(65536); for (let i = 0; i < 16384; i++) log(line)"
        outcome, _ = run_script(host, source, emit=emit)

        assert outcome.status == "limit"
        assert "64 MiB" in outcome.error
        assert 900 < count <= 1024

    @pytest.mark.parametrize(
        "source",
        [
            "const a = []; while (true) a.push(new Array(1000).fill(7))",
            "let s = 'x'; while (true) s += s",
            "const a = []; while (true) a.push(new Uint8Array(1e7))",
        ],
    )
    def test_filling_the_memory_fails_that_job_alone(self, host, source):
        outcome, _ = run_script(host, source)

        assert outcome.status == "error"
        assert outcome.error
        assert run_script(host, "return 1")[0].output == 1
