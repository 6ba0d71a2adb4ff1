"""What a compilation is asked to do besides the program itself. Pure Python: no MLIR import."""

import enum
from pathlib import Path

from tilec.request.stages import STAGE_NAMES, TEXT_STAGES
from tilec.support.fast_dataclasses import dataclass

EMIT_CHOICES: tuple[str, ...] = (*STAGE_NAMES, *TEXT_STAGES, "plan", "package")
"""What `--emit` takes, in pipeline order. A plan is final when ptxas did not spill."""
RESUME_CHOICES: tuple[str, ...] = (*STAGE_NAMES, "llvmir", "ptx")
"""What `--start-from` takes: the stages whose dump can be read back."""
ASSEMBLED: tuple[str, ...] = ("cubin", "sass")
"""What cannot be emitted without ptxas."""
ALL_PASSES = "all"
"""Value of `--print-ir-after` that means every pass."""


class Origin(enum.Enum):
    """Who wrote the IR that passes work on, and so whose fault it is when one cannot."""

    COMPILER = "tilec"
    USER = "a file"


@dataclass(frozen=True, slots=True)
class CompileOptions:
    """Options of one compilation.

    Attributes:
        target: Architecture, a key of `tilec.request.target.TARGETS`.
        emit: Last step to run, one of `EMIT_CHOICES`; later ones are skipped.
        start_from: Stage that the input is a dump of; None when it is a `.tile` source.
        dump_directory: Folder for the IR after every pass, the PTX, the SASS and the plan.
        print_after: Passes after which the IR is printed on standard error.
        lineinfo: Keep source lines in the PTX and the cubin.
        allow_spills: What becomes of a kernel all of whose plans spill registers or serialise
            wgmma: None for a warning (T0608, T0609), True for a remark, False for an error.
        debug_waits: Give every wait on an mbarrier a cycle limit and a report.
        run_ptxas: Assemble the PTX, which also checks it.
        count_operations: Count the operations after every pass, for the timings.
    """

    target: str = "sm_90a"
    emit: str = "package"
    start_from: str | None = None
    dump_directory: Path | None = None
    print_after: tuple[str, ...] = ()
    lineinfo: bool = False
    allow_spills: bool | None = None
    debug_waits: bool = False
    run_ptxas: bool = True
    count_operations: bool = False

    @property
    def assembles(self) -> bool:
        """Whether ptxas shall run, where it is installed."""
        return self.run_ptxas or self.emit in ASSEMBLED

    @property
    def origin(self) -> Origin:
        """Who wrote the IR."""
        return Origin.COMPILER if self.start_from is None else Origin.USER

    def reaches(self, step: str) -> bool:
        """Tell whether the compilation goes as far as `step`, one of `EMIT_CHOICES`."""
        return EMIT_CHOICES.index(step) <= EMIT_CHOICES.index(self.emit)

    def prints_after(self, pass_name: str) -> bool:
        """Tell whether the IR is printed after pass `pass_name`."""
        return pass_name in self.print_after or ALL_PASSES in self.print_after
