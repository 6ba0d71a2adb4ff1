"""`python -m tools.fuzz_inputs`."""

import sys

from tools.fuzz_inputs.command import main

if __name__ == "__main__":
    sys.exit(main())
