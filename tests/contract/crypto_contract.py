"""What every signer, verifier, sealer, opener, blob cipher and keyring must do.

A subclass gives the fixtures `keyring`, `verifier`, `sealer` and `blobs`; the keyring has
`create` beside the port's methods.
"""

import copy
import pickle

import pytest

from corbie.domain.cards import card_id
from corbie.domain.errors import CryptoFault, Refusal, SetupRefused

DATA = bytes(range(256)) * 4
BOUND = b'{"by":"ada"}'


def flips(data, *, bits=(0, 1, 2, 3, 4, 5, 6, 7)):
    """Give every text that differs in one bit."""
    for position in range(len(data)):
        for bit in bits:
            altered = bytearray(data)
            altered[position] ^= 1 << bit
            yield bytes(altered)


class SignatureContract:
    """Signer and Verifier."""

    def test_a_signature_verifies_by_the_signers_card(self, keyring, verifier):
        keyring.create("ada", "client")
        signer = keyring.signer("ada")

        signature = signer.sign(DATA)

        assert len(signature) == 64
        verifier.verify(signer.card, DATA, signature)

    def test_signing_is_deterministic(self, keyring):
        keyring.create("ada", "client")
        signer = keyring.signer("ada")

        assert signer.sign(DATA) == signer.sign(DATA)

    def test_no_bit_of_a_signature_may_change(self, keyring, verifier):
        card = keyring.create("ada", "client")
        signature = keyring.signer("ada").sign(DATA)

        for altered in flips(signature):
            with pytest.raises(CryptoFault):
                verifier.verify(card, DATA, altered)

    def test_no_bit_of_what_was_signed_may_change(self, keyring, verifier):
        card = keyring.create("ada", "client")
        signature = keyring.signer("ada").sign(DATA[:64])

        for altered in flips(DATA[:64]):
            with pytest.raises(CryptoFault):
                verifier.verify(card, altered, signature)

    @pytest.mark.parametrize("size", [0, 1, 63, 65, 1000])
    def test_a_signature_of_another_length_is_refused(self, keyring, verifier, size):
        card = keyring.create("ada", "client")
        signature = keyring.signer("ada").sign(DATA)

        with pytest.raises(CryptoFault):
            verifier.verify(card, DATA, (signature * 16)[:size])

    def test_another_partys_card_does_not_verify(self, keyring, verifier):
        keyring.create("ada", "client")
        other = keyring.create("bob", "client")

        with pytest.raises(CryptoFault):
            verifier.verify(other, DATA, keyring.signer("ada").sign(DATA))


