"""Test the claims of ``find_reasons`` by rollouts, or print reasons.

``python tests/experiments/reasons.py --out FOLDER [games.jsonl ..]`` analyses puzzles with their
likeliest wrong moves, in the same way as practice analyses an answer. If records are given, it
instead analyses large mistakes of the players, which are moves that lose at least 5 VP in a quick
analysis, together with other moves of the same decision that lose as much. Then the bot plays the
game to its end after both moves of every claim, on the same redeals, and each claim is compared
with the VP by source in these games. Results in FOLDER are not repeated. The program prints how
many claims are outside the combined 95 % interval, and exits with status 1 if their share is above
`LEVEL`.

``python tests/experiments/reasons.py --read N games.jsonl ..`` prints N mistakes of at least
`NOTABLE` VP with the reasons that practice gives, and the share of mistakes that have reasons.
"""

import argparse
import json
import random
import sys
from collections import Counter
from functools import partial
from math import hypot, sqrt
from pathlib import Path
from statistics import fmean, stdev

from scipy import stats

from trajan_ai import records
from trajan_ai.analysis.annotation.judging import LOSS_GRADES
from trajan_ai.analysis.budgets import PRACTICE_ITERATIONS
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.analysis_run import rollout_settings
from trajan_ai.analysis.decision.reasons import find_reasons
from trajan_ai.bots.players import SearchPlayer
from trajan_ai.core.foresight import find_next_turn
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules_words import in_words
from trajan_ai.core.seeds import derive_seed
from trajan_ai.page.practice import MAX_BEST, describe_reasons, puzzles
from trajan_ai.records import position_files

LEVEL = 0.05  # share of claims that may be outside the interval
LIMIT = 1.96  # half the interval, in standard errors
SMALLEST = LOSS_GRADES[-1][2]  # minimum VP that a mistake loses
LARGE = 5.0  # minimum VP that a move of a record must lose in an analysis of QUICK iterations
QUICK = 2000
NOTABLE = 3.0  # minimum VP that a printed mistake loses; it also loses at least 2 standard errors


