"""Verifies signatures with python-cryptography: JSON lines of hex on stdin, true or false each."""
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, utils
from cryptography.hazmat.primitives.hashes import SHA256

curves = {"p256": ec.SECP256R1(), "secp256k1": ec.SECP256K1()}


def verify(curve, key, message, signature):
    if curve == "ed25519":
        return ed25519.Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
    point = ec.EllipticCurvePublicKey.from_encoded_point(curves[curve], key)
    r, s = (int.from_bytes(half, "big") for half in (signature[:32], signature[32:]))
    point.verify(utils.encode_dss_signature(r, s), message, ec.ECDSA(SHA256()))


def is_verified(line):
    test = json.loads(line)
    parts = (bytes.fromhex(test[name]) for name in ("publicKey", "message", "signature"))
    try:
        verify(test["curve"], *parts)
        return True
    except InvalidSignature:
        return False


print(json.dumps([is_verified(line) for line in sys.stdin]))
