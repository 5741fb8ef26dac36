"""Derives a deployment's keys from the description in runtime/docs/keys.md alone.

Reads {root, originKind, originSource, id} as JSON on stdin and prints the private keys. Shares no
code with the project: hashlib and hmac only, so a mistake in the document shows here.
"""
import hashlib
import hmac
import json
import sys

P256_N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
SECP256K1_N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141


def hkdf(key, salt, info, length):
    prk = hmac.new(salt, key, hashlib.sha256).digest()
    okm, block = b"", b""
    for counter in range(1, -(-length // 32) + 1):
        block = hmac.new(prk, block + info + bytes([counter]), hashlib.sha256).digest()
        okm += block
    return okm[:length]


def lp(label):
    return len(label).to_bytes(4, "big") + label


def derive(root, labels, length):
    return hkdf(root, b"bridge-keys/v1", b"".join(map(lp, labels)), length)


def scalar(root, labels, order):
    material = int.from_bytes(derive(root, labels, 48), "big")
    return (material % (order - 1) + 1).to_bytes(32, "big").hex()


given = json.load(sys.stdin)
root = bytes.fromhex(given["root"])
who = [given["originKind"].encode(), bytes.fromhex(given["originSource"]), given["id"].encode()]
orders = {"p256": P256_N, "secp256k1": SECP256K1_N}
print(json.dumps({
    "signing": {
        **{c: scalar(root, who + [b"sign", c.encode()], n) for c, n in orders.items()},
        "ed25519": derive(root, who + [b"sign", b"ed25519"], 32).hex(),
    },
    "encryption": {c: scalar(root, who + [b"enc", c.encode()], n) for c, n in orders.items()},
    "hdSeed": derive(root, who + [b"hd", b"secp256k1"], 64).hex(),
    "auditKey": derive(root, who + [b"audit", b"hmac-sha256"], 32).hex(),
    "storeKey": derive(root, who + [b"store", b"aes-256-gcm"], 32).hex(),
    "accountSeed": derive(root, [b"", b"", b"", b"account", b"ed25519"], 32).hex(),
}, indent=2))
