"""Calls that tests of several rooms make again and again."""

import pytest

from trajan_ai.core.errors import TrajanError


def played(position, *actions):
    """Return the position after some actions."""
    for action in actions:
        position = position.after(action)
    return position


def problems(call, *arguments, **options):
    """Return the problems, each of one line, that a call raises as TrajanError."""
    with pytest.raises(TrajanError) as caught:
        call(*arguments, **options)
    assert all("\n" not in problem for problem in caught.value.messages)
    return tuple(caught.value.messages)
