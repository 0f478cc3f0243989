"""A slow reference implementation of Forum Trajanum, independent of the engine.

A game is a generator that yields decisions and receives actions. What a Colonia tile brings
follows from its name, so any component set can be played. Numbers such as A12.37 refer to
docs/rules.md.
"""

from collections import Counter
from itertools import combinations, repeat

from slow_game import SlowGame

COLOURS = ("blue", "green", "red", "yellow")
CLASSES = ("patrician", "merchant", "craftsman")
GREY_OF = {"blue": "library", "red": "basilica", "yellow": "market", "green": "column"}  # B4
STRUCTURE_OF = {"blue": "fountain", "red": "house", "yellow": "stable", "green": "park"}
COLOUR_OF = {name: colour for colour, name in (*STRUCTURE_OF.items(), *GREY_OF.items())}
GREYS = tuple(GREY_OF.values())
TRACKS = ("library", "basilica", "market")
STORED = ("builder", *COLOURS, "assistant", "coin", "tribune")
PAID = ("builder", *COLOURS, "assistant")  # resources in the order of a payment
SWAPPED = ("coin", "assistant", "tribune")
SINGLES, DOUBLES = 14, 12  # tiles of each colour, counting both sides together

# B1. Cells are (row, column), from 0.
CORNERS = ((0, 0), (0, 5), (5, 0), (5, 5))
TEMPLES = ((1, 2), (2, 4), (3, 1), (4, 3))
GRID = tuple((row, column) for row in range(6) for column in range(6))
PLAIN = tuple(cell for cell in GRID if cell not in CORNERS + TEMPLES)
STREETS = {
    "A": ("b1 b2 b3 b4 b5 b6", "w1 w2 w3 w4 w5 w6"),
    "B1": ("b3 b6 b1 b5 b2 b4", "w5 w2 w6 w1 w4 w3"),
    "B2": ("b5 b1 b4 b2 b6 b3", "w2 w6 w3 w5 w1 w4"),
    "B3": ("b2 b4 b6 b3 b1 b5", "w4 w1 w5 w3 w6 w2"),
    "B4": ("b6 b3 b5 b1 b4 b2", "w6 w4 w1 w2 w3 w5"),
}

# B5
FACES = {
    (1, "a"): "GGG/YEB/YRB/YRR", (1, "b"): "YBB/YBG/YEG/RRG",
    (2, "a"): "GYR/GYR/GER/BBB", (2, "b"): "YGG/YER/YBR/BBR",
    (3, "a"): "GGG/YER/YBR/YBR", (3, "b"): "YRG/YRG/YEG/BBB",
    (4, "a"): "YYB/EBB/GRR/GGR", (4, "b"): "RRB/RBB/YYE/YGG",
    (5, "a"): "RRG/YRG/YEG/YBB", (5, "b"): "GRR/GEB/GYB/YYB",
}  # fmt: skip
SLOTS = {
    2: ((0, 0), (0, 3), (0, 6)),
    3: ((0, 0), (0, 3), (4, 0), (4, 3)),
    4: ((0, 0), (0, 3), (0, 6), (4, 0), (4, 3)),
}
MOSAIC_COLOUR = {"B": "blue", "G": "green", "R": "red", "Y": "yellow", "E": "eagle"}

# B8: the prestige row. BUST contains the bust's VP at each step, on the base side and flipped.
LAST_STEP = 6
CYPRESSES = (2, 4, 6)
VP_OF_COLUMN = {
    "P1": lambda column: column,
    "P2": lambda column: max(0, column - 2),
    "P3": lambda column: column,
}
BUST = {
    "P1": ((3, 3, 5, 5, 7, 7, 7), (5, 5, 7, 7, 7, 7, 7)),
    "P2": ((3, 3, 5, 5, 7, 7, 7), (3, 3, 5, 5, 7, 7, 7)),
    "P3": ((3, 5, 7, 7, 7, 7, 7), (3, 5, 7, 7, 7, 7, 7)),
}


def name_of(cell):
    """Return the name of a Colonia cell: column, then row."""
    return "ABCDEF"[cell[1]] + str(cell[0] + 1)