def decisions(paths, count):
    """Yield (key, information, right moves, function that finds `count` wrong moves).

    The decisions are those of puzzles or, if there are paths, of records.
    """
    for key, exercise in puzzles().items() if not paths else ():
        information = InformationSet(position_files.parse(exercise.position))
        right = [information.game.move(action) for action in exercise.right]
        yield key, information, right[:1], partial(find_others, information, right, count)
    for path in paths:
        for number, entry in enumerate(records.read(path)):
            pairs = zip(records.positions(entry), entry["actions"], strict=False)
            drawn = [pair for pair in pairs if len(pair[0].legal()) > 1]
            for position, (_, action) in random.Random(number).sample(drawn, len(drawn) // 3):
                key = f"{path.stem}-{number}-{position.ply}"
                information = InformationSet(position)
                move = position.game.move(action)
                yield key, information, [], partial(find_mistakes, information, move, count)


def find_others(information, right, count):
    """Return the likeliest moves that are not right."""
    quick = advice.analyse(information, grade="quick", iterations=QUICK)
    return [one.move for one in quick.moves if one.move not in right][:count]


def find_mistakes(information, move, count):
    """Return up to `count` large mistakes beginning with `move`, or none if `move` is not one."""
    quick = advice.analyse(information, grade="quick", iterations=QUICK, named=[move])
    large = [one.move for one in quick.moves if one.gain and one.gain.mean <= -LARGE]
    large.sort(key=lambda other: other != move)
    return large[:count] if move in large else []


def analyse(information, named, iterations, seed):
    """Return the values of the best move and of all moves, computed as in practice."""
    analysis = advice.analyse(
        information,
        grade="verified",
        iterations=iterations,
        seed=seed,
        top=MAX_BEST,
        named=named,
        sources=True,
    )
    return analysis.best, {move.move: move for move in analysis.moves}


def compare_claims(information, right, wrong, redeals):
    """Return each claim with its difference from rollouts, in combined standard errors."""
    if not wrong:
        return []
    best, values = analyse(information, [*right, *wrong], PRACTICE_ITERATIONS, 0)
    better = values[right[0]] if right else best
    claims = [
        (move, reason)
        for move in wrong
        if values[move].gain and values[move].gain.mean <= -SMALLEST
        for reason in find_reasons(information, better, values[move])[0]
        if reason.is_sure
    ]
    if not claims:
        return []
    game = information.game
    settings = rollout_settings(advice.prepare(game).settings)
    players = [SearchPlayer(settings, game) for _ in range(information.players)]
    played = {
        move: [play_out(information, move, players, seed) for seed in range(redeals)]
        for move in {better.move, *(move for move, _ in claims)}
    }
    results = []
    for move, reason in claims:
        of = reason.player, reason.source
        differences = [
            after_better[of] - after_worse[of]
            for after_better, after_worse in zip(played[better.move], played[move], strict=True)
        ]
        vp, error = fmean(differences), stdev(differences) / sqrt(redeals)
        claim = {
            "player": reason.player,
            "source": reason.source,
            "vp": reason.vp.mean,
            "error": reason.vp.error,
            "rollouts": vp,
            "rollouts_error": error,
            "off": (vp - reason.vp.mean) / hypot(error, reason.vp.error),
        }
        results.append(claim)
    return results


def play_out(information, move, players, seed):
    """Return each player's VP from each source after a move, on the redeal with this seed."""
    position = information.determinized(seed)
    for seat, player in enumerate(players):
        player.start(seat, len(players), seed)
    vp = Counter()
    while True:
        for event in position.events(position.game.actions[move]):
            if event.vp:
                vp[event.player, event.source] += event.vp
        for player in players:
            player.observe(position, move)
        position = position.after_move(move)
        if position.player is None:
            return vp
        move = players[position.player].choose(position, derive_seed(seed, position.ply))


def read_mistakes(paths, count):
    """Print mistakes with their reasons until there are `count`."""
    rng, explained, mistakes = random.Random(1), 0, 0
    decided = [
        (path, position, action)
        for path in paths
        for entry in records.read(path)
        for position, (_, action) in zip(records.positions(entry), entry["actions"], strict=False)
        if len(position.legal()) > 1
    ]
    rng.shuffle(decided)
    for path, position, action in decided:
        if mistakes == count:
            break
        information, move = InformationSet(position), position.game.move(action)
        if move not in find_mistakes(information, move, 1):
            continue
        best, values = analyse(information, [move], PRACTICE_ITERATIONS, 0)
        worse = values[move]
        if worse is best or -worse.gain.mean < max(NOTABLE, 2 * worse.gain.error):
            continue
        mistakes += 1
        texts = describe_reasons(information, best, worse, is_solved=True)
        explained += bool(texts)
        print(f"=== {mistakes}: {path.stem}, ply {position.ply}, player {position.player}")
        print(information.canonical.game.rules.draw(information.canonical, information.observer))
        for name, one in (("best", best), ("played", worse)):
            reply = find_next_turn(information, one.line)
            print(f"{name} {one.margin}: {one.turn.words}")
            print(f"  then {reply and (reply[0], in_words(position.game.rules, reply[1]))}")
        for player in range(position.players):
            print(
                f"  VP of {player}:",
                {
                    key: round(vp - worse.sources[player][key], 1)
                    for key, vp in best.sources[player].items()
                    if abs(vp - worse.sources[player][key]) >= 0.5
                },
            )
        print(*(f"  * {text}" for text in texts), sep="\n", flush=True)
    low, high = find_interval(explained, mistakes)
    print(f"{explained} of {mistakes} mistakes have a reason ({low:.1%} to {high:.1%})")


def find_interval(successes, trials):
    """Return the exact 95 % interval of a share (Clopper and Pearson)."""
    result = stats.binomtest(successes, trials).proportion_ci(method="exact")
    return result.low, result.high


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("records", nargs="*", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--read", type=int, default=0, metavar="N", help="mistakes to print")
    parser.add_argument("--redeals", type=int, default=16, help="games of each move")
    parser.add_argument("--wrong", type=int, default=2, help="wrong moves of a decision")
    arguments = parser.parse_args()
    if arguments.read:
        return read_mistakes(arguments.records, arguments.read)
    if arguments.out is None:
        parser.error("--out or --read is required")
    arguments.out.mkdir(parents=True, exist_ok=True)
    claims, tested = [], 0
    for key, information, right, find_wrong in decisions(arguments.records, arguments.wrong):
        path = arguments.out / f"{key}.json"
        if not path.exists():
            path.write_text(
                json.dumps(compare_claims(information, right, find_wrong(), arguments.redeals))
            )
        results = json.loads(path.read_text())
        claims += results
        tested += bool(results)
    outside = sum(abs(one["off"]) > LIMIT for one in claims)
    share = outside / len(claims)
    low, high = find_interval(outside, len(claims))
    print(
        f"{len(claims)} claims of {tested} decisions, {outside} outside the combined 95 % "
        f"interval ({share:.1%}, {low:.1%} to {high:.1%})"
    )
    return share > LEVEL


if __name__ == "__main__":
    sys.exit(main())
