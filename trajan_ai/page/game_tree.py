"""A game with its branches, from an opening, a record or a position file.

A game that begins with a position file is followed: with each move, the tree stores what the move
revealed to the player whose knowledge the file describes (`trajan_ai.records.following`).
"""

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Strict

from trajan_ai import records
from trajan_ai.bots import LevelBot
from trajan_ai.bots.levels import get_levels
from trajan_ai.core.description import Description
from trajan_ai.core.errors import TrajanError, printable
from trajan_ai.core.events import Event, list_events
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet
from trajan_ai.core.languages import tr
from trajan_ai.core.rules import check_request, needed
from trajan_ai.core.rules_following import HasFollowing, Reveals
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.yamlfile import Document, validate
from trajan_ai.games import game as game_named
from trajan_ai.games.kit.sets import Sets
from trajan_ai.page.opponents import find_opponent, name_players
from trajan_ai.records import following, position_files

FORMAT = "trajan-ai/study"  # format of files, named as in release 0.3.0
VERSION = 1
MAX_NODES = 5000  # maximum number of nodes, each of up to 4 KB in memory
MAX_TITLE = 80
LOOKS = 8  # redeals that are compared to find out whether a decision revealed something
ROOT = 0


Title = Annotated[str, AfterValidator(printable)]


class SavedTree(Description):
    """The data of a file, as `GameTree.to_dict` returns it.

    A node consists of its parent's number, its action, and what the action revealed. Files of
    release 0.3.0 contain nodes for forced moves as well. `id` is ignored, because the name of the
    file is the id of the game. `status` describes the game in lists; older files lack it.
    """

    format: Literal["trajan-ai/study"]
    version: Literal[1]
    id: Any
    title: Title
    changed: str
    origin: dict[str, Any]
    seats: list[str | None]
    seed: int
    opened: bool
    here: int
    status: dict[str, Any] | None = None
    nodes: list[Annotated[tuple[int, str | None, dict[str, list[str]]], Strict(False)]]


@dataclass
class Node:
    """A position of the tree: its parent, and the decision that leads from the parent to it.

    In a followed game, `action` is None if the observer sees nothing of it, and `reveals` contains
    the names that the action revealed. In a game of one person against bots, a forced move is a
    decision, too, if that person cannot know that it was forced (`Position.watched`).
    """

    parent: int
    player: int
    action: str | None
    reveals: Reveals = field(default_factory=dict)
    children: list[int] = field(default_factory=list)


