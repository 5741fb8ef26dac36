"""Seals and opens root secrets and imported keys from the description in runtime/docs/keys.md alone.

Reads {do, ...} as JSON on stdin and prints a string. Shares no code with the project: Python's
hashlib and Debian's python3-cryptography.
"""
import hashlib
import hmac
import json
import sys

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


def lp(label):
    return len(label).to_bytes(4, "big") + label


def hkdf32(key, info):
    prk = hmac.new(b"bridge-keys/v1", key, hashlib.sha256).digest()
    return hmac.new(prk, info + b"\x01", hashlib.sha256).digest()


def scrypt(given, kdf):
    return hashlib.scrypt(
        given["passphrase"].encode(), salt=bytes.fromhex(kdf["salt"]),
        n=kdf["N"], r=kdf["r"], p=kdf["p"], dklen=32, maxmem=2**28)


def seal_root(given):
    kdf = {"name": "scrypt", "N": 131072, "r": 8, "p": 1, "salt": given["salt"]}
    header = ('{"causeway":"root-secret","version":1,"kdf":'
              + json.dumps(kdf, separators=(",", ":"))
              + ',"cipher":"aes-256-gcm","iv":"' + given["iv"] + '",')
    key = scrypt(given, kdf)
    sealed = AESGCM(key).encrypt(
        bytes.fromhex(given["iv"]), bytes.fromhex(given["root"]), header.encode())
    return header + '"sealed":"' + sealed.hex() + '"}\n'


def open_root(given):
    file = given["file"]
    document = json.loads(file)
    header = file[:file.index('"sealed"')]
    key = scrypt(given, document["kdf"])
    return AESGCM(key).decrypt(
        bytes.fromhex(document["iv"]), bytes.fromhex(document["sealed"]), header.encode()).hex()


def store_parts(given):
    label = (lp(given["originKind"].encode()) + lp(bytes.fromhex(given["originSource"]))
             + lp(given["id"].encode()))
    key = hkdf32(bytes.fromhex(given["root"]), label + lp(b"store") + lp(b"aes-256-gcm"))
    return b"\x01" + label, AESGCM(key)


def store_name(given):
    header, _ = store_parts(given)
    return hashlib.sha256(header[1:]).hexdigest()[:32]


def seal_keys(given):
    header, cipher = store_parts(given)
    iv = bytes.fromhex(given["iv"])
    return (header + iv + cipher.encrypt(iv, given["keysFile"].encode(), header)).hex()


def open_keys(given):
    header, cipher = store_parts(given)
    file = bytes.fromhex(given["file"])
    assert file.startswith(header)
    rest = file[len(header):]
    return cipher.decrypt(rest[:12], rest[12:], header).decode()


def hd_master(given):
    digest = hmac.new(b"Bitcoin seed", bytes.fromhex(given["hdSeed"]), hashlib.sha512).digest()
    key = ec.derive_private_key(int.from_bytes(digest[:32], "big"), ec.SECP256K1())
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.CompressedPoint).hex()


given = json.load(sys.stdin)
print(json.dumps({
    "seal-root": seal_root,
    "open-root": open_root,
    "store-name": store_name,
    "seal-keys": seal_keys,
    "open-keys": open_keys,
    "hd-master": hd_master,
}[given["do"]](given)))
