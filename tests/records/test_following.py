"""A game that is followed from public moves and stated reveals contains exactly what its observer
knows."""

import json
from itertools import combinations, pairwise
from types import SimpleNamespace

import pytest
from golden_games import golden

import trajan_ai
from trajan_ai import records
from trajan_ai.core.errors import TrajanError
from trajan_ai.core.information import InformationSet
from trajan_ai.games.kit.reveals import Unstated
from trajan_ai.games.trajan import rules, witnessing
from trajan_ai.games.trajan.fields import packed
from trajan_ai.records import following, position_sources
from trajan_ai.testing.courses import Course, Deal
from trajan_ai.testing.twins import twins

RESAMPLED = 9  # samples of both positions are compared at every ninth decision


def table_of(position, observer):
    """Return a followed game that contains only the observer's view of the position."""
    return following.follow(position.game.rules.from_view(position.view(observer)), observer)


def followed(entry, observer, until=None):
    """Follow a record, check the knowledge at every decision, and return the followed game."""
    table = None
    for ply, (position, move) in enumerate(following.witness(entry, observer)):
        if table is None:
            table = table_of(position, observer)
        assert table.view == position.view(observer), f"ply {ply}"
        offered = table.legal()
        noticed = [position.observed(move, observer) for move in position.legal_moves()]
        legal = {position.game.actions[one] for one in noticed if one is not None}
        assert not offered or legal <= set(offered), f"ply {ply}"
        if ply == until:
            break
        if move is not None:
            table.play(move.action, move.reveals)
    return table


def test_the_default_observer_is_the_player_to_decide():
    for ply in (0, 8, 16, 24):
        position = trajan_ai.records.replay(golden("trajan", "4p"), ply)
        here = position.game.rules.from_view(position.view(position.player))
        assert following.follow(here).observer == position.player


@pytest.mark.slow
def test_either_of_two_taken_tiles_can_be_the_one_that_stays():
    followed(golden("forum_trajanum", "3p_options"), 0)


@pytest.mark.slow
def test_a_grid_tile_used_in_the_last_move_of_a_round_is_visible():
    followed(trajan_ai.play("forum_trajanum", ["random"] * 3, seed=106), 1)


@pytest.mark.slow
def test_of_two_equal_tiles_the_last_one_taken_is_revealed():
    """Equal tiles leave nothing to choose, so taking the last one ends a hidden step 1."""
    followed(trajan_ai.play("forum_trajanum", ["random"] * 3, seed=1006), 2)


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_a_followed_game_is_saved_loaded_and_undone(name, tmp_path):
    entry = golden(name, "3p")
    table = followed(entry, 1, until=90)
    table.save(tmp_path / "table.json")
    again = position_sources.read_followed(tmp_path / "table.json")
    assert (again.moves, again.view) == (table.moves, table.view)
    count = len(again.moves)
    again.undo(20)
    assert again.moves == table.moves[: count - 20]
    for move in table.moves[count - 20 :]:
        again.play(move.action, move.reveals)
    assert again.view == table.view
    assert trajan_ai.records.position_files.parse(again.position_file()).view(1) == table.view


@pytest.mark.parametrize("name", ["trajan", "forum_trajanum"])
def test_a_witnessed_record_contains_the_whole_game_and_is_verified(name):
    entry = golden(name, "3p")
    table = followed(entry, 1)
    witness = json.loads(json.dumps(table.record()))
    assert (witness["scores"], witness["ranks"]) == (entry["scores"], entry["ranks"])
    assert following.restore(witness).record() == witness


def test_a_wrong_witnessed_record_is_rejected_with_the_place():
    witness = followed(golden("forum_trajanum", "3p"), 1).record()
    number, shows = next(
        (number, move[2])
        for number, move in enumerate(witness["moves"])
        if any(move[2].values()) and number > 20
    )
    key = next(key for key, names in shows.items() if names)
    for wrong, complaint in [
        ({"scores": [1, 2, 3]}, r"scores: the record has \[1, 2, 3\], but its moves lead to"),
        (
            {"moves": witness["moves"][:-1]},
            "scores: .* lead to nothing, because the game is not over",
        ),
        ({"observer": 0}, "start: observer must be 0"),
        ({"observer": True}, "observer must be the number of a player"),
        ({"moves": {}}, "moves must be a list"),
        ({"moves": [[0]]}, r"move 1: a move must be \[player, action or null"),
        ({"version": 2}, "version must be 1, got 2"),
        ({"castle": 1}, "unknown key 'castle'"),
        (
            {"moves": [*witness["moves"][:number], [*witness["moves"][number][:2], {}]]},
            f"move {number + 1}: .* state {key}",
        ),
    ]:
        with pytest.raises(TrajanError, match=f"witness.json: {complaint}"):
            following.restore(witness | wrong, "witness.json")
    for missing in ("start", "version", "observer", "moves"):
        rest = {key: value for key, value in witness.items() if key != missing}
        with pytest.raises(TrajanError, match=f"witness.json: .*{missing}"):
            following.restore(rest, "witness.json")


