"""`trajan-ai follow`: follow a real game in the terminal, from what one player knows."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from trajan_ai import records
from trajan_ai.analysis import advice
from trajan_ai.analysis.wording import text
from trajan_ai.cli.arguments import DEFAULT_SAVE
from trajan_ai.cli.common import parse_options, print_board, print_note
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.core.names import Names
from trajan_ai.core.rules import TEXT_WIDTH, Question
from trajan_ai.games import GAMES
from trajan_ai.games import game as game_named
from trajan_ai.games.drawing.text_layout import columns, wrapped
from trajan_ai.records import following, position_files, position_sources
from trajan_ai.records.following import FollowedGame
from trajan_ai.records.position_sources import LINES, PositionSource

SHOWN = 5  # moves of a suggestion
SHORT_LIST = 12  # actions that are listed without being asked for
SEED = 0
COMMANDS = ("help", "legal", "board", "suggest", "log", "undo", "save", "load", "export")
LEAVING = ("quit", "q", "exit")
NONE = ("0", "none")  # answers where any number is right

HELP = """\
Type each move as it happens, its words as short as they stay clear:
`sow III`, `III`, `s iii`. Several moves on a line are parted by `;`.
What a move showed is asked for, or stated after `=`, parted by commas:
`tile points = points-blue-white`. `?` lists what can be; an empty answer
takes the move back. Where another player chooses in secret, press Enter
when they have. Cards of a shipment and markers of a tray come in any order.

  legal [WORD]   the moves there are, those that contain WORD
  board          the table as you see it
  suggest [S]    your best moves, searched for S seconds
  log [N]        the last N moves
  undo [N]       take the last N moves back
  save FILE      go on saving to FILE
  load FILE      go on with the game saved there, or from a position file
  export FILE    write what you know now as a position file (.yaml, .json), or add the
                 game so far to a file of records (.jsonl)
  quit           leave; everything is saved (q and exit, too)"""

NEW_GAME = """\
A new game: what lies open is made up. To begin with your own table, write it down with
`trajan-ai position {game} --players {players} --out table.yaml`, then `load table.yaml` here."""


def run(arguments: argparse.Namespace) -> int:
    """Follow until the input ends; the status is 1 if a line of a script was rejected."""
    game, path = _begin(arguments)
    print_note(game.position)
    session = Session(game, path, arguments.bot, arguments.iterations)
    return session.run()


def _begin(arguments: argparse.Namespace) -> tuple[FollowedGame, Path]:
    """Return the game to follow, and the file to save it to."""
    name = arguments.position
    save = Path(arguments.save or DEFAULT_SAVE)
    if name is None and not save.exists():
        raise TrajanError(f"{save}: no game to continue; give {_choices()}")
    if name not in GAMES:
        file = Path(name or save)
        if not file.suffix and not file.exists():
            raise TrajanError(f"{name}: no such game or file; give {_choices()}")
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
    """Return the game to follow from what a file contains."""
    if isinstance(source.record, FollowedGame):
        return source.record
    if source.record is not None:
        raise TrajanError(
            f"{file}: this record contains everything, so there is nothing to follow; "
            f"`trajan-ai position {shlex.quote(file)} --ply N` writes what one player knew"
        )
    return following.follow(source.position, source.observer or 0)


def _choices() -> str:
    return f"a game ({', '.join(GAMES)}), a position file or a saved game"


def matching(typed: str, names: Sequence[str]) -> list[str]:
    """Return the names that a short form may mean.

    Its words begin the name's words, in order, or those after the first; whole words go first.
    """
    found = Names(names).find(typed)
    if found is not None:
        return [found]
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


def meant(typed: str, names: Sequence[str]) -> str:
    """Return the name that a short form means; raise TrajanError if that is none or several."""
    found = matching(typed, names)
    if len(found) == 1:
        return found[0]
    if found:
        some = ", ".join(found[:SHORT_LIST]) + (", .." if len(found) > SHORT_LIST else "")
        raise TrajanError(f"{typed!r} may be {some}")
    few = f"; there are {', '.join(names)}" if len(names) <= SHORT_LIST else ""
    raise TrajanError(f"there is no {typed!r} here{Names(names).hint(typed) or few}")


class Session:
    """A table, the file it is saved to, and the lines that are typed."""

    def __init__(
        self, table: FollowedGame, path: Path, bot: str | None, iterations: int | None
    ) -> None:
        self.table = table
        self.path = path
        self.bot = bot
        self.iterations = iterations
        self.refused = 0
        self.gathered: list[str] = []  # things of a set that are not carried out yet
        self.interactive = sys.stdin.isatty()
        self.names: Sequence[str] = ()  # what Tab completes

    # ---- Lines -------------------------------------------------------------------------------

    def run(self) -> int:
        """Take lines until `quit` or the end of the input."""
        if self.interactive:
            self._complete_by_tab()
        self.table.save(self.path)
        self.say(f"You are player {self.table.observer}; `help` says what you can type.")
        while True:
            try:
                line = self.read(self._prompt(), [*self._names(), *COMMANDS, "quit"])
                if line.strip() in LEAVING:
                    break
                self.take(line)
            except EOFError:
                break
            except KeyboardInterrupt:
                self.say("")
                self._say_how_to_go_on()
                raise
            except TrajanError as error:
                self.refused += 1
                for problem in error.messages:
                    self.say(problem)
        self._say_how_to_go_on()
        return int(bool(self.refused) and not self.interactive)

    def _say_how_to_go_on(self) -> None:
        left = f" without {', '.join(self.gathered)}" if self.gathered else ""
        self.say(f"saved{left}; go on with: trajan-ai follow {shlex.quote(str(self.path))}")

    def take(self, line: str) -> None:
        """Carry out a command, or moves parted by semicolons."""
        word, _, rest = line.strip().partition(" ")
        if word in COMMANDS:
            getattr(self, word)(rest.strip())
            return
        for part in line.split(";"):
            typed, equals, shown = part.partition("=")
            self.move(typed.strip(), shown if equals else None)

    def read(self, prompt: str, names: Sequence[str]) -> str:
        """Return a line; raise EOFError at the end of the input."""
        self.names = names
        if self.interactive:
            return input(prompt)
        line = sys.stdin.readline()
        if not line:
            raise EOFError
        self.say(prompt + line.rstrip("\n"))
        return line

    def say(self, text: str) -> None:
        """Print text, its long lines broken."""
        width = columns(sys.stdout, TEXT_WIDTH)
        for line in text.splitlines() or [""]:
            print("\n".join(wrapped(line, width)))
        sys.stdout.flush()

    def _prompt(self) -> str:
        player = self.table.player
        if player is None:
            return "the game is over> "
        who = "you" if player == self.table.observer else f"player {player}"
        if self.gathered:
            return f"{who} ({', '.join(self.gathered)}, and)> "
        if not self._legal():
            return f"{who} (in secret; Enter when they have chosen)> "
        return f"{who} ({self.table.view['to_decide']['decision']})> "

    def _legal(self) -> list[str]:
        return sorted(self.table.sets.legal())

    def _names(self) -> list[str]:
        return self.table.sets.take(self.gathered)[1] if self.gathered else self._legal()

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
        found = [name for name in self.names if name.startswith(last.lstrip())]
        space = " " if joint else ""
        return f"{before}{joint}{space}{found[state]}" if state < len(found) else None

    # ---- Moves -------------------------------------------------------------------------------

    def move(self, typed: str, shown: str | None) -> None:
        """Carry out one move, asking for what it showed; or gather it for a set."""
        names = self._names()
        if self.table.player is None:
            raise TrajanError("the game is over")
        if not typed and names:
            return
        if typed and not names:
            who = f"player {self.table.player}"
            raise TrajanError(f"what {who} chooses is not seen: press Enter when they have")
        action = meant(typed, names) if names else None
        self._carry_out([*self.gathered, action] if action else [], shown)

    def _carry_out(self, named: Sequence[str], shown: str | None) -> None:
        """Carry out what is named, in the game's order; gather it if more may be named first."""
        table = self.table
        actions: Sequence[str | None] = [None]
        more: list[str] = []
        if named:
            actions, more = table.sets.take(named)
        if more:
            self.gathered = list(named)
            self.say(f"and which other? {', '.join(more)}")
            return
        self.gathered = []
        before = len(table.moves)
        try:
            for number, action in enumerate(actions, start=1):
                move = self._played(action, shown if number == len(actions) else None)
                if move is None:
                    table.undo(len(table.moves) - before)
                    self.say("taken back: nothing is stated")
                    return
                self.say(_in_words(move))
        except TrajanError:
            table.undo(len(table.moves) - before)
            raise
        table.save(self.path)

    def _played(self, action: str | None, shown: str | None) -> following.Move | None:
        """Carry out one move; None to take it back.

        What it showed stands after ``=``, parted by commas, or is asked for. An answer that
        contradicts what is known is asked for again, the others stay.
        """
        stated: dict[str, list[str]] = {}
        given = None if shown is None else [part.strip() for part in shown.split(",")]
        asked: dict[str, Question] = {}
        while True:
            try:
                asks = [one for one in self.table.asks(action, stated) if one.key not in asked]
                if not asks and not given:
                    return self.table.play(action, stated)
            except TrajanError as error:
                if given is not None or not stated:
                    raise
                self.refused += 1
                self.say(str(error))
                asks = [asked[key] for key in self._wrong(action, stated)]
            if not asks:
                raise TrajanError(f"{action}: nothing else is shown than {len(stated)} things")
            for ask in asks:
                asked[ask.key] = ask
                if given is not None:
                    count = len(given) if ask.count is None else ask.count
                    answer, given = given[:count], given[count:]
                else:
                    answer = self._answer(ask)
                if not answer and ask.count is not None:
                    return None
                stated[ask.key] = [meant(one, ask.names) for one in answer]

    def _wrong(self, action: str | None, stated: dict[str, list[str]]) -> list[str]:
        """Return the keys of answers that contradict what is known.

        Those are what was asked of one player, or one other key, without which the others do not.
        """
        for wrong in reversed(stated):
            of = wrong.split()[1:]
            keys = [key for key in stated if key.split()[1:] == of] if of else [wrong]
            with suppress(TrajanError):
                others = {key: stated[key] for key in stated if key not in keys}
                self.table.asks(action, others)
                return keys
        return list(stated)

    def _answer(self, ask: Question) -> list[str]:
        """Ask for what a move showed until the answer can be; an empty one is allowed."""
        many = "" if ask.count == 1 else f" ({ask.count or 'any number'}, parted by commas)"
        while True:
            line = self.read(f"  {ask.text}{many}: ", ask.names).strip()
            if line == "?":
                number = "none, or some" if ask.count is None else str(ask.count)
                back = "an empty answer says none" if ask.count is None else "empty takes it back"
                self.say(f"{ask.text}: {number} of {', '.join(ask.names)}; {back}")
                continue
            answer = [part.strip() for part in line.split(",") if part.strip()]
            if ask.count is None and line in NONE:
                answer = []
            try:
                if answer and ask.count not in (None, len(answer)):
                    raise TrajanError(f"{ask.count} are needed, got {len(answer)}")
                return [meant(one, ask.names) for one in answer]
            except TrajanError as error:
                self.say(str(error))
                self.refused += 1

    # ---- Commands ----------------------------------------------------------------------------

    def help(self, rest: str) -> None:
        """Say what can be typed."""
        self.say(HELP)

    def legal(self, rest: str) -> None:
        """List the moves there are."""
        self.say(", ".join(name for name in self._names() if rest in name) or "none")

    def board(self, rest: str) -> None:
        """Show the table."""
        print_board(self.table.position, self.table.observer)

    def suggest(self, rest: str) -> None:
        """Rank the observer's moves."""
        table = self.table
        if table.player != table.observer:
            raise TrajanError("suggestions are for your own decisions")
        advisor = advice.prepare(table.position.game, self.bot)
        analysis = advisor.analyse(
            InformationSet(table.position, table.observer),
            iterations=self.iterations,
            seconds=_seconds(rest),
            seed=SEED,
        )
        print(text(analysis, SHOWN, columns(sys.stdout, TEXT_WIDTH)))
        if advisor.note:
            self.say(advisor.note)

    def log(self, rest: str) -> None:
        """List the last moves."""
        count = _count(rest, 10)
        moves = self.table.moves
        first = max(len(moves) - count, 0)
        for number, move in enumerate(moves[first:], start=first + 1):
            self.say(f"{number:>4}  {_in_words(move)}")

    def undo(self, rest: str) -> None:
        """Take moves back."""
        count = _count(rest, 1)
        if self.gathered:
            self.say(f"not carried out: {', '.join(self.gathered)}")
            self.gathered, count = [], count - 1
        self.table.undo(count)
        self.table.save(self.path)
        self.say(f"{count} taken back, {len(self.table.moves)} left")

    def save(self, rest: str) -> None:
        """Go on saving to another file."""
        path = Path(_file(rest, "save"))
        self.table.save(path)
        self.path = path
        self.say(f"saved to {self.path}")

    def load(self, rest: str) -> None:
        """Go on with another game."""
        path = Path(_file(rest, "load"))
        self.gathered = []
        source = position_sources.read(path, number=None)
        self.table = _followed(source, str(path))
        if source.record is not None and path.suffix != LINES:
            self.path = path
        else:
            self.table.save(self.path)
        self.say(f"{len(self.table.moves)} moves; you are player {self.table.observer}")

    def export(self, rest: str) -> None:
        """Write a position file, or add to a file of records."""
        path = _file(rest, "export")
        named = shlex.quote(path)
        try:
            if Path(path).suffix == LINES:
                records.write(path, [self.table.record()], append=True)
                self.say(f"added to {path}; try `trajan-ai replay {named}`")
            elif Path(path).suffix in (".yaml", ".yml", ".json"):
                position_files.write(path, self.table.position_file())
                self.say(f"written: {path}; try `trajan-ai suggest {named}`")
            else:
                raise TrajanError(
                    f"{path}: a position file ends in .yaml or .json, records in .jsonl"
                )
        except OSError as error:
            raise TrajanError(f"{path}: {error.strerror}") from None


def _in_words(move: following.Move) -> str:
    shown = "; ".join(f"{key}: {', '.join(names)}" for key, names in move.reveals.items() if names)
    text = f"player {move.player}: {move.action or 'has chosen'}"
    return f"{text} [{shown}]" if shown else text


def _count(text: str, default: int) -> int:
    if text and not (text.isdecimal() and int(text[:9])):
        raise TrajanError(f"log and undo take a number of moves from 1, got {text!r}")
    return int(text[:9]) if text else default


def _seconds(text: str) -> float | None:
    try:
        return float(text or 0) or None
    except ValueError:
        raise TrajanError(f"a number is needed, got {text!r}") from None


def _file(text: str, command: str) -> str:
    if not text:
        raise TrajanError(f"{command} needs the name of a file")
    return text
