"""`require("env")`: variables of the runner's environment."""

from collections.abc import Mapping

from corbie.adapters.scripts.exits import Exits
from corbie.adapters.scripts.faults import Function, ModuleFault
from corbie.domain.values import JsonValue


def open_module(exits: Exits) -> Mapping[str, Function]:
    """Give the module's functions for one job."""

    def get(given: list[JsonValue]) -> JsonValue:
        name = given[0]
        if not isinstance(name, str) or not name or "=" in name or "\0" in name:
            message = "env.get takes a variable's name"
            raise ModuleFault(message, "bad_input")
        return exits.read_variable(name)

    return {"get": get}
