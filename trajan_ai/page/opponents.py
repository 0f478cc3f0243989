"""Who can sit at the table: levels by the VP they make, or a bot on a number of iterations."""

from __future__ import annotations

from dataclasses import dataclass

from trajan_ai.analysis import advice
from trajan_ai.analysis.budgets import DEFAULT_BOT
from trajan_ai.bots import BUILTIN_NAMES, Bot, IsmctsBot, LevelBot, read_bot
from trajan_ai.bots.levels import FULL, levels_of
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.core.languages import tr

MOST_ITERATIONS = 100_000

STRONGEST = "expert-3000"
# What the page offers, weakest first, for games without levels of their own.
OFFERED = {
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
    """A bot and, if it searches, its iterations per decision: the same play on every machine."""

    bot: Bot
    iterations: int | None


def level(name: str) -> Opponent:
    """Return a level by its name: ``level-120``, ``greedy``, or ``expert-300`` (iterations).

    Raises TrajanError that says what would be right.
    """
    if name in BUILTIN_NAMES and isinstance(erring := read_bot(name), LevelBot):
        return Opponent(erring, None)
    bot, _, number = name.partition("-")
    if bot not in BUILTIN_NAMES:
        raise TrajanError(
            f"seats: no bot is called {bot!r:.60}; bots are {', '.join(BUILTIN_NAMES)}"
        )
    described = read_bot(bot)
    if not isinstance(described, IsmctsBot):
        if number:
            raise TrajanError(f"seats: {bot} does not search, it takes no iterations")
        return Opponent(described, None)
    if not number.isdecimal() or not 1 <= int(number[:9]) <= MOST_ITERATIONS:
        raise TrajanError(
            f"seats: {bot} needs a number of iterations, such as {bot}-300, "
            f"at most {MOST_ITERATIONS:,}; got {name!r:.60}"
        )
    return Opponent(described, int(number))


def offered(game: Game, players: int) -> dict[str, str]:
    """Return the names of the levels that can play `game`, and what people call them."""
    rows = levels_of(game).tables.get(players)
    if rows:
        names = {f"level-{vp}": tr("Level {vp}", vp=vp) for vp in rows if vp != FULL}
        return names | {STRONGEST: tr("Full strength")}
    expert = advice.settings_of(read_bot(DEFAULT_BOT))
    return {
        name: tr(text)
        for name, text in OFFERED.items()
        if not (name.startswith(DEFAULT_BOT) and expert.lacking(game))
    }
