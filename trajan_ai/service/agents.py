"""The tools of a language-model agent: one game at a time against bots; see docs/mcp.md.

The agent plays one seat, and every answer is computed from that seat's information set, so no
answer depends on hidden cards. `trajan_ai.service.mcp_server` offers the tools to MCP clients.
"""

import json
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from trajan_ai import records
from trajan_ai.analysis.budgets import PLAIN_BOT
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.analysis_run import Analysis
from trajan_ai.analysis.decision.wording import text
from trajan_ai.bots import Bot, Player, build
from trajan_ai.bots.bot_process import BotProcesses
from trajan_ai.bots.minds import InvalidMove, MindFailed, format_exception, format_traceback
from trajan_ai.core.description import Description
from trajan_ai.core.errors import TrajanError, check_seat, quoted
from trajan_ai.core.events import Event
from trajan_ai.core.foresight import word_turn
from trajan_ai.core.game import Position
from trajan_ai.core.information import InformationSet, get_decider
from trajan_ai.core.names import Names
from trajan_ai.core.rules import (
    Rules,
    all_options,
    check_request,
    counts_in_words,
    needed,
    offered,
)
from trajan_ai.core.rules_drawing import PICTURE_WIDTH, HasPicture, HasPieces
from trajan_ai.core.rules_words import (
    describe_event,
    list_notable,
    note_on,
    word_event_with_vp,
)
from trajan_ai.core.seeds import derive_seed
from trajan_ai.core.shown_actions import show_action
from trajan_ai.core.tips import read_tips
from trajan_ai.core.yamlfile import Document, validate
from trajan_ai.games import GAMES
from trajan_ai.games import game as game_named
from trajan_ai.games.drawing.png import png
from trajan_ai.records import position_files, position_sources
from trajan_ai.records.scripted_game import Table

MAX_ITERATIONS = 1_000_000  # per call: clients wait about a minute for a tool
DEFAULT_ITERATIONS = 20_000  # the minimum for an analysis of the grade `verified`
MAX_NAMED = 10  # maximum number of actions that one call explains
MIN_PICTURE, MAX_PICTURE = 300, 2400  # pixels
AGENT = "agent"  # the name of the agent in records
SHOWN_BEST = 3  # moves that `explain` shows if no action is named

Iterations = Annotated[
    int, Field(ge=1, le=MAX_ITERATIONS, description="search iterations; more take longer")
]
Seed = Annotated[
    int | None,
    Field(
        ge=0,
        lt=2**63,
        description="makes the deal and the bots repeatable; omit it for a game that nobody can "
        "rehearse",
    ),
]
Bots = Annotated[
    list[str],
    Field(
        max_length=3,
        description="the bots at the other seats in seat order, or one bot for all of them",
    ),
]


class StartGame(Description):
    """Start a new game against bots, which replaces the current game. Returns the state after the
    moves of the bots that play before you: the VP, the moves so far and your legal actions.
    """

    game: Annotated[str, Field(description="the game's name")]
    players: Annotated[int, Field(description="number of players, you included")] = 2
    seat: Annotated[int, Field(ge=0, description="the seat you play, from 0")] = 0
    bots: Bots = Field(default_factory=lambda: [PLAIN_BOT])
    options: dict[str, Any] = Field(default_factory=dict, description="the game's options by name")
    seed: Seed = None


class OpenGame(Description):
    """Continue a game from a text: a position file (YAML or JSON) or game records (one JSON object
    per line). This game replaces the current one. Returns the state, as start_game does.
    """

    text: Annotated[str, Field(description="the text of the file, not its path")]
    record: Annotated[
        int, Field(ge=1, description="the number of the record in the text, from 1")
    ] = 1
    ply: Annotated[
        int | None,
        Field(
            ge=0,
            description="number of actions of the record to play before the game continues; "
            "default: all",
        ),
    ] = None
    seat: Annotated[
        int | None,
        Field(
            ge=0,
            description="the seat you play; default: the text's observer, or the player to move",
        ),
    ] = None
    bots: Bots = Field(default_factory=lambda: [PLAIN_BOT])
    seed: Seed = None


