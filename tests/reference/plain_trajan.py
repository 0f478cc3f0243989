"""The knowledge of Trajan in plain Python: move scores and features.

The code imports the slow reference, but does not use the code or the tables of the engine. Weights
and features have the names of weights.yaml.
"""

from collections import Counter

import slow_trajan as slow

EFFECTS = {"cards2": ("cards", 1), "points": ("points", 0), "plus2": ("plus2", 1)}
EFFECTS |= {"worker1": ("workers", 1), "worker2": ("workers", 2)}
EFFECTS |= {"legion1": ("legions", 1), "legion2": ("legions", 2)}
EFFECTS |= dict.fromkeys(slow.SYMBOLS, ("demand", 1))
BONUS_VP = dict.fromkeys((f"bonus-{symbol}" for symbol in slow.SYMBOLS), 9) | {
    "bonus-workers": 1, "bonus-legions": 2, "bonus-gold": 3,
}  # fmt: skip
FORUM_WEIGHT = {
    "wild-action": "extra_wild", "wild-goods": "wild_card", "wild-demand": "demand_wild",
    "wild-building": "wild_building",
}  # fmt: skip
NOTHING = -1000  # VP of a tray without markers


def share_left(game):
    rounds = 16 - 4 * (game.quarter - 1) - (game.round - 1)
    return (rounds - game.time / game.options["lap_length"]) / 16


def lacking(tile, markers):
    return list((Counter(tile.split("-")[1:]) - Counter(markers)).elements())


def vp_of(tile):
    return slow.TILE_VP[tile.split("-")[0]]


def counted_goods(player):
    return {good for side in player.bonus for tile in side for good in tile.split("-")}


def legionnaire_vp(game, province):
    return max(0, slow.VALUE_OF[province] - 3 * sum(province in p.legions for p in game.player))


def ships(player):
    """Return, for each kind of shipment, the largest size that is possible without wild tiles."""
    held = [count for count in player.hand.values() if count]
    twos = sum(count > 1 for count in held)
    most = {"different": min(len(held), 4), "pairs": min(twos, 3)}
    return most | {"equal": min(max(held, default=0), 4)}


def set_vp(count):
    return slow.best_sets(Counter({"stairs": count}), 0)


