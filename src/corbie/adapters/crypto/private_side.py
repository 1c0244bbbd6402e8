"""A party's two private keys: made, written as a key file's text, read from it, and used."""

import base64
import json
from typing import NoReturn

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from typing_extensions import override

from corbie.adapters.crypto.sealing import HpkeOpener
from corbie.adapters.crypto.signatures import KEY_BYTES, Ed25519Signer
from corbie.domain.cards import Card, Role
from corbie.domain.errors import ValueRefused
from corbie.domain.names import PartyName, parse_party_name
from corbie.domain.values import JsonValue, parse_json

KEY_FILE_VERSION = 1
KEY_FILE_BYTES_MAX = 4096

_FIELDS = {"version", "name", "role", "sign", "seal"}


class PrivateSide:
    """A party's signer and opener, made from its private keys once."""

    __slots__ = ("_seal", "_sign", "card", "opener", "signer")

    def __init__(self, *, name: PartyName, role: Role, sign: bytes, seal: bytes) -> None:
        """Make the card, signer and opener of two private keys of 32 bytes each."""
        self._sign = Ed25519PrivateKey.from_private_bytes(sign)
        self._seal = X25519PrivateKey.from_private_bytes(seal)
        self.card = Card(
            name=name,
            role=role,
            sign=self._sign.public_key().public_bytes_raw().hex(),
            seal=self._seal.public_key().public_bytes_raw().hex(),
        )
        self.signer = Ed25519Signer(card=self.card, private=self._sign)
        self.opener = HpkeOpener(card=self.card, private=self._seal)

    def format_text(self) -> str:
        """Give the text of the key file: private, to be written where one owner reads."""
        fields = {
            "version": KEY_FILE_VERSION,
            "name": self.card.name,
            "role": self.card.role,
            "sign": _encode(self._sign.private_bytes_raw()),
            "seal": _encode(self._seal.private_bytes_raw()),
        }
        return json.dumps(fields, indent=1) + "\n"

    @override
    def __repr__(self) -> str:
        """Name the party only."""
        return f"PrivateSide({self.card.name!r})"

    @override
    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled or copied."""
        message = "private keys cannot be copied"
        raise TypeError(message)


def make_private_side(name: PartyName, role: Role) -> PrivateSide:
    """Make fresh keys for a party."""
    return PrivateSide(
        name=name,
        role=role,
        sign=Ed25519PrivateKey.generate().private_bytes_raw(),
        seal=X25519PrivateKey.generate().private_bytes_raw(),
    )


def read_private_side(text: bytes) -> PrivateSide:
    """Read a key file's text.

    Raises:
        ValueRefused: another form; the reason never holds any of the text.
    """
    if len(text) > KEY_FILE_BYTES_MAX:
        message = f"it is longer than {KEY_FILE_BYTES_MAX} bytes"
        raise ValueRefused(message)
    fields = parse_json(text, what="the file")
    if not isinstance(fields, dict) or set(fields) != _FIELDS:
        message = "it does not hold exactly version, name, role, sign and seal"
        raise ValueRefused(message)
    if fields["version"] != KEY_FILE_VERSION:
        message = f"it is of another version than {KEY_FILE_VERSION}"
        raise ValueRefused(message)
    return PrivateSide(
        name=read_name(fields["name"]),
        role=read_role(fields["role"]),
        sign=_decode(fields["sign"], "sign"),
        seal=_decode(fields["seal"], "seal"),
    )


def read_name(value: JsonValue) -> PartyName:
    """Read the field `name` of a card or key file.

    Raises:
        ValueRefused: not a party's name.
    """
    if not isinstance(value, str):
        message = "its name is no text"
        raise ValueRefused(message)
    return parse_party_name(value)


def read_role(value: JsonValue) -> Role:
    """Read the field `role` of a card or key file.

    Raises:
        ValueRefused: none of the four.
    """
    match value:
        case "controller" | "runner" | "client" | "viewer":
            return value
        case _:
            message = "its role is not controller, runner, client or viewer"
            raise ValueRefused(message)


def _encode(raw: bytes) -> str:
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _decode(value: JsonValue, field: str) -> bytes:
    text = value if isinstance(value, str) else ""
    try:
        raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except ValueError:
        raw = b""
    if len(raw) != KEY_BYTES or _encode(raw) != text:
        message = f"its field {field} is not {KEY_BYTES} bytes in base64url"
        raise ValueRefused(message)
    return raw
