"""The cards a process knows, by name. Source: The store, A file (its card is known)."""

from collections.abc import Iterable

from corbie.domain.cards import Card
from corbie.domain.names import PartyName


class CardBook:
    """Cards by name; the set grows as trust entries and messages are read."""

    def __init__(self, cards: Iterable[Card] = ()) -> None:
        """Begin with the cards a process was set up with."""
        self._cards = {card.name: card for card in cards}

    def card_of(self, name: PartyName) -> Card | None:
        """Give a party's card, None for one that nobody here vouched for."""
        return self._cards.get(name)

    def replace_all(self, cards: Iterable[Card]) -> None:
        """Know exactly these cards from now on."""
        self._cards = {card.name: card for card in cards}

    def add(self, card: Card) -> None:
        """Know one card more, or another of the same name."""
        self._cards[card.name] = card
