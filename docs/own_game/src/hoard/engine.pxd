"""The state of Hoard: one flat block of bytes without pointers."""

from trajan_ai.core.game cimport MAX_PLAYERS

cdef extern from *:
    # A byte, declared as a wider type because Cython converts arrays of char to text and not to
    # lists.
    ctypedef unsigned short byte_t "uint8_t"

cpdef enum:
    KINDS = 6                # cards have the values 1 to 6, here 0 to 5
    COPIES = 5
    CARDS = KINDS * COPIES
    HAND = 3
    DRAWN = 2                # cards drawn at the end of a turn
    PLAY = 0                 # moves: PLAY + kind, KEEP + kind
    KEEP = PLAY + KINDS
    MOVES = KEEP + KINDS
    PILES = 3
    FEATURES = 4             # besides the piles
    EVENT_PLAY = 0           # a card, for its value
    EVENT_KEEP               # a card that only its owner sees
    EVENT_DRAW               # `count` cards
    EVENT_BONUS              # for the player whose kept cards have the highest total
    VP_PLAYED = 0            # sources of VP
    VP_BONUS
    VP_SOURCES

cdef enum Decision:
    DECIDE_PLAY
    DECIDE_KEEP
    DECIDE_OVER


cdef packed struct Player:
    byte_t hand[KINDS]      # cards of each kind
    byte_t played[KINDS]    # open
    byte_t kept[KINDS]      # face down until the end


cdef packed struct State:
    byte_t players
    byte_t decider
    byte_t decision
    byte_t turn             # from 0
    byte_t turns            # the game ends when `turn` reaches this number
    byte_t bonus            # VP for the highest total of kept cards
    byte_t deck_size
    byte_t deck[CARDS]      # kind + 1; the next card is at deck_size - 1, zeros follow it
    Player player[MAX_PLAYERS]
