"""Memory of Python objects as pointers: it stays as long as the list that keeps the objects."""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.memoryview cimport PyMemoryView_GET_BUFFER


cdef inline void *room(list kept, size_t size) except NULL:
    """Return `size` new bytes, all 0."""
    cdef bytearray block = bytearray(size)
    kept.append(block)
    return PyByteArray_AS_STRING(block)


cdef inline void *items(list kept, array, str formats, bint read_only=False) except NULL:
    """Return the items of an array of the caller.

    It is one block in C order, of items in one of the `formats` of the module struct. Raises
    ValueError for any other, and for one that must not be written unless it is `read_only`.
    """
    view = memoryview(array)
    if view.format not in formats or not view.c_contiguous or (view.readonly and not read_only):
        raise ValueError(f"the array must be contiguous, writable and of type {formats}, got "
                         f"{view.format}")
    kept.append(view)
    return PyMemoryView_GET_BUFFER(view).buf
