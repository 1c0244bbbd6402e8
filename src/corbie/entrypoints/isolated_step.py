"""The process that takes one step and ends: `python -m corbie.entrypoints.isolated_step`.

Its question is on standard input, its answer goes to standard output; see `adapters.isolated`.
Source: Values and expressions, Engines.
"""

import resource
import sys

from corbie.adapters.isolated import ASKED, BYTES_MAX, GIVEN, SECONDS_MAX
from corbie.domain.steps import step
from corbie.domain.steps.context import StepContext
from corbie.domain.steps.isolation import StepGiven
from corbie.entrypoints.wiring.adapters import AdaptersContainer


def main() -> None:
    """Answer the question on standard input, within the limits."""
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_MAX, SECONDS_MAX))
    resource.setrlimit(resource.RLIMIT_AS, (BYTES_MAX, BYTES_MAX))
    adapters = AdaptersContainer()
    definition, _, text = sys.stdin.buffer.read().partition(b"\n")
    asked = ASKED.decode(text)
    context = StepContext(
        run=asked.run,
        number=asked.number,
        at=asked.at,
        runners=asked.runners,
        evaluator=adapters.evaluator(),
        checker=adapters.checker(),
    )
    machine = adapters.reader().read_full_form(definition)
    decided = step(machine, asked.state, asked.events, context)
    given = StepGiven(state=decided.state, effects=decided.effects)
    sys.stdout.buffer.write(GIVEN.encode(given))


if __name__ == "__main__":
    main()
