"""Cards and what a controller trusts each party with. Private keys are never here.

Source: The store, A file; Permissions, Layers (ceilings).
"""

from dataclasses import dataclass
from typing import Literal

from corbie.domain.names import PartyName

Role = Literal["controller", "runner", "client", "viewer"]

CARD_ID_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A party's public side: two public keys of 32 bytes, each as 64 hex digits.

    `sign` is its Ed25519 key, `seal` its X25519 key.
    """

    name: PartyName
    role: Role
    sign: str
    seal: str


def card_id(card: Card) -> bytes:
    """Give the 8 bytes that name a reader in a sealed file: the start of its sealing key.

    It only says which wrapped key to try; whoever forges one opens nothing.
    """
    return bytes.fromhex(card.seal)[:CARD_ID_BYTES]


@dataclass(frozen=True, slots=True, kw_only=True)
class TrustEntry:
    """A party that a controller trusts, and with what.

    `allow` is a client's ceiling, as permission entries, and `secrets` the names of the secrets
    its definitions may use (`*` for all); `tags` and `places` are a runner's; places are how
    many jobs it is sent at once, None for what its `alive` file says.
    """

    card: Card
    tags: tuple[str, ...] = ()
    places: int | None = None
    allow: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()
