"""Hoard: a small card game with secrets, written in Python."""

from ctypes import Structure, c_uint8

from trajan_ai.core.events import EventKind
from trajan_ai.core.rules import Feature
from trajan_ai.games.kit.python_game import PythonRules

VALUES, COPIES, HAND, DRAWN, BONUS = (1, 2, 3, 4, 5, 6), 5, 3, 2, 5
DECK, NAMES = sorted(VALUES * COPIES), tuple(map(str, VALUES))
KEEP = len(VALUES)  # moves below KEEP play a card, other moves keep one
Piles = c_uint8 * (len(VALUES) + 1) * 4  # [player][value]: the number of cards


class HoardRules(PythonRules):
    """In a turn, play a card, keep another and draw two. The highest kept sum scores a bonus."""

    name = "hoard"
    actions = tuple(f"{verb} {value}" for verb in ("play", "keep") for value in VALUES)
    events = (  # optional: what happens when a move is made, see `happen`
        EventKind("play", NAMES), EventKind("keep", NAMES, may_hide=True),
        EventKind("draw"), EventKind("bonus"),
    )  # fmt: skip
    vp_sources = ("played", "bonus")

    class State(Structure):
        _fields_ = (
            ("players", c_uint8),
            ("turn", c_uint8),
            ("keeps", c_uint8),  # whether the player to move keeps a card
            ("deck_size", c_uint8),
            ("deck", c_uint8 * len(DECK)),  # drawn from deck_size - 1 down; zeros above
            ("hand", Piles),
            ("played", Piles),  # open
            ("kept", Piles),  # face down until the end
        )

    def shuffle(self, players, options, random):
        return {"deck": random.shuffled(DECK)}

    def begin(self, state, players, options, setup):
        if sorted(setup["deck"]) != DECK:
            raise ValueError(f"the deck must be {DECK} in any order, got {setup['deck']}")
        state.players, state.deck_size, state.deck[:] = players, len(DECK), setup["deck"][::-1]
        for player in range(players):
            self.draw_cards(state, player, HAND)

    def cards(self, pile):
        return [value for value in VALUES for _ in range(pile[value])]

    def draw_cards(self, state, player, count):
        for _ in range(count):
            state.deck_size -= 1
            state.hand[player][state.deck[state.deck_size]] += 1
            state.deck[state.deck_size] = 0

    def player(self, state):
        seat = state.turn % state.players
        return seat if seat or state.deck_size >= DRAWN * state.players else None

    def turn(self, state):
        return state.turn

    def legal(self, state):
        hand = state.hand[self.player(state)]
        return [KEEP * state.keeps + value - 1 for value in VALUES if hand[value]]

    def step(self, state, move):
        player, value = self.player(state), VALUES[move % KEEP]
        state.hand[player][value] -= 1
        (state.kept if state.keeps else state.played)[player][value] += 1
        if state.keeps:
            self.happen("keep", player, thing=str(value), known_by=[player])
            self.draw_cards(state, player, DRAWN)
            self.happen("draw", player, count=DRAWN)
            state.turn += 1
        else:
            self.happen("play", player, thing=str(value), vp=value, source="played")
        state.keeps = not state.keeps
        if (owner := self.bonus_owner(state)) is not None:
            self.happen("bonus", owner, vp=BONUS, source="bonus")

    def bonus_owner(self, state):
        kept = [sum(self.cards(pile)) for pile in state.kept[: state.players]]
        is_owned = self.player(state) is None and kept.count(max(kept)) == 1
        return kept.index(max(kept)) if is_owned else None

    def scores(self, state):
        scores = [sum(self.cards(pile)) for pile in state.played[: state.players]]
        if (owner := self.bonus_owner(state)) is not None:
            scores[owner] += BONUS
        return scores

    def determinize(self, state, observer, random):
        hidden = [state.hand] if self.player(state) is None else [state.hand, state.kept]
        piles = [pile[p] for pile in hidden for p in range(state.players) if p != observer]
        unseen = state.deck[: state.deck_size] + [v for pile in piles for v in self.cards(pile)]
        unseen = random.shuffled(sorted(unseen))  # sorted: their true places must not matter
        for pile in piles:
            cards = [unseen.pop() for _ in range(sum(pile))]
            pile[:] = [cards.count(value) for value in range(len(pile))]
        state.deck[: state.deck_size] = unseen

    def observed(self, state, move, observer):
        return min(move, KEEP)  # others see that a card is kept, but not which one

    def features(self, players):  # optional, for learners: names and highest values
        piles = [f"{pile}.{seat}.{v}" for pile in ("hand", "played", "kept")
                 for seat in range(players) for v in VALUES]  # fmt: skip
        return [Feature("turn", len(DECK)), *(Feature(name, COPIES) for name in piles)]

    def observe(self, state, observer):  # the values of the features; seats from the observer on
        values, over = [state.turn], self.player(state) is None
        for pile, is_open in ((state.hand, False), (state.played, True), (state.kept, over)):
            for seat in range(state.players):
                own = pile[(observer + seat) % state.players][1:]
                values += own if is_open or seat == 0 else [0] * len(own)
        return values

    def pieces(self, state):  # optional: the conformance kit checks that no card vanishes
        piles = [*state.hand, *state.played, *state.kept]
        return state.deck[: state.deck_size] + [v for pile in piles for v in self.cards(pile)]

    def show(self, state, player):
        view = {"turn": state.turn, "to_move": self.player(state), "deck_size": state.deck_size}
        for p in range(state.players):
            own, over = player in (None, p), self.player(state) is None
            for name, is_open in {"hand": own, "played": True, "kept": own or over}.items():
                cards = self.cards(getattr(state, name)[p])
                view[f"player {p} {name}"] = cards if is_open else len(cards)
        return view


GAME = HoardRules().make_game("hoard:GAME")
