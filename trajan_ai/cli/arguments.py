"""The arguments of every subcommand. Help appears fast because it needs only this module."""

import argparse
from collections.abc import Callable
from typing import Any, NoReturn

from trajan_ai.analysis.budgets import (
    ANNOTATION_ITERATIONS,
    DEFAULT_BOT,
    GRADES,
    PLAIN_BOT,
    PROFILE_SECONDS,
    QUICK_ITERATIONS,
    ROLLOUT_REDEALS,
    VERIFIED_ITERATIONS,
)
from trajan_ai.core.exit_status import BAD_INPUT
from trajan_ai.core.local_address import PAGE_PORT
from trajan_ai.core.rules_drawing import PICTURE_WIDTH
from trajan_ai.service.options import EngineOptions
from trajan_ai.tournaments.defaults import BUILTIN_PLANS, TRIAL_PATIENCE, TRIAL_SEATS

OPEN = "open"  # the view that shows everything
SUGGESTIONS = 3  # moves that a drawing marks
SHELLS = ("bash", "zsh", "fish")
ENGINE = EngineOptions()
DEFAULT_SAVE = "followed.json"
PLAN_JOBS = "number of worker processes (default: the plan's, or one per processor)"


class Parser(argparse.ArgumentParser):
    """A parser that reports errors in one line and has a method for each kind of argument."""

    def error(self, message: str) -> NoReturn:
        """Exit with status 2 and the message."""
        self.exit(BAD_INPUT, f"{self.prog}: {message}; see {self.prog} --help\n")

    def word(self, name: str, metavar: str, help: str | None, **more: Any) -> None:
        """Add an argument that takes a string."""
        self.add_argument(name, metavar=metavar, help=help, **more)

    def number(
        self, name: str, help: str | None, metavar: str = "N", type: type = int, **more: Any
    ) -> None:
        """Add an argument that takes a whole number, or a number of another `type`."""
        self.add_argument(name, type=type, metavar=metavar, help=help, **more)

    def flag(self, name: str, help: str) -> None:
        """Add a switch."""
        self.add_argument(name, action="store_true", help=help)

    def json(self) -> None:
        """Add ``--json``."""
        self.flag("--json", "print one JSON object")

    def options(self) -> None:
        """Add ``--option NAME=VALUE``, which can be repeated; see `cli.common.parse_options`."""
        self.word(
            "--option", "NAME=VALUE",
            "an option of the rules or of the deal, such as lap_length=12 or boards=B; can be "
            "repeated", action="append", default=[],
        )  # fmt: skip

    def games(self) -> None:
        """Add ``--game``, which can be repeated."""
        what = "a game; can be repeated (default: all built-in games)"
        self.word("--game", "G", what, action="append")

    def plan(self, file: str, jobs: str, out: str) -> None:
        """Add PLAN (a file), ``--jobs``, and ``--out`` (the folder of the run)."""
        self.word("file", "PLAN", file)
        self.number("--jobs", jobs)
        self.word("--out", "DIR", f"{out} (default: results/NAME, with the name of the plan)")

    def searcher(self, purpose: str) -> None:
        """Add ``--bot``, the bot that searches."""
        default = f"{DEFAULT_BOT}, or {PLAIN_BOT} for a game without knowledge"
        self.word("--bot", "FILE.yaml", f"{purpose} (default: {default})")

    def position(self, **more: Any) -> None:
        """Add POSITION (a file), ``--record`` and ``--ply``."""
        text = "a position file, or records, in YAML or JSON"
        self.word("position", "POSITION", text, **more)
        self.of_records()

    def of_records(self) -> None:
        """Add ``--record`` and ``--ply``."""
        self.number("--record", "number of the record in the file, counted from 1", default=1)
        self.number("--ply", "the position after N actions of the record (default: all)")

    def budget(self, seconds: str, iterations: str) -> None:
        """Add ``--time`` or ``--iterations``."""
        group = self.add_mutually_exclusive_group()
        group.add_argument("--time", type=float, metavar="S", help=seconds)
        group.add_argument("--iterations", type=int, metavar="N", help=iterations)


