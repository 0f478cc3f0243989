"""Read and check position files, which have the schema of `views.view`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trajan_ai.core.errors import Problem, TrajanError
from trajan_ai.games.kit.fields import list_members
from trajan_ai.games.kit.reader import NO_CHOICE, Reader, bits_of
from trajan_ai.games.trajan import rules
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.games.trajan.fields import (
    AT_QUARTER_END,
    COPIES,
    DECISION,
    DECISIONS,
    FIGURES,
    PLAYER,
    TABLE,
    WITHOUT_ACTION,
    goods_of,
    has_track_order,
    markers_of,
    packed,
    read_named_demand_tiles,
)
from trajan_ai.games.trajan.rules import blank, derive, fields, redraw, state_bytes
from trajan_ai.games.trajan.setup import (
    HIDDEN_STACKS,
    NAME,
    NAMES,
    OPTIONS,
    option_bits,
    put_stack,
)

MAX_DRAWS = 200_000  # random hands before another player's decision counts as impossible

BELOW = "below "  # begins the key of the tiles below the top of a Trajan stack
State = dict[str, Any]  # fields of a state or of one of its players


def parse(data: Mapping[str, Any], *, played: bool = False) -> bytes:
    """Return a state that looks like the view to the view's observer.

    Unknown parts are sampled with a fixed seed. Raises TrajanError with all contradictions. With
    `played`, it is also a contradiction if no game leads to the position.
    """
    view = Reader(data)
    view.keys(TABLE.optional, TABLE.needed)
    boards = view.players()
    players = len(boards)
    observer = view.number("observer", 0, players - 1) if "observer" in view else None
    unknown = view.has_problem("observer")
    s = blank()
    s["players"] = players
    _read_table(view, s)
    if "to_decide" in view:
        pending = view.part("to_decide", DECISION.optional, DECISION.needed)
        _read_decision(pending, s)
    else:
        s["decision"] = DECISIONS.index("over")
    _read_track_order(view, s)
    hands: list[int | None] = []  # sizes of unseen hands
    for i, board in enumerate(boards):
        _read_player(board, s["player"][i])
        is_visible = "hand" in board if unknown else observer in (None, i)
        hands.append(_read_hand(board, s["player"][i], is_visible=is_visible))
    view.stop_at_problems()
    _read_senate_order(view, s)
    _check_senate(view, s)
    _check_figures_and_markers(view, s)
    if played:
        _check_board(view, s)
    tops = _read_tops(view)
    unseen = _find_unseen(view, s, hands, tops)
    view.stop_at_problems()
    stacks = _order(view, _fill(unseen), tops)
    view.stop_at_problems()
    _fill_stacks(s, stacks, tops)
    return _finish(s, unseen, observer)


def _finish(s: State, unseen: Unseen, observer: int | None) -> bytes:
    """Return the state with its derived fields computed and its unseen components sampled."""
    s = fields(derive(state_bytes(s)))
    _count_unseen(s, unseen)
    state = state_bytes(s)
    drawn = state if observer is None else redraw(state, observer, 0, MAX_DRAWS)
    if drawn is not None and DECISIONS[fields(drawn)["decision"]] != "over":
        legal = fields(drawn)["legal"]
        if legal & (legal - 1) == 0:
            drawn = None
    if drawn is None:
        raise TrajanError(NO_CHOICE)
    return drawn


def _read_table(view: Reader, s: State) -> None:
    TABLE.read(view, s)
    options = view.options(NAME, OPTIONS, s["players"])
    if options:
        s["lap_length"] = options["lap_length"]
        s["options"] = option_bits(options)
        s["time"] = view.number("time_marker", 0, options["lap_length"] - 1, 0)


def _read_decision(pending: Reader, s: State) -> None:
    before = len(pending.problems)
    last = s["players"] - 1
    DECISION.read(pending, s)
    decision = DECISIONS[s["decision"]]
    if "player" in pending:
        s["decider"] = pending.number("player", 0, last)
    s["active"] = pending.number("turn_of", 0, last, s["decider"])
    if "action" not in pending and decision in C.actions:
        s["target"] = C.actions.index(decision)
    elif "action" not in pending and decision not in WITHOUT_ACTION:
        pending.complain("action", f"is missing; it must be the action of the decision {decision}")
    if len(pending.problems) == before:
        _read_after(pending, decision, s)
        _check_decision(pending, decision, s)


def _read_after(pending: Reader, decision: str, s: State) -> None:
    """Read the choice that preceded the pending decision."""
    if decision == "start":
        s["last"] = bits_of(pending.members("after", C.stacks))
    elif decision == "play" or (decision in ("pair", "card") and "after" in pending):
        s["last"] = pending.name("after", C.goods) + (decision != "play")
    elif decision == "marker" and s["step"] % 2:
        s["last"] = pending.name("after", C.colours)
    elif "after" in pending:
        pending.complain("after", f"must be omitted: {decision} does not follow another choice")


def _read_track_order(view: Reader, s: State) -> None:
    """Read the order of the discs before the last senate ranking, which settles a final tie."""
    players = s["players"]
    if has_track_order(s) and "track_order" in view:
        s["track"][:players] = view.order("track_order", players)
    elif has_track_order(s):
        view.complain(
            "track_order",
            "is missing; it must list the players by their discs before the ranking, lowest first",
        )
    elif "track_order" in view:
        view.complain(
            "track_order",
            "must be omitted, except with final_tie: track after the senate ranking of quarter 4",
        )


def _check_decision(pending: Reader, decision: str, s: State) -> None:
    if decision == "payment" and not s["options"] & rules.OPTION_DEMAND_PAYMENT_CHOSEN:
        pending.complain("decision", "payment requires the option demand_payment: chosen")
    if decision in AT_QUARTER_END and s["round"] != rules.ROUNDS - 1:
        text = f"must be {rules.ROUNDS} at the decision {decision}, got {s['round'] + 1}"
        pending.problems.append(Problem(text, ("round",)))
    if decision not in AT_QUARTER_END and s["active"] != s["decider"]:
        pending.complain("turn_of", f"must be the same as player at the decision {decision}")
    if s["in_free"] and not s["free_action"]:
        pending.complain("in_free_action", "is true, but free_action is missing")
        return
    running = s["free_action"] - 1 if s["in_free"] else s["target"]
    if decision in C.actions and running != C.actions.index(decision):
        key = "free_action" if s["in_free"] else "action"
        text = f"must belong to the {key}, which is {pending.get(key)}, got {decision}"
        pending.complain("decision", text)
    if decision in ("discard", "play", "pair", "card") and C.actions[running] != "seaport":
        pending.complain("decision", f"{decision} is possible only during the seaport action")
    if (decision == "effect") != bool(s["effect"]):
        pending.complain(
            "effect", "must be a tile at the decision effect, and omitted at all others"
        )
    if decision not in ("drop", "marker") and s["sow_hand"]:
        pending.complain("markers_in_hand", f"must be empty at the decision {decision}")
    most = {"marker": 11, "goods": 2, "start": 2, "pair": 2, "card": 3}.get(decision, 0)
    if s["step"] > most:
        text = f"must be at most {most} at the decision {decision}, got {s['step']}"
        pending.complain("step", text)


def _read_hand(board: Reader, p: State, *, is_visible: bool) -> int | None:
    """Read the hand; return its size if it is unseen."""
    public = goods_of(p["known"])
    if not is_visible:
        if "hand" in board:
            board.complain("hand", "must be omitted, because the observer cannot know it")
        return board.number("hand_size", sum(public), rules.DECK_CARDS)
    if "hand" not in board:
        board.complain("hand", "is missing; it must have a value such as {wheat: 2, fish: 1}")
    before = len(board.problems)
    hand = board.counts("hand", C.goods, COPIES)
    p["hand"] = packed(hand)
    if len(board.problems) > before:
        return None
    if board.get("hand_size", sum(hand)) != sum(hand):
        board.complain("hand_size", f"must be {sum(hand)}, the number of cards in hand")
    if any(k > h for k, h in zip(public, hand, strict=True)):
        board.complain("known_cards", "has cards that are not in the hand")
    return None


def _read_player(board: Reader, p: State) -> None:
    """Read everything of a player except the hand."""
    board.keys(PLAYER.optional, PLAYER.needed)
    PLAYER.read(board, p)
    _check_arch(board, p)
    if "supply" not in board:
        p["supply"] = max(FIGURES - _count_placed(p), 0)


def _count_placed(p: State) -> int:
    """Return the number of a player's figures outside the supply, without the leader."""
    in_camps: int = p["legionnaires"] + p["workers"]
    return in_camps + int(p["legions_on"]).bit_count() + int(p["workers_on"]).bit_count()


