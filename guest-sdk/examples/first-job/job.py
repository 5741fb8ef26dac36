#!/usr/bin/env python3
"""The first job: calls every method of the bridge, with nothing but the standard library."""
import hashlib
import json
import os
import socket

PATH = "m/44'/60'/0'/0/0"


def call(method, *params):
    """Sends one request over its own connection; returns the result."""
    request = {"jsonrpc": "2.0", "method": method, "params": params, "id": "1"}
    with socket.socket(socket.AF_UNIX) as bridge:
        bridge.connect("\0" + os.environ["BRIDGE_SOCKET"])
        bridge.sendall(json.dumps(request).encode() + b"\n")
        reply = json.loads(bridge.makefile().readline())
    if "error" in reply:
        raise SystemExit(f"{method}: {reply['error']['message']}")
    return reply["result"]


def main():
    message = os.environ["MESSAGE"].encode()
    digest = hashlib.sha256(message).hexdigest()

    print("bridge level", call("processor_version")["version"])
    print("I am deployment", call("deployment_id")["id"])
    call("deployment_ipfsHash")
    call("deployment_slot")
    call("deployment_publicKeys")
    own = call("deployment_encryptionKeys")["encryptionKeys"]
    print("processors that run me:", len(call("deployment_assignedProcessors")["processors"]))

    for curve in ("p256", "secp256k1", "ed25519"):
        call("signer_publicKey", {"curve": curve})
        call("signer_sign", {"curve": curve, "bytes": message.hex() if curve == "ed25519" else digest})
    call("signer_publicKey", {"curve": "secp256k1", "derivationPath": PATH})
    call("signer_sign", {"curve": "secp256k1", "bytes": digest, "derivationPath": PATH})

    for curve in ("p256", "secp256k1"):
        agreement = {"curve": curve, "publicKey": own[curve], "salt": "00"}
        sealed = call("signer_encrypt", {**agreement, "bytes": message.hex()})["bytes"]
        opened = call("signer_decrypt", {**agreement, "bytes": sealed})["bytes"]
        if bytes.fromhex(opened) != message:
            raise SystemExit(f"{curve}: decrypted something else")
    print("signed, encrypted and decrypted, and never saw a private key")


if __name__ == "__main__":
    main()
