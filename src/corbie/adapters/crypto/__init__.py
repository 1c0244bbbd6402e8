"""Signatures, sealing, blobs and private keys."""
