"""The actions and components of Trajan in words."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trajan_ai.core import languages
from trajan_ai.core.events import Event
from trajan_ai.core.languages import tr
from trajan_ai.games.kit.event_texts import choose_text
from trajan_ai.games.trajan.components import COMPONENTS as C
from trajan_ai.games.trajan.fields import SENATE, next_space

_EXACT = {
    "draw": "draw two cards",
    "ship pairs": "ship pairs",
    "ship different": "ship different goods",
    "recruit": "recruit a legionnaire",
    "deploy": "send a legionnaire to the leader",
    "senate": "advance in the senate",
    "hire": "hire a worker",
    "effect": "carry out the tile's effect",
    "no effect": "forgo the tile's effect",
    "extra": "use the extra-action tile",
    "extra wild": "use the wild action tile",
    "no extra": "keep the tile",
    "done": "stop there",
}
_PATTERNS = {
    "marker": "place markers: {0}",
    "goods": "take a goods card from {0}",
    "start": "take the top tile of the stack for {0}",
    "sow": "sow tray {0}",
    "drop": "put {0} into the next tray",
    "plus2": "put the +2 marker on {0}",
    "take": "take the top card of the {0} pile",
    "pass": "do nothing",
    "play": "display {0}",
    "discard": "put {0} onto the {1} pile",
    "card": "{0}",
    "march": "move the leader to {0}",
    "tile": "take the top tile of the stack for {0}",
    "build": "place a worker on {0}",
    "forum": "take {0} from the forum",
    "ship": "ship {0}",
    "pair": "pairs of {0}",
    "bonus": "take the bonus tile {0}",
    "pay": "pay the demands with {0}",
}
_JOINED = ("marker", "drop", "pair", "card", "play")  # several in a row form one clause
_OPENED = {"pair": ("ship pairs", " of "), "card": ("ship different goods", ": ")}
_EXTRA = {"extra": "with the extra-action tile", "extra wild": "with the wild action tile"}
_SILENT = ("done", "no extra")  # omitted when a whole turn is described
# patterns for an action without a clause before it
_SENTENCES = {"card": "ship {0}", "pair": "ship a pair: {0}"}
_NAMES = {
    "plus2": "+2 marker",
    "trajan": "Trajan",  # the action
    "figure": "supply",
    "legion": "legionnaire",
    "legions": "legionnaires",
    "cards2": "2 cards",
    "worker1": "1 worker",
    "worker2": "2 workers",
    "legion1": "1 legionnaire",
    "legion2": "2 legionnaires",
}
# Patterns for actions to which `detail` has added the tray, the Trajan tile, or the goods on top
# of a pile.
_DETAILED = {
    "goods": "take a goods card from the {1} pile: {0}",
    "take": "take the top card of the {1} pile: {0}",
    "marker": "put {0} into tray {1}",
    "drop": "put {0} into tray {1}",
    "start": "take the Trajan tile {0} for tray {1}",
    "tile": "take the Trajan tile {0} for tray {1}",
}

FORGO = "forgo the {0} action"  # in the log

# See `HasDeclining`.
DECLINING = {"pass": True, "no effect": True, "no extra": False, "done": False}

# See `HasPrompts`.
GROUPS = {"play": "display cards", "ship": "ship goods"}
QUESTIONS = {"discard": "On which pile do you discard it?"}

INSTRUCTIONS = {
    "marker": "place the next marker in tray {tray} ({count} left). Later, you take Trajan "
    "tiles that match their colours.",
    "goods": "take a goods card from the deck or a pile of the seaport ({number} of 3). Prefer "
    "equal cards and cards that your bonus tile scores.",
    "start": "choose a Trajan tile for tray {tray} ({number} of 3), each from a different stack. "
    "Colours that lie in this tray or in those before it are best.",
    "sow": "choose a tray to sow. Each of its markers costs one space of time.",
    "drop": "place the next marker in tray {tray} ({count} left).",
    "seaport": "Seaport. Draw two cards, take a discarded card, display one or two cards, "
    "or ship.",
    "seaport 1": "Seaport. Draw two cards, take a discarded card, display a card, or ship.",
    "seaport 0": "Seaport. Draw two cards or take a discarded card.",
    "seaport wild": "Seaport. Draw two cards, take a discarded card, or ship wild goods.",
    "forum": "Forum. Take one tile.",
    "military": "Military. Recruit a legionnaire ({supply} in supply), send one to the leader "
    "({legionnaires} in camp), or move the leader on.",
    "military camp": "Military. Recruit a legionnaire ({supply} in supply), or move the leader "
    "out of the camp.",
    "military 0": "Military. Recruit a legionnaire ({supply} in supply), or move the leader on.",
    "senate": "Senate. Advance for {vp} VP, or do nothing.",
    "trajan": "Trajan. Take a Trajan tile for tray {tray}.",
    "construction": "Construction. Hire a worker ({supply} in supply), or build "
    "({workers} in camp).",
    "construction 0": "Construction. Hire a worker ({supply} in supply).",
    "effect": "carry out the effect of the tile {tile}, or forgo it.",
    "plus2": "choose the action for the +2 marker. Extra-action tiles can then repeat that "
    "action twice.",
    "discard": "discard a card. Choose the card and its pile.",
    "play": "display a second card, or stop.",
    "pair": "choose a pair to ship ({number} of up to 3).",
    "card": "choose a card to ship ({number} of up to 4).",
    "extra": "use a tile to repeat the action ({action}), or keep the tile.",
    "bonus": "choose a bonus tile in the senate.",
    "payment": "cover the demands ({demands}). One, two or three unmet ones cost {losses} VP.",
}

# Reasons for a free action of another field, by the kind of building that gives the action. Only
# the first building of a kind gives one.
FREE_ACTIONS = {
    "stairs": "The first stairs give this action.",
    "door": "The first door gives this action.",
    "fountain": "The first fountain gives this action.",
    "roof": "The first roof gives this action.",
    "window": "The first window gives this action.",
}

# See `choose_text`. Each text is the rest of a sentence about the event's player, or a whole
# sentence if the event has no player.
EVENTS = {
    "place_marker": "places the {thing} marker in tray {tray}",
    "sow": "sows tray {thing} and spends {count} spaces of time",
    "sow 1": "sows tray {thing} and spends a space of time",
    "action": "gets the {thing} action",
    "pass": "forgoes the {thing} action",
    "use_tile": "spends the tile {thing} ({count})",
    "use_tile 1": "spends the tile {thing}",
    "take_tile": "takes the Trajan tile {thing}",
    "fulfil": "fulfils the Trajan tile {thing}",
    "place_plus2": "puts the +2 marker on {thing}",
    "cover_demand": "covers a demand for {thing} in every quarter",
    "get_workers": "gets {count} workers",
    "get_workers 1": "gets a worker",
    "get_legionnaires": "gets {count} legionnaires",
    "get_legionnaires 1": "gets a legionnaire",
    "draw": "draws {thing}",
    "draw hidden": "draws {count} cards",
    "draw hidden 0": "draws a card",
    "take_card": "takes {thing} from a discard pile",
    "lay_off": "discards {thing}",
    "turn_up hidden": "a card from the deck starts a discard pile",
    "turn_up": "{thing} from the deck starts a discard pile",
    "lay_out": "displays {thing} ({count})",
    "lay_out 1": "displays {thing}",
    "ship equal": "ships {count} equal goods",
    "ship equal 1": "ships a card on the ship for equal goods",
    "ship pairs": "ships {count} pairs",
    "ship pairs 1": "ships a pair",
    "ship different": "ships {count} different goods",
    "ship different 1": "ships a card on the ship for different goods",
    "take_forum_tile": "takes the tile {thing} from the forum",
    "march": "moves the leader to {thing}",
    "take_province_tile": "takes the tile {thing} of the province",
    "deploy": "sends a legionnaire to {thing}",
    "place_worker": "places a worker on {thing}",
    "build": "builds {thing}",
    "build 1": "builds {thing}, the first of its kind, and gets the {action} action",
    "build 2": "builds {thing}, the second of its kind",
    "build 3": "builds {thing}, the third of its kind: a set for {set} VP at the end",
    "build 4": "builds {thing}, the fourth of its kind: a set for {set} VP at the end",
    "advance": "advances in the senate",
    "reveal_demand hidden": "the round ends: a demand is revealed",
    "reveal_demand": "the round ends: a demand for {thing} is revealed",
    "meet_demands": "meets {count} demands",
    "meet_demands 1": "meets a demand",
    "miss_demands": "misses {count} demands",
    "miss_demands 1": "misses a demand",
    "count_votes": "has {count} votes in the senate",
    "count_votes 1": "has a vote in the senate",
    "count_votes 0": "has no votes in the senate",
    "win_gold": "gets the bonus tile for {thing}, gold side up",
    "win_silver": "gets the bonus tile for {thing}, silver side up",
    "end_quarter": "quarter {count} ends",
    "offer_bonus hidden": "a bonus tile is on offer",
    "offer_bonus": "a bonus tile for {thing} is on offer",
    "score_cards": "scores {count} cards in hand",
    "score_cards 1": "scores a card in hand",
    "score_workers": "scores {count} workers in the camp",
    "score_workers 1": "scores a worker in the camp",
    "score_legionnaires": "scores {count} legionnaires in the camp",
    "score_legionnaires 1": "scores a legionnaire in the camp",
    "score_tiles": "scores {count} Trajan tiles left on slots",
    "score_tiles 1": "scores a Trajan tile left on a slot",
    "score_sets": "scores sets of buildings",
    "score_symbols": "scores bonus tiles for bread, games and religion",
    "score_goods": "scores bonus tiles for goods",
    "score_figures": "scores bonus tiles for figures and gold sides",
}


def phrase(action: str) -> str:
    """Return one action in words, such as ``take religion from the forum``."""
    return _format(action, _PATTERNS, tr)


def sentence(action: str) -> str:
    """Return one action in the third person, such as ``takes religion from the forum``."""
    kind, *rest = action.split()
    if kind == "drop" and rest[1:]:  # a line of the log below that of sowing the tray
        words = [*map(thing, rest)]
        pairs = zip(words[::2], words[1::2], strict=True)
        return ", ".join(tr("{0} into {1}").format(*pair) for pair in pairs)
    if kind == "pass" and rest:
        return languages.narrate(FORGO).format(thing(rest[0]))
    text = _format(action, _PATTERNS | _SENTENCES, languages.narrate)
    if kind == "sow" and rest[1:]:
        reached = thing(C.actions[C.trays.index(rest[1])])
        text += tr(", last marker into tray {tray}: {action}", tray=rest[1], action=reached)
    return text


def _format(action: str, patterns: dict[str, str], form: Callable[[str], str]) -> str:
    kind, *rest = action.split()
    if action in _EXACT:
        return form(_EXACT[action])
    if kind in _DETAILED and rest[1:]:
        return form(_DETAILED[kind]).format(*map(thing, rest))
    if kind == "sow" and rest[1:] and form is tr:
        reached = thing(C.actions[C.trays.index(rest[1])])
        return tr("sow tray {0} to {1} ({2})").format(*rest, reached)
    pattern = patterns[kind]
    if kind == "forum" and rest[0].startswith("extra-"):
        pattern = "take the {0} from the forum"
    elif kind == "bonus" and rest[0].startswith("bonus-"):
        pattern, rest = "take the bonus tile for {0}", [rest[0].removeprefix("bonus-")]
    return form(pattern).format(*_objects(kind, rest))


def happening(event: Event) -> str:
    """Return what happened, such as ``fulfils the Trajan tile +2 marker (pink, white)``."""
    text = choose_text(EVENTS, event)
    name = event.thing or ""
    return tr(
        text,
        thing=thing(name.removeprefix("bonus-") if "bonus tile" in text else name),
        count=event.count,
        tray=C.trays[event.count - 1] if event.name == "place_marker" else "",
        action=thing(C.data["buildings"][name[:-1]]) if event.name == "build" else "",
        set=C.data["building_sets"].get(event.count, 0) if event.name == "build" else 0,
    )


def explain_end(events: Sequence[Event], look: Callable[[], Mapping[str, Any]]) -> dict[int, str]:
    """Return why a player is first in the senate at the end of a quarter; see `HasEndReasons`."""
    votes = {
        event.player: event.count
        for event in events
        if event.name == "count_votes" and event.player is not None
    }
    first = next(iter(votes), None)  # votes are counted in the order of the ranking
    if first is None:
        return {}
    tied = [player for player, count in votes.items() if count == votes[first]]
    if tied == [first]:
        return {first: tr("has the most votes and chooses first")}
    spaces = [SENATE.index(board["senate"]) for board in look()["players"]]
    for event in events:
        if event.name == "advance" and event.player is not None:
            spaces[event.player] = event.count
    is_ahead = all(spaces[player] < spaces[first] for player in tied if player != first)
    if is_ahead:
        return {
            first: tr("wins the tie in the senate, with the disc further ahead, and chooses first")
        }
    return {first: tr("wins the tie in the senate, with the disc on top, and chooses first")}


def detail(action: str, look: Callable[[], Mapping[str, Any]]) -> str:
    """Return an action in words, with details: the tile, the trays, the goods or the action.

    `look` returns the view of the decision.
    """
    kind, *rest = action.split()
    if kind not in (*_DETAILED, "sow", "pass") or rest == ["deck"]:
        return action
    view = look()
    if kind == "pass":
        return f"{action} {view['to_decide']['decision']}"
    if kind == "sow":
        markers = view["players"][view["to_decide"]["player"]]["trays"][rest[0]]
        target = (C.trays.index(rest[0]) + len(markers)) % len(C.trays)
        return f"{action} {C.trays[target]}"
    if kind in ("goods", "take"):
        return f"{kind} {view['discard_piles'][rest[0]][-1]} {rest[0]}"
    name = rest[0] if rest[0] in C.colours else view["trajan_tops"].get(rest[0], rest[0])
    tray = _find_tray(view)
    forced = _list_forced_markers(view, name, tray) if kind == "drop" else []
    return " ".join([kind, name, tray, *forced])


def _list_forced_markers(view: Mapping[str, Any], name: str, tray: str) -> list[str]:
    """Return the markers that are forced to follow the marker `name`, each with its tray."""
    markers = list(view["to_decide"]["markers_in_hand"])
    markers.remove(name)
    if len(set(markers)) != 1:
        return []
    first = C.trays.index(tray) + 1
    trays = [C.trays[(first + i) % len(C.trays)] for i in range(len(markers))]
    return [word for pair in zip(markers, trays, strict=True) for word in pair]


def _find_tray(view: Mapping[str, Any]) -> str:
    """Return the tray or slot that the pending decision is about."""
    pending = view["to_decide"]
    step = int(pending.get("step", 0))
    if pending["decision"] == "marker":
        return str(C.trays[step // 2])
    if pending["decision"] == "start":
        return str(C.trays[2 * step + 1])
    arch: str = view["players"][pending["player"]]["arch"]
    return str(pending.get("next_tray", arch))


def instruct(view: Mapping[str, Any]) -> str:
    """Return an instruction for the player to move, printed after words like ``Your turn:``."""
    pending = view["to_decide"]
    kind, step = pending["decision"], int(pending.get("step", 0))
    board = view["players"][pending["player"]]
    text = tr(
        INSTRUCTIONS[_find_instruction(kind, board)],
        tray=_find_tray(view),
        count=len(pending.get("markers_in_hand", [])),
        number=step + 1,
        supply=board["supply"],
        legionnaires=board["military_camp"],
        workers=board["worker_camp"],
        vp=next_space(board["senate"]),
        tile=thing(pending.get("effect", "")),
        action=thing(pending.get("free_action") or pending.get("action", "")),
        demands=", ".join(tr(name) for name, n in view["demands"].items() for _ in range(n)),
        losses=", ".join(map(str, C.data["demand_loss"][1:])),
    )
    return f"{text} {_explain(pending)}".rstrip()


def _find_instruction(decision: str, board: Mapping[str, Any]) -> str:
    """Return the key of the instruction that omits what the hand, camp or leader rules out."""
    if decision == "military" and board["leader"] == "camp":
        return "military camp"
    camp = {"military": "military_camp", "construction": "worker_camp"}.get(decision)
    if camp and not board[camp]:
        return f"{decision} 0"
    hand = sum(board["hand"].values()) if "hand" in board else board["hand_size"]
    if decision != "seaport" or hand > 1:
        return decision
    has_wild = not hand and board["forum_tiles"].get("wild-goods", 0)
    return "seaport wild" if has_wild else f"seaport {hand}"


def _explain(pending: Mapping[str, Any]) -> str:
    """Return why the player takes an action other than that of the last marker's tray."""
    if pending["decision"] not in C.actions:
        return ""
    repeating = pending.get("repeating")
    if repeating == "free_action" or (repeating and not pending.get("in_free_action")):
        return tr("The extra action repeats this action.")
    if pending.get("in_free_action"):
        gives: Mapping[str, str] = C.data["buildings"]
        kind = next(kind for kind, action in gives.items() if action == pending["free_action"])
        return tr(FREE_ACTIONS[kind])
    return ""


