"""The play signature is the same in every process, and changes whenever play changes."""

from ast import literal_eval

import pytest
from calls import python

import trajan_ai
from trajan_ai.analysis.measurement import signature
from trajan_ai.analysis.measurement.signature import play_signature
from trajan_ai.core.game import Game
from trajan_ai.games.reference import FORK, KUHN, NIM, PENNIES, small_ops
from trajan_ai.games.reference.small_rules import NimRules
from trajan_ai.mcts import search

EVERY_GAME = [*trajan_ai.GAMES.values(), FORK, KUHN, NIM, PENNIES]


# Options that rarely matter in random games. Other tests cover them.
RARE = {"final_tie", "eagle_once", "task_match", "limited_tiles"}


def other_nim(rules=None, weights=(1.0,), name="nim"):
    return Game(
        name, "none:NIM", small_ops.NIM_OPS, small_ops.NIM_ACTIONS, rules or NimRules(),
        ("trust",), weights,
    )  # fmt: skip


@pytest.mark.slow
def test_another_process_gets_the_same_signatures_one_for_each_game():
    result = python(
        "-c",
        "import trajan_ai\n"
        "from trajan_ai.analysis.measurement.signature import play_signature\n"
        "from trajan_ai.games.reference import FORK, KUHN, NIM, PENNIES\n"
        "games = [*trajan_ai.GAMES.values(), FORK, KUHN, NIM, PENNIES]\n"
        "print(*map(play_signature, games))",
    )
    signatures = [play_signature(game) for game in EVERY_GAME]
    assert result.stdout.split() == signatures, result.stderr
    assert len(set(signatures)) == len(EVERY_GAME)
    assert all(len(text) == 12 and int(text, 16) >= 0 for text in signatures)


@pytest.mark.parametrize("game", list(trajan_ai.GAMES.values()), ids=lambda game: game.name)
def test_every_option_changes_play(game):
    """All allowed values are played with every number of players, and they have an effect."""
    played = {}
    for part in signature._play(game):
        if isinstance(part, tuple) and isinstance(part[1], dict):
            players, options, digests = part
            played[players, repr(options)] = digests
            game.rules.check(players, options)
    effective = set()
    for (players, options), digests in played.items():
        if digests != played[players, "{}"]:
            effective |= set(literal_eval(options))
    assert {players for players, _ in played} == set(game.player_counts)
    expected = {option.name for option in game.rules.options}
    assert {name for _, options in played for name in literal_eval(options)} == expected
    assert expected - effective <= RARE


def test_a_signature_depends_on_default_weights_but_not_on_names():
    assert play_signature(other_nim(name="other")) == play_signature(NIM)
    assert play_signature(other_nim(weights=(0.9,))) != play_signature(NIM)


def test_a_signature_depends_on_the_deal():
    class Fixed(NimRules):
        def deal(self, players, seed, options):
            return {"heaps": [1, 2, 3]}

    assert play_signature(other_nim(rules=Fixed())) != play_signature(NIM)


@pytest.mark.parametrize("chosen", [*signature.SEARCHES, *signature.INFORMED.values(), {}])
def test_a_signature_depends_on_every_kind_of_search(chosen, monkeypatch):
    def otherwise(information, settings, seed):
        same = signature.Settings.model_validate(signature.PLAIN | chosen) != settings
        return search(information, settings, seed=seed if same else seed + 1)

    before = play_signature(NIM)
    monkeypatch.setattr(signature, "search", otherwise)
    assert play_signature(other_nim()) != before
