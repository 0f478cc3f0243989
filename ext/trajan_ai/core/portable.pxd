"""Functions whose code depends on the compiler or the operating system; see portable.h."""

from libc.stdint cimport int64_t, uint64_t

cdef enum:
    LINE = 64                # size of a cache line in bytes; cores exchange whole cache lines

cdef extern from "trajan_ai/core/portable.h" nogil:
    # A hint that `value` is likely to be `expected`.
    bint expect "trajan_expect"(bint value, bint expected) noexcept
    # A hint that the memory at this address will be read soon.
    void prefetch "trajan_prefetch"(const void *address) noexcept
    # The index of the lowest bit that is set; undefined for 0.
    int lowest_bit "trajan_lowest_bit"(uint64_t mask) noexcept
    # The upper half of a * b; the lower half goes to `low`.
    uint64_t product "trajan_product"(uint64_t a, uint64_t b, uint64_t *low) noexcept
    # Reserve memory at a multiple of `alignment`, a power of two; return NULL if none is left. Free
    # the memory with release().
    void *reserve "trajan_reserve"(size_t size, size_t alignment) noexcept
    void release "trajan_release"(void *block) noexcept
    # Load or store a number that threads share. A thread that loads a stored number also sees
    # everything that was written before the number was stored.
    int64_t load "trajan_load"(const int64_t *place) noexcept
    void store "trajan_store"(int64_t *place, int64_t value) noexcept
    # Replace the number by `value` and return True if it equals `*expected`. Otherwise store the
    # number in `*expected` and return False.
    bint exchange "trajan_exchange"(int64_t *place, int64_t *expected, int64_t value) noexcept
    # The CPU time of the calling thread in nanoseconds, on the clock of time.thread_time().
    int64_t thread_time_ns "trajan_thread_time"() noexcept
    # Wait a moment. `waits` is the number of waits in a row so far: up to TRAJAN_SHORT_WAITS, the
    # processor executes a pause instruction; after more waits, the thread lets other threads run.
    void wait "trajan_wait"(int waits) noexcept
