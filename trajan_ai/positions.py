"""The public names of `trajan_ai.records.position_files`, at a path that does not change."""

from trajan_ai.records.position_files import (
    FORMAT,
    VERSION,
    dumps,
    of_document,
    parse,
    position_file,
    read,
    write,
)

__all__ = ["FORMAT", "VERSION", "dumps", "of_document", "parse", "position_file", "read", "write"]
