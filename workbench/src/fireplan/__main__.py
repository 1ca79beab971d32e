"""``python -m fireplan`` is the ``fireplan`` command."""

import sys

from fireplan.cli import main

sys.exit(main())