def tournament(parser: Parser) -> None:
    """Play a tournament of bots and rate them."""
    parser.description = (
        "Plays every game of PLAN that is not in the results folder yet, then prints the rating "
        "table. The same command resumes an interrupted run."
    )
    parser.epilog = (
        "exit status 1: a bot failed in a game, or games are missing; the output names every bot "
        "that failed"
    )
    built_in = ", ".join(BUILTIN_PLANS)
    file = f"a file (docs/tournaments.md) or a built-in plan: {built_in}"
    parser.plan(file, PLAN_JOBS, "folder of the results")
    parser.flag("--resume", "fail if there is nothing to resume")
    one = parser.add_mutually_exclusive_group()
    for name, what in (
        ("--check", "check the plan and print it with all defaults, without playing"),
        ("--plan", "print the number of games and their expected time, without playing"),
        ("--live", "while games are played, serve the report on this machine"),
    ):
        one.add_argument(name, action="store_true", help=what)
    parser.json()


def results(parser: Parser) -> None:
    """Read, filter, compare and merge results of tournaments."""
    parser.usage = (
        "trajan-ai results DIR [filters] [--games | --failures] [--json | --csv]\n"
        "       trajan-ai results compare DIR DIR [filters] [--json]\n"
        "       trajan-ai results game ID [DIR]\n"
        "       trajan-ai results merge DIR DIR.. --out DIR\n"
        "       trajan-ai results drop ENGINE DIR"
    )
    parser.description = (
        "DIR: print the rating table of a results folder, for all or some games of its plan. "
        "compare: compare two folders bot by bot and deal by deal. game: print the record of one "
        "game and the command that replays it; ID may be shortened. merge: copy the games of "
        "several folders to one, each game once. drop: delete the games that were played by the "
        "engine with this play signature."
    )
    parser.word("words", "DIR", "a folder, or one of the forms above", nargs="+")
    only = "only games, or failures, of this bot (its full name); can be repeated"
    parser.add_argument("--bot", action="append", default=[], help=only)
    parser.add_argument("--players", type=int, help="only games with this number of players")
    parser.add_argument("--deal", type=int, help="only games of this deal")
    parser.word("--game", "NAME", "only this game")
    parser.add_argument("--engine", help="only games by the engine with this play signature")
    parser.flag("--all", "all stored games, not only those of the last plan")
    parser.flag("--games", "list the games instead of the ratings")
    parser.flag("--failures", "list the failures of bots")
    parser.word("--out", "DIR", "with merge: the folder to which games are added")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print one JSON object")
    form.add_argument("--csv", action="store_true", help="print CSV")


def tune(parser: Parser) -> None:
    """Tune settings of a bot in games, and test the tuned bot."""
    parser.description = (
        "Plays games between slightly different bots to tune the settings that PLAN names (SPSA), "
        "then tests the tuned bot against the original. The same command resumes an interrupted "
        "run."
    )
    parser.epilog = "exit status 1: games were lost to failing bots or are missing"
    parser.plan("a file (docs/tune.md)", PLAN_JOBS, "folder of games and results")
    parser.json()


def learn(parser: Parser) -> None:
    """Learn the weights of a game's knowledge and test them."""
    parser.description = (
        "Makes positions, labels them, fits the weights of a game's knowledge to the labels, and "
        "tests the new weights in games against the previous ones. The same command resumes an "
        "interrupted run."
    )
    jobs = "number of threads and of processes (default: one per processor)"
    parser.plan("a file (docs/learn.md)", jobs, "folder of the run")
    shipped = "after the tests, write the learned weights to FILE, the game's weights.yaml"
    parser.word("--ship", "FILE", shipped)
    parser.flag("--check", "only check the plan")


def suggest(parser: Parser) -> None:
    """Rank the moves of the player to decide."""
    parser.description = (
        "Analyses a decision: prints the best turn and the value of every move. Columns: win, "
        "the expected share of the win; VP, the expected final score of the player to decide; "
        "margin, that score minus the best opponent's; each with its standard error."
    )
    parser.position()
    parser.searcher("a bot file or built-in bot")
    grade = parser.add_mutually_exclusive_group()
    grade.add_argument(
        "--grade", choices=GRADES,
        help="verified: one search, then separate searches of each of the best moves "
        f"({VERIFIED_ITERATIONS:,} iterations, about 5 s); quick: rough figures "
        f"({QUICK_ITERATIONS:,} iterations); "
        "default: verified if the limit suffices",
    )  # fmt: skip
    grade.add_argument(
        "--rollout", dest="grade", action="store_const", const="rollout",
        help="play the best moves out to the end of the game, which takes a minute or more",
    )  # fmt: skip
    parser.number(
        "--redeals",
        f"with --rollout: maximum number of redeals for which each move is played out (default: "
        f"{ROLLOUT_REDEALS}, or no limit with --time)",
    )
    parser.budget("seconds for this decision", "iterations, over all threads")
    parser.number("--threads", "the number of threads")
    parser.number("--top", "examine the K most visited moves, and show only the best K", "K")
    parser.number("--seed", "seed of the search", default=0)
    parser.flag("--explain", "show the expected VP by source for every move and player")
    parser.json()