def _check_arch(board: Reader, p: State) -> None:
    """Check the place of the arch; if it is omitted, the arch stands on the only free slot."""
    free = [i for i, tile in enumerate(p["slots"]) if not tile]
    if "arch" not in board:
        if 1 < len(free) < len(C.trays):
            names = ", ".join(C.trays[i] for i in free)
            board.complain("arch", f"is missing; it must be one of the free slots, {names}")
        p["arch"] = free[0] if free else rules.CENTRE
    elif p["arch"] == rules.CENTRE:
        if free:
            board.complain("arch", "is in the centre, but must be on a free slot")
    elif p["arch"] not in free:
        board.complain("arch", "must not be on a slot with a Trajan tile")


def _read_senate_order(view: Reader, s: State) -> None:
    """Read the order of the discs; an omitted order follows from the spaces if they differ.

    On the start space of quarter 1, the discs are in player order.
    """
    players = s["players"]
    spaces = [s["player"][player]["space"] for player in range(players)]
    if "senate_order" in view:
        s["order"][:players] = view.order("senate_order", players)
        return
    for space, count in Counter(spaces).items():
        if count > 1 and (space or s["quarter"]):
            who = [str(player) for player in range(players) if spaces[player] == space]
            view.complain(
                "senate_order",
                f"is missing; it must show which disc of players {' and '.join(who)} is lower",
            )
    s["order"][:players] = sorted(range(players), key=lambda player: spaces[player])


