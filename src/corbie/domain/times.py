"""Instants and spans, in nanoseconds; the calendar is computed here, no clock is read.

Source: RFC 3339; Definitions, durations; The store, Layout (times in paths).
"""

import re
from typing import NewType

from corbie.domain.errors import ValueRefused

Instant = NewType("Instant", int)
"""Nanoseconds since 1970-01-01T00:00:00Z."""

Span = NewType("Span", int)
"""Nanoseconds between two instants."""

MILLISECOND = Span(1_000_000)
SECOND = Span(1_000_000_000)
MINUTE = Span(60 * SECOND)
HOUR = Span(60 * MINUTE)
DAY = Span(24 * HOUR)

SKEW = Span(5 * MINUTE)
"""How far the clocks of two processes may differ. Source: Processes, Controller."""

SPAN_MAX = Span(366 * 1000 * DAY)

_UNITS: dict[str, Span] = {
    "ms": MILLISECOND,
    "s": SECOND,
    "m": MINUTE,
    "h": HOUR,
    "d": DAY,
}
_SPAN = re.compile(r"([0-9]{1,15})(ms|s|m|h|d)")
_INSTANT = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.([0-9]{9})Z"
)
_PATH_TIME = re.compile(
    r"([0-9]{4})([0-9]{2})([0-9]{2})T([0-9]{2})([0-9]{2})([0-9]{2})\.([0-9]{3})Z"
)


def parse_span(text: str) -> Span:
    """Read `30s`, `7d`, `250ms` and the like.

    Raises:
        ValueRefused: another form, or more than a thousand years.
    """
    found = _SPAN.fullmatch(text)
    if found is None:
        message = f'"{text}" is no duration; write a whole number and ms, s, m, h or d, as in 30s'
        raise ValueRefused(message)
    span = int(found[1]) * _UNITS[found[2]]
    if span > SPAN_MAX:
        message = f'"{text}" is longer than a thousand years'
        raise ValueRefused(message)
    return Span(span)


def format_span(span: Span) -> str:
    """Write a span in the largest unit that holds it whole, as `90s` or `7d`."""
    for unit in ("d", "h", "m", "s"):
        if span and span % _UNITS[unit] == 0:
            return f"{span // _UNITS[unit]}{unit}"
    return f"{span // MILLISECOND}ms"


def later(instant: Instant, span: Span) -> Instant:
    """Give the instant that comes so long after."""
    return Instant(instant + span)


def earlier(instant: Instant, span: Span) -> Instant:
    """Give the instant that comes so long before."""
    return Instant(instant - span)


def format_instant(instant: Instant) -> str:
    """Write RFC 3339 in UTC with nine digits: `2026-10-12T21:01:53.624000000Z`."""
    year, month, day, seconds, nanos = _parts(instant)
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{year:04}-{month:02}-{day:02}T{clock}.{nanos:09}Z"


def parse_instant(text: str) -> Instant:
    """Read what `format_instant` writes.

    Raises:
        ValueRefused: another form, or a day or time that does not exist.
    """
    found = _INSTANT.fullmatch(text)
    if found is None:
        message = f'"{text[:60]}" is no time like 2026-10-12T21:01:53.624000000Z'
        raise ValueRefused(message)
    year, month, day, hour, minute, second, nanos = (int(part) for part in found.groups())
    instant = _instant(year, month, day, hour * 3600 + minute * 60 + second, nanos)
    if format_instant(instant) != text:
        message = f'"{text}" is a time that does not exist'
        raise ValueRefused(message)
    return instant


def format_path_time(instant: Instant) -> str:
    """Write the form used in paths, to the millisecond: `20261012T210153.624Z`; it sorts."""
    year, month, day, seconds, nanos = _parts(instant)
    clock = f"{seconds // 3600:02}{seconds // 60 % 60:02}{seconds % 60:02}"
    return f"{year:04}{month:02}{day:02}T{clock}.{nanos // MILLISECOND:03}Z"


def parse_path_time(text: str) -> Instant:
    """Read what `format_path_time` writes.

    Raises:
        ValueRefused: another form, or a day or time that does not exist.
    """
    found = _PATH_TIME.fullmatch(text)
    if found is None:
        message = f'"{text[:60]}" is no time like 20261012T210153.624Z'
        raise ValueRefused(message)
    year, month, day, hour, minute, second, millis = (int(part) for part in found.groups())
    seconds = hour * 3600 + minute * 60 + second
    instant = _instant(year, month, day, seconds, millis * MILLISECOND)
    if format_path_time(instant) != text:
        message = f'"{text}" is a time that does not exist'
        raise ValueRefused(message)
    return instant


def _parts(instant: Instant) -> tuple[int, int, int, int, int]:
    """Give year, month, day, second of the day and nanosecond of an instant."""
    days, rest = divmod(instant, DAY)
    seconds, nanos = divmod(rest, SECOND)
    # Days since 0000-03-01, so that the leap day ends a year; 146097 days are 400 years.
    shifted = days + 719_468
    era, day_of_era = divmod(shifted, 146_097)
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month_index = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * month_index + 2) // 5 + 1
    month = month_index + 3 if month_index < 10 else month_index - 9
    year = year_of_era + era * 400 + (1 if month <= 2 else 0)
    return year, month, day, seconds, nanos


def _instant(year: int, month: int, day: int, seconds: int, nanos: int) -> Instant:
    shifted = year - 1 if month <= 2 else year
    era, year_of_era = divmod(shifted, 400)
    month_index = month - 3 if month > 2 else month + 9
    day_of_year = (153 * month_index + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    days = era * 146_097 + day_of_era - 719_468
    return Instant(days * DAY + seconds * SECOND + nanos)
