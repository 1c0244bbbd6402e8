"""Permission entries: kinds, scopes, covering, and what a set of layers decides.

The grammar of scopes is in `permission_nets` and `permission_paths`, expressions in them in
`permission_filling`. Source: Permissions and approval.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from corbie.domain import permission_nets as nets
from corbie.domain import permission_paths as paths
from corbie.domain.addresses import Network, contains, is_loopback, parse_network, reach_of
from corbie.domain.errors import ValueRefused
from corbie.domain.places import nearest_name

Kind = Literal["net", "fs.read", "fs.write", "exec", "env", "model", "archive", "disk", "all"]

KINDS: tuple[Kind, ...] = (
    "net",
    "fs.read",
    "fs.write",
    "exec",
    "env",
    "model",
    "archive",
)
_GROUPS: dict[str, tuple[Kind, ...]] = {"disk": ("fs.read", "fs.write"), "all": KINDS}
_NAMES: dict[str, Kind] = {**{str(kind): kind for kind in KINDS}, "disk": "disk", "all": "all"}
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\*?")
_PROGRAM = re.compile(r"(?!\.\.?\Z)[^\s/\\*]+")
_MODEL = re.compile(r"[A-Za-z0-9._-]+/(\*|[A-Za-z0-9][A-Za-z0-9._:@+/-]*)")
_COLLECTION = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One permission: a kind or group, and a scope; None means everything of the kind."""

    kind: Kind
    scope: str | None = None

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """The kinds it opens: several for a group."""
        return _GROUPS.get(self.kind, (self.kind,))


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One layer of permissions: a job may do what every layer allows and none denies.

    `says` names the layer in words (`the job "get" in the definition of "fetch"`); `fix` says
    where to add an entry, with `{entry}` in its place (`add {entry} to the allow list of that
    job`). `allow` None means that this layer allows everything it does not deny.
    """

    says: str
    fix: str
    allow: tuple[str, ...] | None = None
    deny: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionWanted:
    """A connection: the host as written (no brackets), and its address once it is resolved."""

    host: str
    port: int
    address: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PathWanted:
    """Reading or changing what is at an absolute path in which every link is resolved."""

    kind: Literal["fs.read", "fs.write"]
    path: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramWanted:
    """Starting a program found at an absolute path.

    `name` is its name if the runner's PATH leads from that to the same path, else None.
    """

    path: str
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NameWanted:
    """Reading a variable, calling a model (`provider/name`), or using a collection."""

    kind: Literal["env", "model", "archive"]
    name: str


Wanted = ConnectionWanted | PathWanted | ProgramWanted | NameWanted


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why a job may not: the entry it lacks, the layer in words, the one line that mends it."""

    refused: str
    layer: str
    fix: str


@lru_cache(maxsize=4096)
def parse_entry(text: str) -> Entry:
    """Read `KIND` or `KIND:SCOPE`.

    Raises:
        ValueRefused: another form; says what to write.
    """
    name, colon, scope = text.partition(":")
    kind = _NAMES.get(name)
    if kind is None:
        near = nearest_name(name, _NAMES)
        mend = f'did you mean "{near}"?' if near else f"write one of {', '.join(_NAMES)}"
        message = f'"{name[:60]}" is no kind of permission; {mend}'
        raise ValueRefused(message)
    if not colon:
        return Entry(kind=kind)
    if kind in _GROUPS:
        message = f'"{kind}" takes no scope; write {kind} alone, or a kind such as fs.read:/srv/**'
        raise ValueRefused(message)
    if not scope:
        message = f'"{text}" has an empty scope; write {kind} alone for everything of that kind'
        raise ValueRefused(message)
    if has_control(scope):
        message = f"a scope of {kind} holds a control character or half of a surrogate pair"
        raise ValueRefused(message)
    match kind:
        case "net":
            nets.parse_net(scope)
        case "fs.read" | "fs.write":
            paths.parse_path_scope(scope)
        case _:
            _check_plain(kind, scope)
    return Entry(kind=kind, scope=scope)


