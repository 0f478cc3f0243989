"""Settings of a search: frozen, validated, each with its source."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from trajan_ai.core.errors import TrajanError
from trajan_ai.core.game import Game

NODE_BYTES = 32
MEBIBYTE = 1 << 20
FEWEST_NODES = 1024

Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
NotNegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
MOST_COUNT = 2**31 - 1
Count = Annotated[int, Field(ge=1, le=MOST_COUNT)]


class Description(BaseModel):
    """A frozen description that knows every one of its keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


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

    algorithm: Literal["so", "mo"] = Field(
        default="so",
        description="so: one tree of actual moves; mo: one tree a player, of moves as he sees "
        "them, for games with partly hidden moves. Cowling, Powley and Whitehouse, Information "
        "Set Monte Carlo Tree Search (2012), the algorithms SO-ISMCTS and MO-ISMCTS.",
    )
    selection: Literal["ucb1", "ucb1-tuned", "puct", "grave", "uniform"] = Field(
        default="ucb1",
        description="Auer, Cesa-Bianchi and Fischer, Finite-time Analysis of the Multiarmed "
        "Bandit Problem (2002), UCB1 and UCB1-TUNED (section 4); puct: Silver et al., Mastering "
        "the game of Go without human knowledge (2017), Methods, with the prior set by "
        "`prior`; grave: Cazenave, Generalized Rapid Action Value Estimation (2015), "
        "with an exploration term; uniform: all moves equally often.",
    )
    exploration: NotNegative = Field(
        default=0.7,
        description="Factor of the exploration term; payoffs lie in 0..1. 0.7 as in Cowling et "
        "al. (2012), their experiments.",
    )
    first_play_urgency: NotNegative | None = Field(
        default=None,
        description="Value of a move without visits; null tries every move once first (ucb) or "
        "takes the mean of the tried ones (puct). Gelly and Wang, Exploration exploitation in Go "
        "(2006), first-play urgency.",
    )
    prior: Literal["uniform", "game"] = Field(
        default="uniform",
        description="Prior over moves for puct: uniform, or the game's knowledge.",
    )
    grave_bias: NotNegative = Field(
        default=1e-3, description="How soon grave prefers a move's own mean to its AMAF mean."
    )
    grave_reference: Count = Field(
        default=50, description="Visits a node needs before its AMAF statistics serve grave."
    )
    widening: NotNegative = Field(
        default=0.0,
        description="Progressive widening: a node with v visits tries at most widening * v ** "
        "widening_exponent moves, by prior where there is one, else at random; 0 switches it "
        "off. Coulom, Computing Elo Ratings of Move Patterns in the Game of Go (2007), "
        "progressive widening; Couetoux et al., Continuous Upper Confidence Trees (2011), "
        "double progressive widening.",
    )
    widening_exponent: Share = Field(default=0.5, description="See widening.")
    tree_depth: Count | None = Field(
        default=None,
        description="Decisions deep the tree grows; with 1 the search is flat Monte Carlo.",
    )
    final_move: Literal["visits", "value", "lcb"] = Field(
        default="visits",
        description="The move played: most visits (robust child) or highest mean (max child), "
        "Browne et al., A Survey of Monte Carlo Tree Search Methods (2012), 3.1; or highest "
        "lower confidence bound (mean minus lcb_width standard errors) among the moves with a "
        "tenth of the most visits, as in Leela Zero and KataGo.",
    )
    lcb_width: NotNegative = Field(
        default=1.96, description="Standard errors below the mean for lcb."
    )
    playout: Literal["uniform", "policy", "mast"] = Field(
        default="uniform",
        description="Moves of a playout: uniformly random; by the game's policy; or mast: the one "
        "that did best wherever it was made, Finnsson and Bjornsson, Simulation-Based Approach "
        "to General Game Playing (2008).",
    )
    playout_epsilon: Share = Field(
        default=0.0,
        description="Share of uniformly random moves in a policy or mast playout. Tak, Winands "
        "and Bjornsson, N-Grams and the Last-Good-Reply Policy (2012), epsilon-greedy playouts.",
    )
    playout_transitions: Count | None = Field(
        default=None, description="Cut a playout after so many decisions; null plays to the end."
    )
    playout_turns: Count | None = Field(
        default=None,
        description="Cut a playout when so many turns have begun; null plays to the end. "
        "Lorentz, Amazons Discover Monte-Carlo (2008).",
    )
    cutoff: Literal["score", "evaluate"] = Field(
        default="score",
        description="Value of a cut playout: the score so far, or the game's static evaluation.",
    )
    payoff: Payoff = Field(
        default=Payoff(rank=1.0),
        description="Weights of win (share of the win), rank (1 for first, 0 for last), margin "
        "(lead over the best opponent, squashed) and score (VP over score_scale). Every player "
        "maximises his own (max-n): Luckhardt and Irani (1986), Sturtevant, An Analysis of UCT "
        "in Multi-Player Games (2008).",
    )
    margin_scale: Positive = Field(
        default=20.0, description="VP of lead worth half of all that lies above an even game."
    )
    score_scale: Positive = Field(default=200.0, description="VP worth a full payoff of 1.")
    iterations: Count | None = Field(
        default=None, description="Iterations a decision, over all threads."
    )
    seconds_per_decision: Positive | None = Field(
        default=None, description="Seconds for each decision."
    )
    seconds_per_turn: Positive | None = Field(
        default=None, description="Seconds for each turn, spread over its decisions by need."
    )
    seconds_per_game: Positive | None = Field(
        default=None,
        description="Seconds on the clock at the start of a game, spread over its turns.",
    )
    seconds_increment: NotNegative = Field(
        default=0.0, description="Seconds added to the game's clock at the start of each own turn."
    )
    tree_megabytes: Positive = Field(
        default=256.0,
        description="MiB for the trees of all threads; full trees search on without growing.",
    )
    threads: Annotated[int, Field(ge=1, le=256)] = Field(
        default=1,
        description="Trees searched side by side and merged at the root. Chaslot, Winands and "
        "van den Herik, Parallel Monte-Carlo Tree Search (2008), root parallelisation.",
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
    weights: dict[str, Annotated[float, Field(allow_inf_nan=False)]] = Field(
        default_factory=dict,
        description="Weights of the game's knowledge that differ from its own, by name.",
    )
    cheat: bool = Field(
        default=False,
        description="See hidden cards. For measuring what determinization costs only.",
    )

    @model_validator(mode="after")
    def _consistent(self) -> Settings:
        if self.prior == "game" and self.selection != "puct":
            raise ValueError("prior: game needs selection: puct")
        if self.playout_epsilon and self.playout == "uniform":
            raise ValueError("playout_epsilon needs playout: policy or mast")
        if self.cutoff == "evaluate" and not (self.playout_turns or self.playout_transitions):
            raise ValueError("cutoff: evaluate needs playout_turns or playout_transitions")
        return self

    @property
    def limited(self) -> bool:
        """Whether any limit says when a search of one decision ends."""
        return any(
            limit is not None
            for limit in (
                self.iterations,
                self.seconds_per_decision,
                self.seconds_per_turn,
                self.seconds_per_game,
            )
        )

    @property
    def nodes_a_thread(self) -> int:
        """Most nodes in the tree of one thread."""
        nodes = int(self.tree_megabytes * MEBIBYTE) // NODE_BYTES // self.threads
        return min(max(nodes, FEWEST_NODES), MOST_COUNT)

    def weights_for(self, game: Game) -> tuple[float, ...]:
        """Return the weights of the game's knowledge with the changes of these settings.

        Raises TrajanError for names that the game does not have, and for knowledge it lacks.
        """
        known = dict(zip(game.weight_names, game.default_weights or (), strict=False))
        needs = {
            "prior": ("prior: game", self.prior == "game"),
            "policy": ("playout: policy", self.playout == "policy"),
            "evaluate": ("cutoff: evaluate", self.cutoff == "evaluate"),
        }
        problems = [
            f"{setting} needs knowledge that the game {game.name} does not have"
            for entry, (setting, wanted) in needs.items()
            if wanted and entry not in game.has_knowledge
        ]
        problems += [
            f"weights.{name}: {game.name} has no such weight; it has {', '.join(known) or 'none'}"
            for name in self.weights
            if name not in known
        ]
        if problems:
            raise TrajanError(*problems)
        return tuple((known | self.weights).values())


def describe_settings() -> list[dict[str, Any]]:
    """Return name, allowed values, default and description of every setting."""
    schema = Settings.model_json_schema()
    return [
        {
            "name": name,
            "allowed": _allowed(entry),
            "default": entry.get("default", {}),
            "description": entry["description"],
        }
        for name, entry in schema["properties"].items()
    ]


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
    bounds = [
        f"{sign} {entry[key]:g}"
        for key, sign in (
            ("minimum", "from"),
            ("exclusiveMinimum", "above"),
            ("maximum", "to"),
        )
        if key in entry and entry[key] != MOST_COUNT
    ]
    return " ".join([words[entry["type"]], *bounds])


def settings_table() -> str:
    """Return the settings as a Markdown table, the one of docs/bots.md."""
    rows = ["| setting | allowed | default | what it does, and its source |", "|---|---|---|---|"]
    for entry in describe_settings():
        default = json.dumps(entry["default"])
        rows.append(
            f"| `{entry['name']}` | {entry['allowed']} | `{default}` | {entry['description']} |"
        )
    return "\n".join(rows) + "\n"
