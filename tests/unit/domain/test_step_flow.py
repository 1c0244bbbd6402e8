"""The rules of a flow, a table of (definition, state, events) and what must come."""

from corbie.domain.limits import Limits
from corbie.domain.names import JobId
from corbie.domain.steps import step
from corbie.domain.steps.effects import Answer, CancelJob, SetWake, StartJob
from corbie.domain.steps.step import Step
from corbie.domain.times import MINUTE, SECOND, Instant, Span
from tests.builders import (
    AT,
    a_cancel,
    a_context,
    a_machine,
    a_stage,
    a_start,
    a_timer,
    a_tree,
    done,
    failed,
)


def started(decided: Step) -> list[str]:
    """Name the jobs a step starts."""
    return [one.order.name for one in decided.effects if isinstance(one, StartJob)]


def job_of(decided: Step, name: str) -> JobId:
    """Give the ID of a job under way."""
    return next(job for job, state in decided.state.jobs.items() if state.name == name)


def test_a_start_is_answered_and_begins_every_stage_that_waits_for_nothing() -> None:
    machine = a_machine(a_stage("a"), a_stage("b"), a_stage("c", waits_for=("a",)))

    first = step(machine, None, [a_start({"x": 1})], a_context())

    assert started(first) == ["a", "b"]
    assert first.effects[0] == Answer(message="start", text="ok")  # type: ignore[arg-type]
    assert first.state.status == "running"
    assert first.state.input == {"x": 1}


def test_a_stage_begins_once_all_it_waits_for_has_ended() -> None:
    machine = a_machine(
        a_stage("a"), a_stage("b"), a_stage("c", waits_for=("a", "b"), input="${stages.a.output}")
    )
    first = step(machine, None, [a_start()], a_context())

    second = step(machine, first.state, [done(job_of(first, "a"), 7)], a_context(2))
    third = step(machine, second.state, [done(job_of(first, "b"))], a_context(3))

    assert started(second) == []
    assert started(third) == ["c"]
    order = next(one.order for one in third.effects if isinstance(one, StartJob))
    assert order.input == 7


def test_the_run_ends_with_its_output_once_every_stage_has_ended() -> None:
    machine = a_machine(a_stage("a"), output={"title": "${stages.a.output.title}"})
    first = step(machine, None, [a_start()], a_context())

    last = step(machine, first.state, [done(job_of(first, "a"), {"title": "T"})], a_context(2))

    assert (last.state.status, last.state.output) == ("done", {"title": "T"})
    assert [one.name for one in last.effects if isinstance(one, SetWake)] == ["keep"]


def test_a_stage_whose_when_is_falsy_is_skipped_and_what_waits_for_it_runs() -> None:
    machine = a_machine(
        a_stage("a", when="${input.go}"),
        a_stage("b", waits_for=("a",), input="${stages.a.output}"),
    )

    first = step(machine, None, [a_start({"go": False})], a_context())

    assert first.state.body.stages["a"].status == "skipped"
    assert first.state.body.stages["a"].why == "its when gave no: ${input.go}"
    assert started(first) == ["b"]


def test_a_flow_whose_stages_are_all_skipped_ends_at_once() -> None:
    machine = a_machine(a_stage("a", when="${false}"), output="${stages.a.status}")

    first = step(machine, None, [a_start()], a_context())

    assert (first.state.status, first.state.output) == ("done", "skipped")


def test_the_first_failure_fails_the_run_and_cancels_what_is_under_way() -> None:
    machine = a_machine(a_stage("a"), a_stage("b"), a_stage("c", waits_for=("a",)))
    first = step(machine, None, [a_start()], a_context())

    second = step(machine, first.state, [failed(job_of(first, "a"), "boom")], a_context(2))

    assert second.state.status == "failed"
    assert second.state.failure is not None
    assert second.state.failure.error == "stage a: boom"
    cancelled = [one.job for one in second.effects if isinstance(one, CancelJob)]
    assert cancelled == [job_of(first, "b")]
    assert second.state.jobs == {}


