"""Boards of golden games: `drawings.txt` contains a hash of each drawing and text board.

If a hash changes, compare the boards with those of the previous commit;
`tests/experiments/compare_boards.py` shows them side by side. Regenerate the file if the change is
intended. The drawings for both themes are the same bytes; the hash of the style sheet represents
the colours.
"""

import hashlib
from pathlib import Path

import pytest
from golden_games import golden

from trajan_ai import records

STEP = 45  # decisions between boards
WIDTHS = (800, 400)  # pixels: two columns, and one
TABLES = [
    (game, table)
    for game in ("trajan", "forum_trajanum")
    for table in ("2p", "3p_options", "4p_later_options")
]


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def draw_boards(game, table):
    """Yield the label, drawing and text board of each position, with all marks that are possible.

    The boards are those that the player to move sees. The drawing in the middle of the game marks
    the places of all actions, legal or not.
    """
    record = golden(game, table)
    for ply in range(5, len(record["actions"]), STEP):
        position, player = records.replay(record, ply), record["actions"][ply][0]
        rules, legal = position.game.rules, position.legal()
        last = tuple(record["actions"][ply - 1])
        view = rules.view(position, player)
        drawing = rules.picture(view, last=last, suggested=legal[:5], legal=legal)
        text = rules.draw(position, player, width=80, colour=True)
        yield f"{game} {table} {ply}", drawing, text
    position = records.replay(record, 100)
    view, actions = rules.view(position, position.player), position.game.actions
    yield f"{game} {table} places", rules.picture(view, legal=actions), ""
    for width in WIDTHS:
        yield f"{game} {table} {width} pixels", rules.picture(view, width=width), ""
    position = records.replay(record)
    yield f"{game} {table} end", rules.picture(rules.view(position, None), width=400), ""


@pytest.mark.slow
def test_boards_change_only_on_purpose(same_text):
    # Older commits, which compare_boards.py draws, have no style sheet.
    from trajan_ai.core.look import style_sheet

    lines = [f"colours: {digest(style_sheet())}\n"]
    for game, table in TABLES:
        for label, drawing, text in draw_boards(game, table):
            lines.append(
                " ".join([f"{label}:", digest(drawing), *[digest(text)] * bool(text)]) + "\n"
            )
    same_text(Path(__file__).parent / "drawings.txt", "".join(lines))
