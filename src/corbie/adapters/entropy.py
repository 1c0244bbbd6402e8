"""Chance: the system's, and one that a seed repeats."""

import random
import secrets
from threading import Lock


class SystemEntropy:
    """Digits that nobody can foretell."""

    def digits(self, count: int) -> str:
        """Give so many hex digits."""
        return secrets.token_hex((count + 1) // 2)[:count]


class SeededEntropy:
    """Digits that the same seed gives again in the same order; for tests and simulations only."""

    def __init__(self, seed: int | str) -> None:
        """Start at the beginning of the seed's sequence."""
        self._lock = Lock()
        # The seed is there to be repeated: nothing of this may guard anything.
        self._random = random.Random(seed)  # noqa: S311 - not for cryptography, see above

    def digits(self, count: int) -> str:
        """Give so many hex digits."""
        if count == 0:
            return ""
        with self._lock:
            return f"{self._random.getrandbits(4 * count):0{count}x}"
