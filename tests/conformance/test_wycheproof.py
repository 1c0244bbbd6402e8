"""Wycheproof's vectors through the adapters: verify a signature, open a sealed text.

X25519 and AES-GCM are reached as the product reaches them, by opening: the sealed text around
a vector is made by hand.
"""

import pytest
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey

from corbie.adapters.crypto import sealing
from corbie.adapters.crypto.signatures import Ed25519Verifier
from corbie.domain.cards import Card, card_id
from corbie.domain.errors import CryptoFault
from tests.conformance import hpke_by_hand
from tests.conformance.crypto_suites import case_id, wycheproof_cases

CONTENT_KEY = b"\5" * 32


def a_party(private):
    key = X25519PrivateKey.from_private_bytes(private)
    card = Card(name="ada", role="client", sign="", seal=key.public_key().public_bytes_raw().hex())
    return card, sealing.HpkeOpener(card=card, private=key)


@pytest.mark.parametrize("case", wycheproof_cases("ed25519"), ids=case_id)
def test_ed25519(case):
    card = Card(name="ada", role="client", sign=case["publicKey"]["pk"], seal="")
    message, signature = bytes.fromhex(case["msg"]), bytes.fromhex(case["sig"])

    if case["result"] == "valid":
        Ed25519Verifier().verify(card, message, signature)
    else:
        with pytest.raises(CryptoFault):
            Ed25519Verifier().verify(card, message, signature)


@pytest.mark.parametrize("case", wycheproof_cases("x25519"), ids=case_id)
def test_x25519(case):
    card, opener = a_party(bytes.fromhex(case["private"]))
    enc = bytes.fromhex(case["public"])
    shared = hpke_by_hand.shared_secret(
        bytes.fromhex(case["shared"]), enc, bytes.fromhex(card.seal)
    )
    wrapping = hpke_by_hand.exported(shared, info=b"corbie/1/file", context=b"wrap")
    nonce = b"\3" * 12
    sealed = hpke_by_hand.sealed_text(
        card_id=card_id(card),
        enc=enc,
        wrapping=wrapping,
        content_key=CONTENT_KEY,
        bound=b"line 1",
        nonce=nonce,
        ciphertext=sealing.AESGCM(CONTENT_KEY).encrypt(nonce, b"content", b"line 1"),
    )

    if "ZeroSharedSecret" in case["flags"]:
        with pytest.raises(CryptoFault):
            opener.open(sealed, b"line 1")
    else:
        assert opener.open(sealed, b"line 1") == b"content"


@pytest.mark.parametrize(
    "case",
    [case for case in wycheproof_cases("x25519") if "LowOrderPublic" in case["flags"]],
    ids=case_id,
)
def test_x25519_points_of_low_order_are_no_cards(case):
    with pytest.raises(CryptoFault):
        sealing.parse_seal_key(case["public"])


@pytest.mark.parametrize(
    "case",
    [
        case
        for case in wycheproof_cases("aes_gcm")
        if (case["keySize"], case["ivSize"], case["tagSize"]) == (256, 96, 128)
    ],
    ids=case_id,
)
def test_aes_256_gcm(case):
    card, opener = a_party(b"\1" * 32)
    bound = bytes.fromhex(case["aad"])
    ephemeral = X25519PrivateKey.from_private_bytes(b"\2" * 32)
    enc = ephemeral.public_key().public_bytes_raw()
    public = X25519PrivateKey.from_private_bytes(b"\1" * 32).public_key()
    shared = hpke_by_hand.shared_secret(ephemeral.exchange(public), enc, public.public_bytes_raw())
    sealed = hpke_by_hand.sealed_text(
        card_id=card_id(card),
        enc=enc,
        wrapping=hpke_by_hand.exported(shared, info=b"corbie/1/file", context=b"wrap"),
        content_key=bytes.fromhex(case["key"]),
        bound=bound,
        nonce=bytes.fromhex(case["iv"]),
        ciphertext=bytes.fromhex(case["ct"] + case["tag"]),
    )

    if case["result"] == "valid":
        assert opener.open(sealed, bound) == bytes.fromhex(case["msg"])
    else:
        with pytest.raises(CryptoFault):
            opener.open(sealed, bound)