def _check_senate(view: Reader, s: State) -> None:
    """Check the order of the discs, and their spaces after the ranking of a quarter."""
    order = s["order"][: s["players"]]
    spaces = [s["player"][player]["space"] for player in order]
    if spaces != sorted(spaces):
        view.complain("senate_order", "must list the discs from the lowest space to the highest")
    decision = DECISIONS[s["decision"]]
    if decision in ("bonus", "over"):
        for player in range(s["players"]):
            if s["player"][player]["space"]:
                view.complain(
                    ("players", player, "senate"),
                    "must be 0, because the senate ranking returns all discs to the start space",
                )
    if decision == "bonus" and s["decider"] != order[-1]:
        view.complain(
            ("to_decide", "player"), f"must be the winner, {order[-1]}, the last in senate_order"
        )


def _check_figures_and_markers(view: Reader, s: State) -> None:
    placing = DECISIONS[s["decision"]] == "marker"
    for i in range(s["players"]):
        p = s["player"][i]
        figures = p["supply"] + _count_placed(p)
        if figures != FIGURES:
            view.complain(("players", i), f"{figures} figures, but there must be {FIGURES}")
        trays = [*p["trays"], s["sow_hand"]] if i == s["active"] else p["trays"]
        markers = Counter(colour for tray in trays for colour in markers_of(tray))
        place = ("players", i, "trays")
        if placing and i > s["active"]:
            if markers:
                view.complain(
                    place, "must be empty, because this player has not placed markers yet"
                )
        elif markers != dict.fromkeys(C.colours, 2):
            right = f"but there must be {2 * len(C.colours)}, two of each colour"
            view.complain(place, f"{markers.total()} markers, {right}")


def _are_connected(sites: int) -> bool:
    columns = len(C.data["site_columns"])
    left = {divmod(i, columns) for i in range(len(C.sites)) if sites >> i & 1}
    edge = {min(left)} if left else set()
    while edge:
        left -= edge
        beside = {
            (row + down, column + right)
            for row, column in edge
            for down, right in ((0, 1), (1, 0), (0, -1), (-1, 0))
        }
        edge = beside & left
    return not left