def annotate(parser: Parser) -> None:
    """Judge every decision of recorded games: mistakes, luck and skill."""
    parser.description = (
        "Judges every decision of finished games. Writes NAME.html (boards, graph, mistakes with "
        "the better turn, luck and skill) and NAME.json for each game, and a summary of all "
        "games. Skips games that have already been annotated with the same settings."
    )
    parser.word("files", "FILES", "files of game records", nargs="+")
    parser.word("--bot", "FILE.yaml", f"the bot that judges (default: {DEFAULT_BOT})")
    parser.budget("seconds per decision", f"iterations per decision ({ANNOTATION_ITERATIONS})")
    parser.number("--seed", "seed of the searches", default=0)
    parser.word("--out", "DIR", "folder of the output (default: annotated)", default="annotated")
    parser.json()


def profile(parser: Parser) -> None:
    """Profile a search: phases, tree shape, memory, hottest functions and lines."""
    parser.description = (
        "Searches POSITION or, without POSITION, an opening, a middle and a late position of a "
        "game. Results with the same number of iterations can be compared. See "
        "docs/performance.md."
    )
    parser.position(nargs="?")
    parser.word("--game", "G", "without POSITION: the game (default: trajan)", default="trajan")
    parser.number("--players", "without POSITION: number of players (default: 2)", default=2)
    parser.searcher("the bot that searches")
    parser.budget(
        f"seconds of each search (default: {PROFILE_SECONDS:g})", "iterations of each search"
    )
    parser.flag("--analysis", "profile verified analyses instead of single searches")
    parser.word("--against", "FILE", "compare with an earlier result that --json printed")
    parser.flag("--functions", "sample with py-spy, and list the hottest functions and lines")
    sampled = "sample with py-spy, and write a flame graph (.svg) or a speedscope file (.json)"
    parser.word("--flamegraph", "OUT", sampled)
    parser.json()


def bench(parser: Parser) -> None:
    """Measure the speed of playouts and search, and print the benchmark signature."""
    parser.description = (
        "Runs a fixed workload with fixed seeds for each game and number of players. The "
        "benchmark signature changes only if play changes."
    )
    parser.games()
    parser.json()


def play(parser: Parser) -> None:
    """Play games between bots and write records."""
    parser.description = (
        "Plays games between bots, and prints a line for each game. The first bot begins in seat "
        "0, and the seats rotate by one after every game."
    )
    parser.word("game", "GAME", "the name of a game")
    parser.word("--bots", "A,B,..", "2 to 4 bot files or built-in names", required=True)
    parser.number("--games", "the number of games (default: 1)", default=1)
    parser.number("--seed", "seed of the deals and bots", default=0)
    parser.options()
    parser.word("--out", "FILE.jsonl", "append the records to this file")
    checks = "also write the legal moves and scores of every decision, for replay --verify"
    parser.flag("--check", checks)


def export(parser: Parser) -> None:
    """Convert game records to tables for other programs, and back."""
    parser.description = (
        "Writes game records as tables: Parquet files that other programs query (docs/data.md). "
        "If interrupted, run the same command again to continue."
    )
    sources = (
        "files of game records, folders of tournaments, or annotated games (.json); "
        "with --restore, folders of data"
    )
    parser.word("sources", "FILE", sources, nargs="+")
    target = "the folder of the data or, with --restore, the file to write"
    parser.word("--to", "DIR", target, required=True)
    parser.flag("--restore", "convert exported games back to records")


def study(parser: Parser) -> None:
    """Play the games of a study, and report what wins in them."""
    parser.description = (
        "Plays the games of a plan, exports them as tables, and writes the report of the study "
        "(docs/study.md). If interrupted, run the same command again to continue."
    )
    jobs = "number of processes (default: one per processor)"
    parser.plan("a file (configs/studies)", jobs, "folder of the study")
    share = "play this fraction of the study's games"
    parser.number("--share", share, "X", type=float, default=1.0)
    parser.flag("--report", "report on the existing games without playing more")