TABLES = [
    ("trajan", 3, {}),
    pytest.param("forum_trajanum", 4, {}, marks=pytest.mark.long),
    ("forum_trajanum", 2, {"step_one": "open"}),
    pytest.param("forum_trajanum", 3, {"step_one": "open"}, marks=pytest.mark.long),
]


def course_of(name, players, options, seed):
    game = trajan_ai.game(name)
    return Course.play(Deal(game, players, game.rules.check(players, options), seed))


def answered(table, move):
    """Return the questions asked about a move until everything is stated, and the answers.

    Every answer must be among the offered names.
    """
    questions, stated = [], {}
    while asks := table.asks(move.action, stated):
        questions.append((dict(stated), asks))
        assert questions[:-1] == [] or questions[-1] != questions[-2]
        for ask in asks:
            truth = move.reveals.get(ask.key, [])
            assert set(truth) <= set(ask.names), f"{move}: {ask}"
            assert ask.count in (None, len(truth)), f"{move}: {ask}"
            stated[ask.key] = truth
    return questions, stated


def followed_along(line, player):
    """Return all offers and questions during a game, the witnessed record, and the events."""
    start, _ = line.decisions[0]
    table, offers = following.FollowedGame(InformationSet(start, player).canonical, player), []
    ends = [*(position for position, _ in line.decisions[1:]), line.end]
    for (position, move), after in zip(line.decisions, ends, strict=True):
        action = position.game.actions[move]
        for _, step in following.observe(position, action, after, player):
            if step is not None:
                offers.append((table.legal(), answered(table, step)))
                table.play(step.action, step.reveals)
    return offers, table.record(), table.events


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players", "options"), TABLES)
def test_the_offers_to_every_follower_include_the_truth(name, players, options):
    """The offers and the questions also depend only on what the follower knows."""
    course = course_of(name, players, options, players)
    positions = [course.position(state) for state in course.walk()]
    for observer in range(players):
        table = table_of(positions[0], observer)
        steps = zip(positions, course.moves, positions[1:], strict=False)
        happened = []
        for ply, (before, move, after) in enumerate(steps):
            action = before.game.actions[move]
            happened += before.events(action, observer)
            if ply % RESAMPLED == 0:
                sample = before.determinized(observer, ply)
                assert table.position.determinized(observer, ply) == sample, f"ply {ply}"
            for at, step in following.observe(before, action, after, observer):
                if step is None:
                    continue
                assert step.action is None or step.action in table.legal(), f"ply {ply}"
                questions, stated = answered(table, step)
                if ply % 6 == 0 or "keep" in action:
                    alike = following.FollowedGame(at.determinized(observer, ply), observer)
                    assert table.legal() == alike.legal(), f"ply {ply}"
                    assert (questions, stated) == answered(alike, step), f"ply {ply}"
                if questions:
                    with pytest.raises(Unstated):
                        table.play(step.action)
                table.play(step.action, stated)
            assert table.view == after.view(observer) or step is None, f"ply {ply}"
            if step is not None:
                assert [event for events in table.events for event in events] == happened


@pytest.mark.slow
@pytest.mark.parametrize(("name", "players", "options"), TABLES)
def test_games_that_look_alike_are_followed_alike(name, players, options):
    """Two games that look alike to the follower differ in cards and decisions."""
    course = course_of(name, players, options, 1)
    for player in range(players):
        pairs = list(twins(course, player, 1))
        uneven = [pair for pair in pairs if len(pair[0].decisions) != len(pair[1].decisions)]
        for one, other in (*uneven[:5], *pairs[::60]):
            assert followed_along(one, player) == followed_along(other, player)


def list_exchanges(before, after):
    """Yield positions that equal `before`, except that two hidden cards or tiles that an action
    reveals have changed places."""
    game = before.game
    old, new = (rules.fields(one.to_bytes()) for one in (before, after))
    for field, height in witnessing.HIDDEN_STACKS.values():
        for one, other in combinations(range(new[height], old[height]), 2):
            s = rules.fields(before.to_bytes())
            s[field][one], s[field][other] = s[field][other], s[field][one]
            if s[field] != old[field]:
                yield game.from_bytes(rules.state_bytes(s), None, before.ply)


