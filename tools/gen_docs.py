#!/usr/bin/env python3
"""Writes docs/diagnostics.md from the catalogue in `tilec/support/codes.py`.

Run it after adding a code; `--check` only says whether the page is current.
"""

import argparse
import sys
from pathlib import Path

from tilec.support.codes import CODES

PAGE = Path(__file__).resolve().parent.parent / "docs" / "diagnostics.md"
RANGES: dict[str, str] = {
    "T00": "Command line and files",
    "T01": "Syntax",
    "T02": "Names",
    "T03": "Shapes and types",
    "T04": "Constants and plan",
    "T05": "IR verifiers and passes",
    "T06": "LLVM, PTX and ptxas",
    "T07": "Arguments and launch",
    "T08": "Driver and device",
}
"""First three characters of a code -> what codes like that are about."""
_HEAD = """\
# Diagnostics

<!-- Written by tools/gen_docs.py from tilec/support/codes.py; do not edit. -->

Every diagnostic has a code that never changes its meaning. It stands in brackets after the
severity:

```text
bad.tile:8:15: error[T0302]: mma: A is 128x64 but B is 32x128: inner sizes 64 and 32 differ
          acc = mma(a, b, acc)
                ^^^^^^^^^^^^^^
```

Errors end the compilation with exit code 1, and nothing is written. Remarks name choices of the
compiler (`--remarks` shows them) and change nothing. An internal error (T0599, exit code 70) is a
defect of tilec: it names the pass and leaves a reproducer, see [debugging.md](debugging.md). IR
from a file never leads to one: what passes cannot work on is T0580 to T0584 then. In
Python every diagnostic of an exception is in its `diagnostics`, each with `code`, `message`, `span`
and `hint`.
"""


def render() -> str:
    """Return the text of docs/diagnostics.md."""
    parts = [_HEAD]
    for prefix, title in RANGES.items():
        rows = [f"| {code} | {CODES[code]} |" for code in sorted(CODES) if code.startswith(prefix)]
        if rows:
            parts.append("\n".join([f"## {title}\n", "| Code | Meaning |", "|---|---|", *rows, ""]))
    return "\n".join(parts)


def main() -> int:
    """Write the page, or with `--check` return 1 when it is out of date."""
    parser = argparse.ArgumentParser(description="Write docs/diagnostics.md.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when it is old")
    options = parser.parse_args()
    text = render()
    if options.check:
        current = PAGE.exists() and PAGE.read_text() == text
        if not current:
            print("docs/diagnostics.md is out of date: run tools/gen_docs.py", file=sys.stderr)
        return 0 if current else 1
    PAGE.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
