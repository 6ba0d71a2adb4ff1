#!/usr/bin/env python3
"""Writes the generated files and regions of the documents from the code.

Run it after changing a diagnostic code, what tilec lacks (`not_yet.py`), the docstring of a pass, a
builtin, a plan field, an example, a layout or a picture; `--check` only says what is out of date.
`GENERATED` lists everything that it writes.
"""

import argparse
import sys
from pathlib import Path

if not __package__:  # run as a script: Python put tools/ on the path, not the folder above
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.docs import builtins, diagnostics, examples, language, not_yet, passes
from tools.docs.generated import Generated
from tools.pictures import PICTURES

GENERATED: tuple[Generated, ...] = (
    Generated("docs/builtins.md", builtins.render),
    Generated("docs/diagnostics.md", diagnostics.render),
    Generated("docs/not-yet.md", not_yet.render),
    Generated("docs/passes.md", passes.render),
    Generated("examples/README.md", examples.render),
    Generated("docs/language.md", language.builtins, region="builtins"),
    Generated("docs/language.md", language.library, region="library"),
    Generated("docs/language.md", language.plan_fields, region="plan fields"),
    *(Generated(f"docs/pictures/{name}.svg", draw) for name, draw in PICTURES.items()),
)
"""Everything that is generated: one entry per file, or per region of a page."""


def main() -> int:
    """Write all files, or with `--check` return 1 if one of them is out of date."""
    parser = argparse.ArgumentParser(description="Write the generated files under docs/.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if one is old")
    options = parser.parse_args()
    old = [item for item in GENERATED if not item.is_current()]
    for item in old:
        if options.check:
            print(f"{item.name} is out of date: run tools/gen_docs.py", file=sys.stderr)
        else:
            item.write()
    return 1 if options.check and old else 0


if __name__ == "__main__":
    sys.exit(main())
