cdef extern from "switch.h" nogil:
    bint trajan_planted(int number) noexcept
