"""The results of `tilec compile`: how they are made, with or without the cache, and written."""

from collections.abc import Sequence
from typing import Any

from tilec.cli.kernel_files import KernelSource
from tilec.compiler.compilation import Compilation
from tilec.compiler.variants import compile_variant
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.runtime.cache import DiskCache
from tilec.runtime.launch.idle_sms import idle_sms_of_sizes
from tilec.runtime.launch_variants import next_variant
from tilec.runtime.packaged_variants import compile_variants, is_only
from tilec.runtime.stored_kernels import obtain_variant
from tilec.support.diagnostics import Diagnostic, SourceFile
from tilec.support.fast_dataclasses import dataclass, replace

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


def compile_to_results(
    kernel: KernelSource, specialization: Specialization, options: CompileOptions, *, cached: bool
) -> list[Result]:
    """Compile a kernel, or take it from the cache.

    Args:
        kernel: The kernel.
        specialization: What to compile for.
        options: How far to go and what to show on the way.
        cached: Whether the cache may be used; it is not where it cannot hold the result.

    Returns:
        The variant that a launch takes; for a package all that launches may take.

    Raises:
        CompileError: The kernel is wrong, or cannot be compiled for the target.
    """
    found = _compiled(kernel, specialization, options, cached=cached)
    for result in found[:1]:
        if result.artifact is not None:
            metadata = result.artifact.kernels[-1].metadata
            idle = idle_sms_of_sizes(metadata, specialization, result.remarks)
            found[0] = replace(result, remarks=(*result.remarks, *idle))
    return found


def _compiled(
    kernel: KernelSource, specialization: Specialization, options: CompileOptions, *, cached: bool
) -> list[Result]:
    """Do what `compile_to_results` does, without what only sizes say."""
    parts = kernel.program, kernel.definition, specialization, options
    packs, shows_ir = options.emit == "package", options.dump_directory is not None
    if cached and not (shows_ir or options.print_after) and options.emit in _FROM_ARTIFACT:
        found = obtain_variant(DiskCache(), *parts)
        if not packs or is_only(found.metadata):
            sources = kernel.program.sources
            return [Result(sources, found.remarks, found.artifact, found.compilation)]
    if packs:
        return [result_of(made) for made in compile_variants(*parts)]
    return [result_of(compile_variant(*parts, next_variant))]


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