def _check_plain(kind: str, scope: str) -> None:
    """Return if a scope of exec, env, model or archive has its form.

    Raises:
        ValueRefused: another form.
    """
    form, example = {
        "exec": (_PROGRAM, "a program's name, as git, or its absolute path"),
        "env": (_VARIABLE, "a variable's name, or its beginning and *, as AWS_*"),
        "model": (_MODEL, "provider/name or provider/*"),
        "archive": (_COLLECTION, "a collection's name"),
    }[kind]
    if kind == "exec" and scope.startswith("/"):
        path = paths.parse_path_scope(scope)
        if path.is_pattern:
            message = "a program is named without *; write exec alone for every program"
            raise ValueRefused(message)
    elif form.fullmatch(scope) is None:
        message = f'"{scope}" is no scope of {kind}; write {example}'
        raise ValueRefused(message)


def has_control(text: str) -> bool:
    """Tell whether a text has a C0 or C1 control character, a line separator or a surrogate."""
    return any(
        code < 0x20 or 0x7F <= code < 0xA0 or code in {0x2028, 0x2029} or 0xD800 <= code < 0xE000
        for code in map(ord, text)
    )


def format_entry(entry: Entry) -> str:
    """Write an entry as `parse_entry` reads it."""
    return entry.kind if entry.scope is None else f"{entry.kind}:{entry.scope}"


def covers(one: Entry, other: Entry, *, home: str = "") -> bool:
    """Tell whether all that the other entry opens is opened by the one, by their patterns.

    Without `home`, `~` is some unknown directory.
    """
    if not set(other.kinds) <= set(one.kinds):
        return False
    if one.scope is None:
        return True
    if other.scope is None:
        return False
    match one.kind:
        case "net":
            return _covers_net(nets.parse_net(one.scope), nets.parse_net(other.scope))
        case "fs.read" | "fs.write":
            return paths.covers_path(
                paths.parse_path_scope(one.scope, home),
                paths.parse_path_scope(other.scope, home),
            )
        case "env" | "model" if one.scope.endswith("*"):
            return other.scope.startswith(one.scope[:-1])
        case _:
            return one.scope == other.scope


def _covers_net(one: nets.NetScope, other: nets.NetScope) -> bool:
    if not set(_ports(other)) <= set(_ports(one)):
        return False
    if one.network is not None and other.network is not None:
        return contains(one.network, other.network)
    if one.name is None or other.name is None:
        return False
    if one.is_below:
        below = other.name.endswith(f".{one.name}")
        return below or (other.is_below and other.name == one.name)
    return one.name == other.name and not other.is_below


def _ports(scope: nets.NetScope) -> tuple[int, ...]:
    return nets.WEB_PORTS if scope.port is None else (scope.port,)


def decide(layers: Sequence[Layer], wanted: Wanted, *, home: str = "") -> Refusal | None:
    """Give why a job with these layers may not do what it wants; None if it may.

    `home` is the directory that `~` stands for. Every entry was parsed before: a layer holds
    none that `parse_entry` refuses.
    """
    for layer in layers:
        for text in layer.deny:
            if _denies(parse_entry(text), wanted, home):
                return Refusal(
                    refused=format_wanted(wanted),
                    layer=layer.says,
                    fix=f"remove {text} from the deny list of {layer.says}",
                )
    for layer in layers:
        if layer.allow is None:
            continue
        entries = [parse_entry(text) for text in layer.allow]
        lacking = _find_lacking(entries, wanted, home)
        if lacking is not None:
            fix = layer.fix.replace("{entry}", lacking)
            return Refusal(refused=lacking, layer=layer.says, fix=fix)
    return None


def format_wanted(wanted: Wanted) -> str:
    """Write the narrowest entry that opens what is wanted."""
    match wanted:
        case ConnectionWanted():
            return _format_net(wanted.host, wanted.port)
        case PathWanted():
            return f"{wanted.kind}:{paths.escape_path(wanted.path)}"
        case ProgramWanted():
            return f"exec:{wanted.name or paths.escape_path(wanted.path)}"
        case NameWanted():
            return f"{wanted.kind}:{wanted.name}"


