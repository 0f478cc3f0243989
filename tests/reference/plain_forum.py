"""The knowledge of Forum Trajanum in plain Python: move scores and features.

The code imports the slow reference, but does not use the code or the tables of the engine. Weights
and features have the names of weights.yaml.
"""

from collections import Counter

import slow_forum as slow

ROWS = [f"{name}_{number}" for name in slow.CLASSES for number in (1, 2)]
WEIGHT_OF = {colour: f"worker_{colour}" for colour in slow.COLOURS}
ROUNDS, PHASE_ROUNDS, PHASES = 12, 4, 3


class Table:
    """A game as seen by player `number`, after `played` rounds as the engine counts them."""

    def __init__(self, game, number, played):
        self.game, self.p, self.played = game, game.player[number], played
        self.phase = played // PHASE_ROUNDS
        self.scorings, self.rounds = PHASES - self.phase, ROUNDS - played
        self.left = self.rounds / ROUNDS
        self.each = PHASES - self.phase  # VP of a structure at a crane, and of a column

    def card(self, phase):
        """Return the Trajan card of a phase; a game with one card has it in the last phase."""
        cards = self.game.setup["trajan_cards"]
        return cards[phase] if len(cards) == PHASES else cards[0] if phase == PHASES - 1 else None

    def bust(self):
        return slow.BUST[self.game.options["prestige"]][self.p.flipped][self.p.step]

    def greys(self, row):
        return len({self.p.built.get((row, column)) for column in range(6)} & set(slow.GREYS))

    def factor(self, row):
        return 1 + len(self.p.citizens[row + 1]) * self.p.active[row + 1]

    def structures(self, colour):
        return list(self.p.built.values()).count(slow.STRUCTURE_OF[colour])


def completing(p, card):
    """Return cells where a grey building completes a task, and cells where a structure does."""
    fits = {"G": set(), "K": set()}
    for cells, pattern in slow.runs_of(card) if card not in (None, 31) else ():
        for cell, letter in zip(cells, pattern, strict=True):
            others = [pair for pair in zip(cells, pattern, strict=True) if pair[0] != cell]
            if card == 35 or all(slow.stands(p, *pair) for pair in others):
                for kind in "GK" if letter == "*" else letter:
                    fits[kind].add(cell)
    return fits["G"], fits["K"]


class Rates(Table):
    """The move scores of a decision; `view` is what the player who decides sees."""

    def __init__(self, game, view, weights, moves):
        decision_view = view["to_decide"]
        super().__init__(game, decision_view["player"], view["round"] - 1)
        self.decision_view, self.weights, self.moves = decision_view, weights, moves
        decision = decision_view["decision"].split()[0]
        card = self.card(self.phase) if decision in ("build", "take") else None
        self.match_grey, self.match_coloured = completing(self.p, card)
        self.free = {cell for cell in slow.PLAIN if cell not in self.p.tiles | self.p.built}

    def __getattr__(self, name):
        return self.weights[f"moves.{name}"] + self.later(name)

    def later(self, name):
        return self.weights.get(f"moves.{name}_later", 0) * self.left

    def rate(self, action):
        word, *rest = action.split()
        rate = getattr(type(self), f"rate_{word}", None)
        return rate(self, *rest) if rate else 0

    def of(self, resource):
        return getattr(self, WEIGHT_OF.get(resource, resource))

    def match(self):
        return self.weights["moves.match"] * self.bust()

    # Tiles and citizens.

    def rate_seat(self, row):
        row = int(row) - 1
        seated, active = len(self.p.citizens[row + 1]), self.p.active[row + 1]
        if seated == 2:
            return 0
        times = 1 if active else seated + 1
        worth = self.citizen * self.rounds
        worth += self.colonia * self.scorings * self.greys(row) * times
        worth += self.weights[f"moves.second_{ROWS[row]}"] if seated else 0
        return worth + (0 if active else self.weights[f"moves.seat_{ROWS[row]}"] * self.rounds)

    def tile(self, tile):
        if tile is None:
            return 0
        if slow.is_citizen(tile):
            return max(self.rate_seat(row) for row in slow.rows_of(tile.split("-")[0]))
        return sum(map(self.of, tile.split("+")))

    def rate_keep(self, card):
        return self.tile(self.decision_view["taken"][card]["tile"])

    def rate_use(self, what, first=None):
        p = self.p
        if what not in ("own", "received", "both"):
            return (
                self.take_value(slow.cell_of(what))
                if self.decision_view["decision"] == "tile"
                else 0
            )
        own = self.tile(p.kept) - (self.ship_envoy if p.kept and slow.is_citizen(p.kept) else 0)
        both = own + self.tile(p.received) - 2 * self.tribune
        return {"own": own, "received": self.tile(p.received), "both": both}[what]

    def take_value(self, cell):
        if cell in slow.CORNERS:
            open_crane = self.open_crane * self.each * self.structures(self.p.cranes[cell])
            return self.tile(self.p.tiles[cell]) + open_crane
        row = cell[0]
        worth = self.tile_down - self.free_many * min(len(self.free), 6)
        worth += self.free_row * self.scorings * self.factor(row) * (4 - self.greys(row))
        worth += self.clear_match * (cell in self.match_grey | self.match_coloured)
        return worth + self.free_pair * any(one in self.free for one in slow.beside(cell))

    def rate_take(self, card, cell, tribune=None):
        cost = self.tribune + self.ignore_card if tribune else 0
        return self.take_value(slow.cell_of(cell)) - cost

    def rate_reserve(self, tile):
        return 1

    # Building.

    def rate_build(self, names, first, second=None):
        names, cells = names.split("+"), [slow.cell_of(one) for one in (first, second) if one]
        worth = sum(map(self.building, names, cells))
        if second:
            return worth + self.double * self.rounds
        return worth - self.break_pair * any(one in self.free for one in slow.beside(cells[0]))

    def building(self, name, cell):
        p = self.p
        if name not in slow.GREYS:
            return self.structure(slow.COLOUR_OF[name]) + self.match() * (
                cell in self.match_coloured
            )
        row = cell[0]
        worth = self.match() * (cell in self.match_grey) - self.cost * self.builder
        if all(p.built.get((row, column)) != name for column in range(6)):
            worth += self.build_row * self.scorings * self.factor(row)
        if name == "column":
            return worth + self.each + p.active_citizens() + self.later("column")
        step = p.track[name]
        return worth + (self.rate_reward(name, step + 1) if step < 4 else 0)

    def structure(self, colour):
        p = self.p
        price = self.of(colour) + (0 if p.resources[colour] else self.assistant)
        worth = self.envoy_sent * self.scorings * bool(p.ship) - self.cost * price
        for corner, its in p.cranes.items():
            state = p.crane_state[corner]
            if its == colour and state != "used":
                worth += self.crane * self.each * (1 if state == "open" else 0.4)
        if self.card(self.phase) == 31 and not self.structures(colour):
            worth += self.match()
        return worth

    def rate_swap(self, one, other):
        return self.conversion + self.of(other) - self.of(one)

    def rate_train(self, colour):
        return self.conversion + self.of(colour) - self.assistant

    def rate_promote(self):
        return self.conversion + self.builder - self.assistant

    def rate_exchange(self, colour):
        return self.conversion + self.builder - 2 * self.of(colour)

    def rate_pay(self, resources):
        return -sum(map(self.of, resources.split("+")))

    # Rewards.

    def rate_envoy(self, name):
        cell = next(one for one in self.game.mosaic if slow.mosaic_name(one) == name)
        worth = self.envoy_sent
        worth += self.group * any(one in self.p.envoys for one in slow.beside(cell))
        if cell in self.game.eagles:
            worth += 2 * self.eagle
        else:
            worth += self.eagle * any(one in self.game.eagles for one in slow.beside(cell))
        is_begun = any(cell in area and area - self.game.free() for area in self.game.areas)
        return worth * self.scorings + self.fill_area * (len(self.moves) == 2 and is_begun)

    def rate_wage(self, row):
        row = int(row) - 1
        worth = self.colonia * self.greys(row) * len(self.p.citizens[row + 1])
        return worth + self.wage * (self.scorings - 1) - self.coin

    def rate_bonus(self, bonus):
        return 2 if bonus == "vp" else self.of(bonus)

    def rate_gain(self, resource):
        return self.of(resource)

    def rate_cypress(self):
        return self.cypress

    def rate_reward(self, track, step):
        return self.weights[f"moves.{track}_{step}"] + self.later(track)


