"""The kernels of a file on the command line: a `.tile` file, or a Python file that is imported."""

import contextlib
import sys
import traceback
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from tilec.cli.files import read_source
from tilec.compiler.program import Program
from tilec.request.options import CompileOptions
from tilec.support.diagnostics import CompileError, SourceFile, SourceSpan, TileError, error
from tilec.support.fast_dataclasses import dataclass, field
from tilec.support.kernel_selection import select_kernel
from tilec.support.sources import read_source_file

PYTHON_SUFFIX = ".py"


@dataclass(frozen=True)
class KernelSource:
    """One kernel of a file.

    Attributes:
        name: Its name for `--kernel`.
        read: Returns the program that holds it, always the same object.
        definition: Its name in the program.
        plan: Fields of the plan that its decorator fixes.
        options: How its decorator asks to compile it.
    """

    name: str
    read: Callable[[], Program]
    definition: str
    plan: Mapping[str, int | tuple[int, ...]] = field(default_factory=dict)
    options: CompileOptions = CompileOptions()

    @property
    def program(self) -> Program:
        """The program that holds the kernel.

        Raises:
            CompileError: The source of a Python function cannot be read (T0113).
        """
        return self.read()


@dataclass(frozen=True)
class KernelFile:
    """The kernels of one file.

    Attributes:
        name: Name of the file.
        kernels: Every kernel by its name for `--kernel`, in source order.
        module: What importing a Python file made; None for a `.tile` file.
    """

    name: str
    kernels: Mapping[str, KernelSource]
    module: ModuleType | None = None

    def select_kernel(self, wanted: str | None) -> KernelSource:
        """Return the kernel called `wanted`, or the only one.

        Raises:
            CompileError: There is no such kernel, or several and none was named (T0006).
        """
        if self.module is None:
            program = next(iter(self.kernels.values())).program
            return self.kernels[program.select_kernel(wanted)]
        return self.kernels[select_kernel(self.kernels, wanted, self.name)]


def read_kernel_file(name: str) -> KernelFile:
    """Return the kernels of a `.tile` file, or of a Python file, which is imported.

    Args:
        name: Name of the file; `-` is a `.tile` source on standard input.

    Raises:
        CompileError: The file cannot be read or imported, has syntax errors, or has no kernel.
    """
    if Path(name).suffix == PYTHON_SUFFIX:
        return _kernels_of_module(name, import_file(name))
    return kernels_of_source(read_source(name))


def kernels_of_source(source: SourceFile) -> KernelFile:
    """Return the kernels of a `.tile` source.

    Raises:
        CompileError: The source has syntax errors or no kernel.
    """
    program = Program(source)
    kernels = {name: KernelSource(name, lambda: program, name) for name in program.kernel_names}
    return KernelFile(source.name, kernels)


def _kernels_of_module(name: str, module: ModuleType) -> KernelFile:
    """Return the kernels among the global variables of a module, imported ones included.

    Raises:
        CompileError: There is none (T0109).
    """
    from tilec.runtime.jit import Kernel

    found = {key: value for key, value in vars(module).items() if isinstance(value, Kernel)}
    if not found:
        message = f"{name} has no kernel among its global variables"
        hint = "decorate a function at the top of the file with '@tilec.kernel'"
        place = SourceSpan(name, 1, 1, 1, 2)
        raise CompileError(error("T0109", message, place, hint=hint), [read_source_file(name)])
    kernels = {
        key: KernelSource(
            key,
            partial(getattr, value.text, "program"),
            value.variants.name,
            value.variants.plan_fields,
            value.variants.options,
        )
        for key, value in found.items()
    }
    return KernelFile(name, kernels, module)


def import_file(name: str) -> ModuleType:
    """Import a Python file, which runs it: its functions and global values are needed as they are.

    What it prints goes to standard error, because standard output is for results. Its folder comes
    first on the import path, as if Python ran the file.

    Raises:
        CompileError: The file cannot be read (T0002, T0003), or it fails (T0021).
    """
    source = read_source_file(name)
    folder = str(Path(name).resolve().parent)
    module = ModuleType(f"tilec_file_{Path(name).stem}")
    module.__file__ = str(Path(name).resolve())
    sys.modules[module.__name__] = module
    sys.path.insert(0, folder)
    try:
        # Not by a loader: that would write the bytecode next to the file, or take old bytecode.
        code = compile(source.text, name, "exec", dont_inherit=True)
        with contextlib.redirect_stdout(sys.stderr):
            exec(code, vars(module))
    except TileError:
        raise
    except (Exception, SystemExit) as failure:  # the file is the user's: it may raise anything
        raise _import_error(failure, source) from failure
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)
    return module


def _import_error(failure: BaseException, source: SourceFile) -> CompileError:
    """Return the diagnostic about an exception, at the innermost line of the file on its way."""
    if isinstance(failure, SyntaxError) and failure.filename == source.name:
        line, column = failure.lineno or 1, failure.offset or 1
        reason = f"SyntaxError: {failure.msg}"
    else:
        frames = traceback.extract_tb(failure.__traceback__)
        lines: list[Any] = [item.lineno for item in frames if item.filename == source.name]
        line, column = (lines or [1])[-1] or 1, 1
        reason = f"{type(failure).__name__}: {failure}".removesuffix(": ")
    text = source.line(line) or ""
    column = max(column, len(text) - len(text.lstrip()) + 1)
    span = SourceSpan(source.name, line, column, line, max(len(text), column) + 1)
    message = f"{source.name} cannot be imported: {reason}"
    hint = "a Python file is run to find its kernels; it must run without errors"
    return CompileError(error("T0021", message, span, hint=hint), [source])
