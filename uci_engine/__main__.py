"""`python -m uci_engine` is `cythera`."""

import sys

from uci_engine.cli import main

sys.exit(main())
