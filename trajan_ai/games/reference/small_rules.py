"""The Python part of the reference games: setups, views and pictures as plain data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import permutations
from typing import TYPE_CHECKING, Any, ClassVar

from trajan_ai.core.errors import NotSupported, TrajanError
from trajan_ai.core.game import Random
from trajan_ai.core.rules import TEXT_WIDTH, Option, Options, Setup
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games.reference import small_ops

if TYPE_CHECKING:
    from trajan_ai.core.game import Position

MAX_OBJECTS = 7
HEAPS = 4
CARD_NAMES = ("jack", "queen", "king")


class _TinyRules:
    """Base class of the reference games, with a fixed number of players and no options."""

    options: Sequence[Option] = ()
    name: ClassVar[str]
    players: ClassVar[int] = 2

    def check(self, players: int, options: Mapping[str, Any]) -> Options:
        """Accept one number of players and no options; raise TrajanError otherwise."""
        if players != self.players:
            raise TrajanError(f"{self.name}: players must be {self.players}, got {players!r}")
        if options:
            raise TrajanError(f"{self.name}: the game has no options, got {', '.join(options)}")
        return {}

    def deal(self, players: int, seed: int, options: Options) -> Setup:
        """Return the empty setup of a game without chance."""
        return {}

    def encode(self, players: int, options: Options, setup: Setup) -> bytes:
        """Return the state before the first choice; the setup must be empty."""
        if setup:
            raise TrajanError(f"{self.name}: the setup must be empty, got {', '.join(setup)}")
        return small_ops.encode_choices(players)

    def view(self, position: Position, player: int | None) -> dict[str, Any]:
        """Return the state as numbers, for games without hidden information."""
        return {"state": list(position.to_bytes())}

    def from_view(self, view: Mapping[str, Any]) -> Position:
        """Raise NotSupported, because these games have no position files."""
        raise NotSupported(f"{self.name}: position files are not supported")

    def draw(
        self,
        position: Position,
        player: int | None = None,
        *,
        width: int = TEXT_WIDTH,
        colour: bool = False,
    ) -> str:
        """Return the view as one line of text, regardless of the width."""
        return str(self.view(position, player))


class NimRules(_TinyRules):
    """Nim with up to four heaps of at most seven objects; setup ``{"heaps": [..]}``."""

    name = "nim"

    def deal(self, players: int, seed: int, options: Options) -> Setup:
        """Return a setup of three random heaps, each of 1 to 7 objects."""
        random = Random(derive_seed("nim", seed))
        return {"heaps": [1 + random.below(MAX_OBJECTS) for _ in range(3)]}

    def encode(self, players: int, options: Options, setup: Setup) -> bytes:
        """Return the state of the heaps."""
        heaps = setup.get("heaps")
        if (
            set(setup) != {"heaps"}
            or not isinstance(heaps, list)
            or not 1 <= len(heaps) <= HEAPS
            or not all(heap in range(MAX_OBJECTS + 1) for heap in heaps)
            or sum(heaps) < 2
        ):
            raise TrajanError(
                f"nim: the setup must contain only `heaps`, a list of 1 to {HEAPS} numbers from 0 "
                f"to {MAX_OBJECTS} whose sum is at least 2; got {setup!r}"
            )
        return small_ops.encode_nim(heaps)

    def view(self, position: Position, player: int | None) -> dict[str, Any]:
        """Return the heaps and the player to move."""
        heaps, to_move = small_ops.decode_nim(position.to_bytes())
        return {"heaps": heaps, "to_move": to_move}


class ForkRules(_TinyRules):
    """Three players choose left or right in turn; the setup is empty."""

    name = "fork"
    players = 3


class KuhnRules(_TinyRules):
    """Kuhn poker; setup ``{"cards": [first player's, second player's]}``."""

    name = "kuhn"

    def deal(self, players: int, seed: int, options: Options) -> Setup:
        """Return a setup with two random cards of the three."""
        return {"cards": Random(derive_seed("kuhn", seed)).shuffled(CARD_NAMES)[:2]}

    def deals(self, players: int, options: Options) -> list[Setup]:
        """Return the six deals."""
        return [{"cards": list(cards)} for cards in permutations(CARD_NAMES, 2)]

    def encode(self, players: int, options: Options, setup: Setup) -> bytes:
        """Return the state after the deal."""
        cards = setup.get("cards")
        if (
            set(setup) != {"cards"}
            or not isinstance(cards, list)
            or len(cards) != 2
            or not set(cards) <= set(CARD_NAMES)
            or cards[0] == cards[1]
        ):
            raise TrajanError(
                "kuhn: the setup must contain only `cards`, a list of two different names from "
                f"{', '.join(CARD_NAMES)}; got {setup!r}"
            )
        return small_ops.encode_kuhn([CARD_NAMES.index(card) for card in cards])

    def view(self, position: Position, player: int | None) -> dict[str, Any]:
        """Return the player's card, or both cards after a called bet, and all decisions."""
        state = position.to_bytes()
        is_called = max(position.scores) > 1
        cards = {
            str(seat): CARD_NAMES[card]
            for seat, card in enumerate(small_ops.decode_kuhn(state))
            if player in (None, seat) or is_called
        }
        moves = small_ops.decode_choices(state)
        return {"cards": cards, "made": [small_ops.KUHN_ACTIONS[move] for move in moves]}


class PenniesRules(_TinyRules):
    """One player hides a penny in a hand, and the other guesses which; the setup is empty."""

    name = "pennies"

    def view(self, position: Position, player: int | None) -> dict[str, Any]:
        """Return the number of moves; before the guess, only the hider sees the hiding place."""
        moves = small_ops.decode_choices(position.to_bytes())
        view: dict[str, Any] = {"made": len(moves)}
        if len(moves) == 2 or player in (None, 0):
            view |= dict(zip(("hidden", "guess"), moves, strict=False))
        return view
