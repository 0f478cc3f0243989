"""Convert SVG drawings to PNG images, with the optional packages resvg-py and matplotlib."""

import re
from pathlib import Path

from trajan_ai.core.errors import TrajanError

# Drawings use generic font families. Pictures use the fonts that matplotlib contains instead, so
# that they are identical on every machine.
SANS, SERIF = "DejaVu Sans", "DejaVu Serif"
FONT_FILES = ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "DejaVuSerif.ttf", "DejaVuSerif-Bold.ttf")

_VARIABLE = re.compile(r";[\w-]+:var\([^)]*\)")  # unknown to resvg


def png(svg: str, width: int) -> bytes:
    """Return a drawing as a PNG image `width` pixels wide.

    Raises TrajanError if a package is not installed.
    """
    try:
        import matplotlib  # noqa: PLC0415
        import resvg_py  # noqa: PLC0415
    except ImportError as error:
        raise TrajanError(
            f"PNG images require the package {error.name}; run pip install "
            "'trajan-ai[pictures]', or write a .svg file"
        ) from None
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=_VARIABLE.sub("", svg),
            width=width,
            skip_system_fonts=True,
            font_files=[str(folder / name) for name in FONT_FILES],
            font_family=SANS,
            sans_serif_family=SANS,
            serif_family=SERIF,
        )
    )
