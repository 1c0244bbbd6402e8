"""`MemoryKeyring`: real keys that live as long as the process, for the testbed."""

from typing import NoReturn

from typing_extensions import override

from corbie.adapters.crypto.private_side import PrivateSide, make_private_side
from corbie.domain.cards import Card, Role
from corbie.domain.errors import SetupRefused
from corbie.domain.names import PartyName
from corbie.domain.ports.crypto import Opener, Signer


class MemoryKeyring:
    """The parties made in this process."""

    def __init__(self) -> None:
        """Begin with no party."""
        self._sides: dict[PartyName, PrivateSide] = {}

    def create(self, name: PartyName, role: Role) -> Card:
        """Make a party's keys and give its card.

        Raises:
            SetupRefused: there is a party of that name.
        """
        if name in self._sides:
            message = f"the party {name} exists already; choose another name"
            raise SetupRefused(message)
        self._sides[name] = make_private_side(name, role)
        return self._sides[name].card

    def names(self) -> tuple[PartyName, ...]:
        """Give the names of the parties, sorted."""
        return tuple(sorted(self._sides))

    def signer(self, name: PartyName) -> Signer:
        """Give a party's signer.

        Raises:
            SetupRefused: there is no party of that name.
        """
        return self._side(name).signer

    def opener(self, name: PartyName) -> Opener:
        """Give a party's opener; raises as `signer` does."""
        return self._side(name).opener

    @override
    def __reduce__(self) -> NoReturn:
        """Refuse to be pickled or copied."""
        message = "a keyring holds private keys and cannot be copied"
        raise TypeError(message)

    def _side(self, name: PartyName) -> PrivateSide:
        if name not in self._sides:
            message = f"there is no party {name} in this process; create it first"
            raise SetupRefused(message)
        return self._sides[name]
