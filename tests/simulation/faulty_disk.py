"""A simulated failing disk below the SQLite library that Python's sqlite3 uses.

SQLite accesses files through a table of functions, its VFS (https://www.sqlite.org/vfs.html). This
module wraps those functions of the default VFS that access the disk, and makes the wrapped VFS the
default, so the code that opens stores is tested unchanged. Operations on files outside the folder
do not fail.
"""

import _sqlite3
import ctypes
import os
from ctypes import CFUNCTYPE, POINTER, Structure, byref, c_char_p, c_int, c_int64, c_void_p

OK = 0
IOERR = 10
FULL = 13
CANTOPEN = 14
IOERR_READ = IOERR | 1 << 8
IOERR_WRITE = IOERR | 3 << 8
IOERR_FSYNC = IOERR | 4 << 8
IOERR_TRUNCATE = IOERR | 6 << 8
IOERR_DELETE = IOERR | 10 << 8

OPEN = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_int, POINTER(c_int))
DELETE = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int)
CLOSE = CFUNCTYPE(c_int, c_void_p)
TRANSFER = CFUNCTYPE(c_int, c_void_p, c_void_p, c_int, c_int64)
TRUNCATE = CFUNCTYPE(c_int, c_void_p, c_int64)
SYNC = CFUNCTYPE(c_int, c_void_p, c_int)


_DISKS = []  # never freed, since SQLite may call functions of a disk while a connection exists


class Vfs(Structure):
    """The first members of the structure sqlite3_vfs, and space for the others in any version."""


Vfs._fields_ = [
    ("version", c_int),
    ("file_size", c_int),
    ("longest_path", c_int),
    ("next", POINTER(Vfs)),
    ("name", c_char_p),
    ("data", c_void_p),
    ("open", OPEN),
    ("delete", DELETE),
    ("rest", c_void_p * 14),
]


class Methods(Structure):
    """The structure sqlite3_io_methods, version 3."""

    _fields_ = (
        ("version", c_int),
        ("close", CLOSE),
        ("read", TRANSFER),
        ("write", TRANSFER),
        ("truncate", TRUNCATE),
        ("sync", SYNC),
        ("rest", c_void_p * 13),
    )


class FaultyDisk:
    """A context manager that makes operations on files below `folder` fail.

    `strike(operation)` is called before every operation, one of "open", "read", "write",
    "truncate", "sync" and "delete". The result is None, "error", "torn" (half of a write succeeds)
    or "full". `files` is the number of open files.
    """

    def __init__(self, folder, strike):
        self.folder = os.fsencode(os.path.realpath(folder))
        self.strike = strike
        self.files = 0
        self._sqlite = ctypes.CDLL(_sqlite3.__file__)  # with the SQLite that it is linked to
        self._sqlite.sqlite3_vfs_find.restype = POINTER(Vfs)
        self._wrapped = {}  # wrapped methods by the address of the default's methods
        _DISKS.append(self)

    def __enter__(self):
        default = self._sqlite.sqlite3_vfs_find(None)
        self._default = default
        self._vfs = Vfs.from_buffer_copy(default.contents)
        self._vfs.name = b"faulty"
        self._vfs.open = OPEN(self._open)
        self._vfs.delete = DELETE(self._delete)
        assert self._sqlite.sqlite3_vfs_register(byref(self._vfs), 1) == OK
        return self

    def __exit__(self, *exception):
        self._sqlite.sqlite3_vfs_unregister(byref(self._vfs))
        self._sqlite.sqlite3_vfs_register(self._default, 1)

    def _code(self, operation, error):
        """Return the error of an operation, or OK if the operation is carried out."""
        return {None: OK, "full": FULL}.get(self.strike(operation), error)

    def _is_ours(self, path):
        """Return whether a path, given as a pointer, is below the folder."""
        return path is not None and ctypes.string_at(path).startswith(self.folder)

    def _open(self, vfs, path, file, flags, out):
        ours = self._is_ours(path)
        if ours and (code := self._code("open", CANTOPEN)):
            ctypes.cast(file, POINTER(c_void_p))[0] = None  # so that SQLite does not close it
            return code
        code = self._default.contents.open(vfs, path, file, flags, out)
        if ours and code == OK:
            head = ctypes.cast(file, POINTER(c_void_p))
            head[0] = ctypes.addressof(self._methods(head[0]))
            self.files += 1
        return code

    def _delete(self, vfs, path, sync):
        if self._is_ours(path) and (code := self._code("delete", IOERR_DELETE)):
            return code
        return self._default.contents.delete(vfs, path, 0)

    def _methods(self, address):
        """Return the default methods, of which those that access the disk are replaced."""
        if address in self._wrapped:
            return self._wrapped[address]
        plain = Methods.from_address(address)
        ours = Methods.from_buffer_copy(plain)

        def read(file, buffer, amount, offset):
            return self._code("read", IOERR_READ) or plain.read(file, buffer, amount, offset)

        def write(file, buffer, amount, offset):
            error = self.strike("write")
            if error == "torn":
                plain.write(file, buffer, amount // 2, offset)
            if error:
                return FULL if error == "full" else IOERR_WRITE
            return plain.write(file, buffer, amount, offset)

        def truncate(file, size):
            return self._code("truncate", IOERR_TRUNCATE) or plain.truncate(file, size)

        def sync(file, flags):  # does not sync the disk, since no power failure is simulated
            return self._code("sync", IOERR_FSYNC)

        def close(file):
            self.files -= 1
            return plain.close(file)

        ours.read, ours.write = TRANSFER(read), TRANSFER(write)
        ours.truncate, ours.sync, ours.close = TRUNCATE(truncate), SYNC(sync), CLOSE(close)
        self._wrapped[address] = ours
        return ours
