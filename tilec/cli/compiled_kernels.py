"""The results of `tilec compile`: how they are made, with or without the cache, and written."""

from collections.abc import Mapping, Sequence
from typing import Any

from tilec.cli.kernel_files import KernelSource
from tilec.compiler.compilation import Compilation
from tilec.compiler.driver import compile_kernel
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.runtime.cache import DiskCache
from tilec.runtime.launch_variants import next_variant
from tilec.runtime.stored_kernels import obtain_kernel
from tilec.support.compiler_threads import run_locked
from tilec.support.diagnostics import Diagnostic, SourceFile
from tilec.support.fast_dataclasses import dataclass

_FROM_ARTIFACT = ("ptx", "cubin", "sass", "plan", "package")
"""Values of `--emit` that an artifact is enough for; the cache holds no IR."""


@dataclass(frozen=True)
class Result:
    """One kernel, compiled as far as `--emit` asks.

    Attributes:
        sources: What was compiled, and the files that it imports.
        remarks: Choices made for the user.
        artifact: What a launcher needs; None when the compilation stopped before PTX.
        compilation: The compilation; None when the kernel came from the cache.
    """

    sources: Sequence[SourceFile]
    remarks: Sequence[Diagnostic]
    artifact: Any
    compilation: Compilation | None = None


def result_of(compilation: Compilation) -> Result:
    """Return the result of a compilation that did not use the cache."""
    return Result(compilation.sources, compilation.remarks, compilation.artifact, compilation)


def compile_to_result(
    kernel: KernelSource, specialization: Specialization, options: CompileOptions, *, cached: bool
) -> Result:
    """Compile a kernel, or take it from the cache.

    Args:
        kernel: The kernel.
        specialization: What to compile for.
        options: How far to go and what to show on the way.
        cached: Whether the cache may be used; it is not where it cannot hold the result.

    Raises:
        CompileError: The kernel is wrong, or cannot be compiled for the target.
    """
    shows_ir = options.dump_directory is not None or options.print_after

    def compile_for(asked: Specialization) -> Result:
        if not cached or shows_ir or options.emit not in _FROM_ARTIFACT:
            return result_of(compile_kernel(kernel.program, kernel.definition, asked, options))
        found = obtain_kernel(DiskCache(), kernel.program, kernel.definition, asked, options)
        return Result(kernel.program.sources, found.remarks, found.artifact, found.compilation)

    result = compile_for(specialization)
    while (other := next_variant(_metadata(result), specialization)) is not None:
        specialization, result = other, compile_for(other)
    return result


def _metadata(result: Result) -> Mapping[str, Any]:
    """Return the metadata of a kernel, as far as it was compiled."""
    if result.artifact is not None:
        return result.artifact.kernels[-1].metadata
    from tilec.compiler.backend import find_kernel_op
    from tilec.ir.attributes import read_kernel_metadata

    assert result.compilation is not None
    *_, module = result.compilation.snapshots.values()
    return run_locked(lambda: read_kernel_metadata(find_kernel_op(module)))


def emitted(results: Sequence[Result], emit: str) -> str | bytes:
    """Return what `--emit` asks for.

    Args:
        results: The kernels; only a package takes more than one.
        emit: One of `EMIT_CHOICES`.
    """
    if emit == "package":
        from tilec.codegen.package import package_bytes

        return package_bytes([item.artifact for item in results])
    (result,) = results
    if emit == "cubin":
        return result.artifact.kernels[0].cubin
    text = (
        result.compilation.module_text(emit) if result.compilation else _stored_text(result, emit)
    )
    return text if text.endswith("\n") else text + "\n"


def _stored_text(result: Result, emit: str) -> str:
    """Return the text of a kernel from the cache."""
    image = result.artifact.kernels[0]
    if emit == "plan":
        from tilec.plan.summary import plan_text

        return plan_text(image.metadata)
    if emit == "sass":
        from tilec.codegen.sass import disassemble

        return disassemble(image.cubin)
    from tilec.codegen.header import header_comment

    return header_comment(result.artifact) + image.ptx
