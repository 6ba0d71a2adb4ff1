"""The other door: kernels written as decorated Python functions.

The text comes from `inspect.getsource` and goes through the same grammar. It is padded with empty
lines so that every position is that of the Python file. Numbers, element types and helper functions
that the kernel uses from its module are handed over as values.
"""

import ast as python_ast
import builtins
import inspect
import linecache
import textwrap
from collections.abc import Callable, Mapping
from functools import partial
from types import CodeType, ModuleType
from typing import Any, NamedTuple, TypeVar

from tilec.frontend.syntax import ast
from tilec.frontend.syntax.limits import MAX_CALL_DEPTH, MAX_TUPLE_VALUES
from tilec.frontend.syntax.parser import parse_source
from tilec.support.diagnostics import CompileError, Diagnostic, SourceFile, SourceSpan, error
from tilec.support.dtypes import DTYPES, DType


class Captured(NamedTuple):
    """A name whose value a kernel took from Python when its source was read.

    Attributes:
        name: The name.
        value: What it was.
        now: Returns what it is, None for a global that is gone.
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
            modules, and `ast.Module`s of helper functions (a `CompileError` for one that is not in
            the language). Pass it to `parse_source`.
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
        CompileError: There is no source file to read: the function was made by `exec` or typed at
            a prompt, or the file is gone (T0113).
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
        code = getattr(function, "__code__", None)
        if not isinstance(code, CodeType):
            message = f"{function!r} is not a Python function"
            raise CompileError(error("T0113", message, hint="decorate a function made with 'def'"))
        lines, first = _source_lines(function, code)
        tree = _parsed(lines, function, code)
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
        nodes = python_ast.walk(tree)
        mentioned = {node.id for node in nodes if isinstance(node, python_ast.Name)}
        result: dict[str, Any] = {}
        for name in sorted(mentioned & found.keys()):
            value, now = found[name]
            meaning = self._meaning(name, value)
            if meaning is _PLAIN_PYTHON:
                continue
            result[name] = meaning
            if not isinstance(meaning, ast.LanguageName):
                self.captured.append(Captured(name, value, now))
        return result

    def _meaning(self, name: str, value: Any) -> Any:
        """Return what a Python value means in a kernel, or `_PLAIN_PYTHON`."""
        if isinstance(value, bool | int | float | str | DType | ModuleType) or value is None:
            return value
        if isinstance(value, tuple):
            return _tuple(value)
        word = getattr(value, "name", None) or getattr(value, "__name__", None)
        module = getattr(value, "__module__", None) or type(value).__module__
        if type(value).__module__.startswith("tilec.") and word in DTYPES:
            return DTYPES[word]
        if module in _OWN_MODULES and isinstance(word, str):
            return ast.LanguageName(word)
        if getattr(builtins, name, _PLAIN_PYTHON) is value or isinstance(value, TypeVar):
            return _PLAIN_PYTHON
        helper = inspect.unwrap(value) if callable(value) else None
        if helper is not None and inspect.isfunction(helper):
            owner = type(value)
            is_kernel = owner.__module__.startswith("tilec.") and owner.__name__ == "Kernel"
            return self._helper(helper, is_kernel=is_kernel)
        return _foreign(name, value)

    def _helper(self, function: Callable[..., Any], *, is_kernel: bool) -> Any:
        """Return the module of a helper function, or why it is none: an error only when used."""
        if function in self.known:
            return self.known[function]
        name = function.__name__
        hint = "helpers are inlined: write a loop"
        self.known[function] = ast.ForeignValue("a helper that calls itself", hint)
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


def _source_lines(function: Callable[..., Any], code: CodeType) -> tuple[list[str], int]:
    linecache.checkcache(code.co_filename)
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError, SyntaxError) as failure:
        raise CompileError(_unreadable(function, code)) from failure
    if not _holds_definition(lines, code.co_name):
        raise CompileError(_unreadable(function, code))
    return lines, first


def _parsed(lines: list[str], function: Callable[..., Any], code: CodeType) -> python_ast.stmt:
    try:
        return python_ast.parse(textwrap.dedent("".join(lines))).body[0]
    except (SyntaxError, RecursionError, MemoryError, ValueError) as failure:
        raise CompileError(_unreadable(function, code)) from failure


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


def _holds_definition(lines: list[str], name: str) -> bool:
    """Tell a function made with `def` from a lambda and from a file that changed."""
    return any(line.lstrip().startswith(f"def {name}") for line in lines)


def _unreadable(function: Callable[..., Any], code: CodeType) -> Diagnostic:
    message = f"the source of '{code.co_name}' cannot be read back"
    hint = "define the kernel in a file; functions from exec, a prompt or a lambda have no source"
    line = code.co_firstlineno
    span = None
    if not code.co_filename.startswith("<"):
        span = SourceSpan(code.co_filename, line, 1, line, 2)
    del function
    return error("T0113", message, span, hint=hint)


_PLAIN_PYTHON = object()
"""Stands for a value that needs no mention: Python's own `max`, or the name of a dim."""
_OWN_MODULES = ("tilec.language",)


def _tuple(value: tuple[Any, ...]) -> Any:
    """Return a tuple whose items a kernel can use, else why it cannot."""
    pending, count = [*value], 0
    while pending and count <= MAX_TUPLE_VALUES:
        item = pending.pop()
        count += 1
        if isinstance(item, tuple):
            pending.extend(item)
        elif not isinstance(item, bool | int | float | str | DType) and item is not None:
            what = f"a tuple that holds a {type(item).__name__}"
            return ast.ForeignValue(what, "numbers, strings and tuples of them can be used")
    if count > MAX_TUPLE_VALUES:
        what = f"a tuple of more than {MAX_TUPLE_VALUES} values"
        return ast.ForeignValue(what, "pass an array instead")
    return value


def _foreign(name: str, value: Any) -> ast.ForeignValue:
    """Return what stands for a Python value that has no meaning in a kernel."""
    kind = type(value)
    if callable(value):
        home = getattr(value, "__module__", None) or kind.__module__
        what = f"'{home}.{getattr(value, '__name__', name)}'"
        return ast.ForeignValue(what, "a kernel uses tilec's own functions, and helpers in Python")
    what = f"a {kind.__module__}.{kind.__name__}".replace(" builtins.", " ")
    return ast.ForeignValue(what, "pass it as an argument, or make it a number with int or float")
