"""The Python half of Hoard: options, setups, what a player sees; and the handle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from hoard import engine
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game, Position, Random
from trajan_ai.core.rules import (
    TEXT_WIDTH,
    Option,
    Options,
    Setup,
    check_options,
    count_problems,
)
from trajan_ai.core.seeds import derive_seed

NAME = "hoard"
VALUES = (1, 2, 3, 4, 5, 6)
COPIES = 5
CARDS = [value for value in VALUES for _ in range(COPIES)]
DECISIONS = ("play", "hoard", None)
PILES = ("hand", "played", "hoard")


class HoardRules:
    """See `trajan_ai.core.rules.Rules`."""

    options = (
        Option(
            "bonus",
            "an integer from 0 to 20",
            lambda value, players: type(value) is int and 0 <= value <= 20,
            lambda players: 5,
        ),
    )

    def check(self, players: int, options: Mapping[str, Any]) -> Options:
        """Return `options` completed with defaults."""
        return check_options(NAME, self.options, players, options)

    def deal(self, players: int, seed: int, options: Options) -> Setup:
        """Shuffle the deck."""
        return {"deck": Random(derive_seed(NAME, seed)).shuffled(CARDS)}

    def encode(self, players: int, options: Options, setup: Setup) -> bytes:
        """Deal the deck of a setup, the first card first."""
        deck = setup.get("deck")
        if set(setup) != {"deck"} or not isinstance(deck, list):
            raise TrajanError(f"{NAME}: setup must be deck: a list of cards, got {setup!r:.60}")
        problems = count_problems("setup.deck", CARDS, deck)
        if problems:
            raise TrajanError(*problems)
        return engine.start_state(players, options["bonus"], deck)

    def view(self, position: Position, player: int | None) -> dict[str, Any]:
        """Return what `player` knows: all of their own cards, of others what lies open."""
        state = engine.read_state(position.to_bytes())
        decision = DECISIONS[state["decision"]]
        view = {
            "observer": player,
            "to_decide": {"player": state["decider"], "decision": decision} if decision else None,
            "turn": state["turn"],
            "bonus": state["bonus"],
            "deck_size": len(state["deck"]),
            "players": [
                _shown(piles, own=player in (None, p), over=decision is None)
                for p, piles in enumerate(state["players"])
            ],
        }
        return view | ({"deck": state["deck"]} if player is None else {})

    def from_view(self, view: Mapping[str, Any]) -> Position:
        """Return a position that looks like `view`: the unseen cards may lie anywhere."""
        observer, to_decide = view["observer"], view["to_decide"]
        decider = to_decide["player"] if to_decide else view["turn"] % len(view["players"])
        pool = _unseen(view)
        if decider != observer and len(set(pool)) < 2:
            raise TrajanError(f"{NAME}: player {decider} cannot have two kinds of cards")
        players = [
            {
                pile: _counts(piles[pile] if pile in piles else _take(pool, piles[f"{pile}_size"]))
                for pile in PILES
            }
            for piles in view["players"]
        ]
        state = engine.write_state(
            {
                "decider": decider,
                "decision": DECISIONS.index(to_decide["decision"] if to_decide else None),
                "turn": view["turn"],
                "bonus": view["bonus"],
                "deck": pool,
                "players": players,
            }
        )
        return GAME.from_bytes(state).determinized(observer, 0)

    def draw(
        self,
        position: Position,
        player: int | None = None,
        *,
        width: int = TEXT_WIDTH,
        colour: bool = False,
    ) -> str:
        """Return one line for each player, however wide the terminal is."""
        view = self.view(position, player)
        return "\n".join(f"player {p}: {one}" for p, one in enumerate(view["players"]))


def _shown(piles: Mapping[str, Any], *, own: bool, over: bool) -> dict[str, Any]:
    """Return the piles of a player: those in sight as cards, the others as a size."""
    shown: dict[str, Any] = {}
    for pile, in_sight in (("hand", own), ("played", True), ("hoard", own or over)):
        cards = [v for v, n in zip(VALUES, piles[pile], strict=True) for _ in range(n)]
        shown |= {pile: cards} if in_sight else {f"{pile}_size": len(cards)}
    return shown


def _unseen(view: Mapping[str, Any]) -> list[int]:
    """Return the cards that are not in sight; their number must be that of the hidden places."""
    left = Counter(CARDS)
    hidden = view["deck_size"]
    for piles in view["players"]:
        for pile in PILES:
            left.subtract(piles.get(pile, ()))
            hidden += piles.get(f"{pile}_size", 0)
    too_often = [value for value in left if left[value] < 0]
    if too_often:
        raise TrajanError(f"{NAME}: there are {COPIES} cards of each value, more of {too_often}")
    if left.total() != hidden:
        raise TrajanError(f"{NAME}: {left.total()} cards are unseen, but {hidden} hidden places")
    return list(left.elements())


def _take(pool: list[int], count: int) -> list[int]:
    return [pool.pop() for _ in range(count)]


def _counts(cards: list[int]) -> list[int]:
    return [cards.count(value) for value in VALUES]


GAME = Game(NAME, "hoard:GAME", engine.CAPSULE, engine.ACTIONS, HoardRules())
