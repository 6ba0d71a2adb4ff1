"""The result of a compilation: every stage's text, the artifact, remarks and timings."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tilec.support import compiler_threads
from tilec.support.diagnostics import (
    Diagnostic,
    DiagnosticSink,
    InternalCompilerError,
    SourceFile,
    TileError,
)
from tilec.support.fast_dataclasses import dataclass, field, replace
from tilec.support.isolation import step as report_step

_LONGEST_TIME = "99999.9"
_MILLISECONDS = 1000.0
ABANDONED = "abandoned"
"""Stage of the time that went into plans which did not fit."""


@dataclass(slots=True)
class Timing:
    """One step of a compilation.

    Attributes:
        stage: Stage or phase that the step belongs to.
        step: Pass name, or what the phase did.
        seconds: Wall-clock time.
        operations: Operations in the module afterwards; None when the step has no module.
        overlapped: Whether it ran in parallel with later steps, and so is no part of the total.
    """

    stage: str
    step: str
    seconds: float = 0.0
    operations: int | None = None
    overlapped: bool = False


class Stopwatch:
    """Collects the timings of one compilation."""

    def __init__(self) -> None:
        """Start with no timings."""
        self.timings: list[Timing] = []
        self.started = time.perf_counter()

    def add_abandoned(self, earlier: "Stopwatch", plan: str) -> None:
        """Take over the time of a compilation whose plan was given up.

        Args:
            earlier: Its stopwatch, which also knows the plans that were given up before it.
            plan: How to call it.
        """
        before = [item for item in earlier.timings if item.stage == ABANDONED]
        seconds = time.perf_counter() - earlier.started
        name = f"plan {len(before) + 1}: {plan}"
        self.timings += [*before, Timing(ABANDONED, name, seconds)]

    @contextmanager
    def step(self, stage: str, step: str, *, overlapped: bool = False) -> Iterator[Timing]:
        """Measure the body of a `with`; it may fill in the operation count.

        Raises:
            InternalCompilerError: The body failed otherwise than with an error of tilec.
        """
        timing = Timing(stage, step, overlapped=overlapped)
        started = time.perf_counter()
        try:
            with report_step(step):
                yield timing
        except (TileError, InternalCompilerError):
            raise
        except Exception as failure:
            message = f"{type(failure).__name__}: {failure}"
            raise InternalCompilerError(message, pass_name=f"{stage}: {step}") from failure
        finally:
            timing.seconds = time.perf_counter() - started
            self.timings.append(timing)


@dataclass
class Compilation:
    """One kernel compiled as far as it was asked for.

    Attributes:
        kernel: Name of the kernel; empty when the input was PTX without metadata.
        sources: What was compiled, and the files that it imports.
        sink: Remarks and warnings, in the order in which they were made.
        timings: Every step with its time.
        snapshots: Copy of the module at the end of every MLIR stage that ran.
        texts: LLVM IR (`llvmir`), `ptx`, `plan` (JSON) and `sass`, as far as they were made.
        artifact: What a launcher needs; None when the compilation stopped before PTX.
        assembly: What ptxas said; None when it did not run.
    """

    kernel: str
    sources: tuple[SourceFile, ...]
    sink: DiagnosticSink = field(default_factory=DiagnosticSink)
    timings: list[Timing] = field(default_factory=list)
    snapshots: dict[str, Any] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    artifact: Any = None
    assembly: Any = None

    @property
    def remarks(self) -> tuple[Diagnostic, ...]:
        """Every remark and warning, in order."""
        return tuple(self.sink.items)

    def module_text(self, stage: str) -> str:
        """Return the text of `stage`: an MLIR stage, `llvmir`, `ptx`, `plan` or `sass`.

        Raises:
            KeyError: The compilation did not reach that stage.
        """
        if stage in self.texts:
            return self.texts[stage]
        from tilec.ir.text import print_module

        return compiler_threads.run_locked(
            lambda: print_module(self.snapshots[stage], verified=True)
        )

    def detach(self) -> "Compilation":
        """Return the compilation with the text of its modules in their place, for another process.

        Types of MLIR do not leave theirs.
        """
        texts = {stage: self.module_text(stage) for stage in self.snapshots}
        return replace(self, snapshots={}, texts={**texts, **self.texts})

    def resource_usage(self) -> str:
        """Return one line with what ptxas reports; empty when it did not run."""
        found = self.assembly
        if found is None:
            return ""
        spilled = found.spill_stores + found.spill_loads
        dynamic = self.artifact.kernels[0].metadata.get("shared_bytes", 0)
        return (
            f"ptxas: {found.registers} registers, {spilled} bytes spilled, "
            f"{found.shared_bytes + dynamic} bytes of shared memory"
        )


def format_timings(timings: Sequence[Timing]) -> str:
    """Return the table that `--timing` prints: stage, step, operations, milliseconds."""
    rows = [("stage", "step", "ops", "ms")]
    for item in timings:
        operations = "" if item.operations is None else str(item.operations)
        rows.append((item.stage, item.step, operations, f"{item.seconds * _MILLISECONDS:.1f}"))
    total = sum(item.seconds for item in timings if not item.overlapped)
    rows.append(("total", "", "", f"{total * _MILLISECONDS:.1f}"))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    # Two compiles of one kernel line up, however long they took.
    widths[-1] = max(widths[-1], len(_LONGEST_TIME))
    lines = [
        f"{stage:<{widths[0]}}  {step:<{widths[1]}}  {ops:>{widths[2]}}  {ms:>{widths[3]}}"
        for stage, step, ops, ms in rows
    ]
    return "\n".join(line.rstrip() for line in lines)
