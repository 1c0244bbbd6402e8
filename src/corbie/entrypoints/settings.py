"""The settings of a process: flags before environment before file, each with where it came from.

The one pydantic model outside the adapters. No class receives it: entry points and the wiring
hand on single values. pydantic-settings is not used: it doubles the time to import, and tells
nobody where a value came from.
Source: Interfaces, Configuration.
"""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from corbie.adapters.documents.yaml_text import read_yaml
from corbie.domain import places
from corbie.domain.errors import SetupRefused, ValueRefused
from corbie.domain.names import PartyName, parse_party_name
from corbie.domain.permissions import format_entry, parse_entry
from corbie.domain.places import Place, Problem
from corbie.domain.ports.documents import Document
from corbie.domain.times import MILLISECOND, MINUTE, SECOND, Span, parse_span
from corbie.domain.values import JsonValue, cut_text, kind_of

FILE_NAME = "config.yaml"
PREFIX = "CORBIE_"
JOBS_MAX = 1024

Role = Literal["controller", "runner", "client"]
LogFormat = Literal["human", "json"]


def _parsed(parse: Callable[[str], object]) -> BeforeValidator:
    """Give the validator that reads a text as the domain does."""

    def read(value: object) -> object:
        if not isinstance(value, str):
            message = "not a text"
            raise ValueError(message)  # noqa: TRY004 - the class that pydantic collects
        try:
            return parse(value)
        except ValueRefused as error:
            raise ValueError(str(error)) from error

    return BeforeValidator(read)


def _number(value: object) -> object:
    """Refuse `true`, which pydantic would take for 1."""
    if isinstance(value, bool):
        message = "not a number"
        raise ValueError(message)  # noqa: TRY004 - the class that pydantic collects
    return value


def _entries(value: object) -> object:
    """Read permission entries: a list, or in a variable a text with commas."""
    entries = value.split(",") if isinstance(value, str) else value
    if not isinstance(entries, list):
        message = "not a list"
        raise ValueError(message)  # noqa: TRY004 - the class that pydantic collects
    try:
        return tuple(format_entry(parse_entry(str(entry).strip())) for entry in entries)
    except ValueRefused as error:
        raise ValueError(str(error)) from error


_Party = Annotated[PartyName, _parsed(parse_party_name)]
_PARTY_FORM = "a letter, then up to 63 letters, digits and . _ -"


class Settings(BaseModel):
    """What holds for this process; `interval` and `grace` in nanoseconds.

    A field's description is the form of its value, for people: messages say "write" and it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    home: Path = Field(description="the path of a directory")
    store: str = Field(min_length=1, description="a path or URL, as file:///srv/corbie")
    controller: _Party | None = Field(default=None, description=_PARTY_FORM)
    runner: _Party | None = Field(default=None, description=_PARTY_FORM)
    client: _Party | None = Field(default=None, description=_PARTY_FORM)
    interval: Annotated[Span, _parsed(parse_span)] = Field(
        default=Span(2 * SECOND), ge=10 * MILLISECOND, description="a duration from 10ms, as 2s"
    )
    jobs: Annotated[int, BeforeValidator(_number)] = Field(
        ge=1, le=JOBS_MAX, description=f"a whole number from 1 to {JOBS_MAX}"
    )
    log_format: LogFormat = Field(description="human or json")
    grace: Annotated[Span, _parsed(parse_span)] = Field(
        default=Span(10 * MINUTE), description="a duration, as 10m"
    )
    runner_allow: Annotated[tuple[str, ...] | None, BeforeValidator(_entries)] = Field(
        default=None, description="permission entries, as [net, fs.read:/srv/**]"
    )

    @property
    def keys_folder(self) -> Path:
        """The directory of this computer's private keys."""
        return self.home / "keys"

    @property
    def suspects_folder(self) -> Path:
        """The directory that names the runs whose expressions held up a controller."""
        return self.home / "suspects"

    @property
    def cards_folder(self) -> Path:
        """The directory of the cards that this computer knows."""
        return self.home / "cards"


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsRead:
    """The settings, and where each came from: a flag, a variable, a place in the file.

    A name that is not in `origins` has its default.
    """

    settings: Settings
    origins: Mapping[str, Place]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Given:
    value: JsonValue
    place: Place


