"""Codecs of content records: pydantic over the domain's own dataclasses.

Adapters are built once, at first use: building one costs a millisecond, using it microseconds.
Source: architecture, Where pydantic is.
"""

from functools import cache
from types import UnionType
from typing import Generic, TypeVar, get_args

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from corbie.domain.cards import TrustEntry
from corbie.domain.errors import ValueRefused
from corbie.domain.paths import FileKind
from corbie.domain.ports.codecs import Codec
from corbie.domain.records import (
    Alive,
    Content,
    ControllerMessage,
    EmitBatch,
    Receipt,
    RunnerMessage,
    Status,
    StepRecord,
    Taken,
)
from corbie.domain.values import JsonValue, cut_text, read_json, stable_text

T = TypeVar("T")

PROBLEMS_SHOWN_MAX = 3


@cache
def _adapter(record_type: object) -> TypeAdapter[object]:
    # pydantic takes a union where mypy wants a type form.
    return TypeAdapter(record_type)  # type: ignore[arg-type]


class PydanticCodec(Generic[T]):
    """A `Codec` of one record type, or of a union whose members have a `kind` each."""

    def __init__(self, record_type: object) -> None:
        """Hold the type; nothing is built yet."""
        self._type = record_type

    def encode(self, record: T) -> bytes:
        """Give compact JSON; fields that are None are left out, in an author's values nothing.

        Raises:
            ValueRefused: a value in it has no JSON form.
        """
        try:
            plain = _adapter(self._type).dump_python(record, mode="json", exclude_none=True)
        except (PydanticSerializationError, UnicodeError) as error:
            message = f"the record has no JSON form: {error}"
            raise ValueRefused(message) from error
        return stable_text(plain).encode()

    def decode(self, data: bytes) -> T:
        """Give the record back; a field it does not know is refused.

        Raises:
            ValueRefused: not such a record; says where.
        """
        try:
            plain = read_json(data)
            decoded = _adapter(self._member(plain)).validate_python(plain, extra="forbid")
        except ValidationError as error:
            shown = "; ".join(
                f"{'.'.join(map(str, one['loc']))}: {one['msg']}"
                for one in error.errors(include_input=False)[:PROBLEMS_SHOWN_MAX]
            )
            message = f"not the content it should be: {shown}"
            raise ValueRefused(message) from error
        return decoded  # type: ignore[return-value]  # the adapter is of this codec's type

    def _member(self, plain: JsonValue) -> object:
        """Give the record's own type: of a union the member that its `kind` names."""
        if not isinstance(self._type, UnionType):
            return self._type
        kind = plain.get("kind") if isinstance(plain, dict) else None
        for member in get_args(self._type):
            if member.__dataclass_fields__["kind"].default == kind:
                return member
        message = f"no content is of the kind {cut_text(kind)}"
        raise ValueRefused(message)


def make_codecs() -> dict[FileKind, Codec[Content]]:
    """Give the codec of each kind of signed file."""
    return {
        "inbox": PydanticCodec(ControllerMessage | RunnerMessage),
        "receipt": PydanticCodec(Receipt),
        "running": PydanticCodec(Status),
        "finished": PydanticCodec(Status),
        "step": PydanticCodec(StepRecord),
        "emit": PydanticCodec(EmitBatch),
        "trust": PydanticCodec(TrustEntry),
        "taken": PydanticCodec(Taken),
        "alive": PydanticCodec(Alive),
    }
