"""The clock, and the time that each phase of an iteration takes."""

cdef extern from *:
    """
    /* Python's monotonic clock, in nanoseconds. This clock exists on every system, and it can be
       read without the GIL. */
    static inline int64_t trajan_now(void) {
    #if PY_VERSION_HEX >= 0x030D0000
        PyTime_t now = 0;
        (void)PyTime_MonotonicRaw(&now);
        return now;
    #else
        return _PyTime_GetMonotonicClock();
    #endif
    }
    """
    int64_t now_ns "trajan_now"() noexcept nogil


cdef inline void begin_phase(const Search *s, Iteration *it) noexcept nogil:
    if s.timed:
        it.phase_start = now_ns()


cdef inline void end_phase(const Search *s, Iteration *it, int phase) noexcept nogil:
    cdef int64_t now
    if s.timed:
        now = now_ns()
        it.phase_ns[phase] += now - it.phase_start
        it.phase_start = now


cdef inline void collect_phases(Search *s, Iteration *it) noexcept nogil:
    cdef int i
    if s.timed:
        for i in range(PHASES):
            s.phase_ns[i] += it.phase_ns[i]
            it.phase_ns[i] = 0
