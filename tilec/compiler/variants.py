"""Compiles the variant that a launch takes, which may follow from the plan of another one."""

import time

from tilec.compiler.attempts import Choose, OtherVariantError
from tilec.compiler.compilation import ABANDONED, Compilation, Timing
from tilec.compiler.program import Program
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization


def compile_variant(
    program: Program,
    kernel: str | None,
    specialization: Specialization,
    options: CompileOptions,
    choose: Choose,
) -> Compilation:
    """Compile one kernel; stop where a plan says that a launch takes another one, and compile that.

    Args:
        program: The program.
        kernel: Name of the kernel; None when the program has only one.
        specialization: What is known about its arguments.
        options: How far to go and what to show on the way.
        choose: Returns what to compile instead; see `compile_kernel`.

    Raises:
        CompileError: The program is wrong, or cannot be compiled for the target.
    """
    from tilec.compiler.driver import compile_kernel

    planned: list[Timing] = []
    while True:
        started = time.perf_counter()
        try:
            made = compile_kernel(program, kernel, specialization, options, choose)
        except OtherVariantError as found:
            title = f"variant {len(planned) + 1}: {specialization.variant or 'any launch'}"
            planned.append(Timing(ABANDONED, title, time.perf_counter() - started))
            specialization = found.specialization
        else:
            made.timings[:0] = planned
            return made
