"""The settings of this process. Apart from `options`: they cost a tenth of a second to import."""

import os
import sys
from collections.abc import Mapping

from corbie.entrypoints.settings import Settings, SettingsRead, read_settings


def read_own_settings(**flags: str | int | None) -> Settings:
    """Give the settings that hold here; a flag of None was not given."""
    return read_origins(flags).settings


def read_origins(flags: Mapping[str, str | int | None]) -> SettingsRead:
    """Give the settings with where each came from."""
    return read_settings(flags=flags, environment=os.environ, is_terminal=sys.stderr.isatty())
