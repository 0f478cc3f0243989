"""A slow reference implementation of Trajan from the rulebook, independent of the engine.

A game is a generator that yields decisions and receives actions. All properties of a
component are read from its name in the setup.
"""

from collections import Counter
from itertools import product

from slow_game import SlowGame

COLOURS = ("blue", "green", "orange", "pink", "white", "yellow")
TRAYS = ("I", "II", "III", "IV", "V", "VI")
ACTION_OF = dict(
    zip(TRAYS, ("seaport", "forum", "military", "senate", "trajan", "construction"), strict=True)
)
ACTIONS = tuple(ACTION_OF.values())
GOODS = (
    "columns", "furs", "scrolls", "oil", "fruit", "pottery",
    "wine", "fish", "jewellery", "gems", "cattle", "wheat",
)  # fmt: skip
BONUS_TILES = (
    *(f"{one}-{other}" for one, other in zip(GOODS[::2], GOODS[1::2], strict=True)),
    *(f"bonus-{name}" for name in ("bread", "games", "religion", "workers", "legions", "gold")),
)
SYMBOLS = ("bread", "games", "religion")
PAYING = (*SYMBOLS, "wild-demand")
STACKS = ("cards", "points", "workers", "legions", "plus2", "demands")
FREE_ACTION = {
    "stairs": "forum", "door": "senate", "fountain": "seaport", "roof": "trajan",
    "window": "military",
}  # fmt: skip
FIGURES = 15

# 8.1
VALUE_OF = {
    "alpes": 3, "raetia": 3, "noricum": 5, "narbonensis": 6, "lugudunensis": 6, "belgica": 6,
    "germania-superior": 6, "aquitania": 10, "britannia": 10, "germania-inferior": 10,
}  # fmt: skip
PROVINCES = tuple(VALUE_OF)
FROM_CAMP = ("alpes", "raetia", "noricum")
BORDERS = (
    ("alpes", "narbonensis"), ("alpes", "lugudunensis"), ("alpes", "belgica"),
    ("alpes", "raetia"), ("raetia", "belgica"), ("raetia", "germania-superior"),
    ("raetia", "noricum"), ("narbonensis", "aquitania"), ("narbonensis", "lugudunensis"),
    ("lugudunensis", "aquitania"), ("lugudunensis", "belgica"), ("lugudunensis", "britannia"),
    ("belgica", "britannia"), ("belgica", "germania-inferior"),
    ("belgica", "germania-superior"), ("germania-superior", "germania-inferior"),
    ("britannia", "germania-inferior"),
)  # fmt: skip
SITES = tuple(column + row for row in "1234" for column in "ABCDE")

# rule 8.2 and the other tables
TILE_VP = {
    "cards2": 3, "points": 9, "worker1": 5, "worker2": 2, "legion1": 5, "legion2": 2, "plus2": 4,
    "bread": 1, "games": 1, "religion": 1,
}  # fmt: skip
SENATE = (0, 2, 3, 4, 5, 6, 7, 8)
SHIP_VP = {
    "equal": ((0, 2, 6, 12, 20), (0, 0, 1, 7, 15)),
    "pairs": ((0, 5, 10, 15), (0, 1, 6, 11)),
    "different": ((0, 2, 4, 6, 8), (0, 0, 1, 3, 5)),
}
LOSS = (0, 4, 9, 15)
GOLD, SILVER = 0, 1


class Player:
    def __init__(self):
        self.hand, self.known, self.display = Counter(), Counter(), Counter()
        self.trays = {tray: [] for tray in TRAYS}
        self.slots = {}  # Trajan tile by tray
        self.arch = "I"
        self.plus2 = set()  # actions of the plus2 tiles
        self.supply, self.worker_camp, self.military_camp = FIGURES - 2, 1, 1
        self.leader = None  # a province, or None in the camp
        self.legions, self.workers = set(), set()
        self.buildings = []
        self.tiles = Counter()  # forum tiles
        self.demand_tiles = Counter()  # Trajan demand tiles, by symbol
        self.bonus = ([], [])  # gold, silver
        self.space = 0
        self.score = 0
        self.unpaid = Counter()  # demands that Trajan demand tiles do not cover

    def lose_card(self, good):
        self.hand[good] -= 1
        self.known[good] = max(0, self.known[good] - 1)