def _check_board(view: Reader, s: State) -> None:
    """Check that the boards could have arisen in a game."""
    players = range(s["players"])
    workers = 0
    for i in players:
        workers |= s["player"][i]["workers_on"]
    empty = []
    for i, site in enumerate(C.sites):
        if s["sites"][i] and workers >> i & 1:
            view.complain(("sites", site), "must be omitted, because a worker stands on this site")
        elif not s["sites"][i] and not workers >> i & 1:
            empty.append(site)
    if empty:
        view.complain(
            "sites", f"a worker must stand where there is no building tile: {', '.join(empty)}"
        )
    occupied = 0
    for i in players:
        _check_player(view, s, i)
        p = s["player"][i]
        occupied |= p["legions_on"] | (1 << p["leader"]) >> 1
    for i, province in enumerate(C.provinces):
        if s["provinces"][i] and occupied >> i & 1:
            view.complain(
                ("provinces", province),
                "must be omitted, because a figure has come to this province",
            )
    spaces = C.data["players"][s["players"]]["forum"] + C.data["extra_spaces"]
    if sum(s["forum"]) > spaces:
        view.complain("forum", f"{sum(s['forum'])} tiles, but it has only {spaces} spaces")


def _check_player(view: Reader, s: State, player: int) -> None:
    p = s["player"][player]
    place = ("players", player)
    if not _are_connected(p["workers_on"]):
        view.complain((*place, "workers"), "must stand on connected sites")
    if p["buildings"].bit_count() > p["workers_on"].bit_count():
        view.complain((*place, "buildings"), "must not outnumber this player's workers on sites")
    if p["legions_on"] and not p["leader"]:
        view.complain(
            (*place, "leader"),
            "must have left the camp, because there are legionnaires in provinces",
        )
    if not p["gold"] and DECISIONS[s["decision"]] != "marker":
        view.complain(
            (*place, "gold_bonus"),
            "must not be empty, because every player begins with a bonus tile",
        )


def _repeat(names: Sequence[str], numbers: Sequence[int]) -> list[str]:
    return [name for name, number in zip(names, numbers, strict=True) for _ in range(number)]


@dataclass
class Unseen:
    """The possible contents of hidden stacks, by exclusion.

    ``stacks`` contains the names of the tiles or cards that may be in each hidden stack, and
    ``sizes`` the size of the stack, which is smaller if some of these may have left the game. The
    key of a Trajan stack is `BELOW`, followed by its name. ``extras`` contains the extra-action
    tiles that may be in either supply. Goods that have been dealt to hands and piles are not
    included.
    """

    stacks: dict[str, list[str]]
    sizes: dict[str, int]
    extras: list[str]


def _find_unseen(
    view: Reader,
    s: State,
    hands: Sequence[int | None],
    tops: Mapping[str, str],
) -> Unseen:
    """Return the possible contents of hidden stacks; deal unseen goods to hands and piles."""
    boards = s["player"][: s["players"]]
    unseen = Unseen({}, {}, [])
    bonus = list_members(C.bonus_tiles, s["offer"])
    for p in boards:
        bonus += list_members(C.bonus_tiles, p["gold"]) + list_members(C.bonus_tiles, p["silver"])
    buildings = [C.buildings[number - 1] for number in s["sites"] if number]
    buildings += [name for p in boards for name in list_members(C.buildings, p["buildings"])]
    gone = view.left((), "sites and buildings", C.buildings, buildings)
    if gone and not view.has_problem("sites"):
        view.complain(
            "sites", f"some buildings are on no site and with no player: {', '.join(gone)}"
        )
    _count_tiles(view, s, unseen)
    _count_demands(view, s, unseen)
    _check_bonus_tiles(view, s)
    unseen.stacks["bonus_tiles"] = view.left((), "bonus tiles", C.bonus_tiles, bonus)
    unseen.sizes["bonus_tiles"] = len(unseen.stacks["bonus_tiles"])
    _count_trajan_tiles(view, s, tops, unseen)
    _deal_goods(view, s, hands, unseen)
    return unseen


