"""HPKE once more, from the standard library's HMAC alone, to hold the adapters against.

Base mode; what it takes is the Diffie-Hellman result, which the vectors give.
Source: RFC 9180, 4, 4.1, 5.1, 5.3.
"""

import hashlib
import hmac

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_KEM = b"KEM" + bytes.fromhex("0020")
_HPKE = b"HPKE" + bytes.fromhex("002000010002")


def shared_secret(dh, enc, public):
    """Give the KEM's shared secret. Source: RFC 9180, 4.1, ExtractAndExpand."""
    extracted = _extract(_KEM, b"", b"eae_prk", dh)
    return _expand(_KEM, extracted, b"shared_secret", enc + public)


def exported(shared, *, info, context):
    """Give 32 exported bytes. Source: RFC 9180, 5.1 (KeySchedule, mode 0) and 5.3 (Export)."""
    hashes = _extract(_HPKE, b"", b"psk_id_hash", b"") + _extract(_HPKE, b"", b"info_hash", info)
    secret = _extract(_HPKE, shared, b"secret", b"")
    exporter = _expand(_HPKE, secret, b"exp", b"\0" + hashes)
    return _expand(_HPKE, exporter, b"sec", context)


def sealed_text(*, card_id, enc, wrapping, content_key, bound, nonce, ciphertext):
    """Give line 2's bytes for one reader. Source: The store, A file."""
    wrapped = AESGCM(wrapping).encrypt(b"\7" * 12, content_key, bound)
    return b"\1" + card_id + enc + b"\7" * 12 + wrapped + nonce + ciphertext


def _extract(suite, salt, label, ikm):
    return hmac.digest(salt or bytes(32), b"HPKE-v1" + suite + label + ikm, hashlib.sha256)


def _expand(suite, prk, label, info):
    labelled = (32).to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return hmac.digest(prk, labelled + b"\1", hashlib.sha256)
