"""Ahead of time: compile to a package without a GPU, and launch a package without MLIR."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tilec.compiler.program import Program
from tilec.request.gpu import DEFAULT_GPU, get_gpu
from tilec.request.options import CompileOptions
from tilec.request.specialization import (
    ConstantValue,
    Specialization,
)
from tilec.runtime.aot_options import (
    arrays_of,
    check_dicts,
    check_names,
    chosen_values,
    dtypes_of,
    guessed_dtypes,
)
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.args.signature_binding import (
    ARRAY,
    CONST,
    DTYPE,
    Interface,
    interface_from_metadata,
)
from tilec.runtime.compiled import CompiledKernel
from tilec.runtime.cuda.api import Driver
from tilec.runtime.errors import UnknownKernelError, launch_error, path_of
from tilec.runtime.jit import Kernel
from tilec.runtime.kernel_text import KernelText
from tilec.runtime.launch.dispatch import Dispatcher
from tilec.runtime.launch.grid import Grid, caller_grid, count_blocks, launch_grid
from tilec.runtime.launch.idle_sms import idle_sms_of_sizes
from tilec.runtime.launch.launcher import LaunchPlan
from tilec.runtime.packaged_variants import compile_variants, pick
from tilec.runtime.variants import PlanFields
from tilec.support.diagnostics import (
    Diagnostic,
    LaunchError,
    error,
    note,
)
from tilec.support.fast_dataclasses import replace
from tilec.support.sources import read_source_file, text_source
from tilec.support.tracebacks import shortens_tracebacks

_MIN_ALIGNMENT = 16
_NOTHING: Mapping[str, Any] = {}


class PackagedKernel:
    """A compiled kernel that can be called like a `Kernel`.

    Attributes:
        variants: What it was compiled for; a launch takes the one for its size
            (`packaged_variants`), or else the first one that fits.
    """

    def __init__(self, variants: Sequence[CompiledKernel]) -> None:
        """Wrap the variants of one kernel."""
        self.variants = tuple(variants)
        self.__name__ = self.variants[0].name
        self._interface = interface_from_metadata(self.variants[0].metadata)
        divisors = [
            item.get("div_by", 1)
            for variant in self.variants
            for item in variant.metadata["params"]
            if item["kind"] == "pointer"
        ]
        self._dispatcher = Dispatcher(self, max(_MIN_ALIGNMENT, *divisors))

    def __repr__(self) -> str:
        return f"<tilec.PackagedKernel {self.__name__}>"

    def __call__(self, *arguments: Any, **keywords: Any) -> None:
        """Launch the kernel.

        Args:
            *arguments: Arrays and scalars in declaration order; constants are compiled in.
            **keywords: The same by name; and `stream`, the stream to launch on.

        Raises:
            TileError: An argument is wrong, no variant fits, or the launch failed.
        """
        self._dispatcher.launch(arguments, keywords)

    def __getitem__(self, grid: int | tuple[int, ...]) -> Any:
        """Return the kernel with a grid, for `kernel[blocks](...)`."""
        extents = caller_grid(grid, self.__name__)
        launch = self._dispatcher.launch
        return lambda *arguments, **keywords: launch(arguments, keywords, extents)

    def __copy__(self) -> "PackagedKernel":
        return self

    def __deepcopy__(self, _: Any) -> "PackagedKernel":
        """Return the kernel itself, as for a function: a module of torch may hold one."""
        return self

    def __getattr__(self, name: str) -> Any:
        """Forward `ptx`, `cubin`, `ir`, `plan`, `registers` ... to the first variant."""
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.variants[0], name)

    def interface(self) -> Interface:
        """Return the kernel's parameters."""
        return self._interface

    def plan(
        self,
        driver: Driver,
        arguments: BoundArguments,
        grid: Grid | None,
        run_time_scalars: Sequence[str],
    ) -> LaunchPlan:
        """Prepare the launch of the variant for its size, or of the first one that fits.

        Raises:
            LaunchError: None does; with all reasons.
        """
        refused: list[LaunchError] = []
        best = pick([variant.metadata for variant in self.variants], arguments.dims)
        for variant in dict.fromkeys((self.variants[best], *self.variants)):
            try:
                return variant.plan_launch(driver, arguments, grid, run_time_scalars)
            except LaunchError as failure:
                refused.append(failure)
        reasons = list(dict.fromkeys(failure.diagnostics[0].message for failure in refused))
        if len(reasons) == 1:
            raise refused[0]
        raise LaunchError(
            error(
                "T0714",
                f"{self.__name__}: none of the {len(refused)} variants in the package fits",
                notes=[note(reason) for reason in reasons],
            )
        )

    def blocks(self, arguments: BoundArguments, grid: Grid | None) -> int:
        """Return how many blocks run where an array has no element."""
        return count_blocks(launch_grid(self.variants[0].metadata, arguments, grid))

    def run_on_cpu(self, arguments: BoundArguments, grid: Grid | None) -> None:
        """Refuse NumPy arrays: a package holds GPU code only.

        Raises:
            LaunchError: Always.
        """
        raise launch_error(
            "T0709",
            f"{self.__name__}: NumPy arrays are in host memory, and a package holds GPU code only",
            hint="move them to the GPU, or load the source to use the CPU reference",
        )


