"""The functions of core/portable.h give the same results with every compiler.

The C code is compiled both in the form for gcc and clang and in the form for other compilers. The
expected results are computed with Python's integers.
"""

import random
import shutil
import struct
import subprocess

import pytest
from calls import ROOT

EXT = ROOT / "ext"
COMPILER = shutil.which("cc")
EDGES = [0, 1, 2, 3, 2**31, 2**32 - 1, 2**32, 2**32 + 1, 2**63 - 1, 2**63, 2**64 - 2, 2**64 - 1]

CHECK = """
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include "trajan_ai/core/portable.h"
enum { THREADS = 4, STEPS = 20000 };
static int64_t counter, sum[THREADS];

static void *count(void *own) {
    for (int i = 0; i < STEPS; i++) {
        int64_t found = trajan_load(&counter);
        while (!trajan_exchange(&counter, &found, found + 1)) trajan_wait(i);
        *(int64_t *)own += found;
    }
    return NULL;
}

static int memory_is_sound(size_t size, size_t alignment) {
    char *a = trajan_reserve(size, alignment), *b = trajan_reserve(size, alignment);
    int sound = a && b && (uintptr_t)a % alignment == 0 && (uintptr_t)b % alignment == 0;
    if (sound) {
        memset(a, 1, size);
        memset(b, 2, size);
        sound = size == 0 || (a[0] == 1 && a[size - 1] == 1 && b[0] == 2 && b[size - 1] == 2);
    }
    trajan_release(a);
    trajan_release(b);
    return sound;
}

int main(void) {
    uint64_t given[2], told[3];
    pthread_t threads[THREADS];
    int64_t all = 0;
    for (size_t size = 0; size < 5000; size += 997)
        for (size_t alignment = 8; alignment <= 1 << 21; alignment *= 2)
            if (!memory_is_sound(size, alignment)) return 1;
    if (trajan_reserve(SIZE_MAX - 64, 128) != NULL) return 2;
    trajan_release(NULL);
    for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, count, &sum[i]);
    for (int i = 0; i < THREADS; i++) { pthread_join(threads[i], NULL); all += sum[i]; }
    if (counter != THREADS * STEPS || all != counter * (counter - 1) / 2) return 3;
    trajan_store(&counter, -1);
    if (trajan_load(&counter) != -1) return 4;
    while (fread(given, sizeof given, 1, stdin) == 1) {
        told[0] = trajan_product(given[0], given[1], &told[1]);
        told[2] = given[0] ? (uint64_t)trajan_lowest_bit(given[0]) : 64;
        fwrite(told, sizeof told, 1, stdout);
    }
    return 0;
}
"""


@pytest.mark.skipif(COMPILER is None, reason="no C compiler (cc)")
@pytest.mark.parametrize("flags", [[], ["-DTRAJAN_PORTABLE"]], ids=["native", "portable"])
def test_both_ways_give_the_same(tmp_path, flags):
    source, program = tmp_path / "check.c", tmp_path / "check"
    source.write_text(CHECK, encoding="utf-8")
    warnings = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"]
    subprocess.run(
        [COMPILER, *warnings, *flags, f"-I{EXT}", source, "-o", program, "-pthread"], check=True
    )
    drawn = random.Random(1)
    pairs = [(a, b) for a in EDGES for b in EDGES]
    pairs += [
        (drawn.getrandbits(drawn.randint(1, 64)), drawn.getrandbits(drawn.randint(1, 64)))
        for _ in range(20_000)
    ]
    done = subprocess.run(
        [program],
        input=b"".join(struct.pack("=QQ", *pair) for pair in pairs),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, "for statuses 1 to 4, see the C program above"
    rows = list(struct.iter_unpack("=QQQ", done.stdout))
    assert rows == [
        (a * b >> 64, a * b & (2**64 - 1), (a & -a).bit_length() - 1 if a else 64)
        for a, b in pairs
    ]
