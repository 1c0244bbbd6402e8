from tests.builders import CHECKER
from tests.contract.schemas_contract import SchemasContract


class TestJsonSchemaChecker(SchemasContract):
    def make(self):
        return CHECKER
