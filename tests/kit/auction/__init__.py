"""The worked example of docs/own_game.md for choices made at once: built by the tests."""

from auction import engine
from trajan_ai.core.errors import NotSupported, TrajanError
from trajan_ai.core.game import Game, Random
from trajan_ai.core.rules import TEXT_WIDTH, check_options
from trajan_ai.core.seeds import derive_seed

CARDS = range(1, engine.CARDS + 1)


class AuctionRules:
    """See `trajan_ai.core.rules.Rules`."""

    options = ()

    def check(self, players, options):
        return check_options("auction", self.options, players, options)

    def deal(self, players, seed, options):
        return {"prizes": Random(derive_seed("auction", seed)).shuffled(CARDS)}

    def encode(self, players, options, setup):
        prizes = setup.get("prizes") if set(setup) == {"prizes"} else None
        if not isinstance(prizes, list) or sorted(map(str, prizes)) != [*map(str, CARDS)]:
            raise TrajanError(
                f"auction: setup must be prizes, 1 to 6 each once; got {setup!r:.60}"
            )
        return engine.start_state(players, [int(prize) for prize in prizes])

    def view(self, position, player):
        state = engine.read_state(position.to_bytes())
        left = state["left"]
        boards = state["player"][: state["players"]]
        return {
            "observer": player,
            "turn": state["bids"],
            "prizes": sorted(state["prizes"][: max(left - 1, 0)]),
            "prize": state["prizes"][left - 1] if left else None,
            "players": [
                _shown(board, open_=player in (None, seat)) for seat, board in enumerate(boards)
            ],
        }

    def from_view(self, view):
        raise NotSupported("auction: position files are not supported")

    def draw(self, position, player=None, *, width=TEXT_WIDTH, colour=False):
        return "\n".join(map(str, self.view(position, player)["players"]))


def _shown(board, open_):
    """A player: who may not see the bid sees the card still in hand."""
    bid = board["bid"]
    hand = [card for card in CARDS if board["hand"][card - 1] or (card == bid and not open_)]
    return {"points": board["points"], "hand": hand, "bid": bid if open_ else bool(bid)}


GAME = Game("auction", "auction:GAME", engine.CAPSULE, engine.ACTIONS, AuctionRules())
