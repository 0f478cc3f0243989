"""A program whose third answer is the one that its argument specifies, usually a bad one."""

import json
import os
import signal
import subprocess
import sys
import time


def say(text):
    sys.stdout.write(text)
    sys.stdout.flush()


def flood(descriptor, data):
    while True:
        os.write(descriptor, data)


def grow():
    much = []
    while True:
        much.append(bytearray(1 << 24))


def leave_a_child():
    subprocess.Popen(["sleep", "100"])
    os._exit(5)


def leave_a_daemon():
    """Start a process without a parent, in a separate session."""
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.closerange(0, 256)
            os.execvp("sh", ["sh", "-c", 'touch "$DAEMON"; exec sleep 100'])
        os._exit(0)
    os.wait()
    while not os.path.exists(os.environ["DAEMON"]):
        time.sleep(0.001)


def complain():
    for _ in range(1000):
        os.write(2, b"lament\n" * 1000)


HARM = {
    "crash": os.abort,
    "exit": lambda: sys.exit("out of ideas"),
    "child": leave_a_child,
    "hang": lambda: time.sleep(100),
    "stop": lambda: os.kill(os.getpid(), signal.SIGSTOP),
    "deaf": lambda: (sys.stdin.close(), time.sleep(100)),
    "dumb": lambda: (os.close(1), time.sleep(100)),
    "garbage": lambda: say("\x00\xff(nonsense\n"),
    "list": lambda: say("[1, 2]\n"),
    "deep": lambda: say("[" * 60000 + "\n"),
    "no_move": lambda: say('{"type": "move"}\n'),
    "illegal": lambda: (
        os.write(2, b"dreaming\n"),
        say('{"type": "move", "move": "fly to the moon"}\n'),
    ),
    "number": lambda: say('{"type": "move", "move": 1e400}\n'),
    "wrong": lambda: say('{"type": "ready"}\n'),
    "sorry": lambda: say('{"type": "error", "message": "I know no such card"}\n'),
    "long": lambda: flood(1, b"x" * 65536),
    "lines": lambda: flood(1, b'{"type": "ready"}\n' * 4096),
    "memory": grow,
    "escapes": lambda: say('{"type": "error", "message": "\\ud800 \\u001b[31m red"}\n'),
    "huge": lambda: say(f'{{"type": "move", "move": {2**70}}}\n'),
    "red": lambda: sys.exit("\x1b[31m red \x07"),
    "daemon": leave_a_daemon,
}
HARMLESS = {"complain": complain, "stubborn": lambda: None, "quiet": lambda: None}


def main(mode):
    if mode == "early":
        sys.exit("no licence")
    if mode == "stubborn":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    requests = 0
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "quit":
            while mode == "stubborn":
                time.sleep(1)
            return
        if message["type"] != "choose":
            say('{"type": "ready"}\n')
            continue
        requests += 1
        if requests == 3:
            (HARM | HARMLESS)[mode]()
        say(json.dumps({"type": "move", "move": message["legal"][0]}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1])