class SealingContract:
    """Sealer and Opener."""

    @pytest.mark.parametrize("size", [0, 1, 1024, 100_000])
    def test_every_reader_opens_what_was_sealed(self, keyring, sealer, size):
        cards = [keyring.create(name, "client") for name in ("ada", "bob", "eve")]
        data = (DATA * 100)[:size]

        sealed = sealer.seal(data, BOUND, cards)

        assert len(sealed) == 1 + 3 * 100 + 12 + size + 16
        assert [keyring.opener(card.name).open(sealed, BOUND) for card in cards] == [data] * 3

    def test_line_two_is_laid_out_as_the_chapter_says(self, keyring, sealer):
        cards = [keyring.create(name, "client") for name in ("ada", "bob")]

        sealed = sealer.seal(DATA, BOUND, cards)

        assert sealed[0] == 2
        assert [sealed[1:9], sealed[101:109]] == [card_id(card) for card in cards]

    def test_a_party_it_was_not_sealed_for_does_not_open_it(self, keyring, sealer):
        card = keyring.create("ada", "client")
        keyring.create("eve", "client")
        sealed = sealer.seal(DATA, BOUND, [card])

        with pytest.raises(CryptoFault, match="not sealed for eve"):
            keyring.opener("eve").open(sealed, BOUND)

    def test_a_party_named_on_anothers_wrapped_key_does_not_open_it(self, keyring, sealer):
        card = keyring.create("ada", "client")
        eve = keyring.create("eve", "client")
        sealed = sealer.seal(DATA, BOUND, [card])

        with pytest.raises(CryptoFault):
            keyring.opener("eve").open(sealed[:1] + card_id(eve) + sealed[9:], BOUND)

    def test_a_forged_entry_before_the_true_one_does_not_hide_it(self, keyring, sealer):
        card = keyring.create("ada", "client")
        sealed = sealer.seal(DATA, BOUND, [card])
        forged = card_id(card) + bytes(92)

        assert keyring.opener("ada").open(b"\2" + forged + sealed[1:], BOUND) == DATA

    def test_no_bit_of_a_sealed_text_may_change(self, keyring, sealer):
        card = keyring.create("ada", "client")
        opener = keyring.opener("ada")
        sealed = sealer.seal(DATA[:40], BOUND, [card])
        assert opener.open(sealed, BOUND) == DATA[:40]

        for altered in flips(sealed):
            with pytest.raises(CryptoFault):
                opener.open(altered, BOUND)

    def test_no_bit_of_what_it_is_bound_to_may_change(self, keyring, sealer):
        card = keyring.create("ada", "client")
        sealed = sealer.seal(DATA, BOUND, [card])

        for altered in flips(BOUND):
            with pytest.raises(CryptoFault):
                keyring.opener("ada").open(sealed, altered)

    def test_a_sealed_text_cut_anywhere_or_lengthened_is_refused(self, keyring, sealer):
        card = keyring.create("ada", "client")
        opener = keyring.opener("ada")
        sealed = sealer.seal(b"{}", BOUND, [card])

        for size in range(len(sealed)):
            with pytest.raises(CryptoFault):
                opener.open(sealed[:size], BOUND)
        with pytest.raises(CryptoFault):
            opener.open(sealed + b"\0", BOUND)

    @pytest.mark.parametrize("count", [0, 2, 17, 255])
    def test_a_wrong_count_of_readers_is_refused(self, keyring, sealer, count):
        card = keyring.create("ada", "client")
        sealed = sealer.seal(DATA * 40, BOUND, [card])

        with pytest.raises(CryptoFault):
            keyring.opener("ada").open(bytes([count]) + sealed[1:], BOUND)

    def test_sixteen_readers_are_the_most(self, keyring, sealer):
        card = keyring.create("ada", "client")

        assert keyring.opener("ada").open(sealer.seal(DATA, BOUND, [card] * 16), BOUND) == DATA
        for readers in ([], [card] * 17):
            with pytest.raises(CryptoFault):
                sealer.seal(DATA, BOUND, readers)

    def test_the_same_content_is_never_sealed_to_the_same_bytes(self, keyring, sealer):
        card = keyring.create("ada", "client")

        first, second = (sealer.seal(DATA, BOUND, [card]) for _ in range(2))

        assert first[41:] != second[41:]
        assert not set(zip(*[iter(first[41:])] * 12, strict=False)) & set(
            zip(*[iter(second[41:])] * 12, strict=False)
        )