class Game(SlowGame):
    """A game. `decision` is (player, sorted actions), or None when the game is over."""

    def __init__(self, players, options, setup):
        self.n = players
        self.options = options
        self.setup = setup
        self.player = [Player() for _ in range(players)]
        self.forum = Counter()
        self.demands = []
        self.new_demands = []
        self.offer = []
        self.quarter, self.round, self.time = 1, 1, 0
        self.ranks = None
        self.begin()

    # The setup.

    def whole_game(self):
        self.lay_out()
        yield from self.place_markers()
        self.stacks = {stack: list(tiles) for stack, tiles in self.setup["trajan_stacks"].items()}
        self.senate = [list(range(self.n))] + [[] for _ in SENATE[1:]]  # bottom first
        self.bonus_bag = list(self.setup["bonus_tiles"])
        for number, player in enumerate(self.player):
            player.bonus[GOLD].append(self.bonus_bag.pop(0))
            self.report("win_gold", number, player.bonus[GOLD][0])
        self.offer_bonus_tiles()
        yield from self.deal_goods()
        yield from self.deal_trajan_tiles()
        player = 0
        while self.ranks is None:
            yield from self.turn(player)
            player = (player + 1) % self.n

    def offer_bonus_tiles(self):
        self.offer = [self.bonus_bag.pop(0), self.bonus_bag.pop(0)]
        for tile in sorted(self.offer, key=BONUS_TILES.index):
            self.report("offer_bonus", None, tile)

    def lay_out(self):
        self.forum_supply = list(self.setup["forum_supply"])
        self.provinces = {province: self.forum_supply.pop(0) for province in PROVINCES}
        self.extra_supply = list(self.setup["extra_supply"])
        self.fill_forum()
        self.sites = dict(zip(SITES, self.setup["buildings"], strict=True))
        self.demand_stack = list(self.setup["demands"][:12])
        self.coloured = {"equal", "pairs", "different"}
        self.deck = []
        self.piles = {"left": [], "right": []}
        self.stacks, self.senate, self.bonus_bag = {}, [], []

    def fill_forum(self):
        for _ in range(min(3 * self.n, len(self.forum_supply))):
            self.forum[self.forum_supply.pop(0)] += 1
        for _ in range(min(3, len(self.extra_supply))):
            self.forum[self.extra_supply.pop(0)] += 1

    def place_markers(self):
        for number, player in enumerate(self.player):
            if self.options["markers"] == "random":
                markers = list(self.setup["markers"][number])
                for tray in TRAYS:
                    player.trays[tray] = [markers.pop(0), markers.pop(0)]
                continue
            left = Counter(dict.fromkeys(COLOURS, 2))
            for tray in TRAYS:
                first = yield from self.place_marker(number, tray, left, 0)
                player.trays[tray].append(first)
                second = yield from self.place_marker(number, tray, left, COLOURS.index(first))
                player.trays[tray].append(second)

    def place_marker(self, number, tray, left, lowest):
        """Let a player choose a marker of a tray, and return its colour.

        The second colour of a tray must not precede the first in the order of colours, so the
        first must leave a possible second one.
        """
        fits = []
        for place, colour in enumerate(COLOURS):
            after = left - Counter([colour])
            if left[colour] and place >= lowest:
                is_second = sum(left.values()) % 2 == 1
                if is_second or any(after[later] for later in COLOURS[place:]):
                    fits.append(colour)
        action = yield from self.choose(number, [f"marker {colour}" for colour in fits])
        colour = action.split()[1]
        left[colour] -= 1
        self.report("place_marker", number, colour, TRAYS.index(tray) + 1)
        return colour

    def deal_goods(self):
        self.deck = list(self.setup["goods_deck"])
        for pile in self.piles:
            self.turn_up(pile)
        for number in range(self.n):
            for _ in range(3):
                sources = ["goods deck"] if self.deck else []
                sources += [f"goods {pile}" for pile in self.piles if self.piles[pile]]
                action = yield from self.choose(number, sources)
                source = action.split()[1]
                if source == "deck":
                    self.draw(number, 1)
                else:
                    self.take(number, source)

    def draw(self, number, count):
        drawn, self.deck = self.deck[:count], self.deck[count:]
        for good in sorted(drawn, key=GOODS.index):  # the cards of a hand have no order
            self.player[number].hand[good] += 1
            self.report("draw", number, good, insiders=(None, number))

    def take(self, number, pile):
        player, good = self.player[number], self.piles[pile].pop()
        player.hand[good] += 1
        player.known[good] += 1
        self.report("take_card", number, good)
        if not self.piles[pile] and self.deck:
            self.turn_up(pile)

    def turn_up(self, pile):
        self.piles[pile].append(self.deck.pop(0))
        self.report("turn_up", None, self.piles[pile][0])

    def deal_trajan_tiles(self):
        for number, player in enumerate(self.player):
            left = list(STACKS)
            for slot in ("II", "IV", "VI"):
                action = yield from self.choose(
                    number, [f"start {stack}" for stack in left if self.stacks[stack]]
                )
                stack = action.split()[1]
                left.remove(stack)
                player.slots[slot] = self.stacks[stack].pop(0)
                self.report("take_tile", number, player.slots[slot])

    # A turn.

    def turn(self, number):
        self.extra_spent = False
        target, laps = yield from self.sow(number)
        yield from self.trajan_tile(number, target)
        yield from self.action(number, ACTION_OF[target])
        for _ in range(laps):
            if self.ranks is None:
                yield from self.end_round()
        self.report_demands()

    def sow(self, number):
        trays = self.player[number].trays
        action = yield from self.choose(number, [f"sow {tray}" for tray in TRAYS if trays[tray]])
        tray = action.split()[1]
        hand, trays[tray] = trays[tray], []
        self.report("sow", number, tray, len(hand))
        steps = self.time + len(hand)
        self.time = steps % self.options["lap_length"]
        while hand:
            tray = TRAYS[(TRAYS.index(tray) + 1) % len(TRAYS)]
            action = yield from self.choose(number, [f"drop {colour}" for colour in hand])
            colour = action.split()[1]
            hand.remove(colour)
            trays[tray].append(colour)
        return tray, steps // self.options["lap_length"]

    def trajan_tile(self, number, target):
        player = self.player[number]
        if target not in player.slots:
            return
        tile = player.slots[target]
        effect, first, second = tile.split("-")
        if Counter([first, second]) - Counter(player.trays[target]):
            return
        del player.slots[target]
        if player.arch is None:
            player.arch = target
        player.score += TILE_VP[effect]
        self.report("fulfil", number, tile, vp=TILE_VP[effect], source="trajan_tiles")
        if effect in SYMBOLS:
            player.demand_tiles[effect] += 1
            self.report("cover_demand", number, effect)
        elif effect != "points" and self.changes(player, effect):
            options = ["effect"]
            if self.options["tile_effects"] == "optional":
                options.append("no effect")
            if (yield from self.choose(number, options)) == "effect":
                yield from self.effect(number, effect)

    def changes(self, player, effect):
        if effect == "cards2":
            return bool(self.deck)
        if effect == "plus2":
            return len(player.plus2) < len(ACTIONS)
        return player.supply > 0

    def effect(self, number, effect):
        player = self.player[number]
        if effect == "cards2":
            self.draw(number, 2)
        elif effect == "plus2":
            free = [f"plus2 {action}" for action in ACTIONS if action not in player.plus2]
            action = yield from self.choose(number, free)
            player.plus2.add(action.split()[1])
            self.report("place_plus2", number, action.split()[1])
        else:
            count = min(int(effect[-1]), player.supply)
            if effect.startswith("worker"):
                self.get_workers(number, count)
            else:
                self.get_legionnaires(number, count)

    def get_workers(self, number, count):
        player = self.player[number]
        player.supply -= count
        player.worker_camp += count
        self.report("get_workers", number, None, count)

    def get_legionnaires(self, number, count):
        player = self.player[number]
        player.supply -= count
        player.military_camp += count
        self.report("get_legionnaires", number, None, count)

    def use_tile(self, number, tile, count):
        """Remove forum tiles of a player from the game."""
        if count:
            self.player[number].tiles[tile] -= count
            self.report("use_tile", number, tile, count)

    # Actions and their repeats.

    def action(self, number, action):
        """Perform an action, and then offer an extra-action tile."""
        performed = yield from self.instance(number, action, repeating=False)
        if performed:
            yield from self.offer_extra(number, action)

    def offer_extra(self, number, action):
        player = self.player[number]
        if self.extra_spent or not self.ways(number, action):
            return
        offers = ["no extra"]
        offers += ["extra"] if player.tiles[f"extra-{action}"] else []
        offers += ["extra wild"] if player.tiles["wild-action"] else []
        chosen = yield from self.choose(number, offers)
        if chosen == "no extra":
            return
        self.use_tile(number, f"extra-{action}" if chosen == "extra" else "wild-action", 1)
        self.extra_spent = True
        for _ in range(2 if action in player.plus2 else 1):
            performed = yield from self.instance(number, action, repeating=True)
            if not performed:
                break

    # The six actions.

    def ways(self, number, action):
        return getattr(self, f"{action}_ways")(number)

    def instance(self, number, action, *, repeating):
        """Carry out an action once, and return whether it was performed."""
        self.report("action", number, action)
        way = yield from self.choose(number, [*self.ways(number, action), "pass"])
        if way == "pass":
            self.report("pass", number, action)
            return False
        free = yield from getattr(self, f"do_{action}")(number, way.split())
        if free is not None and repeating:
            yield from self.instance(number, free, repeating=True)
        elif free is not None:
            yield from self.action(number, free)
        return True

    def seaport_ways(self, number):
        player = self.player[number]
        ways = ["draw"] if self.deck else []
        ways += [f"take {pile}" for pile in self.piles if self.piles[pile]]
        ways += [f"play {good}" for good in GOODS if player.hand[good]]
        wilds = player.tiles["wild-goods"]
        for used in range(min(wilds, 4) + 1):
            for good in GOODS:
                ways += [
                    f"ship equal {good} {cards} {used}"
                    for cards in range(1, min(player.hand[good], 4 - used) + 1)
                ]
            if used:
                ways.append(f"ship equal wild 0 {used}")
        ways += ["ship pairs"] if self.next_pairs(player, []) else []
        ways += ["ship different"] if self.next_cards(player, []) else []
        return ways

    def do_seaport(self, number, way):
        player = self.player[number]
        if way[0] == "draw":
            self.draw(number, 2)
            held = [good for good in GOODS if player.hand[good]]
            discard = yield from self.choose(
                number, [f"discard {good} {pile}" for good in held for pile in self.piles]
            )
            _, good, pile = discard.split()
            player.lose_card(good)
            self.piles[pile].append(good)
            self.report("lay_off", number, good)
        elif way[0] == "take":
            self.take(number, way[1])
        elif way[0] == "play":
            yield from self.play_cards(number, way[1])
        elif way[1] == "equal":
            if way[2] != "wild":
                self.lay(number, way[2], int(way[3]))
            self.use_tile(number, "wild-goods", int(way[4]))
            self.score_ship(number, "equal", int(way[3]) + int(way[4]))
        else:
            yield from self.ship(number, way[1])

    def lay(self, number, good, count=1):
        for _ in range(count):
            self.player[number].lose_card(good)
        self.player[number].display[good] += count
        self.report("lay_out", number, good, count)

    def play_cards(self, number, first):
        player = self.player[number]
        self.lay(number, first)
        later = [good for good in GOODS[GOODS.index(first) :] if player.hand[good]]
        second = yield from self.choose(number, [*(f"play {good}" for good in later), "done"])
        if second != "done":
            self.lay(number, second.split()[1])
        self.draw(number, 1 if second == "done" else 2)

    def next_pairs(self, player, laid):
        """Return the actions that lay further pairs; pairs are laid in the order of the goods."""
        wilds = player.tiles["wild-goods"]
        follow = []
        if len(laid) < 3:
            for good in self.later_goods(laid):
                follow += [f"pair {good}"] if player.hand[good] >= 2 else []
                follow += [f"pair {good} wild"] if player.hand[good] and wilds else []
            follow += ["pair wild wild"] if wilds >= 2 else []
        return follow

    def next_cards(self, player, laid):
        follow = []
        if len(laid) < 4:
            follow += [f"card {good}" for good in self.later_goods(laid) if player.hand[good]]
            follow += ["card wild"] if player.tiles["wild-goods"] else []
        return follow

    def later_goods(self, laid):
        if not laid:
            return GOODS
        last = laid[-1].split()[1]
        return () if last == "wild" else GOODS[GOODS.index(last) + 1 :]

    def ship(self, number, kind):
        player, laid = self.player[number], []
        following = self.next_pairs if kind == "pairs" else self.next_cards
        while follow := following(player, laid):
            element = yield from self.choose(number, [*follow, *(["done"] if laid else [])])
            if element == "done":
                break
            laid.append(element)
            parts = element.split()[1:]
            if element.startswith("pair") and len(parts) == 1:
                parts *= 2
            for good in GOODS:
                if good in parts:
                    self.lay(number, good, parts.count(good))
            self.use_tile(number, "wild-goods", parts.count("wild"))
        self.score_ship(number, kind, len(laid))

    def score_ship(self, number, kind, count):
        vp = SHIP_VP[kind][0 if kind in self.coloured else 1][count]
        self.coloured.discard(kind)
        self.player[number].score += vp
        self.report("ship", number, kind, count, vp=vp, source="ships")

    def forum_ways(self, number):
        return [f"forum {tile}" for tile, count in self.forum.items() if count]

    def do_forum(self, number, way):
        self.forum[way[1]] -= 1
        self.player[number].tiles[way[1]] += 1
        self.report("take_forum_tile", number, way[1])
        yield from ()

    def military_ways(self, number):
        player = self.player[number]
        ways = ["recruit"] if player.supply else []
        if player.leader is None:
            ways += [f"march {province}" for province in FROM_CAMP]
        else:
            ways += [f"march {there}" for pair in BORDERS for there in pair
                     if player.leader in pair and there != player.leader]  # fmt: skip
            if player.military_camp and player.leader not in player.legions:
                ways.append("deploy")
        return ways

    def do_military(self, number, way):
        player = self.player[number]
        if way[0] == "recruit":
            self.get_legionnaires(number, 1)
        elif way[0] == "march":
            player.leader = way[1]
            self.report("march", number, way[1])
            tile, self.provinces[way[1]] = self.provinces[way[1]], None
            if tile is not None:
                player.tiles[tile] += 1
                self.report("take_province_tile", number, tile)
        else:
            others = sum(player.leader in other.legions for other in self.player)
            vp = max(0, VALUE_OF[player.leader] - 3 * others)
            player.score += vp
            self.report("deploy", number, player.leader, vp=vp, source="military")
            player.military_camp -= 1
            player.legions.add(player.leader)
        yield from ()

    def senate_ways(self, number):
        return ["senate"] if self.player[number].space < len(SENATE) - 1 else []

    def do_senate(self, number, way):
        player = self.player[number]
        self.senate[player.space].remove(number)
        player.space += 1
        self.senate[player.space].append(number)
        player.score += SENATE[player.space]
        vp = SENATE[player.space]
        self.report("advance", number, None, player.space, vp=vp, source="senate")
        yield from ()

    def trajan_ways(self, number):
        if self.player[number].arch is None:
            return []
        return [f"tile {stack}" for stack in STACKS if self.stacks[stack]]

    def do_trajan(self, number, way):
        player = self.player[number]
        player.slots[player.arch] = self.stacks[way[1]].pop(0)
        self.report("take_tile", number, player.slots[player.arch])
        place = TRAYS.index(player.arch)
        clockwise = [TRAYS[(place + step) % len(TRAYS)] for step in range(1, len(TRAYS))]
        player.arch = next((tray for tray in clockwise if tray not in player.slots), None)
        yield from ()

    def construction_ways(self, number):
        player = self.player[number]
        ways = ["hire"] if player.supply else []
        if player.worker_camp:
            ways += [f"build {site}" for site in free_sites(player)]
        return ways

    def do_construction(self, number, way):
        """Carry out the action, and return the free action that a first building gives."""
        player = self.player[number]
        yield from ()
        if way[0] == "hire":
            self.get_workers(number, 1)
            return None
        player.worker_camp -= 1
        player.workers.add(way[1])
        self.report("place_worker", number, way[1])
        building, self.sites[way[1]] = self.sites[way[1]], None
        if building is None:
            return None
        kind = building[:-1]
        player.buildings.append(building)
        of_kind = sum(kind == other[:-1] for other in player.buildings)
        vp = int(building[-1])
        player.score += vp
        self.report("build", number, building, of_kind, vp=vp, source="construction")
        return FREE_ACTION[kind] if of_kind == 1 else None

    # Ends of rounds, quarters and the game.

    def report_demands(self):
        """Report new demands of rounds that ended together, sorted because the row has no
        order."""
        for symbol in sorted(self.new_demands, key=SYMBOLS.index):
            self.report("reveal_demand", None, symbol)
        self.new_demands = []

    def end_round(self):
        if self.round < 4:
            self.demands.append(self.demand_stack.pop(0))
            self.new_demands.append(self.demands[-1])
            self.round += 1
            return
        self.report_demands()
        yield from self.demand_tiles()
        before = self.track_order()
        yield from self.senate_vote()
        self.report("end_quarter", None, None, self.quarter)
        if self.quarter == 4:
            self.final_scoring(before)
            return
        self.new_quarter()
        self.quarter += 1
        self.round = 1

    def demand_tiles(self):
        """Score the losses of all players, then let them pay."""
        demands = Counter(self.demands)
        for number, player in enumerate(self.player):
            rest = demands - player.demand_tiles
            missed = sum(rest.values()) - self.covered(player, rest)
            player.score -= LOSS[missed]
            player.unpaid = rest
            if missed < len(self.demands):
                self.report("meet_demands", number, None, len(self.demands) - missed)
            if missed:
                vp = -LOSS[missed]
                self.report("miss_demands", number, None, missed, vp=vp, source="demands")
        for number, player in enumerate(self.player):
            if self.options["demand_payment"] == "chosen":
                yield from self.pay_by_choice(number)
            elif self.quarter < 4:
                self.pay(number, self.payments(player)[0])
        self.demands = []

    def covered(self, player, rest):
        own = sum(min(rest[symbol], player.tiles[symbol]) for symbol in SYMBOLS)
        return min(sum(rest.values()), own + player.tiles["wild-demand"])

    def payments(self, player):
        """List all payments that cover as many demands as possible.

        Payments with the fewest wild tiles come first; among these, those with the most bread and
        then the most games come first.
        """
        rest = player.unpaid
        most = self.covered(player, rest)
        ways = []
        for paid in product(*(range(min(rest[s], player.tiles[s]) + 1) for s in SYMBOLS)):
            wilds = most - sum(paid)
            if 0 <= wilds <= player.tiles["wild-demand"]:
                ways.append(Counter(dict(zip(PAYING, (*paid, wilds), strict=True))))
        return sorted(ways, key=lambda way: (way["wild-demand"], *(-way[s] for s in SYMBOLS)))

    def pay(self, number, tiles):
        for tile in PAYING:
            self.use_tile(number, tile, tiles[tile])
        self.player[number].unpaid = Counter()

    def pay_by_choice(self, number):
        player = self.player[number]
        ways = {}
        for way in self.payments(player):
            tiles = [t for t in PAYING for _ in range(way[t])]
            ways["pay " + "+".join(tiles)] = way
        action = yield from self.choose(number, list(ways))
        self.pay(number, ways[action])

    def track_order(self):
        """Return the players in the order of discs; on one space, the upper disc comes first."""
        return [number for space in reversed(self.senate) for number in reversed(space)]

    def votes(self, player):
        tiles = sum(int(tile[-1]) * n for tile, n in player.tiles.items() if tile[:5] == "votes")
        return SENATE[player.space] + tiles

    def senate_vote(self):
        order = self.track_order()
        ranking = sorted(order, key=lambda number: -self.votes(self.player[number]))
        for number in ranking:
            self.report("count_votes", number, None, self.votes(self.player[number]))
        winner, second = ranking[:2]
        action = yield from self.choose(winner, [f"bonus {tile}" for tile in self.offer])
        chosen = action.split()[1]
        self.offer.remove(chosen)
        self.player[winner].bonus[GOLD].append(chosen)
        self.report("win_gold", winner, chosen)
        self.player[second].bonus[SILVER].append(self.offer.pop())
        self.report("win_silver", second, self.player[second].bonus[SILVER][-1])
        self.senate = [ranking[::-1]] + [[] for _ in SENATE[1:]]
        for player in self.player:
            player.space = 0

    def new_quarter(self):
        for player in self.player:
            for tile in [tile for tile in player.tiles if tile.startswith("votes")]:
                del player.tiles[tile]
        self.forum.clear()
        self.offer_bonus_tiles()
        occupied = {player.leader for player in self.player}.union(
            *(player.legions for player in self.player)
        )
        for province in PROVINCES:
            tile = self.provinces[province]
            if self.options["province_votes"] == "leave" and tile and tile.startswith("votes"):
                self.provinces[province] = None
            empty = self.provinces[province] is None and province not in occupied
            if empty and self.forum_supply:
                self.provinces[province] = self.forum_supply.pop(0)
        self.fill_forum()
        self.coloured = {"equal", "pairs", "different"}

    def final_scoring(self, before):
        for number, player in enumerate(self.player):
            self.score_leftovers(number)
            best = None
            # Payments with fewer wild tiles come first, so the first of several best payments has
            # the fewest.
            for way in self.payments(player):
                value = self.tile_score(player, player.tiles - way)
                if best is None or value > best[0]:
                    best = (value, way)
            self.pay(number, best[1])
            self.score(number, "score_symbols", best[0], "bonus_tiles")
            self.score(number, "score_goods", self.goods_score(player), "bonus_tiles")
            self.score(number, "score_figures", self.figure_score(player), "bonus_tiles")
        stack = self.track_order() if self.options["final_tie"] == "stack" else before
        order = sorted(range(self.n), key=lambda p: (-self.player[p].score, stack.index(p)))
        self.ranks = [order.index(p) + 1 for p in range(self.n)]

    def score(self, number, name, vp, source, count=0):
        """Score VP of the final scoring, if any."""
        self.player[number].score += vp
        if vp:
            self.report(name, number, None, count, vp=vp, source=source)

    def score_leftovers(self, number):
        """Score the components that are left over, and sets of buildings."""
        player = self.player[number]
        left = {
            "cards": sum(player.hand.values()),
            "workers": player.worker_camp,
            "legionnaires": player.military_camp,
            "tiles": len(player.slots) if self.options["score_slot_tiles"] else 0,
        }
        for name, count in left.items():
            self.score(number, f"score_{name}", count, "leftovers", count)
        kinds = Counter(building[:-1] for building in player.buildings)
        sets = best_sets(kinds, player.tiles["wild-building"])
        self.score(number, "score_sets", sets, "building_sets")

    def figure_score(self, player):
        """Return the VP of bonus tiles for workers, legionnaires, and tiles on their gold side."""
        score = 0
        for side, tiles in enumerate(player.bonus):
            workers, gold = len(player.workers), len(player.bonus[GOLD])
            score += ("bonus-workers" in tiles) * (workers, (workers + 1) // 2)[side]
            score += ("bonus-legions" in tiles) * (2, 1)[side] * len(player.legions)
            score += ("bonus-gold" in tiles) * (3, 2)[side] * gold
        return score

    def goods_score(self, player):
        """Return the VP of bonus tiles for goods; a wild tile counts for the most valuable one."""
        score = dearest = 0
        for side, tiles in enumerate(player.bonus):
            for tile in tiles:
                if not tile.startswith("bonus-"):
                    dearest = max(dearest, (3, 2)[side])
                    score += (3, 2)[side] * sum(player.display[good] for good in tile.split("-"))
        return score + dearest * player.tiles["wild-goods"]

    def tile_score(self, player, tiles):
        """Return the VP of bonus tiles for symbols, with the remaining forum tiles `tiles`."""
        score, missed = 0, []
        for side, bonus in enumerate(player.bonus):
            for tile in bonus:
                symbol = tile.removeprefix("bonus-")
                if symbol in SYMBOLS and tile != symbol:
                    if tiles[symbol]:
                        score += (9, 6)[side]
                    else:
                        missed.append((9, 6)[side])
        wilds = tiles["wild-demand"] if self.options["wild_demand_scores"] else 0
        return score + sum(sorted(missed, reverse=True)[:wilds])


def free_sites(player):
    own = player.workers
    near = {site for site in SITES if not own or any(adjacent(site, one) for one in own)}
    return [site for site in SITES if site in near and site not in own]


def adjacent(one, other):
    columns = abs(ord(one[0]) - ord(other[0]))
    rows = abs(int(one[1]) - int(other[1]))
    return columns + rows == 1


def best_sets(sizes, wilds):
    """Return 10 VP for three of a kind and 20 VP for four or more; a wild counts as any kind."""
    if wilds:
        return max(best_sets(sizes + Counter([kind]), wilds - 1) for kind in FREE_ACTION)
    return sum(20 if size >= 4 else 10 if size == 3 else 0 for size in sizes.values())
