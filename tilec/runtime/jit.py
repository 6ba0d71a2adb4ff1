"""Kernels in source form: compiled when they are called, one variant per kind of arguments."""

import functools
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, overload

from tilec.diagnostics import CompileError, LaunchError, SourceFile, error
from tilec.options import CompileOptions
from tilec.runtime.arguments import BoundArguments
from tilec.runtime.cache import DiskCache, cache_key, variant_key
from tilec.runtime.compiled import CompiledKernel, check_capability
from tilec.runtime.dispatch import Dispatcher
from tilec.runtime.driver import Driver
from tilec.runtime.errors import launch_error
from tilec.runtime.grid import Grid, caller_grid
from tilec.runtime.interface import CONST, OPTIONAL, Interface, bind_call, interface_from_signature
from tilec.runtime.launch import LaunchPlan, make_plan
from tilec.runtime.specialize import find_overlaps, specialize
from tilec.sources import read_source_file
from tilec.specialization import Specialization

PlanFields = Mapping[str, int | tuple[int, ...]]
Contents = tuple[SourceFile, Mapping[str, Any]]

_STREAM = "stream"


class KernelText:
    """Text with one or more kernels, parsed when it is first needed."""

    def __init__(self, read: Callable[[], Contents]) -> None:
        """Keep the function that returns the source and the values of its Python module."""
        self._read = read

    @functools.cached_property
    def contents(self) -> Contents:
        """The source and the values of the surrounding Python module."""
        return self._read()

    @functools.cached_property
    def tree(self) -> Any:
        """The syntax tree."""
        from tilec.frontend.parser import parse_source

        return parse_source(*self.contents)

    @functools.cached_property
    def kernel_names(self) -> tuple[str, ...]:
        """Names of the kernels, in source order."""
        from tilec.frontend.parser import kernels

        return tuple(item.name for item in kernels(self.tree))

    def interface(self, name: str) -> Interface:
        """Return the parameters of kernel `name`.

        Raises:
            CompileError: The parameter list has mistakes.
        """
        from tilec.frontend.parser import kernels
        from tilec.frontend.signature import signature

        definition = next(item for item in kernels(self.tree) if item.name == name)
        return interface_from_signature(signature(definition, self.tree), self.contents[0])


