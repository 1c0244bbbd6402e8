"""The rows that this version can be measured by."""

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.serving import served
from corbie import Corbie
from corbie.domain.steps import step
from tests.builders import a_context, a_machine, a_stage, a_start, done

CORBIE = Path(sys.executable).with_name("corbie")
Row = dict[str, object]

ONE = """flow: one
stages:
  only: { job: { script: ./twice.js, input: { n: "${input.n}" } } }
output: ${stages.only.output}
"""
TWO = """flow: two
stages:
  first: { job: { script: ./twice.js, input: { n: "${input.n}" } } }
  second: { job: { script: ./twice.js, input: { n: "${stages.first.output}" } } }
output: ${stages.second.output}
"""
TWICE = "return input.n * 2;\n"


def row(work: str, value: float, unit: str, target: float, *, most: bool) -> Row:
    """Give a row; `most` says that the target is an upper bound."""
    return {
        "work": work,
        "value": round(value, 3),
        "unit": unit,
        "peer": None,
        "peer_value": None,
        "ratio": None,
        "target": target,
        "met": value <= target if most else value >= target,
    }


def one_stage() -> Row:
    """Submit to done of a flow of one stage, 200 runs, one at a time, polling every 60 s."""
    spans = _submit(ONE, runs=200)
    work = "one stage, submit to done, p50 of 200, --interval 60s"
    return row(work, statistics.median(spans) * 1000, "ms", 100, most=True)


def two_jobs() -> Row:
    """Submit to done of a flow of two script jobs, one at a time."""
    spans = _submit(TWO, runs=100)
    work = "two script jobs, one at a time, p50 of 100"
    return row(work, statistics.median(spans) * 1000, "ms", 22, most=True)


def two_jobs_at_once() -> Row:
    """Runs a second of a flow of two script jobs, 32 at once."""
    with _work(TWO) as (corbie, path):
        bundle = corbie.read(path)
        corbie.submit(bundle, {"n": 1}).wait(timeout=30)
        began = time.perf_counter()
        waiting = [corbie.submit(bundle, {"n": n}) for n in range(32)]
        ended = 0
        submitted = 32
        while waiting:
            run = waiting.pop(0)
            run.wait(timeout=60)
            ended += 1
            if submitted < 200:
                waiting.append(corbie.submit(bundle, {"n": submitted}))
                submitted += 1
        rate = ended / (time.perf_counter() - began)
    return row("two script jobs, 32 at once, of 200", rate, "runs/s", 160, most=False)


def pure_steps() -> Row:
    """Steps a second of a flow of ten stages, one after another, in one process."""
    names = [f"s{number}" for number in range(10)]
    stages = [
        a_stage(name, input={"n": 1}, waits_for=tuple(names[max(0, at - 1) : at]))
        for at, name in enumerate(names)
    ]
    machine = a_machine(*stages, output="${stages.s9.output}")
    began, steps = time.perf_counter(), 0
    while time.perf_counter() - began < 2:
        decided = step(machine, None, [a_start({"n": 1})], a_context())
        steps += 1
        while decided.state.ended is None:
            job = next(iter(decided.state.jobs))
            decided = step(machine, decided.state, [done(job, 1)], a_context(steps))
            steps += 1
    rate = steps / (time.perf_counter() - began)
    return row("pure step, flow of ten stages", rate, "steps/s", 20_000, most=False)


def version() -> Row:
    """`corbie --version`, whole process."""
    spans = _command(["--version"])
    return row("corbie --version", statistics.median(spans), "s", 0.15, most=True)


def trial() -> Row:
    """`corbie test` of a one-stage flow, whole process."""
    with tempfile.TemporaryDirectory() as folder:
        path = _write(Path(folder), ONE)
        spans = _command(["test", str(path), "--input", '{"n": 1}'])
    return row("corbie test, one stage", statistics.median(spans), "s", 0.6, most=True)


def _command(words: list[str]) -> list[float]:
    spans = []
    for _ in range(7):
        began = time.perf_counter()
        subprocess.run([CORBIE, *words], check=True, capture_output=True)
        spans.append(time.perf_counter() - began)
    return spans


def _submit(text: str, *, runs: int) -> list[float]:
    with _work(text) as (corbie, path):
        bundle = corbie.read(path)
        corbie.submit(bundle, {"n": 0}).wait(timeout=30)
        spans = []
        for number in range(runs):
            began = time.perf_counter()
            outcome = corbie.submit(bundle, {"n": number}).wait(timeout=30)
            spans.append(time.perf_counter() - began)
            assert outcome.status == "done", outcome
    return spans


def _write(folder: Path, text: str) -> Path:
    (folder / "twice.js").write_text(TWICE)
    path = folder / "work.yaml"
    path.write_text(text)
    return path


@contextmanager
def _work(text: str) -> Iterator[tuple[Corbie, Path]]:
    """Give a client of a controller and a runner at work, and a definition for it."""
    with tempfile.TemporaryDirectory() as folder, served(Path(folder)) as corbie:
        yield corbie, _write(Path(folder), text)


ROWS: dict[int, Callable[[], Row]] = {
    0: one_stage,
    1: two_jobs_at_once,
    2: two_jobs,
    4: pure_steps,
    8: version,
    108: trial,
}