def cell_of(name):
    return int(name[1]) - 1, "ABCDEF".index(name[0])


def mosaic_name(cell):
    return f"m{cell[0] + 1}.{cell[1] + 1}"


def beside(cell):
    row, column = cell
    return [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)]


def diagonal(cell):
    row, column = cell
    return [(row + down, column + right) for down in (-1, 1) for right in (-1, 1)]


def groups(cells):
    left, result = set(cells), []
    while left:
        group, border = set(), [left.pop()]
        while border:
            cell = border.pop()
            group.add(cell)
            near = [one for one in beside(cell) if one in left]
            left -= set(near)
            border += near
        result.append(group)
    return result


class Player:
    def __init__(self, board):
        rows, columns = (symbols.split() for symbols in STREETS[board])
        self.street = {symbol: [(row, c) for c in range(6)] for row, symbol in enumerate(rows)}
        self.street |= {symbol: [(r, col) for r in range(6)] for col, symbol in enumerate(columns)}
        self.resources = Counter()
        self.tiles = {}  # by cell
        self.cranes, self.crane_state = {}, {}  # by corner
        self.citizens = {row: [] for row in range(1, 7)}
        self.active = dict.fromkeys(range(1, 7), False)
        self.built = {}  # building by cell
        self.laid = []  # building tiles: tuples of one or two cells
        self.reserve = []
        self.ship = 0
        self.envoys = set()
        self.step, self.flipped = 0, False
        self.track = dict.fromkeys(TRACKS, 0)
        self.done = set()  # tracks whose marker lies at Trajan's Column
        self.score = 0
        self.kept = self.received = None
        self.picked = False

    def active_citizens(self):
        return sum(len(self.citizens[row]) for row in self.citizens if self.active[row])

    def active_by_class(self):
        count = dict.fromkeys(CLASSES, 0)
        for row, tiles in self.citizens.items():
            if self.active[row]:
                count[CLASSES[(row - 1) // 2]] += len(tiles)
        return list(count.values())


def is_citizen(tile):
    return tile.split("-")[0] in CLASSES


def rows_of(kind):
    first = 2 * CLASSES.index(kind) + 1
    return first, first + 1


class Game(SlowGame):
    """A game. `decision` is (player, sorted actions), or None when the game is over."""

    def __init__(self, players, options, setup):
        self.n = players
        self.options = options
        self.setup = setup
        self.player = [Player(board) for board in setup["boards"]]
        self.round = 0
        self.ranks = None
        self.stock = {colour: [SINGLES, DOUBLES] for colour in COLOURS}
        self.ways_to_pay = {}
        self.lay_mosaic()
        self.begin()

    def lay_mosaic(self):
        self.mosaic = {}
        slots = SLOTS[self.n]
        for (top, left), (board, side, turns) in zip(slots, self.setup["mosaic"], strict=True):
            face = FACES[board, side].split("/")
            if turns == 2:
                face = [line[::-1] for line in reversed(face)]
            for row, line in enumerate(face):
                for column, letter in enumerate(line):
                    self.mosaic[top + row, left + column] = MOSAIC_COLOUR[letter]
        self.areas = [
            area
            for colour in COLOURS
            for area in groups(cell for cell, here in self.mosaic.items() if here == colour)
        ]
        self.eagles = {cell for cell, here in self.mosaic.items() if here == "eagle"}

    # The course of a game.

    def whole_game(self):
        for number in range(self.n):
            yield from self.set_up(number)
        for number, worker in enumerate(self.setup["start_workers"]):
            self.report("gain", number, worker, 1)  # workers become visible now
        for number in sorted(self.options["novices"]):
            yield from self.novice(number)
        for phase in range(3):
            for _ in range(4):
                first = self.first_player()
                order = [(first + seat) % self.n for seat in range(self.n)]
                self.report("begin_round", None, None, self.round + 1)
                yield from self.step_one(phase, order)
                for number in order:
                    yield from self.step_two(phase, number)
                self.round += 1
            yield from self.wages()
            self.report("end_phase", None, None, phase + 1)
            for number in range(self.n):
                self.score(phase, number)
        self.rank()

    def first_player(self):
        twice = self.options["phase_handover"] == "twice"
        return -(self.round + (self.round // 4 if twice else 0)) % self.n

    def rank(self):
        def strength(player):
            resources = sum(player.resources[name] for name in STORED)
            return player.score, player.active_citizens(), resources

        self.ranks = [
            1 + sum(strength(other) > strength(player) for other in self.player)
            for player in self.player
        ]

    # The setup.

    def set_up(self, number):
        player = self.player[number]
        left = list(COLOURS)
        for corner in CORNERS:
            action = yield from self.choose(number, [f"crane {colour}" for colour in left])
            colour = action.split()[1]
            left.remove(colour)
            player.cranes[corner], player.crane_state[corner] = colour, "covered"
            self.report("place_crane", number, colour, CORNERS.index(corner) + 1)
        player.resources.update(["tribune", "builder", "assistant", "coin"])
        player.resources[self.setup["start_workers"][number]] += 1
        start = self.setup["start_citizens"][number]
        yield from self.seat(number, f"{start}-f", bonus=False)
        first, second = sorted(set(CLASSES) - {start})
        action = yield from self.choose(number, [f"corner {name_of(one)}" for one in CORNERS])
        corner = cell_of(action.split()[1])
        self.report("place_females", number, name_of(corner))
        player.tiles[corner] = f"{first}-f"
        player.tiles[5 - corner[0], 5 - corner[1]] = f"{second}-f"
        tiles = list(self.setup["tiles"][number])
        for cell in (*PLAIN, *(one for one in CORNERS if one not in player.tiles)):
            player.tiles[cell] = tiles.pop(0)
        player.ship = 1

    def novice(self, number):
        player = self.player[number]
        self.receive(number, "coin")
        females = [cell for cell in CORNERS if player.tiles[cell].endswith("-f")]
        action = yield from self.choose(number, [f"use {name_of(cell)}" for cell in females])
        tile = self.take_tile(number, cell_of(action.split()[1]))
        yield from self.use_tile(number, tile)

    # Resources.

    def receive(self, number, resource, count=1):
        self.player[number].resources[resource] += count
        self.report("gain", number, resource, count)

    def receive_all(self, number, resources):
        for name in STORED:
            if resources[name]:
                self.receive(number, name, resources[name])

    def spend(self, number, resource, count=1):
        self.player[number].resources[resource] -= count
        self.report("spend", number, resource, count)

    # Step 1.

    def take_tile(self, number, cell, to=None):
        player = self.player[number]
        self.report("take_tile", number, name_of(cell), to=to)
        if cell in CORNERS:
            player.crane_state[cell] = "open"
            self.report("open_crane", number, name_of(cell), to=to)
        return player.tiles.pop(cell)

    def step_one(self, phase, order):
        turned = 2 * (self.round % 4)
        cards = self.setup["street_decks"][phase][turned : turned + 2]
        passed, later = {}, []
        for number in order:
            tiles, unseen = yield from self.take_tiles(number, cards)
            later += unseen
            player = self.player[number]
            player.kept, player.picked = None, False
            if len(tiles) == 2:
                action = yield from self.choose(number, ["keep 1", "keep 2"])
                player.kept = tiles.pop(int(action.split()[1]))
                (passed[number],) = tiles.values()
            elif tiles:
                (player.kept,) = tiles.values()
            if player.kept is not None:
                self.report("keep", number, player.kept, to=(None, number))
            if number in passed:
                self.report("pass_on", number, passed[number], to=(None, number))
        for number in order:
            self.show_step_one(number, order, later, passed)
        for number in order:
            player = self.player[number]
            player.received = passed.get((number + 1) % self.n)
            if player.received is None:
                lying = [f"reserve {tile}" for tile in player.reserve]
                action = yield from self.choose(number, [*lying, "no reserve"])
                if action != "no reserve":
                    player.received, player.picked = action.split()[1], True
                    player.reserve.remove(player.received)
                    self.report("pick", number, player.received)

    def show_step_one(self, number, order, later, passed):
        """After everybody has passed, show a player's choices in step 1 to the other players."""
        others = [other for other in range(self.n) if other != number]
        own = [event for who, *event in later if who == number]
        paid = own.count(["spend", "tribune"])
        if paid:
            self.report("spend", number, "tribune", paid, to=others)
        for _ in range(own.count(["skip_card", None])):
            self.report("skip_card", number, to=others)
        for cell in sorted(cell_of(thing) for name, thing in own if name == "take_tile"):
            self.report("take_tile", number, name_of(cell), to=others)
            if cell in CORNERS:
                self.report("open_crane", number, name_of(cell), to=others)
        if number in passed:
            receiver = (number - 1) % self.n
            self.report("pass_on", number, passed[number], to=others, insiders=(receiver,))

    def take_tiles(self, number, cards):
        """Return the taken tiles by card, and the events that other players see later."""
        player, tiles, unseen = self.player[number], {}, []
        to = (None, number) if self.options["step_one"] == "hidden" else None
        waiting = [1, 2]
        while waiting:
            offered = waiting[:1] if cards[0] == cards[1] else waiting
            ways = []
            for card in offered:
                street = player.street[cards[card - 1]]
                inside = [cell for cell in street if cell in player.tiles]
                ways += [f"take {card} {name_of(cell)}" for cell in inside]
                ways += [] if inside else [f"skip {card}"]
                if player.resources["tribune"]:
                    outside = [cell for cell in player.tiles if cell not in street]
                    ways += [f"take {card} {name_of(cell)} tribune" for cell in outside]
            words = (yield from self.choose(number, ways)).split()
            card = int(words[1])
            waiting.remove(card)
            if words[0] == "skip":
                self.report("skip_card", number, to=to)
                unseen.append((number, "skip_card", None))
                continue
            if words[-1] == "tribune":
                player.resources["tribune"] -= 1
                self.report("spend", number, "tribune", 1, to=to)
                unseen.append((number, "spend", "tribune"))
            tiles[card] = self.take_tile(number, cell_of(words[2]), to)
            unseen.append((number, "take_tile", words[2]))
        return tiles, unseen if to else []

    # Using tiles.

    def step_two(self, phase, number):
        self.phase = phase
        self.limits = {"swap": 1, "train": 2, "promote": 1}
        player = self.player[number]
        hand = {"own": player.kept, "received": player.received}
        hand = {source: tile for source, tile in hand.items() if tile is not None}
        for source, tile in hand.items():
            self.report(f"show_{source}", number, tile)
        ways = [f"use {source}" for source in hand]
        if len(hand) == 2 and player.resources["tribune"] >= 2:
            ways += ["use both own", "use both received"]
        if hand:
            words = (yield from self.choose(number, ways)).split()
            order = [words[-1]]
            if "both" in words:
                self.spend(number, "tribune", 2)
                order += [source for source in hand if source != words[-1]]
            for source in order:
                tile = hand.pop(source)
                yield from self.use_tile(number, tile)
                if not is_citizen(tile) and not (source == "received" and player.picked):
                    self.put_away(number, source, tile)
            for source, tile in hand.items():
                self.put_away(number, source, tile)
        player.kept = player.received = None
        yield from self.building_action(number)

    def put_away(self, number, source, tile):
        if source == "own":
            self.board(number)
        else:
            self.player[number].reserve.append(tile)
            self.report("reserve", number, tile)

    def board(self, number):
        self.player[number].ship += 1
        self.report("board", number)

    def use_tile(self, number, tile):
        self.report("use", number, tile)
        if is_citizen(tile):
            yield from self.seat(number, tile)
            return
        icons = tile.split("+")
        self.receive_all(number, Counter(icons))
        for _ in range(icons.count("upgrade")):
            yield from self.upgrade(number)

    def use_own_tile(self, number):
        """Carry out the fourth reward that library and market bring."""
        player = self.player[number]
        if player.tiles:
            ways = [f"use {name_of(cell)}" for cell in player.tiles]
            action = yield from self.choose(number, ways)
            tile = self.take_tile(number, cell_of(action.split()[1]))
            yield from self.use_tile(number, tile)
            if not is_citizen(tile):
                self.board(number)

    def upgrade(self, number):
        player = self.player[number]
        step = min(player.step + 1, LAST_STEP)
        cypress = next((one for one in CYPRESSES if one > player.step), step)
        if player.active[3] and cypress > step:
            action = yield from self.choose(number, ["step", "cypress"])
            step = cypress if action == "cypress" else step
        if step > player.step:
            player.step = step
            self.report("upgrade", number, None, step)

    # Citizens and conversions.

    def seat(self, number, tile, *, bonus=True):
        player = self.player[number]
        rows = [row for row in rows_of(tile.split("-")[0]) if len(player.citizens[row]) < 2]
        action = yield from self.choose(number, [f"seat {row}" for row in rows])
        row = int(action.split()[1])
        player.citizens[row].append(tile)
        player.active[row] = True
        self.report("seat", number, str(row))
        if row == 3:
            player.flipped = True
        if bonus and len(player.citizens[row]) == 2:
            yield from self.second_citizen(number, row)

    def second_citizen(self, number, row):
        if row == 1:
            yield from self.envoy(number, self.free_coloured())
        elif row == 2:
            yield from self.area_bonus(number, 1)
        elif row == 6:
            self.receive(number, "builder")
        else:
            gains = {3: ["coin", "tribune"], 4: ["coin", "assistant"], 5: COLOURS}[row]
            yield from self.gain(number, gains)

    def gain(self, number, resources):
        action = yield from self.choose(number, [f"gain {name}" for name in resources])
        self.receive(number, action.split()[1])

    # Building and its rewards.

    def free(self):
        occupied = set().union(*(player.envoys for player in self.player))
        return {cell for cell in self.mosaic if cell not in occupied}

    def free_coloured(self):
        return self.free() - self.eagles

    def cells_for(self, player, colour):
        """Return the cells to which a structure of a colour may send an envoy."""
        free = {cell for cell in self.free() if self.mosaic[cell] == colour}
        started = [area for area in self.areas if area & free and area - self.free()]
        continued = free & set().union(*started) if started else set()
        return continued if continued and not player.active[1] else free

    def envoy(self, number, cells):
        player = self.player[number]
        if not player.ship or not cells:
            return
        ways = [f"envoy {mosaic_name(cell)}" for cell in cells]
        action = yield from self.choose(number, [*ways, "no envoy"])
        if action == "no envoy":
            return
        cell = next(one for one in cells if action == f"envoy {mosaic_name(one)}")
        player.ship -= 1
        player.envoys.add(cell)
        self.report("send_envoy", number, mosaic_name(cell))
        if any(cell in area and not area & self.free() for area in self.areas):
            self.report("complete_area", number)
            yield from self.area_bonus(number, 2 if player.active[2] else 1)

    def area_bonus(self, number, count):
        player = self.player[number]
        left = ["tribune", "assistant", "coin", "upgrade", "vp"]
        for _ in range(count):
            action = yield from self.choose(number, [f"bonus {bonus}" for bonus in left])
            bonus = action.split()[1]
            left.remove(bonus)
            if bonus == "vp":
                player.score += 2
                self.report("bonus", number, bonus, vp=2, source="area_bonuses")
                continue
            self.report("bonus", number, bonus)
            if bonus == "upgrade":
                yield from self.upgrade(number)
            else:
                self.receive(number, bonus)

    def building_action(self, number):
        while True:
            ways = [*self.conversions(number), *self.builds(number), "no build"]
            words = (yield from self.choose(number, ways)).split()
            if words[0] == "no":
                return
            if words[0] == "build":
                yield from self.build(number, words[1].split("+"), list(map(cell_of, words[2:])))
                return
            self.convert(number, words)

    def conversions(self, number):
        player = self.player[number]
        ways = []
        if player.active[4] and self.limits["swap"]:
            ways += [f"swap {one} {other}" for one in SWAPPED for other in SWAPPED
                     if one != other and player.resources[one]]  # fmt: skip
        if player.active[5] and self.limits["train"] and player.resources["assistant"]:
            ways += [f"train {colour}" for colour in COLOURS]
        if player.active[6] and self.limits["promote"] and player.resources["assistant"]:
            ways.append("promote")
        if self.options["worker_swap"] == "free":
            ways += [f"exchange {colour}" for colour in COLOURS if player.resources[colour] > 1]
        return ways

    def convert(self, number, words):
        if words[0] == "exchange":
            self.spend(number, words[1], 2)
            self.receive(number, "builder")
            return
        self.limits[words[0]] -= 1
        self.spend(number, words[1] if words[0] == "swap" else "assistant")
        gained = {"swap": words[-1], "train": words[-1], "promote": "builder"}[words[0]]
        self.receive(number, gained)

    def builds(self, number):
        player = self.player[number]
        legal = [cell for cell in PLAIN if cell not in player.tiles and cell not in player.built]
        pairs = [(one, other) for one in legal for other in beside(one) if other in legal]
        ways = []
        for colour in COLOURS:
            grey, structure = GREY_OF[colour], STRUCTURE_OF[colour]
            singles, doubles = self.stock[colour]
            if singles:
                for building in (grey, structure):
                    if self.payments(player, [building]):
                        ways += [f"build {building} {name_of(cell)}" for cell in legal]
            if doubles and self.payments(player, [grey, structure]):
                ways += [f"build {grey}+{structure} {name_of(one)} {name_of(other)}"
                         for one, other in pairs]  # fmt: skip
            if doubles and self.payments(player, [structure, structure]):
                ways += [f"build {structure}+{structure} {name_of(one)} {name_of(other)}"
                         for one, other in pairs if one < other]  # fmt: skip
        return ways

    def payments(self, player, buildings):
        """Return a tile's affordable payments: multisets, none of which contains another
        (A12.37)."""
        if tuple(buildings) not in self.ways_to_pay:
            ways = [Counter()]
            for building in buildings:
                ways = [way + part for way in ways for part in self.prices(building)]
            ways = [way for way in ways if not any(other < way for other in ways)]
            self.ways_to_pay[tuple(buildings)] = ways
        return [
            way
            for way in self.ways_to_pay[tuple(buildings)]
            if all(player.resources[name] >= count for name, count in way.items())
        ]

    def prices(self, building):
        if building in GREYS:
            prices = [Counter(["builder"]), *(Counter([colour] * 2) for colour in COLOURS)]
            if self.options["recolour_in_swap"]:
                prices += [Counter([*two, "assistant"]) for two in combinations(COLOURS, 2)]
            return prices
        own = COLOUR_OF[building]
        return [Counter([own]),
                *(Counter([other, "assistant"]) for other in COLOURS if other != own)]  # fmt: skip

    def build(self, number, buildings, cells):
        player = self.player[number]
        ways = {"pay " + "+".join(name for name in PAID for _ in range(way[name])): way
                for way in self.payments(player, buildings)}  # fmt: skip
        action = yield from self.choose(number, list(ways))
        for name in PAID:
            if ways[action][name]:
                self.spend(number, name, ways[action][name])
        if self.options["limited_tiles"]:
            self.stock[COLOUR_OF[buildings[0]]][len(cells) - 1] -= 1
        player.laid.append(tuple(cells))
        player.built |= dict(zip(cells, buildings, strict=True))
        for cell, building in zip(cells, buildings, strict=True):
            self.report("build", number, f"{building} {name_of(cell)}")
        for building in buildings:
            yield from self.reward(number, building)

    def reward(self, number, building):
        player = self.player[number]
        if building not in GREYS:
            yield from self.envoy(number, self.cells_for(player, COLOUR_OF[building]))
        elif building == "column":
            self.column(number)
        elif player.track[building] < 4:
            player.track[building] += 1
            step = player.track[building]
            self.report("advance", number, building, step)
            steps = [step - 1, step] if step > 1 else [1]
            action = yield from self.choose(number, [f"reward {building} {one}" for one in steps])
            yield from self.step_reward(number, building, int(action.split()[2]))
            if step == 4:
                player.done.add(building)
                self.column(number)

    def column(self, number):
        vp = 3 - self.phase + self.player[number].active_citizens()
        self.player[number].score += vp
        self.report("score_column", number, vp=vp, source="columns")

    def step_reward(self, number, track, step):
        player = self.player[number]
        gains = {
            ("library", 1): ["tribune"], ("library", 2): ["builder"],
            ("basilica", 1): ["assistant"] * 2, ("basilica", 2): ["tribune"] * 2,
            ("market", 1): ["coin"],
        }  # fmt: skip
        self.report("reward", number, f"{track} {step}")
        self.receive_all(number, Counter(gains.get((track, step), [])))
        if (track, step) == ("library", 1):
            yield from self.gain(number, COLOURS)
        elif (track, step) == ("library", 3):
            yield from self.envoy(number, self.free() & self.eagles)
        elif (track, step) == ("basilica", 3):
            yield from self.upgrade(number)
        elif (track, step) == ("basilica", 4):
            yield from self.building_action(number)
        elif (track, step) == ("market", 2):
            yield from self.area_bonus(number, 2 if player.active[2] else 1)
        elif (track, step) == ("market", 3):
            yield from self.envoy(number, self.free_coloured())
        elif step == 4:
            yield from self.use_own_tile(number)

    # The end of a phase and of the game.

    def wages(self):
        first = self.first_player()
        if self.options["phase_handover"] == "twice":  # between the two hand-overs
            first = (first + 1) % self.n
        for seat in range(self.n):
            yield from self.pay_wages((first + seat) % self.n)

    def pay_wages(self, number):
        player = self.player[number]
        together = set()
        if self.options["reactivation"] == "class":
            for kind in CLASSES:
                upper, lower = rows_of(kind)
                seated = player.citizens[upper] and player.citizens[lower]
                if seated and not player.active[upper] and not player.active[lower]:
                    together.add(upper)
        for row in range(1, 7):
            if not player.citizens[row] or row - 1 in together:
                continue
            ways = [f"no wage {row}"]
            ways += [f"wage {row}"] if player.resources["coin"] else []
            action = yield from self.choose(number, ways)
            paid = not action.startswith("no")
            if paid:
                self.spend(number, "coin")
            for one in (row, row + 1) if row in together else (row,):
                player.active[one] = paid
                self.report("pay_wage" if paid else "miss_wage", number, str(one))

    def score(self, phase, number):
        player, cranes, colonia = self.player[number], 0, 0
        for corner, colour in player.cranes.items():
            if player.crane_state[corner] == "open":
                structures = list(player.built.values()).count(STRUCTURE_OF[colour])
                cranes += (3 - phase) * structures
                player.crane_state[corner] = "used"
        for row in range(6):
            greys = {player.built.get((row, column)) for column in range(6)} & set(GREYS)
            citizens = len(player.citizens[row + 1]) if player.active[row + 1] else 0
            colonia += len(greys) * (1 + citizens)
        self.earn(number, "cranes", cranes)
        self.earn(number, "colonia", colonia)
        self.earn(number, "eagles", self.eagle_score(player))
        largest = max(map(len, groups(player.envoys)), default=0)
        self.earn(number, "area", self.area_score(player), largest)
        cards = self.setup["trajan_cards"]
        if len(cards) == 3 or phase == 2:
            self.score_card(number, cards[phase] if len(cards) == 3 else cards[0])

    def earn(self, number, source, vp, count=0):
        self.player[number].score += vp
        if vp:
            self.report(f"score_{source}", number, None, count, vp=vp, source=source)

    def score_card(self, number, card):
        player = self.player[number]
        copies = self.building_copies(player, card) + collecting_copies(player, card)
        vp = copies * BUST[self.options["prestige"]][player.flipped][player.step]
        player.score += vp
        if copies:
            self.report("fulfil_card", number, None, copies, vp=vp, source="trajan_cards")
        else:
            self.report("miss_card", number)

    def eagle_score(self, player):
        total = 0
        for cell in player.envoys:
            if cell in self.eagles:
                total += 2
                continue
            near = [sum(one in self.eagles for one in beside(cell))]
            if player.active[1]:
                near.append(sum(one in self.eagles for one in diagonal(cell)))
            total += sum(min(count, 1) if self.options["eagle_once"] else count for count in near)
        return total

    def area_score(self, player):
        size = max(map(len, groups(player.envoys)), default=0)
        if size == 0:
            return 0
        column = min(size, 10)
        if player.flipped:  # labels 1, 2-3, 4-5, 6-7, 8-9, 10+
            column = 2 * (min(size, 10) // 2) + 1 if size > 1 else 1
        return VP_OF_COLUMN[self.options["prestige"]](column + player.step)

    # Trajan cards.

    def building_copies(self, player, card):
        tile_of = {cell: tile for tile in player.laid for cell in tile}
        by_tile = self.options["task_match"] == "tiles"
        if card == 31:
            counts = Counter()
            for cells in player.laid:
                names = [player.built[cell] for cell in cells]
                counts.update(set(names) if by_tile else names)
            return min(counts[name] for name in STRUCTURE_OF.values())
        matches = {
            frozenset(tile_of[cell] if by_tile else cell for cell in match)
            for match in matches_of(player, card)
        }
        return most_disjoint(list(matches))


def most_disjoint(matches):
    """Return the largest number of disjoint matches, by trying all sets."""
    if not matches:
        return 0
    first, rest = matches[0], matches[1:]
    near = [match for match in rest if match & first]
    with_first = 1 + most_disjoint([match for match in rest if not match & first])
    return max(with_first, most_disjoint(rest)) if near else with_first


PATTERNS = {  # direction, and the kinds of the buildings in a row: G grey, K coloured
    25: ("across", "GKG"), 27: ("down", "GG"), 30: ("down", "KGK"), 32: ("down", "GKG"),
    33: ("down", "KGGK"), 34: ("down", "KKK"), 36: ("down", "GGG"),
}  # fmt: skip
ALL_DIFFERENT = (27, 34, 36)


def runs_of(card):
    """Return every place for a card's pattern: its cells, and the kind of building on each
    cell."""
    if card == 26:
        return [([(row - 1, column), (row + 1, column)], "**") for row, column in TEMPLES]
    if card == 28:
        return [([cell for cell in beside(one) if cell in GRID], "**") for one in CORNERS]
    if card == 29:
        return [([(r, c), (r, c + 1), (r + 1, c), (r + 1, c + 1)], "****") for r, c in GRID]
    if card == 35:
        return [(diagonal(temple), "KKKK") for temple in TEMPLES]
    direction, pattern = PATTERNS[card]
    down, right = (1, 0) if direction == "down" else (0, 1)
    steps = range(len(pattern))
    return [([(row + down * i, column + right * i) for i in steps], pattern)
            for row, column in GRID]  # fmt: skip


def stands(player, cell, letter):
    """Return whether a cell has a building of a kind: G grey, K a coloured structure, * any."""
    building = player.built.get(cell)
    return building is not None and letter in ("*", "G" if building in GREYS else "K")


def matches_of(player, card):
    """Return every place where the pattern of a card has been built, as a list of cells."""
    runs = [cells for cells, pattern in runs_of(card)
            if all(map(stands, repeat(player), cells, pattern))]  # fmt: skip
    if card in ALL_DIFFERENT:
        return [run for run in runs if len({player.built[cell] for cell in run}) == len(run)]
    return runs


def pairs_of_different(counts):
    return min(sum(counts) // 2, sum(counts) - max(counts))


def collecting_copies(player, card):
    have = player.resources
    workers = [have[colour] for colour in COLOURS]
    citizens = player.active_by_class()
    columns = list(player.built.values()).count("column")
    used = list(player.crane_state.values()).count("used")
    return {
        25: lambda: min(have["tribune"], have["coin"]),
        26: lambda: min(pairs_of_different(citizens), player.ship),
        27: lambda: min(have["assistant"] // 2, have["coin"]),
        28: lambda: min(have["builder"], sum(workers), have["assistant"]),
        29: lambda: min(have["assistant"], have["coin"] // 2),
        30: lambda: min(have["tribune"], have["builder"], have["assistant"]),
        31: lambda: min(sum(workers), columns // 2),
        32: lambda: min(used // 2, pairs_of_different(citizens)),
        33: lambda: min(citizens),
        34: lambda: min(columns, have["tribune"], have["builder"]),
        35: lambda: min(used // 2, pairs_of_different(workers)),
        36: lambda: min(len(player.done), have["assistant"], have["coin"]),
    }[card]()
