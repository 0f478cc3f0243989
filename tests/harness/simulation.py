"""Simulated tournaments of bots with known strength, for the tests of ratings."""

from itertools import combinations

import numpy as np

from tournaments.ratings import ELO, NO_BOT, NO_FAILURE, SEATS, Results


def simulate(elo, players, deals, seed, *, luck=1.0, seat_elo=(0.0, 0.0, 0.0, 0.0)):
    """Return a round robin: every table, `deals` deals, all rotations; as Results.

    Finishing orders follow Plackett-Luce with the given ratings. The luck of a deal belongs to
    the seat: with `luck` above 0 part of each seat's noise is the same in every rotation, drawn so
    that each game by itself still follows the model exactly (a Gaussian copula of the noise).
    """
    rng = np.random.default_rng(seed)
    theta = np.asarray(elo) / ELO
    tables = np.array(list(combinations(range(len(elo)), players)))
    blocks = len(tables) * deals
    table = np.tile(tables, (deals, 1))
    shared = rng.standard_normal((blocks, players))
    share = luck / (1.0 + luck)
    seats, strength = [], []
    for rotation in range(players):
        at_seat = np.roll(table, rotation, axis=1)
        own = rng.standard_normal((blocks, players))
        mixed = np.sqrt(share) * shared + np.sqrt(1 - share) * own
        gumbel = -np.log(-np.log(_normal_share(mixed)))
        strength.append(theta[at_seat] + np.asarray(seat_elo[:players]) / ELO + gumbel)
        seats.append(at_seat)
    seats, strength = np.stack(seats, 1), np.stack(strength, 1)
    return results_of(
        [f"bot{k}" for k in range(len(elo))],
        np.repeat(np.arange(blocks), players),
        seats.reshape(-1, players),
        strength.reshape(-1, players),
    )


def results_of(bots, block, seats, strength):
    """Return Results in which the seat with the greater strength finishes above."""
    games, players = seats.shape
    order = np.argsort(np.argsort(-strength, axis=1), axis=1) + 1
    wide = np.full((games, SEATS), NO_BOT, dtype=np.int64)
    wide[:, :players] = seats
    ranks = np.zeros((games, SEATS), dtype=np.int64)
    ranks[:, :players] = order
    scores = np.full((games, SEATS), np.nan)
    scores[:, :players] = np.round(100 + 10 * strength)
    none = np.zeros((games, SEATS))
    return Results(
        tuple(bots),
        np.asarray(block, dtype=np.int64),
        np.full(games, players, dtype=np.int64),
        wide,
        ranks,
        scores,
        np.full(games, NO_FAILURE, dtype=np.int64),
        none.astype(np.int64),
        none,
        none,
    )


def _normal_share(x):
    from math import erf

    return 0.5 * (1 + np.vectorize(erf)(x / np.sqrt(2)))
