"""A process's own private keys."""

from typing import Protocol

from corbie.domain.names import PartyName
from corbie.domain.ports.crypto import Opener, Signer


class Keyring(Protocol):
    """The parties this process can be. Never prints, pickles or copies out a private key."""

    def signer(self, name: PartyName) -> Signer:
        """Give a party's signer.

        Raises:
            SetupRefused: there is no key file of that name, or it cannot be used: why, and the
                command that mends it.
        """
        ...

    def opener(self, name: PartyName) -> Opener:
        """Give a party's opener; raises as `signer` does."""
        ...
