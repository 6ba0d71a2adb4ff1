"""The variants of a kernel in source form: found in memory, on disk, or compiled."""

from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from tilec.request.gpu import DEFAULT_GPU
from tilec.request.options import CompileOptions
from tilec.request.specialization import ANY_TILE_EXTENTS, Specialization
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.args.signature_binding import (
    CONST,
    OPTIONAL,
    Interface,
)
from tilec.runtime.args.specialize import find_overlaps, specialize
from tilec.runtime.cache import DiskCache, variant_key
from tilec.runtime.compiled import CompiledKernel, check_capability
from tilec.runtime.cuda.api import Driver
from tilec.runtime.kernel_text import KernelText
from tilec.runtime.launch.grid import Grid, count_blocks, launch_grid
from tilec.runtime.launch.launcher import LaunchPlan
from tilec.runtime.launch_variants import next_variant
from tilec.runtime.stored_kernels import StoredKernel, kernel_key, obtain_kernel
from tilec.runtime.tuned_plans import TunedPlans
from tilec.support import compiler_threads
from tilec.support.locks import Lock, computed

if TYPE_CHECKING:
    from tilec.support.workers import Apart

_MAX_FACTS = 256
"""Analyses of a kernel that are kept; beyond that all go."""

PlanFields = Mapping[str, int | tuple[int, ...]]


@dataclass(frozen=True)
class VariantIdentity:
    """What tells a variant from the others of its kernel.

    Attributes:
        specialization: What it is compiled for, every constant bound, no size or GPU known.
        planned: Constants that the planner chose. They may give way to a runner-up; what the
            caller fixed may not.
        decided: Fields of the plan that were decided with them, but for those that the caller
            fixed.
    """

    specialization: Specialization
    planned: tuple[str, ...] = ()
    decided: Mapping[str, Any] = field(default_factory=dict)


def _regardless_of_elements(specialization: Specialization) -> Specialization:
    """Return what serves arrays with and without elements alike."""
    arrays = {name: replace(array, empty=False) for name, array in specialization.arrays.items()}
    return replace(specialization, arrays=arrays)


