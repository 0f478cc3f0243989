"""The analysis page: a local web page to play, analyse and understand games (docs/page.md).

`app` answers requests, and `origin_check` rejects those of other sites. `game_tree` contains a
game with its branches, `visible_tree` the part of it that its viewer knows, and `views` the data
that the page shows of it; `folder` saves games. `searches`, `reviews` and `opponents` analyse and
decide. `in_browser` and `site_files` make the page work without a server, and `wasm` builds the
parts that this needs.
"""
