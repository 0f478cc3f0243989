"""Memory that belongs to a Python object, so that nobody has to release it."""

from cpython.bytearray cimport PyByteArray_AS_STRING


cdef inline void *room(list kept, size_t size) except NULL:
    """Return `size` bytes, all 0, that are there as long as the list `kept`."""
    cdef bytearray block = bytearray(size)
    kept.append(block)
    return PyByteArray_AS_STRING(block)
