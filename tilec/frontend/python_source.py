"""The other door: kernels written as decorated Python functions.

The text comes from `inspect.getsource` and goes through the same grammar. It is padded with empty
lines so that every position is that of the Python file. Numbers, element types and helper functions
that the kernel uses from its module are handed over as values.
"""

import ast as python_ast
import inspect
import linecache
import textwrap
from collections.abc import Callable, Mapping
from types import CodeType, ModuleType
from typing import Any, NamedTuple

from tilec.diagnostics import CompileError, Diagnostic, SourceFile, SourceSpan, error
from tilec.dtypes import DTYPES, DType
from tilec.frontend import ast
from tilec.frontend.parser import parse_source


class PythonKernel(NamedTuple):
    """A decorated function as a source.

    Attributes:
        source: The lines of the function at their place in the Python file.
        name: Name of the function.
        constants: What its global names mean: numbers, strings, tuples of them, element types,
            modules, and `ast.Module`s of helper functions (a `CompileError` for one that is not in
            the language). Pass it to `parse_source`.
    """

    source: SourceFile
    name: str
    constants: Mapping[str, Any]


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
    return _read(inspect.unwrap(function), {}, is_kernel=True)


def _read(function: Callable[..., Any], known: dict[Any, Any], *, is_kernel: bool) -> PythonKernel:
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        message = f"{function!r} is not a Python function"
        raise CompileError(error("T0113", message, hint="decorate a function made with 'def'"))
    linecache.checkcache(code.co_filename)
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError, SyntaxError) as failure:
        raise CompileError(_unreadable(function, code)) from failure
    if not _holds_definition(lines, code.co_name):
        raise CompileError(_unreadable(function, code))
    tree = python_ast.parse(textwrap.dedent("".join(lines))).body[0]
    _replace_decorators(lines, tree, is_kernel=is_kernel)
    source = SourceFile(code.co_filename, "\n" * (first - 1) + "".join(lines))
    return PythonKernel(source, code.co_name, _globals_of(function, code, tree, known))


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


def _globals_of(
    function: Callable[..., Any], code: CodeType, tree: python_ast.stmt, known: dict[Any, Any]
) -> dict[str, Any]:
    """Return the global and enclosing names that a function mentions, as far as a kernel can."""
    scope: dict[str, Any] = dict(getattr(function, "__globals__", {}))
    cells = getattr(function, "__closure__", None) or ()
    for name, cell in zip(code.co_freevars, cells, strict=False):
        try:
            scope[name] = cell.cell_contents
        except ValueError:  # assigned later in the enclosing function
            continue
    result: dict[str, Any] = {}
    nodes = python_ast.walk(tree)
    mentioned = {node.id for node in nodes if isinstance(node, python_ast.Name)}
    for name in sorted(mentioned & scope.keys()):
        value = _plain_value(scope[name], known)
        if value is not _UNUSABLE:
            result[name] = value
    return result


_UNUSABLE = object()


def _plain_value(value: Any, known: dict[Any, Any]) -> Any:
    """Return what a Python value means in a kernel, or `_UNUSABLE`."""
    if isinstance(value, bool | int | float | str | DType | ModuleType) or value is None:
        return value
    if isinstance(value, tuple):
        items = tuple(_plain_value(item, known) for item in value)
        return _UNUSABLE if any(item is _UNUSABLE for item in items) else items
    name = getattr(value, "name", None)
    if type(value).__module__.startswith("tilec.") and name in DTYPES:
        return DTYPES[name]
    if not callable(value):
        return _UNUSABLE
    helper = inspect.unwrap(value)
    if not inspect.isfunction(helper) or (helper.__module__ or "").startswith("tilec."):
        return _UNUSABLE
    is_kernel = type(value).__module__.startswith("tilec.") and type(value).__name__ == "Kernel"
    return _helper(helper, known, is_kernel=is_kernel)


def _helper(function: Callable[..., Any], known: dict[Any, Any], *, is_kernel: bool) -> Any:
    """Return the module of a helper function, or why it is none: an error only when used."""
    if function in known:
        return known[function]
    known[function] = _UNUSABLE  # ends the recursion of helpers that call each other
    try:
        read = _read(function, known, is_kernel=is_kernel)
        known[function] = parse_source(read.source, read.constants)
    except CompileError as failure:
        known[function] = failure
    return known[function]
