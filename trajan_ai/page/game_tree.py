"""A study: a game with its branches, from an opening, a record or a position file.

From a position file on a game is followed: each move states what it showed to the one player whose
knowledge the file holds (`trajan_ai.records.following`).
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from trajan_ai import records
from trajan_ai.bots import LevelBot
from trajan_ai.bots.levels import levels_of
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Position
from trajan_ai.core.languages import tr
from trajan_ai.core.rules import HasFollowing, Reveals, needed
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games import game as game_named
from trajan_ai.games.kit.sets import Sets
from trajan_ai.page.opponents import level
from trajan_ai.records import following, position_files

FORMAT = "trajan-ai/study"
VERSION = 1
MOST_NODES = 5000  # of up to 4 KB each in memory
MOST_TITLE = 80
ROOT = 0


@dataclass
class Node:
    """A position: the decision that led here, and where it was made. The root has no decision.

    In a game that is followed the action is None where nothing is seen of it, and `shown` is what
    came to light. Where one person plays against bots, a move that was forced is a decision too,
    if for all that person knows there was a choice (`Position.watched`).
    """

    parent: int
    player: int
    action: str | None
    shown: Reveals = field(default_factory=dict)
    children: list[int] = field(default_factory=list)


class Study:
    """A tree of positions. Node 0 is its root; nodes have the order in which they were made.

    `origin` is ``{"record": ..}`` or ``{"position": ..}``: what the root is made from. `seats` has
    for each player None (a person) or the name of a bot's level. `opened` says that its only
    person has chosen to see everything.
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
        self.id = id or new_id()
        self.origin = dict(origin)
        self.seats = list(seats) or [None] * root.players
        self.title = title[:MOST_TITLE] or root.game.name
        self.seed = secrets.randbits(48) if seed is None else seed  # of the bots
        self.opened = False
        self.nodes = [Node(ROOT, -1, "")]
        self.here = ROOT  # where the person looks
        self.changed = ""
        self._positions: dict[int, Position] = {ROOT: root}
        self._check_seats()
        self.touch()

    def _check_seats(self) -> None:
        players = self.root.players
        if len(self.seats) != players:
            raise TrajanError(f"seats: there are {players} players, got {len(self.seats)} seats")
        for name in self.seats:
            if name is not None:
                bot = level(name).bot
                bot.check(self.root.game)
                if isinstance(bot, LevelBot):  # not every table has each level
                    levels_of(self.root.game).level(self.root.game, players, bot.vp)

    @property
    def root(self) -> Position:
        """The position it begins with."""
        return self._positions[ROOT]

    @property
    def observer(self) -> int | None:
        """Whose knowledge a position file holds; None where all is known."""
        found: int | None = self.origin.get("position", {}).get("observer")
        return found

    @property
    def viewer(self) -> int | None:
        """The one person at a table of bots, who may see no more than their player knows."""
        people = [player for player, bot in enumerate(self.seats) if bot is None]
        return people[0] if len(people) == 1 and not self.opened else None

    def position(self, node: int) -> Position:
        """Return the position of a node."""
        path = []
        while node not in self._positions:
            path.append(node)
            node = self.nodes[node].parent
        position = self._positions[node]
        for step in reversed(path):
            made = self.nodes[step]
            position = self._after(position, made.action, made.shown)[2]
            self._positions[step] = position
        return position

    def sets(self, node: int) -> Sets:
        """Return what may be named at a node, the things of a set in any order."""
        return Sets(self.position(node), self.observer)

    def legal(self, node: int) -> list[str | None]:
        """Return the actions at a node; None is one of which nothing is seen."""
        if self.position(node).player is None:
            return []
        return list(self.sets(node).legal()) or [None]

    def _after(
        self, before: Position, action: str | None, shown: Mapping[str, object]
    ) -> tuple[str | None, Reveals, Position]:
        """Return an action as it is written, what it showed, and the position after it."""
        if self.observer is not None:
            table = following.Table(before, self.observer)
            move = table.play(action, shown)
            return move.action, move.shown, table.position
        if action is None or shown:
            raise TrajanError("action: all is known here, so it is named and shows nothing new")
        after = before.after(action)
        made = before.game.move(action)
        if self.viewer is not None:
            watched = (at for at, _ in before.watched(made, self.viewer) if at is not before)
            after = next(watched, after)
        return before.game.actions[made], {}, after

    def forced(self, node: int) -> str | None:
        """Return the only action at a node, of a player who may have a choice for all that the
        viewer knows; None at every other node."""
        legal = self.position(node).legal() if self.observer is None else []
        return legal[0] if len(legal) == 1 else None

    def assumed(self, node: int, action: str | None) -> Reveals:
        """Return something that an action may show to the observer."""
        before, observer = self.position(node), self.observer
        if observer is None:
            return {}
        rules = needed(before.game, HasFollowing)
        return rules.carry_out(before, observer, action, {})[1]

    def add(self, node: int, action: str | None, shown: Mapping[str, object] | None = None) -> int:
        """Return the node that an action leads to.

        Raises TrajanError if it is not legal, and `Unstated` if it shows what `shown` lacks.
        """
        while (only := self.forced(node)) not in (None, action):  # of when all lay open
            node = self.add(node, only)
        before = self.position(node)
        written, showed, after = self._after(before, action, shown or {})
        for child in self.nodes[node].children:
            if (self.nodes[child].action, self.nodes[child].shown) == (written, showed):
                return child
        if len(self.nodes) >= MOST_NODES:
            raise TrajanError(f"this study has {MOST_NODES:,} positions already: start another")
        assert before.player is not None
        child = len(self.nodes)
        self.nodes.append(Node(node, before.player, written, showed))
        self.nodes[node].children.append(child)
        self._positions[child] = after
        self.touch()
        return child

    def path(self, node: int) -> list[int]:
        """Return the nodes from the root's child to `node` that decisions led to."""
        path = []
        while node != ROOT:
            if self.forced(self.nodes[node].parent) is None:
                path.append(node)
            node = self.nodes[node].parent
        return path[::-1]

    def bot_seed(self, node: int, seat: int) -> int:
        """Return the seed of a bot's choice: the same on the same path, however it is reached.

        It counts the bot's own decisions, since how many others made may be hidden from it.
        """
        own = sum(self.nodes[step].player == seat for step in self.path(node))
        return derive_seed("page", self.seed, seat, own)

    def record(self, node: int) -> records.Record:
        """Return the record of the line to `node`.

        Of a game that is followed, and while cards are hidden, that is what one player witnessed.
        """
        if self.observer is not None:
            table = following.Table(self.root, self.observer)
            for step in self.path(node):
                table.play(self.nodes[step].action, self.nodes[step].shown)
            return table.record()
        if "record" not in self.origin:
            raise TrajanError("a study of a position file has no record: its deal is not known")
        actions = [(self.nodes[n].player, self.nodes[n].action or "") for n in self.path(node)]
        entry = records.record(self.root, actions, self.position(node))
        if self.viewer is None:
            return entry
        start = self.root.game.rules.from_view(self.root.view(self.viewer))
        table = following.follow(start, self.viewer)
        for _, move in following.witnessed(entry, self.viewer):
            if move is not None:
                table.play(move.action, move.shown)
        return table.record()

    def touch(self) -> None:
        """Note that it has changed now."""
        self.changed = datetime.now(UTC).isoformat(timespec="milliseconds")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data."""
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
            "nodes": [[node.parent, node.action, node.shown] for node in self.nodes[1:]],
        }


def new_id() -> str:
    """Return a name for a study that no other one has."""
    return secrets.token_hex(8)


def restored(data: Mapping[str, Any]) -> Study:
    """Return the study that ``to_dict`` wrote; raises TrajanError on other data."""
    if data.get("format") != FORMAT or data.get("version") != VERSION:
        raise TrajanError(f"not a study of version {VERSION}")
    try:
        origin = data["origin"]
        study = Study(
            _root(origin),
            origin,
            seats=data["seats"],
            title=data["title"],
            seed=data["seed"],
            id=data["id"],
        )
        places = [ROOT]  # by the numbers of the file, which may lack nodes of forced moves
        for parent, action, shown in data["nodes"]:
            places.append(study.add(places[parent], action, shown))
        study.opened, study.here = data["opened"], places[data["here"]]
        study.changed = data["changed"]
        study.position(study.here)
    except (KeyError, IndexError, TypeError, ValueError) as error:
        raise TrajanError(f"damaged: {error}") from None
    return study


def _root(origin: Mapping[str, Any]) -> Position:
    if "position" in origin:
        return position_files.parse(origin["position"])
    return records.start(origin["record"])


def new_game(
    game: str,
    seats: Sequence[str | None],
    seed: int | None,
    options: Mapping[str, Any],
) -> Study:
    """Return a study of a new game; without a seed the deal is anyone's guess."""
    handle = game_named(game)
    handle.rules.check(len(seats), options)  # before their names become arguments
    deal = secrets.randbits(48) if seed is None else seed
    root = handle.start(len(seats), deal, **options)
    people = sum(seat is None for seat in seats)
    against = ", ".join(sorted({seat for seat in seats if seat is not None}))
    title = tr("{game} with {count} players", game=_spoken(game), count=len(seats))
    if people and against:
        title += " " + tr("against {bots}", bots=against)
    return Study(root, {"record": records.record(root, [])}, seats=seats, title=title, seed=seed)


def of_record(entry: records.Record, title: str = "") -> Study:
    """Return a study of a record, opened at its beginning; checks every action."""
    final = records.replay(entry)
    root = records.start(entry)
    study = Study(
        root, {"record": records.record(root, [])}, title=title or f"{_spoken(entry['game'])}"
    )
    node = ROOT
    for _, action in entry["actions"]:
        node = study.add(node, action)
    assert study.position(node) == final
    study.here = ROOT
    return study


def of_witnessed(table: following.Table, title: str = "") -> Study:
    """Return a study of a game that was followed, opened at its end: it may go on."""
    study = of_position(table.record()["start"], title)
    node = ROOT
    for move in table.moves:
        node = study.add(node, move.action, move.shown)
    study.here = node
    study.title = title or tr("{game}, followed", game=_spoken(study.root.game.name))
    return study


def of_position(data: Mapping[str, Any], title: str = "") -> Study:
    """Return a study of a position file's data; raises TrajanError with all its problems."""
    root = position_files.parse(data)
    return Study(
        root,
        {"position": data},
        title=title or tr("{game}, a position", game=_spoken(root.game.name)),
    )


def _spoken(game: str) -> str:
    return game.replace("_", " ").title()
