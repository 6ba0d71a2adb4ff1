"""`python -m tools.emulator.fuzz`."""

import sys

from tools.emulator.fuzz.command import main

if __name__ == "__main__":
    sys.exit(main())
