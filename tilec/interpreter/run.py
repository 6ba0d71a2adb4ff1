"""Runs a cuda_tile kernel in NumPy, block by block over its grid."""

import contextlib
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tilec.interpreter import (  # noqa: F401 - each family registers its operations
    assume_ops,
    combine_ops,
    compare_ops,
    constant_ops,
    control_flow,
    convert_ops,
    element_ops,
    float_ops,
    integer_ops,
    matmul_ops,
    memory_ops,
    report_ops,
    shape_ops,
    view_ops,
)
from tilec.interpreter.arguments import bind_arguments
from tilec.interpreter.builder import BLOCK_ID_SLOT, GRID_SLOT, Builder
from tilec.interpreter.memory import Pointer
from tilec.ir.attributes import read_kernel_metadata
from tilec.support import compiler_threads
from tilec.support.diagnostics import (
    CompileError,
    KernelAssertionError,
    OutOfRangeError,
    SourceFile,
)
from tilec.support.kernel_selection import select_kernel

ENTRY_OP = "cuda_tile.entry"


class Program:
    """One kernel, translated to closures; it can run any number of times.

    Attributes:
        metadata: The kernel's `tilec.kernel` dictionary.
    """

    def __init__(self, entry: Any) -> None:
        """Translate the `cuda_tile.entry` operation `entry`.

        Raises:
            InternalCompilerError: An operation has no rule; the message names it.
            CompileError: A constant index of `extract` is out of range.
        """
        self.metadata: dict[str, Any] = read_kernel_metadata(entry)
        builder = Builder()
        with np.errstate(all="ignore"):
            self._body = builder.region(entry.regions[0].blocks[0])
        self._frame_size = builder.frame_size

    def run(self, values: Sequence[Any], grid: tuple[int, int, int]) -> None:
        """Execute every block.

        Args:
            values: One value per kernel argument: `Pointer`, or a NumPy scalar.
            grid: Number of blocks along each axis; the first axis runs fastest.
        """
        x, y, z = grid
        frame: list[Any] = [None] * self._frame_size
        frame[GRID_SLOT] = [np.int32(extent) for extent in grid]
        # Overflow, NaN and division by zero have defined results here; NumPy need not warn.
        with np.errstate(all="ignore"):
            for k, j, i in itertools.product(range(z), range(y), range(x)):
                frame[BLOCK_ID_SLOT] = [np.int32(i), np.int32(j), np.int32(k)]
                self._body.run(frame, values)


def find_kernel(module: Any, kernel: str | None = None) -> Any:
    """Return the `cuda_tile.entry` operation called `kernel`, or the only one.

    Raises:
        CompileError: There is no such kernel, or several and no choice.
    """
    entries = {
        op.attributes["sym_name"].value: op.operation
        for op in module.body.operations
        if op.operation.name == ENTRY_OP
    }
    return entries[select_kernel(entries, kernel, "the module")]


def make_program(
    module: Any, kernel: str | None = None, sources: Sequence[SourceFile] = ()
) -> Program:
    """Return the program of a kernel; it needs the module no more.

    Args:
        module: An `ir.Module` with `cuda_tile.entry` operations.
        kernel: Name of the kernel; None when there is only one.
        sources: Files that errors quote from.

    Raises:
        CompileError: There is no such kernel, or a constant index of `extract` is out of range.
        InternalCompilerError: An operation has no rule.
    """
    with _quoting(sources):
        return compiler_threads.run_locked(lambda: Program(find_kernel(module, kernel)))


def run_module(
    module: Any,
    kernel: str | None,
    arguments: Sequence[Any],
    grid: Sequence[int] = (1,),
) -> None:
    """Run a kernel on raw argument values; arrays are written in place.

    Args:
        module: An `ir.Module` with `cuda_tile.entry` operations.
        kernel: Name of the kernel; None when there is only one.
        arguments: One value per kernel argument in order: an array for a pointer (it points at
            the first element), a NumPy scalar of the right type for anything else.
        grid: Number of blocks along one to three axes.

    Raises:
        CompileError: There is no such kernel.
        InternalCompilerError: An operation has no rule, or reads outside of an array.
    """
    values = [
        Pointer.to(value) if isinstance(value, np.ndarray) and value.ndim else value
        for value in arguments
    ]
    x, y, z = [*map(int, grid), 1, 1, 1][:3]
    make_program(module, kernel).run(values, (x, y, z))


def run_kernel(
    module: Any,
    arrays: Mapping[str, np.ndarray],
    scalars: Mapping[str, Any] | None = None,
    grid: Sequence[int] | None = None,
    kernel: str | None = None,
    sources: Sequence[SourceFile] = (),
) -> None:
    """Run a kernel on named arguments; arrays are written in place.

    Pointers, strides, dims and the grid follow from the kernel's metadata.

    Args:
        module: An `ir.Module` with `cuda_tile.entry` operations.
        arrays: Arrays by parameter name; any strides, NumPy types as in `numpy_types`.
        scalars: Scalar arguments by parameter name.
        grid: Number of blocks along one to three axes, for a kernel without `grid()`.
        kernel: Name of the kernel; None when there is only one.
        sources: Files that errors of the run quote from.

    Raises:
        LaunchError: An argument does not fit the kernel.
        CompileError: There is no such kernel, or a constant index of `extract` is out of range.
        OutOfRangeError: `extract` was asked for a slice that is not there.
        KernelAssertionError: An `assert` failed.
        InternalCompilerError: An operation has no rule, or reads outside of an array.
    """
    run_program(make_program(module, kernel, sources), arrays, scalars, grid, sources)


def run_program(
    program: Program,
    arrays: Mapping[str, np.ndarray],
    scalars: Mapping[str, Any] | None = None,
    grid: Sequence[int] | None = None,
    sources: Sequence[SourceFile] = (),
) -> None:
    """Run a program on named arguments; arrays are written in place.

    Args:
        program: What `make_program` returned.
        arrays: As for `run_kernel`, like the rest.
        scalars: Scalar arguments by parameter name.
        grid: Number of blocks along one to three axes, for a kernel without `grid()`.
        sources: Files that errors of the run quote from.

    Raises:
        LaunchError: An argument does not fit the kernel.
        OutOfRangeError: `extract` was asked for a slice that is not there.
        KernelAssertionError: An `assert` failed.
        InternalCompilerError: The program reads outside of an array.
    """
    launch = bind_arguments(program.metadata, arrays, scalars or {}, grid)
    with _quoting(sources):
        program.run(launch.values, launch.grid)


@contextlib.contextmanager
def _quoting(sources: Sequence[SourceFile]) -> Iterator[None]:
    """Let errors about the kernel quote from `sources`."""
    try:
        yield
    except (CompileError, KernelAssertionError, OutOfRangeError) as failure:
        raise type(failure)(failure.diagnostics, sources) from None
