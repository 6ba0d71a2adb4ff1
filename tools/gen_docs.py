#!/usr/bin/env python3
"""Writes docs/diagnostics.md from `tilec/support/codes.py`, and docs/not-yet.md from `not_yet.py`.

Run it after a change of one of these tables; `--check` only says whether the pages are current.
"""

import argparse
import sys
from pathlib import Path

from tilec.frontend.semantics.not_yet import TABLE, Lacking, Usage
from tilec.support.codes import CODES

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGE = DOCS / "diagnostics.md"
NOT_YET = DOCS / "not-yet.md"
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


_NOT_YET_HEAD = """\
# Not yet

<!-- Written by tools/gen_docs.py from tilec/frontend/semantics/not_yet.py; do not edit. -->

What users of Python, Triton, cuTile and NumPy write, and tilec lacks. The compiler knows this list:
its error messages say the same. In the code, `x` is a tile with 16 elements, `a`, `b` and `acc` are
tiles of 16x16 elements, `A` is an array, `n` is a scalar, and `i` is a tile index.
"""


def render_not_yet() -> str:
    """Return the text of docs/not-yet.md."""
    parts = [_NOT_YET_HEAD]
    for usage in Usage:
        rows = [_row(entry) for entry in TABLE if entry.usage is usage]
        head = ["| Written | What it is | In tilec |", "|---|---|---|"]
        if rows:
            parts.append("\n".join([f"## {usage.value}\n", *head, *rows, ""]))
    return "\n".join(parts)


def _row(entry: Lacking) -> str:
    written = " ".join(f"`{name}`" for name in entry.names)
    what = entry.what
    if entry.usage is Usage.SYNTAX:
        written = "<br>".join(f"`{line}`" for line in entry.example.splitlines())
        what = ", ".join(dict.fromkeys(entry.what.format(name) for name in entry.names))
    code = f"`{entry.write}`" if entry.write else ""
    return f"| {written} | {what} | {'; '.join(part for part in (code, entry.advice) if part)} |"


def main() -> int:
    """Write the pages, or with `--check` return 1 when one is out of date."""
    parser = argparse.ArgumentParser(description="Write the pages that come from tables.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when one is old")
    options = parser.parse_args()
    status = 0
    for page, text in ((PAGE, render()), (NOT_YET, render_not_yet())):
        if not options.check:
            page.write_text(text)
        elif not page.exists() or page.read_text() != text:
            print(f"docs/{page.name} is out of date: run tools/gen_docs.py", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
