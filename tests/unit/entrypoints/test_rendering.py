"""How records are written for people."""

import pytest

from corbie.domain.times import HOUR, MILLISECOND, MINUTE, SECOND, Span
from corbie.entrypoints.cli.rendering import format_took


@pytest.mark.parametrize(
    ("span", "text"),
    [
        (0, "0ms"),
        (48 * MILLISECOND + 7, "48ms"),
        (15_844 * MILLISECOND, "15.844s"),
        (2 * MINUTE + 5 * SECOND, "2m 5s"),
        (3 * HOUR + 9_999 * MILLISECOND, "3h 0m 9s"),
    ],
)
def test_how_long_something_took_is_read_at_a_glance(span: int, text: str) -> None:
    assert format_took(Span(span)) == text
