"""What a module's function may answer a script with, other than a value."""

from collections.abc import Callable
from typing import Literal

from corbie.domain.values import JsonValue

Function = Callable[[list[JsonValue]], JsonValue]
"""What a module answers a call with, given its arguments. Raises ModuleFault."""

FaultCode = Literal["not_found", "refused", "timeout", "not_permitted", "bad_input", "failed"]


class ModuleFault(Exception):
    """A call failed; the shim throws an Error with this message and code in the script."""

    def __init__(self, message: str, code: FaultCode) -> None:
        """Hold one sentence and the code."""
        super().__init__(message)
        self.code: FaultCode = code


def fault_of(error: OSError, what: str) -> ModuleFault:
    """Give the fault that says what the operating system answered."""
    code: FaultCode = "failed"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        code = "not_found"
    elif isinstance(error, PermissionError):
        code = "not_permitted"
    elif isinstance(error, ConnectionRefusedError):
        code = "refused"
    elif isinstance(error, TimeoutError):
        code = "timeout"
    elif isinstance(error, FileExistsError | IsADirectoryError):
        code = "bad_input"
    return ModuleFault(f"{what}: {error.strerror or error}", code)
