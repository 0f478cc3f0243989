"""The analysis page: a local web page to play, analyse and understand games (docs/page.md).

`app` answers requests, and `origin_check` rejects those from other sites. `game_tree` contains a
game with its branches, `visible_tree` the part of this tree that the viewer knows, and `views` the
data that the page shows of a node; `folder` saves games. `searches` and `reviews` analyse games,
and `opponents` defines the bots. `in_browser` and `site_files` make the page work without a
server, and `wasm` builds the Python runtime and the wheels that such a page requires.
"""
