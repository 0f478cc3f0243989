"""Bots that misbehave as instructed, which the harness must survive."""

import builtins
import json
import os
import signal
import sys
import threading
import time
from pathlib import Path

import numpy as np
from hostile_program import leave_a_daemon


class Scripted:
    """A bot that plays its first legal move, but in decision `at` does what `does` specifies."""

    def __init__(self, game, does="", at=3, file=None):
        self.does, self.at, self.file = MISBEHAVIOUR.get(does), at, file
        self.decisions = 0

    def choose(self, observation, seed):
        self.decisions += 1
        answer = self.does(self, observation) if self.does and self.decisions == self.at else None
        return observation.legal_moves()[0] if answer is None else answer

    def observe(self, observation, move): ...


class Slow:
    """Plays at random. If HOLD names a folder, only the first few games continue, and all others
    wait.

    This ensures that some games are running when a process is killed.
    """

    HELD_AFTER = 4

    def start(self, seat, players, seed):
        folder = Path(os.environ.get("HOLD") or "/nowhere")
        if folder.is_dir():
            (folder / f"{os.getpid()}-{time.monotonic_ns()}").touch()
            while folder.is_dir() and len(list(folder.iterdir())) > self.HELD_AFTER:
                time.sleep(0.01)

    def choose(self, position, seed):
        time.sleep(0.001)
        return position.legal_moves()[seed % len(position.legal_moves())]


class Unprintable:
    def __repr__(self):
        raise SystemExit("no words")

    __str__ = __repr__


class Unspeakable(Exception):
    def __str__(self):
        raise RuntimeError("no words for it")


class BadIndex:
    def __index__(self):
        raise OSError("not today")


class Incomparable(int):
    def __eq__(self, other):
        raise OSError("incomparable")

    __hash__ = None


def raising(kind, *words):
    def act(bot, observation):
        raise kind(*words)

    return act


def first(make):
    """Return the first legal move, converted by `make`."""
    return lambda bot, observation: make(observation.legal_moves()[0])


def acting(function, *arguments):
    def act(bot, observation):
        function(*arguments)

    return act


def illegal(bot, observation):
    every = range(len(observation.game.actions))
    return next(move for move in every if move not in observation.legal_moves())


def killed_once(bot, observation):
    """Kill the process in the bot's first game; a file records that this has happened."""
    if not Path(bot.file).exists():
        Path(bot.file).touch()
        os.kill(os.getpid(), signal.SIGKILL)


def print_once(bot, observation):
    if not Path(bot.file).exists():
        raise RuntimeError("the second game")
    Path(bot.file).unlink()
    print_noise()


def print_noise():
    print("noise on standard output", flush=True)
    os.write(1, b"more noise\n")


def print_and_raise(bot, observation):
    print_noise()
    os.write(2, b"\x1b[31mnoise on standard error\n")
    raise RuntimeError("I give up")


def print_at_length():
    for _ in range(2000):
        os.write(1, b"lament " * 1170 + b"\n")
    os.write(1, b"the last line\n")


def print_endlessly():
    while True:
        os.write(1, b"on and on\n" * 1000)


def die_later():
    """End the process a little later, when it is another bot's turn."""
    threading.Timer(0.002, os._exit, (7,)).start()


def patch():
    json.dumps = time.monotonic = builtins.len = lambda *arguments, **options: None


def write_everywhere(data):
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, data)
        except OSError:
            continue


def forge():
    """Send a forged answer before the true one."""
    text = b'{"number": 1, "cpu": -1e9, "value": {"x": 1}}'
    write_everywhere(len(text).to_bytes(4, "big") + text)


def speak(bot, observation):
    """Send the contents of the file instead of the true answer."""
    frame = sys._getframe()
    while "connection" not in frame.f_locals:
        frame = frame.f_back
    answer = f'{{"number": {frame.f_locals["number"]}, {Path(bot.file).read_text()}}}'
    frame.f_locals["connection"].send_bytes(answer.encode())


def allocate():
    _ = [bytearray(1 << 26) for _ in range(64)]


def sleep_through_signals():
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
    time.sleep(1000)


def leave_a_daemon_and_sleep():
    leave_a_daemon()
    time.sleep(100)


def look_at_the_clock(bot, observation):
    assert 0 <= observation.seconds <= 2


MISBEHAVIOUR = {
    "raise": raising(RuntimeError, "I give up\non two lines"),
    "leave": raising(SystemExit, 0),
    "interrupt": raising(KeyboardInterrupt),
    "raise the unspeakable": raising(Unspeakable),
    "raise half a character": raising(ValueError, "half a character: \ud800"),
    "raise at length": lambda bot, observation: raising(ValueError, "x" * 10_000_000)(0, 0),
    "illegal": illegal,
    "word": lambda bot, observation: "a word",
    "float": first(float),
    "boolean": lambda bot, observation: True,
    "unprintable": lambda bot, observation: Unprintable(),
    "bad index": lambda bot, observation: BadIndex(),
    "huge": lambda bot, observation: 10**5000,
    "numpy": first(np.int64),
    "incomparable": first(Incomparable),
    "action string": lambda bot, observation: observation.legal()[0],
    "kill": lambda bot, observation: os.kill(os.getpid(), signal.SIGKILL),
    "exit": acting(os._exit, 3),
    "sleep": acting(time.sleep, 1000),
    "sleep through signals": acting(sleep_through_signals),
    "killed once": killed_once,
    "print": acting(print_noise),
    "print once": print_once,
    "print and raise": print_and_raise,
    "print and raise at length": lambda *_: (
        print_noise(),
        raising(ValueError, "x" * 10_000)(0, 0),
    ),
    "print a wrong word": lambda *_: (print_noise(), "a word")[1],
    "print an illegal move": lambda *both: (print_noise(), illegal(*both))[1],
    "print at length": acting(print_at_length),
    "print endlessly": acting(print_endlessly),
    "print and exit": lambda bot, observation: (print_at_length(), os._exit(3)),
    "die later": acting(die_later),
    "alarm": acting(signal.setitimer, signal.ITIMER_REAL, 0.002),
    "close everything": acting(os.closerange, 0, 256),
    "patch": acting(patch),
    "kill the group": lambda bot, observation: os.killpg(0, signal.SIGKILL),
    "kill the parent": lambda bot, observation: os.kill(os.getppid(), signal.SIGKILL),
    "double": acting(os.fork),
    "stop": lambda bot, observation: os.kill(os.getpid(), signal.SIGSTOP),
    "flood": acting(write_everywhere, b"\x00\x00\x00\x05nonsense" * 10),
    "forge": acting(forge),
    "speak": speak,
    "allocate": acting(allocate),
    "daemon": acting(leave_a_daemon),
    "daemon and sleep": acting(leave_a_daemon_and_sleep),
    "look at the clock": look_at_the_clock,
}
