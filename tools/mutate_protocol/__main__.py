"""`python -m tools.mutate_protocol`."""

import sys

from tools.mutate_protocol.command import main

if __name__ == "__main__":
    sys.exit(main())
