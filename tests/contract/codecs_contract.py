"""What every codec of records promises: decode(encode(x)) = x, one text for one record."""

import pytest

from corbie.domain.errors import ValueRefused
from corbie.domain.paths import parse_path
from tests.unit.app.test_sealed import SAMPLES

KINDS = sorted(SAMPLES)


class CodecsContract:
    """Give the codecs by kind of file as `make` does."""

    def make(self):
        """Give a mapping from a kind of file to its codec."""
        raise NotImplementedError

    @pytest.fixture
    def codecs(self):
        """Give fresh codecs."""
        return self.make()

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_record_comes_back_as_it_was(self, codecs, kind):
        sample = SAMPLES[kind]
        codec = codecs[parse_path(sample.path).kind]

        assert codec.decode(codec.encode(sample.record)) == sample.record

    @pytest.mark.parametrize("kind", KINDS)
    def test_the_same_record_gives_the_same_bytes(self, codecs, kind):
        sample = SAMPLES[kind]
        codec = codecs[parse_path(sample.path).kind]
        again = codec.decode(codec.encode(sample.record))

        assert codec.encode(again) == codec.encode(sample.record)

    @pytest.mark.parametrize("kind", KINDS)
    def test_a_field_it_does_not_know_is_refused(self, codecs, kind):
        sample = SAMPLES[kind]
        codec = codecs[parse_path(sample.path).kind]
        data = codec.encode(sample.record)

        with pytest.raises(ValueRefused, match="strange"):
            codec.decode(data[:-1] + b',"strange":1}')

    @pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff", b'{"kind":"none"}'])
    def test_what_is_no_record_is_refused(self, codecs, data):
        for codec in codecs.values():
            with pytest.raises(ValueRefused):
                codec.decode(data)

    def test_a_value_that_has_no_json_form_is_refused(self, codecs):
        sample = SAMPLES["start"]
        record = type(sample.record)(
            run=sample.record.run,
            type="flow",
            machine="m",
            definition=sample.record.definition,
            input=float("nan"),
        )

        with pytest.raises(ValueRefused):
            codecs["inbox"].encode(record)

    def test_numbers_are_written_as_javascript_writes_them(self, codecs):
        sample = SAMPLES["start"]
        record = type(sample.record)(
            run=sample.record.run,
            type="flow",
            machine="m",
            definition=sample.record.definition,
            input=[1e21, 1e-7, 0.1, 100000.0, -0.0],
        )

        assert b'"input":[1e+21,1e-7,0.1,100000,0]' in codecs["inbox"].encode(record)
