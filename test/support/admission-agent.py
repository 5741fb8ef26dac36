"""A process that obeys a test's commands over a control socket, inside a job or outside.

AGENT_CONTROL names the test's abstract socket, AGENT_LABEL becomes the name of the process. Commands
and answers are lines of JSON; {"do": NAME, ...} calls the function do_NAME.
"""
import ctypes, json, os, signal, socket, sys, threading, traceback

libc = ctypes.CDLL(None, use_errno=True)
SET_DUMPABLE, SET_NAME = 4, 15
CLONE_NEWUSER, CLONE_NEWPID = 0x10000000, 0x20000000
EXIT_THREAD = {"x86_64": 60, "aarch64": 93}[os.uname().machine]
held = {}


def connected(name, padded=False):
    address = b"\0" + name.encode()
    s = socket.socket(socket.AF_UNIX)
    s.connect(address.ljust(108, b"\0") if padded else address)
    return s


def exchange(s, line):
    try:
        s.sendall(line.encode() + b"\n")
    except BrokenPipeError:
        pass  # refused and closed already; the reply can still be read
    reply = b""
    while chunk := s.recv(65536):
        reply += chunk
    s.close()
    return reply.decode()


def do_ask(name, line):
    return exchange(connected(name), line)


def do_open(key, name, padded=False):
    held[key] = connected(name, padded)


def do_use(key, line):
    return exchange(held.pop(key), line)


def do_post(key, name):
    """A queue for connections, whether or not a thread waits for one."""
    held[key] = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    held[key].bind(b"\0" + name.encode())


def do_give(keys, name):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as s:
        s.connect(b"\0" + name.encode())
        socket.send_fds(s, [b"x"], [held[key].fileno() for key in keys])


def do_take(key, keys):
    fds = socket.recv_fds(held[key], 1, len(keys))[1]
    held.update({key: socket.socket(fileno=fd) for key, fd in zip(keys, fds)})


def do_names():
    """The abstract sockets of this machine, as every user can list them."""
    with open("/proc/net/unix") as table:
        return [line.split("@", 1)[1].strip("@\n") for line in table if "@" in line]


def do_crowd(name, line, count):
    """Runs `count` processes one after the other, each with one call; returns the replies."""
    replies = []
    for _ in range(count):
        read_end, write_end = os.pipe()
        if os.fork() == 0:
            os.write(write_end, do_ask(name, line).encode())
            os._exit(0)
        os.close(write_end)
        with open(read_end) as reply:
            replies.append(reply.read())
    return replies


def do_fork(label, how="child"):
    if os.fork():
        return
    control.close()
    for s in held.values():
        s.close()
    held.clear()
    try:
        become[how](label)
    except Exception:
        traceback.print_exc()
    os._exit(1)


def daemon(label):
    """Enters its own session, without a parent that it could be traced back to."""
    os.setsid()
    parent = os.getpid()
    if os.fork():
        os._exit(0)
    while os.getppid() == parent:
        pass
    live(label)


def namespace(label):
    """Enters a PID namespace inside the job's, or reports that it is forbidden."""
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWPID):
        live(label, os.strerror(ctypes.get_errno()))
    if os.fork():
        os._exit(0)
    live(label)


def threaded(label):
    """Continues in a second thread; the first, which /proc/PID describes, has ended."""
    libc.prctl(SET_NAME, label.encode(), 0, 0, 0)
    threading.Thread(target=live, args=(label,)).start()
    libc.syscall(EXIT_THREAD, 0)


def do_hide():
    """Makes this process non-dumpable: only privileged processes may inspect it, not even its tracer."""
    libc.prctl(SET_DUMPABLE, 0, 0, 0, 0)


def do_thread():
    """Starts one more thread, which waits."""
    threading.Thread(target=signal.pause, daemon=True).start()


def do_start(argv, environment):
    pid = os.fork()
    if pid == 0:
        os.execvpe(argv[0], argv, environment)
    return pid


def do_wait(pid):
    try:
        os.waitpid(pid, 0)
    except ChildProcessError:
        pass  # reaped already


def do_signal(pid, number):
    os.kill(pid, number)


def do_find(label):
    """The pid, in this process's namespace, of the process with that name."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        if command(pid) == label:
            return int(pid)


def command(pid):
    try:
        with open(f"/proc/{pid}/comm") as file:
            return file.read().rstrip()
    except OSError:
        return None


def do_write(path, text):
    with open(path, "w") as file:
        file.write(text)


def do_execute(program):
    os.execv(program, [program] + sys.argv[1:])


def do_exit():
    os._exit(0)


become = {
    "child": lambda label: live(label),
    "daemon": daemon,
    "namespace": namespace,
    "threaded": threaded,
}


def answer(command):
    try:
        return {"result": globals()["do_" + command.pop("do")](**command)}
    except Exception as error:
        return {"error": repr(error)}


def live(label, error=None):
    global control
    libc.prctl(SET_NAME, label.encode(), 0, 0, 0)
    control = connected(os.environ["AGENT_CONTROL"])
    ids = {"pid": os.getpid(), "ppid": os.getppid(), "session": os.getsid(0)}
    control.sendall(json.dumps({"label": label, "error": error, **ids}).encode() + b"\n")
    for line in control.makefile():
        control.sendall(json.dumps(answer(json.loads(line))).encode() + b"\n")
    os._exit(0)


def reap(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


signal.signal(signal.SIGCHLD, reap)
live(os.environ["AGENT_LABEL"])