class Rates:
    """The move scores of a decision; `view` is what the player who decides sees."""

    def __init__(self, game, view, weights, moves):
        self.game, self.decision_view, self.weights = game, view["to_decide"], weights
        self.p = game.player[self.decision_view["player"]]
        self.left = share_left(game)
        self.counted = counted_goods(self.p)

    def __getattr__(self, name):
        return self.weights[f"moves.{name}"]

    def rate(self, action):
        word, *rest = action.split()
        return getattr(self, f"rate_{word}")(*rest)

    # Cards and ships.

    def bonus_of(self, good):
        return self.bonus_card * (good in self.counted)

    def held(self, good):
        return self.card + self.pair_card * (self.p.hand[good] > 1) + self.bonus_of(good)

    def shipped(self, kind, size):
        vp = slow.SHIP_VP[kind][0 if kind in self.game.coloured else 1][size]
        return vp - self.card * size * (2 if kind == "pairs" else 1)

    def rate_draw(self):
        return self.draw

    def rate_take(self, side):
        good = self.game.piles[side][-1]
        return self.take + self.pair_card * (self.p.hand[good] > 0) + self.bonus_of(good)

    def rate_play(self, good):
        return self.play + self.bonus_of(good)

    def rate_ship(self, kind, good=None, cards=0, wilds=0):
        if kind != "equal":
            size = ships(self.p)[kind]
            return self.shipped(kind, size) if size else 0
        dearer = (self.wild_card - self.card) * int(wilds)
        return self.shipped(kind, int(cards) + int(wilds)) - dearer

    def next_laid(self, kind, goods):
        laid = self.decision_view.get("step", 0)
        worth = self.shipped(kind, laid + 1) - self.shipped(kind, laid)
        return worth - (self.wild_card - self.card) * goods.count("wild")

    def rate_pair(self, *goods):
        return self.next_laid("pairs", goods)

    def rate_card(self, good):
        return self.next_laid("different", [good]) - self.pair_card * (self.p.hand[good] > 1)

    def rate_discard(self, good, side):
        return -self.held(good)

    def rate_goods(self, source):
        if source == "deck":
            return self.card
        good = self.game.piles[source][-1]
        return self.held(good) + self.pair_card * (self.p.hand[good] > 0)

    def rate_pass(self):
        return 0

    rate_done = rate_pass

    def rate_marker(self, colour):
        return self.card

    # Tiles.

    def tile_worth(self, tile):
        kind, factor = EFFECTS[tile.split("-")[0]]
        return vp_of(tile) + self.weights[f"moves.effect_{kind}"] * factor

    def fit(self, slot, stack):
        tile = self.game.stacks[stack][0]
        there = 2 - len(lacking(tile, self.p.trays[slot]))
        return self.tile_worth(tile) * (self.tile_fit * there + self.complete)

    def rate_tile(self, stack):
        return 1 + self.fit(self.p.arch, stack)

    def rate_start(self, stack):
        return self.fit(slow.TRAYS[2 * len(self.p.slots) + 1], stack)

    def rate_effect(self):
        return 1

    def rate_plus2(self, action):
        return self.worth(action) + self.extra_plus2 * self.p.tiles[f"extra-{action}"]

    def demand_worth(self, symbol):
        have = self.p.tiles[symbol] + self.p.demand_tiles[symbol]
        over = have - self.game.demands.count(symbol)
        name = "needed" if over < 0 else "spare" if over else "stock"
        return self.weights[f"moves.demand_{name}"]

    def owns(self, symbol):
        return any(f"bonus-{symbol}" in side for side in self.p.bonus)

    def rate_forum(self, tile):
        if tile in slow.SYMBOLS:
            new = self.owns(tile) and not self.p.tiles[tile]
            return self.demand_worth(tile) + self.symbol_bonus * new
        if tile in FORUM_WEIGHT:
            return self.weights[f"moves.{FORUM_WEIGHT[tile]}"]
        kind, _, action = tile.partition("-")
        if kind.startswith("votes"):
            return self.vote * int(kind[-1])
        marked = self.extra_plus2 * (action in self.p.plus2)
        return self.extra + marked + self.extra_share * self.worth(action)

    def rate_bonus(self, tile):
        p = self.p
        if tile in BONUS_VP:
            symbol = tile.removeprefix("bonus-")
            times = {"workers": len(p.workers), "legions": len(p.legions)}
            times["gold"] = len(p.bonus[slow.GOLD]) + 1
            return BONUS_VP[tile] * times.get(symbol, 1 if p.tiles[symbol] else self.left)
        goods = tile.split("-")
        return 3 * sum(p.display[good] + self.gold * p.hand[good] for good in goods)

    def rate_pay(self, tiles=""):
        paid = Counter(tiles.split("+"))
        worth = self.demand_wild * paid["wild-demand"]
        for symbol in slow.SYMBOLS:
            last = paid[symbol] and paid[symbol] == self.p.tiles[symbol]
            worth += self.demand_stock * paid[symbol]
            worth += self.symbol_bonus * bool(last and self.owns(symbol))
        return -worth

    def rate_extra(self, wild=""):
        free = (
            self.decision_view["free_action"] if self.decision_view.get("in_free_action") else None
        )
        action = free or self.decision_view["action"]
        twice = 1 + (action in self.p.plus2)
        return self.worth(action) * twice - (self.extra_wild - self.extra) * bool(wild)

    def rate_no(self, what):
        return self.extra_keep if what == "extra" else 0

    # Actions.

    def worth(self, action):
        """Return the value of an action, plus that of repeating it with an extra-action tile."""
        worth = getattr(self, f"worth_{action}")()
        if self.p.tiles[f"extra-{action}"]:
            worth += max(worth - self.extra_keep, 0) * (1 + (action in self.p.plus2))
        return worth

    def worth_seaport(self):
        best = (self.shipped(kind, n) for kind, n in ships(self.p).items() if n)
        return max(0, self.seaport_action, *best) + self.seaport_later * self.left

    def worth_forum(self):
        forum = self.game.forum
        best = [self.demand_worth(symbol) for symbol in slow.SYMBOLS if forum[symbol]]
        best = max(self.forum_action, *best, self.forum_action) if any(forum.values()) else 0
        return best + self.forum_later * self.left

    def worth_military(self):
        p, worth = self.p, self.military_action
        if p.leader and p.military_camp and p.leader not in p.legions:
            worth = max(worth, legionnaire_vp(self.game, p.leader) + self.deploy)
        return worth + self.military_later * self.left

    def worth_senate(self):
        if self.p.space == len(slow.SENATE) - 1:
            return 0
        return slow.SENATE[self.p.space + 1] + self.senate + self.senate_later * self.left

    def worth_trajan(self):
        return self.trajan + self.trajan_later * self.left if self.p.arch else 0

    def worth_construction(self):
        if not self.p.worker_camp:
            return self.hire + self.hire_later * self.left
        if any(self.game.sites[site] for site in slow.free_sites(self.p)):
            return self.construction_action + self.construction_later * self.left
        return self.build

    def rate_recruit(self):
        return self.recruit + self.recruit_later * self.left

    def rate_deploy(self):
        return legionnaire_vp(self.game, self.p.leader) + self.deploy

    def rate_march(self, province):
        tile = self.game.provinces[province]
        joins = 0 if province in self.p.legions else legionnaire_vp(self.game, province)
        return self.march + (self.rate_forum(tile) if tile else 0) + self.march_value * joins

    def rate_senate(self):
        return slow.SENATE[self.p.space + 1]

    def rate_hire(self):
        return self.hire + self.hire_later * self.left

    def rate_build(self, site):
        sites = self.game.sites
        near = slow.free_sites(self.p) if self.p.workers else ()
        reach = [
            one
            for one in slow.SITES
            if slow.adjacent(one, site) and sites[one] and one not in near
        ]
        worth = self.build + self.build_reach * len(reach)
        if sites[site] is None:
            return worth
        kind, vp = sites[site][:-1], int(sites[site][-1])
        owned = sum(other[:-1] == kind for other in self.p.buildings)
        worth += self.build_vp * vp + set_vp(owned + 1) - set_vp(owned)
        if owned:
            return worth + self.build_set
        return (
            worth + self.free_action + self.free_action_share * self.worth(slow.FREE_ACTION[kind])
        )

    # Sowing.

    def rate_drop(self, colour):
        p, hand = self.p, Counter(self.decision_view["markers_in_hand"])
        place = slow.TRAYS.index(self.decision_view["next_tray"])
        tray, target = slow.TRAYS[place], slow.TRAYS[(place + sum(hand.values()) - 1) % 6]
        worth = 0
        if tray in p.slots and colour in lacking(p.slots[tray], p.trays[tray]):
            worth += self.drop_fit
        is_free = target != tray and target in p.slots
        if is_free and hand[colour] == 1 and colour in lacking(p.slots[target], p.trays[target]):
            worth -= self.drop_target
        return worth

    def rate_sow(self, tray):
        """Return the value of a tray in this turn, plus a fraction of the next turn's best
        value."""
        trays = {name: len(markers) for name, markers in self.p.trays.items()}
        ready = {t for t, tile in self.p.slots.items() if not lacking(tile, self.p.trays[t])}
        passed = [slow.TRAYS[(slow.TRAYS.index(tray) + i) % 6] for i in range(1, trays[tray] + 1)]
        after = trays | {tray: 0}
        for one in passed:
            after[one] += 1
        later = ready | (self.completed_from(tray) & set(passed))
        shut = {tray, passed[-1]}
        best = max(self.tray_rate(one, after[one], later, shut) for one in slow.TRAYS)
        return self.tray_rate(tray, trays[tray], ready, set()) + self.next * best

    def completed_from(self, tray):
        """Return the slots whose tile lacks exactly one marker, if the tray contains its
        colour."""
        trays = self.p.trays
        lacks = {slot: lacking(tile, trays[slot]) for slot, tile in self.p.slots.items()}
        return {slot for slot, lack in lacks.items() if len(lack) == 1 and lack[0] in trays[tray]}

    def tray_rate(self, tray, markers, ready, shut):
        if not markers:
            return NOTHING
        target = slow.TRAYS[(slow.TRAYS.index(tray) + markers) % 6]
        worth = self.worth(slow.ACTION_OF[target]) - self.spread * markers
        if target in ((ready - {tray}) | self.completed_from(tray)) - shut:
            worth += self.tile_worth(self.p.slots[target]) * self.complete
        return worth