def features(game, number, view):
    at, p = Table(game, number, view["round"] - 1), game.player[number]
    first = game.first_player()
    place = lambda player: (player - first) % game.n  # noqa: E731
    before = view["stage"] == "turn" and place(number) < place(view["to_decide"]["player"])
    played = view["stage"] == "wages" or before
    turns = (ROUNDS - at.played - played) / ROUNDS
    # A track counts as complete even before its reward has been received.
    p.done |= {track for track in slow.TRACKS if p.track[track] == 4}
    later = sum(
        game.building_copies(p, at.card(phase)) + slow.collecting_copies(p, at.card(phase))
        for phase in range(at.phase + 1, PHASES) if at.card(phase)
    )  # fmt: skip
    opened = {corner for corner, state in p.crane_state.items() if state == "open"}
    card = at.card(at.phase)
    p.crane_state |= dict.fromkeys(opened, "used")  # as in the scoring
    copies = game.building_copies(p, card) + slow.collecting_copies(p, card) if card else 0
    p.crane_state |= dict.fromkeys(opened, "open")
    scored = {
        "colonia": sum(at.greys(row) * at.factor(row) for row in range(6)),
        "eagles": game.eagle_score(p),
        "area": game.area_score(p),
    }
    held = {name: p.resources[name] for name in slow.STORED}
    now = {
        "builder": held["builder"],
        "workers": sum(held[colour] for colour in slow.COLOURS),
        "assistants": held["assistant"],
        "coins": held["coin"],
        "tribunes": held["tribune"],
        "ship": p.ship,
        "citizens": p.active_citizens(),
        "slider": p.step,
    }
    to_come = {
        "envoys": len(p.envoys),
        "cranes_covered": Counter(p.crane_state.values())["covered"],
        "markers": sum(p.track[track] for track in slow.TRACKS),
        "cells_clear": sum(cell not in p.tiles for cell in slow.PLAIN),
        "flipped": p.flipped,
    }
    return {
        "one": 1,
        "turns": turns,
        "turns_squared": turns**2,
        "cranes": sum(at.each * at.structures(p.cranes[corner]) for corner in opened),
        "trajan": copies * at.bust(),
        "trajan_later": later * at.bust(),
        "turns_in_phase": PHASE_ROUNDS - at.played % PHASE_ROUNDS - played,
        **scored,
        **{f"{name}_later": vp * (at.scorings - 1) for name, vp in scored.items()},
        **now,
        **{f"{name}_turns": count * turns for name, count in (now | to_come).items()},
    }


def evaluation(game, view, weights):
    """Return each player's VP so far plus the weighted features, or None before round 1."""
    if view["stage"] == "setup":
        return None
    group = f"evaluation_{game.n}."
    return [
        player.score + sum(
            value * weights[group + name] for name, value in features(game, number, view).items()
        )
        for number, player in enumerate(game.player)
    ]  # fmt: skip