def replay(parser: Parser) -> None:
    """Replay and verify game records; show the board at a ply."""
    parser.description = (
        "Replays every record of a file, checks its result, and prints a line for each record."
    )
    parser.word("file", "FILE", "game records")
    checks = "also compare legal actions (x_legal) and scores (x_scores) if they are recorded"
    parser.flag("--verify", checks)
    parser.number("--ply", "show the board after N actions")
    parser.number("--game", "only record N of the file, counted from 1")
    parser.number("--player", "with --ply: show only what player P (counted from 0) knows", "P")


def check_bot(parser: Parser) -> None:
    """Find errors in a bot and measure its speed."""
    parser.description = (
        "Plays games between a bot and random bots, in guarded processes as in a tournament, with "
        "the bot in every seat in turn. Reports the errors and the speed of the bot."
    )
    parser.epilog = "exit status 1: the bot failed in a game; 2: the bot's file has an error"
    parser.word("bot", "BOT", "a bot's YAML file or a built-in name")
    parser.games()
    seats = len(TRIAL_SEATS)
    each = f"matches of each game (default: {seats}, one per seat with 2, 3 and 4 players)"
    parser.number("--games", each, default=seats)
    patience = "seconds by which a call may exceed the bot's time limit (default: %(default)g)"
    parser.number("--patience", patience, "S", type=float, default=TRIAL_PATIENCE)
    parser.json()


def board(parser: Parser) -> None:
    """Draw a position: as text, SVG or PNG."""
    parser.description = (
        "Draws a position as one player sees it, with hidden tiles and cards face down, as text "
        "on standard output or as a picture in a file. Marks the last move of a record and, with "
        "--suggest, the best moves."
    )
    parser.position()
    parser.word(
        "--view", "P",
        f"the player whose view is drawn, or {OPEN} for everything (default: the player to "
        f"decide; {OPEN} when the game is over)",
    )  # fmt: skip
    parser.word("--out", "F", "the file to write: F.svg or F.png")
    parser.number(
        "--width",
        f"width of the drawing (default: {PICTURE_WIDTH}), which has two columns below 1000 and "
        "one below 800",
        "PIXELS", default=PICTURE_WIDTH,
    )  # fmt: skip
    best = f"search for S seconds and mark the {SUGGESTIONS} best moves"
    parser.number("--suggest", best, "S", type=float)


def position(parser: Parser) -> None:
    """Write a position file from a record or as a template, or check one."""
    parser.description = (
        "Writes what one player knows as a position file (docs/positions.md). If SOURCE is a file "
        "of records, writes the position at --ply; if it is the name of a game, writes an opening "
        "for you to edit. If SOURCE is a position file, checks and shows it."
    )
    source = "records, a position file, or the name of a game"
    parser.word("source", "SOURCE", source)
    parser.of_records()
    knower = (
        "the player whose knowledge is written, counted from 0 (default: the player to decide)"
    )
    parser.number("--player", knower, "P")
    number = "number of players in the opening, 2 to 4 (default: 2)"
    parser.number("--players", number, default=2)
    parser.options()
    target = "the file to write, as JSON if it ends in .json (default: standard output)"
    parser.word("--out", "FILE", target)


def serve(parser: Parser) -> None:
    """Open the analysis page: play against bots, look at games, see the best moves."""
    parser.description = (
        "Opens the analysis page in a browser: play against bots, look at games, see the best "
        "moves (docs/page.md). The server listens on this machine only, and prints the page's "
        "address once it accepts connections. Ctrl-C ends the server; all games are saved."
    )
    port = f"the port (default: {PAGE_PORT}; 0 chooses a free one)"
    parser.number("--port", port, default=PAGE_PORT)
    parser.flag("--no-browser", "only print the address")


def site(parser: Parser) -> None:
    """Write the analysis page as static files that run in any browser."""
    parser.description = (
        "Writes the analysis page as static files that any web server can serve. The engine runs "
        "in the browser (docs/site.md). Requires npm and, to build the wheel from a checkout of "
        "the sources, apt-get."
    )
    parser.word("--out", "DIR", "the folder to write", required=True)
    parts = "folder that keeps downloaded and compiled parts (default: %(default)s)"
    parser.word("--parts", "DIR", parts, default="build/wasm")
    parser.word("--wheel", "FILE", "use this wheel of trajan-ai for Pyodide; do not build one")


