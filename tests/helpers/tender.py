"""Tender: two players bid hidden cards for open prizes, and the loser may bury a card unseen.

No view contains the future of the game, which is the order of the prizes. `FAULTS` contains games
with one fault each, and for each game the check of the conformance kit that must detect its fault.
"""

from ctypes import Structure, c_uint8

from trajan_ai.core.game import Random
from trajan_ai.core.rules import Feature
from trajan_ai.games.kit.python_game import PythonRules

TOP, COPIES, HAND, PRIZES = 8, 3, 5, 8
DECK = sorted(list(range(1, TOP + 1)) * COPIES)
BURY, STAND = TOP, 2 * TOP  # moves below BURY bid a card
Pile = c_uint8 * (TOP + 1)
FIRST, SECOND, CHANGE, OVER = range(4)


class Tender(PythonRules):
    """The game without a fault."""

    name = "tender"
    player_counts = (2,)
    actions = (*(f"{verb} {v}" for verb in ("bid", "bury") for v in range(1, TOP + 1)), "stand")
    worth = 1  # VP for each point of a prize

    class State(Structure):
        _fields_ = (
            ("turn", c_uint8),
            ("round", c_uint8),
            ("phase", c_uint8),
            ("mover", c_uint8),
            ("deck_size", c_uint8),
            (
                "deck",
                c_uint8 * len(DECK),
            ),  # the last of the first `deck_size` entries is on top; the others are 0
            ("prizes_left", c_uint8),
            ("prizes", c_uint8 * PRIZES),  # the last of the first `prizes_left` entries is open
            ("bid", c_uint8 * 2),
            ("won", c_uint8 * 2),
            ("hand", Pile * 2),
            ("buried", Pile * 2),
            ("spent", Pile),
        )

    def shuffle(self, players, options, random):
        return {
            "deck": random.shuffled(DECK),
            "prizes": random.shuffled(list(range(1, PRIZES + 1))),
        }

    def begin(self, state, players, options, setup):
        if sorted(setup["deck"]) != DECK or sorted(setup["prizes"]) != [*range(1, PRIZES + 1)]:
            raise ValueError("deck or prizes are wrong")
        state.deck_size, state.deck[:] = len(DECK), setup["deck"]
        state.prizes_left, state.prizes[:] = PRIZES, setup["prizes"]
        for player in (0, 1):
            for _ in range(HAND):
                self.draw_card(state, player)

    def draw_card(self, state, player):
        if state.deck_size:
            state.deck_size -= 1
            state.hand[player][state.deck[state.deck_size]] += 1
            state.deck[state.deck_size] = 0

    def player(self, state):
        return None if state.phase == OVER else state.mover

    def turn(self, state):
        return state.turn

    def legal(self, state):
        held = [v for v in range(1, TOP + 1) if state.hand[state.mover][v]]
        if state.phase == CHANGE:
            return [*(BURY + v - 1 for v in held), STAND]
        return [v - 1 for v in held]

    def step(self, state, move):
        player = state.mover
        state.turn += 1
        if state.phase == CHANGE:
            if move != STAND:
                card = move - BURY + 1
                state.hand[player][card] -= 1
                self.bury(state, player, card)
                self.draw_card(state, player)
            self.next_round(state)
            return
        state.bid[player] = move + 1
        state.hand[player][move + 1] -= 1
        if state.phase == FIRST:
            state.phase, state.mover = SECOND, 1 - player
            return
        one, other = bids = list(state.bid)
        state.bid[:] = (0, 0)
        self.spend(state, bids)
        state.prizes_left -= 1
        prize = state.prizes[state.prizes_left]
        state.prizes[state.prizes_left] = 0
        for each in (0, 1):
            self.draw_card(state, each)
        if one == other:
            self.next_round(state)
            return
        winner = int(other > one)
        state.won[winner] += self.worth * prize
        if state.deck_size and state.prizes_left:
            state.phase, state.mover = CHANGE, 1 - winner
        else:
            self.next_round(state)

    def bury(self, state, player, card):
        state.buried[player][card] += 1

    def spend(self, state, cards):
        for card in cards:
            state.spent[card] += 1

    def next_round(self, state):
        state.round += 1
        state.mover = state.round % 2
        state.phase = FIRST if state.prizes_left else OVER

    def scores(self, state):
        return list(state.won)

    def cards(self, pile):
        return [v for v in range(1, TOP + 1) for _ in range(pile[v])]

    def determinize(self, state, observer, random):
        other = 1 - observer
        piles = [state.hand[other], state.buried[other]]
        bid = state.bid[other]
        unseen = state.deck[: state.deck_size] + [v for p in piles for v in self.cards(p)]
        unseen += [bid] if bid else []
        unseen = random.shuffled(sorted(unseen))
        for pile in piles:
            cards = [unseen.pop() for _ in range(sum(pile))]
            pile[:] = [cards.count(v) for v in range(TOP + 1)]
        if bid:
            state.bid[other] = unseen.pop()
        state.deck[: state.deck_size] = unseen
        self.draw_future(state, random)

    def draw_future(self, state, random):
        if state.prizes_left:
            last = state.prizes_left - 1
            state.prizes[:last] = random.shuffled(sorted(state.prizes[:last]))

    def observed(self, state, move, observer):
        if state.phase == FIRST:
            return 0
        return BURY if state.phase == CHANGE and move != STAND else move

    def pieces(self, state):
        piles = [*state.hand, *state.buried, state.spent]
        bids = [bid for bid in state.bid if bid]
        return state.deck[: state.deck_size] + [v for p in piles for v in self.cards(p)] + bids

    def features(self, players):
        hand = [Feature(f"hand.{v}", COPIES) for v in range(1, TOP + 1)]
        return [Feature("prize", PRIZES), *hand]

    def observe(self, state, observer):
        return [self.prize(state), *state.hand[observer][1:]]

    def prize(self, state):
        return state.prizes[state.prizes_left - 1] if state.prizes_left else 0

    def show(self, state, player):
        view = {
            "turn": state.turn,
            "phase": state.phase,
            "mover": state.mover,
            "prize": self.prize(state),
            "prizes_left": state.prizes_left,
            "deck_size": state.deck_size,
            "won": list(state.won),
            "spent": self.cards(state.spent),
        }
        for p in (0, 1):
            is_own = player in (None, p)
            for name in ("hand", "buried"):
                cards = self.cards(getattr(state, name)[p])
                view[f"player {p} {name}"] = cards if is_own else len(cards)
            view[f"player {p} bid"] = state.bid[p] if is_own else bool(state.bid[p])
        return view


