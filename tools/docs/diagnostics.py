"""docs/diagnostics.md: the catalogue of `tilec/support/codes.py`, by range of codes."""

from tilec.support.codes import CODES

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
