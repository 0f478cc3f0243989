"""Pointers to memory of Python objects, valid as long as the list `owners` refers to the objects.
"""

from cpython.bytearray cimport PyByteArray_AS_STRING
from cpython.memoryview cimport PyMemoryView_GET_BUFFER


cdef inline void *room(list owners, size_t size) except NULL:
    """Return `size` new bytes, all 0."""
    cdef bytearray block = bytearray(size)
    owners.append(block)
    return PyByteArray_AS_STRING(block)


cdef inline void *items(list owners, array, str formats, bint read_only=False,
                        Py_ssize_t count=-1) except NULL:
    """Return a pointer to the items of an array of the caller.

    The array must be one block in C order, with items in one of the `formats` of the module struct;
    it must be writable unless `read_only` is set, and have `count` items unless `count` is -1.
    Raises ValueError otherwise.
    """
    view = memoryview(array)
    if view.format not in formats or not view.c_contiguous or (view.readonly and not read_only):
        raise ValueError(
            f"the array must be contiguous{'' if read_only else ', writable'} and of type "
            f"{formats}; got {view.format}, contiguous: {view.c_contiguous}, writable: "
            f"{not view.readonly}")
    if 0 <= count != view.nbytes // view.itemsize:
        raise ValueError(f"the array must have {count} items, got {view.nbytes // view.itemsize}")
    owners.append(view)
    return PyMemoryView_GET_BUFFER(view).buf
