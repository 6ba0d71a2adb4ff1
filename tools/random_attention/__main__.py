"""`python -m tools.random_attention`."""

import sys

from tools.random_attention.command import main

if __name__ == "__main__":
    sys.exit(main())
