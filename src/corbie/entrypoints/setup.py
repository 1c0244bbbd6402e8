"""`corbie init`: a controller, a runner and a client that trust each other, and a store.

Every part is made only if it is not there, so that a second time changes nothing and one that
was cut off is completed. Source: Interfaces (init), Configuration.
"""

import contextlib
import os
import re
import socket
from dataclasses import dataclass
from pathlib import Path

from corbie.adapters.crypto.cards import format_card
from corbie.adapters.crypto.keyfiles import FileKeyring
from corbie.adapters.stores.opening import open_store, prepare_store, require_version
from corbie.domain.cards import Card, Role, TrustEntry
from corbie.domain.errors import CorbieError, SetupRefused, ValueRefused
from corbie.domain.names import PartyName, parse_party_name
from corbie.domain.paths import VERSION_PATH
from corbie.entrypoints.settings import FILE_NAME, Settings
from corbie.entrypoints.wiring.local import CARD_ENDING, make_adapters, make_controller

ROLES: tuple[Role, ...] = ("controller", "runner", "client")
ELSEWHERE = "for another set-up set CORBIE_HOME to another directory"


@dataclass(frozen=True, slots=True, kw_only=True)
class SetUp:
    """What `init` leaves: the parties' names by role, the store, and what it made just now."""

    home: Path
    store: str
    names: dict[Role, PartyName]
    made: tuple[str, ...]


def default_name() -> str:
    """Give this computer's name as a party's name can begin."""
    plain = re.sub(r"[^a-z0-9-]+", "-", socket.gethostname().split(".")[0].lower()).strip("-")
    return plain[:40] if plain[:1].isalpha() else "local"


def initialise(settings: Settings, *, name: str | None, held_store: str | None = None) -> SetUp:
    """Make what is missing of a configuration.

    `held_store` is the store that the configuration names, where another one was asked for.

    Raises:
        SetupRefused: it is set up under another name or with another store, or something
            cannot be made or used.
    """
    names = _names(settings, name)
    if held_store not in {None, settings.store} and settings.client is not None:
        message = f"{settings.home} is set up already, with the store {held_store}; {ELSEWHERE}"
        raise SetupRefused(message)
    keyring = FileKeyring(folder=settings.keys_folder)
    _require_keys(settings, names, keyring)
    made: list[str] = []
    # What fails most often comes first: keys for a store that cannot be are half a set-up.
    is_new_store = _make_places(settings, made)
    cards: dict[Role, Card] = {}
    for role, party in names.items():
        if party not in keyring.names():
            keyring.create(party, role)
            made.append(f"keys of the {role} {party}")
        cards[role] = keyring.signer(party).card
        write_new(settings.cards_folder / f"{party}{CARD_ENDING}", format_card(cards[role]))
    if is_new_store:
        made.append(f"the store {settings.store}")
    text = "".join(f"{role}: {party}\n" for role, party in names.items())
    if settings.store != str(settings.home / "store"):
        text += f"store: {settings.store}\n"
    named = settings.model_copy(update={str(role): party for role, party in names.items()})
    _trust(named, cards, made)
    # Last: a configuration that names its parties is whole.
    if write_new(settings.home / FILE_NAME, text):
        made.append(str(settings.home / FILE_NAME))
    return SetUp(home=settings.home, store=settings.store, names=names, made=tuple(made))


def _names(settings: Settings, name: str | None) -> dict[Role, PartyName]:
    set_up = {role: getattr(settings, role) for role in ROLES}
    if any(set_up.values()):
        begin = f"{name}-" if name is not None else ""
        for party in set_up.values():
            if party is None or not party.startswith(begin):
                held = f"{settings.home} is set up already, as {_listed(set_up)}"
                message = f"{held}; {ELSEWHERE}"
                raise SetupRefused(message)
        return {role: party for role, party in set_up.items() if party is not None}
    begin = name if name is not None else default_name()
    try:
        return {role: parse_party_name(f"{begin}-{role}") for role in ROLES}
    except ValueRefused as error:
        raise SetupRefused(str(error)) from error


def _listed(names: dict[Role, PartyName | None]) -> str:
    return ", ".join(str(party) for party in names.values() if party is not None)


def _require_keys(settings: Settings, names: dict[Role, PartyName], keyring: FileKeyring) -> None:
    """Return unless a party's card is here and its keys are not: new ones would be of no use."""
    for party in names.values():
        card = settings.cards_folder / f"{party}{CARD_ENDING}"
        if card.exists() and party not in keyring.names():
            message = (
                f"the card {card} is here, but not its keys; restore the key file in"
                f" {settings.keys_folder} from a copy: others trust no new ones; {ELSEWHERE}"
            )
            raise SetupRefused(message)


def _make_places(settings: Settings, made: list[str]) -> bool:
    """Make the home and the store, or neither home; give whether the store was not one before."""
    folders: list[Path] = []
    try:
        for path in (settings.home, settings.cards_folder):
            _make_folder(path, folders)
        _require_readable(settings.store)
        is_new = prepare_store(open_store(settings.store, create=True))
    except CorbieError:
        for path in reversed(folders):
            # One that holds something by now, as the store itself, stays.
            with contextlib.suppress(OSError):
                path.rmdir()
        raise
    made.extend(f"the directory {path}" for path in folders)
    return is_new


def _require_readable(url: str) -> None:
    """Return unless there is a store of another layout, in which nothing may be made."""
    try:
        store = open_store(url)
    except SetupRefused:
        return
    if store.read(VERSION_PATH) is not None:
        require_version(store)


def _make_folder(path: Path, made: list[Path]) -> None:
    if path.is_dir():
        return
    try:
        missing = [one for one in path.parents if not one.exists()]
        path.mkdir(mode=0o700, parents=True)
    except OSError as error:
        message = f"{path} cannot be made: {error.strerror}"
        raise SetupRefused(message) from error
    made.extend([*reversed(missing), path])


def write_new(path: Path, text: str) -> bool:
    """Write a file unless it is there; give whether it was not."""
    try:
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return False
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror}"
        raise SetupRefused(message) from error
    with os.fdopen(opened, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    return True


def _trust(settings: Settings, cards: dict[Role, Card], made: list[str]) -> None:
    book = make_controller(settings, make_adapters(settings)).trust_book()
    trusted = {entry.card.name for entry in book.list_entries()}
    if cards["runner"].name not in trusted:
        book.put(TrustEntry(card=cards["runner"]))
        made.append(f"trust in the runner {cards['runner'].name}")
    if cards["client"].name not in trusted:
        book.put(TrustEntry(card=cards["client"], allow=("all",), secrets=("*",)))
        made.append(f"trust in the client {cards['client'].name}, with all permissions")
