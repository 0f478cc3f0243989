"""Opponents on the page: levels named after their VP, and bots with given iterations."""

from collections.abc import Sequence
from dataclasses import dataclass

from trajan_ai.analysis.budgets import DEFAULT_BOT
from trajan_ai.analysis.decision import advice
from trajan_ai.bots import BUILTIN_NAMES, Bot, IsmctsBot, LevelBot, read_bot
from trajan_ai.bots.levels import FULL, get_levels
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.core.languages import tr

MAX_ITERATIONS = 100_000

STRONGEST = "expert-3000"
# The bots offered for a game that has no levels for this number of players, the weakest first.
OPPONENTS = {
    "random": "Random",
    "greedy": "Greedy: most VP this turn",
    "ismcts-300": "Beginner: plain search, 300 iterations",
    "ismcts-3000": "Casual: plain search, 3,000 iterations",
    "expert-30": "Club: expert, 30 iterations",
    "expert-300": "Strong: expert, 300 iterations",
    STRONGEST: "Master: expert, 3,000 iterations",
}


@dataclass(frozen=True)
class Opponent:
    """A bot and, if the opponent's name states them, its iterations per decision.

    Because iterations rather than time limit its searches, an opponent plays the same on every
    machine.
    """

    bot: Bot
    iterations: int | None


def find_opponent(name: str) -> Opponent:
    """Return an opponent by its name, such as ``level-120``, ``greedy`` or ``expert-300``.

    The number is a level's VP or a bot's iterations. Raises TrajanError for an unknown name.
    """
    if name in BUILTIN_NAMES and isinstance(level := read_bot(name), LevelBot):
        return Opponent(level, None)
    bot, _, number = name.partition("-")
    if bot not in BUILTIN_NAMES:
        raise TrajanError(
            f"seats: no bot is called {bot!r:.60}; bots are {', '.join(BUILTIN_NAMES)}"
        )
    described = read_bot(bot)
    if not isinstance(described, IsmctsBot):
        if number:
            raise TrajanError(f"seats: {bot} does not search, so its name takes no number")
        return Opponent(described, None)
    if not number.isdecimal() or not 1 <= int(number[:9]) <= MAX_ITERATIONS:
        raise TrajanError(
            f"seats: {bot} needs a number of iterations, such as {bot}-300, "
            f"at most {MAX_ITERATIONS:,}; got {name!r:.60}"
        )
    return Opponent(described, int(number))


def name_players(seats: Sequence[str | None], observer: int | None) -> list[str]:
    """Return the names of the players: "You", bots with their levels, and other people.

    "You" is the `observer` of a followed game, or otherwise the only person. Numbers in names
    start at 1.
    """
    bots = len(seats) - seats.count(None)
    you = seats.index(None) if observer is None and bots == len(seats) - 1 else observer
    names = []
    for player, seat in enumerate(seats):
        number = player + 1
        if player == you or seat is None:
            other = tr("Player {player}", player=number)
            if you is not None:
                alone = len(seats) == 2
                other = tr("Opponent") if alone else tr("Opponent {player}", player=number)
            names.append(tr("You") if player == you else other)
            continue
        vp = str(seat).removeprefix("level-")
        level = tr("full strength") if seat == STRONGEST else seat
        level = level if vp == seat else tr("level {vp}", vp=vp)
        text = tr("Bot {player} ({level})", player=number, level=level)
        names.append(text if bots > 1 else tr("Bot ({level})", level=level))
    return names


def list_opponents(game: Game, players: int) -> dict[str, str]:
    """Return the labels of the opponents that can play a game, by name, weakest first."""
    rows = get_levels(game).tables.get(players)
    if rows:
        easiest = min((vp for vp in rows if vp != FULL), default=None)
        names = {
            f"level-{vp}": tr("Level {vp} (easiest)" if vp == easiest else "Level {vp}", vp=vp)
            for vp in rows
            if vp != FULL
        }
        return names | {STRONGEST: tr("Full strength")}
    return {
        name: tr(text)
        for name, text in OPPONENTS.items()
        if not (name.startswith(DEFAULT_BOT) and advice.default_bot().lacking(game))
    }
