"""Run the command as ``python -m trajan_ai``."""

import sys

from trajan_ai.cli.main import main

sys.exit(main())
