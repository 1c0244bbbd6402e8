"""Card files: a party's public side as text that people hand to each other."""

import json

from corbie.adapters.crypto.private_side import read_name, read_role
from corbie.adapters.crypto.sealing import parse_seal_key
from corbie.adapters.crypto.signatures import parse_sign_key
from corbie.domain.cards import Card
from corbie.domain.errors import CryptoFault, ValueRefused
from corbie.domain.values import JsonValue, parse_json

CARD_VERSION = 1
CARD_LENGTH_MAX = 4096

_FIELDS = {"version", "name", "role", "sign", "seal"}


def read_card(text: str) -> Card:
    """Read a `.card` file's text.

    Raises:
        ValueRefused: another form, or keys that no party can own.
    """
    if len(text) > CARD_LENGTH_MAX:
        message = f"the card is longer than {CARD_LENGTH_MAX} characters"
        raise ValueRefused(message)
    fields = parse_json(text, what="the card")
    if not isinstance(fields, dict) or set(fields) != _FIELDS:
        message = "the card does not hold exactly version, name, role, sign and seal"
        raise ValueRefused(message)
    if fields["version"] != CARD_VERSION:
        message = f"the card is of another version than {CARD_VERSION}"
        raise ValueRefused(message)
    card = Card(
        name=read_name(fields["name"]),
        role=read_role(fields["role"]),
        sign=_read_text(fields["sign"], "sign"),
        seal=_read_text(fields["seal"], "seal"),
    )
    require_card(card)
    return card


def format_card(card: Card) -> str:
    """Give the text of a card's file."""
    fields = {
        "version": CARD_VERSION,
        "name": card.name,
        "role": card.role,
        "sign": card.sign,
        "seal": card.seal,
    }
    return json.dumps(fields, indent=1) + "\n"


def require_card(card: Card) -> None:
    """Return if both keys are keys that a party can own.

    Raises:
        ValueRefused: one is not.
    """
    try:
        parse_sign_key(card.sign)
        parse_seal_key(card.seal)
    except CryptoFault as error:
        message = f"the card of {card.name} cannot be used: {error}"
        raise ValueRefused(message) from error


def _read_text(value: JsonValue, field: str) -> str:
    if not isinstance(value, str):
        message = f"the card's field {field} is no text"
        raise ValueRefused(message)
    return value
