"""`python -m tilec`: the same as the `tilec` command."""

import sys

from tilec.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
