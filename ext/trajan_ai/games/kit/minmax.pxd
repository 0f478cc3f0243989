"""The smaller and the greater of two numbers."""


cdef inline int min_int(int a, int b) noexcept nogil:
    return a if a < b else b


cdef inline int max_int(int a, int b) noexcept nogil:
    return a if a > b else b


cdef inline float max_float(float a, float b) noexcept nogil:
    return a if a > b else b