def _count_tiles(view: Reader, s: State, unseen: Unseen) -> None:
    """Infer the forum supply and the extra-action supply."""
    tiles = _repeat(C.forum_tiles, s["forum"])
    tiles += [C.forum_tiles[tile - 1] for tile in s["provinces"] if tile]
    for p in s["player"][: s["players"]]:
        tiles += _repeat(C.forum_tiles, p["tiles"])
    gone = view.counts("forum_gone", C.forum_tiles)
    tiles += _repeat(C.forum_tiles, gone)
    extra_size = len(C.extra_supply()) - C.data["extra_spaces"] * (s["quarter"] + 1)
    if "extra_supply" in view:
        extra = view.counts("extra_supply", C.extra_tiles, 2)
        tiles += _repeat(C.extra_tiles, extra)
        unseen.stacks["extra_supply"] = _repeat(C.extra_tiles, extra)
        if sum(extra) != extra_size:
            view.complain("extra_supply", f"{sum(extra)} tiles, but there must be {extra_size}")
    everything = C.forum_supply() + C.extra_supply()
    left = view.left((), "forum tiles", everything, tiles)
    if "extra_supply" not in view:
        unseen.extras = [name for name in left if name in C.extra_tiles]
        left = [name for name in left if name not in C.extra_tiles]
        unseen.stacks["extra_supply"] = unseen.extras
    unseen.stacks["forum_supply"] = left
    unseen.sizes["extra_supply"] = extra_size
    others = len(left) + max(len(unseen.extras) - extra_size, 0)
    unseen.sizes["forum_supply"] = _supply_size(view, s, others)


def _supply_size(view: Reader, s: State, unseen: int) -> int:
    """Return the height of the forum supply, which may contain `unseen` tiles."""
    filled = C.data["players"][s["players"]]["forum"] * (s["quarter"] + 1)
    most = max(len(C.forum_supply()) - len(C.provinces) - filled, 0)
    if "forum_supply" in view:
        size = view.number("forum_supply", 0, most)
    elif "forum_gone" in view and "extra_supply" in view:
        size = unseen
    else:
        size = min(unseen, most)
    if size > most:
        view.complain(
            "forum_gone",
            f"{size} forum tiles are in no other place, but the supply has at most "
            f"{most} in this quarter; list the tiles that left the game",
        )
    if size > unseen:
        view.complain(
            "forum_supply",
            f"must be at most {unseen}, the number of forum tiles that are in no other place, "
            f"got {size}",
        )
    return min(size, unseen)


def _count_demands(view: Reader, s: State, unseen: Unseen) -> None:
    """Infer the stack of demand tiles; its height follows from quarter and round."""
    gone = view.counts("demands_gone", C.symbols)
    quarter, decision = s["quarter"], DECISIONS[s["decision"]]
    chosen = s["options"] & rules.OPTION_DEMAND_PAYMENT_CHOSEN
    settled_later = quarter == rules.QUARTERS - 1 and not chosen
    paid = decision == "over" or (decision == "bonus" and not settled_later)
    here = 0 if paid else s["round"]
    before = quarter * (rules.ROUNDS - 1) + s["round"] - here
    if "demands_gone" in view and sum(gone) > before:
        view.complain("demands_gone", f"{sum(gone)} tiles, but there must be {before}")
    if sum(s["row"]) != here:
        view.complain("demands", f"{sum(s['row'])} tiles, but there must be {here} in this round")
    visible = _repeat(C.symbols, s["row"]) + _repeat(C.symbols, gone)
    unseen.stacks["demands"] = view.left((), "demand tiles", C.demand_tiles(), visible)
    unseen.sizes["demands"] = len(C.demand_tiles()) - here - before


def _check_bonus_tiles(view: Reader, s: State) -> None:
    """Check the numbers of bonus tiles, which follow from quarter and decision."""
    quarter, decision = s["quarter"], DECISIONS[s["decision"]]
    offered = 0 if decision in ("marker", "over") else 2
    if s["offer"].bit_count() != offered:
        view.complain(
            "bonus_offer", f"{s['offer'].bit_count()} tiles, but there must be {offered}"
        )
    total = sum((p["gold"] | p["silver"]).bit_count() for p in s["player"])
    there = s["players"] + 2 * quarter + 2 * (decision == "over") if decision != "marker" else 0
    if total != there:
        right = f"but there must be {there} in quarter {quarter + 1}"
        view.complain((), f"bonus tiles: the players have {total}, {right}")


