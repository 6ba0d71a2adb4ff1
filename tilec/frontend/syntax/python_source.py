"""Kernels written as decorated Python functions.

The text of the function goes through the grammar of `.tile` files. It is padded with empty lines so
that every position is that of the Python file. Numbers, element types, helper functions and helper
modules that the kernel uses from its module are handed over as values.
"""

import ast as python_ast
import inspect
import textwrap
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from tilec.frontend.syntax import ast
from tilec.frontend.syntax.foreign_values import ForeignValue, LanguageName
from tilec.frontend.syntax.library import library_function
from tilec.frontend.syntax.limits import MAX_CALL_DEPTH
from tilec.frontend.syntax.parser import parse_source
from tilec.frontend.syntax.python_text import code_of, source_lines, unreadable
from tilec.frontend.syntax.python_values import PLAIN_PYTHON, UNKNOWN, foreign, value_meaning
from tilec.frontend.syntax.qualified import is_library
from tilec.lib import LibraryFunction
from tilec.support.diagnostics import CompileError, SourceFile, SourceSpan, error

Path = tuple[str, ...]
"""Attributes of a module, one after the other: `("activations", "relu")`."""


class Captured(NamedTuple):
    """A name whose value a kernel took from Python when its source was read.

    Attributes:
        name: The name, a dotted one for a member of a module.
        value: What it was.
        now: Returns what it is; for a name that is gone, something else than `value`.
    """

    name: str
    value: Any
    now: Callable[[], Any]


class PythonKernel(NamedTuple):
    """A decorated function as a source.

    Attributes:
        source: The lines of the function at their place in the Python file.
        name: Name of the function.
        constants: What its global names mean: numbers, strings, tuples of them, element types,
            modules, `ast.Namespace`s of helper modules, and `ast.Module`s of helper functions (a
            `CompileError` for one that is not in the language). Pass it to `parse_source`.
        captured: Where these values came from, those of the helpers included.
    """

    source: SourceFile
    name: str
    constants: Mapping[str, Any]
    captured: tuple[Captured, ...] = ()


def parse_function(function: Callable[..., Any]) -> ast.Module:
    """Return the syntax tree of a decorated function and what it needs from its module.

    Raises:
        CompileError: Its source cannot be read back (T0113), or is not in the language.
    """
    kernel = parse_python_kernel(function)
    return parse_source(kernel.source, kernel.constants)


def parse_python_kernel(function: Callable[..., Any]) -> PythonKernel:
    """Read the source of a decorated function back.

    Args:
        function: The function, or an object that wraps it (`__wrapped__`).

    Raises:
        CompileError: There is no text to read: the function was made by `exec`, or its file is
            gone (T0113).
    """
    reader = _Reader()
    read = reader.read(inspect.unwrap(function), is_kernel=True)
    return read._replace(captured=tuple(reader.captured))


