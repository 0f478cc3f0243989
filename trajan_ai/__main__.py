"""Run the command: ``python -m trajan_ai``, or the script `trajan-ai`."""

import signal

# Ctrl-C ends the process without a word as long as it imports; then `main` sees to it.
HEEDED = signal.getsignal(signal.SIGINT)
if HEEDED is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import sys  # noqa: E402

from trajan_ai.cli.main import main  # noqa: E402


def run() -> int:
    """Run the command line of this process and return its exit status."""
    signal.signal(signal.SIGINT, HEEDED)
    return main()


if __name__ == "__main__":
    sys.exit(run())
