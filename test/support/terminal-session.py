"""Runs a command with a new terminal as its only one, and talks to it there.

Reads {command, dialogue: [{expect, send | signal}]} as JSON on stdin. The command's stdin, stdout
and stderr are not terminals. Prints {shown, stdout, stderr, code, signal, echo} as JSON; echo says
whether the terminal showed typed text: at each expected text, and after the end.
"""
import fcntl
import json
import os
import select
import signal
import sys
import tempfile
import termios

spec = json.load(sys.stdin)
master, slave = os.openpty()
outputs = [tempfile.TemporaryFile(), tempfile.TemporaryFile()]

pid = os.fork()
if pid == 0:
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    os.dup2(os.open("/dev/null", os.O_RDWR), 0)
    for number, file in enumerate(outputs, 1):
        os.dup2(file.fileno(), number)
    os.execvp(spec["command"][0], spec["command"])

shown = b""
echo = []
status = None


def is_echoing():
    return bool(termios.tcgetattr(slave)[3] & termios.ECHO)


def pump():
    """Reads the terminal's output; notices its end."""
    global shown, status
    if select.select([master], [], [], 0.02)[0]:
        shown += os.read(master, 4096)
    elif status is None:
        done, found = os.waitpid(pid, os.WNOHANG)
        if done:
            status = found


position = 0
for turn in spec["dialogue"]:
    wanted = turn["expect"].encode()
    while status is None and wanted not in shown[position:]:
        pump()
    if wanted not in shown[position:]:
        break
    position = shown.index(wanted, position) + len(wanted)
    echo.append(is_echoing())
    if "signal" in turn:
        os.kill(pid, getattr(signal, turn["signal"]))
    else:
        os.write(master, turn["send"].encode("latin-1"))
while status is None:
    pump()
echo.append(is_echoing())


def text_of(file):
    file.seek(0)
    return file.read().decode()


print(json.dumps({
    "shown": shown.decode("latin-1"),
    "stdout": text_of(outputs[0]),
    "stderr": text_of(outputs[1]),
    "code": os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
    "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
    "echo": echo,
}))
