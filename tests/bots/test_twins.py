"""Twin games look the same to a player, but differ in hidden cards and hidden decisions. Every
interface shows the player the same for both games, so that nobody can see which moves were
forced."""

import importlib
import json
import pickle
from itertools import islice

import pytest
from engine_requests import Desk
from golden_games import GOLDEN

from trajan_ai import games, records
from trajan_ai.analysis.decision import advice
from trajan_ai.analysis.decision.reasons import find_reasons
from trajan_ai.bots.minds import ObservingPlayer
from trajan_ai.cli.main import main
from trajan_ai.core.foresight import find_next_turn
from trajan_ai.core.information import InformationSet
from trajan_ai.page import views
from trajan_ai.page.game_tree import GameTree, parse_tree, start_game
from trajan_ai.page.visible_tree import VisibleTree
from trajan_ai.records import position_sources
from trajan_ai.records.position_sources import PositionSource
from trajan_ai.testing.courses import Course, Deal
from trajan_ai.testing.twins import look_alike, twins

pytestmark = pytest.mark.slow

DEALS = 2
PAIRS = 4  # pairs of each kind, per deal and player
PREVIEW_PAIRS = 8  # pairs whose previews are compared, per deal and player
REASON_PAIRS = 1  # pairs whose reasons are compared, per deal and player
EVENT_PAIRS = 25  # pairs whose events are compared, per deal and player
COMMAND_PAIRS = 8  # pairs that commands print, per player
WHOLE = 4  # the whole page is compared at every fourth node
TABLES = [
    ("trajan", 3, {}),
    ("forum_trajanum", 3, {}),
    ("forum_trajanum", 3, {"step_one": "open"}),
    *(
        pytest.param(name, players, {}, marks=pytest.mark.long)
        for name in ("trajan", "forum_trajanum")
        for players in (2, 4)
    ),
]