def features(game, number, on_turn):
    p = game.player[number]
    counted = counted_goods(p)
    left = p.tiles - (Counter(game.demands) - p.demand_tiles)
    uncovered = (Counter(game.demands) - p.demand_tiles) - p.tiles
    spare = Counter({symbol: left[symbol] for symbol in slow.SYMBOLS})
    wilds = Counter({"wild-demand": p.tiles["wild-demand"]})
    lacks = {slot: len(lacking(tile, p.trays[slot])) for slot, tile in p.slots.items()}
    kinds = Counter(building[:-1] for building in p.buildings)
    ranking = sorted(game.track_order() or [number], key=lambda one: -game.votes(game.player[one]))
    vp = lambda kind, size: slow.SHIP_VP[kind][0 if kind in game.coloured else 1][size]  # noqa: E731
    values = {
        "one": 1,
        "to_move": number == on_turn,
        "cards": sum(p.hand.values()),
        "pairs": sum(count > 1 for count in p.hand.values()),
        "bonus_cards": sum(p.hand[good] for good in counted),
        "wild_goods": p.tiles["wild-goods"],
        "shipment": max(vp(kind, size) for kind, size in ships(p).items()),
        "display": game.goods_score(p),
        "workers": p.worker_camp,
        "workers_on": len(p.workers),
        "legionnaires": p.military_camp,
        "legions_on": len(p.legions),
        "supply": p.supply,
        "leader_out": p.leader is not None,
        "deploy": legionnaire_vp(game, p.leader) if p.leader and p.leader not in p.legions else 0,
        "sets": slow.best_sets(kinds, p.tiles["wild-building"]),
        "kinds": len(kinds),
        "twos": sum(count == 2 for count in kinds.values()),
        "wild_buildings": p.tiles["wild-building"],
        "demand_tiles": sum(p.tiles[symbol] for symbol in slow.SYMBOLS),
        "symbols": sum(p.tiles[symbol] + p.demand_tiles[symbol] > 0 for symbol in slow.SYMBOLS),
        "kept_demands": sum(p.demand_tiles.values()),
        "wild_demands": p.tiles["wild-demand"],
        "loss": slow.LOSS[max(sum(uncovered.values()) - p.tiles["wild-demand"], 0)],
        "spare": sum(spare.values()),
        "votes": game.votes(p) - slow.SENATE[p.space],
        "space": p.space,
        "first": ranking.index(number) == 0,
        "second": ranking.index(number) == 1,
        "next_senate": (*slow.SENATE, 0)[p.space + 1],
        "extras": sum(p.tiles[f"extra-{action}"] for action in slow.ACTIONS),
        "wild_actions": p.tiles["wild-action"],
        "double_extras": sum(p.tiles[f"extra-{action}"] for action in p.plus2),
        "plus2": len(p.plus2),
        "centre": p.arch is None,
        "filled": sum(bool(markers) for markers in p.trays.values()),
        "gold": len(p.bonus[slow.GOLD]),
        "silver": len(p.bonus[1 - slow.GOLD]),
        "symbol_bonus": game.tile_score(p, spare + wilds),
        "figure_bonus": game.figure_score(p),
    }
    for short, name in enumerate(("ready", "one_short", "two_short")):
        slots = [slot for slot, lack in lacks.items() if lack == short]
        values |= {name: len(slots), f"{name}_vp": sum(vp_of(p.slots[slot]) for slot in slots)}
    return values


def evaluation(game, view, weights):
    """Return each player's VP so far plus the weighted features, or None between turns."""
    decision_view = view["to_decide"]
    if not game.senate or decision_view["decision"] in ("payment", "bonus"):
        return None
    left, group = share_left(game), f"evaluation_{game.n}."
    return [
        player.score + sum(
            value * (weights[f"{group}{name}.now"] + left * weights[f"{group}{name}.left"])
            for name, value in features(game, number, decision_view["turn_of"]).items()
        )
        for number, player in enumerate(game.player)
    ]  # fmt: skip
