"""The entropy port's contract."""

import pytest

from corbie.adapters.entropy import SeededEntropy, SystemEntropy
from corbie.domain.ports.entropy import Entropy

SOURCES = [SystemEntropy(), SeededEntropy(7)]


@pytest.mark.parametrize("source", SOURCES, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize("count", [0, 1, 9, 10, 64])
def test_a_source_gives_as_many_hex_digits_as_asked(source: Entropy, count: int) -> None:
    digits = source.digits(count)

    assert len(digits) == count
    assert set(digits) <= set("0123456789abcdef")


@pytest.mark.parametrize("source", SOURCES, ids=lambda one: type(one).__name__)
def test_names_of_a_source_do_not_repeat(source: Entropy) -> None:
    assert len({source.digits(32) for _ in range(1_000)}) == 1_000


def test_a_seed_repeats_itself_exactly_and_another_does_not() -> None:
    one, same, other = SeededEntropy(1), SeededEntropy(1), SeededEntropy("1")

    given = [one.digits(10) for _ in range(20)]

    assert given == [same.digits(10) for _ in range(20)]
    assert given != [other.digits(10) for _ in range(20)]
