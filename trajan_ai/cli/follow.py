"""`trajan-ai follow`: follow a real game in the terminal with the knowledge of one player."""

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from trajan_ai import records
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.wording import text
from trajan_ai.cli.arguments import DEFAULT_SAVE
from trajan_ai.cli.common import event_line, parse_options, print_board, print_note
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet, get_decider
from trajan_ai.core.names import Names
from trajan_ai.core.rules import TEXT_WIDTH
from trajan_ai.core.rules_following import Question
from trajan_ai.core.rules_words import list_notable
from trajan_ai.games import GAMES
from trajan_ai.games import game as game_named
from trajan_ai.games.drawing.text_layout import columns, wrapped
from trajan_ai.records import following, position_files, position_sources
from trajan_ai.records.following import FollowedGame
from trajan_ai.records.position_sources import LINES, PositionSource

TOP = 5  # moves of a suggestion
MAX_LISTED = 12  # names in an error message
SEED = 0
COMMANDS = ("help", "legal", "board", "suggest", "log", "undo", "save", "load", "export")
LEAVING = ("quit", "q", "exit")
NONE = ("0", "none")  # answers to questions with any number of names

HELP = """\
Type each move as it happens. You can shorten words as long as they stay
unique: `sow III`, `III`, `s iii`. Separate several moves on a line by `;`. If
a move reveals something, a question follows, unless you state what it reveals
after `=`, separated by commas: `tile points = points-blue-white`. Enter `?` to
list the possible answers; an empty answer takes the move back. If another
player chooses in secret, press Enter afterwards. Name the cards of a shipment
and the markers of a tray in any order.

  legal [WORD]   list the legal moves, or those that contain WORD
  board          draw the board as you see it
  suggest [S]    search for S seconds and rank your moves
  log [N]        list the last N moves
  undo [N]       take back the last N moves
  save FILE      save to FILE from now on
  load FILE      continue the game saved in FILE, or start from a position file
  export FILE    write what you know now as a position file (.yaml, .json), or add the
                 game so far to a file of records (.jsonl)
  quit           leave (also q, exit); everything is saved"""

NEW_GAME = """\
This new game has an invented setup. To start from the setup on your table, write a file with
`trajan-ai position {game} --players {players} --out table.yaml`, edit the file, and enter
`load table.yaml` here."""


def run(arguments: argparse.Namespace) -> int:
    """Follow a game until the input ends; the status is 1 if a line of a script was rejected."""
    game, path = _begin(arguments)
    print_note(game.position)
    session = Session(game, path, arguments.bot, arguments.iterations)
    return session.run()


def _begin(arguments: argparse.Namespace) -> tuple[FollowedGame, Path]:
    """Return the game to follow, and the file to save it to."""
    name = arguments.position
    save = Path(arguments.save or DEFAULT_SAVE)
    if name is None and not save.exists():
        raise TrajanError(f"{save}: there is no game to continue; give {_choices()}")
    if name not in GAMES:
        file = Path(name or save)
        if not file.suffix and not file.exists():
            raise TrajanError(f"{name}: there is no such game or file; give {_choices()}")
        source = position_sources.read(file, number=None)
        game = _followed(source, str(file))
        if name is None or (source.record is not None and file.suffix != LINES):
            return game, Path(arguments.save or file)  # continue the saved game in place
    if save.exists():
        raise TrajanError(
            f"{save}: contains a saved game; continue it with `trajan-ai follow {save}`, or name "
            "another file with --save"
        )
    if name in GAMES:
        options = parse_options(arguments.option)
        start = game_named(name).start(arguments.players, SEED, **options)
        game = following.follow(start, arguments.observer)
        print(NEW_GAME.format(game=name, players=arguments.players))
    return game, save


def _followed(source: PositionSource, file: str) -> FollowedGame:
    """Return the game to follow, given the contents of a file."""
    if isinstance(source.record, FollowedGame):
        return source.record
    if source.record is not None:
        raise TrajanError(
            f"{file}: this record contains the whole game, including everything hidden, so it "
            f"cannot be followed; `trajan-ai position {shlex.quote(file)} --ply N` writes a "
            "position file with what one player knew"
        )
    return following.follow(source.position, source.observer or 0)


def _choices() -> str:
    return f"a game ({', '.join(GAMES)}), a position file or a saved game"