class Package:
    """Compiled kernels by name; each is an attribute."""

    def __init__(
        self,
        kernels: Sequence[CompiledKernel],
        name: str = "package",
        remarks: Sequence[Diagnostic] = (),
    ) -> None:
        """Collect compiled kernels; those of one name are variants of one kernel.

        Args:
            kernels: Compiled kernels.
            name: How to call the package in messages.
            remarks: Choices that concern more than one kernel.
        """
        variants: dict[str, list[CompiledKernel]] = {}
        for item in kernels:
            variants.setdefault(item.name, []).append(item)
        self._name = name
        self._remarks = tuple(remarks)
        self._kernels = {key: PackagedKernel(items) for key, items in variants.items()}

    def __repr__(self) -> str:
        return f"<tilec package {self._name}: {', '.join(self._kernels)}>"

    def __getattr__(self, name: str) -> PackagedKernel:
        """Return the kernel called `name`.

        Raises:
            CompileError: There is none (T0716).
        """
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._kernels:
            raise UnknownKernelError(
                error(
                    "T0716",
                    f"{self._name} has no kernel called '{name}'",
                    hint=f"it has: {', '.join(self._kernels)}",
                )
            )
        return self._kernels[name]

    def __getitem__(self, name: str) -> PackagedKernel:
        return self.__getattr__(name)

    def __iter__(self) -> Iterator[PackagedKernel]:
        return iter(self._kernels.values())

    def __len__(self) -> int:
        return len(self._kernels)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._kernels]

    @property
    def remarks(self) -> tuple[Diagnostic, ...]:
        """Choices of the compiler for all kernels, with their reasons."""
        own = (item for kernel in self for variant in kernel.variants for item in variant.remarks)
        return (*self._remarks, *own)

    def save(self, path: str | Path) -> None:
        """Write the package to a file, all of it or nothing.

        Raises:
            CompileError: The file cannot be written.
        """
        from tilec.codegen.package import save_package

        file = path_of(path, "save")
        save_package([variant.artifact for item in self for variant in item.variants], file)


@shortens_tracebacks
def load_package(path: str | Path) -> Package:
    """Load a package file; its kernels are attributes of the result.

    Raises:
        CompileError: The file cannot be read, is no package or is damaged.
    """
    from tilec.codegen import package

    file = path_of(path, "tilec.load_package")
    artifacts = package.load_package(file)
    return Package([CompiledKernel(item) for item in artifacts], file.name)


