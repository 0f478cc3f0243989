"""Check a bot in games from every seat, in guarded processes; report failures and speed."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from trajan_ai import records
from trajan_ai.bots import Bot
from trajan_ai.bots.game_loop import Failure
from trajan_ai.core.platform import need_guards
from trajan_ai.core.seeds import derive_seed
from trajan_ai.tournaments import game_task
from trajan_ai.tournaments.defaults import TRIAL_PATIENCE, TRIAL_SEATS
from trajan_ai.tournaments.game_task import Outcome, Task
from trajan_ai.tournaments.guard import ProcessGuard


@dataclass(frozen=True, kw_only=True)
class GameReport:
    """The results of a bot in one game. Times are in seconds and exclude the other bots.

    unfit      reasons why the bot cannot play this game at all
    repeats    whether the bot made the same choices when a game was repeated with the same seeds
    remembers  whether the bot chose differently after another game in the same process

    `repeats` and `remembers` are None if the bot has a time limit or failed. `remembers` is also
    None if the bot does not repeat its choices.
    """

    game: str
    games: int = 0
    decisions: int = 0
    turns: int = 0
    seconds: float = 0.0
    longest: float = 0.0
    repeats: bool | None = None
    remembers: bool | None = None
    unfit: tuple[str, ...] = ()
    failure: Failure | None = None
    players: int = 0  # number of players in the game in which the bot failed
    seat: int = 0


@dataclass(frozen=True)
class Trial:
    """A trial in which a bot plays `count` matches of each game against `opponent`.

    The bot takes the seats of `TRIAL_SEATS` in turn.
    """

    bot: Bot
    opponent: Bot
    count: int
    patience: float = TRIAL_PATIENCE

    def task(self, game: str, number: int, *, keep: bool = False) -> Task:
        """Return the task of game `number`, with the bot at the seat that TRIAL_SEATS lists."""
        players, seat = TRIAL_SEATS[number % len(TRIAL_SEATS)]
        seats = [self.opponent] * players
        seats[seat] = self.bot
        deal_seed, seed = (derive_seed("check", kind, game, number) for kind in ("deal", "bots"))
        return Task(
            id=f"check-{number}",
            game=game,
            options={},
            seats=tuple(seats),
            deal=number,
            deal_seed=deal_seed,
            seed=seed,
            patience=self.patience,
            retries=0,
            keep=keep,
        )


def check(
    trial: Trial, games: Sequence[str], notify: Callable[[str], None] = lambda line: None
) -> Iterator[GameReport]:
    """Play a trial and yield a report for each game, which ends early if the bot fails in it.

    `notify` receives a line before each game.
    """
    need_guards("a guarded game")
    guard = ProcessGuard()
    try:
        for game in games:
            unfit = tuple(map(str, game_task.find_bot_problems(game, trial.bot)))
            if unfit:
                yield GameReport(game=game, unfit=unfit)
            else:
                yield _check_game(guard, trial, game, notify)
    finally:
        guard.close()


def _check_game(
    guard: ProcessGuard, trial: Trial, game: str, notify: Callable[[str], None]
) -> GameReport:
    played: list[tuple[int, Outcome]] = []
    for number in range(trial.count):
        notify(f"{game}: game {number + 1} of {trial.count}")
        _, seat = TRIAL_SEATS[number % len(TRIAL_SEATS)]
        played.append((seat, guard.play(trial.task(game, number))))
        if played[-1][1].failure is not None:
            break
    failure = played[-1][1].failure
    repeats = remembers = None
    if failure is None and game_task.get_time_limit(trial.bot) == 0.0:
        first = played[0][1].record
        repeats = guard.play(trial.task(game, 0)).record == first
        if repeats:
            guard.play(trial.task(game, 1, keep=True))
            remembers = guard.play(trial.task(game, 0)).record != first
    players, seat = TRIAL_SEATS[(len(played) - 1) % len(TRIAL_SEATS)]
    return GameReport(
        game=game,
        games=len(played),
        decisions=sum(_count_decisions(outcome, seat) for seat, outcome in played),
        turns=sum(outcome.times.turns[seat] for seat, outcome in played),
        seconds=sum(outcome.times.seconds[seat] for seat, outcome in played),
        longest=max(outcome.times.longest[seat] for seat, outcome in played),
        repeats=repeats,
        remembers=remembers,
        failure=failure,
        players=players,
        seat=seat,
    )


def _count_decisions(outcome: Outcome, seat: int) -> int:
    return sum(player == seat for player, _ in records.parse(outcome.record)["actions"])
