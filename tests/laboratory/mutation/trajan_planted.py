"""What switch.h is for C, for Python: copied to where the planted sources import it."""

import mmap
import os

SIZE = 65536

with open(os.environ["TRAJAN_SWITCHES"], "r+b") as _file:
    switches = mmap.mmap(_file.fileno(), SIZE)


def trajan_planted(number: int) -> bool:
    """Note that a fault was reached, and return whether it is on."""
    switches[2 + number] = 1
    return switches[0] | switches[1] << 8 == number


def switch_on(number: int) -> None:
    """Switch one fault on, and all others off; 0 is none."""
    switches[0], switches[1] = number & 255, number >> 8


def reached() -> list[int]:
    """Return which faults were reached since this was asked last."""
    found = [number for number, byte in enumerate(switches[2:]) if byte]
    switches[2:] = bytes(SIZE - 2)
    return found
