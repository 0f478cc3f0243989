"""No argument from Python crashes a compiled module."""

import json
import os
from pathlib import Path

import pytest
from calls import python

PROGRAM = Path(__file__).with_name("wrong_calls.py")
COUNT = int(os.environ.get("TRAJAN_WRONG_CALLS", "60"))  # calls of each function and method


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_wrong_arguments_raise_and_never_crash():
    result = python(PROGRAM, COUNT, 1)
    assert result.returncode == 0, result.stderr
    *crashes, total = map(json.loads, result.stdout.splitlines())
    assert total["calls"] > 100 * COUNT, "there are fewer functions than expected"
    lines = [f"{one['name']} (exit status {one['status']}): {one['call']}" for one in crashes]
    assert not crashes, "\n" + "\n".join(lines)