def follow(parser: Parser) -> None:
    """Follow a real game move by move and get suggestions."""
    parser.description = (
        "Follows a real game move by move from what one player knows, and advises that player "
        "(docs/follow.md). POSITION is a position file, a file that this command saved, or the "
        "name of a game to begin. Without POSITION, the last game continues."
    )
    parser.word("position", "POSITION", "a game, a position file, or a saved game", nargs="?")
    number = "number of players in a new game, 2 to 4 (default: 2)"
    parser.number("--players", number, default=2)
    parser.number(
        "--observer", "your seat in a new game, counted from 0 (default: 0)", "P", default=0
    )
    parser.options()
    target = f"save the game to FILE after every move (default: {DEFAULT_SAVE}, or POSITION)"
    parser.word("--save", "FILE", target)
    parser.word("--bot", "FILE.yaml", "the bot that suggests moves (default: as in suggest)")
    parser.number("--iterations", "iterations per suggestion")


def new_game(parser: Parser) -> None:
    """Write a small package from which to build your own game."""
    parser.description = (
        "Writes a package that can be played at once: a small card game with hidden information, "
        "under the name of your game. It passes every check of the conformance kit. Change it "
        "step by step, and run the kit after each step."
    )
    parser.word("name", "NAME", "lower-case letters, digits and _, such as my_game")
    parser.word("--out", "DIR", "the folder to write (default: NAME)")
    parser.flag("--cython", "write the game in Cython, where it is faster but longer")


def engine(parser: Parser) -> None:
    """Answer requests of other programs, as JSON lines."""
    parser.description = (
        "Reads requests from standard input and writes answers to standard output, one JSON "
        "object per line. Handles many requests at a time; see docs/engine.md."
    )
    all_cores = "threads for all searches together (default: one per core, here %(default)s)"
    parser.number("--threads", all_cores, default=ENGINE.threads)
    searched = "positions that are searched at the same time (default: %(default)s)"
    parser.number("--positions", searched, default=ENGINE.positions)
    waiting = "maximum number of further requests that wait (default: %(default)s)"
    parser.number("--queue", waiting, default=ENGINE.queue)
    trees = "memory of all search trees together (default: %(default)g)"
    parser.number("--memory", trees, "MIB", type=float, default=ENGINE.memory)
    cached = "answers that are cached for equal requests (default: %(default)s)"
    parser.number("--cache", cached, default=ENGINE.cache)
    parser.word(
        "--bot", "FILE.yaml",
        "a bot that requests may name, besides the built-in ones; can be repeated. The first one "
        f"is the default for requests ({ENGINE.default_bot} if there is none)",
        action="append", default=[],
    )  # fmt: skip


def mcp(parser: Parser) -> None:
    """Let a language-model agent play against bots."""
    parser.description = (
        "Offers games against bots to one agent over the Model Context Protocol, on standard "
        "input and output (docs/mcp.md). The agent sees only what its seat may know."
    )
    names = "a bot that the agent may name, besides the built-in ones; can be repeated"
    parser.word("--bot", "FILE.yaml", names, action="append", default=[])
    parser.word("--out", "FILE.jsonl", "append the records of finished games to this file")


def completion(parser: Parser) -> None:
    """Print a shell completion script."""
    parser.description = (
        "Prints a script that completes the commands and options of trajan-ai. In ~/.bashrc or "
        "~/.zshrc: "
        'eval "$(trajan-ai completion bash)" (or zsh); in fish: '
        "trajan-ai completion fish > ~/.config/fish/completions/trajan-ai.fish"
    )
    parser.add_argument("shell", choices=SHELLS)


# The commands by group, in the order of the help, which shows the docstring of each function as
# the description of its command. The module of the same name in this package executes the command:
# ``run(arguments) -> int``.
GROUPS: dict[str, tuple[Callable[[Parser], None], ...]] = {
    "play and analyse": (suggest, play, serve, follow, annotate, replay, board, position),
    "tournaments": (tournament, results, check_bot),
    "lab": (tune, learn, study, export, bench, profile),
    "integration": (engine, mcp, new_game, site, completion),
}
COMMANDS: dict[str, Callable[[Parser], None]] = {
    describe.__name__.replace("_", "-"): describe
    for group in GROUPS.values()
    for describe in group
}


def summary_of(describe: Callable[[Parser], None]) -> str:
    """Return the line that describes a command in the help of all commands."""
    text = describe.__doc__ or ""
    return text[:1].lower() + text[1:].rstrip(".")
