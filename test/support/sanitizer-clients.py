"""Hostile clients of a bridge: sanitizer-clients.py ADDRESS-HEX SEED CALLS [AT-ONCE].

Each call behaves in its own way; the results are printed as JSON, counted by behaviour.
`member` as SEED makes every call in a short-lived process, AT-ONCE of them; `traced` makes
those tracees of this process.
"""
import collections, ctypes, json, os, random, socket, sys, time

address = bytes.fromhex(sys.argv[1])
PTRACE_TRACEME = 0
libc = ctypes.CDLL(None, use_errno=True)
lines = [b'sync', b'later', b'big', b'big later', b'silent', b'twice', b'judge', b'text', b'\xff\xfe']


def connect():
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(10)
    s.connect(address)
    return s


def read_all(s):
    received = 0
    while chunk := s.recv(65536):
        received += len(chunk)
    return received


def whole(s, line):
    s.sendall(line + b'\n')
    return read_all(s)


def split(s, line):
    text = random.choice([b'', b'\n\r\n']) + line + random.choice([b'\n', b'\r\n'])
    for at in range(len(text)):
        s.sendall(text[at:at + 1])
    return read_all(s)


def half_close(s, line):
    s.sendall(random.choice([b'', line, line + b'\n', b'\n\n']))
    s.shutdown(socket.SHUT_WR)
    return read_all(s)


def oversize(s, line):
    s.sendall(b'x' * random.choice([999, 1000, 1001, 1002, 70_000, 1 << 20]))
    return read_all(s)


def garbage(s, line):
    s.sendall(os.urandom(random.randrange(5000)) + random.choice([b'', b'\n']))
    s.shutdown(socket.SHUT_WR)
    return read_all(s)


def blanks(s, line):
    s.sendall(b'\r\n' * random.choice([10, 499, 501, 40_000]))
    s.sendall(line + b'\n')
    return read_all(s)


def more_than_a_line(s, line):
    s.sendall(line + b'\n' + b'y' * random.choice([1, 65536, 300_000]))
    return read_all(s)


def slow_sender(s, line):
    s.sendall(line[:2])
    time.sleep(random.choice([0.01, 0.25]))
    s.sendall(line[2:] + b'\n')
    return read_all(s)


def slow_reader(s, line):
    s.sendall(b'big\n')
    received = 0
    while chunk := s.recv(random.choice([1, 1000, 200_000])):
        received += len(chunk)
        time.sleep(random.choice([0, 0, 0.01]))
    return received


def no_reader(s, line):
    s.sendall(b'big later\n')
    time.sleep(0.25)
    return 0


def hang_up(s, line):
    s.sendall((line + b'\n')[:random.randrange(len(line) + 2)])
    if random.random() < 0.5:
        time.sleep(random.choice([0, 0.001, 0.01]))
    return 0


def hang_up_in_reply(s, line):
    s.sendall(b'big\n')
    return len(s.recv(random.choice([1, 65536])))


def no_reading(s, line):
    s.shutdown(socket.SHUT_RD)
    s.sendall(line + b'\n')
    time.sleep(0.01)
    return 0


def descriptors(s, line):
    fds = [0, s.fileno()]
    socket.send_fds(s, [line], fds)
    socket.send_fds(s, [b'\n'], fds)
    return read_all(s)


def urgent(s, line):
    s.send(line[:1])
    s.send(b'!', socket.MSG_OOB)
    s.sendall(line[1:] + b'\n')
    return read_all(s)


def connect_only(s, line):
    for other in [connect() for _ in range(random.randrange(40))]:
        other.close()
    return 0


behaviours = [whole, split, half_close, oversize, garbage, blanks, more_than_a_line, slow_sender,
              slow_reader, no_reader, hang_up, hang_up_in_reply, no_reading, descriptors, urgent,
              connect_only]


def call(behaviour, line):
    """The result: `answered`, `closed`, or the name of the error."""
    try:
        with connect() as s:
            return 'answered' if behaviour(s, line) else 'closed'
    except OSError as error:
        return type(error).__name__


def crowd(calls):
    for _ in range(calls):
        behaviour = random.choice(behaviours)
        # Short lines need no allocation.
        line = random.choice(lines) + b' ' * random.choice([0, 50, 700])
        yield behaviour.__name__, call(behaviour, line)


def short_lived(work):
    """Runs it in another process; returns the pid, and a pipe with its output."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.write(writing, work().encode())
        os._exit(0)
    os.close(writing)
    return pid, reading


def member(is_traced):
    if is_traced:
        libc.ptrace(PTRACE_TRACEME, 0, 0, 0)
    return call(whole, random.choice([b'judge', b'sync', b'later']))


def members(calls, at_once, is_traced):
    for _ in range(0, calls, at_once):
        group = [short_lived(lambda: member(is_traced)) for _ in range(at_once)]
        for pid, reading in group:
            said = os.read(reading, 100).decode()
            os.close(reading)
            os.waitpid(pid, 0)
            yield 'traced' if is_traced else 'member', said


kind, calls = sys.argv[2], int(sys.argv[3])
random.seed(kind)
is_crowd = kind not in ('member', 'traced')
happened = crowd(calls) if is_crowd else members(calls, int(sys.argv[4]), kind == 'traced')
counts = collections.Counter(f'{name} {said}' for name, said in happened)
print(json.dumps(counts))
