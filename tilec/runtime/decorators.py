"""Kernels and helpers written in Python: `@tilec.kernel` and `@tilec.function`."""

import functools
from collections.abc import Callable
from typing import Any, overload

from tilec.frontend.semantics.not_yet import Usage, lacking
from tilec.frontend.syntax.python_text import missing_source, place_of
from tilec.runtime.errors import launch_error
from tilec.runtime.jit import Kernel
from tilec.runtime.kernel_text import CapturedName, Contents, KernelText
from tilec.runtime.variants import PlanFields
from tilec.support.diagnostics import CompileError, Diagnostic, error
from tilec.support.fast_dataclasses import replace


class Function:
    """A helper function that kernels inline; it cannot be called from Python."""

    def __init__(self, function: Callable[..., Any]) -> None:
        """Mark `function` as a helper of kernels."""
        functools.update_wrapper(self, function)

    def __repr__(self) -> str:
        return f"<tilec.function {getattr(self, '__name__', '')}>"

    def __call__(self, *_: Any, **__: Any) -> None:
        """Refuse: only a kernel can call it.

        Raises:
            LaunchError: Always.
        """
        name = getattr(self, "__name__", "the function")
        raise launch_error("T0717", f"{name} is a tilec.function: only kernels can call it")


@overload
def kernel(function: Callable[..., Any], /) -> Kernel: ...


@overload
def kernel(
    *,
    target: str = "sm_90a",
    debug_waits: bool = False,
    allow_spills: bool | None = None,
    **plan: int | tuple[int, ...],
) -> Callable[[Callable[..., Any]], Kernel]: ...


def kernel(
    function: Callable[..., Any] | None = None,
    /,
    *,
    target: str = "sm_90a",
    debug_waits: bool = False,
    allow_spills: bool | None = None,
    **plan: int | tuple[int, ...],
) -> Kernel | Callable[[Callable[..., Any]], Kernel]:
    """Make a kernel of a Python function: `@tilec.kernel` or `@tilec.kernel(stages=4)`.

    The function is never executed: its source is compiled, so Python must be able to find it. That
    is so for files and notebooks, and from Python 3.13 on for prompts and `python -c`.

    Args:
        function: The decorated function.
        target: Architecture to compile for.
        debug_waits: Report deadlocks instead of hanging the GPU; see `Kernel`.
        allow_spills: Whether registers may spill and wgmma be serialised; see `Kernel`.
        **plan: Fields of the plan to fix.

    Raises:
        CompileError: The function stands in no file, and its source cannot be found (T0113), the
            plan has no such field (T0420), or a value is impossible (T0421).
        LaunchError: What is decorated is no function (T0717).
    """
    decorate = functools.partial(
        _decorated, plan=plan, target=target, debug_waits=debug_waits, allow_spills=allow_spills
    )
    return decorate if function is None else decorate(function)


def _decorated(
    function: Callable[..., Any],
    *,
    plan: PlanFields,
    target: str,
    debug_waits: bool,
    allow_spills: bool | None,
) -> Kernel:
    text = python_text(function)
    missing = missing_source(function) or _wrong_hint(plan)
    if missing is not None:
        raise CompileError(replace(missing, span=missing.span or place_of(function)))
    made = Kernel(
        text, function.__name__, plan, target, debug_waits=debug_waits, allow_spills=allow_spills
    )
    functools.update_wrapper(made, function)
    return made


def _wrong_hint(plan: PlanFields) -> Diagnostic | None:
    """Return the error that a field of the plan is unknown or impossible, if there is one.

    The CPU reference has no plan, so nothing else would say so there.
    """
    from tilec.plan.overrides import parse_overrides

    for name in plan:
        entry = lacking(Usage.HINT, name)
        if entry is not None:
            return error("T0420", entry.message(name), hint=entry.hint)
    try:
        parse_overrides(plan)
    except CompileError as failure:
        return failure.diagnostics[0]
    return None


def python_text(function: Callable[..., Any]) -> KernelText:
    """Return the kernel that a Python function is the source of.

    Raises:
        LaunchError: It is no function (T0717).
    """
    _check_function(function, "@tilec.kernel")
    captured: list[CapturedName] = []

    def read() -> Contents:
        from tilec.frontend.syntax.python_source import parse_python_kernel

        found = parse_python_kernel(function)
        captured[:] = found.captured
        return found.source, found.constants

    return KernelText(read, captured)


def function(decorated: Callable[..., Any], /) -> Function:
    """Make a helper of a Python function: kernels that call it inline its body.

    Raises:
        LaunchError: What is decorated is no function (T0717).
    """
    _check_function(decorated, "@tilec.function")
    return Function(decorated)


def _check_function(function: Any, decorator: str) -> None:
    if isinstance(function, type) or not callable(function) or not hasattr(function, "__name__"):
        raise launch_error("T0717", f"{decorator} decorates a function, not {function!r}")
