"""The actions and components of Forum Trajanum in words."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from trajan_ai.core import languages
from trajan_ai.core.events import Event
from trajan_ai.core.languages import figure, tr
from trajan_ai.games.forum_trajanum import rules
from trajan_ai.games.forum_trajanum.components import COLLECT_TASKS, DEFAULT, Card, load
from trajan_ai.games.forum_trajanum.fields import HIDDEN
from trajan_ai.games.forum_trajanum.notation import (
    ACTIONS,
    BOARD_CELLS,
    BONUSES,
    CITIZENS,
    CLASSES,
    COLOURS,
    CORNERS,
    LEVELS,
    MOSAIC_CELLS,
    RESOURCES,
    STREETS,
    TILE_NAMES_IN_ORDER,
)
from trajan_ai.games.forum_trajanum.views import cards_of_round, name_street
from trajan_ai.games.kit.event_texts import choose_text

_EXACT = {
    "no reserve": "take no tile from the reserve",
    "use own": "use your own tile",
    "use received": "use the received tile",
    "use both own": "use both tiles for two tribunes, your own first",
    "use both received": "use both tiles for two tribunes, the received one first",
    "no envoy": "send no envoy",
    "step": "move the slider one step",
    "cypress": "move the slider to the next cypress row",
    "promote": "promote an assistant to a builder",
    "no build": "build nothing",
}
_PATTERNS = {
    "crane": "put the {0} crane on the next corner",
    "seat": "seat the citizen in row {0}",
    "corner": "put the second citizen on corner {0}",
    "skip": "take nothing for {0}",
    "keep": "keep the tile for {0}",
    "reserve": "take {0} from the reserve",
    "use": "use the tile on {0}",
    "gain": "take {0}",
    "bonus": "take {0} as an area bonus",
    "envoy": "send an envoy to row {0}, column {1} of the Forum",
    "swap": "swap {0} for {1}",
    "train": "train an assistant as a {0} worker",
    "exchange": "exchange two {0} workers for a builder",
    "pay": "pay {0}",
    "reward": "take the reward of {0}, step {1}",
    "wage": "pay the citizens of row {0}",
    "no": "leave the citizens of row {1} unpaid",
    "take": "take the tile from {1} for {0}",
    "build": "build {0} on {1}",
}

# What the tasks of Trajan cards ask for, by their patterns and their demands.
BUILDING_TASKS = {
    rules.PATTERN_GKG_ACROSS: "a structure between two grey buildings, side by side",
    rules.PATTERN_TEMPLE_ABOVE_BELOW: "a building above and one below the same temple",
    rules.PATTERN_TWO_GREYS_DOWN: "two different grey buildings, one above the other",
    rules.PATTERN_CRANE_SIDES: "buildings on both sides of a crane",
    rules.PATTERN_SQUARE: "four buildings in a square",
    rules.PATTERN_KGK_DOWN: "a grey building between two structures, one above the other",
    rules.PATTERN_FOUR_COLOURS: "a structure of each colour, anywhere",
    rules.PATTERN_GKG_DOWN: "a structure between two grey buildings, one above the other",
    rules.PATTERN_KGGK_DOWN: "two grey buildings between two structures, one above the other",
    rules.PATTERN_THREE_COLOURS_DOWN: "structures of three colours, one above the other",
    rules.PATTERN_TEMPLE_DIAGONALS: "structures at all four corners of a temple",
    rules.PATTERN_THREE_GREYS_DOWN: "three different grey buildings, one above the other",
}
COLLECTING_TASKS = {
    "worker": "workers of any colour: {count}",
    "ship_envoy": "envoys on the ship: {count}",
    "columns_in_colonia": "columns in the Colonia: {count}",
    "used_cranes": "used cranes: {count}",
    "forum_marker_at_column": "markers that have reached Trajan's Column: {count}",
    "active_citizens_distinct_classes": "pairs of active citizens of different classes: {count}",
    "active_citizen_each_class": "active citizens of each class: {count}",
    "workers_distinct_colours": "pairs of workers of different colours: {count}",
}

# See `HasDeclining`.
DECLINING = {
    "skip": True,
    "no reserve": True,
    "no envoy": True,
    "no build": False,
    "no wage": False,
}

# The keys are decisions, or the first words of decisions.
INSTRUCTIONS = {
    "crane": "choose the crane for corner {about}. Taking the tile there opens it. It then scores "
    "what you have built in its colour.",
    "seat": "seat the {about} in row {row} or {next_row}. Each has an ability, and the grey "
    "buildings beside it score more.",
    "corner": "choose the corner of your second citizen. The third goes to the opposite corner. "
    "Both can be taken later, like any tile. After the setup you get a random worker.",
    "novice": "choose the tile of another citizen.",
    "take": "take a tile from {streets}.",
    "take anywhere": "take a tile from {streets}, or from anywhere for a tribune "
    "({tribunes} left).",
    "keep": "choose the tile that you keep. The other one goes to the neighbour on the right.",
    "reserve": "take a tile from the reserve, or none.",
    "use": "use your own tile or the received one.",
    "use both": "use your own tile or the received one, or both for two tribunes "
    "({tribunes} left).",
    "gain coin or tribune": "take a coin or a tribune.",
    "gain coin or assistant": "take a coin or an assistant.",
    "gain worker": "choose the colour of your worker.",
    "bonus": "choose an area bonus.",
    "bonus twice": "choose the first of two area bonuses.",
    "bonus but": "choose a second area bonus, not {about}.",
    "envoy": "send an envoy to a {about} cell of the Forum ({envoys} on your ship).",
    "envoy any": "send an envoy to a coloured cell of the Forum ({envoys} on your ship).",
    "envoy eagle": "send an envoy to an eagle of the Forum ({envoys} on your ship).",
    "upgrade": "prestige: move your slider one step, or to the next cypress row.",
    "build": "choose a building and its place, or build nothing.",
    "pay": "choose what you pay with. You chose: {paying}.",
    "reward": "take a reward on the track of the {about}: that of its step, or of the one before.",
    "tile": "choose one of your tiles to use.",
    "wage": "pay row {about} with a coin ({coins} left), or leave its citizens unpaid: they turn "
    "inactive.",
}

_SENTENCES = {
    "use own": "use their own tile",
    "use both own": "use both tiles for two tribunes, their own first",
}
# Kinds of actions whose words count resources.
_PAID = ("gain", "pay", "reserve", "swap", "bonus")
# Kinds of actions that begin with the number of a street card.
_ON_CARDS = ("skip", "keep", "take")
_ONE_OF = {
    "builder": "a builder",
    "assistant": "an assistant",
    "coin": "a coin",
    "tribune": "a tribune",
    "upgrade": "a prestige step",
    "vp": "VP",
    "patrician": "a patrician",
    "merchant": "a merchant",
    "craftsman": "a craftsman",
}
_MANY_OF = {
    "builder": "{count} builders",
    "assistant": "{count} assistants",
    "coin": "{count} coins",
    "tribune": "{count} tribunes",
}
_NAMES = {
    "upgrade": "prestige",
    "laurel": "area bonus",
    "m-eagle": "eagle",
    "anyworker": "worker of any colour",
    "tile": "a tile of the Colonia",
    "building-action": "another building action",
    "bust": "bust of Trajan",
}
_ALL_ACTIONS = frozenset(ACTIONS)
_TILES = frozenset(TILE_NAMES_IN_ORDER)

# See `choose_text`. Each text is the rest of a sentence about the event's player, or a whole
# sentence if the event has no player.
EVENTS = {
    "place_crane": "puts the {thing} crane on corner {corner}",
    "place_females": "puts two citizens on corner {thing} and on the opposite corner",
    "take_tile": "takes the tile from {thing}",
    "open_crane": "opens the crane on corner {thing}",
    "skip_card": "takes nothing for a street card",
    "keep": "keeps a tile: {thing}",
    "keep hidden": "keeps a tile",
    "pass_on": "passes a tile to the right: {thing}",
    "pass_on hidden": "passes a tile to the right",
    "pick": "takes {thing} from the reserve",
    "show_own": "shows the tile that was kept: {thing}",
    "show_received": "shows the received tile: {thing}",
    "use": "gets {thing} from the tile",
    "reserve": "puts a tile into the reserve: {thing}",
    "board": "takes an envoy on board",
    "gain": "gets {resources}",
    "spend": "spends {resources}",
    "seat": "seats the citizen in row {thing}",
    "pay_wage": "pays the citizens of row {thing}",
    "miss_wage": "leaves the citizens of row {thing} unpaid",
    "upgrade": "moves the slider to prestige step {count}",
    "build": "builds {thing}",
    "advance": "advances to step {count} of the {thing}",
    "reward": "takes the reward of {thing}",
    "score_column": "scores Trajan's Column and the active citizens",
    "send_envoy": "sends an envoy to {thing} of the Forum",
    "complete_area": "completes an area",
    "bonus": "takes {thing} as the bonus of an area",
    "begin_round": "round {count} begins",
    "end_phase": "phase {count} ends",
    "score_cranes": "scores cranes",
    "score_colonia": "scores the Colonia",
    "score_eagles": "scores envoys at eagles",
    "score_area": "scores {count} envoys in a group",
    "score_area 1": "scores a single envoy",
    "fulfil_card": "completes {count} tasks of the Trajan card",
    "fulfil_card 1": "completes a task of the Trajan card",
    "miss_card": "completes no task of the Trajan card",
}

# What a move would bring, addressed to the player who may make it.
FORESEEN = {
    **EVENTS,
    "take_tile": "you take the tile from {thing}",
    "open_crane": "the crane on corner {thing} opens",
    "skip_card": "you take nothing for a street card",
    "keep": "you keep {thing}",
    "keep hidden": "you keep a tile",
    "pass_on": "your neighbour on the right gets {thing}",
    "pass_on hidden": "your neighbour on the right gets a tile",
    "pick": "you take {thing} from the reserve",
    "use": "the tile gives {thing}",
    "reserve": "a tile goes to your reserve: {thing}",
    "board": "an envoy comes on board",
    "gain": "you get {resources}",
    "spend": "it costs {resources}",
    "seat": "the citizen goes to row {thing}",
    "upgrade": "your slider moves to prestige step {count}",
    "advance": "your marker moves to step {count} of the {thing}",
    "score_column": "you score Trajan's Column and your active citizens",
    "send_envoy": "an envoy goes to {thing} of the Forum",
    "complete_area": "you complete an area",
    "bonus": "you take {thing} as the bonus of an area",
    "score_cranes": "you score your cranes",
    "score_colonia": "you score your Colonia",
    "score_eagles": "you score your envoys at eagles",
    "score_area": "you score {count} envoys in a group",
    "score_area 1": "you score a single envoy",
    "fulfil_card": "you complete {count} tasks of the Trajan card",
    "fulfil_card 1": "you complete a task of the Trajan card",
    "miss_card": "you complete no task of the Trajan card",
}
# Events without a line, because other lines or the name of the move mention them, or because they
# make no difference.
_UNSAID = {
    *("reward", "show_own", "show_received", "build", "begin_round"),
    *("pay_wage", "miss_wage"),
}
_COUNTED = ("spend", "gain")  # each is one sentence, with everything that is spent or gained


def phrase(action: str) -> str:
    """Return one action in words, such as ``build library on B3``."""
    return _format(action, tr)


def sentence(action: str) -> str:
    """Return one action in the third person, such as ``builds library on B3``."""
    if action in _SENTENCES:
        return languages.narrate(_SENTENCES[action])
    return _format(action, languages.narrate)


def _format(action: str, form: Callable[[str], str]) -> str:
    if action in _EXACT:
        return form(_EXACT[action])
    action, _, street = action.partition(" for ")
    kind, *rest = action.split()
    if kind == "build":
        rest = [rest[0], "+".join(rest[1:])]
    elif kind == "envoy":
        rest = rest[0].removeprefix("m").split(".")
    more = ", " + tr("for a tribune") if kind == "take" and rest[2:] else ""
    if kind == "keep" and rest[1:]:
        more = f": {count_things(rest[1])}"
    is_counted = kind in _PAID and rest[0] not in CITIZENS  # two of a class are two choices
    words = list(map(count_things if is_counted else thing, rest))
    if kind in _ON_CARDS:
        words[0] = word_street(street) if street else tr("street card {number}", number=rest[0])
    is_detailed = kind == "crane" and len(rest) > 1
    pattern = "put the {0} crane on corner {1}" if is_detailed else _PATTERNS[kind]
    return form(pattern).format(*words) + more


def describe_card(number: int, card: Card, vp: int | None) -> str:
    """Return what a Trajan card asks for, and the `vp` of a completed task if they are known."""
    demands = {name: n for name, n in zip(COLLECT_TASKS, card.collect, strict=True) if n}
    collected = [
        tr(COLLECTING_TASKS[name], count=count)
        if name in COLLECTING_TASKS
        else count_things("+".join([name] * count))
        for name, count in demands.items()
    ]
    words = tr(
        "Trajan card {number}. Building task: {task}. Collecting task: {things}.",
        number=number,
        task=tr(BUILDING_TASKS[card.build]),
        things="; ".join(collected),
    )
    if vp is None:
        return words
    return f"{words} {tr('Each completed task scores {vp} VP for you now.', vp=vp)}"


def list_things(name: str) -> str:
    """Return what a tile shows as a label, such as ``2 red workers and assistant``."""
    return count_things(name, has_article=False)


def count_things(name: str, *, has_article: bool = True) -> str:
    """Return what a tile shows as the object of a sentence: ``2 red workers and an assistant``.

    The sex of citizens matters only while they are set up.
    """
    things = []
    kinds = (one.removesuffix("-m").removesuffix("-f") for one in name.split("+"))
    for one, count in Counter(kinds).items():
        if one in _MANY_OF and count > 1:
            things.append(tr(_MANY_OF[one], count=count))
        elif one not in COLOURS:
            name = tr(_ONE_OF[one]) if has_article and one in _ONE_OF else thing(one)
            things += [f"{one} {tr('VP')}" if one.isdecimal() else name] * count
        elif count == 1:
            pattern = "a {colour} worker" if has_article else "{colour} worker"
            things.append(tr(pattern, colour=tr(one)))
        else:
            things.append(tr("{count} {colour} workers", count=count, colour=tr(one)))
    return tr(" and ").join(filter(None, [", ".join(things[:-1]), things[-1]]))


def is_paid(action: str) -> bool:
    """Return whether an action costs tribunes, unlike other actions of its decision."""
    return action.endswith(" tribune") if action.startswith("take ") else "use both" in action


def happening(event: Event) -> str:
    """Return what happened, such as ``opens the crane on corner A1``."""
    return _fill(choose_text(EVENTS, event), event)


def foresee(events: Sequence[Event]) -> list[str]:
    """Return what a move would bring, in sentences addressed to the player who may make it."""
    lines = []
    for event in events:
        if event.name in _UNSAID:
            continue
        same = [one for one in events if one.name == event.name in _COUNTED] or [event]
        things = (f"{one.thing}" for one in same for _ in range(one.count or 1))
        words = _fill(choose_text(FORESEEN, event), event, "+".join(things))
        vp = f": {figure(event.vp)} {tr('VP')}" if event.vp else ""
        lines.append(f"{words[0].upper()}{words[1:]}{vp}.")
    return [*dict.fromkeys(lines)]


def _fill(text: str, event: Event, resources: str = "") -> str:
    """Return the text of an event with its thing and its count, or with `resources`."""
    name = event.thing or ""
    resources = resources or "+".join([name] * event.count)
    return tr(
        text,
        thing=thing(name) if event.name == "place_crane" else _name_thing(name),
        count=event.count,
        corner=CORNERS[event.count - 1] if event.name == "place_crane" else "",
        resources=count_things(resources) if name in RESOURCES else "",
    )


def _name_thing(name: str) -> str:
    """Return in words what an event concerns, such as a tile, a bonus or a place."""
    if name in _TILES or name in BONUSES:
        return count_things(name)
    if name in MOSAIC_CELLS:
        row, column = name.removeprefix("m").split(".")
        return tr("row {row}, column {column}", row=row, column=column)
    if name in LEVELS:
        track, step = name.split()
        return tr("{track}, step {step}", track=thing(track), step=step)
    building, _, cell = name.partition(" ")
    if cell in BOARD_CELLS:
        return tr("{building} on {cell}", building=thing(building), cell=cell)
    return thing(name)


def detail(action: str, look: Callable[[], Mapping[str, Any]]) -> str:
    """Return an action in words, with the corner, the tile, the street, or the VP of a bonus.

    `look` returns the view of the decision.
    """
    kind, _, name = action.partition(" ")
    if kind == "crane":
        return f"{action} {look()['to_decide']['decision'].split()[1]}"
    if kind in _ON_CARDS and name[:1].isdigit():  # a secret choice names no card
        view, card = look(), name.split(" ")[0]
        if kind == "keep":
            tile = view["to_decide"].get("taken", {}).get(card, {}).get("tile", HIDDEN)
            action += "" if tile == HIDDEN else f" {tile}"
        return f"{action} for {name_street(view, cards_of_round(view)[int(card) - 1])}"
    if action == "bonus vp":
        return f"bonus {load(look()['components']).bonus_vp}"
    return action


def instruct(view: Mapping[str, Any]) -> str:
    """Return an instruction for the player to move, printed after words like ``Your turn:``."""
    pending = view["to_decide"]
    decision = pending["decision"]
    kind, _, about = decision.partition(" ")
    board = view["players"][pending["player"]]
    if decision.startswith("bonus but "):
        decision, about = "bonus but", about.removeprefix("but ")
    row = 2 * CLASSES.index(about) + 1 if kind == "seat" else 0
    tribunes = board["resources"].get("tribune", 0)
    if decision == "take" and tribunes:
        decision = "take anywhere"
    elif decision == "use" and tribunes > 1:
        decision = "use both"
    cards = cards_of_round(view)
    streets = [word_street(name_street(view, cards[i - 1])) for i in pending.get("open_cards", ())]
    if len(streets) == 2 and len(set(streets)) == 1:
        streets = [tr("{street} (both cards)", street=streets[0])]
    return tr(
        INSTRUCTIONS.get(decision) or INSTRUCTIONS[kind],
        about=thing(about),
        row=row,
        next_row=row + 1,
        streets=tr(" or ").join(streets),
        tribunes=tribunes,
        coins=board["resources"].get("coin", 0),
        envoys=board["ship"],
        paying=thing(pending.get("paying", "")),
    )


def word_street(name: str) -> str:
    """Return a street in words, by its row, its column or its symbol."""
    if name not in STREETS:
        return tr("street {symbol}", symbol=name)
    return tr("row {row}" if name.isdecimal() else "column {column}", row=name, column=name)


def thing(name: str) -> str:
    """Return the everyday name of a tile, worker, building or place, given its name in records."""
    if name in _ALL_ACTIONS:
        return phrase(name)
    if name in _NAMES:
        return tr(_NAMES[name])
    if name in (printed := load(DEFAULT)).symbols:
        street = STREETS[printed.streets["A"][printed.symbols.index(name)]]
        return tr("{symbol} ({street} of side A)", symbol=name, street=word_street(street))
    if " " in name:
        return " ".join(map(thing, name.split(" ")))
    if name in _TILES and "+" in name:
        workers = (tr("{colour} worker", colour=tr(one)) if one in COLOURS else thing(one)
                   for one in name.split("+"))  # fmt: skip
        return tr(" and ").join(workers)
    if "+" in name:
        return tr(" and ").join(map(thing, name.split("+")))
    kind, dash, sex = name.rpartition("-")
    if dash and sex in ("m", "f"):
        return tr(f"{'male' if sex == 'm' else 'female'} {kind}")
    return tr(name.replace("-", " ").replace("_", " "))


def turn(actions: Sequence[str]) -> str:
    """Return the actions of a turn in words; a building and its payment form one clause."""
    clauses: list[str] = []
    for action in actions:
        if action.startswith("pay ") and clauses:
            paid = action.removeprefix("pay ")
            clauses[-1] += ", " + tr("paying {things}", things=count_things(paid))
        else:
            clauses.append(phrase(action))
    return "; ".join(clauses)
