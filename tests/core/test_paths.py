"""Names in requests and files never lead to a path outside the intended folder."""

import random

import pytest

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.paths import MAX_NAME_BYTES, build_path

PARTS = [
    "..",
    ".",
    "/",
    "\\",
    "a",
    "b.json",
    "\x00",
    " ",
    "C:",
    "nul",
    "ü",
    "\ud800",
    "~",
    "%2e",
    "",
]


@pytest.mark.parametrize(
    "name", ["game.json", "0123456789abcdef.json", "Mägi 3.yaml", "a..b", "-"]
)
def test_plain_file_names_are_accepted(tmp_path, name):
    path = build_path(tmp_path, name)
    path.write_text("x")
    assert [file.name for file in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "/etc/passwd", "a/b", "a\\b", "C:x", ".hidden", "x.", "a\x00b", "a\nb",
     "nul", "COM1.txt", "<img src=x>", "x" * (MAX_NAME_BYTES + 1), "ü" * 101, "\ud800", 7, None],
)  # fmt: skip
def test_other_names_are_rejected(tmp_path, name):
    with pytest.raises(TrajanError, match="is not a file name"):
        build_path(tmp_path, name)


def test_random_names_stay_in_the_folder(tmp_path):
    random_parts, accepted = random.Random(4), 0
    for _ in range(10_000):
        name = "".join(random_parts.choices(PARTS, k=random_parts.randint(1, 5)))
        try:
            path = build_path(tmp_path, name)
        except TrajanError:
            continue
        accepted += 1
        assert path.resolve().parent == tmp_path.resolve()
    assert accepted > 100