class _Variants:
    """The compiled variants of one kernel; makes plans for the dispatcher."""

    def __init__(self, text: KernelText, name: str, plan: PlanFields, target: str) -> None:
        self.text = text
        self.name = name
        self.plan_fields = plan
        self.target = target
        self.cache = DiskCache()
        self._compiled: dict[str, CompiledKernel] = {}
        self._modules: dict[str, Any] = {}
        self._lock = threading.RLock()

    @functools.cached_property
    def _interface(self) -> Interface:
        return self.text.interface(self.name)

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
        """Compile the variant for these arguments, unless it exists, and prepare its launch."""
        device = arguments.device or 0
        check_capability(driver, device, self.target)
        compiled = self.variant(self.specialization(arguments))
        kernels = compiled.load(driver, device)
        plan = make_plan(driver, kernels, arguments, grid, run_time_scalars)
        plan.variant = compiled
        return plan

    def run_on_cpu(self, arguments: BoundArguments, grid: Grid | None) -> None:
        """Run the kernel in the CPU reference; arrays are written in place."""
        from tilec.driver import emit_source
        from tilec.interpreter.run import run_kernel

        specialization = self.specialization(arguments)
        key = variant_key(specialization)
        with self._lock:
            if key not in self._modules:
                source, module_globals = self.text.contents
                self._modules[key] = emit_source(source, self.name, specialization, module_globals)
            module = self._modules[key]
        arrays = {name: arguments.values[name] for name in arguments.arrays}
        run_kernel(module, arrays, dict(arguments.scalars), grid, self.name)

    def specialization(self, arguments: BoundArguments) -> Specialization:
        """Return what to compile for these arguments."""
        pairs = list(find_overlaps(arguments.arrays))
        if pairs:
            written = self._written(specialize(arguments, (), self.plan_fields))
            pairs = [pair for pair in pairs if written & {*pair}]
        constants = self.interface().of_kind(CONST)
        plans_for_size = any(
            item.default is OPTIONAL and item.name not in arguments.constants for item in constants
        )
        return specialize(arguments, pairs, self.plan_fields, plans_for_size=plans_for_size)

    def _written(self, specialization: Specialization) -> set[str]:
        """Return the arrays that the kernel writes."""
        from tilec.frontend.semantics.analysis import analyze_kernel

        program = analyze_kernel(self.text.tree, self.name, specialization)
        return {item["name"] for item in program.metadata["arrays"] if item["access"] != "read"}

    def variant(self, specialization: Specialization) -> CompiledKernel:
        """Return the kernel compiled for a specialization: from memory, disk, or the compiler.

        Raises:
            CompileError: The kernel is wrong or cannot be compiled.
        """
        key = variant_key(specialization)
        with self._lock:
            compiled = self._compiled.get(key)
            if compiled is None:
                compiled = self._compiled[key] = self._from_disk(specialization)
            return compiled

    def _from_disk(self, specialization: Specialization) -> CompiledKernel:
        from tilec.runtime.cache_entry import pack_entry, unpack_entry

        source, module_globals = self.text.contents
        parts = (source.name, source.text, module_globals, self.name, specialization, self.target)
        key = cache_key(parts)
        data = self.cache.read(key)
        found = unpack_entry(data) if data is not None else None
        if found is not None:
            artifact, remarks = found
            return CompiledKernel(
                artifact, remarks, lambda stage: self._recompile(specialization, stage)
            )
        compilation = self._compile(specialization)
        self.cache.write(key, pack_entry(compilation.artifact, compilation.remarks))
        return CompiledKernel(
            compilation.artifact, compilation.remarks, compilation.module_text
        )

    def _compile(self, specialization: Specialization) -> Any:
        from tilec.driver import compile_source

        source, module_globals = self.text.contents
        options = CompileOptions(target=self.target)
        return compile_source(source, self.name, specialization, options, module_globals)

    def _recompile(self, specialization: Specialization, stage: str) -> str:
        """Return the IR of a kernel that came from the disk cache, which holds none."""
        return self._compile(specialization).module_text(stage)


class Kernel:
    """A kernel that can be called with arrays.

    `k(A, B, C)` compiles a variant for these arguments if there is none yet and launches it on
    the current stream of the arrays' library. `k[grid](A, B, C)` does so for a kernel that does
    not compute its grid. NumPy arrays run on the CPU reference.
    """

    def __init__(
        self,
        text: KernelText,
        name: str,
        plan: PlanFields = MappingProxyType({}),
        target: str = "sm_90a",
    ) -> None:
        """Make a kernel.

        Args:
            text: Where it is written.
            name: Its name there.
            plan: Fields of the plan to fix, for example `{"stages": 4}`.
            target: Architecture to compile for.
        """
        self.__name__ = name
        self._variants = _Variants(text, name, plan, target)
        self._dispatcher = Dispatcher(self._variants)

    def __repr__(self) -> str:
        return f"<tilec.Kernel {self.__name__}>"

    def __call__(self, *arguments: Any, **keywords: Any) -> None:
        """Launch the kernel.

        Args:
            *arguments: Arrays, scalars and constants in declaration order.
            **keywords: The same by name; and `stream`, the stream to launch on (a handle, or a
                stream object of torch or CuPy).

        Raises:
            TileError: The kernel cannot be compiled, an argument is wrong, or the launch failed.
        """
        self._launch(None, arguments, keywords)

    def __getitem__(self, grid: int | tuple[int, ...]) -> "KernelWithGrid":
        """Return the kernel with a grid, for `kernel[blocks](...)`.

        Raises:
            LaunchError: The grid is not one to three non-negative integers.
        """
        return KernelWithGrid(self, caller_grid(grid, self.__name__))

    def _launch(
        self, grid: Grid | None, arguments: Sequence[Any], keywords: Mapping[str, Any]
    ) -> None:
        stream = None
        if _STREAM in keywords and not self._has_parameter(_STREAM):
            keywords = dict(keywords)
            stream = keywords.pop(_STREAM)
        self._dispatcher.call(arguments, keywords, grid, stream)

    def _has_parameter(self, name: str) -> bool:
        return any(item.name == name for item in self._variants.interface().parameters)

    def compile(self, *arguments: Any, **keywords: Any) -> CompiledKernel:
        """Compile for these arguments without launching; NumPy arrays do as well.

        Returns:
            The compiled variant: `.ptx`, `.cubin`, `.ir(stage)`, `.plan`, `.registers`,
            `.shared_bytes`, `.remarks`.

        Raises:
            TileError: The kernel cannot be compiled, or an argument is wrong.
        """
        values = bind_call(self._variants.interface(), arguments, keywords)
        bound = self._dispatcher.check(values)
        return self._variants.variant(self._variants.specialization(bound))


