"""`corbie config`: what holds, and where each value came from."""

from corbie.domain.times import Span, format_span
from corbie.domain.values import JsonValue
from corbie.entrypoints.cli.exits import SUCCESS
from corbie.entrypoints.cli.frame import make_app
from corbie.entrypoints.cli.options import JsonOption, write_json
from corbie.entrypoints.cli.own_settings import read_origins
from corbie.entrypoints.cli.printing import write
from corbie.entrypoints.settings import Settings, format_origin

_SPANS = ("interval", "grace")

app = make_app("Print the settings that hold.", example="corbie config --json")


@app.command(epilog="Example: corbie config --json")
def config(*, as_json: JsonOption = False) -> int:
    """Print each setting with where it came from: a variable, a line of the file, a default."""
    read = read_origins({})
    shown = {name: _plain(name, read.settings) for name in Settings.model_fields}
    origins = {name: format_origin(read.origins.get(name)) for name in shown}
    if as_json:
        write_json({name: {"value": value, "from": origins[name]} for name, value in shown.items()})
        return SUCCESS
    for name, value in shown.items():
        text = ", ".join(map(str, value)) if isinstance(value, list) else value
        write(f"{name}: {'none' if text is None else text}  ({origins[name]})")
    return SUCCESS


def _plain(name: str, settings: Settings) -> JsonValue:
    value = getattr(settings, name)
    if name in _SPANS:
        return format_span(Span(value))
    if value is None or isinstance(value, int):
        return value
    if isinstance(value, tuple):
        return list(value)
    return str(value)
