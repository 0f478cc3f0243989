"""Invariants. A build with TRAJAN_DEBUG=1 aborts if an invariant fails; other builds skip them."""

cdef extern from *:
    """
    #include <assert.h>
    #ifdef NDEBUG
    #define TRAJAN_CHECKED 0
    #define trajan_require(condition) ((void)(condition))
    #else
    #define TRAJAN_CHECKED 1
    #define trajan_require(condition) assert(condition)
    #endif
    """
    const bint CHECKED "TRAJAN_CHECKED"     # guards checks that take extra time
    void require "trajan_require"(bint condition) noexcept nogil
