"""The Python half of Hoard: options, setups, views, and the handle."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hoard import engine
from trajan_ai.core.events import EventKind
from trajan_ai.core.game import PLAYER_COUNTS, Game, Position, Random
from trajan_ai.core.rules import TEXT_WIDTH, Feature, Option, Options, Setup, check_options
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games.kit.reader import Reader

NAME = "hoard"
VALUES = (1, 2, 3, 4, 5, 6)
COPIES = 5
CARDS = [value for value in VALUES for _ in range(COPIES)]
DECISIONS = ("play", "keep", None)
PILES = ("hand", "played", "kept")
NAMES = tuple(map(str, VALUES))
MAX_TURNS = 12
MAX_BONUS = 20
SEATS = ("own", "next", "third", "fourth")
NEEDED = {  # keys of a view, each with an example
    "observer": "0",
    "to_decide": "{player: 0, decision: play}",
    "turn": "0",
    "bonus": "5",
    "deck_size": "24",
    "players": "[{hand: [1, 4, 4]}, {hand_size: 3}]",
}


class HoardRules:
    """See `trajan_ai.core.rules.Rules`."""

    options = (
        Option(
            "bonus",
            f"an integer from 0 to {MAX_BONUS}",
            lambda value, players: type(value) is int and 0 <= value <= MAX_BONUS,
            lambda players: 5,
        ),
    )

    events = (  # in the order of the enumerators EVENT_..
        EventKind("play", NAMES),
        EventKind("keep", NAMES),
        EventKind("draw"),
        EventKind("bonus"),
    )

    def check(self, players: int, options: Mapping[str, Any]) -> Options:
        """Return `options` with defaults for those that are missing."""
        return check_options(NAME, self.options, players, options)

    def deal(self, players: int, seed: int, options: Options) -> Setup:
        """Return a setup with a shuffled deck."""
        return {"deck": Random(derive_seed(NAME, seed)).shuffled(CARDS)}

    def encode(self, players: int, options: Options, setup: Setup) -> bytes:
        """Return the state after dealing the deck of a setup, starting with its first card."""
        reader = Reader(setup, ("setup",))
        reader.keys((), {"deck": "[6, 1, ..]"})
        deck = reader.shuffled("deck", list(map(str, CARDS)))
        reader.stop_at_problems()
        return engine.start_state(players, options["bonus"], list(map(int, deck)))

    def view(self, position: Position, player: int | None) -> dict[str, Any]:
        """Return what `player` knows, or everything if `player` is None."""
        state = engine.read_state(position.to_bytes())
        decision = DECISIONS[state["decision"]]
        view = {
            "observer": player,
            "to_decide": {"player": state["decider"], "decision": decision} if decision else None,
            "turn": state["turn"],
            "bonus": state["bonus"],
            "deck_size": state["deck_size"],
            "players": [
                _shown(piles, own=player in (None, p), over=decision is None)
                for p, piles in enumerate(state["player"][: state["players"]])
            ],
        }
        deck = state["deck"][: state["deck_size"]]
        return view | ({"deck": deck} if player is None else {})

    def from_view(self, view: Mapping[str, Any]) -> Position:
        """Return a position that looks like `view`, with the unseen cards in random places."""
        reader = Reader(view)
        reader.keys((), NEEDED)
        boards = reader.players()
        last = len(boards) - 1
        observer = reader.number("observer", 0, last)
        state: dict[str, Any] = {
            "players": len(boards),
            "turns": engine.turns_of(len(boards)),
            "turn": reader.number("turn", 0, MAX_TURNS),
            "bonus": reader.number("bonus", 0, MAX_BONUS),
            "decider": 0,
            "decision": DECISIONS.index(None),
        }
        if "to_decide" in reader:
            part = reader.part("to_decide", (), {"player": "0", "decision": "play"})
            state["decider"] = part.number("player", 0, last)
            state["decision"] = part.name("decision", DECISIONS[:-1])
        else:
            state["decider"] = state["turn"] % len(boards)
        piles, hidden = _read_piles(reader, boards)
        seen = [str(card) for own in piles for cards in own.values() for card in cards]
        pool = list(map(int, reader.left((), "cards", list(map(str, CARDS)), seen)))
        reader.stop_at_problems()
        if len(pool) != hidden:
            text = f"{len(pool)} cards are unseen, but the deck and hidden piles hold {hidden}"
            reader.complain((), text)
        elif state["decider"] != observer and len(set(pool)) < 2:
            reader.complain(
                "to_decide",
                "this player needs two kinds of cards to choose, but at most one kind is unseen",
            )
        reader.stop_at_problems()
        state["player"] = [
            {pile: _counts(own[pile] + _take(pool, board.get(_size(pile), 0))) for pile in PILES}
            for own, board in zip(piles, boards, strict=True)
        ]
        nobody = dict.fromkeys(PILES, _counts([]))
        state["player"] += [nobody] * (max(PLAYER_COUNTS) - len(boards))
        state["deck_size"] = len(pool)
        state["deck"] = pool + [0] * (len(CARDS) - len(pool))
        return GAME.from_bytes(engine.write_state(state)).determinized(observer, 0)

    def features(self, players: int) -> list[Feature]:
        """Return the name and highest value of each feature that `write_features` writes."""
        piles = [f"{seat}.{pile}.{v}" for seat in SEATS[:players] for pile in PILES for v in NAMES]
        return [
            *(Feature(name, COPIES) for name in piles),
            Feature("decider", players - 1),
            Feature("decision", len(DECISIONS) - 1),
            Feature("turn", MAX_TURNS),
            Feature("bonus", MAX_BONUS),
        ]

    def draw(
        self,
        position: Position,
        player: int | None = None,
        *,
        width: int = TEXT_WIDTH,
        colour: bool = False,
    ) -> str:
        """Return one line for each player, regardless of the width of the terminal."""
        view = self.view(position, player)
        return "\n".join(f"player {p}: {one}" for p, one in enumerate(view["players"]))


def _shown(piles: Mapping[str, Any], *, own: bool, over: bool) -> dict[str, Any]:
    """Return a player's piles: the visible ones as cards, the hidden ones as sizes."""
    shown: dict[str, Any] = {}
    for pile, in_sight in (("hand", own), ("played", True), ("kept", own or over)):
        cards = [v for v, n in zip(VALUES, piles[pile], strict=True) for _ in range(n)]
        shown |= {pile: cards} if in_sight else {_size(pile): len(cards)}
    return shown


def _size(pile: str) -> str:
    """Return the key under which a view contains the size of a hidden pile."""
    return f"{pile}_size"


def _read_piles(
    reader: Reader, boards: Sequence[Reader]
) -> tuple[list[dict[str, list[int]]], int]:
    """Return the visible cards in every player's piles, and the number of hidden cards."""
    hidden = reader.number("deck_size", 0, len(CARDS))
    piles = []
    for board in boards:
        board.keys([*PILES, *map(_size, PILES)])
        piles.append({pile: [VALUES[i] for i in board.names(pile, NAMES)] for pile in PILES})
        hidden += sum(board.number(_size(pile), 0, len(CARDS), 0) for pile in PILES)
    return piles, hidden


def _take(pool: list[int], count: int) -> list[int]:
    return [pool.pop() for _ in range(count)]


def _counts(cards: list[int]) -> list[int]:
    return [cards.count(value) for value in VALUES]


GAME = Game(
    NAME,
    "hoard:GAME",
    engine.CAPSULE,
    engine.ACTIONS,
    HoardRules(),
    vp_sources=("played", "bonus"),  # in the order of the enumerators VP_..
)
