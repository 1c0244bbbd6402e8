"""The script host on processes: the contract."""

import pytest

from corbie.adapters.scripts.host import ProcessScriptHost
from corbie.domain.times import SECOND, Span
from tests.contract.script_orders import WallClock
from tests.contract.scripts_contract import ScriptHostContract


@pytest.fixture(scope="module")
def host():
    host = ProcessScriptHost(clock=WallClock(), grace=Span(2 * SECOND))
    yield host
    host.close()


class TestProcessScriptHost(ScriptHostContract):
    """Everything the contract says."""