@shortens_tracebacks
def compile(  # noqa: A001 - the public name
    source: str | Path | Kernel,
    *,
    kernel: str | None = None,
    target: str | None = None,
    constants: Mapping[str, ConstantValue] = _NOTHING,
    dtypes: Mapping[str, str] = _NOTHING,
    layouts: Mapping[str, str] = _NOTHING,
    sizes: Mapping[str, int] = _NOTHING,
    divisors: Mapping[str, int] = _NOTHING,
    aligned: bool | int = True,
    gpu: str = DEFAULT_GPU,
    plan: PlanFields = _NOTHING,
    debug_waits: bool | None = None,
    allow_spills: bool | None = None,
) -> Package:
    """Compile ahead of time; no GPU is needed.

    What is assumed about the arguments is recorded in the package and checked at every launch.

    Args:
        source: A `.tile` file, the text of one (anything with a line break), or a `Kernel`.
        kernel: Kernel to compile; None compiles every kernel of the source.
        target: Architecture; by default that of the `Kernel`, else `sm_90a`.
        constants: Values of `const` parameters.
        dtypes: Element types of `dtype` parameters, by default bf16.
        layouts: Memory order by array: `row` (default), `col`, or `any`.
        sizes: Extents of named dims to plan for; nothing of them is compiled in.
        divisors: Known divisors of named dims or integer scalars.
        aligned: Bytes of every base address and pitch: 16, as TMA needs (True), 8, 4, or False.
        gpu: GPU to plan tiles for: `H200`, `H100`, `H100-NVL` or `H100-PCIe`.
        plan: Fields of the plan to fix, besides those that the `Kernel` fixes.
        debug_waits: Report deadlocks instead of hanging the GPU; by default as for the `Kernel`.
        allow_spills: Whether registers may spill; see `Kernel`, whose answer is the default.

    Raises:
        CompileError: The source is wrong, an option names no parameter, there is no such GPU, or a
            kernel cannot be compiled.
    """
    get_gpu(gpu)
    check_dicts({"dim": sizes, "divisor": divisors, "field of the plan": plan})
    text, options = _text_of(source), _options(source, target, debug_waits, allow_spills)
    if isinstance(source, Kernel):
        kernel, plan = source.__name__, {**source.variants.plan_fields, **plan}
    program = text.program
    names = program.kernel_names if kernel is None else (program.select_kernel(kernel),)
    interfaces = [text.interface(name) for name in names]
    for kind, given in ((CONST, constants), (DTYPE, dtypes), (ARRAY, layouts)):
        check_names(interfaces, kind, given)
    usual = Specialization(divisors=divisors, sizes=sizes, plan=plan, gpu=gpu)
    compiled = []
    for interface in interfaces:
        own = dtypes_of(interface, dtypes)
        arrays = arrays_of(interface, own, layouts, aligned)
        values = chosen_values(interface, CONST, constants)
        special = replace(usual, arrays=arrays, constants=values, dtypes=own)
        compiled += _compile_kernel(program, interface, options, special)
    return Package(compiled, text.contents[0].name, tuple(guessed_dtypes(interfaces, dtypes)))


def _options(
    source: str | Path | Kernel,
    target: str | None,
    debug_waits: bool | None,
    allow_spills: bool | None,
) -> CompileOptions:
    """Return the options given, else those of a `Kernel`, else the usual ones."""
    usual = source.variants.options if isinstance(source, Kernel) else CompileOptions()
    return CompileOptions(
        target=target or usual.target,
        debug_waits=usual.debug_waits if debug_waits is None else debug_waits,
        allow_spills=usual.allow_spills if allow_spills is None else allow_spills,
    )


def _text_of(source: str | Path | Kernel) -> KernelText:
    if isinstance(source, Kernel):
        return source.text
    if isinstance(source, str) and "\n" in source:
        file = text_source("<string>", source)
    else:
        file = read_source_file(path_of(source, "tilec.compile"))
    return KernelText.of(Program(file))


def _compile_kernel(
    program: Program,
    interface: Interface,
    options: CompileOptions,
    specialization: Specialization,
) -> list[CompiledKernel]:
    compiled = []
    for made in compile_variants(program, interface.kernel, specialization, options):
        metadata = made.artifact.kernels[-1].metadata
        idle = () if compiled else idle_sms_of_sizes(metadata, specialization, made.remarks)
        compiled.append(CompiledKernel(made.artifact, (*made.remarks, *idle), made.module_text))
        compiled[-1].warn(made.sources)
    return compiled
