"""Kernels in source form: compiled when they are called, one variant per kind of arguments."""

import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tilec.compiler.program import Program
from tilec.request.gpu import DEFAULT_GPU
from tilec.runtime.args.arguments import BoundArguments
from tilec.runtime.args.signature_binding import bind_call
from tilec.runtime.compiled import CompiledKernel
from tilec.runtime.cuda.current import get_driver
from tilec.runtime.errors import UnknownKernelError, launch_error, path_of
from tilec.runtime.kernel_text import KernelText
from tilec.runtime.launch.dispatch import Dispatcher
from tilec.runtime.launch.grid import Grid, caller_grid
from tilec.runtime.variants import PlanFields, Variants
from tilec.support.diagnostics import CompileError
from tilec.support.kernel_selection import select_kernel
from tilec.support.sources import read_source_file, text_source
from tilec.support.tracebacks import shortens_tracebacks


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
        *,
        debug_waits: bool = False,
        allow_spills: bool | None = None,
    ) -> None:
        """Make a kernel.

        Args:
            text: Where it is written.
            name: Its name there.
            plan: Fields of the plan to fix, for example `{"stages": 4}`.
            target: Architecture to compile for.
            debug_waits: Give every wait on an mbarrier a cycle limit: a launch waits for its end,
                and a deadlock raises `DeadlockError` instead of hanging the GPU.
            allow_spills: What becomes of a kernel all of whose plans spill registers or serialise
                wgmma. By default it gives a `PerformanceWarning` (T0608, T0609). With True it
                gives none, and with False it is a `CompileError`; `--allow-spills` and
                `--no-allow-spills` on the command line.
        """
        self.__name__ = name
        self._variants = Variants(
            text, name, plan, target, debug_waits=debug_waits, allow_spills=allow_spills
        )
        self._dispatcher = Dispatcher(self._variants)
        self._captured = text.captured
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"<tilec.Kernel {self.__name__}>"

    def __copy__(self) -> "Kernel":
        return self

    def __deepcopy__(self, _: Any) -> "Kernel":
        """Return the kernel itself, as for a function: a module of torch may hold one."""
        return self

    def __reduce__(self) -> str:
        """Pickle the kernel as a function is pickled: by the name that its module gives it.

        Raises:
            LaunchError: No module of Python has it under its name (T0717).
        """
        name = getattr(self, "__qualname__", self.__name__)
        home: Any = sys.modules.get(self.__module__)
        for part in name.split("."):
            home = getattr(home, part, None)
        if home is not self:
            hint = "load or decorate it in each process, at the top of a module"
            raise launch_error("T0717", f"{name} cannot be pickled: it has no module", hint=hint)
        return name

    @property
    def text(self) -> KernelText:
        """Where the kernel is written."""
        return self.variants.text

    @property
    def variants(self) -> Variants:
        """The compiled variants, and what all of them have in common."""
        if self._variants.text.has_changed():
            self._renew()
        return self._variants

    @property
    def signature(self) -> Any:
        """What the kernel takes: a `tilec.frontend.semantics.signature.Signature`.

        Raises:
            CompileError: The source has mistakes.
        """
        return self.text.signature(self._variants.name)

    def __call__(self, *arguments: Any, **keywords: Any) -> None:
        """Launch the kernel.

        Args:
            *arguments: Arrays, scalars and constants in declaration order.
            **keywords: The same by name; and `stream`, the stream to launch on (a handle, or a
                stream object of torch or CuPy).

        Raises:
            TileError: The kernel cannot be compiled, an argument is wrong, or the launch failed.
        """
        if keywords or self._captured:
            self.launch(None, arguments, keywords)
        elif not self._dispatcher.launch_repeated(arguments, None):
            self._dispatcher.call(arguments, keywords)

    def __getitem__(self, grid: int | tuple[int, ...]) -> "KernelWithGrid":
        """Return the kernel with a grid, for `kernel[blocks](...)`.

        Raises:
            LaunchError: The grid is not one to three non-negative integers.
        """
        return KernelWithGrid(self, caller_grid(grid, self.__name__))

    def launch(
        self, grid: Grid | None, arguments: tuple[Any, ...], keywords: Mapping[str, Any]
    ) -> None:
        """Launch the kernel with a grid that was checked; see `__call__` for the rest."""
        if self._captured and self._variants.text.has_changed():
            self._renew()
        self._dispatcher.launch(arguments, keywords, grid)

    def check(self, values: Mapping[str, Any], stream: int) -> BoundArguments:
        """Check the arguments of a call by name, for a launch on a raw stream handle.

        Raises:
            LaunchError: An argument is wrong.
        """
        return self._dispatcher.check(values, stream)

    def forget_launches(self) -> None:
        """Choose the variant of each call again: another plan was tuned for some of them."""
        with self._lock:
            self._dispatcher = Dispatcher(self._variants)

    def _renew(self) -> None:
        """Read the source again: a value that it took from Python is another one now."""
        with self._lock:
            if self._variants.text.has_changed():
                self._variants = self._variants.renewed()
                self._dispatcher = Dispatcher(self._variants)

    @shortens_tracebacks
    def compile(self, *arguments: Any, **keywords: Any) -> CompiledKernel:
        """Compile for these arguments without launching; NumPy arrays do as well.

        Arrays on a GPU get the plan of a launch there, others that of an H200.

        Returns:
            The compiled variant: `.ptx`, `.cubin`, `.ir(stage)`, `.plan`, `.registers`,
            `.shared_bytes`, `.remarks`.

        Raises:
            TileError: The kernel cannot be compiled, or an argument is wrong.
        """
        return self.compile_for(None, bind_call(self.variants.interface(), arguments, keywords))

    def compile_for(self, gpu: str | None, values: Mapping[str, Any]) -> CompiledKernel:
        """Compile for arguments by name, with the plan of a GPU.

        Args:
            gpu: The GPU, one of `tilec.request.gpu.GPUS`; None as for `compile`.
            values: The arguments.

        Raises:
            TileError: The kernel cannot be compiled, or an argument is wrong.
        """
        variants = self.variants
        bound = self._dispatcher.check(values)
        if gpu is None:
            device = bound.device
            gpu = DEFAULT_GPU if device is None else get_driver().device(device).gpu
        return variants.variant(variants.specialization(bound, gpu))


