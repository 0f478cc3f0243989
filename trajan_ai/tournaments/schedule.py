"""Which games a plan consists of: pure, lazy, and the same for everybody who reads the plan.

A *table* is the bots that meet, a *deal* one shuffle for a table, a *block* all the games of one
deal: the bots rotated through the seats. Seeds and identities derive from what a game is, never
from when or where it is played.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations, permutations
from math import factorial

from trajan_ai.core.seeds import derive_seed
from trajan_ai.tournaments.plan_file import Plan

Bots = tuple[int, ...]  # numbers of bots in the plan
BETWEEN = "-"  # the deal and the table, in the name of a block


@dataclass(frozen=True)
class Fixture:
    """One game of a plan: by seat the numbers and the digests of its bots; `options` as JSON."""

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
        """The seed of all that is drawn in this game beside the deal."""
        return derive_seed("game", self.id)


@dataclass(frozen=True)
class Block:
    """All games of one deal of one table."""

    id: str
    table: Bots
    deal: int
    fixtures: tuple[Fixture, ...]


def list_tables(plan: Plan) -> list[Bots]:
    """Return every table of the plan, smaller ones first, in the order of the plan's bots."""
    found: dict[Bots, None] = {}
    for players in plan.players:
        for table in _tables_of(plan, players):
            found[tuple(sorted(table))] = None
    return list(found)


def _tables_of(plan: Plan, players: int) -> Iterable[Bots]:
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

    With enough bots these are the combinations; with fewer, some or all sit more than once.
    """
    every, rest = divmod(count, len(pool))
    for extra in combinations(pool, rest):
        yield tuple(sorted(tuple(pool) * every + extra))


def arrange_seats(digests: Sequence[str], deal: int, rotations: str) -> list[tuple[int, ...]]:
    """Return the seatings of a deal: each is, by seat, indices into the table's `digests`.

    "cyclic": the rotations of one circular order, so that each bot sits once in each seat; deals
    take the circular orders in turn, so that none always plays after the same one. "all": every
    distinct seating.
    """
    ranks = {digest: rank for rank, digest in enumerate(sorted(set(digests)))}
    kinds = tuple(ranks[digest] for digest in digests)
    return list(_seatings(kinds, deal % factorial(len(kinds) - 1), rotations))


@lru_cache(maxsize=4096)
def _seatings(kinds: Bots, turn: int, rotations: str) -> tuple[tuple[int, ...], ...]:
    order = sorted(range(len(kinds)), key=lambda index: (kinds[index], index))
    if rotations == "all":
        distinct = {tuple(kinds[i] for i in seating): seating for seating in permutations(order)}
        return tuple(distinct[key] for key in sorted(distinct))
    circles: dict[Bots, tuple[int, ...]] = {}
    for tail in permutations(order[1:]):
        circle = (order[0], *tail)
        turned = [_turned(circle, k) for k in range(len(circle))]
        shown = [tuple(kinds[i] for i in seating) for seating in turned]
        if len(set(shown)) == len(circle):
            circles.setdefault(min(shown), circle)
    chosen = circles[sorted(circles)[turn % len(circles)]] if circles else tuple(order)
    count = len(chosen) if circles else 1
    return tuple(_turned(chosen, k) for k in range(count))


def _turned(circle: tuple[int, ...], by: int) -> tuple[int, ...]:
    return circle[by:] + circle[:by]


def make_block(plan: Plan, table: Bots, deal: int) -> Block:
    """Return the games of one deal of a table.

    The deal derives from the plan's root, the game and options, the names of the bots at the table
    and its own number: so another version of a bot gets the same cards against the same opponents.
    The games derive from it and from the settings of these bots, not from their order or the rest
    of the plan. So a changed plan finds again what was played.
    """
    digests = plan.digests
    game, options = plan.settings.game, plan.options_text
    rules = (game, options, len(table))
    names = sorted(plan.names[bot] for bot in table)
    deal_seed = derive_seed("deal", plan.root, *rules, *names, deal)
    shuffle = derive_seed("shuffle", *rules, deal_seed)
    members = derive_seed("table", *sorted(digests[bot] for bot in table))
    name = f"{shuffle:016x}{BETWEEN}{members:016x}"
    fixtures = []
    seatings = arrange_seats([digests[bot] for bot in table], deal, plan.settings.rotations)
    for rotation, seating in enumerate(seatings):
        seats = tuple(table[index] for index in seating)
        bots = tuple(digests[bot] for bot in seats)
        id = f"{derive_seed('seats', name, *bots):016x}"
        fixture = Fixture(id, game, options, name, deal, deal_seed, rotation, seats, bots)
        fixtures.append(fixture)
    return Block(name, table, deal, tuple(fixtures))


def get_shuffle(block: str) -> str:
    """Return what blocks of the same deal have in common, whoever sits at the table."""
    return block.partition(BETWEEN)[0]


def generate_blocks(plan: Plan) -> Iterator[Block]:
    """Yield all blocks of a plan: deal after deal, in each every table."""
    every = list_tables(plan)
    return (
        make_block(plan, table, deal) for deal in range(plan.settings.deals) for table in every
    )


def generate_fixtures(plan: Plan) -> Iterator[Fixture]:
    """Yield all games of a plan, lazily."""
    return chain.from_iterable(block.fixtures for block in generate_blocks(plan))


def collect_planned_ids(plan: Plan, chosen: Iterable[tuple[Bots, int]]) -> set[str]:
    """Return the identities of all games of a plan; of an adaptive one, of the `chosen` blocks."""
    if not plan.adaptive:
        return {fixture.id for fixture in generate_fixtures(plan)}
    every = (make_block(plan, table, deal) for table, deal in chosen)
    return {fixture.id for one in every for fixture in one.fixtures}


def count_games(plan: Plan) -> dict[int, int]:
    """Return the number of games by players at the table: the most that may be played."""
    digests = plan.digests
    games = dict.fromkeys(plan.players, 0)
    for table in list_tables(plan):
        period = factorial(len(table) - 1)
        sizes = [
            len(arrange_seats([digests[bot] for bot in table], deal, plan.settings.rotations))
            for deal in range(period)
        ]
        whole, rest = divmod(plan.settings.deals, period)
        games[len(table)] += whole * sum(sizes) + sum(sizes[:rest])
    return games
