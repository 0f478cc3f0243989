"""The board of Trajan as text."""

from collections.abc import Mapping, Sequence
from typing import Any

from trajan_ai.core.game import Position
from trajan_ai.core.rules import TEXT_WIDTH
from trajan_ai.games.drawing.text_layout import MIN_WIDTH, Paint, padded, side_by_side, wrapped
from trajan_ai.games.trajan import views
from trajan_ai.games.trajan.components import COMPONENTS as C

INITIAL = {colour: colour[0] for colour in C.colours}
TRAY_WIDTH = 32  # columns of a tray with its slot: 12 markers, and the longest tile
SITE_WIDTH = 11

View = Mapping[str, Any]


def draw(
    position: Position, player: int | None = None, *, width: int = TEXT_WIDTH, colour: bool = False
) -> str:
    """Return the board that `player` sees, or all of it if `player` is None; see `Rules.draw`."""
    view = views.view(position, player)
    width = max(width, MIN_WIDTH)
    paint = Paint(colour)
    lines = _headline(view, paint) + _table(view, paint)
    texts = [line for text in lines for line in wrapped(text, width)]
    for number in range(len(view["players"])):
        texts += ["", *_player(view, number, width, paint)]
    return "\n".join(texts)


def _counted(counts: Mapping[str, int]) -> str:
    """Return names with their numbers, such as ``bread x2, games``."""
    return ", ".join(f"{name} x{n}" if n > 1 else name for name, n in counts.items()) or "-"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "-"


def _markers(colours: Sequence[str], paint: Paint) -> str:
    return "".join(paint.colour(INITIAL[name], name) for name in colours) or "-"


def _tile(name: str, paint: Paint) -> str:
    """Return a Trajan tile: its effect and its two colours."""
    return f"{C.tile[name].effect} {_markers(C.tile[name].colours, paint)}"


def _token(player: int, paint: Paint) -> str:
    return paint.player(f" {player} ", player) if paint.on else f"{player}"


def _headline(view: View, paint: Paint) -> list[str]:
    text = f"Quarter {view['quarter']}, round {view['round']}, time {view['time_marker']}"
    pending = view["to_decide"]
    if pending is None:
        return [f"{text}: the game is over"]
    text += f": player {_token(pending['player'], paint)} decides "
    text += paint.bold(pending["decision"])
    if pending.get("markers_in_hand"):
        text += f", markers in hand {_markers(pending['markers_in_hand'], paint)}"
    return [text]


def _table(view: View, paint: Paint) -> list[str]:
    order = " < ".join(
        f"{_token(p, paint)} on {view['players'][p]['senate']}" for p in view["senate_order"]
    )
    if "track_order" in view:
        before = " < ".join(_token(player, paint) for player in view["track_order"])
        order += f" (before the ranking {before})"
    piles = view["discard_piles"]
    tops = [f"{side} {pile[-1] if pile else '-'} ({len(pile)})" for side, pile in piles.items()]
    stacks = [_tile(name, paint) for name in view["trajan_tops"].values()]
    lines = [
        f"demands     {_counted(view['demands'])}    coloured ships: "
        f"{_listed(view['coloured_ships'])}",
        f"forum       {_counted(view['forum'])}",
        f"senate      {order}    on offer: {_listed(view['bonus_offer'])}",
        f"piles       {', '.join(tops)}",
        f"stacks      {_listed(stacks)}",
        "provinces   " + ", ".join(f"{name}: {tile}" for name, tile in view["provinces"].items()),
    ]
    columns = C.data["site_columns"]
    for row in range(1, C.data["site_rows"] + 1):
        sites = [_site(view, f"{column}{row}", paint) for column in columns]
        lines.append(f"sites {row}     " + "".join(sites).rstrip())
    return lines


def _site(view: View, site: str, paint: Paint) -> str:
    """Return the building of a site, or the players whose workers are there."""
    workers = [p for p, board in enumerate(view["players"]) if site in board["workers"]]
    tokens = "".join(paint.player(str(p), p) for p in workers)
    return padded(f"{view['sites'].get(site, '.')} {tokens}".rstrip(), SITE_WIDTH)


def _player(view: View, player: int, width: int, paint: Paint) -> list[str]:
    board = view["players"][player]
    pending = view["to_decide"]
    mark = " *" if pending is not None and pending["player"] == player else ""
    head = f"{paint.bold('PLAYER')} {_token(player, paint)}{mark}   {board['score']} VP"
    trays = [[_tray(board, name, paint)] for name in C.trays]
    cards = "1 card" if board["hand_size"] == 1 else f"{board['hand_size']} cards"
    hand = f"{cards}, known: {_counted(board['known_cards'])}"
    if "hand" in board:
        hand = _counted(board["hand"])
    lines = [
        f"hand        {hand}    display: {_counted(board['display'])}",
        f"figures     supply {board['supply']}, military camp {board['military_camp']}, "
        f"worker camp {board['worker_camp']}, leader {board['leader']}, legionnaires: "
        f"{_listed(board['legionnaires'])}, workers: {_listed(board['workers'])}",
        f"tiles       {_counted(board['forum_tiles'])}    demands kept: "
        f"{_counted(board['demand_tiles'])}    +2: {_listed(board['plus2'])}",
        f"buildings   {_listed(board['buildings'])}    gold: {_listed(board['gold_bonus'])}"
        f"    silver: {_listed(board['silver_bonus'])}",
    ]
    return [
        head,
        *side_by_side(trays, width, TRAY_WIDTH, gap=False),
        *(line for text in lines for line in wrapped(text, width)),
    ]


def _tray(board: View, name: str, paint: Paint) -> str:
    slot = "arch" if board["arch"] == name else "free"
    if name in board["slots"]:
        slot = _tile(board["slots"][name], paint)
    return f"{name:>3} {padded(_markers(board['trays'][name], paint), 12)} [{slot}]"
