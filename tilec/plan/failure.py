"""The error of a plan that is impossible."""

from typing import NoReturn

from tilec.support.diagnostics import CompileError, error


def fail(code: str, message: str, hint: str | None = None) -> NoReturn:
    """Refuse a plan.

    Raises:
        CompileError: Always.
    """
    raise CompileError(error(code, message, hint=hint))
