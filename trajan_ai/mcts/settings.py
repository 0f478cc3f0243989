"""The settings of a search, which are immutable and validated, and name their sources."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from trajan_ai.core.description import Description
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game
from trajan_ai.core.names import Names
from trajan_ai.core.rules import offered
from trajan_ai.core.rules_files import HasNetwork
from trajan_ai.mcts.network import Network
from trajan_ai.mcts.network_file import read_network

MEBIBYTE = 1 << 20
MAX_MEGABYTES = 2**20  # more does not fit into a tree anyway
# Default numbers of iterations in flight with several threads; docs/lab/performance.md describes
# their cost.
MIN_SHARED, MAX_SHARED = 8, 32
ITERATIONS_EACH = 100  # iterations of a search for each iteration in flight
FLIGHTS_PER_THREAD = 2

Number = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
MAX_COUNT = 2**31 - 1
Count = Annotated[int, Field(ge=1, le=MAX_COUNT)]
MAX_THREADS = 256
Threads = Annotated[int, Field(ge=1, le=MAX_THREADS)]

# The settings that limit the search of one decision.
LIMITS = ("iterations", "seconds_per_decision", "seconds_per_turn", "seconds_per_game")


class Payoff(Description):
    """Weights of a player's goals, which are scaled so that their sum is 1."""

    win: NotNegative = 0.0
    rank: NotNegative = 0.0
    margin: NotNegative = 0.0
    score: NotNegative = 0.0

    @model_validator(mode="after")
    def _some_weight(self) -> Payoff:
        if self.win + self.rank + self.margin + self.score == 0:
            raise ValueError("one of win, rank, margin and score must be above 0")
        return self


