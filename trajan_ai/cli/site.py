"""`trajan-ai site`: the analysis page as static files that run in any browser (docs/site.md)."""

import argparse
import sys
from pathlib import Path

from trajan_ai.cli.common import StatusLine, page_needs

with page_needs():
    from trajan_ai.page import site_files, wasm


def run(arguments: argparse.Namespace) -> int:
    """Write the site and print its size."""
    target, parts = Path(arguments.out), Path(arguments.parts)
    site_files.check_target(target)
    status = StatusLine()
    status.show("building the parts that browsers run, which takes minutes the first time")
    wasm.build(parts.resolve(), None if arguments.wheel is None else Path(arguments.wheel))
    status.show("writing the site")
    site_files.write(target, parts)
    status.show("")
    sizes = [file.stat().st_size for file in target.rglob("*") if file.is_file()]
    print(
        f"{target} contains {len(sizes)} files, {sum(sizes) / 1e6:.1f} MB in total; "
        "docs/site.md describes how to publish them. To try the site:"
    )
    print(f"    {Path(sys.executable).name} -m http.server --directory {target} 8118")
    return 0