def test_reveals_say_nothing_about_the_order_of_things_laid_out_together():
    """If the hidden stacks have another order, but the observer's knowledge is the same, then the
    reveals are the same."""
    exchanged = set()
    for entry, observer in ((golden("trajan", "3p"), 0), (golden("trajan", "3p"), 1)):
        steps = pairwise(records.positions(entry))
        for (before, after), (_, action) in zip(steps, entry["actions"], strict=True):
            for other in list_exchanges(before, after):
                end = other.after(action)
                if InformationSet(end, observer) != InformationSet(after, observer):
                    continue
                reveals = witnessing.list_reveals(before, action, after, observer)
                assert witnessing.list_reveals(other, action, end, observer) == reveals
                exchanged |= reveals.keys()
    assert exchanged >= {"forum_supply", "extra_supply", "bonus_tiles", "goods_deck"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options"), [("trajan", {}), ("forum_trajanum", {"step_one": "open"})]
)
def test_records_with_forced_moves_in_reveals_are_read(name, options):
    """In records of version 0.3.0, a forced move is a reveal of the decision before it."""

    def steps_of(course):
        positions = [course.position(state) for state in course.walk()]
        for before, move, after in zip(positions, course.moves, positions[1:], strict=False):
            yield list(following.observe(before, before.game.actions[move], after, 1)), after

    courses = (course_of(name, 2, options, seed) for seed in range(40))
    course = next(c for c in courses if any(len(steps) > 1 for steps, _ in steps_of(c)))
    table = table_of(course.position(next(course.walk([0]))), 1)
    for steps, after in steps_of(course):
        one = steps[0][1]
        if len(steps) > 1:
            forced = [move.action.split() for _, move in steps[1:]]
            reveals = {key: names for _, move in steps for key, names in move.reveals.items()}
            if name == "trajan":
                reveals["then"] = [" ".join(words) for words in forced]
            else:
                reveals[f"took {one.player}"] = [w[2] for w in forced if w[0] == "take"]
                reveals["then"] = [] if after.legal()[0].startswith("keep") else ["done"]
            one = following.Move(one.player, one.action, reveals)
        if one is not None:
            table.play(one.action, one.reveals)
    assert following.restore(table.record()).view == after.view(1)


def test_a_contradictory_reveal_is_rejected():
    entry = golden("trajan", "3p")
    for ply, (position, move) in enumerate(following.witness(entry, 0)):  # noqa: B007
        if position.player == 0 and move and move.action.startswith("start ") and move.reveals:
            break
    table = followed(entry, 0, until=ply)
    (key, reveals), *_ = move.reveals.items()
    there = table.view["trajan_tops"][key.removeprefix("stack ")]
    with pytest.raises(TrajanError, match=f"{key}: 1 x {there} is impossible"):
        table.play(move.action, {key: [there]})
    with pytest.raises(TrajanError, match="there is no 'points-blue-red'"):
        table.play(move.action, {key: ["points-blue-red"]})
    with pytest.raises(TrajanError, match=r"demands reveals fewer names \(0\) than given \(1\)"):
        table.play(move.action, {key: reveals, "demands": ["bread"]})
    with pytest.raises(TrajanError, match="there is no 'demand' to state; did you mean 'demands'"):
        table.play(move.action, {key: reveals, "demand": ["bread"]})
    assert len(table.moves) == ply


def test_another_player_is_offered_exactly_what_some_hand_allows():
    entry = golden("trajan", "3p")
    position = next(
        position
        for position, _ in following.witness(entry, 0)
        if position.player == 1 and position.view(0)["to_decide"]["decision"] == "seaport"
    )
    table = table_of(position, 0)
    offered = {
        action for seed in range(300) for action in table.position.determinized(0, seed).legal()
    }
    assert offered <= set(table.legal())
    size = position.view(0)["players"][1]["hand_size"]
    for action in table.legal():
        if action.startswith("ship equal "):
            assert int(action.split()[3]) <= size
    with pytest.raises(TrajanError, match="not legal for player 1"):
        table.play("sow I")


@pytest.mark.parametrize(
    ("after", "text"),
    [
        ([5, 5, 0, 7], "first those on Alpes, then the forum's"),
        ([5, 5, 6, 7], "first those on Alpes, Noricum, then the forum's"),
        ([0, 5, 0, 8], "those in the forum"),
    ],
)
def test_provinces_that_get_a_new_tile_are_named(monkeypatch, after, text):
    monkeypatch.setattr(witnessing, "fields", lambda number: {"provinces": number})
    provinces = list(witnessing.C.provinces)
    rest = [1] * (len(provinces) - 4)
    before, then = ([*tiles, *rest] for tiles in ([0, 5, 0, 7], after))
    position, end = (
        SimpleNamespace(to_bytes=lambda tiles=tiles: tiles) for tiles in (before, then)
    )
    words = witnessing._describe("forum_supply", 2, position, end, 0)
    assert words == f"the new tiles of the forum supply: {text}"


@pytest.mark.parametrize(
    ("action", "fish", "wilds", "forced"),
    [
        ("ship pairs", 2, 0, ["pair fish"]),
        ("ship pairs", 1, 1, ["pair fish wild"]),
        ("ship pairs", 0, 2, ["pair wild wild"]),
        ("ship pairs", 0, 0, []),
        ("ship different", 1, 0, ["card fish"]),
        ("ship different", 0, 1, ["card wild"]),
        ("ship all", 2, 0, []),
    ],
)
def test_the_first_goods_of_a_shipment_are_named_if_they_are_forced(action, fish, wilds, forced):
    goods = witnessing.C.goods
    display = packed([fish * (good == "fish") for good in goods])
    before, after = (
        {"decider": 1, "player": [None, {"display": laid, "tiles": [3, left]}]}
        for laid, left in ((0, 2), (display, 2 - wilds))
    )
    assert witnessing._list_forced(before, after, action) == forced
