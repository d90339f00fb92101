"""`python -m uci_engine` is `cythera`."""

import sys

try:
    from uci_engine.cli import main

    code = main()
except KeyboardInterrupt:  # while something was still being imported
    code = 130
sys.exit(code)
