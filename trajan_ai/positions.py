"""The stable name of `trajan_ai.records.position_files`."""

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
