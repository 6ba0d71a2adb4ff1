"""Passes by name: what one is, how it registers and how it is found.

A pass is a function over a module plus the name under which the pipeline, the command line, the
docs and the lit tests know it. Upstream passes (`canonicalize`, `cse`, ...) keep their MLIR names.
"""

import sys
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from tilec.ir.attributes import read_kernel_fact
from tilec.ir.walks import reading
from tilec.passes.analysis.kernels import kernel_functions
from tilec.request.gpu import get_gpu
from tilec.request.options import Origin
from tilec.request.target import TARGETS, Target
from tilec.support.diagnostics import DiagnosticSink, InternalCompilerError, SourceFile
from tilec.support.fast_dataclasses import dataclass, field, replace


@dataclass
class PassContext:
    """What a pass may consult, in addition to the IR.

    Attributes:
        target: Architecture to compile for.
        sink: Collects remarks and warnings.
        plan_overrides: Plan fields that the user fixed (`--plan stages=4`).
        problem_sizes: Extents of named dims to plan for (`--size M=8192`).
        buffer: Name of the file that MLIR calls `-`: the dump that was parsed, if one was.
        sources: Files that locations point into.
        origin: Who wrote the IR: what a pass cannot work on is a defect of tilec or a mistake in a
            file (`tilec.compiler.user_ir`).
        background: Takes checks that may run in parallel with code generation; None where they run
            at once.
    """

    target: Target = field(default_factory=lambda: TARGETS["sm_90a"])
    sink: DiagnosticSink = field(default_factory=DiagnosticSink)
    plan_overrides: dict[str, Any] = field(default_factory=dict)
    problem_sizes: dict[str, int] = field(default_factory=dict)
    buffer: str = "-"
    sources: tuple[SourceFile, ...] = ()
    origin: Origin = Origin.COMPILER
    background: list[Callable[[], None]] | None = None

    def overrides(self, function: Any) -> dict[str, Any]:
        """Return the plan fields of a kernel that the user fixed, here or by a hint."""
        return {**read_kernel_fact(function, "hints", {}), **self.plan_overrides}

    def target_of(self, function: Any) -> Target:
        """Return the architecture, with the GPU that a kernel is planned for."""
        name = read_kernel_fact(function, "gpu", self.target.gpu.name)
        return replace(self.target, gpu=get_gpu(name))

    def check(self, name: str, module: Any, run: Callable[[Any], None]) -> None:
        """Run a check of a module that changes nothing, now or later on a copy of it.

        Passes rely on what was checked before them. So the check runs now if the IR came from a
        file.

        Args:
            name: Pass that checks.
            module: What it checks.
            run: The check; it takes the module or its copy.
        """
        if self.background is None or self.origin is Origin.USER:
            with reading():
                run(module)
        else:
            self.background.append(partial(_run_later, name, module.operation.clone(ip=False), run))


def _run_later(name: str, module: Any, run: Callable[[Any], None]) -> None:
    """Run a check that a pass put off, which is an error of that pass if it fails."""
    try:
        with module.context, reading():
            run(module)
    except InternalCompilerError:
        raise
    except Exception as failure:
        message = f"{type(failure).__name__}: {failure}"
        raise InternalCompilerError(message, pass_name=name) from failure


PassFunction = Callable[[Any, PassContext], bool | None]
"""Rewrites an `ir.Module`, or a kernel of one, in place. One that returns False left it as it was,
so it need not be verified again; MLIR's pass manager does the same for passes that preserve all
analyses."""


@dataclass(frozen=True)
class RegisteredPass:
    """A pass of tilec under its pipeline name."""

    name: str
    summary: str
    run: PassFunction


_PASSES: dict[str, RegisteredPass] = {}


def register_pass(name: str) -> Callable[[PassFunction], PassFunction]:
    """Register the decorated function as pass `name`.

    The docstring of its module describes the pass; the first line of it is the summary.
    """

    def register(function: PassFunction) -> PassFunction:
        text = sys.modules[function.__module__].__doc__ or ""
        summary = text.strip().partition("\n")[0]
        _PASSES[name] = RegisteredPass(name, summary, function)
        return function

    return register


def register_kernel_pass(name: str) -> Callable[[PassFunction], PassFunction]:
    """Register the decorated function, which takes one kernel, as a pass over those of a module."""

    def register(function: PassFunction) -> PassFunction:
        @wraps(function)
        def run(module: Any, context: PassContext) -> bool | None:
            changed = [function(kernel, context) for kernel in kernel_functions(module)]
            return None if None in changed else any(changed)

        register_pass(name)(run)
        return function

    return register


def find_pass(name: str) -> RegisteredPass | None:
    """Return the tilec pass called `name`, or None (it may be an upstream pass)."""
    return _PASSES.get(name)


def registered_passes() -> tuple[RegisteredPass, ...]:
    """Return every tilec pass, in registration order."""
    return tuple(_PASSES.values())