class OpenFuture(Tender):
    """Determinizations keep the order of all prizes instead of drawing it."""

    def draw_future(self, state, random):
        pass


class LaterOpenFuture(Tender):
    """Determinizations keep the order of the last prizes instead of drawing it."""

    def draw_future(self, state, random):
        if state.prizes_left > PRIZES - 2:
            super().draw_future(state, random)


class OpenFutureBySeed(OpenFuture):
    """The setup has no lists, only a seed."""

    def shuffle(self, players, options, random):
        return {"seed": random.below(10**6)}

    def begin(self, state, players, options, setup):
        if not isinstance(setup["seed"], int):
            raise ValueError("the seed must be a whole number")
        super().begin(state, players, options, super().shuffle(2, {}, Random(setup["seed"])))


class LostUnseen(Tender):
    """A buried card leaves the game, so that no determinization contains it any more."""

    def bury(self, state, player, card):
        pass

    def pieces(self, state):
        return None


class LostOpenly(Tender):
    """One of the two cards that were bid is not put on the pile of spent cards."""

    def spend(self, state, cards):
        super().spend(state, cards[:1])


class Wrapping(Tender):
    """Scores exceed 255, so that the bytes of the state cannot store them."""

    worth = 40


GAME = Tender().make_game("tender:GAME")
OPEN_FUTURE = OpenFuture().make_game("tender:OPEN_FUTURE")
LATER_OPEN_FUTURE = LaterOpenFuture().make_game("tender:LATER_OPEN_FUTURE")
OPEN_FUTURE_BY_SEED = OpenFutureBySeed().make_game("tender:OPEN_FUTURE_BY_SEED")
LOST_UNSEEN = LostUnseen().make_game("tender:LOST_UNSEEN")
LOST_OPENLY = LostOpenly().make_game("tender:LOST_OPENLY")
WRAPPING = Wrapping().make_game("tender:WRAPPING")
FAULTS = {
    "open_future": (OPEN_FUTURE, "unseen_state_is_drawn"),
    "later_open_future": (LATER_OPEN_FUTURE, "unseen_state_is_drawn"),
    "open_future_by_seed": (OPEN_FUTURE_BY_SEED, "unseen_state_is_drawn"),
    "lost_unseen": (LOST_UNSEEN, "unseen_state_is_drawn"),
    "lost_openly": (LOST_OPENLY, "pieces_are_conserved"),
    "wrapping": (WRAPPING, "calls_succeed"),
}
