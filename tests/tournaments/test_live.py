"""The report that is served while games are played."""

import re
import subprocess
import urllib.error
import urllib.request

import pytest
from plans import NIM, SLOW, command, environment, plan_file, stored
from running import until

from trajan_ai.core.errors import TrajanError
from trajan_ai.tournaments import live


def fetch(address, **headers):
    with urllib.request.urlopen(urllib.request.Request(address, headers=headers)) as answer:
        return answer.read().decode(), answer.headers


def test_the_report_is_made_again_only_when_it_is_old(monkeypatch):
    pages, renderings, addresses = [None, "<p>1", "<p>2"], [], []

    def render():
        renderings.append(pages[len(renderings)])
        return renderings[-1]

    with live.serve(render, addresses.append):
        (address,) = [line.removeprefix("live report: ") for line in addresses]
        assert address.startswith("http://127.0.0.1:")
        text, headers = fetch(address)
        assert "No game is finished yet" in text
        assert headers["Refresh"] == str(live.REFRESH_SECONDS)
        assert fetch(address)[0] == text
        monkeypatch.setattr(live, "MIN_AGE", 0.0)
        assert [fetch(address)[0] for _ in range(2)] == ["<p>1", "<p>2"]
    assert len(renderings) == 3
    with pytest.raises(urllib.error.URLError):
        fetch(address)


def test_only_pages_of_this_machine_are_answered():
    def fail():
        raise TrajanError("the disk is full")

    lines = []
    with live.serve(fail, lines.append):
        address = lines[0].removeprefix("live report: ")
        for path, headers, status in (
            ("", {"Host": "evil.example"}, 403),
            ("results.sqlite", {}, 404),
            ("", {}, 500),
        ):
            with pytest.raises(urllib.error.HTTPError) as error:
                fetch(address + path, **headers)
            assert error.value.code == status
    assert "the disk is full" in error.value.read().decode()


@pytest.mark.slow
def test_a_tournament_serves_the_games_so_far(tmp_path):
    hold = tmp_path / "hold"
    hold.mkdir()
    path = plan_file(tmp_path, game=NIM, bots=[SLOW, "random"], deals=9)
    process = subprocess.Popen(
        command(path, tmp_path / "out", "--live", "--json", "--jobs", "1"),
        env=environment() | {"HOLD": str(hold)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        line = next(line for line in process.stderr if line.startswith("live report: "))
        assert until(lambda: len(stored(tmp_path / "out")) >= 2, 60)
        page, _ = fetch(line.split()[-1])
        assert "The games are being played." in page
        assert re.search(r"[2-9] games of", page)
        assert "records.jsonl" not in page
        for file in hold.iterdir():
            file.unlink()
        hold.rmdir()
        out, _ = process.communicate(timeout=60)
        assert out.startswith("{")
        assert process.returncode == 0
    finally:
        process.kill()
        process.wait()
