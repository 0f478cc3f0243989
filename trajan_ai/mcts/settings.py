"""Settings of a search: frozen, validated, each with its source."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from trajan_ai.core.description import Description
from trajan_ai.core.errors import TrajanError, renamed
from trajan_ai.core.game import Game
from trajan_ai.core.names import Names
from trajan_ai.mcts.ismcts import NODE_BYTES

MEBIBYTE = 1 << 20
FEWEST_NODES = 1024
SHARED_IN_FLIGHT = 8  # keeps some 4 threads busy; what it costs is in docs/performance.md

Number = Annotated[float, Field(allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
MOST_COUNT = 2**31 - 1
Count = Annotated[int, Field(ge=1, le=MOST_COUNT)]
MOST_THREADS = 256
Threads = Annotated[int, Field(ge=1, le=MOST_THREADS)]

# The settings that say when a search of one decision ends.
LIMITS = ("iterations", "seconds_per_decision", "seconds_per_turn", "seconds_per_game")


class Payoff(Description):
    """Weights of what a player is taken to strive for; they are scaled to sum 1."""

    win: NotNegative = 0.0
    rank: NotNegative = 0.0
    margin: NotNegative = 0.0
    score: NotNegative = 0.0

    @model_validator(mode="after")
    def _some_weight(self) -> Payoff:
        if self.win + self.rank + self.margin + self.score == 0:
            raise ValueError("one of win, rank, margin, score must be above 0")
        return self


class Settings(Description):
    """How to search: algorithm, limits, payoffs. Every field says what it does and its source."""

    algorithm: Literal["so", "mo", "own"] = Field(
        default="so",
        description="so: one tree of actual moves; mo: one tree per player, of moves as that "
        "player sees them, for games with partly hidden moves. Cowling, Powley and Whitehouse, "
        "Information Set Monte Carlo Tree Search (2012), the algorithms SO-ISMCTS and MO-ISMCTS. "
        "own: one tree per player, of that player's own moves alone, whatever the others do in "
        "between: plans reach further, replies are those to what a player does on average. Perez "
        "et al., Open Loop Search for General Video Game Playing (2015), for every player.",
    )
    selection: Literal["ucb1", "puct", "uniform"] = Field(
        default="ucb1",
        description="Auer, Cesa-Bianchi and Fischer, Finite-time Analysis of the Multiarmed "
        "Bandit Problem (2002), UCB1; puct: Silver et al., Mastering the game of Go without "
        "human knowledge (2017), Methods, with the prior set by `prior`; a move without visits "
        "counts as the mean of the tried ones; uniform: all moves equally often.",
    )
    exploration: NotNegative = Field(
        default=0.7,
        description="Factor of the exploration term; payoffs lie in 0..1. 0.7 as in Cowling et "
        "al. (2012), their experiments.",
    )
    exploration_growth: dict[str, NotNegative] = Field(
        default_factory=dict,
        description="puct: what is added to exploration for every factor of e by which a "
        "decision's visits exceed 500, by the name of the game. Silver et al., A general "
        "reinforcement learning algorithm that masters chess, shogi, and Go (2018), have such a "
        "term.",
    )
    control_variate: NotNegative = Field(
        default=0.0,
        description="Share that a payoff counts of what a player's own choices in a playout "
        "cost beyond the mean, by the rates of the game's policy, where the game tells it. "
        "Veness, Lanctot and Bowling, Variance Reduction in Monte-Carlo Tree Search (2011).",
    )
    prior: Literal["uniform", "game"] = Field(
        default="uniform",
        description="Prior over moves for puct: uniform, or the game's knowledge.",
    )
    tree_depth: Count | None = Field(
        default=None,
        description="Maximum depth of the tree in decisions; with 1 the search is flat Monte "
        "Carlo.",
    )
    final_move: Literal["visits", "value"] = Field(
        default="visits",
        description="The move played: most visits (robust child) or highest mean (max child), "
        "Browne et al., A Survey of Monte Carlo Tree Search Methods (2012), 3.1.",
    )
    playout: Literal["uniform", "policy"] = Field(
        default="uniform",
        description="Moves of a playout: uniform: at random; policy: by the game's policy, Graf "
        "and Platzner, Adaptive Playouts in Monte-Carlo Tree Search with Policy-Gradient "
        "Reinforcement Learning (2015).",
    )
    playout_turns: Count | None = Field(
        default=None,
        description="Turns after whose start a playout is cut; null plays to the end. "
        "Lorentz, Amazons Discover Monte-Carlo (2008).",
    )
    playout_rounds: Count | None = Field(
        default=None,
        description="The same in rounds, a turn for every player; the first limit reached cuts.",
    )
    cutoff: Literal["score", "evaluate"] = Field(
        default="score",
        description="Value of a cut playout: the score so far, or the game's static evaluation.",
    )
    payoff: Payoff = Field(
        default=Payoff(rank=1.0),
        description="Weights of win (share of the win), rank (1 for first, 0 for last), margin "
        "(lead over the best opponent, squashed) and score (VP over score_scale). Every player "
        "maximises their own (max-n): Luckhardt and Irani (1986), Sturtevant, An Analysis of UCT "
        "in Multi-Player Games (2008).",
    )
    margin_scale: Positive = Field(
        default=20.0, description="Lead in VP that is worth half of what lies above an even game."
    )
    score_scale: Positive = Field(default=200.0, description="VP worth a full payoff of 1.")
    iterations: Count | None = Field(
        default=None, description="Iterations per decision, over all threads."
    )
    seconds_per_decision: Positive | None = Field(
        default=None, description="Seconds per decision."
    )
    seconds_per_turn: Positive | None = Field(
        default=None, description="Seconds per turn, spread over its decisions by need."
    )
    seconds_per_game: Positive | None = Field(
        default=None,
        description="Seconds on the clock at the start of a game, spread over its turns.",
    )
    seconds_increment: NotNegative = Field(
        default=0.0,
        description="Seconds added to the game's clock at the start of each of the player's "
        "turns.",
    )
    tree_megabytes: Positive = Field(
        default=256.0,
        description="MiB for the tree; a full tree is searched on without growing.",
    )
    threads: Threads = Field(
        default=1,
        description="Threads that search one tree together. What they find depends on in_flight "
        "alone, never on their number or pace.",
    )
    in_flight: Annotated[int, Field(ge=1, le=1024)] | None = Field(
        default=None,
        description="Iterations under way at a time, for the threads to share: each is chosen "
        "without the results of so many before it, less one, and until it is over its nodes "
        "count as visited with their mean payoff so far. null: 1 with one thread, else "
        f"{SHARED_IN_FLIGHT}. Chaslot, Winands and van den Herik, Parallel Monte-Carlo Tree "
        "Search (2008), tree parallelisation with virtual loss; Liu et al., Watch the Unobserved "
        "(2020).",
    )
    reuse_tree: bool = Field(
        default=True,
        description="Search on in the subtree of the moves made since the last decision, as long "
        "as they revealed nothing else. Pepels, Winands and Lanctot, Real-Time Monte Carlo Tree "
        "Search in Ms Pac-Man (2014), tree reuse.",
    )
    early_stop: bool = Field(
        default=True,
        description="Stop when the remaining iterations cannot change the most visited move; "
        "the saved time goes to later decisions. Baier and Winands, Time Management for Monte "
        "Carlo Tree Search (2016), the strategy STOP.",
    )
    weights: dict[str, Number | dict[str, Number]] = Field(
        default_factory=dict,
        description="Weights of the game's knowledge that differ from its own, by name; those "
        "below the name of a game are for that game alone.",
    )
    cheat: bool = Field(
        default=False,
        description="See hidden cards: only for measuring what determinization costs.",
    )

    @field_validator("playout", mode="before")
    @classmethod
    def _former_name(cls, playout: Any) -> Any:
        if playout == "prior":
            renamed("playout: prior", "playout: policy")
            return "policy"
        return playout

    @model_validator(mode="after")
    def _consistent(self) -> Settings:
        if self.prior == "game" and self.selection != "puct":
            raise ValueError("prior: game needs selection: puct")
        if self.cutoff == "evaluate" and not (self.playout_turns or self.playout_rounds):
            raise ValueError("cutoff: evaluate needs playout_turns or playout_rounds")
        return self

    @property
    def limited(self) -> bool:
        """Whether any limit says when a search of one decision ends."""
        return any(getattr(self, limit) is not None for limit in LIMITS)

    @property
    def flights(self) -> int:
        """Iterations under way at a time: `in_flight`, or what null stands for."""
        return self.in_flight or (SHARED_IN_FLIGHT if self.threads > 1 else 1)

    def cut_turns(self, players: int) -> int:
        """Return the turns after which a playout is cut at a table of `players`, 0 if never."""
        turns = (self.playout_turns or 0, (self.playout_rounds or 0) * players)
        return min(filter(None, turns), default=0)

    @property
    def nodes(self) -> int:
        """Most nodes in the tree."""
        nodes = int(self.tree_megabytes * MEBIBYTE) // NODE_BYTES
        return min(max(nodes, FEWEST_NODES), MOST_COUNT)

    @property
    def knowledge(self) -> dict[str, str]:
        """The knowledge of the game that the search uses, each with the setting that asks."""
        needs = {
            "prior": ("prior: game", self.prior == "game"),
            "policy": ("playout: policy", self.playout == "policy"),
            "evaluate": ("cutoff: evaluate", self.cutoff == "evaluate"),
        }
        return {entry: setting for entry, (setting, used) in needs.items() if used}

    def lacking(self, game: Game) -> list[str]:
        """Return the settings that need knowledge which the game does not have."""
        return [
            setting for entry, setting in self.knowledge.items() if entry not in game.has_knowledge
        ]

    def weights_for(self, game: Game) -> tuple[float, ...]:
        """Return the weights of the game's knowledge with the changes of these settings.

        Raises TrajanError for names that the game does not have, and for knowledge it lacks.
        """
        known = dict(zip(game.weight_names, game.default_weights or (), strict=False))
        changed = {n: value for n, value in self.weights.items() if not isinstance(value, dict)}
        own = self.weights.get(game.name)
        if isinstance(own, dict):
            changed |= own
        problems = [
            f"{setting} needs knowledge that the game {game.name} does not have"
            for setting in self.lacking(game)
        ]
        problems += [
            f"weights.{name}: {game.name} has no such weight, "
            f"{f'its first is {next(iter(known))}' if known else 'nor any other'}"
            f"{Names(known).hint(name)}"
            for name in changed
            if name not in known
        ]
        if problems:
            raise TrajanError(*problems)
        return tuple((known | changed).values())


def _allowed(entry: dict[str, Any]) -> str:
    """Say in words what a JSON schema allows."""
    if "anyOf" in entry:
        return " or ".join(_allowed(part) for part in entry["anyOf"])
    if "enum" in entry:
        return ", ".join(entry["enum"])
    if "$ref" in entry:
        return "weights"
    words = {"integer": "whole number", "number": "number", "boolean": "true or false"}
    words |= {"null": "null", "object": "numbers by name"}
    signs = {"minimum": "from", "exclusiveMinimum": "above", "maximum": "to"}
    bounds = [
        f"{sign} {entry[key]:g}"
        for key, sign in signs.items()
        if entry.get(key, MOST_COUNT) != MOST_COUNT
    ]
    return " ".join([words[entry["type"]], *bounds])


def settings_table() -> str:
    """Return the settings as a Markdown table, the one of docs/bots.md."""
    rows = ["| setting | allowed | default | what it does, and its source |", "|---|---|---|---|"]
    for name, entry in Settings.model_json_schema()["properties"].items():
        default = json.dumps(entry.get("default", {}))
        rows.append(f"| `{name}` | {_allowed(entry)} | `{default}` | {entry['description']} |")
    return "\n".join(rows) + "\n"
