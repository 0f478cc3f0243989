"""Agents: whole games by a scripted MCP client, hidden cards, bad input, and docs/mcp.md."""

import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import asynccontextmanager
from itertools import islice

import pytest
import yaml
from calls import ROOT, blocks, problems
from failing_bots import write_bots
from golden_games import golden, golden_position, witnessed

import trajan_ai
from trajan_ai import records
from trajan_ai.bots import BUILTIN_NAMES, read_bot
from trajan_ai.cli.main import main
from trajan_ai.core.information import InformationSet
from trajan_ai.core.rules import all_options
from trajan_ai.core.seeds import derive_seed
from trajan_ai.games.reference import NIM, PENNIES
from trajan_ai.records import position_files
from trajan_ai.service.agents import TOOLS, AgentGame, AgentTools, ToolAnswer
from trajan_ai.testing.courses import Course, Deal
from trajan_ai.testing.twins import twins

needs_sdk = pytest.mark.needs("mcp")
GAMES = ("trajan", "forum_trajanum")
ITERATIONS = 60


@asynccontextmanager
async def client(*options):
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    arguments = ["-P", "-m", "trajan_ai", "mcp", *options]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=dict(os.environ))
    # By default, the client writes to the object that was sys.stderr when its module was imported,
    # which may have been in a test with capsys.
    async with Client(stdio_client(server, errlog=sys.__stderr__)) as connected:
        yield connected


async def ask(connected, name, **arguments):
    result = await connected.call_tool(name, arguments)
    assert not result.is_error, result.content[0].text
    return result.content[0].text, result.structured_content


async def play_game(connected, seed, **start):
    """Play a game with random moves and sometimes call every tool; return the last state and the
    agent's actions.
    """
    chance = random.Random(seed)
    actions = []
    _, state = await ask(connected, "start_game", seed=seed, **start)
    while not state["over"]:
        action = chance.choice(state["legal"])
        if chance.random() < 0.05:
            _, listed = await ask(connected, "legal_moves")
            assert [*listed["legal"]] == state["legal"]
            _, suggested = await ask(connected, "suggest", iterations=ITERATIONS, top=3)
            assert {move["action"] for move in suggested["moves"]} <= {*state["legal"]}
            _, explained = await ask(connected, "explain", iterations=ITERATIONS, actions=[action])
            assert action in [move["action"] for move in explained["moves"]]
            board, _ = await ask(connected, "draw")
            assert f"player {state['seat']} decides" in board
        _, state = await ask(connected, "move", action=action)
        assert state["moves"][0] == {"player": state["seat"], "action": action}
        actions.append(action)
    return state, actions


def check_records(path, games):
    """Check that the records of whole games can be replayed and contain the agent's actions."""
    entries = records.read(path)
    assert len(entries) == len(games)
    for entry, (state, actions) in zip(entries, games, strict=True):
        end = records.replay(entry)
        assert end.player is None
        assert (end.scores, end.ranks) == (state["scores"], state["ranks"])
        by_agent = [action for player, action in entry["actions"] if player == state["seat"]]
        assert by_agent == actions
        assert entry["x_bots"][state["seat"]] == {"name": "agent"}


def run_games(path, starts):
    async def run():
        async with client("--out", str(path)) as connected:
            return [await play_game(connected, **start) for start in starts]

    check_records(path, asyncio.run(run()))


@needs_sdk
@pytest.mark.slow
def test_a_client_plays_whole_games(tmp_path):
    run_games(
        tmp_path / "games.jsonl",
        [
            {"game": "trajan", "seed": 1},
            {"game": "forum_trajanum", "players": 3, "seat": 1, "bots": ["random"], "seed": 2},
            {
                "game": "trajan", "players": 4, "seat": 3, "seed": 3,
                "bots": ["greedy", "random", "level-80"], "options": {"markers": "random"},
            },
        ],
    )  # fmt: skip


