"""The analysis page: a local web page to play, analyse and understand games (docs/page.md).

`app` answers requests, and `origin_check` rejects those from other sites. `game_tree` represents a
game with its branches, `visible_tree` extracts the part of this tree that the viewer knows, and
`views` describes what the page shows at a node; `folder` saves games. `searches` and `reviews`
analyse games, and `opponents` defines the bots. `in_browser` and `site_files` make the page work
without a server, and `wasm` fetches or builds the Python runtime and the wheels that such a page
requires.
"""
