"""Checks mutants, and runs those that are accepted."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from tilec.compiler.driver import resume
from tilec.ir.bindings import MLIRError
from tilec.ir.context import make_context
from tilec.ir.text import parse_module, print_module
from tilec.passes.registry import PassContext
from tilec.passes.transforms.nv_tileas.verify.verify_async_protocol import verify_async_protocol
from tilec.passes.transforms.nv_tileas.verify.verify_placement import verify_placement
from tilec.request.options import CompileOptions
from tilec.runtime.aot import PackagedKernel
from tilec.runtime.compiled import CompiledKernel
from tilec.runtime.cuda.current import set_driver
from tilec.support.diagnostics import InternalCompilerError, SourceFile, TileError
from tools.emulator.device import EmulatedDriver, launch_copies
from tools.mutate_protocol.kernels import Case, cases
from tools.mutate_protocol.mutations import DATA, Mutation, apply, mutations_of

CAUGHT = "caught"
"""Refused by the protocol check."""
INVALID = "invalid"
"""Refused by a verifier, or by the conversion to LLVM."""
EQUIVALENT = "equivalent"
"""Accepted, and the results are the same."""
MISSED = "missed"
"""Accepted, and something goes wrong."""
CRASHED = "crashed"
"""The check fails with a Python error."""
DATA_CHANGED = "data"
"""Accepted and wrong, but what was changed is a coordinate or a value."""
FAILURES = (CRASHED, MISSED)
SEEDS = (0, 1, 2)
LONGEST = 60
"""Seconds of a run beyond which a mutant hangs."""
FILE = "mutant.mlir"


class HangError(Exception):
    """A mutant runs forever."""


@contextmanager
def _limited() -> Iterator[None]:
    """Bound the time of a `with`, in the main thread of a process."""

    def stop(*_: object) -> None:
        raise HangError(f"still running after {LONGEST} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LONGEST)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


class Subject:
    """A kernel as it is compiled, and its results.

    Attributes:
        text: Its final nv_tileas IR.
        mutations: Every mutation of it.
    """

    def __init__(self, case: Case) -> None:
        """Compile a kernel and run it.

        Raises:
            AssertionError: Its results depend on the order of events.
        """
        self._case = case
        with TemporaryDirectory() as folder, self._fresh_device() as device:
            kernel = case.load(Path(folder))
            self._inputs = case.arguments(kernel)
            compiled = case.compile(kernel, self._inputs)
            self.text = compiled.ir("nv_tileas")
            self._results = self._run(device, compiled, SEEDS[0])
            for seed in SEEDS[1:]:
                assert self._run(device, compiled, seed) == self._results, case.name
        self._context = make_context()
        self.mutations = mutations_of(self._module())

    def _module(self) -> Any:
        return parse_module(self.text, self._context, FILE)

    @contextmanager
    def _fresh_device(self) -> Iterator[EmulatedDriver]:
        """Run on a device on which nobody has left anything, such as counters of split tiles."""
        device = self._case.device()
        previous = set_driver(device)
        try:
            yield device
        finally:
            set_driver(previous)

    def mutant(self, mutation: Mutation) -> str:
        """Return the text of a mutant, which may be invalid."""
        module = self._module()
        apply(module, mutation)
        return print_module(module)

    def judge(self, mutation: Mutation) -> tuple[str, str]:
        """Return the verdict on a mutant, and what was found."""
        module = self._module()
        try:
            apply(module, mutation)
            module.operation.verify()
        except MLIRError as failure:
            return INVALID, str(failure).splitlines()[0]
        try:
            with _limited(), module.context:
                for check in (verify_placement, verify_async_protocol):
                    check(module, PassContext(buffer=FILE))
        except (InternalCompilerError, TileError) as failure:
            return CAUGHT, str(failure)
        except Exception as failure:
            return CRASHED, f"{type(failure).__name__}: {failure}"
        verdict, found = self._judge_run(print_module(module))
        if verdict == MISSED and mutation.subject == DATA:
            verdict = DATA_CHANGED
        return verdict, found

    def _judge_run(self, text: str) -> tuple[str, str]:
        """Return the verdict on an accepted mutant: how it runs."""
        options = CompileOptions(emit="ptx", start_from="nv_tileas")
        try:
            with patch("tilec.codegen.tools.find_tool", return_value=None):
                made = resume(SourceFile(FILE, text), options)
        except (InternalCompilerError, TileError) as failure:
            return INVALID, f"the conversion: {failure}"
        compiled = CompiledKernel(made.artifact)
        with self._fresh_device() as device:
            for seed in SEEDS:
                try:
                    with _limited():
                        found = self._run(device, compiled, seed)
                except Exception as failure:  # whatever the emulator finds
                    return MISSED, f"seed {seed}: {type(failure).__name__}: {failure}"
                if found != self._results:
                    return MISSED, f"seed {seed}: {self._difference(found)}"
        return EQUIVALENT, ""

    def _run(self, device: EmulatedDriver, compiled: CompiledKernel, seed: int) -> dict[str, bytes]:
        """Return all memory of the arrays after a run."""
        outputs = [
            item["name"] for item in compiled.metadata["arrays"] if item["access"] == "write"
        ]
        inputs = self._inputs.copy()
        inputs.poison(outputs)
        device.seed = seed
        launch_copies(device, PackagedKernel([compiled]), inputs)
        return {name: array.memory.tobytes() for name, array in inputs.arrays.items()}

    def _difference(self, found: dict[str, bytes]) -> str:
        names = [name for name, data in found.items() if data != self._results[name]]
        return f"other data in {', '.join(names)}"


@lru_cache(maxsize=4)
def subject(name: str) -> Subject:
    """Return the kernel called `name`, compiled once in a process."""
    return Subject(cases()[name])


def judge(name: str, numbers: list[int]) -> list[tuple[Mutation, str, str]]:
    """Judge mutations of the kernel called `name`, by their numbers."""
    own = subject(name)
    return [(own.mutations[n], *own.judge(own.mutations[n])) for n in numbers]
