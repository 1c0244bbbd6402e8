"""One step of a run: state and events in, new state and effects out.

`step` is pure: the same arguments give the same bytes, in every process. It reads nothing but
its arguments, two of which are ports that are deterministic by contract. Effects are data that
are written before they are carried out. Source: Machines, The step.
"""

from corbie.domain.steps.step import step

__all__ = ["step"]