class GameTree:
    """A tree of positions. Node 0 is its root; nodes are in the order of their creation.

    `origin` is ``{"record": ..}`` or ``{"position": ..}``, from which the root is made; its
    ``options`` are those that the user chose for a new game. `seats` contains, for each player,
    None (a person) or the name of an opponent. `opened` is set when the only person has chosen to
    see all cards. `here` is the node that the user is viewing. If `title` is empty, the page
    generates a title.
    """

    def __init__(
        self,
        root: Position,
        origin: Mapping[str, Any],
        *,
        seats: Sequence[str | None] = (),
        title: str = "",
        seed: int | None = None,
        id: str | None = None,
    ) -> None:
        self.id = id or make_id()
        self.origin = dict(origin)
        self.seats = list(seats) or [None] * root.players
        self.title = title[:MAX_TITLE]
        self.seed = secrets.randbits(48) if seed is None else seed  # seed of the bots' choices
        self.opened = False
        self.nodes = [Node(ROOT, -1, "")]
        self.here = ROOT
        self.changed = ""
        self._positions: dict[int, Position] = {ROOT: root}
        self._followed_events: dict[int, list[Event]] = {}  # of a followed game, by node
        self._check_seats()
        self.touch()

    def _check_seats(self) -> None:
        players = self.root.players
        if len(self.seats) != players:
            raise TrajanError(f"seats: there are {players} players, got {len(self.seats)} seats")
        for name in self.seats:
            if name is not None:
                bot = find_opponent(name).bot
                bot.check(self.root.game)
                if isinstance(bot, LevelBot):
                    # Raises TrajanError if this number of players lacks the level.
                    get_levels(self.root.game).level(self.root.game, players, bot.vp)

    @property
    def root(self) -> Position:
        """The position of the root."""
        return self._positions[ROOT]

    @property
    def observer(self) -> int | None:
        """The player whose knowledge the position file describes; None if everything is known."""
        observer: int | None = self.origin.get("position", {}).get("observer")
        return observer

    @property
    def viewer(self) -> int | None:
        """The seat of the only person at the table; the page shows what this player knows.

        None if the table does not have exactly one person, or if all cards are open.
        """
        people = [player for player, bot in enumerate(self.seats) if bot is None]
        return people[0] if len(people) == 1 and not self.opened else None

    @property
    def names(self) -> list[str]:
        """The names of the players in the current language; see `name_players`."""
        return name_players(self.seats, self.observer)

    def position(self, node: int) -> Position:
        """Return the position of a node."""
        path = []
        while node not in self._positions:
            path.append(node)
            node = self.nodes[node].parent
        position = self._positions[node]
        for step in reversed(path):
            edge = self.nodes[step]
            position, events = self._after(position, edge.action, edge.reveals)[2:]
            self._keep(step, position, events)
        return position

    def sets(self, node: int) -> Sets:
        """Return the actions at a node, where elements of a set may be named in any order."""
        return Sets(self.position(node), self.observer)

    def list_laid(self, node: int) -> list[str]:
        """Return the elements already played of the set that is unfinished at a node, if any."""
        laid: list[str] = []
        while node != ROOT:
            edge, sets = self.nodes[node], self.sets(node)
            last = sets.list_laid(self.position(edge.parent), edge.action) if edge.action else []
            if not last:
                break
            laid = last + laid
            node = edge.parent
        return laid

    def legal(self, node: int) -> list[str | None]:
        """Return the legal actions at a node; None is an action that the observer does not see."""
        if self.position(node).player is None:
            return []
        return list(self.sets(node).legal()) or [None]

    def _after(
        self, before: Position, action: str | None, reveals: Mapping[str, object]
    ) -> tuple[str | None, Reveals, Position, list[Event]]:
        """Return an action in its canonical form, what it reveals, and the position after it.

        The last item of the result contains the events of the action in a followed game; it is
        empty in any other game.
        """
        if self.observer is not None:
            followed = following.FollowedGame(before, self.observer)
            move = followed.play(action, reveals)
            return move.action, move.reveals, followed.position, followed.events[0]
        if action is None or reveals:
            raise TrajanError(
                "action: must be a legal action without revealed names; only a game that "
                "continues a position file has unseen actions and revealed names"
            )
        after = before.after(action)
        number = before.game.move(action)
        if self.viewer is not None:
            watched = (at for at, _ in before.watched(number, self.viewer) if at is not before)
            after = next(watched, after)
        return before.game.actions[number], {}, after, []

    def _keep(self, node: int, position: Position, events: list[Event]) -> None:
        """Store the position of a node and, in a followed game, what happened before it."""
        self._positions[node] = position
        if events:
            self._followed_events[node] = events

    def events(self, node: int, observer: int | None) -> list[Event]:
        """Return what happened between a node's parent and the node, as `observer` sees it.

        Events that follow from a forced move belong to that move's node if the move has one.
        """
        after, edge = self.position(node), self.nodes[node]
        if self.observer is not None:
            return self._followed_events.get(node, [])
        return list_events(self.position(edge.parent), edge.action or "", after, observer)

    def reveals(self, node: int) -> bool:
        """Return whether the decision before a node revealed something hidden to a person.

        A decision reveals something if other deals that looked the same to the person before it
        look different after it. The person is the only person at the table, who also notices the
        decisions of bots, or otherwise the person who decided. Nothing counts as revealed if all
        cards are open, in a followed game, or in a record, which is read rather than played.
        """
        edge, observer = self.nodes[node], self.viewer
        if observer is None and self.seats[edge.player] is None and not self.opened:
            observer = edge.player
        if "options" not in self.origin or edge.action is None or observer is None:
            return False
        before = self.position(edge.parent)
        visible = before.observed(before.game.move(edge.action), observer)
        knowledge = InformationSet(before, observer)
        after = InformationSet(self.position(node), observer)
        for seed in range(LOOKS):
            deal = knowledge.determinized(seed)
            alike = (m for m in deal.legal_moves() if deal.observed(m, observer) == visible)
            move = next(alike, None)
            if move is None:
                continue
            action = before.game.actions[move]
            if InformationSet(self._after(deal, action, {})[2], observer) != after:
                return True
        return False

    def forced_action(self, node: int) -> str | None:
        """Return the only legal action at a node if the viewer cannot know that it is forced.

        Return None at every other node.
        """
        legal = self.position(node).legal() if self.observer is None else []
        return legal[0] if len(legal) == 1 else None

    def assume_reveals(
        self, node: int, action: str | None, stated: Reveals, unknown: Collection[str]
    ) -> Reveals:
        """Return `stated`, with possible values for the `unknown` keys that the action reveals."""
        before, observer = self.position(node), self.observer
        if observer is None:
            return stated
        rules = needed(before.game, HasFollowing)
        possible = rules.carry_out(before, observer, action, stated).reveals
        return stated | {key: possible[key] for key in unknown if key in possible}

    def find_wrong(self, node: int, action: str | None, reveals: Reveals) -> dict[str, int]:
        """Return which of the contradictory reveals are wrong; see `FollowedGame.find_wrong`."""
        if self.observer is None:
            return {}
        followed = following.FollowedGame(self.position(node), self.observer)
        return followed.find_wrong(action, reveals)

    def add(
        self, node: int, action: str | None, reveals: Mapping[str, object] | None = None
    ) -> int:
        """Return the node that an action leads to; add it unless it exists.

        Raises TrajanError if the action is not legal, and `Unstated` if `reveals` lacks a name.
        """
        # A line that was played with all cards open has no nodes for forced moves.
        while (only := self.forced_action(node)) not in (None, action):
            node = self.add(node, only)
        before = self.position(node)
        action, revealed, after, events = self._after(before, action, reveals or {})
        for child in self.nodes[node].children:
            if (self.nodes[child].action, self.nodes[child].reveals) == (action, revealed):
                return child
        if len(self.nodes) >= MAX_NODES:
            raise TrajanError(
                tr("This game has {count} positions already: start another.", count=MAX_NODES)
            )
        assert before.player is not None
        child = len(self.nodes)
        self.nodes.append(Node(node, before.player, action, revealed))
        self.nodes[node].children.append(child)
        self._keep(child, after, events)
        self.touch()
        return child

    def path(self, node: int) -> list[int]:
        """Return the nodes of the decisions that lead to `node`, without forced moves."""
        path = []
        while node != ROOT:
            if self.forced_action(self.nodes[node].parent) is None:
                path.append(node)
            node = self.nodes[node].parent
        return path[::-1]

    def bot_seed(self, node: int, seat: int) -> int:
        """Return the seed for a bot's choice, which is the same whenever the path is the same.

        The seed depends on the number of decisions that this bot has made, because the number of
        other players' decisions may be hidden.
        """
        own = sum(self.nodes[step].player == seat for step in self.path(node))
        return derive_seed("page", self.seed, seat, own)

    def record(self, node: int) -> following.AnyRecord:
        """Return the record of the line that leads to `node`.

        For a followed game, and for any game while cards are hidden, this is the witnessed record
        of one player.
        """
        if self.observer is not None:
            followed = following.FollowedGame(self.root, self.observer)
            for step in self.path(node):
                followed.play(self.nodes[step].action, self.nodes[step].reveals)
            return followed.record()
        if "record" not in self.origin:
            raise TrajanError("a game from a position file has no record: its deal is unknown")
        actions = [(self.nodes[n].player, self.nodes[n].action or "") for n in self.path(node)]
        entry = records.record(self.root, actions, self.position(node))
        if self.viewer is None:
            return entry
        start = self.root.game.rules.from_view(self.root.view(self.viewer))
        followed = following.follow(start, self.viewer)
        for _, move in following.witness(entry, self.viewer):
            if move is not None:
                followed.play(move.action, move.reveals)
        return followed.record()

    def touch(self) -> None:
        """Set the time of the last change to now."""
        self.changed = datetime.now(UTC).isoformat(timespec="milliseconds")

    def to_dict(self) -> dict[str, Any]:
        """Return the data to save in a file; see `SavedTree`."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "id": self.id,
            "title": self.title,
            "changed": self.changed,
            "origin": self.origin,
            "seats": self.seats,
            "seed": self.seed,
            "opened": self.opened,
            "here": self.here,
            "nodes": [[node.parent, node.action, node.reveals] for node in self.nodes[1:]],
        }


def make_id() -> str:
    """Return a random id for a tree: 16 hexadecimal digits."""
    return secrets.token_hex(8)


def parse_tree(data: Mapping[str, Any], id: str) -> GameTree:
    """Return the tree that the data of a saved game describe.

    The tree has the given `id`; an id in the data is ignored.

    Raises TrajanError for data that `GameTree.to_dict` did not write.
    """
    if data.get("format") != FORMAT or data.get("version") != VERSION:
        raise TrajanError(f"this is not a saved game of version {VERSION}")
    saved = validate(SavedTree, Document("saved game", dict(data), {}))
    try:
        tree = GameTree(
            _start(saved.origin),
            saved.origin,
            seats=saved.seats,
            title=saved.title,
            seed=saved.seed,
            id=id,
        )
        # Nodes of the tree by their number in the file, which may lack nodes for forced moves.
        nodes = [ROOT]
        for parent, action, reveals in saved.nodes:
            nodes.append(tree.add(nodes[parent], action, reveals))
        tree.opened, tree.here = saved.opened, nodes[saved.here]
        tree.changed = datetime.fromisoformat(saved.changed).isoformat(timespec="milliseconds")
        tree.position(tree.here)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise TrajanError(f"damaged: {error}") from None
    return tree


def _start(origin: Mapping[str, Any]) -> Position:
    if "position" in origin:
        return position_files.parse(origin["position"])
    return records.start(origin["record"])


def start_game(
    game: str, seats: Sequence[str | None], seed: int | None, options: Mapping[str, Any]
) -> GameTree:
    """Return the tree of a new game; without a seed the deal is random."""
    handle = game_named(game)
    check_request(handle.rules, len(seats), options)  # before options are keyword arguments
    deal = secrets.randbits(48) if seed is None else seed
    root = handle.start(len(seats), deal, **options)
    origin = {"record": records.record(root, []), "options": dict(options)}
    return GameTree(root, origin, seats=seats, seed=seed)


def open_record(entry: records.Record, title: str = "") -> GameTree:
    """Return the tree of a record, opened at its start; raises TrajanError for illegal actions."""
    final = records.replay(entry)
    root = records.start(entry)
    origin = {"record": records.record(root, [])}
    tree = GameTree(root, origin, title=title)
    node = ROOT
    for _, action in entry["actions"]:
        node = tree.add(node, action)
    assert tree.position(node) == final
    return tree


def open_witnessed(followed: following.FollowedGame, title: str = "") -> GameTree:
    """Return the tree of a followed game, opened at its end, where the user can continue it."""
    tree = open_position(followed.record()["start"], title)
    node = ROOT
    for move in followed.moves:
        node = tree.add(node, move.action, move.reveals)
    tree.here = node
    return tree


def open_position(data: Mapping[str, Any], title: str = "") -> GameTree:
    """Return the tree of a position file's data; raises TrajanError with all its problems."""
    return GameTree(position_files.parse(data), {"position": data}, title=title)
