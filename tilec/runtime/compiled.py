"""One compiled variant of a kernel: what can be inspected, saved and launched."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tilec.plan.summary import plan_summary
from tilec.request.target import get_target
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.cuda.api import Driver, LoadedKernel
from tilec.runtime.cuda.driver_errors import wrong_capability
from tilec.runtime.launch.grid import Grid
from tilec.runtime.launch.idle_sms import idle_sms, place_of
from tilec.runtime.launch.launcher import LaunchPlan, make_plan
from tilec.support.diagnostics import (
    CompileError,
    Diagnostic,
    PerformanceWarning,
    Severity,
    SourceFile,
    error,
)
from tilec.support.fast_dataclasses import replace
from tilec.support.locks import Lock


class CompiledKernel:
    """A kernel compiled for one target and one specialization.

    Attributes:
        artifact: Code, metadata and what else a launcher needs.
        remarks: Choices of the compiler, with their reasons.
    """

    def __init__(
        self,
        artifact: Any,
        remarks: Sequence[Diagnostic] = (),
        stage_text: Callable[[str], str] | None = None,
    ) -> None:
        """Wrap an artifact.

        Args:
            artifact: A `tilec.codegen.artifact.Artifact`.
            remarks: What the compiler said about its choices.
            stage_text: Returns the text of a stage; None for an artifact from a package.
        """
        self.artifact = artifact
        self.remarks = tuple(remarks)
        self._stage_text = stage_text
        self._has_warned = False
        self._has_idle_sms = False
        self._loaded: dict[tuple[int, int], list[tuple[Mapping[str, Any], LoadedKernel]]] = {}
        self._lock = Lock()

    def warn(self, sources: Sequence[SourceFile] = ()) -> None:
        """Pass on the compiler's warnings as warnings of Python, the first time.

        Args:
            sources: Files that the warnings point into.
        """
        if self._has_warned:
            return
        self._has_warned = True
        for item in self.remarks:
            if item.severity is Severity.WARNING:
                warnings.warn(item.render(sources), PerformanceWarning, stacklevel=2)

    def __repr__(self) -> str:
        return f"<CompiledKernel {self.name} for {self.artifact.target}>"

    @property
    def name(self) -> str:
        """Name of the kernel."""
        return self.metadata["name"]

    @property
    def metadata(self) -> Mapping[str, Any]:
        """The `tilec.kernel` dictionary of the last kernel that a launch runs."""
        return self.artifact.kernels[-1].metadata

    @property
    def ptx(self) -> str:
        """PTX text, with the comment block that says how to launch it."""
        from tilec.codegen.header import header_comment

        body = "\n".join(image.ptx for image in self.artifact.kernels)
        return header_comment(self.artifact) + body

    @property
    def cubin(self) -> bytes:
        """Machine code of the last kernel that a launch runs; empty when ptxas did not run."""
        return self.artifact.kernels[-1].cubin

    @property
    def sass(self) -> str:
        """Disassembled machine code.

        Raises:
            CompileError: There is no machine code, or no nvdisasm.
        """
        from tilec.codegen.sass import disassemble

        return disassemble(self.cubin)

    @property
    def registers(self) -> int:
        """32-bit registers per thread at the start of the kernel."""
        return max(image.registers for image in self.artifact.kernels)

    @property
    def shared_bytes(self) -> int:
        """Dynamic shared memory of a block, in bytes."""
        return max(image.metadata.get("shared_bytes", 0) for image in self.artifact.kernels)

    @property
    def constants(self) -> Mapping[str, Any]:
        """Value of every `const` parameter, those included that the planner chose."""
        return self.metadata.get("constants", {})

    @property
    def plan(self) -> Mapping[str, Any]:
        """The plan of the kernel, as `--emit plan` shows it.

        Stages, cluster, warp roles and registers with their reasons; the tiles that the planner
        chose and the next best (`tile_candidates`); threads and shared memory of a block.
        """
        return plan_summary(self.metadata)

    def ir(self, stage: str) -> str:
        """Return the IR at the end of a stage.

        Args:
            stage: `cuda_tile`, `nv_tileaa`, `nv_tileas`, `llvm`, `llvmir` or `ptx`.

        Raises:
            CompileError: There is no such stage, or the kernel came from a package.
        """
        from tilec.request.stages import STAGE_NAMES

        if stage == "ptx":
            return self.ptx
        stages = (*STAGE_NAMES, "llvmir")
        if stage not in stages:
            hint = f"use one of: {', '.join((*stages, 'ptx'))}"
            raise CompileError(error("T0720", f"there is no stage called '{stage}'", hint=hint))
        if self._stage_text is None:
            raise CompileError(
                error(
                    "T0721",
                    f"the package of {self.name} holds no IR",
                    hint="compile it from source",
                )
            )
        return self._stage_text(stage)

    def load(self, driver: Driver, device: int) -> list[tuple[Mapping[str, Any], LoadedKernel]]:
        """Return metadata and loaded code of every kernel, in launch order.

        Raises:
            DeviceError: The GPU cannot run the code, or the driver cannot load it.
        """
        key = (id(driver), device)
        with self._lock.held:
            if key not in self._loaded:
                check_capability(driver, device, self.artifact.target)
                self._loaded[key] = [
                    (
                        image.metadata,
                        driver.load(
                            device,
                            image.name,
                            image.cubin,
                            image.ptx,
                            image.metadata.get("shared_bytes", 0),
                        ),
                    )
                    for image in self.artifact.kernels
                ]
            return self._loaded[key]

    def plan_launch(
        self,
        driver: Driver,
        arguments: BoundArguments,
        grid: Grid | None,
        run_time_scalars: Sequence[str],
    ) -> LaunchPlan:
        """Check the arguments against this variant and prepare its launch.

        Raises:
            TileError: A precondition is broken, or the GPU cannot run the code.
        """
        plan = make_plan(
            driver,
            self.load(driver, arguments.device or 0),
            arguments,
            grid,
            run_time_scalars,
            self.artifact.workspaces,
            self.artifact.hidden_parameters,
        )
        plan.variant = self
        self._warn_of_idle_sms(driver, arguments, plan)
        return plan

    def _warn_of_idle_sms(
        self, driver: Driver, arguments: BoundArguments, plan: LaunchPlan
    ) -> None:
        """Warn of a launch whose blocks leave most SMs idle for long, the first time."""
        if self._has_idle_sms or not plan.launches:
            return
        info = driver.device(arguments.device or 0)
        environment = {**self.constants, **arguments.environment()}
        ctas = plan.launches[-1].prepared.shape.blocks
        found = idle_sms(self.metadata, environment, ctas, info.sm_count)
        if found is not None:
            self._has_idle_sms = True
            placed = replace(found, span=place_of(self.remarks))
            warnings.warn(placed.render(), PerformanceWarning, stacklevel=2)


def check_capability(driver: Driver, device: int, target: str) -> None:
    """Check that a GPU can run code for `target`.

    Raises:
        DeviceError: Its compute capability is another one. Code for an architecture with the
            suffix `a` runs on that architecture only (PTX ISA, `.target`).
    """
    needed = get_target(target).compute_capability
    info = driver.device(device)
    if info.compute_capability != needed:
        raise wrong_capability(target, needed, device, info.name, info.compute_capability)