class ReadRules(Description):
    """Read a summary of the rules. Without topics, returns the names of all topics and the meaning
    of each option. A topic is a place, a track or a component of the game.
    """

    game: Annotated[
        str | None, Field(description="the game's name; default: the current game")
    ] = None
    topics: list[str] = Field(default_factory=list, description="the topics to read")


class ListActions(Description):
    """List your legal actions, with a description of each in words."""


class PlayAction(Description):
    """Play one of your legal actions. The bots then move until it is your turn again. Returns the
    state with your move, the moves that you have noticed since, and their events. A partly hidden
    move is shown as the first action that looks the same to you.
    """

    action: Annotated[str, Field(description="a legal action, spelled as in the list")]


class SuggestActions(Description):
    """Rank your legal actions, best first, by a tree search that uses only what you know. For each
    action, returns the expected win rate, VP and margin over the best opponent, each with its
    standard error.
    """

    iterations: Iterations = DEFAULT_ITERATIONS
    top: Annotated[int, Field(ge=1, description="how many actions to list")] = 5


class ExplainActions(Description):
    """Compare the best action with some others: the expected final VP by source after the best
    action, and how they differ after each other action.
    """

    actions: list[str] = Field(
        default_factory=list,
        max_length=MAX_NAMED,
        description="legal actions to compare with the best one",
    )
    iterations: Iterations = DEFAULT_ITERATIONS


class DrawBoard(Description):
    """Draw the board as you see it, with hidden tiles and cards face down: as text, as an image
    (png, svg), or as a position file (yaml) that open_game continues later.
    """

    format: Annotated[
        Literal["text", "png", "svg", "yaml"], Field(description="text, png, svg or yaml")
    ] = "text"
    width: Annotated[
        int,
        Field(
            ge=MIN_PICTURE,
            le=MAX_PICTURE,
            description="width of an image in pixels; in a narrow image, the parts of the board "
            "are below each other",
        ),
    ] = PICTURE_WIDTH


TOOLS: dict[str, type[Description]] = {
    "start_game": StartGame,
    "open_game": OpenGame,
    "rules": ReadRules,
    "legal_moves": ListActions,
    "move": PlayAction,
    "suggest": SuggestActions,
    "explain": ExplainActions,
    "draw": DrawBoard,
}


@dataclass(frozen=True)
class ToolAnswer:
    """The answer of a tool.

    Attributes:
        text: what the agent reads, such as a board or a caption.
        data: the same content as plain data, if the content is structured.
        image: a PNG image, if the tool draws one.
    """

    text: str
    data: dict[str, Any] | None = None
    image: bytes | None = None


class AgentGame:
    """A game between an agent and bots.

    The agent may see only `knowledge`, `moves` and `events`. These are the same in games that look
    the same from the agent's seat.

    Attributes:
        table: the true game.
        seat: the seat of the agent.
        moves: the player and the action of each move that the agent noticed, from its last
            decision on. A partly hidden move is given as the first action that looks the
            same to the agent.
        events: what happened in these moves, as the agent sees it.
    """

    def __init__(
        self, start: Position, seat: int, players: Mapping[int, Player], seed: int
    ) -> None:
        """Begin at a position; `players` are the bots at the other seats.

        `seed` determines all random choices of the bots. Raises BotFailure if a bot fails.
        """
        self.table = Table(start)
        self.seat = seat
        self.moves: list[tuple[int, str]] = []
        self.events: list[Event] = []
        self._players = players
        self._seed = seed
        self._decisions = dict.fromkeys(players, 0)
        for other, player in players.items():
            _call(other, player.start, other, start.players, derive_seed("start", seed, other))
        self._let_bots_move()

    @property
    def knowledge(self) -> InformationSet:
        """What the agent knows now."""
        return InformationSet(self.table.position, self.seat)

    def play(self, action: str) -> None:
        """Play an action of the agent, then let the bots move until the agent decides again.

        Raises TrajanError, and changes nothing, if the action is not legal. Raises BotFailure if a
        bot fails.
        """
        get_decider(self.table.position)  # raises TrajanError if the game is over
        legal = self.knowledge.legal()
        names = Names(legal)
        name = names.find(action)
        # The game's message would contain the number of decisions so far, which may be hidden.
        if name is None:
            raise TrajanError(
                f"action {quoted(action)} is not legal; legal: {', '.join(legal)}"
                f"{names.hint(action)}"
            )
        self.moves, self.events = [], []
        position = self.table.position
        self.table.push(name)
        self._notice(position, position.game.move(name))
        self._let_bots_move()

    def _let_bots_move(self) -> None:
        while (seat := self.table.position.player) not in (None, self.seat):
            assert seat is not None
            position, player = self.table.position, self._players[seat]
            seed = derive_seed("choose", self._seed, seat, self._decisions[seat])
            self._decisions[seat] += 1
            move = _call(seat, player.choose, position, seed)
            if isinstance(move, InvalidMove):
                raise BotFailure(seat, f"{move.text} is not a legal move")
            _call(seat, self.table.push, move)
            self._notice(position, move)

    def _notice(self, position: Position, move: int) -> None:
        """Show the agent and each bot as much of a move as they may see."""
        for at, number in position.heard(move, self.seat):
            action = show_action(at, number, self.seat)
            assert at.player is not None
            assert action is not None
            self.moves.append((at.player, action))
        self.events += position.events(position.game.actions[move], self.seat)
        for other, player in self._players.items():
            _call(other, player.observe, position, move)


