"""What can be shared from the page: addresses and pictures of positions, and saved analyses."""

import base64
import re
import zlib

import pytest
from browser_tab import WIDE, by_server, expect, in_browser
from golden_games import golden_line, short_game
from test_page_server import ask

from trajan_ai import records
from trajan_ai.page import reviews
from trajan_ai.page.game_tree import start_game
from trajan_ai.records import position_files

pytestmark = in_browser


def share(tab):
    """Return the address that the page offers for the current position."""
    tab.page.get_by_role("button", name="Share the position").click()
    tab.accessible()
    return tab.page.get_by_label("Address").input_value()


@by_server
def test_an_address_contains_what_its_viewer_knows(tab):
    """A different deal that looks the same to the viewer has the same address."""
    tree = start_game("trajan", [None, "random"], 3, {"markers": "random"})
    tab.open_game(tree)
    data = share(tab).partition("#position/")[2]
    text = zlib.decompress(base64.urlsafe_b64decode(data + "=" * (-len(data) % 4))).decode()
    twin = tree.root.determinized(0, 7)
    assert twin != tree.root
    assert text == position_files.dumps(position_files.position_file(twin, 0))


@by_server
@pytest.mark.parametrize("data", ["AAAA", "no-position", "%3Cscript%3E"])
def test_a_wrong_address_says_so(tab, data):
    tab.open(f"#position/{data}")
    expect(tab.page.locator(".problem")).to_have_text("This address contains no position.")
    expect(tab.page.get_by_role("button", name="Analyse it")).to_be_disabled()


@by_server
def test_a_picture_of_a_position_is_saved(tab):
    tab.load(golden_line("trajan"), 60)
    share(tab)
    with tab.page.expect_download() as saved:
        tab.page.get_by_role("button", name="Save as a picture").click()
    data = saved.value.path().read_bytes()
    assert data.startswith(b"\x89PNG")
    assert len(data) > 50_000


def test_the_files_of_a_game_are_named_after_it(client):
    id = client.post("/api/load", json={"text": golden_line(), "title": "Our game"}).json()["id"]
    for what, ending in (("record", "jsonl"), ("position", "yaml"), ("picture", "svg")):
        answer = client.get(f"/api/trees/{id}/{what}?node=0&view=0")
        assert f'filename="Our-game.{ending}"' in answer.headers["Content-Disposition"]
    old = {"text": golden_line(), "title": f"{id}.jsonl"}
    again = client.post("/api/load", json=old).json()["id"]
    assert ask(client, again)["title"] == ""


@by_server
def test_a_saved_page_has_names_and_opens_at_the_first_mistake(tabs, monkeypatch, tmp_path):
    monkeypatch.setattr(reviews, "ROUGH_ITERATIONS", 20)
    tab = tabs(WIDE)
    page = tab.page
    tab.load(records.dumps(short_game()))
    page.keyboard.press("End")
    page.get_by_role("button", name="Analyse this game").click()
    save = page.get_by_role("button", name="Save as a web page")
    save.click(timeout=300_000)
    tab.accessible()
    page.get_by_label("Title").fill("Sunday & <friends>")
    page.get_by_role("textbox", name="Player 1").fill("Ann")
    page.get_by_role("textbox", name="Player 2").fill("Bob")
    with page.expect_download() as saved:
        page.get_by_role("link", name="Save", exact=True).click()
    assert saved.value.suggested_filename == "Sunday-friends.html"
    file = tmp_path / "saved.html"
    saved.value.save_as(file)
    page.goto(file.as_uri())
    expect(page.locator("#title")).to_have_text("Sunday & <friends>")
    expect(page.locator("#about")).to_contain_text(re.compile("Ann .* Bob "))
    bad = page.locator("#moves li:has(.bad)")
    if bad.count():
        expect(page.locator("#told")).to_have_class("bad")
        expect(bad.first).to_have_class(re.compile("now"))


@pytest.mark.parametrize(("language", "words"), [("en", ["no", "yes"]), ("de", ["nein", "ja"])])
def test_options_that_are_on_or_off_are_named_so(client, language, words):
    games = client.get(f"/api/start?language={language}").json()["games"]
    options = [one for game in games for one in game["options"] if one["choices"]]
    flags = [one["choices"] for one in options if one["choices"][0][0] == "false"]
    assert flags
    assert all(choices == [["false", words[0]], ["true", words[1]]] for choices in flags)
    assert all("true" not in text for one in options for _, text in one["choices"])
