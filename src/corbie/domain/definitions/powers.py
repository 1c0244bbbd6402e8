"""What the jobs of a definition may do, as `corbie check` lists it.

Source: Permissions and approval, Layers.
"""

from dataclasses import dataclass

from corbie.domain.definitions.full_form import show_entry
from corbie.domain.definitions.machine import Machine


@dataclass(frozen=True, slots=True, kw_only=True)
class JobPowers:
    """One job's entries: its own and its definition's, each once, and what is denied to it.

    The layers above the definition (the client's and the runner's) can only take away.
    """

    job: str
    script: str
    allow: tuple[str, ...]
    deny: tuple[str, ...]


def list_powers(machine: Machine) -> list[JobPowers]:
    """Give each job's powers, in the order written."""
    return [
        JobPowers(
            job=stage.name,
            script=stage.job.script,
            allow=tuple(
                dict.fromkeys(show_entry(one) for one in (*stage.job.allow, *machine.allow))
            ),
            deny=machine.deny,
        )
        for stage in machine.body.stages.values()
    ]
