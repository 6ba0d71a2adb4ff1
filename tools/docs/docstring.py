"""The docstring of a pass as Markdown.

A docstring is a summary of one line, and then blocks that blank lines separate. A block that begins
with `Before:` is the example of IR. Indented lines are code. A block that begins with `Options:`
lists the options of the pass. Everything else is Markdown already.
"""

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass

_EXAMPLE = "Before:"
_OPTIONS = "Options:"
_INDENT = "    "


@dataclass(frozen=True)
class PassText:
    """What the docstring of a pass says.

    Attributes:
        summary: One sentence.
        blocks: Example, paragraphs, lists and code as Markdown, in order.
        options: Name of an option -> what it does.
    """

    summary: str
    blocks: tuple[str, ...]
    options: Mapping[str, str]


def parse(docstring: str) -> PassText:
    """Return the parts of a docstring.

    Raises:
        ValueError: The summary is not one line that ends with a full stop, or a line of the options
            is not `name: text`.
    """
    summary, *blocks = re.split(r"\n\s*\n", inspect.cleandoc(docstring))
    if "\n" in summary or not summary.endswith("."):
        raise ValueError(f"a summary is one line that ends with a full stop, found: {summary}")
    options: dict[str, str] = {}
    shown: list[str] = []
    for block in blocks:
        if block.startswith(_OPTIONS):
            options |= _options(block.removeprefix(_OPTIONS))
        elif block.startswith((_EXAMPLE, _INDENT)):
            shown.append(f"```text\n{_dedent(block)}\n```")
        else:
            shown.append(block)
    return PassText(summary, tuple(shown), options)


def _dedent(block: str) -> str:
    indent = _INDENT if block.startswith(_INDENT) else ""
    return "\n".join(line.removeprefix(indent) for line in block.splitlines())


def _options(block: str) -> dict[str, str]:
    """Return the options of a block; a deeper line continues the one above."""
    found: dict[str, str] = {}
    name = ""
    for line in block.strip("\n").splitlines():
        if line.startswith(_INDENT * 2) and name:
            found[name] += f" {line.strip()}"
            continue
        name, colon, text = line.strip().partition(": ")
        if not colon:
            raise ValueError(f"an option is written 'name: text', found: {line.strip()}")
        found[name] = text
    return found
