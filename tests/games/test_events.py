"""Events are complete and exact in VP, and are shown only to players who may know them."""

from collections import Counter
from types import SimpleNamespace

import pytest
from golden_games import GOLDEN, golden
from random_games import course, values

import trajan_ai
from trajan_ai import GAMES, records
from trajan_ai.core.events import Event, EventKind
from trajan_ai.core.foresight import Foresight
from trajan_ai.core.game import Random
from trajan_ai.games.reference import NIM

DECISIONS = 10_000  # for each game and number of players
MAX_EVENTS = 256  # the limit in core/game.pxd
TABLES = [(name, players) for name in GAMES for players in (2, 3, 4)]


def vp_of(events, players):
    gained = [0] * players
    for event in events:
        if event.player is None:
            assert event.vp == 0
        else:
            gained[event.player] += event.vp
    return gained


def some_options(game, players, seed):
    """Return options with random values, or no options if the values contradict each other."""
    random = Random(seed)
    options = {name: some[random.below(len(some))] for name, some in values(game).items()}
    try:
        return game.rules.check(players, options)
    except trajan_ai.core.errors.TrajanError:  # an option requires another one
        return {}


@pytest.mark.parametrize(("name", "players"), TABLES)
def test_vp_of_events_are_the_change_of_scores(name, players):
    game, done, seed, kinds, most = GAMES[name], 0, 0, Counter(), 0
    while done < DECISIONS:
        seed += 1
        start = game.start(players, seed, **some_options(game, players, seed))
        for position, move in course(start, seed):
            if move is None:
                break
            events = position.events(game.actions[move])
            after = position.after_move(move)
            change = [now - then for now, then in zip(after.scores, position.scores, strict=True)]
            assert vp_of(events, players) == change, (seed, position.ply, game.actions[move])
            kinds.update(event.name for event in events)
            most = max(most, len(events))
            done += 1
    assert most <= MAX_EVENTS // 4  # far from the end of the buffer
    if players == 2:
        assert set(kinds) == {kind.name for kind in game.rules.events}


@pytest.mark.parametrize("path", sorted(GOLDEN.glob("*.jsonl")), ids=lambda path: path.stem)
def test_events_of_golden_games_bring_their_scores(path):
    entry = next(iter(records.read(path)))
    positions = list(records.positions(entry))
    total = [0] * entry["players"]
    for position, (_, action) in zip(positions, entry["actions"], strict=False):
        gained = vp_of(position.events(action), entry["players"])
        total = [sum(pair) for pair in zip(total, gained, strict=True)]
    assert total == entry["scores"]


def test_a_card_drawn_from_the_deck_is_shown_to_its_owner_alone():
    position = next(
        position
        for position in records.positions(golden("trajan", "3p"))
        if position.player is not None and "draw" in position.legal()
    )
    owner = position.player
    for observer in range(3):
        drawn = [event for event in position.events("draw", observer) if event.name == "draw"]
        assert len(drawn) == 2
        assert all((event.thing is not None) == (observer == owner) for event in drawn)


def takes(events, player):
    return [event.thing for event in events if (event.name, event.player) == ("take_tile", player)]


def test_a_hidden_choice_is_shown_to_others_when_it_is_revealed():
    entry = golden("forum_trajanum", "2p")
    first = second = None
    for position, (player, action) in zip(
        records.positions(entry), entry["actions"], strict=False
    ):
        if action.startswith("take"):
            first = player if first is None else first
            other = 1 - player
            if player == first:
                assert takes(position.events(action, player), player)
                assert not takes(position.events(action, other), player)
            else:
                second = player
        if second is not None and takes(position.events(action, second), first):
            return
    pytest.fail("what the first player took was never shown")


def test_a_hidden_choice_is_reported_once_to_each_player():
    entry = golden("forum_trajanum", "2p")
    streams = {observer: [] for observer in (None, 0, 1)}
    for position, (_, action) in zip(records.positions(entry), entry["actions"], strict=False):
        for observer in streams:
            streams[observer] += position.events(action, observer)
    for player in (0, 1):
        of_all, *of_each = (sorted(takes(stream, player)) for stream in streams.values())
        assert of_each == [of_all, of_all]


def test_events_name_the_thing_the_count_and_the_source():
    position = trajan_ai.game("trajan").start(2, seed=1, markers="random")
    while not position.legal()[0].startswith("sow"):
        position = position.after(position.legal()[0])
    sow = position.events(position.legal()[0])[0]
    assert (sow.name, sow.player, sow.vp, sow.thing) == ("sow", position.player, 0, "I")
    assert sow.count == len(position.view(0)["players"][position.player]["trays"]["I"])


def test_a_game_without_events_has_an_empty_list():
    position = NIM.start(2, seed=1)
    assert position.events(position.legal()[0]) == []


def test_an_illegal_action_is_rejected():
    position = trajan_ai.game("trajan").start(2, seed=1, markers="random")
    with pytest.raises(trajan_ai.core.errors.TrajanError, match="legal"):
        position.events("senate")


def test_only_events_that_may_hide_their_thing_are_foreseen_without_it():
    kinds = (EventKind("draw", ("red", "blue"), may_hide=True), EventKind("win", ("red", "blue")))

    def world(seed):
        thing = ("red", "blue")[seed % 2]
        events = [Event(kind.name, 0, 0, thing, 0, None) for kind in kinds]
        return SimpleNamespace(
            legal=lambda: ["go"], events=lambda action, observer: events, after=lambda action: None
        )

    game = SimpleNamespace(rules=SimpleNamespace(events=kinds))
    foresight = Foresight(SimpleNamespace(observer=0, game=game, determinized=world))
    assert foresight.make("go") == [Event("draw", 0, 0, None, 0, None)]
