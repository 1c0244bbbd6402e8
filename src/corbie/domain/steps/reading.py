"""What the expressions of a run read: one scope, opened when the first one needs it.

Source: Values and expressions, Names.
"""

from collections.abc import Iterable, Mapping

from corbie.domain.ports.evaluator import ExpressionScope
from corbie.domain.steps.draft import Draft
from corbie.domain.steps.state import Failure, RunState, StageState
from corbie.domain.times import format_instant
from corbie.domain.values import JsonValue


class LazyScope:
    """An `ExpressionScope` that costs nothing until something is evaluated in it."""

    def __init__(self, draft: Draft, what: str, stages: Iterable[str] | None = None) -> None:
        """Hold what will be read: `stages` None gives a scope without them."""
        self._draft = draft
        self._what = what
        self._stages = stages
        self._scope: ExpressionScope | None = None

    def evaluate(self, source: str, more: Mapping[str, JsonValue] | None = None) -> JsonValue:
        """Give the value of an expression; raises as `ExpressionScope.evaluate` does."""
        if self._scope is None:
            context = self._draft.context
            self._scope = context.evaluator.open_scope(
                _values(self._draft, self._stages),
                at=self._draft.at,
                seed=context.seed(self._what),
            )
        return self._scope.evaluate(source, more)

    def close(self) -> None:
        """Let go of the values, if anything was evaluated."""
        if self._scope is not None:
            self._scope.close()
            self._scope = None


def _values(draft: Draft, stages: Iterable[str] | None) -> dict[str, JsonValue]:
    values: dict[str, JsonValue] = {"input": draft.input, "run": run_value(draft.before)}
    if stages is not None:
        values["stages"] = {
            name: stage_value(draft.stages[name]) for name in stages if name in draft.stages
        }
    return values


def run_value(state: RunState) -> JsonValue:
    """Give what an expression reads as `run`; times to the millisecond, as JavaScript's."""
    return {
        "id": state.run,
        "key": state.key,
        "context": state.context,
        "client": state.client.name,
        "started": format_instant(state.started)[:23] + "Z",
        "machine": state.machine,
        "parent": None,
    }


def stage_value(stage: StageState) -> JsonValue:
    """Give what an expression reads as `stages.NAME`."""
    return {
        "status": stage.status,
        "output": stage.output,
        "error": None if stage.error is None else failure_value(stage.error),
    }


def failure_value(failure: Failure) -> JsonValue:
    """Give a failure as a machine or a person reads it: what it has not got is left out."""
    fields: dict[str, JsonValue] = {
        "status": failure.status,
        "error": failure.error,
        "attempt": failure.attempt,
        "data": failure.data,
        "place": failure.place,
        "refused": failure.refused,
        "layer": failure.layer,
        "fix": failure.fix,
    }
    return {name: value for name, value in fields.items() if value is not None}