def pairs(name, players, options):
    """Yield players, each with twin games that differ in moves or have additional ones."""
    game = games.game(name)
    checked = game.rules.check(players, options)
    for seed in range(DEALS):
        course = Course.play(Deal(game, players, checked, seed))
        for player in range(players):
            twin_pairs = [
                pair for pair in twins(course, player, 1) if pair[0].end.player is not None
            ]
            moves_by_line = [
                [[move for _, move in line.decisions] for line in pair] for pair in twin_pairs
            ]
            uneven = [
                p
                for p, (one, other) in zip(twin_pairs, moves_by_line, strict=True)
                if len(one) != len(other)
            ]
            others = [
                p
                for p, (one, other) in zip(twin_pairs, moves_by_line, strict=True)
                if one != other
            ]
            for pair in (*uneven[:PAIRS], *others[:: len(others) // PAIRS + 1]):
                yield player, *pair


class Recorder:
    """A bot that stores the bytes of everything that it receives."""

    observes = True

    def __init__(self):
        self.received = []

    def start(self, *what):
        self.received.append(what)

    def choose(self, *what):
        self.received.append(pickle.dumps(what))

    observe = choose


def observe_as_bot(line, player):
    recorder = Recorder()
    listener = ObservingPlayer(recorder)
    listener.start(player, line.end.players, 1)
    for position, move in line.decisions:
        listener.observe(position, move)
    listener.choose(line.end, 2)
    return recorder.received


def observe_as_open_spiel(line, player):
    openspiel = importlib.import_module("trajan_ai.adapters.openspiel")
    start, _ = line.decisions[0]
    now = openspiel.GameState(start, (0,) * start.players)
    for _, move in line.decisions:
        now = now.after(move)
    return now.pasts[player]


def grow(line, player):
    """Return the visible tree of a line, including the forced moves that the page adds."""
    start, _ = line.decisions[0]
    seats = [None if seat == player else "random" for seat in range(start.players)]
    tree = GameTree(start, {}, seats=seats, seed=1, id="0" * 16)
    node = 0
    for _, move in line.decisions:
        node = tree.add(node, start.game.actions[move])
        while (only := tree.forced_action(node)) is not None:
            node = tree.add(node, only)
    return VisibleTree(tree)


def observe_as_page(line, player):
    """Return what the page shows for every fourth node."""
    visible = grow(line, player)
    last = len(visible.nodes) - 1
    numbers = range(last, -1, -WHOLE)
    nodes = [json.dumps(views.describe_node(visible, number, None)) for number in numbers]
    return [*nodes, views.dump_position(visible, last, None)]


@pytest.fixture(scope="module")
def desk():
    with Desk() as desk:
        yield desk


@pytest.mark.parametrize(
    "observe",
    [
        observe_as_bot,
        pytest.param(observe_as_open_spiel, marks=pytest.mark.needs("pyspiel")),
        observe_as_page,
    ],
)
@pytest.mark.parametrize(("name", "players", "options"), TABLES)
def test_twin_games_look_the_same(name, players, options, observe):
    uneven = 0
    for player, one, other in pairs(name, players, options):
        assert observe(one, player) == observe(other, player)
        uneven += len(one.decisions) != len(other.decisions)
    assert uneven or "step_one" in options


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_the_engine_gives_the_same_answers_for_twins(name, desk):
    for number, (player, *lines) in enumerate(pairs(name, 3, {})):
        answers = []
        for line in lines:
            position = {"state": desk.engine.states.keep(line.end)}
            requests = [{"kind": kind, "player": player} for kind in ("view", "board")]
            requests.append({"kind": "board", "player": player, "format": "svg"})
            if line.end.player == player:
                requests += [{"kind": "legal"}, {"kind": "suggest", "iterations": 30}]
            answers.append([happened_to(desk, line, player)])
            for request in requests:
                result = desk.ask(id=number, position=position, **request)["result"]
                answers[-1].append({key: result[key] for key in result if key != "seconds"})
        assert answers[0] == answers[1]


@pytest.fixture
def show(monkeypatch, capsys, tmp_path):
    """Return a function from a line and a player to what commands print at the end of the line."""
    picture = tmp_path / "board.svg"

    def run(line, player):
        # The commands read the file, but every function then finds the line instead of the file's
        # record.
        monkeypatch.setattr(position_sources, "source_of", lambda entry, ply: lead_to(line))
        monkeypatch.setattr(records, "replay", lambda entry, ply: line.decisions[ply][0])
        file = GOLDEN / f"{line.end.game.name}_2p.jsonl"
        for words in (
            f"replay {file} --game 1 --ply 1 --player {player}",
            f"position {file} --ply 1 --player {player}",
            f"board {file} --ply 1 --view {player} --out {picture}",
        ):
            assert main(words.split()) == 0
        return capsys.readouterr().out, picture.read_text()

    return run


@pytest.mark.parametrize(("name", "players", "options"), TABLES)
def test_the_command_line_prints_the_same_for_twins(name, players, options, show):
    """A ply of the command line counts every decision, so both games must have equally many."""
    game, count = games.game(name), 0
    course = Course.play(Deal(game, players, game.rules.check(players, options), 0))
    for player in range(players):
        alike = (
            (one, other)
            for one, other in twins(course, player, 1)
            if look_alike(one, other, player) and len(one.decisions) == len(other.decisions)
        )
        for one, other in islice(alike, COMMAND_PAIRS):
            assert show(one, player) == show(other, player)
            count += one.end.player not in (None, player)
    assert count


def lead_to(line):
    """Return the end of a line as if it had been read from a record."""
    actions = [[at.player, at.game.actions[move]] for at, move in line.decisions]
    return PositionSource(line.end, None, {"actions": actions}, len(actions))


def happened_to(desk, line, player):
    """Return the events of a line as the engine process shows them to a player."""
    start, _ = line.decisions[0]
    actions = [start.game.actions[move] for _, move in line.decisions]
    position = {"state": desk.engine.states.keep(start)}
    request = {"position": position, "actions": actions, "events": True, "observer": player}
    return desk.ask(id="events", kind="apply", **request)["result"]["events"]


@pytest.mark.parametrize(("name", "players", "options"), TABLES)
def test_twin_games_have_the_same_events(name, players, options):
    """Events are compared for more pairs than pages are: at least 500 over all tables."""
    game = games.game(name)
    checked = game.rules.check(players, options)
    count = 0
    for seed in range(DEALS):
        course = Course.play(Deal(game, players, checked, seed))
        for player in range(players):
            alike = (pair for pair in twins(course, player, 1) if look_alike(*pair, player))
            for one, other in islice(alike, EVENT_PAIRS):
                assert one.events(player) == other.events(player)
                assert grow(one, player).events(player) == grow(other, player).events(player)
                count += 1
    assert count >= 500 / len(TABLES)


def decisions_of_twins(name, players, options, count):
    """Yield twins at whose end the player who cannot distinguish them has to decide."""
    game = games.game(name)
    checked = game.rules.check(players, options)
    for seed in range(DEALS):
        course = Course.play(Deal(game, players, checked, seed))
        for player in range(players):
            own = (pair for pair in twins(course, player, 1) if pair[0].end.player == player)
            yield from islice(own, count)


@pytest.mark.long
@pytest.mark.parametrize(("name", "players", "options"), TABLES)
def test_twin_games_have_the_same_previews(name, players, options):
    """The page shows the same previews at the last node of both games."""
    count = 0
    for one, other in decisions_of_twins(name, players, options, PREVIEW_PAIRS):
        trees = [grow(line, one.end.player) for line in (one, other)]
        previews = [views.preview_node(tree, len(tree.nodes) - 1) for tree in trees]
        assert previews[0] == previews[1]
        count += bool(previews[0])
    assert count


@pytest.mark.parametrize(("name", "players", "options"), TABLES)
def test_twin_games_have_the_same_reasons(name, players, options):
    for pair in decisions_of_twins(name, players, options, REASON_PAIRS):
        answers = []
        for line in pair:
            knowledge = InformationSet(line.end)
            analysis = advice.analyse(knowledge, grade="verified", iterations=300, sources=True)
            best, last = analysis.best, analysis.tried[1]
            answers.append(
                (find_reasons(knowledge, best, last), find_next_turn(knowledge, last.line))
            )
        assert repr(answers[0]) == repr(answers[1])


def test_game_trees_contain_forced_moves_that_look_chosen_and_read_older_files():
    """Forced moves do not count as decisions: the path of a record omits them, and they change no
    bot's seed."""
    game, count = games.game("trajan"), 0
    for seed in range(DEALS):
        course = Course.play(Deal(game, 3, game.rules.check(3, {}), seed))
        tree = start_game("trajan", [None, "random", "random"], seed, {})
        nodes, node = [], 0
        for ply, move in enumerate(course.moves):
            nodes.append([ply, game.actions[move], {}])
            node = tree.add(node, game.actions[move])
        forced = len(tree.nodes) - 1 - course.end
        decisions = [(tree.nodes[one].player, tree.nodes[one].action) for one in tree.path(node)]
        assert decisions == list(_decisions(course))
        data = tree.to_dict()
        older = data | {"nodes": nodes, "here": 0}
        for again in (parse_tree(data, tree.id), parse_tree(older, tree.id)):
            assert [vars(one) for one in again.nodes] == [vars(one) for one in tree.nodes]
            assert again.bot_seed(node, 1) == tree.bot_seed(node, 1)
        count += forced
    assert count


def _decisions(course):
    deciders = (course.position(state).player for state in course.walk(range(course.end)))
    return zip(deciders, (course.game.actions[move] for move in course.moves), strict=True)
