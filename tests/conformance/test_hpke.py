"""RFC 9180's vectors through the suite that sealing uses, and against `cryptography`'s HPKE."""

import pytest
from cryptography.hazmat.primitives import hpke
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from pyhpke import KEMKeyPair

from corbie.adapters.crypto.sealing import SUITE
from tests.conformance import hpke_by_hand
from tests.conformance.crypto_suites import load_suite

VECTOR = next(
    vector
    for vector in load_suite("hpke/rfc9180_x25519_hkdfsha256_aes256gcm.json")
    if vector["mode"] == 0
)
OTHER = hpke.Suite(hpke.KEM.X25519, hpke.KDF.HKDF_SHA256, hpke.AEAD.AES_256_GCM)


def bytes_of(name):
    return bytes.fromhex(VECTOR[name])


def a_sender():
    ephemeral = KEMKeyPair(
        SUITE.kem.deserialize_private_key(bytes_of("skEm")),
        SUITE.kem.deserialize_public_key(bytes_of("pkEm")),
    )
    public = SUITE.kem.deserialize_public_key(bytes_of("pkRm"))
    return SUITE.create_sender_context(public, bytes_of("info"), eks=ephemeral)


def a_recipient(enc):
    private = SUITE.kem.deserialize_private_key(bytes_of("skRm"))
    return SUITE.create_recipient_context(enc, private, bytes_of("info"))


def test_the_sender_writes_the_vectors_bytes():
    enc, context = a_sender()

    assert enc == bytes_of("enc")
    for case in VECTOR["encryptions"][:3]:
        data, bound = bytes.fromhex(case["pt"]), bytes.fromhex(case["aad"])
        assert context.seal(data, bound) == bytes.fromhex(case["ct"])


def test_the_recipient_opens_the_vectors_bytes():
    context = a_recipient(bytes_of("enc"))

    for case in VECTOR["encryptions"][:3]:
        text, bound = bytes.fromhex(case["ct"]), bytes.fromhex(case["aad"])
        assert context.open(text, bound) == bytes.fromhex(case["pt"])


@pytest.mark.parametrize("case", VECTOR["exports"], ids=lambda case: case["exporter_context"])
def test_both_sides_export_the_vectors_bytes(case):
    context = bytes.fromhex(case["exporter_context"])

    for side in (a_sender()[1], a_recipient(bytes_of("enc"))):
        assert side.export(context, case["L"]).hex() == case["exported_value"]


@pytest.mark.parametrize("case", VECTOR["exports"], ids=lambda case: case["exporter_context"])
def test_hpke_by_hand_exports_the_vectors_bytes(case):
    context = bytes.fromhex(case["exporter_context"])

    found = hpke_by_hand.exported(bytes_of("shared_secret"), info=bytes_of("info"), context=context)

    assert found.hex() == case["exported_value"]


def test_hpke_by_hand_agrees_on_the_vectors_secret():
    private = X25519PrivateKey.from_private_bytes(bytes_of("skRm"))
    dh = private.exchange(X25519PublicKey.from_public_bytes(bytes_of("enc")))

    found = hpke_by_hand.shared_secret(dh, bytes_of("enc"), bytes_of("pkRm"))

    assert found == bytes_of("shared_secret")


def test_cryptography_opens_what_the_suite_seals():
    enc, context = a_sender()
    private = X25519PrivateKey.from_private_bytes(bytes_of("skRm"))

    text = enc + context.seal(b"content")

    assert OTHER.decrypt(text, private, bytes_of("info")) == b"content"


def test_the_suite_opens_what_cryptography_seals():
    public = X25519PublicKey.from_public_bytes(bytes_of("pkRm"))

    text = OTHER.encrypt(b"content", public, bytes_of("info"))

    assert a_recipient(text[:32]).open(text[32:]) == b"content"
