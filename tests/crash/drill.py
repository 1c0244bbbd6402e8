"""Kill a controller before each of its writes of a run, one after another.

`python -m tests.crash.drill HOME LOG SECONDS [--beside]` prints one JSON line a drill: the write
it died before, and what the run was then; the last line is a drill in which it never died. A
process of its own, because it forks. With `--beside` a second controller serves the same store
all the time.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from dependency_injector import providers

from corbie.adapters.stores.directory import DirectoryStore
from corbie.domain.names import RunId
from corbie.domain.paths import inbox_folder, parse_path, steps_folder
from corbie.entrypoints.library import Corbie
from corbie.entrypoints.serving import RunnerProcess
from corbie.entrypoints.settings import Settings, read_settings, require_party
from corbie.entrypoints.setup import initialise
from corbie.entrypoints.wiring.adapters import AdaptersContainer
from corbie.entrypoints.wiring.local import make_controller
from tests.crash.dying import DyingStore

WRITES_MAX = 200
WRITES_BESIDE = 40
WORK = Path(__file__).parent / "work" / "once.yaml"


LIVING: set[int] = set()


def begin(live: Callable[[], None]) -> int:
    """Begin a process; give its number."""
    number = os.fork()
    if number:
        LIVING.add(number)
        return number
    try:
        live()
    except BaseException as error:  # noqa: BLE001 - told to whoever reads the drill
        sys.stderr.write(f"{error!r}\n")
        os._exit(3)
    os._exit(0)


def end(process: int) -> None:
    """Kill a process, if it is not dead already."""
    if process in LIVING:
        os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        LIVING.discard(process)


def has_died(process: int) -> bool:
    """Tell whether a process is dead."""
    if process in LIVING and os.waitpid(process, os.WNOHANG)[0]:
        LIVING.discard(process)
    return process not in LIVING


def be_controller(settings: Settings, dies_at: int) -> Callable[[], None]:
    """Give the life of a controller that dies before its so many-th write."""

    def live() -> None:
        store = DyingStore(DirectoryStore(settings.store), dies_at=dies_at)
        adapters = AdaptersContainer(settings=settings, store=providers.Object(store))
        cycle = make_controller(settings, adapters).cycle()
        while True:
            if not cycle.run_pass().moved:
                time.sleep(0.002)

    return live


def drill(settings: Settings, corbie: Corbie, log: Path, dies_at: int) -> dict[str, object]:
    """Submit a run to a controller that dies, then let another end it."""
    before = log.read_text().count("\n") if log.exists() else 0
    victim = begin(be_controller(settings, dies_at))
    run = corbie.submit(WORK, {"log": str(log)})
    while not has_died(victim) and ((status := run.status()) is None or status.ended is None):
        time.sleep(0.001)
    heir = begin(be_controller(settings, 0))
    outcome = run.wait(timeout=30)
    settle(settings)
    end(heir)
    died = has_died(victim)
    end(victim)
    after = log.read_text().count("\n")
    return {
        "died_at": dies_at if died else None,
        "status": outcome.status,
        "output": outcome.output,
        "ran": after - before,
        "steps": steps(settings, run.id),
        "inboxes": left(settings),
    }


def steps(settings: Settings, run: RunId) -> list[int]:
    """Give the numbers of a run's steps."""
    folder = steps_folder(require_party(settings, "controller"), run)
    return [
        int(parse_path(path).name) for path in DirectoryStore(settings.store).list_under(folder)
    ]


def left(settings: Settings) -> list[str]:
    """Give what is left in the inboxes."""
    store = DirectoryStore(settings.store)
    names = [require_party(settings, "controller"), require_party(settings, "runner")]
    return [str(path) for name in names for path in store.list_under(inbox_folder(name))]


def settle(settings: Settings) -> None:
    """Wait until the inboxes are empty, five seconds at most."""
    for _ in range(500):
        if not left(settings):
            return
        time.sleep(0.01)


def main() -> None:
    """Drill before every write, until one run gets by without a death."""
    home, log = Path(sys.argv[1]), Path(sys.argv[2])
    settings = read_settings(flags={"home": str(home)}, environment={}, is_terminal=False).settings
    initialise(settings, name="drill")
    settings = read_settings(flags={"home": str(home)}, environment={}, is_terminal=False).settings
    corbie = Corbie(config=settings)
    is_beside = "--beside" in sys.argv
    try:
        begin(lambda: RunnerProcess(settings).run())
        if is_beside:
            begin(be_controller(settings, 0))
        for dies_at in range(1, WRITES_MAX):
            result = drill(settings, corbie, log, dies_at)
            sys.stdout.write(json.dumps(result) + "\n")
            sys.stdout.flush()
            # Beside another controller a victim may be left with nothing to write.
            if result["died_at"] is None and (not is_beside or dies_at > WRITES_BESIDE):
                return
    finally:
        for process in list(LIVING):
            end(process)


if __name__ == "__main__":
    main()
