/* Functions that differ between compilers and systems: lowest bits, products of 128 bits, memory
   that begins at a cache line or page, numbers shared by threads, waiting, hints, CPU time. All
   variants give the same results.

   TRAJAN_PORTABLE selects the code for compilers other than gcc and clang, so that any machine can
   test this code. gcc and clang then use their built-ins only in place of MSVC's intrinsics. */
#ifndef TRAJAN_CORE_PORTABLE_H
#define TRAJAN_CORE_PORTABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if defined(__GNUC__) && !defined(TRAJAN_PORTABLE)
#define TRAJAN_GNU 1
#else
#define TRAJAN_GNU 0
#endif

#if defined(_MSC_VER)
#include <intrin.h>
#elif !TRAJAN_GNU
#define _InterlockedExchange64(place, value) __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST)
#define _InterlockedCompareExchange64(place, value, expected) \
    __sync_val_compare_and_swap(place, expected, value)
#endif

/* ---- Hints: what is likely, and what is read next ---- */

#if TRAJAN_GNU
#define trajan_expect(value, expected) __builtin_expect(value, expected)
#define trajan_prefetch(address) __builtin_prefetch(address)
#else
#define trajan_expect(value, expected) (value)
#define trajan_prefetch(address) ((void)(address))
#endif

/* ---- The index of the lowest bit that is set; undefined for 0 ---- */

#if TRAJAN_GNU
#define trajan_lowest_bit(mask) ((int)__builtin_ctzll(mask))
#else
/* Multiplies the lowest bit by a sequence in which no six consecutive bits occur twice (Leiserson,
   Prokop and Randall 1998, "Using de Bruijn sequences to index a 1 in a computer word"). */
static inline int trajan_lowest_bit(uint64_t mask) {
    static const unsigned char place[64] = {
        0, 1, 2, 7, 3, 13, 8, 19, 4, 25, 14, 28, 9, 34, 20, 40,
        5, 17, 26, 38, 15, 46, 29, 48, 10, 31, 35, 54, 21, 50, 41, 57,
        63, 6, 12, 18, 24, 27, 33, 39, 16, 37, 45, 47, 30, 53, 49, 56,
        62, 11, 23, 32, 36, 44, 52, 55, 61, 22, 43, 51, 60, 42, 59, 58,
    };
    return place[((mask & (0 - mask)) * UINT64_C(0x0218A392CD3D5DBF)) >> 58];
}
#endif

/* ---- Products: the upper half of a * b; the lower half goes to *low ---- */

static inline uint64_t trajan_product(uint64_t a, uint64_t b, uint64_t *low) {
#if TRAJAN_GNU && defined(__SIZEOF_INT128__)
    unsigned __int128 product = (unsigned __int128)a * b;
    *low = (uint64_t)product;
    return (uint64_t)(product >> 64);
#else
    const uint64_t half = 0xFFFFFFFF;
    uint64_t a0 = a & half, a1 = a >> 32, b0 = b & half, b1 = b >> 32;
    uint64_t first = a0 * b1;
    uint64_t second = a1 * b0 + (a0 * b0 >> 32);
    uint64_t middle = (first & half) + (second & half);
    *low = a * b;
    return a1 * b1 + (first >> 32) + (second >> 32) + (middle >> 32);
#endif
}

/* ---- Memory that begins at a multiple of `alignment`, a power of two; NULL if malloc() fails ----

   This uses malloc() alone, and stores the pointer that it returned just before the block. */

static inline void *trajan_reserve(size_t bytes, size_t alignment) {
    size_t more = alignment + sizeof(void *);
    char *given = bytes > SIZE_MAX - more ? NULL : (char *)malloc(bytes + more);
    uintptr_t start;
    if (given == NULL) return NULL;
    start = ((uintptr_t)given + more) & ~(uintptr_t)(alignment - 1);
    ((void **)start)[-1] = given;
    return (void *)start;
}

static inline void trajan_release(void *block) {
    if (block != NULL) free(((void **)block)[-1]);
}

/* ---- Numbers that threads share: a thread that loads a stored number also sees everything that
   was written before the store ---- */

#if TRAJAN_GNU
#define trajan_load(place) __atomic_load_n(place, __ATOMIC_ACQUIRE)
#define trajan_store(place, value) __atomic_store_n(place, value, __ATOMIC_RELEASE)
#else
/* A load is an exchange that changes nothing, because a plain read imposes no order on ARM. */
#define trajan_load(place) _InterlockedCompareExchange64((int64_t *)(place), 0, 0)
#define trajan_store(place, value) ((void)_InterlockedExchange64(place, value))
#endif

/* Replace `*place` by `value` and return 1 if it equals `*expected`; otherwise store the number at
   `*place` in `*expected` and return 0. */
static inline int trajan_exchange(int64_t *place, int64_t *expected, int64_t value) {
#if TRAJAN_GNU
    return __atomic_compare_exchange_n(place, expected, value, 0, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
#else
    int64_t found = _InterlockedCompareExchange64(place, value, *expected);
    int done = found == *expected;
    *expected = found;
    return done;
#endif
}

/* ---- Waiting: briefly for the first TRAJAN_SHORT_WAITS waits in a row, later by leaving the
   processor to others ---- */

#if defined(_WIN32)
__declspec(dllimport) int __stdcall SwitchToThread(void);
#define trajan_leave_processor() ((void)SwitchToThread())
#else
#include <sched.h>
#define trajan_leave_processor() ((void)sched_yield())
#endif

#if defined(_MSC_VER) && (defined(_M_X64) || defined(_M_IX86))
#define trajan_pause() _mm_pause()
#elif defined(_MSC_VER) && defined(_M_ARM64)
#define trajan_pause() __yield()
#elif TRAJAN_GNU && (defined(__x86_64__) || defined(__i386__))
#define trajan_pause() __builtin_ia32_pause()
#elif TRAJAN_GNU && defined(__aarch64__)
#define trajan_pause() __asm__ volatile("yield")
#else
#define trajan_pause() ((void)0)
#endif

/* ---- CPU time of the calling thread in nanoseconds, like Python's time.thread_time() ---- */

#if defined(_WIN32)
typedef struct { uint32_t low, high; } trajan_filetime;
__declspec(dllimport) void *__stdcall GetCurrentThread(void);
__declspec(dllimport) int __stdcall GetThreadTimes(void *thread, trajan_filetime *created,
                                                   trajan_filetime *ended, trajan_filetime *kernel,
                                                   trajan_filetime *user);
#else
#include <time.h>
#endif

static inline int64_t trajan_thread_time(void) {
#if defined(_WIN32)
    trajan_filetime created, ended, kernel = {0, 0}, user = {0, 0};
    (void)GetThreadTimes(GetCurrentThread(), &created, &ended, &kernel, &user);
    return 100 * ((((int64_t)kernel.high + user.high) << 32) + kernel.low + user.low);
#else
    struct timespec time = {0, 0};
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
#endif
}

#define TRAJAN_SHORT_WAITS 64

static inline void trajan_wait(int waits) {
    if (waits > TRAJAN_SHORT_WAITS) trajan_leave_processor();
    else trajan_pause();
}

#endif
