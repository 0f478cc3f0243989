"""A game's state as bytes, as fields for Python, and its account of VP.

A game defines State, Player, VP_SOURCES and OPTION_BOOKED before it includes this file.
"""


cdef struct Account:         # a state with a note of what brought VP since it was opened
    State state
    int32_t vp[MAX_PLAYERS * VP_SOURCES]


cdef inline void earn(State *s, Player *p, int source, int vp) noexcept nogil:
    """The only way VP come to a player."""
    p.score += <int16_t>vp
    if expect(s.options & OPTION_BOOKED, 0):
        book(s, p, source, vp)


cdef int read_state(bytes data, State *state) except -1:
    if len(data) != sizeof(State):
        raise ValueError(f"a state has {sizeof(State)} bytes, got {len(data)}")
    memcpy(state, <const char *>data, sizeof(State))
    return 0


cdef bytes bytes_of(const State *state):
    return PyBytes_FromStringAndSize(<const char *>state, sizeof(State))


cdef void book(State *s, const Player *p, int source, int vp) noexcept nogil:
    """Note VP in the account of which `s` is the state."""
    (<Account *>s).vp[(p - s.player) * VP_SOURCES + source] += vp


def blank():
    """Return the fields of a state of zeros: a dict of numbers and lists."""
    cdef State state
    memset(&state, 0, sizeof(State))
    return state


def fields(bytes data not None):
    """Return the fields of a state."""
    cdef State state
    read_state(data, &state)
    return state


def state_bytes(dict values not None):
    """Return the state with these fields: the inverse of :func:`fields`."""
    cdef State state = values
    return bytes_of(&state)
