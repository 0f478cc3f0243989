"""The state of Hoard: one flat block of bytes without pointers."""

from libc.stdint cimport uint8_t

cdef enum:
    KINDS = 6                # cards have the values 1 to 6, here 0 to 5
    COPIES = 5
    CARDS = KINDS * COPIES
    HAND = 3
    DRAWN = 2                # cards drawn at the end of a turn
    MOST_PLAYERS = 4
    PLAY = 0                 # moves: PLAY + kind, KEEP + kind
    KEEP = PLAY + KINDS
    MOVES = KEEP + KINDS
    PILES = 3
    FEATURES = 4             # besides the piles

cdef enum Decision:
    DECIDE_PLAY
    DECIDE_KEEP
    DECIDE_OVER


cdef packed struct Player:
    uint8_t hand[KINDS]      # cards of each kind
    uint8_t played[KINDS]    # open
    uint8_t kept[KINDS]      # face down until the end


cdef packed struct State:
    uint8_t players
    uint8_t decider
    uint8_t decision
    uint8_t turn             # from 0
    uint8_t turns            # the game ends when turn is this
    uint8_t bonus            # VP of who kept most
    uint8_t deck_size
    uint8_t deck[CARDS]      # kind + 1; the last of deck_size is drawn next, then come zeros
    Player player[MOST_PLAYERS]
