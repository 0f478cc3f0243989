"""One tree and any number of threads: iterations in an order that does not depend on timing.

An iteration, whose state is drawn beforehand, is selected (it goes down the tree), played (to the
end of the game or to the cut, without access to the tree) and backed up. One thread selects and
backs up, in this order, where W is the number of iterations in flight:

    select 0 .. W - 1, back up 0, select W, back up 1, select W + 1, ..

So an iteration is selected with the results of all earlier iterations but the last W - 1, and with
W = 1 the search is the ordinary sequential one. Playing an iteration changes nothing else, so any
thread may do it, and the number of threads affects only the time.

`selected`, `claimed` and `iterations` (those backed up) count up. Iterations in [claimed,
selected) wait to be played, those in [iterations, claimed) are being played or have been played.
"""

cdef inline void draw(const Search *s, Iteration *it, int64_t number) noexcept nogil:
    """Seed the generator of iteration `number`, and draw the iteration's state.

    The playout of the iteration may use this generator, too.
    """
    rng_seed(&it.rng, s.determinization_seed + <uint64_t>number)
    if s.parameters.cheat:
        memcpy(it.state, s.root_state, s.ops.state_size)
    else:
        s.ops.determinize(s.root_state, it.state, s.observer, &it.rng)


cdef inline void fetch_state(const Search *s, const Iteration *it) noexcept nogil:
    """Prefetch all cache lines of a state, because another core may have written them last."""
    cdef size_t i
    for i in range(<size_t>(s.ops.state_size + LINE - 1) // <size_t>LINE):
        prefetch(<const char *>it.state + i * LINE)


cdef inline void select_next(Search *s) noexcept nogil:
    """Take the next iteration down the tree."""
    cdef Iteration *it = &s.under_way[s.selected & s.ring]
    if s.epoch >= <uint32_t>EPOCH_LIMIT:
        memset(s.marks, 0, s.key_count * sizeof(uint32_t))
        s.epoch = 0
    begin_phase(s, it)
    it.with_sources = s.with_sources and s.selected % SOURCES_STRIDE == 0
    if it.with_sources:
        memset(it.sources, 0, sizeof(it.sources))
    it.running = descend(s, it)
    end_phase(s, it, PHASE_EXPANSION if it.running else PHASE_SELECTION)
    if s.parameters.in_flight > 1:
        count_path(s, it, False)
    store(&s.selected, s.selected + 1)


cdef inline bint play_next(Search *s) noexcept nogil:
    """Play a waiting iteration, then draw the state of the iteration that will use its memory.

    Return False if no iteration is waiting.
    """
    cdef int64_t next = load(&s.claimed)
    cdef Iteration *it
    while next < load(&s.selected):
        if exchange(&s.claimed, &next, next + 1):
            it = &s.under_way[next & s.ring]
            fetch_state(s, it)
            begin_phase(s, it)
            memset(it.outcome.shortfalls, 0, sizeof(it.outcome.shortfalls))
            if it.running:
                play_out(s, it)
            judge(s, it)
            if it.with_sources:
                play_to_the_end(s, it)
            end_phase(s, it, PHASE_PLAYOUT)
            draw(s, it, next + s.ring + 1)
            end_phase(s, it, PHASE_DETERMINIZATION)
            store(&it.played, next + 1)
            return True
    return False


cdef inline bint back_up_next(Search *s) noexcept nogil:
    """Back up the iteration whose turn it is; return False if its playout is not over."""
    cdef Iteration *it = &s.under_way[s.iterations & s.ring]
    if load(&it.played) != s.iterations + 1:
        return False
    fetch_state(s, it)    # its memory already holds the state drawn for a later iteration
    begin_phase(s, it)
    back_up(s, it)
    end_phase(s, it, PHASE_BACKUP)
    collect_phases(s, it)
    store(&s.iterations, s.iterations + 1)
    return True


cdef inline bint helpers_suffice(const Search *s, int waits) noexcept nogil:
    """Return whether the tree's thread leaves the waiting iterations to its helpers for now.

    While this thread plays an iteration, no other iteration is selected. The thread therefore plays
    an iteration only if every helper has one to play in the meantime, or if no helper takes any.
    """
    cdef int64_t enough = min(s.threads, s.parameters.in_flight // 2)
    return s.selected - load(&s.claimed) < enough and waits < PATIENCE


cdef inline int64_t run_tree(Search *s, int64_t count, int64_t deadline) noexcept nogil:
    """Back up `count` iterations, or fewer if the limit or the deadline (0: none) comes first.

    The deadline and `stopped` are checked after every CLOCK_STRIDE iterations. Return the number
    of iterations backed up. The tree's thread calls this function, which also selects and plays
    iterations as needed; some of these iterations stay in flight.
    """
    cdef int64_t first = s.iterations
    cdef int64_t target = min(s.limit, first + count)
    cdef int waits = 0
    while s.iterations < target:
        if s.selected - s.iterations < s.parameters.in_flight and s.selected < s.limit:
            select_next(s)
        elif back_up_next(s):
            waits = 0
            if (s.iterations - first) % CLOCK_STRIDE == 0 and (
                    load(&s.stopped) or (deadline and (
                        thread_time_ns() if s.by_cpu_time else now_ns()) >= deadline)):
                break
        elif helpers_suffice(s, waits) or not play_next(s):
            wait(waits)
            waits += 1
        else:
            waits = 0
    return s.iterations - first


cdef inline void land(Search *s) noexcept nogil:
    """Finish the iterations in flight."""
    s.limit = s.selected
    while s.iterations < s.selected:
        if not back_up_next(s) and not play_next(s):
            wait(0)


cdef inline void play_along(Search *s, int64_t deadline) noexcept nogil:
    """Play waiting iterations until the search is closed or stopped. Helpers call this.

    With a deadline (not 0), return at the deadline, or earlier if no iteration has waited for a
    while.
    """
    cdef int waits = 0
    while load(&s.open) and not load(&s.stopped):
        if play_next(s):
            waits = 0
        else:
            wait(waits)
            waits += 1
        if deadline and (waits == MAX_WAITS or now_ns() >= deadline):
            return