def _format_net(host: str, port: int) -> str:
    return f"net:[{host}]:{port}" if ":" in host else f"net:{host}:{port}"


def _find_lacking(entries: Sequence[Entry], wanted: Wanted, home: str) -> str | None:
    """Give the entry that these lack to open what is wanted; None if they open it."""
    if isinstance(wanted, ConnectionWanted):
        return _find_lacking_net(entries, wanted)
    if any(_opens(entry, wanted, home) for entry in entries):
        return None
    return format_wanted(wanted)


def _opens(entry: Entry, wanted: PathWanted | ProgramWanted | NameWanted, home: str) -> bool:
    kind = "exec" if isinstance(wanted, ProgramWanted) else wanted.kind
    if kind not in entry.kinds:
        return False
    if entry.scope is None:
        return True
    match wanted:
        case PathWanted():
            return paths.matches_path(paths.parse_path_scope(entry.scope, home), wanted.path)
        case ProgramWanted():
            return entry.scope in {wanted.name, paths.escape_path(wanted.path)}
        case NameWanted():
            return entry.scope == wanted.name or (
                entry.scope.endswith("*") and wanted.name.startswith(entry.scope[:-1])
            )


def _find_lacking_net(entries: Sequence[Entry], wanted: ConnectionWanted) -> str | None:
    """Give the entry lacking for a connection: one for its host as written, or its address."""
    opening = [entry for entry in entries if _opens_host(entry, wanted, is_denial=False)]
    if not opening:
        return format_wanted(wanted)
    if wanted.address is None or any(_says_address(entry, wanted) for entry in entries):
        return None
    reach = reach_of(wanted.address)
    if reach == "public":
        return None
    is_exact = any(entry.scope is not None and "*" not in entry.scope for entry in opening)
    if reach == "private":
        return None if is_exact else format_wanted(wanted)
    return _format_net(wanted.address, wanted.port)


def _opens_host(entry: Entry, wanted: ConnectionWanted, *, is_denial: bool) -> bool:
    """Tell whether an entry names a host as written, and its port.

    In a denial no port means every port: who denies a host means all of it.
    """
    if "net" not in entry.kinds:
        return False
    if entry.scope is None:
        return True
    scope = nets.parse_net(entry.scope)
    if not (wanted.port in _ports(scope) or (is_denial and scope.port is None)):
        return False
    network = parse_network(wanted.host)
    if network is not None or scope.network is not None:
        both = network is not None and scope.network is not None
        return both and _contains(scope.network, wanted.host)
    host = nets.normal_host(wanted.host)
    if host is None or scope.name is None:
        return False
    return host.endswith(f".{scope.name}") if scope.is_below else host == scope.name


def _contains(network: Network | None, address: str) -> bool:
    inner = parse_network(address)
    return network is not None and inner is not None and contains(network, inner)


def _says_address(entry: Entry, wanted: ConnectionWanted, *, is_denial: bool = False) -> bool:
    """Tell whether an entry names the resolved address, its network, or `localhost`."""
    if entry.kind == "all":
        return True
    if entry.kind != "net" or entry.scope is None or wanted.address is None:
        return False
    scope = nets.parse_net(entry.scope)
    if not (wanted.port in _ports(scope) or (is_denial and scope.port is None)):
        return False
    if scope.name == "localhost" and not scope.is_below:
        return is_loopback(wanted.address)
    return _contains(scope.network, wanted.address)


def _denies(entry: Entry, wanted: Wanted, home: str) -> bool:
    match wanted:
        case ConnectionWanted():
            by_host = _opens_host(entry, wanted, is_denial=True)
            return by_host or _says_address(entry, wanted, is_denial=True)
        case ProgramWanted() if "exec" in entry.kinds and entry.scope is not None:
            # A program's name also means every path ending in it.
            ending = wanted.path.rpartition("/")[2]
            return entry.scope == ending or _opens(entry, wanted, home)
        case _:
            return _opens(entry, wanted, home)
