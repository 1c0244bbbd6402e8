"""Addresses and networks as texts and numbers; which are out on the net, which are at home.

Source: Permissions and approval, Entries; the IANA special-purpose address registries.
"""

import re
from dataclasses import dataclass
from typing import Literal

from corbie.domain.errors import ValueRefused

_IPV4 = re.compile(r"([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})\.([0-9]{1,3})")
_HEX = re.compile(r"[0-9a-f]{1,4}")

Reach = Literal["public", "private", "special"]

# Cloud metadata is here address by address where its network is otherwise private.
_SPECIAL = (
    "0.0.0.0/8",
    "100.100.100.200",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "fd00:ec2::254",
    "2001::/23",
    "2001:db8::/32",
    "3fff::/20",
)
_PRIVATE = ("10.0.0.0/8", "100.64.0.0/10", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7")
_LOOPBACK = ("127.0.0.0/8", "::1")
# IPv6 networks that carry an IPv4 address, with the bits to the right of it.
_CARRIERS = (("64:ff9b::/96", 0), ("2002::/16", 80))


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """A block of addresses: family 4 or 6, the first address, and how many bits are fixed."""

    family: Literal[4, 6]
    first: int
    bits: int


def parse_network(text: str) -> Network | None:
    """Read an address or a network, IPv6 without brackets; None if it is neither.

    Raises:
        ValueRefused: a network whose length is out of range or that is not its first address.
    """
    address, slash, length = text.partition("/")
    parsed = parse_address(address)
    if parsed is None:
        return None
    family, first = parsed
    width = 32 if family == 4 else 128
    if not slash:
        return Network(family=family, first=first, bits=width)
    if not re.fullmatch(r"0|[1-9][0-9]{0,2}", length) or int(length) > width:
        message = f'"{text}" is no network; write as many bits as are fixed, as in 10.0.0.0/8'
        raise ValueRefused(message)
    bits = int(length)
    if first & ((1 << (width - bits)) - 1):
        message = f'"{text}" has bits set past the first {bits}; write the first address'
        raise ValueRefused(message)
    return Network(family=family, first=first, bits=bits)


def parse_address(text: str) -> tuple[Literal[4, 6], int] | None:
    """Read an IPv4 or IPv6 address as a number; an IPv4 one inside IPv6 is IPv4."""
    four = _parse_four(text)
    if four is not None:
        return 4, four
    six = _parse_six(text.lower())
    if six is None:
        return None
    if six >> 32 == 0xFFFF:
        return 4, six & 0xFFFF_FFFF
    return 6, six


def _parse_four(text: str) -> int | None:
    found = _IPV4.fullmatch(text)
    if found is None:
        return None
    value = 0
    for part in found.groups():
        if int(part) > 255 or (len(part) > 1 and part[0] == "0"):
            return None
        value = value * 256 + int(part)
    return value


def _parse_six(text: str) -> int | None:
    head, gap, tail = text.partition("::")
    if "::" in tail or ":" not in text:
        return None
    before, after = _groups(head), _groups(tail)
    if before is None or after is None:
        return None
    missing = 8 - len(before) - len(after)
    if (missing < 1) if gap else (missing != 0):
        return None
    value = 0
    for group in [*before, *([0] * missing), *after]:
        value = value << 16 | group
    return value


def _groups(text: str) -> list[int] | None:
    groups: list[int] = []
    parts = text.split(":") if text else []
    for index, part in enumerate(parts):
        four = _parse_four(part) if index == len(parts) - 1 else None
        if four is not None:
            groups += [four >> 16, four & 0xFFFF]
        elif _HEX.fullmatch(part):
            groups.append(int(part, 16))
        else:
            return None
    return groups


def contains(outer: Network, inner: Network) -> bool:
    """Tell whether every address of one network is in another."""
    if outer.family != inner.family or outer.bits > inner.bits:
        return False
    width = 32 if outer.family == 4 else 128
    return outer.first >> (width - outer.bits) == inner.first >> (width - outer.bits)


def reach_of(address: str) -> Reach:
    """Tell how far an address reaches; what cannot be read as one is special."""
    one = parse_network(address)
    if one is None:
        return "special"
    for text, shift in _CARRIERS:
        if _is_in(one, (text,)):
            inner = (one.first >> shift) & 0xFFFF_FFFF
            return reach_of(".".join(str(inner >> bits & 0xFF) for bits in (24, 16, 8, 0)))
    if _is_in(one, _SPECIAL):
        return "special"
    if _is_in(one, _PRIVATE):
        return "private"
    # Of IPv6 only 2000::/3 is given out as global.
    return "public" if one.family == 4 or _is_in(one, ("2000::/3",)) else "special"


def is_loopback(address: str) -> bool:
    """Tell whether an address leads to the machine itself."""
    one = parse_network(address)
    return one is not None and _is_in(one, _LOOPBACK)


def _is_in(one: Network, texts: tuple[str, ...]) -> bool:
    networks = [parse_network(text) for text in texts]
    return any(network is not None and contains(network, one) for network in networks)