class BlobContract:
    """BlobCipher, whatever the size; `chunk_bytes` is its chunk."""

    chunk_bytes = 1024 * 1024

    @pytest.mark.parametrize("chunks", [0, 1, 2, 3])
    @pytest.mark.parametrize("more", [-1, 0, 1])
    def test_a_blob_is_given_back_at_and_around_each_bound(self, blobs, chunks, more):
        size = max(chunks * self.chunk_bytes + more, 0)
        data = (DATA * (size // len(DATA) + 1))[:size]

        stored, key = blobs.encrypt("b1", data)

        assert len(key) == 64
        assert blobs.decrypt("b1", stored, key) == data

    def test_each_blob_has_a_key_of_its_own(self, blobs):
        assert blobs.encrypt("b1", DATA)[1] != blobs.encrypt("b1", DATA)[1]

    def test_no_bit_of_a_blob_may_change(self, blobs):
        stored, key = blobs.encrypt("b1", DATA[:100])

        for altered in flips(stored):
            with pytest.raises(CryptoFault):
                blobs.decrypt("b1", altered, key)

    @pytest.mark.parametrize("key", ["", "00", "0" * 64, "A" * 64, "z" * 64, "0" * 63 + "é"])
    def test_another_key_is_refused(self, blobs, key):
        stored, _ = blobs.encrypt("b1", DATA)

        with pytest.raises(CryptoFault):
            blobs.decrypt("b1", stored, key)

    def test_another_name_is_refused(self, blobs):
        stored, key = blobs.encrypt("b1", DATA)

        with pytest.raises(CryptoFault):
            blobs.decrypt("b2", stored, key)

    def test_a_small_blob_cut_anywhere_is_refused(self, blobs):
        stored, key = blobs.encrypt("b1", DATA[:100])

        for size in range(len(stored)):
            with pytest.raises(CryptoFault):
                blobs.decrypt("b1", stored[:size], key)

    def test_a_large_blob_cut_moved_or_lengthened_is_refused(self, blobs):
        prefix, step = 7, self.chunk_bytes + 16
        stored, key = blobs.encrypt("b1", bytes(2 * self.chunk_bytes + 5))
        head, first, second = (
            stored[:prefix],
            stored[prefix:][:step],
            stored[prefix + step :][:step],
        )
        last = stored[prefix + 2 * step :]

        for altered in (
            head + first + second,
            head + first,
            head + second + last,
            head + first + last,
            head + last,
            head + second + first + last,
            head + first + first + second + last,
            stored + b"\0",
            stored + bytes(16),
            stored + last,
            stored[:-1],
            stored[: prefix + 2 * step + 3],
            head + bytes(4) + b"\0" + first,
        ):
            with pytest.raises(CryptoFault):
                blobs.decrypt("b1", altered, key)

    def test_a_chunk_is_not_passed_off_as_a_whole_blob(self, blobs):
        stored, key = blobs.encrypt("b1", bytes(2 * self.chunk_bytes))
        prefix, step = stored[:7], self.chunk_bytes + 16

        for number, last in ((0, 0), (1, 1)):
            chunk = stored[7 + number * step :][:step]
            nonce = prefix + number.to_bytes(4, "big") + bytes([last])
            for altered in (nonce + chunk, prefix + chunk):
                with pytest.raises(CryptoFault):
                    blobs.decrypt("b1", altered, key)

    def test_the_digest_is_sha256(self, blobs):
        assert blobs.digest(b"abc").startswith("ba7816bf8f01cfea")


class KeyringContract:
    """Keyring, and `create`."""

    def test_a_party_signs_and_opens_under_the_card_it_was_created_with(self, keyring, sealer):
        card = keyring.create("ada", "client")

        assert (card.name, card.role) == ("ada", "client")
        assert keyring.signer("ada").card == card
        assert keyring.opener("ada").open(sealer.seal(DATA, BOUND, [card]), BOUND) == DATA
        assert keyring.names() == ("ada",)

    def test_a_party_is_created_once(self, keyring):
        card = keyring.create("ada", "client")

        with pytest.raises(SetupRefused, match="choose another name"):
            keyring.create("ada", "controller")

        assert keyring.signer("ada").card == card

    def test_a_missing_party_is_refused_with_what_to_do(self, keyring):
        for call in (keyring.signer, keyring.opener):
            with pytest.raises(SetupRefused, match=r"create|init|restore"):
                call("ada")

    @pytest.mark.parametrize("name", ["", "..", "a/b", "../ada", "-ada", "a\0"])
    def test_a_name_that_is_no_partys_is_refused(self, keyring, name):
        with pytest.raises(Refusal):
            keyring.signer(name)

    def test_private_keys_are_neither_pickled_nor_copied_nor_shown(self, keyring):
        keyring.create("ada", "client")

        for holder in (keyring.signer("ada"), keyring.opener("ada"), keyring):
            for call in (pickle.dumps, copy.copy, copy.deepcopy):
                with pytest.raises(TypeError):
                    call(holder)
            for text in (repr(holder), str(holder)):
                assert "bytes" not in text
                assert len(text) < 120
