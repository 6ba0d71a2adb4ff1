"""The lines of a Python function, wherever Python can find them: a file, a notebook, a prompt.

`inspect` and `linecache` know the text of files, of notebook cells and, from Python 3.13 on, of
functions typed at a prompt or given to `python -c`. Nobody knows the text of functions that `exec`
made.
"""

import inspect
import linecache
from collections.abc import Callable
from types import CodeType
from typing import Any

from tilec.support.diagnostics import CompileError, Diagnostic, SourceSpan, error

_SUSPENDED = inspect.CO_COROUTINE | inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR
"""Flags of functions that do not run to their end at once."""


def code_of(function: Callable[..., Any]) -> CodeType:
    """Return the code object of a Python function.

    Raises:
        CompileError: It is no function made with `def` or `lambda` (T0113).
    """
    code = getattr(function, "__code__", None)
    if isinstance(code, CodeType):
        return code
    message = f"{function!r} is not a Python function"
    raise CompileError(error("T0113", message, hint="decorate a function made with 'def'"))


def source_lines(function: Callable[..., Any], code: CodeType) -> tuple[list[str], int]:
    """Return the lines of a function, decorators included, and the number of the first one.

    Raises:
        CompileError: No text of the function can be found (T0113).
    """
    linecache.checkcache(code.co_filename)
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError, SyntaxError, IndexError):
        raise CompileError(unreadable(code)) from None
    if not any(line.lstrip().startswith(f"def {code.co_name}") for line in lines):
        raise CompileError(unreadable(code))
    return lines, first


def missing_source(function: Callable[..., Any]) -> Diagnostic | None:
    """Return the error that a function that stands in no file cannot be read, if that is so.

    A function of a file is not looked at: reading it can wait.
    """
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType) or not _is_pseudo_file(code.co_filename):
        return None
    try:
        source_lines(function, code)
    except CompileError as failure:
        return failure.diagnostics[0]
    return None


def unreadable(code: CodeType) -> Diagnostic:
    """Return the error that the text of a function cannot be found."""
    name, file = code.co_name, code.co_filename
    if code.co_flags & _SUSPENDED:
        message = f"'{name}' is a coroutine or a generator, which no kernel or helper can be"
        return error("T0113", message, _place(code), hint="write a plain 'def' without 'yield'")
    if name == "<lambda>":
        message = "a lambda cannot be a kernel or a helper"
        return error("T0113", message, _place(code), hint="write a function with 'def'")
    if _is_pseudo_file(file):
        message = (
            f"the source of '{name}' cannot be read: it does not stand in a file, but was made by"
            f" 'exec' or 'python -c', or typed at a prompt ({file})"
        )
        hint = "put it into a file, or load the text of the kernel with 'tilec.loads(text)'"
        return error("T0113", message, hint=hint)
    message = f"the source of '{name}' cannot be read: {file} is missing, or has changed"
    hint = "import the file again, or load the text of the kernel with 'tilec.loads(text)'"
    return error("T0113", message, _place(code), hint=hint)


def place_of(function: Callable[..., Any]) -> SourceSpan | None:
    """Return the first line of a function, decorators included; None where no file has it."""
    code = getattr(function, "__code__", None)
    return _place(code) if isinstance(code, CodeType) else None


def _place(code: CodeType) -> SourceSpan | None:
    if _is_pseudo_file(code.co_filename):
        return None
    line = code.co_firstlineno
    return SourceSpan(code.co_filename, line, 1, line, 2)


def _is_pseudo_file(name: str) -> bool:
    """Tell whether a name such as `<string>` stands for text that is no file."""
    return name.startswith("<") and name.endswith(">")
