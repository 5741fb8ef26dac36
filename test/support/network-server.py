"""Servers of a network namespace, and a record of what came in.

The only argument is JSON: {"echo": [[ADDRESS, PORT], ...], "abstract": [NAME, ...], "device": NAME}. TCP and
UDP echo at every address and port; packets that come in by the device are recorded.
Commands are lines of JSON, one at a time; {"do": NAME, ...} calls the function do_NAME. It ends with its
standard input.
"""
import json, selectors, socket, struct, sys, time

IP_PKTINFO, IPV6_RECVPKTINFO, IPV6_PKTINFO = 8, 49, 50
SO_TIMESTAMPNS, SO_RCVBUFFORCE, TCP_FASTOPEN = 35, 33, 23
ETH_P_ALL, PACKET_OUTGOING = 3, 4
IPV4, IPV6 = 0x0800, 0x86DD
FRAGMENT = 44
EXTENSION_HEADERS = {0, 43, FRAGMENT, 60}
ECHO = {1: 8, 58: 128}
SYN, ACK = 2, 16

chosen = selectors.DefaultSelector()
# Most packets read before the other descriptors get their turn.
PACKETS_AT_ONCE = 256
arrived, heard, octets = [], [], {}
watched = []


def listen(address, port):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
        s = socket.socket(family, kind)
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        s.setblocking(False)
        if family == socket.AF_INET6:
            s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        if kind == socket.SOCK_STREAM:
            s.setsockopt(socket.IPPROTO_TCP, TCP_FASTOPEN, 1024)
            s.bind((address, port))
            s.listen(4096)
            chosen.register(s, selectors.EVENT_READ, accept)
        else:
            tell_address(s, family)
            s.bind((address, port))
            chosen.register(s, selectors.EVENT_READ, reply)


def tell_address(s, family):
    """Makes replies leave from the queried address: many addresses share one socket."""
    if family == socket.AF_INET:
        s.setsockopt(socket.IPPROTO_IP, IP_PKTINFO, 1)
    else:
        s.setsockopt(socket.IPPROTO_IPV6, IPV6_RECVPKTINFO, 1)


def listen_abstract(name):
    s = socket.socket(socket.AF_UNIX)
    s.bind(b"\0" + name.encode())
    s.listen(16)
    chosen.register(s, selectors.EVENT_READ, accept_abstract)


def accept_abstract(listener):
    listener.accept()
    heard.append({"protocol": "unix"})


def accept(listener):
    try:
        while True:
            s, peer = listener.accept()
            s.setblocking(False)
            heard.append({"protocol": "tcp", "peer": peer[0], "port": s.getsockname()[1]})
            chosen.register(s, selectors.EVENT_READ, echo)
    except BlockingIOError:
        pass
    except OSError:
        pass  # ended before it was taken


def echo(s):
    try:
        data = s.recv(1 << 20)
        if data:
            s.send(data)
            return
    except BlockingIOError:
        return
    except OSError:
        pass
    chosen.unregister(s)
    s.close()


def reply(s):
    try:
        while True:
            data, ancillary, _, peer = s.recvmsg(65536, 256)
            heard.append({"protocol": "udp", "peer": peer[0], "port": s.getsockname()[1]})
            s.sendmsg([data], [(l, t, answer_from(l, v)) for l, t, v in ancillary], 0, peer)
    except OSError:
        pass


def answer_from(level, info):
    if level == socket.IPPROTO_IP:
        _, _, target = struct.unpack("=I4s4s", info)
        return struct.pack("=I4s4s", 0, target, target)
    return info[:16] + struct.pack("=I", 0)


def watch(device):
    """Records every packet that comes in by the device, even if no program listens."""
    s = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(ETH_P_ALL))
    s.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
    s.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    s.setblocking(False)
    s.bind((device, ETH_P_ALL))
    watched.append(s)
    chosen.register(s, selectors.EVENT_READ, record)


def record(s):
    for _ in range(PACKETS_AT_ONCE):
        if not record_one(s):
            return


def record_all():
    """Reads all packets so far: an answer must include those whose effects its caller has seen."""
    now = time.time()
    for s in watched:
        while 0 < record_one(s) < now:
            pass


def record_one(s):
    """The packet's time of arrival; 0 when there is none."""
    try:
        data, ancillary, _, (_, kind, packet_type, *_) = s.recvmsg(192, 64, socket.MSG_TRUNC)
    except OSError:
        return 0  # none, or the device has gone
    seconds, nanoseconds = struct.unpack("=qq", ancillary[0][2])
    at = seconds + nanoseconds / 1e9
    if packet_type == PACKET_OUTGOING or kind not in (IPV4, IPV6):
        return at
    found = dissect(kind, data)
    octets[found["to"]] = octets.get(found["to"], 0) + found["length"]
    if found["opens"]:
        arrived.append({"at": at, **found})
    return at


def dissect(kind, data):
    if kind == IPV4:
        family, protocol, start = socket.AF_INET, data[9], (data[0] & 15) * 4
        ends, length = (data[12:16], data[16:20]), struct.unpack("!H", data[2:4])[0]
        follows = struct.unpack("!H", data[6:8])[0] & 0x1FFF
    else:
        family, protocol, start = socket.AF_INET6, data[6], 40
        ends, length, follows = (data[8:24], data[24:40]), 40 + struct.unpack("!H", data[4:6])[0], 0
        while protocol in EXTENSION_HEADERS:
            follows = follows or (protocol == FRAGMENT and struct.unpack("!H", data[start + 2 : start + 4])[0] >> 3)
            size = 8 if protocol == FRAGMENT else (data[start + 1] + 1) * 8
            protocol, start = data[start], start + size
    if follows:
        return {"to": socket.inet_ntop(family, ends[1]), "length": length, "opens": False}
    source, target = (socket.inet_ntop(family, end) for end in ends)
    ports = struct.unpack("!HH", data[start : start + 4]) if protocol in (6, 17, 136, 132, 33) else (0, 0)
    if protocol in ECHO:
        # Each socket has its own identifier.
        ports = struct.unpack("!H", data[start + 4 : start + 6]) + (0,)
    found = {"from": source, "to": target, "protocol": protocol, "source": ports[0], "port": ports[1]}
    return {**found, "length": length, **opening(protocol, data[start:], length - start)}


def opening(protocol, header, left):
    """Whether the packet opens a connection; for TCP, also the bytes that the SYN carries."""
    if protocol in ECHO:
        return {"opens": header[0] == ECHO[protocol], "carries": 0}
    if protocol != 6:
        return {"opens": True, "carries": 0}
    return {"opens": header[13] & (SYN | ACK) == SYN, "carries": left - (header[12] >> 4) * 4}


def do_arrivals(to):
    return [packet for packet in arrived if packet["to"] == to]


def do_octets(to):
    return octets.get(to, 0)


def do_heard():
    return heard


def command(stream):
    # No second command comes before the answer: select would not see one waiting in the buffer.
    line = stream.readline()
    if not line:
        sys.exit(0)
    record_all()
    request = json.loads(line)
    print(json.dumps(globals()["do_" + request.pop("do")](**request)), flush=True)


def main():
    told = json.loads(sys.argv[1])
    for address, port in told["echo"]:
        listen(address, port)
    for name in told.get("abstract", []):
        listen_abstract(name)
    if told.get("device"):
        watch(told["device"])
    chosen.register(sys.stdin.fileno(), selectors.EVENT_READ, None)
    print(json.dumps("ready"), flush=True)
    while True:
        for key, _ in chosen.select():
            if key.data is None:
                command(sys.stdin)
            else:
                key.data(key.fileobj)


main()