class KernelWithGrid:
    """A kernel with the grid that the caller gave."""

    __slots__ = ("grid", "kernel")

    def __init__(self, kernel: Kernel, grid: Grid) -> None:
        """Keep the kernel and its grid."""
        self.kernel = kernel
        self.grid = grid

    def __call__(self, *arguments: Any, **keywords: Any) -> None:
        """Launch the kernel; see `Kernel.__call__`."""
        self.kernel.launch(self.grid, arguments, keywords)


class SourceModule:
    """A loaded source: its kernels are attributes."""

    def __init__(
        self,
        text: KernelText,
        target: str,
        *,
        debug_waits: bool = False,
        allow_spills: bool | None = None,
    ) -> None:
        """Make a `Kernel` for every kernel of `text`; see there for the other arguments.

        Raises:
            CompileError: The source has syntax errors or no kernel.
        """
        self._kernels = {
            name: Kernel(
                text, name, target=target, debug_waits=debug_waits, allow_spills=allow_spills
            )
            for name in text.kernel_names
        }
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
        try:
            return self._kernels[select_kernel(self._kernels, name, self._file)]
        except CompileError as failure:
            raise UnknownKernelError(failure.diagnostics) from None

    def __getitem__(self, name: str) -> Kernel:
        return self.__getattr__(name)

    def __iter__(self) -> Iterator[Kernel]:
        return iter(self._kernels.values())

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._kernels]


@shortens_tracebacks
def load(
    path: str | Path,
    *,
    target: str = "sm_90a",
    debug_waits: bool = False,
    allow_spills: bool | None = None,
) -> SourceModule:
    """Load a `.tile` file; its kernels are attributes of the result.

    Args:
        path: File to read.
        target: Architecture to compile for.
        debug_waits: Report deadlocks instead of hanging the GPU; see `Kernel`.
        allow_spills: Whether registers may spill and wgmma be serialised; see `Kernel`.

    Raises:
        CompileError: The file cannot be read, has syntax errors or no kernel.
    """
    file = path_of(path, "tilec.load")
    if file.suffix == ".py":
        hint = "import a Python file: functions with '@tilec.kernel' are its kernels"
        raise launch_error("T0717", f"tilec.load takes a .tile file, got {file}", hint=hint)
    program = Program(read_source_file(file))
    return SourceModule(
        KernelText.of(program), target, debug_waits=debug_waits, allow_spills=allow_spills
    )


@shortens_tracebacks
def loads(
    text: str,
    name: str = "<string>",
    *,
    target: str = "sm_90a",
    debug_waits: bool = False,
    allow_spills: bool | None = None,
) -> SourceModule:
    """Load kernels from a string that holds the text of a `.tile` file.

    Args:
        text: The text. Lines that are all indented alike are accepted.
        name: Name of the text in messages.
        target: Architecture to compile for.
        debug_waits: Report deadlocks instead of hanging the GPU; see `Kernel`.
        allow_spills: Whether registers may spill and wgmma be serialised; see `Kernel`.

    Raises:
        CompileError: The text has syntax errors or no kernel.
        LaunchError: `text` or `name` is no string.
    """
    for what, value in (("text", text), ("name", name)):
        if not isinstance(value, str):
            hint = "a file is loaded with tilec.load(path)"
            message = f"tilec.loads: {what} is a {type(value).__name__}, expected a str"
            raise launch_error("T0717", message, hint=hint)
    program = Program(text_source(name, text))
    return SourceModule(
        KernelText.of(program), target, debug_waits=debug_waits, allow_spills=allow_spills
    )
