"""The scripts of a machine and all that they require, read from the context.

Source: Definitions, Jobs (paths, `require`).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from corbie.domain.definitions.context_paths import resolve_required
from corbie.domain.definitions.machine import Machine
from corbie.domain.definitions.requires import Require, find_requires
from corbie.domain.errors import ValueRefused
from corbie.domain.places import Place, Problem
from corbie.domain.ports.documents import DocumentSource
from corbie.domain.values import parse_json

# A machine's scripts are written by hand; past this something generates them by mistake.
SOURCES_MAX = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """What a machine runs.

    `texts` maps each path below the context to its text; `requires` each script that a job
    names to the paths that it requires, also indirectly, in the order found.
    """

    texts: Mapping[str, str]
    requires: Mapping[str, tuple[str, ...]]


def collect_sources(machine: Machine, documents: DocumentSource) -> tuple[Sources, list[Problem]]:
    """Give the text of each script of a machine and of each file required, and every problem."""
    collector = _Collector(documents=documents)
    for stage in machine.body.stages.values():
        job = stage.job
        if job.script and job.script not in collector.edges:
            collector.collect(job.script, job.place)
    scripts = [stage.job.script for stage in machine.body.stages.values() if stage.job.script]
    requires = {script: collector.reach(script) for script in dict.fromkeys(scripts)}
    return Sources(texts=collector.texts, requires=requires), collector.problems


@dataclass(slots=True)
class _Collector:
    """Reads each file once; `edges` maps a script to what it requires itself."""

    documents: DocumentSource
    texts: dict[str, str] = field(default_factory=dict)
    edges: dict[str, list[str]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def collect(self, script: str, place: Place) -> None:
        """Read a script and what it requires, depth first, without recursion."""
        if not self._read(script, place):
            return
        path = [script]
        waiting = [self._requires_of(script)]
        while waiting:
            if not waiting[-1]:
                waiting.pop()
                path.pop()
                continue
            required, at = waiting[-1].pop(0)
            self.edges[path[-1]].append(required)
            if required in path:
                circle = " -> ".join([*path[path.index(required) :], required])
                self._report(at, f"the scripts {circle} require one another")
            elif required not in self.edges and self._read(required, at):
                path.append(required)
                waiting.append(self._requires_of(required))

    def reach(self, script: str) -> tuple[str, ...]:
        """Give all that a script requires, also indirectly, each once and without itself."""
        found: dict[str, None] = {}
        waiting = [script]
        while waiting:
            for required in self.edges.get(waiting.pop(), ()):
                if required not in found and required != script:
                    found[required] = None
                    waiting.append(required)
        return tuple(found)

    def _read(self, path: str, place: Place) -> bool:
        """Read one file; tell whether it is there."""
        self.edges[path] = []
        if len(self.texts) >= SOURCES_MAX:
            self._report(place, f"the scripts are more than {SOURCES_MAX} files")
            return False
        try:
            text = self.documents.read_text(path)
            if path.endswith(".json"):
                parse_json(text, what=path)
        except ValueRefused as error:
            what = str(error)
            # A script submitted alone is its own place.
            self._report(place, what.removeprefix(f"{path}: ") if place.file == path else what)
            return False
        self.texts[path] = text
        return True

    def _requires_of(self, script: str) -> list[tuple[str, Place]]:
        if script.endswith(".json"):
            return []
        found: list[tuple[str, Place]] = []
        for one in find_requires(self.texts[script]):
            place = Place(file=script, line=one.line, column=one.column)
            required = self._resolve(one, script, place)
            if required is not None:
                found.append((required, place))
        return found

    def _resolve(self, one: Require, script: str, place: Place) -> str | None:
        if one.path is None:
            what = "require takes the name of a module or a path, as a literal text"
            self._report(place, what, 'write require("./NAME")')
            return None
        if not one.path.startswith(("./", "../")):
            return None
        try:
            return resolve_required(one.path, script)
        except ValueRefused as error:
            self._report(place, str(error))
            return None

    def _report(self, place: Place, what: str, mend: str = "") -> None:
        self.problems.append(Problem(place=place, what=what, mend=mend))
