"""docs/not-yet.md: what tilec lacks, from `tilec/frontend/semantics/not_yet.py`."""

from tilec.frontend.semantics.not_yet import TABLE, Lacking, Usage

_HEAD = """\
# Not yet

<!-- Written by tools/gen_docs.py from tilec/frontend/semantics/not_yet.py; do not edit. -->

This page lists what users of Python, Triton, cuTile and NumPy write and tilec does not have, and
what to write instead. The error messages of the compiler say the same. In the code, `x` is a tile
with 16 elements, `a`, `b` and `acc` are tiles of 16x16 elements, `A` is an array, `n` is a scalar,
and `i` is a tile index.
"""


def render() -> str:
    """Return the text of docs/not-yet.md."""
    parts = [_HEAD]
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
