"""Arguments of `trajan-ai completion`."""

from __future__ import annotations

import argparse

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the subcommand."""
    parser.description = (
        "Prints what makes a shell complete trajan-ai's words. In ~/.bashrc or ~/.zshrc: "
        'eval "$(trajan-ai completion bash)" (or zsh); in fish: '
        "trajan-ai completion fish > ~/.config/fish/completions/trajan-ai.fish"
    )
    parser.add_argument("shell", choices=SHELLS)