def starts(game, count):
    """Yield arguments for games with every number of players, every seat, and some options."""
    options = {
        "trajan": [{}, {"markers": "random"}, {"demand_payment": "chosen"}],
        "forum_trajanum": [{}, {"step_one": "open"}, {"boards": "B"}],
    }
    seats = [(players, seat) for players in (2, 3, 4) for seat in range(players)]
    for seed in range(count):
        players, seat = seats[seed % len(seats)]
        yield {
            "game": game, "seed": seed, "players": players, "seat": seat,
            "bots": [("random", "greedy")[seed % 2]],
            "options": options[game][seed % len(options[game])],
        }  # fmt: skip


@needs_sdk
@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("game", GAMES)
def test_a_client_plays_a_hundred_games(tmp_path, game):
    run_games(tmp_path / "games.jsonl", starts(game, 100))


class ScriptedPlayer:
    """A bot that plays the moves of a list."""

    def __init__(self, moves):
        self.moves = moves

    def start(self, seat, players, seed):
        pass

    def choose(self, position, seed):
        return self.moves.pop(0)

    def observe(self, position, move):
        pass


def without_times(answer):
    """Return the text and the data of an answer, with times removed."""
    data = {key: value for key, value in (answer.data or {}).items() if key != "seconds"}
    return re.sub(r" in \d+\.\d\d s", "", " ".join(answer.text.split())), data


def all_answers(game):
    """Return the answers of all tools that change nothing, the error of an illegal move, and the
    visible moves and events."""
    tools = AgentTools({})
    tools.game = game
    calls = [("draw", {"format": format}) for format in ("text", "svg", "yaml")]
    if game.table.position.player is not None:
        searched = {"iterations": ITERATIONS}
        calls += [("legal_moves", {}), ("suggest", searched), ("explain", searched)]
    answers = [without_times(tools.call(name, arguments)) for name, arguments in calls]
    return [*answers, problems(tools.call, "move", {"action": "hide"}), game.moves, game.events]


def course(name, players, seed):
    game = trajan_ai.game(name)
    played = Course.play(Deal(game, players, game.rules.check(players, {}), seed))
    assert played.flaw is None
    return played


def check_twins(played, every, draws):
    """Compare the answers in a game with those in games that have other hidden cards; return the
    number of comparisons.
    """
    count = 0
    for state in played.walk(range(0, len(played.states), every)):
        position = played.position(state)
        seat = position.player or 0
        expected = all_answers(AgentGame(position, seat, {}, 0))
        for seed in range(draws):
            twin = position.determinized(seat, seed)
            if twin != position:
                assert all_answers(AgentGame(twin, seat, {}, 0)) == expected
                count += 1
    return count


def follow_line(line, seat):
    """Return the answers after a line of decisions in which bots move for the other players."""
    decisions = [(position.player, move) for position, move in line.decisions]
    start = line.decisions[0][0]
    players = {
        other: ScriptedPlayer([move for player, move in decisions if player == other])
        for other in range(start.players)
        if other != seat
    }
    game = AgentGame(start, seat, players, 0)
    for player, move in decisions:
        if player == seat:
            game.play(start.game.actions[move])
    return all_answers(game)


def check_twin_lines(played, seat, limit):
    """Compare answers after pairs of lines that the agent cannot distinguish; return the number
    of pairs."""
    pairs = (
        pair for pair in twins(played, seat, 2)
        if all(line.end.player in (None, seat) for line in pair)
    )  # fmt: skip
    count = 0
    for one, other in islice(pairs, limit):
        assert follow_line(one, seat) == follow_line(other, seat)
        count += 1
    return count


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES)
def test_twin_games_get_the_same_answers(game):
    played = course(game, 3, 5)
    assert check_twins(played, every=47, draws=1) > 3
    assert check_twin_lines(played, 1, 8) > 4


@pytest.mark.long
@pytest.mark.exhaustive
@pytest.mark.parametrize("game", GAMES)
def test_whole_twin_games_get_the_same_answers(game):
    for seed in range(8):
        played = course(game, 2 + seed % 3, seed)
        assert check_twins(played, every=2, draws=2) > 50
        assert check_twin_lines(played, seed % 2, 60) > 30