def _objects(kind: str, rest: Sequence[str]) -> list[str]:
    if kind == "ship":
        return [_shipment(rest[1], int(rest[2]), int(rest[3]))]
    if kind in ("pair", "card"):
        return [_goods(rest)]
    if kind == "pay":
        return [", ".join(map(thing, rest[0].split("+")))]
    if kind == "goods":
        return [tr("the deck" if rest[0] == "deck" else f"the {rest[0]} pile")]
    if kind in ("sow", "build"):
        return list(rest)
    return [thing(word) for word in rest]


def thing(name: str) -> str:
    """Return the everyday name of a tile, card, marker or place, given its name in records."""
    effect, *colours = name.split("-")
    tile = C.tile.get(name)
    if tile is not None:
        effect = f"{tile.vp} {tr('VP')}" if effect == "points" else thing(effect)
        return f"{effect} ({', '.join(map(tr, colours))})"
    if name in _NAMES:
        return tr(_NAMES[name])
    if name in C.provinces:
        return name.replace("-", " ").capitalize()  # as printed on every edition's board
    if name in C.buildings:
        return f"{tr(name[:-1])} {name[-1]}"
    if name.startswith("votes") and name != "votes":
        return tr("{count} votes", count=name[-1])
    if name.startswith("extra-"):
        return tr("extra {action} action", action=thing(name.removeprefix("extra-")))
    if effect in C.goods and colours:
        return f"{tr(effect)} + {tr(colours[0])}"
    if effect == "bonus" and colours:
        return tr("bonus for {thing}", thing=tr(colours[0]))
    return tr(name.replace("-", " "))