class KernelWithGrid:
    """A kernel with the grid that the caller gave."""

    __slots__ = ("_grid", "_kernel")

    def __init__(self, kernel: Kernel, grid: Grid) -> None:
        """Keep the kernel and its grid."""
        self._kernel = kernel
        self._grid = grid

    def __call__(self, *arguments: Any, **keywords: Any) -> None:
        """Launch the kernel; see `Kernel.__call__`."""
        self._kernel._launch(self._grid, arguments, keywords)  # noqa: SLF001 - one class in two parts


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


class _UnknownKernelError(CompileError, AttributeError):
    """There is no kernel of that name; also an AttributeError, so that `hasattr` works."""


class SourceModule:
    """A loaded source: its kernels are attributes."""

    def __init__(self, text: KernelText, target: str) -> None:
        """Make a `Kernel` for every kernel of `text`.

        Raises:
            CompileError: The source has syntax errors or no kernel.
        """
        self._kernels = {name: Kernel(text, name, target=target) for name in text.kernel_names}
        self._file = text.contents[0].name

    def __repr__(self) -> str:
        return f"<tilec module {self._file}: {', '.join(self._kernels)}>"

    def __getattr__(self, name: str) -> Kernel:
        """Return the kernel called `name`.

        Raises:
            CompileError: There is none (T0006).
        """
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._kernels:
            raise _UnknownKernelError(
                error(
                    "T0006",
                    f"{self._file} defines no kernel called '{name}'",
                    hint=f"it defines: {', '.join(self._kernels)}",
                )
            )
        return self._kernels[name]

    def __getitem__(self, name: str) -> Kernel:
        return self.__getattr__(name)

    def __iter__(self) -> Any:
        return iter(self._kernels.values())

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._kernels]


def load(path: str | Path, *, target: str = "sm_90a") -> SourceModule:
    """Load a `.tile` file; its kernels are attributes of the result.

    Args:
        path: File to read.
        target: Architecture to compile for.

    Raises:
        CompileError: The file cannot be read, has syntax errors or no kernel.
    """
    source = read_source_file(path)
    return SourceModule(KernelText(lambda: (source, MappingProxyType({}))), target)


@overload
def kernel(function: Callable[..., Any], /) -> Kernel: ...


@overload
def kernel(
    *, target: str = "sm_90a", **plan: int | tuple[int, ...]
) -> Callable[[Callable[..., Any]], Kernel]: ...


def kernel(
    function: Callable[..., Any] | None = None,
    /,
    *,
    target: str = "sm_90a",
    **plan: int | tuple[int, ...],
) -> Kernel | Callable[[Callable[..., Any]], Kernel]:
    """Make a kernel of a Python function: `@tilec.kernel` or `@tilec.kernel(stages=4)`.

    The function is never executed: its source is compiled. It must stand in a file.

    Args:
        function: The decorated function.
        target: Architecture to compile for.
        **plan: Fields of the plan to fix.
    """
    if function is None:
        return lambda decorated: _decorate(decorated, target, plan)
    return _decorate(function, target, plan)


def _decorate(function: Callable[..., Any], target: str, plan: PlanFields) -> Kernel:
    if not callable(function) or not hasattr(function, "__name__"):
        raise LaunchError(error("T0717", f"@tilec.kernel decorates a function, not {function!r}"))

    def read() -> Contents:
        from tilec.frontend.python_source import parse_python_kernel

        found = parse_python_kernel(function)
        return found.source, found.constants

    made = Kernel(KernelText(read), function.__name__, plan, target)
    functools.update_wrapper(made, function)
    return made


def function(decorated: Callable[..., Any], /) -> Function:
    """Make a helper of a Python function: kernels that call it inline its body."""
    return Function(decorated)
