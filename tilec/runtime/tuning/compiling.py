"""Compiles the candidates of a search, in several processes at a time.

A candidate takes 0.3 to 2 s of one core, most of it in Python, and a search has tens of them. What
comes out does not depend on the number of processes: the search takes the results in its own order.
"""

import os
import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from tilec.compiler.backend import import_compiler
from tilec.request.specialization import Specialization
from tilec.runtime import cache_entry  # noqa: F401 - threads without the lock import nothing
from tilec.runtime.cache import compiler_fingerprint, variant_key
from tilec.runtime.compiled import CompiledKernel
from tilec.runtime.stored_kernels import kernel_key
from tilec.runtime.variants import Variants
from tilec.support import compiler_threads
from tilec.support.diagnostics import (
    Diagnostic,
    InternalCompilerError,
    TileError,
    remark,
)
from tilec.support.workers import Apart, Workers, why_not_sent

if TYPE_CHECKING:
    from concurrent.futures import Future

MOST_PROCESSES = 12
"""Of 0.3 to 0.5 GB each. A step of a search has about ten candidates."""


class Compilers(AbstractContextManager["Compilers", None]):
    """Compiles variants of one kernel for some time. A `with` ends its processes.

    Attributes:
        remarks: Why it compiles in this process alone, if not for want of cores.
    """

    def __init__(self, variants: Variants, seconds: float) -> None:
        """Start nothing yet.

        Args:
            variants: Of the kernel.
            seconds: Time after which nothing more is compiled.
        """
        self._variants = variants
        self._deadline = time.monotonic() + seconds
        self._workers: Workers | None = None
        self._started: dict[str, Future[CompiledKernel | None]] = {}
        self.remarks: tuple[Diagnostic, ...] = ()
        if _processes() == 1:
            return
        why_not = _why_not_sent(variants)
        if why_not is None:
            self._workers = Workers(_processes())
        else:
            message = f"{variants.name} compiles one candidate after the other"
            self.remarks = (remark("T0435", f"{message}: no other one can read it ({why_not})"),)

    def start(self, specializations: Sequence[Specialization]) -> None:
        """Begin with what `variant` will be asked for.

        Where there is no second process, `variant` compiles. So it does for a single one, which a
        new process takes longer for.
        """
        if self._workers is None or self._is_over():
            return
        missing = {variant_key(item): item for item in specializations if self._takes_long(item)}
        if len(missing) < 2:
            return
        is_first = not self._started
        for key, item in missing.items():
            self._started[key] = self._workers.submit(
                lambda apart, wanted=item: self._compile(wanted, apart)
            )
        # What the other processes import now, a larger step does not wait for later.
        for _ in range(_processes() - len(missing) if is_first else 0):
            self._workers.submit(lambda apart: apart(import_compiler))

    def _takes_long(self, specialization: Specialization) -> bool:
        """Tell whether a kernel has to be compiled, as far as can be said before.

        It was neither begun nor is it on disk, and nothing is wrong with its constants: `variant`
        says what is.
        """
        if variant_key(specialization) in self._started:
            return False
        variants = self._variants
        try:
            identity = variants.identity(specialization)
        except (TileError, InternalCompilerError):
            return False
        program, options = variants.text.program, variants.options
        return not variants.cache.has(kernel_key(program, variants.name, identity, options))

    def variant(self, specialization: Specialization) -> CompiledKernel | None:
        """Return the kernel for a specialization; None if the time was over before it had begun.

        Raises:
            CompileError: It cannot be compiled.
            InternalCompilerError: The compiler has a bug.
        """
        started = self._started.get(variant_key(specialization))
        return self._compile(specialization, None) if started is None else started.result()

    def _compile(
        self, specialization: Specialization, apart: Apart | None
    ) -> CompiledKernel | None:
        if self._is_over():
            return None
        return self._variants.variant(specialization, warns=False, apart=apart)

    def _is_over(self) -> bool:
        return time.monotonic() > self._deadline

    def __exit__(self, *failure: object) -> None:
        """End the processes."""
        if self._workers is not None:
            self._workers.__exit__(*failure)


def _processes() -> int:
    """Return how many processes may run side by side on the cores that this one may use."""
    return min(MOST_PROCESSES, len(os.sched_getaffinity(0)))


def _why_not_sent(variants: Variants) -> str | None:
    """Return why another process cannot get the program of a kernel; import what that takes.

    The tree of a kernel in Python may hold objects of its module, such as members of an `IntEnum`.
    """

    def check() -> str | None:
        compiler_fingerprint()
        return why_not_sent(variants.text.program)

    return compiler_threads.run_locked(check)