class Variants:
    """The compiled variants of one kernel; makes plans for the dispatcher."""

    def __init__(
        self,
        text: KernelText,
        name: str,
        plan: PlanFields,
        target: str,
        *,
        debug_waits: bool = False,
        allow_spills: bool | None = None,
    ) -> None:
        """Start without variants.

        Args:
            text: Where the kernel is written.
            name: Its name there.
            plan: Fields of the plan to fix.
            target: Architecture to compile for.
            debug_waits: Make debug builds.
            allow_spills: Whether registers may spill and wgmma be serialised; see `Kernel`.
        """
        self.text = text
        self.name = name
        self.plan_fields = plan
        self.options = CompileOptions(
            target=target, debug_waits=debug_waits, allow_spills=allow_spills
        )
        self.cache = DiskCache()
        self._compiled: dict[str, CompiledKernel] = {}
        self._rules: dict[str, Mapping[str, Any]] = {}
        self._programs: dict[str, Any] = {}
        self._facts: dict[str, Mapping[str, Any]] = {}
        self._lock = Lock()
        self.tuned = TunedPlans(self.cache, self._tuning_key)

    def _tuning_key(self) -> str:
        """Return the name of the cache entry with the tuned plans of the kernel."""
        return compiler_threads.run_locked(
            lambda: kernel_key(self.text.program, self.name, self.plan_fields, self.options)
        )

    @computed
    def _interface(self) -> Interface:
        return self.text.interface(self.name)

    @computed
    def _fixes_fields(self) -> bool:
        """Whether the user fixed fields of the plan, which may not suit an empty array."""
        return bool(self.plan_fields or self.text.signature(self.name).hints)

    def interface(self) -> Interface:
        """Return the kernel's parameters."""
        return self._interface

    def renewed(self) -> "Variants":
        """Return what makes variants of the same kernel from its text, read again."""
        return Variants(
            self.text.renewed(),
            self.name,
            self.plan_fields,
            self.options.target,
            debug_waits=self.options.debug_waits,
            allow_spills=self.options.allow_spills,
        )

    def plan(
        self,
        driver: Driver,
        arguments: BoundArguments,
        grid: Grid | None,
        run_time_scalars: Sequence[str],
    ) -> LaunchPlan:
        """Compile the variant for these arguments, unless it exists, and prepare its launch."""
        device = arguments.device or 0
        check_capability(driver, device, self.options.target)
        gpu = driver.device(device).gpu
        compiled = self.variant(self.specialization(arguments, gpu))
        return compiled.plan_launch(driver, arguments, grid, run_time_scalars)

    def blocks(self, arguments: BoundArguments, grid: Grid | None) -> int:
        """Return how many blocks run where an array has no element; this compiles nothing."""
        specialization = specialize(arguments, plan=self.plan_fields)
        metadata = compiler_threads.run_locked(lambda: self._metadata(specialization))
        return count_blocks(launch_grid(metadata, arguments, grid))

    def run_on_cpu(self, arguments: BoundArguments, grid: Grid | None) -> None:
        """Run the kernel in the CPU reference; arrays are written in place."""
        program = compiler_threads.run(lambda: self._program(arguments))
        from tilec.interpreter.run import run_program

        arrays = {name: arguments.values[name] for name in arguments.arrays}
        sources = self.text.program.sources
        run_program(program, arrays, dict(arguments.scalars), grid, sources)

    def _program(self, arguments: BoundArguments) -> Any:
        """Return what the CPU reference runs for these arguments."""
        identity = self.identity(self.specialization(arguments))
        key = variant_key(identity)
        with self._lock.held:
            program = self._programs.get(key)
            if program is None:
                make = partial(self._make_program, identity.specialization)
                program = self._programs[key] = compiler_threads.run_locked(make)
            return program

    def _make_program(self, specialization: Specialization) -> Any:
        from tilec.compiler.driver import emit_kernel
        from tilec.interpreter.run import make_program

        program = self.text.program
        module = emit_kernel(program, self.name, specialization)
        return make_program(module, self.name, program.sources)

    def specialization(self, arguments: BoundArguments, gpu: str = DEFAULT_GPU) -> Specialization:
        """Return what to compile for these arguments, and which GPU to plan for."""
        return self.tuned.apply(self.planned_specialization(arguments, gpu))

    def planned_specialization(
        self, arguments: BoundArguments, gpu: str = DEFAULT_GPU
    ) -> Specialization:
        """Return the same, with the plan left to the planner, whatever was tuned."""
        pairs = find_overlaps(arguments.arrays)
        if pairs:
            plain = specialize(arguments, plan=self.plan_fields)
            written = compiler_threads.run_locked(lambda: self._written(plain))
            pairs = {pair: answer for pair, answer in pairs.items() if written & {*pair}}
        found = replace(specialize(arguments, pairs, self.plan_fields), gpu=gpu)
        return found if self._fixes_fields else _regardless_of_elements(found)

    def identity(self, specialization: Specialization) -> VariantIdentity:
        """Return what tells a variant from others: sizes count by the tiles planned.

        Nothing else of a variant depends on them, so those with the same tiles share one.
        """
        planned = self._planned(specialization)
        if not planned:
            return VariantIdentity(replace(specialization, sizes={}))
        return compiler_threads.run_locked(lambda: self._planned_identity(planned, specialization))

    def _planned(self, specialization: Specialization) -> tuple[str, ...]:
        """Return the constants that the planner chooses, as sizes and GPU suggest."""
        return tuple(
            item.name
            for item in self.interface().of_kind(CONST)
            if item.default is OPTIONAL and item.name not in specialization.constants
        )

    def _planned_identity(
        self, planned: tuple[str, ...], specialization: Specialization
    ) -> VariantIdentity:
        """Return the identity of a variant some of whose constants the planner chooses."""
        from tilec.frontend.semantics.analysis import analyze_kernel
        from tilec.plan.model import PLANNED_FACTS

        program = analyze_kernel(self.text.tree, self.name, specialization)
        constants, plan = program.metadata["constants"], dict(specialization.plan)
        if program.any_tile_extents:  # what the planner may choose, a caller must ask for
            plan[ANY_TILE_EXTENTS] = True
        hints = program.metadata["hints"]
        decided = {
            name: program.metadata[fact]
            for name, fact in PLANNED_FACTS.items()
            if name not in hints
        }
        bound = replace(specialization, constants=constants, plan=plan, sizes={})
        return VariantIdentity(bound, planned, decided)

    def runners_up(self, specialization: Specialization, most: int) -> list[Any]:
        """Return the planner's next best `TileChoice`s of the `auto` constants, best first."""
        from tilec.frontend.semantics.analysis import plan_constants
        from tilec.plan.runners_up import runners_up

        tree, name = self.text.tree, self.name
        choice = compiler_threads.run_locked(lambda: plan_constants(tree, name, specialization))
        return [] if choice is None else runners_up(choice, most)

    def _written(self, specialization: Specialization) -> set[str]:
        """Return the arrays that the kernel writes."""
        arrays = self._metadata(specialization)["arrays"]
        return {item["name"] for item in arrays if item["access"] != "read"}

    def _metadata(self, specialization: Specialization) -> Mapping[str, Any]:
        """Return what the kernel's source alone tells about a variant.

        The answer is kept: arrays without elements, and arrays that overlap, need it for each new
        shape, and shapes change nothing unless the planner chooses constants by them.
        """
        from tilec.frontend.semantics.analysis import analyze_kernel

        if not self._planned(specialization):
            specialization = replace(specialization, sizes={})
        key = variant_key(specialization)
        found = self._facts.get(key)
        if found is None:
            found = analyze_kernel(self.text.tree, self.name, specialization).metadata
            if len(self._facts) >= _MAX_FACTS:
                self._facts.clear()
            self._facts[key] = found
        return found

    def variant(
        self, specialization: Specialization, *, warns: bool = True, apart: "Apart | None" = None
    ) -> CompiledKernel:
        """Return the kernel compiled for a specialization: from memory, disk, or the compiler.

        Args:
            specialization: What to compile it for.
            warns: Whether to pass on the compiler's warnings, once for a variant.
            apart: Compiles in another process; None: in this one.

        Raises:
            CompileError: The kernel is wrong or cannot be compiled.
        """
        found: CompiledKernel | Specialization = specialization
        while isinstance(found, Specialization):
            found = compiler_threads.run(partial(self._variant, found, apart))
        if warns:
            found.warn([self.text.contents[0]])
        return found

    def _variant(
        self, specialization: Specialization, apart: "Apart | None"
    ) -> CompiledKernel | Specialization:
        """Return a compiled kernel, or what a launch takes instead."""
        identity = self.identity(specialization)
        key = variant_key(identity)
        # Other processes compile side by side; nothing is compiled twice in this one.
        with self._lock.held if apart is None else nullcontext():
            compiled = self._compiled.get(key)
            rules = self._rules.get(key, {}) if compiled is None else compiled.metadata
            other = next_variant(rules, specialization)
            if other is not None:
                return other
            if compiled is not None:
                return compiled
            program, options = self.text.program, self.options
            found = obtain_kernel(
                self.cache, program, self.name, specialization, options, identity, apart
            )
            if found.artifact is not None:
                self._compiled.setdefault(key, self._inspectable(found, specialization))
            else:
                self._rules[key] = found.rules
            return next_variant(found.metadata, specialization) or self._compiled[key]

    def _inspectable(self, found: StoredKernel, specialization: Specialization) -> CompiledKernel:
        """Return a kernel with the IR of its stages."""
        if found.compilation is not None:
            stage_text = found.compilation.module_text
        else:
            stage_text = partial(self._recompiled, specialization)
        return CompiledKernel(found.artifact, found.remarks, stage_text)

    def _recompiled(self, specialization: Specialization, stage: str) -> str:
        """Return the IR of a kernel that came from the disk cache, which holds none."""
        from tilec.compiler.driver import compile_kernel

        made = compile_kernel(self.text.program, self.name, specialization, self.options)
        return made.module_text(stage)