class _Reader:
    """Reads a function and the helpers that it calls.

    Attributes:
        known: Modules of helpers, or the `CompileError` of one that is none, by function.
        captured: Every name that was looked up in Python.
        depth: Helpers that are being read inside each other.
    """

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {}
        self.captured: list[Captured] = []
        self.depth = 0

    def read(self, function: Callable[..., Any], *, is_kernel: bool) -> PythonKernel:
        """Return the source of one function, with what it takes from Python."""
        code = code_of(function)
        lines, first = source_lines(function, code)
        tree = _parsed(lines, code)
        _replace_decorators(lines, tree, is_kernel=is_kernel)
        source = SourceFile(code.co_filename, "\n" * (first - 1) + "".join(lines))
        return PythonKernel(source, code.co_name, self._globals_of(function, code, tree))

    def _globals_of(
        self, function: Callable[..., Any], code: CodeType, tree: python_ast.stmt
    ) -> dict[str, Any]:
        """Return the global and enclosing names that a function mentions, as kernels see them."""
        scope: dict[str, Any] = getattr(function, "__globals__", {})
        found = {name: (scope[name], partial(scope.get, name)) for name in scope}
        cells = getattr(function, "__closure__", None) or ()
        for name, cell in zip(code.co_freevars, cells, strict=False):
            try:
                found[name] = cell.cell_contents, partial(getattr, cell, "cell_contents")
            except ValueError:  # assigned later in the enclosing function
                found.pop(name, None)
        paths = _mentioned(tree)
        result: dict[str, Any] = {}
        for name in sorted(paths.keys() & found.keys()):
            meaning = self._taken(name, name, *found[name], paths[name])
            if meaning is not PLAIN_PYTHON:
                result[name] = meaning
        return result

    def _taken(
        self, dotted: str, name: str, value: Any, now: Callable[[], Any], paths: Iterable[Path]
    ) -> Any:
        """Return what a value means, and note where it came from unless the language has it.

        Args:
            dotted: Its name in messages.
            name: The last part of that name.
            value: The value.
            now: Returns the value that the name has later.
            paths: What the kernel mentions of it, if it is a module.
        """
        meaning = self._meaning(dotted, name, value, paths)
        if meaning is not PLAIN_PYTHON and not isinstance(meaning, LanguageName):
            self.captured.append(Captured(dotted, value, now))
        return meaning

    def _meaning(self, dotted: str, name: str, value: Any, paths: Iterable[Path]) -> Any:
        """Return what a Python value means in a kernel, or `PLAIN_PYTHON`."""
        if isinstance(value, LibraryFunction):
            return library_function(value.name)
        meaning = value_meaning(name, value)
        if isinstance(meaning, ModuleType) and not is_library(meaning.__name__):
            return self._namespace(dotted, meaning, paths)
        if meaning is not UNKNOWN:
            return meaning
        helper = inspect.unwrap(value) if callable(value) else None
        if helper is not None and inspect.isfunction(helper):
            owner = type(value)
            is_kernel = owner.__module__.startswith("tilec.") and owner.__name__ == "Kernel"
            return self._helper(helper, is_kernel=is_kernel)
        return foreign(name, value)

    def _namespace(self, dotted: str, module: ModuleType, paths: Iterable[Path]) -> ast.Namespace:
        """Return what the kernel mentions of a helper module."""
        wanted: dict[str, list[Path]] = {}
        for first, *rest in (path for path in paths if path):
            wanted.setdefault(first, []).append(tuple(rest))
        members: dict[str, Any] = {}
        known: tuple[str, ...] = ()
        for name, inner in sorted(wanted.items()):
            now = partial(_attribute, module, name)
            value, inner_name = now(), f"{dotted}.{name}"
            if value is not _ABSENT:
                members[name] = self._taken(inner_name, name, value, now, inner)
            else:  # an error, until the module has the name
                self.captured.append(Captured(inner_name, value, now))
                known = tuple(sorted(item for item in vars(module) if not item.startswith("_")))
        file = SourceFile(getattr(module, "__file__", None) or module.__name__, "")
        scope = ast.Module(SourceSpan(file.name, 1, 1, 1, 2), file, {}, {}, {}, members)
        return ast.Namespace(module.__name__, scope, known)

    def _helper(self, function: Callable[..., Any], *, is_kernel: bool) -> Any:
        """Return the module of a helper function, or why it is none: an error only when used."""
        if function in self.known:
            return self.known[function]
        name = function.__name__
        hint = "helpers are inlined: write a loop"
        self.known[function] = ForeignValue("a helper that calls itself", hint)
        if self.depth >= MAX_CALL_DEPTH:
            message = (
                f"helpers call each other more than {MAX_CALL_DEPTH} deep, the limit: '{name}'"
            )
            self.known[function] = CompileError(error("T0207", message))
            return self.known[function]
        self.depth += 1
        try:
            read = self.read(function, is_kernel=is_kernel)
            self.known[function] = parse_source(read.source, read.constants)
        except CompileError as failure:
            self.known[function] = failure
        finally:
            self.depth -= 1
        return self.known[function]


_ABSENT = object()
"""Stands for an attribute that a module does not have."""


def _attribute(module: ModuleType, name: str) -> Any:
    """Return an attribute of a module, which may import it first; `_ABSENT` if it cannot."""
    try:
        return getattr(module, name)
    except (AttributeError, ImportError):
        return _ABSENT


def _mentioned(tree: python_ast.AST) -> dict[str, set[Path]]:
    """Return every plain name in a function, with the attributes that are taken from it."""
    found: dict[str, set[Path]] = {}
    for node in python_ast.walk(tree):
        path: list[str] = []
        while isinstance(node, python_ast.Attribute):
            path.insert(0, node.attr)
            node = node.value
        if isinstance(node, python_ast.Name):
            found.setdefault(node.id, set()).add(tuple(path))
    return found


def _parsed(lines: list[str], code: CodeType) -> python_ast.stmt:
    try:
        return python_ast.parse(textwrap.dedent("".join(lines))).body[0]
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        raise CompileError(unreadable(code)) from None


def _replace_decorators(lines: list[str], tree: python_ast.stmt, *, is_kernel: bool) -> None:
    """Blank out decorators: they ran in Python. A kernel keeps a plain `@kernel`."""
    if not isinstance(tree, python_ast.FunctionDef):
        return
    for decorator in tree.decorator_list:
        for row in range(decorator.lineno - 1, decorator.end_lineno or decorator.lineno):
            lines[row] = "\n"
    if tree.decorator_list and is_kernel:
        indent = len(lines[tree.lineno - 1]) - len(lines[tree.lineno - 1].lstrip())
        lines[tree.decorator_list[0].lineno - 1] = " " * indent + "@kernel\n"
    tree.decorator_list.clear()
