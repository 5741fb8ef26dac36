#!/usr/bin/env python3
"""Takes $HOST out of the network's rate limit; if its owner has not consented yet, says what to publish."""
import json
import os
import socket
import sys
import time

TRIES = 3


def call(method, *params):
    """Sends one request over its own connection; returns the whole reply."""
    request = {"jsonrpc": "2.0", "method": method, "params": params, "id": "1"}
    with socket.socket(socket.AF_UNIX) as bridge:
        bridge.connect("\0" + os.environ["BRIDGE_SOCKET"])
        bridge.sendall(json.dumps(request).encode() + b"\n")
        return json.loads(bridge.makefile().readline())


def whitelist(host):
    """Whitelists the host, retrying errors that may pass by themselves; returns None or the error."""
    for attempt in range(TRIES):
        error = call("network_whitelist", {"host": host}).get("error")
        if error is None or not error["data"]["retryable"]:
            return error
        time.sleep(error["data"].get("retryAfterMs", 200 * 2**attempt) / 1000)
    return error


def main():
    host = os.environ["HOST"]
    error = whitelist(host)
    if error is None:
        print(host, "is whitelisted: connections to it do not wait")
        return
    data = error["data"]
    print(f"{data['kind']}: {error['message']}", file=sys.stderr)
    record = data.get("details", {}).get("expected")
    if record is not None:
        print("publish:", record)
    raise SystemExit(1)


if __name__ == "__main__":
    main()
