"""Run the command: ``python -m trajan_ai``, or the script `trajan-ai`."""

import signal

# Until all modules are imported, Ctrl-C ends the process silently, because some imports would
# replace KeyboardInterrupt with another exception. `main` restores the handler just before the
# subcommand runs.
HANDLER = signal.getsignal(signal.SIGINT)
if HANDLER is signal.default_int_handler:
    signal.signal(signal.SIGINT, signal.SIG_DFL)

import sys  # noqa: E402

from trajan_ai.cli.main import main  # noqa: E402


def run() -> int:
    """Run the command line of this process and return its exit status."""
    return main(before_work=_handle_signals)


def _handle_signals() -> None:
    """Make Ctrl-C and SIGTERM raise KeyboardInterrupt, unless our parent made us ignore them.

    Programs that this process starts begin with the default handlers.
    """
    signal.signal(signal.SIGINT, HANDLER)
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, signal.default_int_handler)


if __name__ == "__main__":
    sys.exit(run())