def list_matches(typed: str, names: Sequence[str]) -> list[str]:
    """Return the names that match a short form.

    Each word of the short form must be the beginning of the corresponding word of the name, where
    the first word of the name may be omitted. Names in which whole words match take precedence.
    """
    name = Names(names).find(typed)
    if name is not None:
        return [name]
    words = typed.casefold().split()
    if not words:
        return []

    def fits(name: str, same: Callable[[str, str], bool]) -> bool:
        parts = name.casefold().split()
        return any(
            len(words) <= len(tail) and all(map(same, tail, words)) for tail in (parts, parts[1:])
        )

    exact = [name for name in names if fits(name, str.__eq__)]
    return exact or [name for name in names if fits(name, str.startswith)]


def find_match(typed: str, names: Sequence[str]) -> str:
    """Return the name that matches a short form; raise TrajanError if none or several match."""
    matches = list_matches(typed, names)
    if len(matches) == 1:
        return matches[0]
    if matches:
        some = ", ".join(matches[:MAX_LISTED]) + (", .." if len(matches) > MAX_LISTED else "")
        raise TrajanError(f"{typed!r} is ambiguous: it matches {some}")
    few = f"; the choices are {', '.join(names)}" if len(names) <= MAX_LISTED else ""
    raise TrajanError(f"there is no {typed!r} here{Names(names).hint(typed) or few}")


