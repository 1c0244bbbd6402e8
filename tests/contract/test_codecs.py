"""The codecs that there are, held to their contract."""

from corbie.adapters.codecs import make_codecs
from tests.contract.codecs_contract import CodecsContract


class TestPydanticCodecs(CodecsContract):
    """pydantic over the domain's dataclasses."""

    def make(self):
        """Give them."""
        return make_codecs()