def _deal_goods(
    view: Reader,
    s: State,
    hands: Sequence[int | None],
    unseen: Unseen,
) -> None:
    """Deal the unseen goods, in order, to hands and to the unknown cards of the piles."""
    goods = [C.goods[card - 1] for card in s["piles"] if card]
    for p, size in zip(s["player"][: s["players"]], hands, strict=True):
        hand = p["hand"] if size is None else p["known"]
        goods += _repeat(C.goods, goods_of(hand)) + _repeat(C.goods, goods_of(p["display"]))
    left = [C.goods.index(name) for name in view.left((), "goods", C.goods_deck(), goods)]
    for i, size in enumerate(hands):
        if size is None:
            continue
        p = s["player"][i]
        unknown = size - sum(goods_of(p["known"]))
        if unknown > len(left):
            place = ("players", i, "hand_size")
            view.complain(place, f"{unknown} unknown cards, but only {len(left)} are unseen")
            return
        extra = Counter(left[:unknown])
        p["hand"] = p["known"] + packed([extra[good] for good in range(len(C.goods))])
        left = left[unknown:]
    left = _bury(view, s, left)
    unseen.stacks["goods_deck"] = [C.goods[good] for good in left]
    unseen.sizes["goods_deck"] = len(left)


def _bury(view: Reader, s: State, left: list[int]) -> list[int]:
    """Put unknown cards under the discard piles; return the other cards, which form the deck."""
    marked = sum(s["pile_unknown"])
    under = marked
    if "goods_deck" in view:
        deck = view.number("goods_deck", 0, max(len(left) - marked, 0))
        under = len(left) - deck
        if marked and under != marked:
            view.complain(
                "goods_deck", f"leaves {under} unknown cards for the piles, but they list {marked}"
            )
        if under and not all(s["pile_size"]):
            view.complain("discard_piles", "must name the top card of both piles")
    if under > len(left):
        view.complain("discard_piles", f"{under} unknown cards, but only {len(left)} are unseen")
        return left
    if under and not marked:
        s["pile_unknown"] = [under - under // 2, under // 2]
        s["pile_size"] = [a + b for a, b in zip(s["pile_size"], s["pile_unknown"], strict=True)]
        cards = [card for card in s["piles"] if card]
        visible = s["pile_size"][0] - s["pile_unknown"][0]
        first, second = s["pile_unknown"]
        middle = [0] * (rules.DECK_CARDS - len(cards) - under)
        s["piles"] = [*[0] * first, *cards[:visible], *middle, *cards[visible:], *[0] * second]
    places = list(range(s["pile_unknown"][0]))
    places += [rules.DECK_CARDS - 1 - i for i in range(s["pile_unknown"][1])]
    for place in places:
        s["piles"][place] = left.pop() + 1
    return left


def _read_tops(view: Reader) -> dict[str, str]:
    tops = {}
    part = view.entries("trajan_tops", C.stacks)
    for stack in part.data:
        names = C.stack_names(stack)
        tops[stack] = names[part.name(stack, names)]
    return tops


def _count_trajan_tiles(
    view: Reader,
    s: State,
    tops: Mapping[str, str],
    unseen: Unseen,
) -> None:
    """Infer the tiles below the top of each stack, or all tiles while markers are being placed."""
    names = C.tile_names()
    gone = _trajan_gone(view, s)
    gone += [names[s["effect"] - 1]] if s["effect"] else []
    slots = [names[t - 1] for p in s["player"] for t in p["slots"] if t]
    heights = view.part("trajan_stacks", C.stacks)
    placing = DECISIONS[s["decision"]] == "marker"
    topless = []
    for stack in C.stacks:
        visible = [name for name in (*gone, *slots) if C.tile[name].stack == stack]
        if stack in tops:
            visible.append(tops[stack])
        left = view.left((), f"Trajan stack {stack}", C.stack_names(stack), visible)
        size = len(left)
        if stack in heights:
            most = len(left) + (stack in tops)
            height = heights.number(stack, 0, most)
            size = max(height - (stack in tops), 0)
        if size and stack not in tops and not placing:
            topless.append(stack)
        unseen.stacks[BELOW + stack] = left
        unseen.sizes[BELOW + stack] = size
    if topless:
        text = f"must contain {', '.join(topless)}, because these stacks have unseen tiles"
        view.complain("trajan_tops", text)


def _trajan_gone(view: Reader, s: State) -> list[str]:
    """Return the Trajan tiles that have left their stacks and slots."""
    names = C.tile_names()
    gone = [names[i] for i in view.names("trajan_gone", names)]
    listed = Counter(name for board in view.players() for name in read_named_demand_tiles(board))
    gone += (listed - Counter(gone)).elements()
    demands = [sum(p["demands"][i] for p in s["player"]) for i in range(len(C.symbols))]
    for i, symbol in enumerate(C.symbols):
        there = sum(name.startswith(f"{symbol}-") for name in gone)
        if there != demands[i]:
            view.complain(
                "trajan_gone",
                f"{there} {symbol} tiles, but players keep {demands[i]} in demand_tiles; "
                "name the kept tiles there, or list them here",
            )
    return gone


def _fill(unseen: Unseen) -> dict[str, list[str]]:
    """Return possible contents of the hidden stacks, each up to its size."""
    extras = unseen.extras[unseen.sizes["extra_supply"] :]
    stacks = {**unseen.stacks, "forum_supply": unseen.stacks["forum_supply"] + extras}
    return {key: names[: unseen.sizes[key]] for key, names in stacks.items()}


def _count_unseen(s: State, unseen: Unseen) -> None:
    """Store the counts of the tiles that may be in each stack."""
    for key, field, names in (
        ("forum_supply", "supply_counts", C.forum_tiles),
        ("extra_supply", "extra_counts", C.extra_tiles),
        ("demands", "demand_counts", C.symbols),
    ):
        counts = Counter(unseen.stacks[key])
        s[field] = [counts[name] for name in names]
    for i, stack in enumerate(C.stacks):
        s["stack_hidden"][i] = _bits_of_stack(i, unseen.stacks[BELOW + stack])


def _fill_stacks(s: State, stacks: Mapping[str, Sequence[str]], tops: Mapping[str, str]) -> None:
    for key, (field, height) in HIDDEN_STACKS.items():
        s[height] = put_stack(s[field], 0, key, stacks[key])
    s["bonus_hidden"] = bits_of(map(C.bonus_tiles.index, stacks["bonus_tiles"]))
    for i, stack in enumerate(C.stacks):
        top = [tops[stack]] if stack in tops else []
        names, first = [*top, *stacks[BELOW + stack]], i * rules.STACK_TILES
        s["stack_size"][i] = put_stack(s["stacks"], first, "trajan_stacks", names)


def _bits_of_stack(stack: int, hidden: Sequence[str]) -> int:
    """Return hidden tiles of a stack as bits; of identical tiles, the lower bit is set first."""
    bits = 0
    for name in hidden:
        bit = NAMES["trajan_stacks"].index(name) - stack * rules.STACK_TILES
        bits |= 1 << (bit + 1 if bits >> bit & 1 else bit)
    return bits


def _order(
    view: Reader, stacks: dict[str, list[str]], tops: Mapping[str, str]
) -> dict[str, list[str]]:
    """Return the stacks in the order of the view's `hidden`, if the view has this key."""
    if "hidden" not in view:
        return stacks
    hidden = view.part("hidden", (*HIDDEN_STACKS, "trajan_stacks"))
    result = {key: hidden.shuffled(key, stacks[key]) for key in HIDDEN_STACKS}
    below = hidden.part("trajan_stacks", C.stacks)
    # The list of a stack also contains a visible top tile, which is removed here.
    below.data = {
        stack: names[1:] if stack in tops and isinstance(names, list) else names
        for stack, names in below.data.items()
    }
    return result | {
        BELOW + stack: below.shuffled(stack, stacks[BELOW + stack]) for stack in C.stacks
    }
