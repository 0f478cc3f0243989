"""Following a game of Trajan from the knowledge of one player; see `HasFollowing`.

docs/follow.md lists the keys of reveals.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from itertools import combinations
from typing import Any

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.events import Event
from trajan_ai.core.game import Game, Position
from trajan_ai.core.languages import tr
from trajan_ai.core.rules_following import MoveOutcome, Question, Reveals
from trajan_ai.games.kit.fields import list_members
from trajan_ai.games.kit.reveals import read_reveals
from trajan_ai.games.trajan import rules
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.games.trajan.fields import (
    DECISIONS,
    SIDES,
    goods_of,
    hidden_below,
    is_extra_certain,
    markers_of,
    packed,
)
from trajan_ai.games.trajan.notation import ACTIONS
from trajan_ai.games.trajan.rules import fields, relist, state_bytes
from trajan_ai.games.trajan.setup import HIDDEN_STACKS, NAMES
from trajan_ai.games.trajan.words import phrase, thing

State = dict[str, Any]

LAYING = ("play", "pair", "card")  # decisions that continue laying cards
SET_WORDS = ("marker", *LAYING)  # actions whose pieces people lay in any order
BEGINS_LAYING = ("play ", "pair ", "card ", "ship pairs", "ship different")
DONE = "done"
STACK = "stack "
WORDS = {
    "goods_deck": "the cards that you draw, in order",
    "forum_supply": "tiles from the forum supply, in order",
    "extra_supply": "new extra-action tiles of the forum",
    "demands": "the new demand tile",
    "bonus_tiles": "new bonus tiles, in order",
    "then": "what the player laid, as moves",
    "left": "the card that is on top of the left pile now",
    "right": "the card that is on top of the right pile now",
}


def decision_of(s: State) -> str:
    """Return the name of the pending decision."""
    return DECISIONS[s["decision"]]


def _take_out(pool: Counter[str], names: Sequence[str], what: str) -> list[str]:
    """Return `pool` without `names`, in the same order.

    Raises TrajanError, with `what` as the name of the pool, if the pool does not contain them.
    """
    left = Counter(pool)
    left.subtract(names)
    for name in names:
        if left[name] < 0:
            there = pool[name]
            raise TrajanError(
                f"{what}: {Counter(names)[name]} x {name} is impossible, "
                f"because {f'only {there}' if there else 'none'} can still come"
            )
    return list(left.elements())


# ---- Goods ------------------------------------------------------------------------------------


def _list_forgotten(s: State) -> list[int]:
    """Return the indices of unknown cards in the piles."""
    left, right = s["pile_unknown"]
    return [*range(left), *(rules.DECK_CARDS - 1 - i for i in range(right))]


def unseen_goods(s: State, observer: int) -> Counter[str]:
    """Return the unknown goods in the deck, in other hands and in the piles."""
    unseen = s["deck_counts"] + _pack(
        Counter(C.goods[s["piles"][i] - 1] for i in _list_forgotten(s))
    )
    for player in range(s["players"]):
        if player != observer:
            p = s["player"][player]
            unseen += p["hand"] - p["known"]
    return Counter(dict(zip(C.goods, goods_of(unseen), strict=True)))


def cards_needed(action: str) -> Counter[str]:
    """Return the hand cards that an action lays or discards."""
    kind, *words = action.split()
    if kind in ("play", "discard", "card") and words[0] != "wild":
        return Counter({words[0]: 1})
    if kind == "pair" and words[0] != "wild":
        return Counter({words[0]: 1 if words[1:] else 2})
    if kind == "ship" and words[0] == "equal" and words[1] != "wild":
        return Counter({words[1]: int(words[2])})
    return Counter()


def _pack(cards: Mapping[str, int]) -> int:
    return packed([cards.get(good, 0) for good in C.goods])


def _deal_goods(
    s: State,
    observer: int,
    needed: Counter[str],
    draws: Sequence[str | None],
    stated: Reveals,
) -> None:
    """Give the player to move the cards `needed`, and put `draws` on top of the deck.

    The highest unknown card of each pile becomes the card named in `stated`.
    """
    pool = unseen_goods(s, observer)
    decider = s["player"][s["decider"]]
    public = dict(zip(C.goods, goods_of(decider["known"]), strict=True))
    new = [good for good in needed for _ in range(max(needed[good] - public[good], 0))]
    room = decider["hand_size"] - sum(public.values())
    if s["decider"] != observer and len(new) > room:
        raise TrajanError(f"player {s['decider']} cannot hold {' and '.join(new)}")
    if s["decider"] == observer:
        new = []
    forgotten = _list_forgotten(s)
    left, right = s["pile_unknown"]
    under = {
        place: stated[side][0]
        for side, place in zip(SIDES, (left - 1, rules.DECK_CARDS - right), strict=True)
        if stated.get(side) and place in forgotten
    }
    named_draws = [good for good in draws if good is not None]
    left = _take_out(pool, [*new, *named_draws, *under.values()], "goods_deck")
    for player in range(s["players"]):
        if player != observer:
            p = s["player"][player]
            mine = new if player == s["decider"] else []
            count = p["hand_size"] - sum(goods_of(p["known"])) - len(mine)
            p["hand"] = p["known"] + _pack(Counter([*mine, *left[:count]]))
            left = left[count:]
    for place in forgotten:
        good = under[place] if place in under else left.pop()
        s["piles"][place] = C.goods.index(good) + 1
    drawn = [good if good is not None else left.pop() for good in draws]
    deck = [*left, *reversed(drawn)]
    s["deck_counts"] = _pack(Counter(deck))
    for i, good in enumerate(deck):
        s["deck"][i] = C.goods.index(good) + 1


def _largest_hand(s: State, observer: int) -> int:
    """Return, packed, the largest count of each good that the player to move may have."""
    p = s["player"][s["decider"]]
    public, unseen = goods_of(p["known"]), unseen_goods(s, observer)
    room = p["hand_size"] - sum(public)
    return _pack(
        {
            good: number + min(room, unseen[good])
            for good, number in zip(C.goods, public, strict=True)
        }
    )


def continue_set(before: Position, action: str, after: Position) -> tuple[list[str], bool]:
    """Return the forced actions after a card or marker, and whether its set continues."""
    old, new = fields(before.to_bytes()), fields(after.to_bytes())
    kind, colour = action.split()[:2]
    continues = decision_of(new) == kind and new["decider"] == old["decider"]
    if kind != "marker":
        return [], continues
    second = old["step"] % 2
    if second or (continues and new["step"] == old["step"] + 1):
        return [], not second
    markers = markers_of(new["player"][old["decider"]]["trays"][old["step"] // 2])
    markers.remove(colour)
    return [f"marker {other}" for other in markers], False


# ---- Other hidden stacks ----------------------------------------------------------------------


def _pool(s: State, key: str) -> Counter[str]:
    """Return the possible tiles of a stack.

    Extra-action tiles that may be in either supply are possible tiles of both.
    """
    counts = {
        "forum_supply": zip(C.forum_tiles, s["supply_counts"], strict=True),
        "extra_supply": zip(C.extra_tiles, s["extra_counts"], strict=True),
        "demands": zip(C.symbols, s["demand_counts"], strict=True),
    }
    if key == "bonus_tiles":
        return Counter(list_members(C.bonus_tiles, s["bonus_hidden"]))
    pool = Counter(dict(counts[key]))
    if key == "forum_supply" and not is_extra_certain(s):
        pool += Counter(dict(counts["extra_supply"]))
    return pool


def _put_on_tops(s: State, stated: Reveals) -> None:
    """Reorder the stacks so that the stated tiles come first."""
    in_extra_supply: Counter[str] = Counter()
    shared = not is_extra_certain(s)
    for key in ("extra_supply", "forum_supply", "demands", "bonus_tiles"):
        field, height = HIDDEN_STACKS[key]
        names, tiles, size = stated.get(key, []), NAMES[key], s[height]
        if len(names) > size:
            raise TrajanError(f"{key}: {len(names)} tiles, but the stack has {size}")
        pool = _pool(s, key) - (in_extra_supply if key == "forum_supply" else Counter())
        left = _take_out(pool, names, key)
        if key == "extra_supply" and shared:  # leave the tiles stated for the forum supply
            left = list((Counter(left) - Counter(stated.get("forum_supply", []))).elements())
        filled = left[: size - len(names)]
        if shared and key == "extra_supply":
            in_extra_supply = Counter([*filled, *names])
        stack = [*filled, *reversed(names)]
        s[field][:size] = [tiles.index(name) + 1 for name in stack]


def _hidden_tiles(s: State, stack: int) -> list[str]:
    """Return the possible tiles below the top of a Trajan stack."""
    names = C.tile_names()[stack * rules.STACK_TILES : (stack + 1) * rules.STACK_TILES]
    return list_members(names, s["stack_hidden"][stack])


def _put_on_trajan_stack(s: State, stack: str, names: Sequence[str]) -> None:
    """Reorder the tiles below the top of a stack so that `names` come first."""
    number = C.stacks.index(stack)
    first = number * rules.STACK_TILES
    below = hidden_below(s, number)
    if len(names) > below:
        raise TrajanError(f"{STACK}{stack}: {len(names)} tiles, but only {below} are hidden")
    left = _take_out(Counter(_hidden_tiles(s, number)), names, f"{STACK}{stack}")
    order = [*left[: below - len(names)], *reversed(names)]
    s["stacks"][first : first + below] = [NAMES["trajan_stacks"].index(n) + 1 for n in order]


# ---- Reveals of a move -------------------------------------------------------------------------


def _list_drawn(before: State, after: State, key: str) -> list[str]:
    """Return the names of the tiles or cards that came off a stack, in the order of the stack."""
    field, height = HIDDEN_STACKS[key]
    numbers = before[field][after[height] : before[height]]
    return [NAMES[key][number - 1] for number in reversed(numbers)]


def _new_tops(before: State, after: State) -> Reveals:
    tiles = C.tile_names()
    dealt = decision_of(before) == "marker" and decision_of(after) != "marker"
    tops: Reveals = {}
    for i, stack in enumerate(C.stacks):
        first, low = i * rules.STACK_TILES, after["stack_size"][i] - 1
        high = before["stack_size"][i] - (0 if dealt else 1)
        new = before["stacks"][first + max(low, 0) : first + max(high, 0)]
        if new and (dealt or decision_of(before) != "marker"):
            tops[STACK + stack] = [tiles[tile - 1] for tile in reversed(new)]
    return tops


class Draw(Enum):
    """Where an observer saw a card that came off the deck."""

    UNSEEN = 0
    ON_PILE = 1
    IN_HAND = 2


def _see_draws(
    position: Position, actions: Sequence[str], after: State, observer: int
) -> list[Draw]:
    """Return, for each card that came off the deck, where the observer saw it.

    The observer saw a card if another card in its place would look different afterwards.
    """
    before = fields(position.to_bytes())
    places = []
    for place in range(before["deck_size"] - 1, after["deck_size"] - 1, -1):
        other = fields(position.to_bytes())
        good = other["deck"][place] - 1
        another = (good + 1) % len(C.goods)
        other["deck"][place] = another + 1
        other["deck_counts"] += (1 << 4 * another) - (1 << 4 * good)
        result = fields(_play(_position(position, other), actions).to_bytes())
        if result["player"][observer]["hand"] != after["player"][observer]["hand"]:
            places.append(Draw.IN_HAND)
        else:
            places.append(Draw.ON_PILE if result["piles"] != after["piles"] else Draw.UNSEEN)
    return places


def _has_finished_laying(before: State, after: State, action: str) -> bool:
    """Return whether `action` laid cards and the player lays no more."""
    if not action.startswith(BEGINS_LAYING):
        return False
    continues = decision_of(after) in LAYING and after["decider"] == before["decider"]
    return not continues


def _list_forced(before: State, after: State, action: str) -> list[str]:
    """Return the forced pair or card after ``ship pairs`` or ``ship different``."""
    if action not in ("ship pairs", "ship different"):
        return []
    p, q = before["player"][before["decider"]], after["player"][before["decider"]]
    new = Counter(dict(zip(C.goods, goods_of(q["display"] - p["display"]), strict=True)))
    wilds = sum(p["tiles"]) - sum(q["tiles"])
    word = "pair" if action == "ship pairs" else "card"
    for good, number in (+new).items():
        return [f"{word} {good}" + (" wild" if word == "pair" and number == 1 else "")]
    if wilds:
        return ["pair wild wild" if word == "pair" else "card wild"]
    return []


def _sort_laid_together(reveals: Reveals, after: State) -> None:
    """Sort tiles that were laid out together, since their order in the hidden stack is secret.

    These are the tiles of the forum, which come after those of the provinces, and the two bonus
    tiles on offer, which come after those of the players.
    """
    extra = reveals["extra_supply"]
    in_forum = sum(after["forum"]) - len(extra)
    reveals["extra_supply"] = sorted(extra)
    for key, together in (("forum_supply", in_forum), ("bonus_tiles", 2)):
        names = reveals[key]
        first = max(len(names) - together, 0)
        reveals[key] = [*names[:first], *sorted(names[first:])]


def _collect_reveals(
    position: Position, actions: Sequence[str], after: Position, observer: int
) -> Reveals:
    """Return what the first of `actions`, and the forced actions after it, reveal."""
    before, s = fields(position.to_bytes()), fields(after.to_bytes())
    result: Reveals = {}
    if before["decider"] != observer:
        done = [DONE] if DONE in actions[1:] else []
        result["then"] = _list_forced(before, s, actions[0]) + done
    draws = _list_drawn(before, s, "goods_deck")
    sights = list(zip(draws, _see_draws(position, actions, s, observer), strict=True))
    in_hand = iter(sorted(good for good, draw in sights if draw is Draw.IN_HAND))
    result["goods_deck"] = [
        next(in_hand) if draw is Draw.IN_HAND else good
        for good, draw in sights
        if draw is not Draw.UNSEEN
    ]
    for i, side in enumerate(SIDES):
        if s["pile_unknown"][i] < before["pile_unknown"][i]:
            place = s["pile_size"][i] - 1 if i == 0 else rules.DECK_CARDS - s["pile_size"][i]
            result[side] = [C.goods[s["piles"][place] - 1]]
    for key in HIDDEN_STACKS:
        if key != "goods_deck":
            result[key] = _list_drawn(before, s, key)
    _sort_laid_together(result, s)
    result |= _new_tops(before, s)
    return {key: names for key, names in result.items() if names}


# ---- Carrying a move out ----------------------------------------------------------------------


def _position(position: Position, s: State) -> Position:
    game: Game = position.game
    return game.from_bytes(relist(state_bytes(s)), position.origin, position.ply)


def list_possible(position: Position, observer: int) -> list[str]:
    """Return the actions that are legal in some position that looks the same to `observer`."""
    if position.player is None or position.player == observer:
        return position.legal()
    s = fields(position.to_bytes())
    s["player"][s["decider"]]["hand"] = _largest_hand(s, observer)
    return _position(position, s).legal()


def _play(position: Position, actions: Sequence[str]) -> Position:
    """Return the position after the first action and every further action that is legal."""
    player = position.player
    result = position.after(actions[0])
    for action in actions[1:]:
        if result.player == player and action in result.legal():
            result = result.after(action)
    return result


def _draw_fillings(action: str, decision: str) -> Iterator[Counter[str]]:
    """Yield sets of cards, small ones first, that may give another player a choice."""
    yield Counter()
    if not action.startswith(BEGINS_LAYING) or decision == "play":
        return
    for number in (1, 2):
        for good in C.goods:
            yield Counter({good: number})
    for number in (1, 2):
        for one, other in combinations(C.goods, 2):
            yield Counter({one: number, other: number})


def _find_cards(
    position: Position, observer: int, actions: Sequence[str], stated: Reveals
) -> Counter[str]:
    """Return hand cards for the player to move that make `actions` legal.

    If `stated` has no ``then``, the cards give the player a choice afterwards if such cards exist.
    """
    needed: Counter[str] = sum(map(cards_needed, actions), Counter())
    if position.player == observer or "then" in stated:
        return needed
    feasible: list[Counter[str]] = []
    problems = []
    decision = decision_of(fields(position.to_bytes()))
    for more in _draw_fillings(actions[0], decision):
        try:
            world = _arrange(position, observer, needed + more, [], stated)
            result = _play(world, actions)
        except TrajanError as error:
            problems.append(error)
            continue
        feasible.append(needed + more)
        if not _has_finished_laying(
            fields(world.to_bytes()), fields(result.to_bytes()), actions[0]
        ):
            return feasible[-1]
    if not feasible:
        raise problems[0]
    return feasible[0]


def _arrange(
    position: Position,
    observer: int,
    cards: Counter[str],
    draws: Sequence[str | None],
    stated: Reveals,
) -> Position:
    """Return a position in which the player to move has `cards` and the stacks show `stated`.

    `draws` are the cards that come off the deck; None stands for any card.
    """
    s = fields(position.to_bytes())
    _deal_goods(s, observer, cards, draws, stated)
    _put_on_tops(s, stated)
    for key, names in stated.items():
        if key.startswith(STACK):
            _put_on_trajan_stack(s, key.removeprefix(STACK), names)
    return _position(position, s)


def put_in_hand(position: Position, observer: int, things: Sequence[str]) -> Position:
    """Return a position in which the player to move has the cards that `things` lay."""
    if position.player == observer:
        return position
    cards = sum(map(cards_needed, things), Counter())
    return _arrange(position, observer, cards, [], {})


def lay_in_view(view: Mapping[str, Any], things: Sequence[str]) -> dict[str, Any]:
    """Return a view after its player has laid `things`; see `HasSets`."""
    pending = dict(view["to_decide"])
    player = pending["player"]
    board = dict(view["players"][player])
    if pending["decision"] == "marker":
        tray = C.trays[pending.get("step", 0) // 2]
        colours = [thing.split()[1] for thing in things]
        board["trays"] = {**board["trays"], tray: [*board["trays"][tray], *colours]}
        markers: Counter[str] = Counter(pending["markers_in_hand"])
        pending["markers_in_hand"] = list((markers - Counter(colours)).elements())
    else:
        cards = sum(map(cards_needed, things), Counter())
        tiles: Counter[str] = Counter(board["forum_tiles"])
        tiles["wild-goods"] -= sum(thing.split().count("wild") for thing in things)
        board["hand_size"] -= cards.total()
        board["display"] = dict(Counter(board["display"]) + cards)
        board["forum_tiles"] = dict(+tiles)
        for key in board.keys() & {"hand", "known_cards"}:
            held: Counter[str] = Counter(board[key])
            board[key] = dict(held - cards)
    players = [board if i == player else one for i, one in enumerate(view["players"])]
    return {**view, "to_decide": pending, "players": players}


def _list_events(position: Position, actions: Sequence[str], observer: int) -> list[Event]:
    """Return the events of the actions that `_play` plays, as `observer` sees them."""
    player = position.player
    events = position.events(actions[0], observer)
    position = position.after(actions[0])
    for action in actions[1:]:
        if position.player == player and action in position.legal():
            events += position.events(action, observer)
            position = position.after(action)
    return events


def carry_out(
    position: Position, observer: int, action: str | None, reveals: Mapping[str, object]
) -> MoveOutcome:
    """Return the outcome of a move; see `HasFollowing`."""
    if action is None:
        raise TrajanError("every move of Trajan is visible, so it must be named")
    stated = _read(reveals)
    actions = [action, *stated.get("then", [])]
    cards = _find_cards(position, observer, actions, stated)
    world = _arrange(position, observer, cards, [], stated)
    result = _play(world, actions)
    goods = iter(stated.get("goods_deck", []))
    if "goods_deck" in stated:
        sights = _see_draws(world, actions, fields(result.to_bytes()), observer)
        draws = [None if draw is Draw.UNSEEN else next(goods, None) for draw in sights]
        world = _arrange(position, observer, cards, draws, stated)
        result = _play(world, actions)
    result_reveals = _collect_reveals(world, actions, result, observer)
    result_reveals["goods_deck"] = [
        *result_reveals.get("goods_deck", []),
        *goods,
    ]  # with the stated goods for which there is no draw
    revealed = {key: names for key, names in result_reveals.items() if names}
    return MoveOutcome(result, revealed, _list_events(world, actions, observer))


def _read(reveals: Mapping[str, object]) -> Reveals:
    """Return reveals with canonical keys and names."""
    allowed: dict[str, Sequence[str]] = {key: NAMES[key] for key in HIDDEN_STACKS}
    allowed |= {"then": ACTIONS}
    allowed |= dict.fromkeys(SIDES, C.goods)
    allowed |= {STACK + stack: C.stack_names(stack) for stack in C.stacks}
    return read_reveals(reveals, allowed)


# ---- In words ---------------------------------------------------------------------------------


def _count_choices(s: State, observer: int, key: str) -> Counter[str]:
    """Return the names that may be stated for a key, with the number of copies of each."""
    if key in ("goods_deck", *SIDES):
        return +unseen_goods(s, observer)
    if key.startswith(STACK):
        number = C.stacks.index(key.removeprefix(STACK))
        return Counter(sorted(_hidden_tiles(s, number)))
    return +_pool(s, key)


def _describe(key: str, count: int, position: Position, after: Position, observer: int) -> str:
    """Return a description of the names that are stated for a key, such as the pieces' places."""
    before, s = fields(position.to_bytes()), fields(after.to_bytes())
    if key == "goods_deck" and decision_of(before) == "marker":
        return tr("the first card of the left pile, then of the right one")
    if key == "goods_deck" and count == 1:
        drew = before["decider"] == observer and s["pile_size"] == before["pile_size"]
        return tr("the card that you draw" if drew else "the new card of the pile")
    if key == "forum_supply":
        filled = [
            province
            for province, old, new in zip(
                C.provinces, before["provinces"], s["provinces"], strict=True
            )
            if new and not old
        ]
        if filled:
            return tr(
                "the new tiles of the forum supply: first those on {places}, then the forum's",
                places=", ".join(map(thing, filled)),
            )
        return tr("the new tiles of the forum supply: those in the forum")
    if key == "bonus_tiles" and decision_of(before) == "marker":
        return tr("the bonus tiles of players 0, 1, .., then the two on offer")
    if key.startswith(STACK):
        return tr("the new top of the stack {stack}", stack=thing(key.removeprefix(STACK)))
    return tr(WORDS[key])


def list_questions(
    position: Position, after: Position, observer: int, reveals: Reveals
) -> list[Question]:
    """Return a question for each key of `reveals`."""
    result = []
    s = fields(position.to_bytes())
    for key, names in reveals.items():
        text = _describe(key, len(names), position, after, observer)
        if key == "then":
            laid = [action for action in ACTIONS if action.startswith(("pair ", "card "))]
            question = Question(key, len(names), text, laid, [phrase(one) for one in laid])
        else:
            copies = _count_choices(s, observer, key)
            question = Question(
                key=key,
                count=len(names),
                text=text,
                names=list(copies),
                labels=[thing(one) for one in copies],
                left=list(copies.values()),
                supply="goods" if key in ("goods_deck", *SIDES) else "",
            )
        result.append(question)
    return result


def list_reveals(position: Position, action: str, after: Position, observer: int) -> Reveals:
    """Return the reveals of a move in a game without unknown parts; see `HasFollowing`."""
    return _collect_reveals(position, [action], after, observer)
