"""The analysis page: a local web page to play, look at and understand games (docs/page.md).

`app` answers requests, `study` holds a game with its branches, `shown` says what the page may know
of it, `folder` keeps studies, `searches`, `reviews` and `levels` think, `guard` keeps strangers
out.
"""