def turn(actions: Sequence[str]) -> str:
    """Return the actions of a turn in words, with related actions in one clause.

    The results of an extra action form a separate part.
    """
    if len(actions) == 1:
        return _format(actions[0], _PATTERNS | _SENTENCES, tr)
    parts: list[list[str]] = [[]]
    kind_before = lead = ""
    for action in actions:
        kind, clauses = action.split()[0], parts[-1]
        if action in _SILENT:
            kind_before = ""
        elif action in _EXTRA:
            parts.append([])
            lead, kind_before = f"{tr(_EXTRA[action])}, ", ""
        elif kind == kind_before and kind in _JOINED:
            clauses[-1] += f", {_object(action)}"
        elif kind == "drop":
            if kind_before != "sow":
                clauses.append(tr("sow on"))
            clauses[-1] += f": {_object(action)}"
            kind_before = kind
        elif kind in _OPENED and clauses and clauses[-1].endswith(tr(_OPENED[kind][0])):
            clauses[-1] += tr(_OPENED[kind][1]) + _object(action)
            kind_before = kind
        else:
            clauses.append(lead + phrase(action))
            lead, kind_before = "", kind
    if lead:
        parts[-1].append(lead.removesuffix(", "))
    return tr("; then, ").join("; ".join(clauses) for clauses in parts if clauses)


def _object(action: str) -> str:
    kind, *rest = action.split()
    return _objects(kind, rest)[0]


def _goods(words: Sequence[str]) -> str:
    if list(words) == ["wild", "wild"]:
        return tr("two wilds")
    if words[0] == "wild":
        return tr("a wild")
    return tr("{good} and a wild", good=tr(words[0])) if len(words) > 1 else tr(words[0])


def _shipment(good: str, cards: int, wilds: int) -> str:
    with_wilds = tr("{count} wild goods", count=wilds)
    if good == "wild":
        return with_wilds
    return f"{cards} {tr(good)}" + (f" + {with_wilds}" if wilds else "")