def test_a_job_that_cannot_be_filled_in_fails_as_that_job() -> None:
    machine = a_machine(a_stage("get", input={"url": "${input.list.link}"}))

    first = step(machine, None, [a_start({"list": None})], a_context())

    assert first.state.failure is not None
    assert first.state.failure.status == "error"
    assert first.state.failure.error.startswith("stage get: stages.get.job.input.url: ")
    assert first.state.failure.error.endswith(" in ${input.list.link}")


def test_an_output_that_cannot_be_filled_in_fails_the_run() -> None:
    machine = a_machine(a_stage("a"), output="${stages.a.output.x.y}")
    first = step(machine, None, [a_start()], a_context())

    last = step(machine, first.state, [done(job_of(first, "a"), {})], a_context(2))

    assert last.state.status == "failed"
    assert last.state.failure is not None
    assert last.state.failure.error.startswith("output: ")


def test_an_input_that_does_not_fit_fails_the_run_naming_each_place() -> None:
    shape = {
        "type": "object",
        "properties": {"urls": {"type": "array", "items": {"type": "string"}}},
        "required": ["urls", "n"],
    }
    machine = a_machine(a_stage("a"), input=shape)

    first = step(machine, None, [a_start({"urls": ["x", 7]})], a_context())

    assert first.state.failure is not None
    assert "input.urls[1]: 7 is not a string" in first.state.failure.error
    assert "input" in first.state.failure.error.splitlines()[1]
    assert started(first) == []


def test_a_job_that_ended_before_is_ended_no_second_time() -> None:
    machine = a_machine(a_stage("a"), a_stage("b"))
    first = step(machine, None, [a_start()], a_context())
    job = job_of(first, "a")
    second = step(machine, first.state, [done(job, 1)], a_context(2))

    third = step(machine, second.state, [done(job, 2)], a_context(3))

    assert third.dropped == (0,)
    assert third.state.body.stages["a"].output == 1


def test_a_job_waits_while_no_runner_has_its_tags_and_is_looked_at_again() -> None:
    machine = a_machine(a_stage("a", runner=("gpu",)))

    first = step(machine, None, [a_start()], a_context())

    assert started(first) == []
    assert [job.status for job in first.state.jobs.values()] == ["waiting"]
    assert first.state.wake == AT + 30 * SECOND


def test_a_waiting_job_is_sent_once_a_runner_has_its_tags() -> None:
    machine = a_machine(a_stage("a", runner=("gpu",)))
    first = step(machine, None, [a_start()], a_context())
    at = Instant(AT + 30 * SECOND)
    runner = a_context().runners[0]
    tagged = type(runner)(card=runner.card, tags=("gpu",), alive=at)

    second = step(machine, first.state, [a_timer(at)], a_context(2, at=at, runners=(tagged,)))

    assert started(second) == ["a"]
    assert next(iter(second.state.jobs.values())).due == at + 5 * MINUTE


def test_a_job_whose_runner_never_answers_times_out_after_the_slack() -> None:
    machine = a_machine(a_stage("a", timeout=Span(MINUTE)))
    first = step(machine, None, [a_start()], a_context())
    early = Instant(AT + 6 * MINUTE)
    late = Instant(AT + 6 * MINUTE + 20 * SECOND)

    before = step(machine, first.state, [a_timer(early)], a_context(2, at=early))
    after = step(machine, first.state, [a_timer(late)], a_context(2, at=late))

    assert before.state.status == "running"
    assert after.state.status == "failed"
    assert after.state.failure is not None
    assert after.state.failure.status == "timeout"
    assert any(isinstance(one, CancelJob) for one in after.effects)


def test_a_cancel_ends_the_run_and_its_jobs_and_is_answered() -> None:
    machine = a_machine(a_stage("a"), a_stage("b"))
    first = step(machine, None, [a_start()], a_context())

    second = step(machine, first.state, [a_cancel()], a_context(2))

    assert second.state.status == "cancelled"
    assert len([one for one in second.effects if isinstance(one, CancelJob)]) == 2
    assert Answer(message="cancel", text="ok") in second.effects  # type: ignore[arg-type]


