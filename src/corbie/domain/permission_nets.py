"""Scopes of the kind net: hosts, networks and ports.

Source: Permissions and approval, Entries.
"""

import re
from dataclasses import dataclass

from corbie.domain.addresses import Network, parse_network
from corbie.domain.errors import ValueRefused

WEB_PORTS = (80, 443)

# IDNA 2003 and 2008 read these letters differently: an entry with one would be ambiguous.
_AMBIGUOUS = re.compile("[\u00df\u03c2\u200c\u200d]")
_HOST = re.compile(
    r"(?=.{1,253}\Z)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class NetScope:
    """Hosts and ports. `name` is a host in ASCII; `is_below` means any name below it instead.

    Exactly one of `name` and `network` is given; a single address is a network of all its bits.
    """

    name: str | None = None
    is_below: bool = False
    network: Network | None = None
    port: int | None = None


def parse_net(scope: str) -> NetScope:
    """Read `host`, `host:port`, `*.host`, `[v6]:port` or `10.0.0.0/8:port`.

    Raises:
        ValueRefused: another form.
    """
    host, port = _split_port(scope)
    if host.startswith("*."):
        return NetScope(name=_require_name(host[2:]), is_below=True, port=port)
    network = parse_network(host)
    if network is not None:
        return NetScope(network=network, port=port)
    if "*" in host:
        message = "a * in a host stands only at its start, as in *.example.com; write net for any"
        raise ValueRefused(message)
    return NetScope(name=_require_name(host), port=port)


def _split_port(scope: str) -> tuple[str, int | None]:
    if scope.startswith("["):
        inner, closed, rest = scope[1:].partition("]")
        if not closed or ":" not in inner or (rest and not rest.startswith(":")):
            message = "an IPv6 address is written as [::1] or [::1]:8080"
            raise ValueRefused(message)
        return inner, parse_port(rest[1:]) if rest else None
    if scope.count(":") > 1:
        message = "an IPv6 address stands in brackets, as in [::1]:8080; give no scheme and no path"
        raise ValueRefused(message)
    host, colon, port = scope.partition(":")
    return host, parse_port(port) if colon else None


def parse_port(text: str) -> int:
    """Read a port from 1 to 65535.

    Raises:
        ValueRefused: another text.
    """
    if not re.fullmatch(r"[1-9][0-9]{0,4}", text) or int(text) > 65_535:
        message = f'"{text}" is no port; write a number from 1 to 65535'
        raise ValueRefused(message)
    return int(text)


def normal_host(text: str) -> str | None:
    """Give a host name in ASCII and small letters, without a dot at the end; None if it is none."""
    name = text.removesuffix(".")
    if _AMBIGUOUS.search(name) or len(name) > 253:
        return None
    if not name.isascii():
        try:
            name = name.encode("idna").decode("ascii")
        except UnicodeError:
            return None
    name = name.lower()
    if _HOST.fullmatch(name) is None:
        return None
    # A last label of digits would be read as an address in one of its old spellings.
    last = name.rpartition(".")[2]
    return None if last.isdigit() or re.fullmatch(r"0x[0-9a-f]*", last) else name


def _require_name(text: str) -> str:
    name = normal_host(text)
    if name is None:
        message = (
            f'"{text}" is no host; write one like example.com, example.com:8080, *.example.com,'
            " 10.0.0.0/8 or [::1]:8080 (letters that IDNA reads in two ways in their xn-- form)"
        )
        raise ValueRefused(message)
    return name
