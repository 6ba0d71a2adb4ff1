"""Where tests use each builtin: on the CPU reference, on the emulator and on a GPU, with a line.

A suite runs the same kernels in `tests/emulated` and in `tests/gpu`, and compares both with the CPU
reference. What a kernel uses is read from its source.
"""

import ast as python
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tilec.frontend.semantics.builtins import modules  # noqa: F401 - it registers the builtins
from tilec.frontend.semantics.builtins.table import BUILTINS, METHODS
from tilec.frontend.syntax import ast
from tilec.frontend.syntax.parser import parse_source
from tilec.support.diagnostics import SourceFile
from tools.docs.generated import ROOT

SUITES = {
    "features": (
        *("features", "functions", "control", "units", "fallbacks", "products", "order"),
        *("product_types", "gemm", "builtins", "library", "views"),
        "register_operands",
    ),
    "elements": ("elements",),
    "counts": ("counts",),
    "examples": (),
    "prints": (),
    "assertions": (),
}
"""Suites, `test_NAME.py` in `tests/emulated` and `tests/gpu`, and their files in `tests/kernels`.
The examples have files of their own; the last two have their kernels in `tests/support`."""
_IN_PYTHON = {"prints": "print_cases", "assertions": "assertion_cases"}


@dataclass(frozen=True)
class Use:
    """A kernel of a test that uses a builtin.

    Attributes:
        suite: The suite that runs it.
        kernel: Its name.
        line: The line of its source that uses the builtin.
    """

    suite: str
    kernel: str
    line: str


def sources(suite: str) -> Iterator[tuple[str, str]]:
    """Yield the name and the text of every source of a suite."""
    if suite == "examples":
        for path in sorted((ROOT / "examples").glob("*.tile")):
            yield path.stem, path.read_text()
    elif suite in _IN_PYTHON:
        yield suite, _text_of(ROOT / "tests" / "support" / f"{_IN_PYTHON[suite]}.py")
    else:
        for name in SUITES[suite]:
            yield name, (ROOT / "tests" / "kernels" / f"{name}.tile").read_text()


def _text_of(path: Path) -> str:
    """Return the constant `SOURCE` of a Python file."""
    for item in python.parse(path.read_text()).body:
        if isinstance(item, python.Assign) and getattr(item.targets[0], "id", "") == "SOURCE":
            return python.literal_eval(item.value)
    raise ValueError(f"{path} has no SOURCE")


@cache
def uses() -> dict[str, list[Use]]:
    """Return the uses of every builtin, those with the shortest lines first."""
    found: dict[str, list[Use]] = {name: [] for name in BUILTINS}
    for suite in SUITES:
        for title, text in sources(suite):
            for builtin, kernel, line in _used(title, text):
                found[builtin].append(Use(suite, kernel, line))
    return {name: sorted(items, key=lambda use: len(use.line)) for name, items in found.items()}


def _used(title: str, text: str) -> Iterator[tuple[str, str, str]]:
    """Yield each builtin that a source uses, the function in which it does, and the line."""
    lines = text.splitlines()
    tree = parse_source(SourceFile(f"{title}.tile", text))
    for function in tree.functions.values():
        for name, line in _named(function, lines):
            yield name, function.name, line


def _named(function: ast.Node, lines: list[str]) -> Iterator[tuple[str, str]]:
    for node in _nodes(function):
        name = None
        if isinstance(node, ast.Name):
            name = node.id
        elif isinstance(node, ast.Call) and isinstance(node.function, ast.Attribute):
            name = METHODS.get(node.function.name)
        elif isinstance(node, ast.Assert):
            name = "assert_"
        if name in BUILTINS:
            yield name, lines[node.span.line - 1].strip()


def _nodes(item: object) -> Iterator[ast.Node]:
    """Yield a node of a syntax tree and all nodes inside it."""
    if isinstance(item, tuple | list):
        for inner in item:
            yield from _nodes(inner)
    elif isinstance(item, ast.Node):
        yield item
        for field in item.__dataclass_fields__:
            yield from _nodes(getattr(item, field))


def example_of(name: str) -> str:
    """Return the shortest line of a test that calls a builtin."""
    calls = re.compile(rf"\b{name}\(")
    found = [use.line for use in uses()[name]]
    return next((line for line in found if calls.search(line)), found[0] if found else "")
