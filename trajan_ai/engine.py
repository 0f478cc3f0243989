"""The package of the client in release 0.4.0, kept until release 0.6.0."""

import sys
import warnings

from trajan_ai.service import client

warnings.warn(
    "trajan_ai.engine.client has moved to trajan_ai.service.client; "
    "the old path works until release 0.6.0",
    DeprecationWarning,
    stacklevel=2,
)
sys.modules[f"{__name__}.client"] = client
