"""The parties of this computer: their keys, the cards it knows, and whom its controller trusts.

Source: Interfaces (party, trust); Configuration (keys and cards).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from corbie.adapters.crypto.cards import format_card, read_card
from corbie.adapters.crypto.keyfiles import FileKeyring
from corbie.app.controller.trusting import TrustBook
from corbie.domain.cards import Card, Role, TrustEntry
from corbie.domain.errors import NotFound, SetupRefused, ValueRefused
from corbie.domain.names import PartyName, parse_party_name
from corbie.entrypoints.settings import Settings
from corbie.entrypoints.setup import write_new
from corbie.entrypoints.wiring.local import (
    CARD_ENDING,
    list_cards,
    make_adapters,
    make_controller,
)


class TrustRefused(ValueRefused):
    """A party cannot be trusted with this: its role has no use for it."""

    code = "trust_refused"


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """A party this computer knows: its card, and whether its private keys are here too."""

    card: Card
    has_keys: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Grant:
    """What to trust a party with, besides what it is trusted with already."""

    tags: tuple[str, ...] = ()
    places: int | None = None
    allow: tuple[str, ...] = ()
    secrets: tuple[str, ...] = ()


def list_known(settings: Settings) -> Sequence[Known]:
    """Give the parties whose cards are here, by name."""
    own = FileKeyring(folder=settings.keys_folder).names()
    return [Known(card=card, has_keys=card.name in own) for card in list_cards(settings)]


def create_party(settings: Settings, name: str, role: Role) -> Card:
    """Make the keys and the card of a new party.

    Raises:
        SetupRefused: there is one of that name, or its files cannot be written.
    """
    party = parse_party_name(name)
    path = settings.cards_folder / f"{party}{CARD_ENDING}"
    if path.exists():
        message = f"there is a party {party} already: {path}"
        raise SetupRefused(message)
    card = FileKeyring(folder=settings.keys_folder).create(party, role)
    _keep_card(settings, card)
    return card


def card_text(card: Card) -> str:
    """Give the text of a card's file."""
    return format_card(card)


def find_known(settings: Settings, text: str) -> Card:
    """Give the card that a path of a card file, or a name, means.

    Raises:
        NotFound: neither a file nor a known name. SetupRefused: the file is no card.
    """
    path = Path(text)
    if path.is_file():
        try:
            return read_card(path.read_text(encoding="utf-8"))
        except (OSError, UnicodeDecodeError, ValueRefused) as error:
            message = f"the card {path} cannot be used: {error}"
            raise SetupRefused(message) from error
    for card in list_cards(settings):
        if card.name == text:
            return card
    message = f"there is no card file {text}, and no party of that name; see: corbie party ls"
    raise NotFound(message)


def trust(settings: Settings, card: Card, grant: Grant) -> TrustEntry | None:
    """Trust a party of this card, or trust it with more; give what holds, None for a controller.

    A controller's card is only kept here: this computer's runner works for it from then on.

    Raises:
        SetupRefused: another card of that name is trusted or known.
        TrustRefused: the grant is not for its role.
    """
    _check_grant(card, grant)
    known = next((one for one in list_cards(settings) if one.name == card.name), None)
    if known is not None and known != card:
        message = (
            f"another card of {card.name} is known here; to replace it, first remove"
            f" {settings.cards_folder / (card.name + CARD_ENDING)}"
        )
        raise SetupRefused(message)
    if card.role == "controller":
        _keep_card(settings, card)
        return None
    book = open_book(settings)
    held = next((one for one in book.list_entries() if one.card.name == card.name), None)
    entry = _merge(TrustEntry(card=card) if held is None else held, grant)
    if entry.card != card:
        message = f"another card of {card.name} is trusted; first: corbie trust rm {card.name}"
        raise SetupRefused(message)
    book.put(entry)
    _keep_card(settings, card)
    return entry


def open_book(settings: Settings) -> TrustBook:
    """Give the entries of this computer's controller."""
    return make_controller(settings, make_adapters(settings)).trust_book()


def remove_trust(settings: Settings, name: str) -> PartyName:
    """Trust a party no more; its card stays.

    Raises:
        NotFound: it was not trusted.
    """
    party = parse_party_name(name)
    open_book(settings).remove(party)
    return party


def _check_grant(card: Card, grant: Grant) -> None:
    if card.role == "viewer":
        message = f"{card.name} is a viewer: it needs no trust, it reads statuses only"
        raise TrustRefused(message)
    if card.role != "runner" and (grant.tags or grant.places is not None):
        message = f"{card.name} is a {card.role}; --tag and --places are for runners"
        raise TrustRefused(message)
    if card.role != "client" and (grant.allow or grant.secrets):
        message = f"{card.name} is a {card.role}; --allow and --secrets are for clients"
        raise TrustRefused(message)


def _merge(held: TrustEntry, grant: Grant) -> TrustEntry:
    return replace(
        held,
        tags=tuple(dict.fromkeys((*held.tags, *grant.tags))),
        places=held.places if grant.places is None else grant.places,
        allow=tuple(dict.fromkeys((*held.allow, *grant.allow))),
        secrets=tuple(dict.fromkeys((*held.secrets, *grant.secrets))),
    )


def _keep_card(settings: Settings, card: Card) -> None:
    settings.cards_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    write_new(settings.cards_folder / f"{card.name}{CARD_ENDING}", format_card(card))
