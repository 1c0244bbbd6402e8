"""`corbie start`: a controller and a runner, each in a process of its own."""

from collections.abc import Callable
from typing import Annotated, Literal

import typer

from corbie.domain.errors import Refusal
from corbie.entrypoints.cli.exits import (
    FAILURE,
    SUCCESS,
    CommandRefused,
    describe_error,
    print_error,
)
from corbie.entrypoints.cli.frame import make_app
from corbie.entrypoints.cli.own_settings import read_own_settings
from corbie.entrypoints.cli.printing import write
from corbie.entrypoints.logs import start_logging
from corbie.entrypoints.settings import Settings, require_party
from corbie.entrypoints.store_check import require_store
from corbie.entrypoints.supervising import RoleProcess, Supervisor

_EXAMPLE = "corbie start controller runner --jobs 4"

RoleName = Literal["controller", "runner"]

app = make_app("Serve as controller and runner.", example=_EXAMPLE)


@app.command(epilog=f"Example: {_EXAMPLE}")
def start(
    roles: Annotated[
        list[str] | None, typer.Argument(metavar="[controller] [runner]", help="Default: both.")
    ] = None,
    *,
    interval: Annotated[
        str | None, typer.Option(metavar="D", help="The longest time without a look, as 2s.")
    ] = None,
    jobs: Annotated[int | None, typer.Option(help="How many jobs run at once.")] = None,
    grace: Annotated[
        str | None, typer.Option(metavar="D", help="How long jobs may go on after SIGTERM.")
    ] = None,
    once: Annotated[bool, typer.Option("--once", help="End when nothing is left to do.")] = False,
    log_format: Annotated[
        Literal["human", "json"] | None, typer.Option(help="The form of the log.")
    ] = None,
) -> int:
    """Serve as controller and runner until SIGTERM or Ctrl-C.

    The first signal lets jobs finish, a second one ends them.
    """
    settings = read_own_settings(interval=interval, jobs=jobs, grace=grace, log_format=log_format)
    wanted = list(dict.fromkeys(_role(role) for role in roles or ("controller", "runner")))
    names = {role: require_party(settings, role) for role in wanted}
    # Here, once, and not by each role.
    require_store(settings.store)
    start_logging(settings.log_format)
    if once:
        return _serve_once(settings, wanted)

    def say_ready(role: str) -> None:
        write(f"{role} {names[_role(role)]} is ready")

    def say_refused(error: Refusal) -> None:
        print_error(describe_error(error))

    supervisor = Supervisor(
        {str(role): _maker(settings, role) for role in wanted},
        grace=settings.grace,
        on_ready=say_ready,
        on_refused=say_refused,
    )
    return SUCCESS if supervisor.run() else FAILURE


def _role(name: str) -> RoleName:
    match name:
        case "controller" | "runner":
            return name
        case _:
            message = f'there is no role "{name}"; write controller, runner, or nothing for both'
            raise CommandRefused(message)


def _maker(settings: Settings, role: RoleName) -> Callable[[], RoleProcess]:
    def make() -> RoleProcess:
        # The parent must not hold what this imports: it starts threads, and it is large.
        from corbie.entrypoints.serving import make_process  # noqa: PLC0415 - see above

        return make_process(settings, role)

    return make


def _serve_once(settings: Settings, roles: list[RoleName]) -> int:
    from corbie.entrypoints.serving import make_process, serve_once  # noqa: PLC0415 - see `_maker`

    serve_once([make_process(settings, role) for role in roles])
    return SUCCESS