class Session:
    """A followed game, its file, and the lines that are typed."""

    def __init__(
        self, game: FollowedGame, path: Path, bot: str | None, iterations: int | None
    ) -> None:
        self.game = game
        self.path = path
        self.bot = bot
        self.iterations = iterations
        self.errors = 0
        self.gathered: list[str] = []  # names in an incomplete set
        self.is_interactive = sys.stdin.isatty()
        self.names: Sequence[str] = ()  # names that Tab completes

    # ---- Lines -------------------------------------------------------------------------------

    def run(self) -> int:
        """Execute lines until `quit` or the end of the input; return the exit status."""
        if self.is_interactive:
            self._complete_by_tab()
        self.game.save(self.path)
        self.say(
            f"You are player {self.game.observer}, counted from 0; `help` lists the commands."
        )
        while True:
            try:
                line = self.read(self._prompt(), [*self._names(), *COMMANDS, "quit"])
                if line.strip() in LEAVING:
                    break
                self.execute(line)
            except EOFError:
                break
            except KeyboardInterrupt:
                self.say("")
                self._say_how_to_continue()
                raise
            except TrajanError as error:
                self.errors += 1
                for problem in error.messages:
                    self.say(problem)
        self._say_how_to_continue()
        return int(bool(self.errors) and not self.is_interactive)

    def _say_how_to_continue(self) -> None:
        left = f" without {', '.join(self.gathered)}" if self.gathered else ""
        self.say(f"saved{left}; continue with: trajan-ai follow {shlex.quote(str(self.path))}")

    def execute(self, line: str) -> None:
        """Execute a command, or moves separated by semicolons."""
        word, _, rest = line.strip().partition(" ")
        if word in COMMANDS:
            getattr(self, word)(rest.strip())
            return
        for part in line.split(";"):
            typed, equals, reveals = part.partition("=")
            self.move(typed.strip(), reveals if equals else None)

    def read(self, prompt: str, names: Sequence[str]) -> str:
        """Return the next line; raise EOFError at the end of the input."""
        self.names = names
        if self.is_interactive:
            return input(prompt)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        self.say(prompt + line.rstrip("\n"))
        return line

    def say(self, text: str) -> None:
        """Print text with long lines wrapped."""
        width = columns(sys.stdout, TEXT_WIDTH)
        for line in text.splitlines() or [""]:
            print("\n".join(wrapped(line, width)))
        sys.stdout.flush()

    def _prompt(self) -> str:
        player = self.game.player
        if player is None:
            return "the game is over> "
        who = "you" if player == self.game.observer else f"player {player}"
        if self.gathered:
            return f"{who} ({', '.join(self.gathered)}, and)> "
        if not self._legal():
            return f"{who} (in secret; press Enter when they have chosen)> "
        return f"{who} ({self.game.view['to_decide']['decision']})> "

    def _legal(self) -> list[str]:
        return sorted(self.game.sets.legal())

    def _names(self) -> list[str]:
        return self.game.sets.take(self.gathered)[1] if self.gathered else self._legal()

    def _complete_by_tab(self) -> None:
        try:
            import readline  # noqa: PLC0415  # not on every system
        except ImportError:
            return
        readline.set_completer_delims("")
        readline.set_completer(self._completion)
        readline.parse_and_bind("tab: complete")

    def _completion(self, text: str, state: int) -> str | None:
        before, joint, last = text.rpartition(",") if "," in text else text.rpartition(";")
        matches = [name for name in self.names if name.startswith(last.lstrip())]
        space = " " if joint else ""
        return f"{before}{joint}{space}{matches[state]}" if state < len(matches) else None

    # ---- Moves -------------------------------------------------------------------------------

    def move(self, typed: str, reveals: str | None) -> None:
        """Play the typed move and ask for its reveals, or gather it until its set is complete."""
        names = self._names()
        get_decider(self.game.position)  # raises TrajanError if the game is over
        if not typed and names:
            return
        if typed and not names:
            who = f"player {self.game.player}"
            raise TrajanError(f"the choice of {who} is hidden; press Enter when it is made")
        action = find_match(typed, names) if names else None
        self._play_set([*self.gathered, action] if action else [], reveals)

    def _play_set(self, named: Sequence[str], reveals: str | None) -> None:
        """Play the named actions in the game's order, or gather them if more can be named."""
        game = self.game
        actions: Sequence[str | None] = [None]
        more: list[str] = []
        if named:
            actions, more = game.sets.take(named)
        if more:
            self.gathered = list(named)
            self.say(f"and which other? {', '.join(more)}")
            return
        self.gathered = []
        before = len(game.moves)
        try:
            for number, action in enumerate(actions, start=1):
                move = self._play(action, reveals if number == len(actions) else None)
                if move is None:
                    game.undo(len(game.moves) - before)
                    self.say("move taken back, because an answer is missing")
                    return
                self.say(_describe(move))
                for event in list_notable(game.position.game.rules, game.events[-1]):
                    self.say(f"  {event_line(game.position.game.rules, event)}")
        except TrajanError:
            game.undo(len(game.moves) - before)
            raise
        game.save(self.path)

    def _play(self, action: str | None, reveals: str | None) -> following.Move | None:
        """Play one move and return it, or return None if an empty answer takes it back.

        `reveals` is the text after ``=``, a list separated by commas; without this text, questions
        ask for the reveals. A question with a contradictory answer is repeated, and the other
        answers are kept.
        """
        stated: dict[str, list[str]] = {}
        typed = None if reveals is None else [part.strip() for part in reveals.split(",")]
        questions: dict[str, Question] = {}
        while True:
            try:
                new = [one for one in self.game.asks(action, stated) if one.key not in questions]
                if not new and not typed:
                    return self.game.play(action, stated)
            except TrajanError as error:
                if typed is not None or not stated:
                    raise
                self.errors += 1
                self.say(str(error))
                new = [questions[key] for key in self.game.find_wrong(action, stated)]
            if not new:
                count = sum(map(len, stated.values()))
                raise TrajanError(f"{action}: the number of reveals must be {count}")
            for question in new:
                questions[question.key] = question
                if typed is not None:
                    count = len(typed) if question.count is None else question.count
                    answer, typed = typed[:count], typed[count:]
                else:
                    answer = self._answer(question)
                if not answer and question.count is not None:
                    return None
                stated[question.key] = [find_match(one, question.names) for one in answer]

    def _answer(self, question: Question) -> list[str]:
        """Ask a question until the answer is valid; return the answer, which may be empty."""
        count, text, names = question.count, question.text, question.names
        many = "" if count == 1 else f" ({count or 'any number'}, separated by commas)"
        while True:
            line = self.read(f"  {text}{many}: ", names).strip()
            if line == "?":
                number = "any number" if count is None else str(count)
                back = "means none" if count is None else "takes the move back"
                self.say(f"{text}: {number} of {', '.join(names)}; an empty answer {back}")
                continue
            answer = [part.strip() for part in line.split(",") if part.strip()]
            if count is None and line in NONE:
                answer = []
            try:
                if answer and count not in (None, len(answer)):
                    raise TrajanError(f"the number of names must be {count}, got {len(answer)}")
                return [find_match(one, names) for one in answer]
            except TrajanError as error:
                self.say(str(error))
                self.errors += 1

    # ---- Commands ----------------------------------------------------------------------------

    def help(self, rest: str) -> None:
        """Print the help."""
        self.say(HELP)

    def legal(self, rest: str) -> None:
        """List the legal moves."""
        self.say(", ".join(name for name in self._names() if rest in name) or "none")

    def board(self, rest: str) -> None:
        """Draw the board."""
        print_board(self.game.position, self.game.observer)

    def suggest(self, rest: str) -> None:
        """Rank the observer's moves."""
        game = self.game
        if game.player != game.observer:
            raise TrajanError("suggestions are available only for your own decisions")
        advisor = advice.prepare(game.position.game, self.bot)
        analysis = advisor.analyse(
            InformationSet(game.position, game.observer),
            iterations=self.iterations,
            seconds=_seconds(rest),
            seed=SEED,
        )
        print(text(analysis, TOP, columns(sys.stdout, TEXT_WIDTH)))
        if advisor.note:
            self.say(advisor.note)

    def log(self, rest: str) -> None:
        """List the last moves."""
        count = _count(rest, 10)
        moves = self.game.moves
        first = max(len(moves) - count, 0)
        for number, move in enumerate(moves[first:], start=first + 1):
            self.say(f"{number:>4}  {_describe(move)}")

    def undo(self, rest: str) -> None:
        """Take back moves."""
        count = _count(rest, 1)
        if self.gathered:
            self.say(f"not played: {', '.join(self.gathered)}")
            self.gathered, count = [], count - 1
        self.game.undo(count)
        self.game.save(self.path)
        self.say(f"{count} taken back, {len(self.game.moves)} left")

    def save(self, rest: str) -> None:
        """Save to another file from now on."""
        path = Path(_file(rest, "save"))
        self.game.save(path)
        self.path = path
        self.say(f"saved to {self.path}")

    def load(self, rest: str) -> None:
        """Continue another game, or start one unless that would overwrite moves."""
        path = Path(_file(rest, "load"))
        source = position_sources.read(path, number=None)
        game = _followed(source, str(path))
        is_saved = source.record is not None and path.suffix != LINES
        if self.game.moves and not is_saved:
            raise TrajanError(
                f"{self.path}: contains the moves of this game; quit, and start the other with "
                f"`trajan-ai follow {shlex.quote(str(path))} --save FILE`"
            )
        self.gathered = []
        self.game = game
        if is_saved:
            self.path = path
        else:
            self.game.save(self.path)
        self.say(f"{len(self.game.moves)} moves; you are player {self.game.observer}")

    def export(self, rest: str) -> None:
        """Write a position file, or add to a file of records."""
        path = _file(rest, "export")
        named = shlex.quote(path)
        try:
            if Path(path).suffix == LINES:
                records.write(path, [self.game.record()], append=True)
                self.say(f"added to {path}; try `trajan-ai replay {named}`")
            elif Path(path).suffix in (".yaml", ".yml", ".json"):
                position_files.write(path, self.game.position_file())
                self.say(f"written: {path}; try `trajan-ai suggest {named}`")
            else:
                raise TrajanError(
                    f"{path}: the name of a position file must end in .yaml or .json, and that of "
                    "a file of records in .jsonl"
                )
        except OSError as error:
            raise TrajanError(f"{path}: {error.strerror}") from None


def _describe(move: following.Move) -> str:
    reveals = [f"{key}: {', '.join(names)}" for key, names in move.reveals.items() if names]
    text = f"player {move.player}: {move.action or 'has chosen'}"
    return f"{text} [{'; '.join(reveals)}]" if reveals else text


def _count(text: str, default: int) -> int:
    if text and not (text.isdecimal() and int(text[:9])):
        raise TrajanError(f"log and undo need a number of moves, at least 1, got {text!r}")
    return int(text[:9]) if text else default


def _seconds(text: str) -> float | None:
    try:
        return float(text or 0) or None
    except ValueError:
        raise TrajanError(f"suggest needs a number of seconds, got {text!r}") from None


def _file(text: str, command: str) -> str:
    if not text:
        raise TrajanError(f"{command} requires the name of a file")
    return text