class BotFailure(TrajanError):
    """A bot failed, so the game cannot continue. `details` may contain hidden information."""

    def __init__(self, seat: int, details: str) -> None:
        super().__init__(
            f"the bot at seat {seat} failed, so the game has ended; see the server's standard "
            "error for details"
        )
        self.details = details


def _call(seat: int, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function of the bot at `seat`; raise BotFailure if it fails."""
    try:
        return function(*arguments)
    except MindFailed as error:
        raise BotFailure(seat, f"{error.message}\n{error.details}") from error
    except (Exception, SystemExit) as error:
        raise BotFailure(seat, f"{format_exception(error)}\n{format_traceback(error)}") from error


class AgentTools:
    """The tools of one agent, and its current game."""

    def __init__(self, bots: Mapping[str, Bot], out: Path | None = None) -> None:
        """Offer the bots in `bots`, and append the records of finished games to the file `out`."""
        self.bots = bots
        self.out = out
        self.game: AgentGame | None = None
        self._seated: list[Bot | None] = []  # bots by seat; None means the agent
        self._processes = BotProcesses()

    @property
    def instructions(self) -> str:
        """The instructions that an agent needs before its first call."""
        return (
            "Play board games against bots: call start_game, then draw, suggest and move until "
            "the game is over; the tool rules explains a game. You see only what the player at "
            "your seat may know. These are the games, with their numbers of players and options:\n"
            f"{''.join(map(_describe, GAMES))}"
            f"The bots: {', '.join(self.bots)}"
        )

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolAnswer:
        """Return the answer of a tool; raise TrajanError with all problems in the arguments."""
        if name not in TOOLS:
            raise TrajanError(f"no tool is called {quoted(name)}; tools are {', '.join(TOOLS)}")
        request = validate(TOOLS[name], Document("", dict(arguments), {}))
        try:
            match request:
                case StartGame():
                    return self._start(request)
                case OpenGame():
                    return self._open(request)
                case ReadRules(game=str(game)):
                    return _read_rules(game_named(game).rules, request.topics)
            if self.game is None:
                raise TrajanError("there is no game; call start_game or open_game first")
            match request:
                case PlayAction():
                    return self._play(self.game, request.action)
                case ReadRules():
                    return _read_rules(self.game.knowledge.game.rules, request.topics)
                case ListActions():
                    return _list_actions(self.game.knowledge)
                case SuggestActions():
                    return _suggest(self.game.knowledge, request)
                case ExplainActions():
                    return _explain(self.game.knowledge, request)
                case DrawBoard():
                    return _draw(self.game, request)
        except BotFailure:
            self.game = None
            self._processes.end()
            raise
        raise TypeError(f"nothing answers {name}")

    def close(self) -> None:
        """End the processes of bots."""
        self._processes.close()

    def _start(self, request: StartGame) -> ToolAnswer:
        game = game_named(request.game)
        check_request(
            game.rules, request.players, request.options
        )  # checked before the names of options become arguments
        # The key includes the agent's seat: otherwise, the agent could use the same seed to deal
        # the same game again, take another seat, and see cards that are hidden in this game.
        game_key = json.dumps(request.model_dump(exclude={"bots", "seed"}), sort_keys=True)
        seed = _derive(request.seed, game_key)
        start = game.start(request.players, derive_seed("deal", seed), **request.options)
        return self._begin(start, request.seat, request.bots, seed)

    def _open(self, request: OpenGame) -> ToolAnswer:
        source = position_sources.parse(
            request.text, "text", number=request.record, ply=request.ply
        )
        position, observer, seat = source.position, source.observer, request.seat
        seed = _derive(request.seed, "open")
        if observer is not None:
            if seat not in (None, observer):
                raise TrajanError(
                    f"seat must be {observer}: the text contains only what that player knows"
                )
            position = position.determinized(observer, derive_seed("deal", seed))
        default = position.player if observer is None else observer
        return self._begin(position, (default or 0) if seat is None else seat, request.bots, seed)

    def _begin(self, start: Position, seat: int, names: Sequence[str], seed: int) -> ToolAnswer:
        check_seat(seat, start.players, "seat")
        others = start.players - 1
        if len(names) not in (1, others):
            raise TrajanError(
                f"bots: must be one name for each other seat ({others}), or one name for all, "
                f"got {len(names)}"
            )
        unknown = [name for name in names if name not in self.bots]
        if unknown:
            raise TrajanError(
                f"bots: no bot is called {quoted(unknown[0])}; bots are {', '.join(self.bots)}"
            )
        bots: list[Bot | None] = [self.bots[name] for name in names]
        bots = bots * others if len(bots) == 1 else bots
        bots.insert(seat, None)
        for one in filter(None, bots):
            one.check(start.game)
        self._processes.end()
        self._processes.begin()
        players = {}
        for other, bot in enumerate(bots):
            if bot is not None:
                players[other] = _call(other, build, bot, start.game, self._processes.mind)
        self.game, self._seated = AgentGame(start, seat, players, seed), bots
        note = note_on(start.game.rules, self.game.knowledge.view())
        return _state(self.game, {} if note is None else {"note": note})

    def _play(self, game: AgentGame, action: str) -> ToolAnswer:
        game.play(action)
        start, end = game.table.positions[0], game.table.position
        if self.out is not None and end.player is None and start.origin and not start.ply:
            bots = [{"name": AGENT} if bot is None else bot.portable() for bot in self._seated]
            record = records.record(start, game.table.actions, end, x_bots=bots)
            records.write(self.out, [record], append=True)
        return _state(game, {})


def _describe(name: str) -> str:
    """Return lines about a game and its options, or nothing if its package is broken."""
    try:
        game = GAMES[name]
    except TrajanError:
        return ""
    options = "".join(f"  - {line}\n" for line in _describe_options(game.rules).values())
    return f"- {name}, {counts_in_words(game.player_counts)} players\n{options}"


def _describe_options(rules: Rules) -> dict[str, str]:
    """Return a dict from the name of each option to a line about it."""
    return {
        one.name: f"{one.name}: {one.allowed}" + (f" ({one.meaning})" if one.meaning else "")
        for one in all_options(rules)
    }


def _read_rules(rules: Rules, topics: Sequence[str]) -> ToolAnswer:
    """Return the page's tips on these topics or, without topics, all topics and options."""
    pieces = offered(rules, HasPieces)
    texts = {} if pieces is None else read_tips(pieces.tips)
    if not topics:
        options = _describe_options(rules)
        lines = [f"topics: {', '.join(texts) or 'none'}", "options:", *options.values()]
        return ToolAnswer("\n".join(lines), {"topics": [*texts], "options": options})
    unknown = [topic for topic in topics if topic not in texts]
    if unknown:
        hint = Names(texts).hint(unknown[0])
        raise TrajanError(
            f"topics: there is no topic {quoted(unknown[0])}; to list the topics, call rules "
            f"without topics{hint}"
        )
    chosen = {topic: texts[topic] for topic in topics}
    lines = [f"{topic}: {text}" for topic, text in chosen.items()]
    return ToolAnswer("\n".join(lines), {"topics": chosen})


def _derive(seed: int | None, purpose: str) -> int:
    """Return the seed for a game, which is secret if the agent states no seed."""
    return secrets.randbits(64) if seed is None else derive_seed("agent", purpose, seed)


def _state(game: AgentGame, extra: Mapping[str, Any]) -> ToolAnswer:
    knowledge = game.knowledge
    data: dict[str, Any] = {
        "game": knowledge.game.name,
        "players": knowledge.players,
        "seat": game.seat,
        "turn": knowledge.turn,
        "scores": knowledge.scores,
        "moves": [{"player": player, "action": action} for player, action in game.moves],
        "events": [describe_event(knowledge.game.rules, event) for event in game.events],
        "over": knowledge.player is None,
        "legal": knowledge.legal(),
        **extra,
    }
    if knowledge.player is None:
        data["ranks"] = knowledge.canonical.ranks
    return ToolAnswer("\n".join(_list_lines(game, data)), data)


def _list_lines(game: AgentGame, data: Mapping[str, Any]) -> Iterator[str]:
    """Yield the state as lines, which are much shorter than the data.

    The lines omit events that the moves imply.
    """
    rules = game.knowledge.game.rules
    vp = ", ".join(map(str, data["scores"]))
    yield f"{data['game']}, turn {data['turn']}, you are player {data['seat']}; VP by player {vp}"
    if "note" in data:
        yield data["note"]
    for player, moves in groupby(game.moves, itemgetter(0)):
        yield f"player {player}: {', '.join(action for _, action in moves)}"
    notable = list_notable(rules, game.events)
    for who, events in groupby(notable, attrgetter("player")):
        words = "; ".join(word_event_with_vp(rules, event) for event in events)
        yield f"  {words}" if who is None else f"  player {who} {words}"
    if data["over"]:
        yield f"the game is over; ranks {', '.join(map(str, data['ranks']))}"
    else:
        yield f"legal: {', '.join(data['legal'])}"


def _list_actions(knowledge: InformationSet) -> ToolAnswer:
    actions = {action: word_turn(knowledge, [action]) for action in knowledge.legal()}
    lines = (f"{action}: {words}" for action, words in actions.items())
    return ToolAnswer("\n".join(lines), {"legal": actions})


def _suggest(knowledge: InformationSet, request: SuggestActions) -> ToolAnswer:
    analysis = advice.analyse(knowledge, iterations=request.iterations, top=request.top)
    return _show(analysis, request.top)


def _explain(knowledge: InformationSet, request: ExplainActions) -> ToolAnswer:
    legal = Names(knowledge.legal())
    actions = [legal.find(action) for action in request.actions]
    problems = [
        f"actions[{number}]: {quoted(typed)} is not legal{legal.hint(typed)}"
        for number, (typed, action) in enumerate(zip(request.actions, actions, strict=True))
        if action is None
    ]
    if problems:
        raise TrajanError(*problems)
    named = [knowledge.game.move(action) for action in actions if action is not None]
    analysis = advice.analyse(knowledge, iterations=request.iterations, sources=True, named=named)
    if actions:
        others = [move for move in analysis.moves[1:] if move.action in actions]
        analysis = replace(analysis, moves=(analysis.best, *others))
    return _show(analysis, None if actions else SHOWN_BEST)


def _show(analysis: Analysis, top: int | None) -> ToolAnswer:
    lines = text(analysis, top, sys.maxsize, continuation=None)
    return ToolAnswer(lines, analysis.to_dict(top))


def _draw(game: AgentGame, request: DrawBoard) -> ToolAnswer:
    knowledge, format = game.knowledge, request.format
    name = knowledge.game.name
    if format == "text":
        return ToolAnswer(knowledge.game.rules.draw(knowledge.canonical, game.seat))
    if format == "yaml":
        file = position_files.position_file(knowledge.canonical, game.seat)
        return ToolAnswer(position_files.dumps(file))
    last = game.moves[-1] if game.moves else None
    drawing = needed(knowledge.game, HasPicture).picture(
        knowledge.view(), last=last, width=request.width
    )
    if format == "svg":
        return ToolAnswer(drawing)
    return ToolAnswer(f"{name} as player {game.seat} sees it", image=png(drawing, request.width))
