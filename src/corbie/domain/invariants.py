"""Checks of what must be true; never stripped, unlike `assert`."""

from typing import Never

from corbie.domain.errors import Bug


def ensure(condition: bool, sentence: str) -> None:  # noqa: FBT001 - reads as an assertion
    """Raise `Bug` with the sentence unless the condition holds."""
    if not condition:
        raise Bug(sentence)


def unreachable(value: Never) -> Never:
    """Raise `Bug`: every case was covered, mypy agrees, and yet here we are."""
    message = f"no case for {type(value).__name__}"
    raise Bug(message)