class Settings(Description):
    """The settings of a search: algorithm, limits, payoffs and others. Each field has a
    description."""

    algorithm: Literal["so", "mo", "own"] = Field(
        default="so",
        description="so: a single tree of actual moves (SO-ISMCTS). mo: one tree per "
        "player, of the moves as that player sees them (MO-ISMCTS). Source of "
        "both: Cowling, Powley and Whitehouse, Information Set Monte Carlo Tree "
        "Search (2012). own: one tree per player, of that player's moves only, "
        "so that plans reach further ahead, but replies respond to average play "
        "by the other players. Source: Perez et al., Open Loop Search for General "
        "Video Game Playing (2015).",
    )
    selection: Literal["ucb1", "puct"] = Field(
        default="ucb1",
        description="ucb1: Auer, Cesa-Bianchi and Fischer, Finite-time Analysis of the "
        "Multiarmed Bandit Problem (2002). puct: Silver et al., Mastering the "
        "game of Go without human knowledge (2017); an unvisited move gets the "
        "mean value of the visited ones.",
    )
    exploration: NotNegative = Field(
        default=0.7,
        description="Factor of the exploration term, for payoffs from 0 to 1. The default "
        "is that of Cowling et al. (2012).",
    )
    exploration_growth: dict[str, NotNegative] = Field(
        default_factory=dict,
        description="Only with puct: for each game name, the amount by which `exploration` "
        "grows each time a node's visits, once they exceed 500, grow by a factor of e. "
        "Source: Silver et al., A general reinforcement learning algorithm that "
        "masters chess, shogi, and Go (2018).",
    )
    control_variate: NotNegative = Field(
        default=0.0,
        description="The VP that a player's own moves lose in a playout, relative to the "
        "mean loss, are multiplied by this factor and added back before payoffs "
        "are computed. Source: Veness, Lanctot and Bowling, Variance Reduction "
        "in Monte-Carlo Tree Search (2011).",
    )
    prior: Literal["uniform", "game"] = Field(
        default="uniform",
        description="Prior of puct: uniform, or from the game's knowledge.",
    )
    playout: Literal["uniform", "policy"] = Field(
        default="uniform",
        description="How playouts choose moves: at random, or by the game's policy. Source: "
        "Graf and Platzner, Adaptive Playouts in Monte-Carlo Tree Search with "
        "Policy-Gradient Reinforcement Learning (2015).",
    )
    playout_rounds: Count | None = Field(
        default=None,
        description="Playouts are cut after this number of rounds (one turn per player); "
        "null: they are played to the end. Source: Lorentz, Amazons Discover "
        "Monte-Carlo (2008).",
    )
    cutoff: Literal["score", "evaluate"] = Field(
        default="score",
        description="Value of a cut playout: the score so far, or the game's evaluation.",
    )
    network_rounds: dict[str, Annotated[int, Field(ge=0, le=MAX_COUNT)] | None] = Field(
        default_factory=dict,
        description="For each game name, the number of rounds after which a network "
        "evaluates a playout; 0: at the end of the turn; null: no network. If "
        "there is no network for these players and options, `playout_rounds` "
        "applies.",
    )
    network_until: Annotated[int, Field(ge=0, le=MAX_COUNT)] = Field(
        default=0,
        description="With a network, playouts are not cut if they begin when the player to move "
        "has at most this many turns left; 0: they are always cut.",
    )
    network: str | None = Field(
        default=None,
        description="File of the network; null: the network that comes with the game.",
    )
    payoff: Payoff = Field(
        default=Payoff(rank=1.0),
        description="Weights of win (share of the win), rank (1 for the first, 0 for the last), "
        "margin (squashed lead over the best opponent) and score (VP divided by "
        "`score_scale`). Every player maximises their own payoff (max-n): Luckhardt and "
        "Irani (1986), Sturtevant, An Analysis of UCT in Multi-Player Games (2008).",
    )
    margin_scale: Positive = Field(
        default=20.0, description="Lead in VP whose payoff is halfway between a tie and 1."
    )
    score_scale: Positive = Field(
        default=200.0,
        description="VP that give the full payoff of 1. A custom game with lower scores "
        "needs a lower value.",
    )
    iterations: Count | None = Field(
        default=None, description="Iterations per decision, over all threads."
    )
    seconds_per_decision: Positive | None = Field(
        default=None, description="Seconds per decision."
    )
    seconds_per_turn: Positive | None = Field(
        default=None,
        description="Seconds per turn; decisions with more legal moves get a larger share.",
    )
    seconds_per_game: Positive | None = Field(
        default=None,
        description="Seconds on the clock at the start of a game, distributed over its turns.",
    )
    seconds_increment: NotNegative = Field(
        default=0.0,
        description="Seconds added to the clock at the start of each turn.",
    )
    clock: Literal["wall", "cpu"] = Field(
        default="wall",
        description="The clock for limits in seconds. cpu: the CPU time of the thread that "
        "owns the tree. Analyses always use the wall clock.",
    )
    tree_megabytes: Positive = Field(
        default=256.0,
        description="MiB for the tree and the statistics of a search. When the tree is full, "
        "the search continues without adding moves.",
    )
    threads: Threads = Field(
        default=1,
        description="Number of threads that search one tree. For a given `in_flight` and a given "
        "number of iterations, the result does not depend on the number or speed of the "
        "threads, but the default of `in_flight` depends on `threads`.",
    )
    in_flight: Annotated[int, Field(ge=1, le=1024)] | None = Field(
        default=None,
        description="Number of iterations that are under way at the same time. Each is "
        "begun before the in_flight - 1 previous ones have finished; until "
        "then, the nodes of those iterations count as visited, with their mean "
        "so far. null: 1 with one thread; with several threads, a hundredth of "
        f"the limit on iterations, from {MIN_SHARED} to {MAX_SHARED}, or, "
        f"without such a limit, {FLIGHTS_PER_THREAD} per thread but at least "
        f"{MIN_SHARED}. Sources: Chaslot, Winands and van den Herik, Parallel "
        "Monte-Carlo Tree Search (2008), virtual loss; Liu et al., Watch the "
        "Unobserved (2020).",
    )
    reuse_tree: bool = Field(
        default=True,
        description="Continue in the subtree of the moves made since the last decision, if these "
        "moves revealed nothing else. Source: Pepels, Winands and Lanctot, Real-Time "
        "Monte Carlo Tree Search in Ms Pac-Man (2014).",
    )
    early_stop: bool = Field(
        default=True,
        description="Stop when the remaining iterations cannot change the most visited "
        "move, and save the time for later decisions. Source: Baier and "
        "Winands, Time Management for Monte Carlo Tree Search (2016), STOP.",
    )
    weights: dict[str, Number | dict[str, Number]] = Field(
        default_factory=dict,
        description="Changed weights of the game's knowledge, by name; weights under the "
        "name of a game apply to that game only.",
    )
    cheat: bool = Field(
        default=False,
        description="Let the search see hidden cards, to measure the cost of determinization.",
    )

    @model_validator(mode="after")
    def _consistent(self) -> Settings:
        if self.prior == "game" and self.selection != "puct":
            raise ValueError("prior: game needs selection: puct")
        if self.network_rounds and self.cutoff != "evaluate":
            raise ValueError("network_rounds needs cutoff: evaluate")
        if self.cutoff == "evaluate" and not self.playout_rounds:
            raise ValueError("cutoff: evaluate needs playout_rounds")
        return self

    @property
    def limited(self) -> bool:
        """Whether there is a limit for the search of one decision."""
        return any(getattr(self, limit) is not None for limit in LIMITS)

    def flights(self, iterations: int | None) -> int:
        """Return the number of iterations in flight for a search with this limit on iterations.

        Results depend on this number. If there is a limit, the number is therefore the same for
        any number of threads above one. A search that is limited only by time differs from run to
        run anyway.
        """
        if self.in_flight or self.threads == 1:
            return self.in_flight or 1
        if iterations is None:
            return max(self.threads * FLIGHTS_PER_THREAD, MIN_SHARED)
        return min(max(iterations // ITERATIONS_EACH, MIN_SHARED), MAX_SHARED)

    def cut_turns(self, players: int, network_of: Game | None = None) -> int:
        """Return the number of turns after which a playout is cut, or 0 if it is never cut.

        `network_of` is the game if a network evaluates the cut playout, otherwise None.
        """
        if network_of is not None:
            return max(1, (self.network_rounds[network_of.name] or 0) * players)
        return (self.playout_rounds or 0) * players

    @property
    def tree_bytes(self) -> int:
        """Maximum memory of a search, in bytes."""
        return int(min(self.tree_megabytes, MAX_MEGABYTES) * MEBIBYTE)

    @property
    def knowledge(self) -> dict[str, str]:
        """The entries of a game's knowledge that the search uses, each with the setting that
        requires it."""
        needs = {
            "prior": ("prior: game", self.prior == "game"),
            "policy": ("playout: policy", self.playout == "policy"),
            "evaluate": ("cutoff: evaluate", self.cutoff == "evaluate"),
        }
        return {entry: setting for entry, (setting, used) in needs.items() if used}

    def lacking(self, game: Game) -> list[str]:
        """Return the settings that require knowledge that the game lacks."""
        return [
            setting for entry, setting in self.knowledge.items() if entry not in game.has_knowledge
        ]

    def network_for(self, game: Game) -> Network | None:
        """Return the network that corrects the evaluation, or None if there is none.

        Raises TrajanError if the file is not a network for this game.
        """
        if self.network_rounds.get(game.name) is None:
            return None
        rules = offered(game.rules, HasNetwork)
        path = self.network or (None if rules is None else str(rules.network))
        return None if path is None else read_network(game, path)

    def weights_for(self, game: Game) -> tuple[float, ...]:
        """Return the weights of the game's knowledge, with the changes in these settings.

        Raises TrajanError if a name is unknown, or if the game lacks knowledge that is required.
        """
        weights = dict(zip(game.weight_names, game.default_weights or (), strict=False))
        changed = {n: value for n, value in self.weights.items() if not isinstance(value, dict)}
        own = self.weights.get(game.name)
        if isinstance(own, dict):
            changed |= own
        problems = [
            f"{setting} needs knowledge that the game {game.name} does not have"
            for setting in self.lacking(game)
        ]
        problems += [
            f"weights.{name}: {game.name} has no such weight; "
            f"{f'its first weight is {next(iter(weights))}' if weights else 'it has no weights'}"
            f"{Names(weights).hint(name)}"
            for name in changed
            if name not in weights
        ]
        if problems:
            raise TrajanError(*problems)
        return tuple((weights | changed).values())