def read_settings(
    *, flags: Mapping[str, str | int | None], environment: Mapping[str, str], is_terminal: bool
) -> SettingsRead:
    """Give what holds; a flag of None was not given.

    `is_terminal` says whether people read the log: it decides the default of its format.

    Raises:
        SetupRefused: the file cannot be read, or a setting is unknown or has a value that does
            not fit; every such problem, with its place.
    """
    nearer = {**_variables(environment), **_flags(flags)}
    home = _find_home(nearer, environment)
    farther, problems = _read_file(home / FILE_NAME)
    given = {**farther, **nearer}
    problems += [
        _unknown(name, one) for name, one in given.items() if name not in Settings.model_fields
    ]
    if "home" in farther:
        what = "the file is in the home, so it cannot say where that is"
        mend = f"set {PREFIX}HOME instead"
        problems.append(Problem(place=farther["home"].place, what=what, mend=mend))
    _refuse(problems)
    defaults: dict[str, JsonValue] = {
        "store": str(home / "store"),
        "jobs": len(os.sched_getaffinity(0)),
        "log_format": "human" if is_terminal else "json",
    }
    values = {**defaults, **{name: one.value for name, one in given.items()}, "home": str(home)}
    if "store" in given:
        values["store"] = _locate_store(given["store"], home)
    return SettingsRead(
        settings=_validate(values, given),
        origins={name: one.place for name, one in given.items()},
    )


def require_party(settings: Settings, role: Role) -> PartyName:
    """Give the name of this computer's party of a role.

    Raises:
        SetupRefused: none is set up.
    """
    name: PartyName | None = getattr(settings, role)
    if name is None:
        message = f"no {role} is set up in {settings.home}; run `corbie init` first"
        raise SetupRefused(message)
    return name


def format_origin(origin: Place | None) -> str:
    """Write where a value came from: `--jobs`, `CORBIE_JOBS`, `…/config.yaml:3` or `default`."""
    if origin is None:
        return "default"
    return f"{origin.file}:{origin.line}" if origin.line else origin.file


def _flags(flags: Mapping[str, str | int | None]) -> dict[str, _Given]:
    return {
        name: _Given(value=value, place=Place(file="--" + name.replace("_", "-")))
        for name, value in flags.items()
        if value is not None
    }


def _variables(environment: Mapping[str, str]) -> dict[str, _Given]:
    """Give the settings in the environment; an empty variable is one that is not set."""
    return {
        name.removeprefix(PREFIX).lower(): _Given(value=value, place=Place(file=name))
        for name, value in environment.items()
        if name.startswith(PREFIX) and value
    }


def _find_home(given: Mapping[str, _Given], environment: Mapping[str, str]) -> Path:
    if "home" in given:
        return Path(str(given["home"].value)).absolute()
    own = Path(environment.get("HOME") or Path.home())
    elsewhere = Path(environment.get("XDG_CONFIG_HOME", ""))
    # The base directory specification: a relative path there is to be ignored.
    return (elsewhere if elsewhere.is_absolute() else own / ".config") / "corbie"


def _read_file(path: Path) -> tuple[dict[str, _Given], list[Problem]]:
    """Give the file's settings and problems; a file that is not there holds none."""
    try:
        text = path.read_bytes()
        if all(not line.strip() or line.lstrip().startswith(b"#") for line in text.splitlines()):
            return {}, []
        document = read_yaml(text, str(path))
    except FileNotFoundError:
        return {}, []
    except OSError as error:
        message = f"{path} cannot be read: {error.strerror}"
        raise SetupRefused(message) from error
    except places.DefinitionRefused as error:
        raise SetupRefused(str(error)) from error
    problems = list(document.problems)
    match document.value:
        case dict() as fields:
            return {name: _written(document, name) for name in fields}, problems
        case other:
            what = f"the configuration is a {kind_of(other)}"
            mend = "write a line for each setting, as jobs: 4"
            problems.append(Problem(place=Place(file=str(path)), what=what, mend=mend))
            return {}, problems


def _written(document: Document, name: str) -> _Given:
    fields = document.value
    value = fields[name] if isinstance(fields, dict) else None
    is_known = name in Settings.model_fields
    return _Given(value=value, place=document.find_place((name,), not is_known))


def _unknown(name: str, given: _Given) -> Problem:
    near = places.nearest_name(name, Settings.model_fields)
    known = ", ".join(Settings.model_fields)
    mend = f'did you mean "{near}"?' if near else f"the settings are {known}"
    return Problem(place=given.place, what=f'there is no setting "{name}"', mend=mend)


def _locate_store(given: _Given, home: Path) -> JsonValue:
    """Make a path absolute: in the file it counts from the home, elsewhere from here."""
    if not isinstance(given.value, str) or not given.value or "://" in given.value:
        return given.value
    base = home if given.place.line else Path.cwd()
    return str(base / Path(given.value).expanduser())


def _validate(values: Mapping[str, JsonValue], given: Mapping[str, _Given]) -> Settings:
    try:
        return Settings.model_validate(values)
    except ValidationError as error:
        names = {str(one["loc"][0]) for one in error.errors()}
        _refuse(_misfit(name, given[name]) for name in sorted(names))
        raise


def _misfit(name: str, given: _Given) -> Problem:
    form = Settings.model_fields[name].description
    what = f"{cut_text(given.value)} does not fit"
    return Problem(place=given.place, what=what, mend=f"write {form}")


def _refuse(problems: Iterable[Problem]) -> None:
    found = list(problems)
    if found:
        raise SetupRefused("\n".join(places.format_problem(one) for one in found))