def test_the_state_lists_what_happened_since_the_last_decision():
    tools = AgentTools({"random": read_bot("random")})
    start = {"game": "trajan", "bots": ["random"], "seed": 4, "options": {"markers": "random"}}
    tools.call("start_game", start)
    state = tools.call("move", {"action": "goods deck"}).data
    own = [one for one in state["events"] if one["player"] == 0]
    assert [one["words"] for one in own] == [f"draws {own[0]['thing']}"]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "players"), [("trajan", 2), ("forum_trajanum", 4)])
def test_the_text_of_a_whole_game_is_short(game, players):
    tools = AgentTools({"random": read_bot("random")})
    start = {"game": game, "players": players, "bots": ["random"], "seed": 4}
    answer = tools.call("start_game", start)
    characters = len(answer.text)
    while not answer.data["over"]:
        legal = answer.data["legal"]
        answer = tools.call("move", {"action": legal[len(legal) // 2]})
        characters += len(answer.text)
    assert answer.text.splitlines()[-1].startswith("the game is over; ranks ")
    assert characters < 40_000


def test_bots_observe_every_move_and_get_a_seed_for_each_decision():
    observed, seeds = [], []

    class FirstMove:
        def start(self, seat, players, seed): ...

        def choose(self, position, seed):
            seeds.append(seed)
            return position.legal_moves()[0]

        def observe(self, position, move):
            observed.append((position.player, position.game.actions[move]))

    game = AgentGame(NIM.start(2), 1, {0: FirstMove()}, seed=7)
    played = [*game.moves]
    assert [player for player, _ in played] == [0]
    for _ in range(2):
        action = game.knowledge.legal()[-1]
        game.play(action)
        assert game.moves[0] == (1, action)
        played += game.moves
    assert [player for player, _ in played] == [0, 1, 0, 1, 0]
    assert observed == played
    assert seeds == [derive_seed("choose", 7, 0, number) for number in range(3)]


def test_a_hidden_move_is_shown_as_hidden():
    start = PENNIES.start(2)
    games = [AgentGame(start, 1, {0: ScriptedPlayer([move])}, 0) for move in (0, 1)]
    assert games[0].table.position != games[1].table.position
    assert [game.moves for game in games] == [[(0, "…")], [(0, "…")]]


def test_errors_do_not_count_hidden_decisions():
    """While other players take tiles, the number of their decisions is hidden."""
    entry = golden("forum_trajanum", "3p")
    seat = 2
    for position in records.positions(entry):
        if position.player == seat:
            game = AgentGame(position, seat, {}, 0)
            tools = AgentTools({})
            tools.game = game
            (problem,) = problems(tools.call, "move", {"action": "hide"})
            assert "ply" not in problem


@pytest.fixture
def tools():
    return AgentTools({name: read_bot(name) for name in BUILTIN_NAMES})


def state_of(answer):
    assert answer.data["over"] or answer.text.endswith(f"legal: {', '.join(answer.data['legal'])}")
    return answer.data


def start(tools, **arguments):
    return state_of(tools.call("start_game", {"game": "trajan", "bots": ["random"]} | arguments))


def test_a_seed_deals_the_same_game_again_but_another_one_to_another_seat(tools):
    def deal(**arguments):
        start(tools, **arguments)
        return tools.game.table.positions[0]

    assert deal(seed=7) == deal(seed=7)
    assert deal(seed=7) != deal(seed=8)
    assert deal(seed=7, seat=0) != deal(seed=7, seat=1)
    assert deal() != deal()


def test_bots_move_before_an_agent_at_a_later_seat(tools):
    state = start(tools, players=3, seat=2, seed=1)
    assert sorted({move["player"] for move in state["moves"]}) == [0, 1]
    assert tools.game.table.position.player == 2


def test_the_suggestions_are_those_of_the_search(tools):
    start(tools, seed=1)
    expected = trajan_ai.search(tools.game.table.position, iterations=500, top=2)
    _, data = without_times(tools.call("suggest", {"iterations": 500, "top": 2}))
    plain = expected.to_dict(2)
    del plain["seconds"]
    assert data == plain


def test_an_explanation_compares_the_best_move_with_those_named(tools):
    state = start(tools, seed=1)
    best = tools.call("explain", {"iterations": 300}).data["moves"]
    assert 1 < len(best) <= 3
    other = next(one for one in state["legal"] if one != best[0]["action"])
    answer = tools.call("explain", {"iterations": 300, "actions": [other]})
    assert [move["action"] for move in answer.data["moves"]] == [best[0]["action"], other]
    assert "why: expected final VP" in answer.text


def test_continuations_are_whole(tools):
    start(tools, seed=1)
    answer = tools.call("suggest", {"iterations": 2000, "top": 2})
    lines = answer.text.splitlines()
    for move in answer.data["moves"]:
        following = ", ".join(f"{player}: {action}" for player, action in move["line"][1:])
        assert any(line.startswith(move["action"]) and line.endswith(following) for line in lines)


@pytest.mark.needs("resvg_py", "matplotlib")
def test_a_board_is_drawn_as_an_image(tools):
    start(tools)
    answer = tools.call("draw", {"format": "png"})
    assert answer.image.startswith(b"\x89PNG")
    assert tools.call("draw", {"format": "svg"}).text.startswith("<svg")
    small = tools.call("draw", {"format": "png", "width": 500}).image
    widths = [int.from_bytes(image[16:20]) for image in (answer.image, small)]
    assert widths == [1200, 500]


def test_rules_are_read_before_and_during_a_game(tools):
    overview = tools.call("rules", {"game": "trajan"})
    assert "ship" in overview.data["topics"]
    assert "markers: chosen or random (whether players" in overview.text
    answer = tools.call("rules", {"game": "trajan", "topics": ["ship"]})
    assert answer.text.startswith("ship: The first to use a ship in a quarter")
    assert problems(tools.call, "rules", {}) == (
        "there is no game; call start_game or open_game first",
    )
    start(tools)
    assert tools.call("rules", {"topics": ["ship"]}) == answer
    (problem,) = problems(tools.call, "rules", {"topics": ["shipp"]})
    assert problem.startswith("topics: there is no topic 'shipp'; to list the topics, call rules")
    assert tools.call("rules", {"game": "forum_trajanum", "topics": ["A6"]}).text.startswith("A6:")


@pytest.mark.parametrize("game", GAMES)
def test_every_option_has_a_line_of_explanation(tools, game):
    for option in all_options(trajan_ai.game(game).rules):
        assert f"  - {option.name}: {option.allowed} ({option.meaning})\n" in tools.instructions
        assert option.meaning
        assert "\n" not in option.meaning


@pytest.mark.parametrize("game", GAMES)
def test_a_position_file_is_continued_by_its_observer(tools, game):
    text = golden_position(game)
    state = state_of(tools.call("open_game", {"text": text, "bots": ["random"]}))
    position = position_files.parse(yaml.safe_load(text))
    assert state["seat"] == position.player
    assert state["legal"] == position.legal()
    again = tools.call("draw", {"format": "yaml"}).text
    assert again == text
    while not state["over"]:
        state = state_of(tools.call("move", {"action": state["legal"][0]}))
    assert sorted(state["ranks"])[0] == 1


def test_records_are_opened_at_a_ply(tools):
    text = records.dumps(golden("trajan", "3p"))
    state = state_of(tools.call("open_game", {"text": text, "ply": 60, "bots": ["random"]}))
    position = records.replay(golden("trajan", "3p"), 60)
    assert tools.game.table.position == position
    assert (state["seat"], state["scores"]) == (position.player, position.scores)
    assert state_of(tools.call("open_game", {"text": text}))["over"]


def test_a_witnessed_record_is_opened_for_its_observer(tools):
    game = witnessed(golden("forum_trajanum", "2p"), 1, 40)
    text = records.dumps(game.record())
    state_of(tools.call("open_game", {"text": text, "bots": ["random"]}))
    if game.player == 1:
        assert tools.game.knowledge == InformationSet(game.position, 1)
    assert problems(tools.call, "open_game", {"text": text, "seat": 0}) == (
        "seat must be 1: the text contains only what that player knows",
    )


BAD_CALLS = [
    ("win", {}, f"no tool is called 'win'; tools are {', '.join(TOOLS)}"),
    ("draw", {"format": "bmp"}, "format: must be 'text', 'png', 'svg' or 'yaml', got 'bmp'"),
    ("move", {}, "action: is missing"),
    ("move", {"action": "marker red"}, "action 'marker red' is not legal; legal: marker blue"),
    ("draw", {"width": 50}, "width: must be greater than or equal to 300"),
    ("explain", {"actions": ["x"]}, "actions[0]: 'x' is not legal"),
    ("suggest", {"iterations": 10**9}, "iterations: must be less than or equal to 1000000"),
    ("start_game", {"game": "go"}, "no game is called 'go'; games are trajan"),
    ("start_game", {"game": "trajan", "players": 5}, "trajan: players must be 2, 3 or 4"),
    ("start_game", {"game": "trajan", "seat": 2}, "seat must be 0 to 1, got 2"),
    ("start_game", {"game": "trajan", "bots": ["x"]}, "bots: no bot is called 'x'; bots are"),
    ("start_game", {"game": "trajan", "bots": ["random"] * 2}, "bots: must be one name for"),
    ("start_game", {"game": "trajan", "options": {"seed": 1}}, "trajan: unknown option 'seed'"),
    ("start_game", {"game": "trajan", "bot": "random"}, "bot: unknown key; keys are bots, game"),
    ("open_game", {"text": "hello"}, "text: a position file must be a mapping, got 'hello'"),
    ("open_game", {"text": '{"format":'}, "text:"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "message"), BAD_CALLS)
def test_bad_input_is_explained_and_changes_nothing(tools, name, arguments, message):
    start(tools, seed=1)
    before = tools.game.table.position
    assert message in "; ".join(problems(tools.call, name, arguments))
    assert tools.game.table.position is before


def test_tools_need_a_game(tools):
    expected = ("there is no game; call start_game or open_game first",)
    assert problems(tools.call, "legal_moves", {}) == expected


def test_a_finished_game_takes_no_move(tools):
    state_of(tools.call("open_game", {"text": records.dumps(golden())}))
    over = ("trajan: the game is over, so there is nothing to decide",)
    assert problems(tools.call, "move", {"action": "pass"}) == over
    assert problems(tools.call, "suggest", {}) == over


BROKEN_BOT = """
class Broken:
    def choose(self, observation, seed):
        {body}
"""


@needs_sdk
@pytest.mark.parametrize(
    ("body", "details"),
    [
        ("raise ValueError(f'my secret is {observation.legal()[0]}')", "my secret is marker"),
        ("return 'fly'", "'fly' is not a legal move"),
        ("return observation.game.move('pass')", "'pass' is not legal for player 0"),
        ("raise SystemExit('secret')", "secret"),
    ],
)
def test_a_failing_bot_ends_the_game_and_shows_the_agent_no_details(
    tmp_path, capsys, body, details
):
    from trajan_ai.service.mcp_server import call

    (tmp_path / "broken.py").write_text(BROKEN_BOT.format(body=body))
    (tmp_path / "broken.yaml").write_text("kind: python\nclass: broken:Broken\n")
    tools = AgentTools({"broken": read_bot(tmp_path / "broken.yaml")})
    result = call(tools, "start_game", {"game": "trajan", "seat": 1, "bots": ["broken"]})
    line = (
        "the bot at seat 0 failed, so the game has ended; see the server's standard error for "
        "details"
    )
    assert (result.is_error, result.content[0].text) == (True, line)
    assert details in capsys.readouterr().err
    assert problems(tools.call, "legal_moves", {}) == (
        "there is no game; call start_game or open_game first",
    )


@needs_sdk
@pytest.mark.slow
def test_bots_neither_end_nor_block_the_server(tmp_path):
    """If these bots ran in the server's process, they would end the server, ignore their time
    limit, or write into the pipe to the client."""

    async def run():
        results = {}
        options = [word for file in write_bots(tmp_path).values() for word in ("--bot", str(file))]
        async with client(*options) as connected:
            for name in ("Dies", "Hangs", "Prints"):
                _, state = await ask(connected, "start_game", game="trajan", bots=[name], seed=1)
                result = None
                while not state["over"] and not (result and result.is_error):
                    result = await connected.call_tool("move", {"action": state["legal"][0]})
                    state = result.structured_content or state
                results[name] = state["over"] or result.content[0].text
        return results

    results = asyncio.run(asyncio.wait_for(run(), 60))
    line = "the bot at seat 1 failed, so the game has ended"
    assert results["Dies"].startswith(line)
    assert results["Hangs"].startswith(line)
    assert results["Prints"] is True


@needs_sdk
def test_one_thread_answers_every_call():
    """On Linux, a bot's process ends when the thread that started it ends."""
    from mcp import Client

    from trajan_ai.service.mcp_server import build_server

    class Tools:
        instructions = ""

        def call(self, name, arguments):
            threads.add(threading.get_ident())
            return ToolAnswer("done")

    async def run():
        async with Client(build_server(Tools())) as connected:
            for _ in range(3):
                calls = [connected.call_tool("draw", {}) for _ in range(4)]
                await asyncio.gather(*calls, asyncio.to_thread(time.sleep, 0.01))

    threads = set()
    asyncio.run(run())
    assert len(threads) == 1


@needs_sdk
def test_an_internal_error_is_one_line_without_its_text(tools, monkeypatch, capsys):
    from trajan_ai.service.mcp_server import call

    monkeypatch.setattr(tools, "call", lambda name, arguments: {}["secret"])
    result = call(tools, "draw", {})
    line = "internal error: KeyError; please report it"
    assert (result.is_error, result.content[0].text) == (True, line)
    assert "secret" in capsys.readouterr().err


@needs_sdk
@pytest.mark.slow
def test_a_client_lists_the_tools_and_gets_errors_as_results():
    async def run():
        async with client() as connected:
            assert "forum_trajanum, 2, 3 or 4 players" in connected.instructions
            assert "random" in connected.instructions
            listed = {tool.name: tool for tool in (await connected.list_tools()).tools}
            assert listed.keys() == TOOLS.keys()
            for tool in listed.values():
                assert "\n" not in tool.description
                fields = tool.input_schema["properties"].values()
                assert all(field["description"] for field in fields)
            for name, arguments in (("start_game", {"game": "go"}), ("win", {}), ("move", {})):
                result = await connected.call_tool(name, arguments)
                assert result.is_error
                (content,) = result.content
                assert "\n" not in content.text
            await ask(connected, "start_game", game="trajan")
            result = await connected.call_tool("draw", {"format": "png"})
            assert [content.type for content in result.content] == ["text", "image"]

    asyncio.run(run())


def test_a_missing_package_is_reported_with_its_extra(monkeypatch, capsys):
    monkeypatch.delitem(sys.modules, "trajan_ai.service.mcp_server", raising=False)
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert main(["mcp"]) == 2
    assert capsys.readouterr().err.endswith("pip install 'trajan-ai[mcp]'\n")


@needs_sdk
@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_a_server_that_waits_for_its_client(how):
    command = [sys.executable, "-P", "-m", "trajan_ai", "mcp"]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}}
    hello["clientInfo"] = {"name": "test", "version": "1"}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        try:
            process.stdin.write(f"{line}\n")
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["id"] == 1
            process.send_signal(how)
            assert process.wait(timeout=30) == 130
        finally:
            process.kill()


@needs_sdk
def test_bad_options_are_one_line(tmp_path, capsys):
    twice = tmp_path / "random.yaml"
    twice.write_text("kind: random\n")
    assert main(["mcp", "--bot", str(twice)]) == 2
    assert capsys.readouterr().err == (
        f"trajan-ai mcp: --bot {twice}: there is already a bot called 'random'\n"
    )
    assert main(["mcp", "--out", str(tmp_path / "no" / "games.jsonl")]) == 2
    assert "No such file" in capsys.readouterr().err


def test_the_page_shows_a_configuration_of_three_lines_and_every_tool():
    (block,) = blocks("docs/mcp.md", "json")
    assert len(block.splitlines()) == 3
    (server,) = json.loads(block)["mcpServers"].values()
    assert server == {"command": "trajan-ai", "args": ["mcp"]}
    page = (ROOT / "docs" / "mcp.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE) == list(TOOLS)
