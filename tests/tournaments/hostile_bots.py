"""Bots that harm their own process, and whatever else they can reach, in their third decision."""

import builtins
import json
import os
import signal
import sys
import threading
import time

from hostile_program import leave_a_daemon


class Innocent:
    """Remembers nothing, harms nobody, hears of every move."""

    def choose(self, observation, seed):
        return observation.legal()[0]

    def observe(self, observation, move): ...


class Hostile:
    decisions = 0

    def choose(self, observation, seed):
        self.decisions += 1
        if self.decisions == 3:
            self.harm()
        return observation.legal()[0]


class Timer(Hostile):
    """Ends its process a little later, when others are to decide."""

    def harm(self):
        threading.Timer(0.002, os._exit, (7,)).start()


class Alarm(Hostile):
    def harm(self):
        signal.setitimer(signal.ITIMER_REAL, 0.002)


class Closer(Hostile):
    def harm(self):
        os.closerange(0, 256)


class Patcher(Hostile):
    """Breaks what everybody uses."""

    def harm(self):
        json.dumps = time.monotonic = builtins.len = lambda *arguments, **options: None


class GroupKiller(Hostile):
    def harm(self):
        os.killpg(0, signal.SIGKILL)


class ParentKiller(Hostile):
    def harm(self):
        os.kill(os.getppid(), signal.SIGKILL)


class Doubler(Hostile):
    def harm(self):
        os.fork()


class Stopper(Hostile):
    def harm(self):
        os.kill(os.getpid(), signal.SIGSTOP)


class Flooder(Hostile):
    """Writes nonsense wherever it can."""

    def harm(self):
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, b"\x00\x00\x00\x05nonsense" * 10)
            except OSError:
                continue


class Daemon(Hostile):
    def harm(self):
        leave_a_daemon()


class Speaker(Hostile):
    """Sends an answer of its own making in place of the true one."""

    decisions = 2  # so it does in the first: a game may be short

    def __init__(self, game, answer):
        self.answer = answer

    def harm(self):
        frame = sys._getframe()
        while "connection" not in frame.f_locals:
            frame = frame.f_back
        answer = f'{{"number": {frame.f_locals["number"]}, {self.answer}}}'
        frame.f_locals["connection"].send_bytes(answer.encode())


class Forger(Hostile):
    """Sends an answer of its own making before the true one."""

    def harm(self):
        text = b'{"number": 1, "cpu": -1e9, "value": {"x": 1}}'
        for descriptor in range(3, 64):
            try:
                os.write(descriptor, len(text).to_bytes(4, "big") + text)
            except OSError:
                continue


class Allocator(Hostile):
    def harm(self):
        self.much = [bytearray(1 << 26) for _ in range(64)]


class Interrupter(Hostile):
    def harm(self):
        raise KeyboardInterrupt


class Sleeper(Hostile):
    def harm(self):
        signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))
        time.sleep(1000)
