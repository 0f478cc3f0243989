"""The games of a plan, computed lazily from the plan alone.

A *table* is a set of bots that meet, a *deal* is one shuffle for a table, and a *block* is all
games of one deal, in which the bots rotate through the seats. Seeds and identities derive from the
game's content, never from the time or place of play.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations, permutations
from math import factorial

from trajan_ai.core.seeds import derive_seed
from trajan_ai.tournaments.plan_file import Plan

Bots = tuple[int, ...]  # indices of bots in the plan's list of bots
BETWEEN = "-"  # separates deal and table in the name of a block


@dataclass(frozen=True, kw_only=True)
class Fixture:
    """One game of a plan. `seats` and `bots` contain the index and the digest of the bot in each
    seat; `options` is JSON."""

    id: str
    game: str
    options: str
    block: str
    deal: int
    deal_seed: int
    rotation: int
    seats: Bots
    bots: tuple[str, ...]

    @property
    def seed(self) -> int:
        """The seed of every random choice in this game except the deal."""
        return derive_seed("game", self.id)


@dataclass(frozen=True)
class Block:
    """All games of one deal of one table."""

    id: str
    table: Bots
    deal: int
    fixtures: tuple[Fixture, ...]


class Schedule:
    """The games of a plan, each made when it is needed.

    The deal of a block derives from the plan's root, the game and options, the names of the bots
    at the table and the deal's number. A new version of a bot therefore gets the same cards
    against the same opponents. The games derive from the deal and the bots' settings, but not from
    the order of the bots or the rest of the plan, so that a changed plan can reuse games.

    Attributes:
        plan: the plan.
        tables: every table, smaller ones first, in the order of the plan's bots.
        chosen: the blocks that an adaptive plan has chosen so far, as (table, deal).
    """

    def __init__(self, plan: Plan, chosen: Iterable[tuple[Bots, int]] = ()) -> None:
        self.plan = plan
        self.tables = _list_tables(plan)
        self.chosen = list(chosen)
        self._ids: list[str] | None = None

    def choose(self, blocks: Iterable[Block]) -> None:
        """Add blocks to those that an adaptive plan has chosen."""
        for block in blocks:
            self.chosen.append((block.table, block.deal))
            if self._ids is not None:
                self._ids += [fixture.id for fixture in block.fixtures]

    def ids(self) -> Sequence[str]:
        """Return the identities of all games; for an adaptive plan, those in the chosen blocks."""
        if self._ids is None:
            self._ids = [
                id
                for table, deal in (self.chosen if self.plan.adaptive else self._deals())
                for id, _, _ in self._name_games(table, deal, self._name_block(table, deal)[0])
            ]
        return self._ids

    def fixtures(self) -> Iterator[Fixture]:
        """Yield all games that the plan allows."""
        return chain.from_iterable(block.fixtures for block in self.blocks())

    def blocks(self) -> Iterator[Block]:
        """Yield all blocks that the plan allows, deal by deal."""
        return (self.block(table, deal) for table, deal in self._deals())

    def block(self, table: Bots, deal: int) -> Block:
        """Return the games of one deal of a table."""
        name, deal_seed = self._name_block(table, deal)
        fixtures = tuple(
            Fixture(
                id=id,
                game=self.plan.settings.game,
                options=self.plan.options_text,
                block=name,
                deal=deal,
                deal_seed=deal_seed,
                rotation=rotation,
                seats=tuple(table[index] for index in seating),
                bots=bots,
            )
            for rotation, (id, bots, seating) in enumerate(self._name_games(table, deal, name))
        )
        return Block(name, table, deal, fixtures)

    def count_games(self) -> dict[int, int]:
        """Count the games for each number of players; for an adaptive plan, return the maximum."""
        digests, settings = self.plan.digests, self.plan.settings
        games = dict.fromkeys(self.plan.players, 0)
        for table in self.tables:
            period = factorial(len(table) - 1)
            sizes = [
                len(arrange_seats([digests[bot] for bot in table], deal, settings.rotations))
                for deal in range(period)
            ]
            whole, rest = divmod(settings.deals, period)
            games[len(table)] += whole * sum(sizes) + sum(sizes[:rest])
        return games

    def _deals(self) -> Iterator[tuple[Bots, int]]:
        return ((table, deal) for deal in range(self.plan.settings.deals) for table in self.tables)

    def _name_block(self, table: Bots, deal: int) -> tuple[str, int]:
        """Return the name of a block and the seed of its deal."""
        plan = self.plan
        start = plan.get_start(deal)
        begin = () if start is None else (start.digest,)
        rules = (plan.settings.game, plan.options_text, len(table), *begin)
        names = sorted(plan.names[bot] for bot in table)
        deal_seed = derive_seed("deal", plan.root, *rules, *names, deal)
        shuffle = derive_seed("shuffle", *rules, deal_seed)
        members = _hash_members(tuple(sorted(plan.digests[bot] for bot in table)))
        return f"{shuffle:016x}{BETWEEN}{members:016x}", deal_seed

    def _name_games(
        self, table: Bots, deal: int, name: str
    ) -> Iterator[tuple[str, tuple[str, ...], tuple[int, ...]]]:
        """Yield (identity, digest of the bot at each seat, seating) for each game of a block."""
        digests = [self.plan.digests[bot] for bot in table]
        for seating in arrange_seats(digests, deal, self.plan.settings.rotations):
            bots = tuple(digests[index] for index in seating)
            yield f"{derive_seed('seats', name, *bots):016x}", bots, seating


def _list_tables(plan: Plan) -> list[Bots]:
    tables: dict[Bots, None] = {}
    for players in plan.players:
        for table in _choose_tables(plan, players):
            tables[tuple(sorted(table))] = None
    return list(tables)


def _choose_tables(plan: Plan, players: int) -> Iterable[Bots]:
    everyone = range(len(plan.names))
    settings = plan.settings
    if settings.test:
        pair = (plan.number(settings.test.bot), plan.number(settings.test.against))
        field = [bot for bot in everyone if bot not in pair]
        if not field:
            return [(pair[0],) * (players // 2) + (pair[1],) * (players - players // 2)]
        return (pair + rest for rest in choose_evenly(field, players - 2))
    if settings.schedule == "gauntlet":
        others = [bot for bot in everyone if bot not in plan.focus]
        return ((bot, *rest) for bot in plan.focus for rest in choose_evenly(others, players - 1))
    if settings.schedule == "ladder" and len(everyone) > players:
        return (tuple(everyone[k : k + players]) for k in range(len(everyone) - players + 1))
    return choose_evenly(everyone, players)


def choose_evenly(pool: Sequence[int], count: int) -> Iterator[Bots]:
    """Yield each way to fill `count` seats from the pool, using its bots as evenly as possible.

    With enough bots, these are the combinations. With fewer bots, some take several seats.
    """
    every, rest = divmod(count, len(pool))
    for extra in combinations(pool, rest):
        yield tuple(sorted(tuple(pool) * every + extra))


def arrange_seats(digests: Sequence[str], deal: int, rotations: str) -> list[tuple[int, ...]]:
    """Return the seatings of a deal, each as indices into the table's `digests` by seat.

    rotations  "cyclic": the rotations of one circular order, so that each bot has each seat once.
               Deals take the circular orders in turn, so that no bot always follows the same
               bot.
               "all": every distinct seating
    """
    return list(_arrange(tuple(digests), deal % factorial(len(digests) - 1), rotations))


@lru_cache(maxsize=4096)
def _arrange(digests: tuple[str, ...], turn: int, rotations: str) -> tuple[tuple[int, ...], ...]:
    ranks = {digest: rank for rank, digest in enumerate(sorted(set(digests)))}
    return _arrange_kinds(tuple(ranks[digest] for digest in digests), turn, rotations)


@lru_cache(maxsize=4096)
def _arrange_kinds(kinds: Bots, turn: int, rotations: str) -> tuple[tuple[int, ...], ...]:
    order = sorted(range(len(kinds)), key=lambda index: (kinds[index], index))
    if rotations == "all":
        distinct = {tuple(kinds[i] for i in seating): seating for seating in permutations(order)}
        return tuple(distinct[key] for key in sorted(distinct))
    circles: dict[Bots, tuple[int, ...]] = {}
    for tail in permutations(order[1:]):
        circle = (order[0], *tail)
        rotations_of_kinds = [
            tuple(kinds[i] for i in _rotate(circle, k)) for k in range(len(circle))
        ]
        if len(set(rotations_of_kinds)) == len(circle):
            circles.setdefault(min(rotations_of_kinds), circle)
    chosen = circles[sorted(circles)[turn % len(circles)]] if circles else tuple(order)
    count = len(chosen) if circles else 1
    return tuple(_rotate(chosen, k) for k in range(count))


def _rotate(circle: tuple[int, ...], by: int) -> tuple[int, ...]:
    return circle[by:] + circle[:by]


@lru_cache(maxsize=4096)
def _hash_members(digests: tuple[str, ...]) -> int:
    return derive_seed("table", *digests)


def get_shuffle(block: str) -> str:
    """Return the part of a block's name that all blocks of the same deal share."""
    return block.partition(BETWEEN)[0]