def test_a_cancel_of_one_job_fails_its_stage() -> None:
    machine = a_machine(a_stage("a"), a_stage("b"))
    first = step(machine, None, [a_start()], a_context())

    second = step(machine, first.state, [a_cancel("a")], a_context(2))

    assert second.state.failure is not None
    assert second.state.failure.status == "cancelled"


def test_a_cancel_of_a_job_that_is_not_under_way_says_so_and_changes_nothing() -> None:
    machine = a_machine(a_stage("a"))
    first = step(machine, None, [a_start()], a_context())

    second = step(machine, first.state, [a_cancel("b")], a_context(2))

    assert second.state.status == "running"
    answers = [one.text for one in second.effects if isinstance(one, Answer)]
    assert answers == ['no job named "b" is under way']


def test_the_time_of_a_step_is_never_before_the_last_ones() -> None:
    machine = a_machine(a_stage("a"))
    first = step(machine, None, [a_start()], a_context())
    early = Instant(AT - MINUTE)

    second = step(machine, first.state, [done(job_of(first, "a"))], a_context(2, at=early))

    assert second.state.ended == AT


def test_one_step_gives_the_same_every_time_and_leaves_its_arguments_alone() -> None:
    machine = a_machine(
        a_stage("a", input={"r": "${Math.random()}", "at": "${new Date()}"}), a_stage("b")
    )
    first = step(machine, None, [a_start({"x": [1, {"y": 2}]})], a_context())
    event = done(job_of(first, "b"), {"deep": [1]})
    before = repr(first.state)

    one = step(machine, first.state, [event], a_context(2))
    other = step(machine, first.state, [event], a_context(2))
    again = step(machine, None, [a_start({"x": [1, {"y": 2}]})], a_context())

    assert one == other
    assert again == first
    assert repr(first.state) == before


def test_a_jobs_layers_are_its_own_the_denials_and_the_clients_ceiling() -> None:
    machine = a_machine(
        a_stage("a", allow=("net:${input.host}", "fs.read:/srv/**")),
        allow=("env:HOME",),
        deny=("exec",),
    )

    first = step(machine, None, [a_start({"host": "example.com"}, ceiling=("net",))], a_context())

    order = next(one.order for one in first.effects if isinstance(one, StartJob))
    own, deny, ceiling = order.layers
    assert own.allow == ("net:example.com", "fs.read:/srv/**", "env:HOME")
    assert own.says == 'the job "a" in the definition of "test"'
    assert deny.deny == ("exec",)
    assert ceiling.allow == ("net",)


def test_more_jobs_than_the_limit_fail_the_run_naming_the_field_to_raise() -> None:
    machine = a_machine(a_stage("a"), a_stage("b"), limits=Limits(jobs=1))

    first = step(machine, None, [a_start()], a_context())

    assert first.state.failure is not None
    assert first.state.failure.status == "limit"
    assert "limits: jobs" in first.state.failure.error
    assert first.state.jobs == {}


def test_a_run_past_its_time_fails_naming_the_field_to_raise() -> None:
    machine = a_machine(a_stage("a"), limits=Limits(timeout=Span(MINUTE)))
    first = step(machine, None, [a_start()], a_context())
    at = Instant(AT + MINUTE)

    second = step(machine, first.state, [a_timer(at)], a_context(2, at=at))

    assert first.state.wake == at
    assert second.state.failure is not None
    assert second.state.failure.status == "timeout"
    assert "limits: timeout" in second.state.failure.error


def test_a_title_is_one_line_of_at_most_200_characters() -> None:
    title = a_tree("about ${input.topic}", "title")
    machine = a_machine(a_stage("a"), title=title)

    first = step(machine, None, [a_start({"topic": "  two\n\nlines " + "x" * 300})], a_context())

    assert first.state.title is not None
    assert first.state.title.startswith("about two lines xxx")
    assert len(first.state.title) == 200
