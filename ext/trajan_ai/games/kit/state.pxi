"""A game's state as bytes, as fields for Python, and reports of what happens to it.

A game defines State, Player, VP_SOURCES and OPTION_REPORTED before it includes this file.
"""


cdef struct Report:          # a state with OPTION_REPORTED, and where to note what happens to it
    State state
    EventSink *sink


cdef inline void earn(State *s, Player *p, int source, int vp, int kind, int thing,
                      int count) noexcept nogil:
    """Give VP to a player for an event. Players get all their VP through this function."""
    p.score += <int16_t>vp
    if expect(s.options & OPTION_REPORTED, 0):
        note_vp(s, <int>(p - s.player), source, vp, kind, thing, count)


cdef inline void earn_some(State *s, Player *p, int source, int vp, int kind,
                           int count) noexcept nogil:
    """Give VP to a player in a scoring; do nothing if `vp` is 0."""
    if vp != 0:
        earn(s, p, source, vp, kind, NO_THING, count)


cdef inline void happen(State *s, int kind, int player, int thing, int count) noexcept nogil:
    """Report an event without VP that everybody sees."""
    if expect(s.options & OPTION_REPORTED, 0):
        note_open(s, kind, player, thing, count)


cdef int read_state(bytes data, State *state) except -1:
    if len(data) != sizeof(State):
        raise ValueError(f"a state has {sizeof(State)} bytes, got {len(data)}")
    memcpy(state, <const char *>data, sizeof(State))
    return 0


cdef bytes bytes_of(const State *state):
    return PyBytes_FromStringAndSize(<const char *>state, sizeof(State))


cdef void note_open(State *s, int kind, int player, int thing, int count) noexcept nogil:
    """Note an event without VP that everybody sees. Inlined code contains only this short call."""
    note(s, kind, player, thing, count, NO_SOURCE, 0, EVERYBODY, EVERYBODY)


cdef void note_vp(State *s, int player, int source, int vp, int kind, int thing,
                  int count) noexcept nogil:
    """Note an event with VP in the report that contains the state `s`."""
    cdef EventSink *sink = (<Report *>s).sink
    if sink.vp != NULL:
        sink.vp[player * VP_SOURCES + source] += vp
    note(s, kind, player, thing, count, source, vp, EVERYBODY, EVERYBODY)


cdef void note(State *s, int kind, int player, int thing, int count, int source, int vp,
               int noticed, int known) noexcept nogil:
    """Note an event in the report that contains the state `s`.

    `noticed` contains the players who notice the event, as bits, and `known` those of them who
    learn its thing.
    """
    cdef EventSink *sink = (<Report *>s).sink
    cdef Event *event
    if sink.events == NULL:
        return
    if CHECKED:
        require(sink.count < MAX_EVENTS)
    event = &sink.events[sink.count]
    sink.count += 1
    event.kind = <int16_t>kind
    event.player = <int16_t>player
    event.thing = <int16_t>thing
    event.count = <int16_t>count
    event.source = <int16_t>source
    event.vp = <int16_t>vp
    event.noticed = <uint16_t>noticed
    event.known = <uint16_t>known


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
