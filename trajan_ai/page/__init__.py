"""The analysis page: a local web page to play, analyse and understand games (docs/page.md).

`app` answers requests, `origin_check` rejects those of other sites. `game_tree` contains a game
with its branches, `visible_tree` what its viewer knows of it, `views` what the page shows of it;
`folder` saves games. `searches`, `reviews` and `opponents` analyse and decide. `in_browser` and
`site` make the page work without a server, `wasm` builds what that needs.
"""
