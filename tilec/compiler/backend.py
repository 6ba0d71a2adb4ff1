"""The way from the llvm stage to PTX, cubin and artifact, step by step and measured."""

from collections.abc import Callable, Sequence
from typing import Any

from tilec.compiler.compilation import Compilation, Stopwatch
from tilec.compiler.debug_build import too_late
from tilec.compiler.dumps import DumpWriter, metadata_comment, read_metadata_comment
from tilec.compiler.replan import loses_performance
from tilec.plan.summary import plan_text
from tilec.request.options import ASSEMBLED, CompileOptions
from tilec.request.target import Target
from tilec.request.wait_records import HIDDEN_PARAMETERS, METADATA_KEY
from tilec.support import compiler_threads
from tilec.support.diagnostics import (
    CompileError,
    Diagnostic,
    InternalCompilerError,
    Severity,
    SourceFile,
)
from tilec.support.fast_dataclasses import replace

_STAGE = "code generation"


class CodeGenerator:
    """Takes one compilation through the LLVM, PTX and ptxas steps."""

    def __init__(
        self,
        result: Compilation,
        options: CompileOptions,
        target: Target,
        watch: Stopwatch,
        dumps: DumpWriter,
        *,
        accept_losses: bool = True,
    ) -> None:
        """Keep where results go.

        Args:
            result: What is filled.
            options: How far to go.
            target: Architecture.
            watch: Measures the steps.
            dumps: Writes what is made.
            accept_losses: Report spills and serialised products instead of raising them.
        """
        self.accept_losses = accept_losses
        self.losses: Sequence[Diagnostic] = ()
        self.result = result
        self.options = options
        self.target = target
        self.watch = watch
        self.dumps = dumps

    def run(
        self,
        module: Any,
        *,
        is_legal: bool = False,
        meanwhile: Callable[[], None] | None = None,
    ) -> None:
        """Translate `module` (llvm stage) and go on, as far as the options ask.

        Args:
            module: The module.
            is_legal: `verify-llvm-legality` has just passed it.
            meanwhile: Called before LLVM runs, which leaves Python to other threads.

        Raises:
            CompileError: The module holds something that LLVM cannot take, ptxas rejects the code,
                or it spills and `accept_losses` is false.
        """
        with self.watch.step(_STAGE, "translate to LLVM IR"), compiler_threads.LOCK.held:
            from tilec.codegen.llvmir import translate
            from tilec.ir.attributes import read_kernel_metadata

            metadata = read_kernel_metadata(find_kernel_op(module))
            text = translate(module, lineinfo=self.options.lineinfo, is_legal=is_legal)
        if self.options.reaches("ptx"):
            with self.watch.step(_STAGE, "load LLVM"), compiler_threads.LOCK.held:
                import_rest(ptxas=self.options.assembles)
        if meanwhile is not None:
            meanwhile()
        try:
            self._run_llvm(text, metadata)
        except CompileError as failure:
            if loses_performance(failure) and self.options.allow_spills is not False:
                raise  # another plan is tried, or this one once more, and then it is accepted
            raise self._explain(failure, module) from None
        if self.losses:
            self.report(self._explain(CompileError(self.losses), module))

    def _explain(self, failure: CompileError, module: Any) -> CompileError:
        """Return a complaint of ptxas with source lines, and with what takes registers."""
        compiler_threads.checkpoint()
        with compiler_threads.LOCK.held:
            from tilec.codegen.ptxas_locations import with_reasons, with_source_lines
        with self.watch.step(_STAGE, "find source lines"):
            located = with_source_lines(failure, module, self.target)
        return with_reasons(located, self.result.remarks)

    def report(self, losses: CompileError) -> None:
        """Make warnings of lost performance, or remarks where it was accepted."""
        severity = Severity.REMARK if self.options.allow_spills else Severity.WARNING
        for item in losses.diagnostics:
            self.result.sink.emit(replace(item, severity=severity))

    def run_text(self, stage: str, source: SourceFile) -> None:
        """Go on from the text of a dump: `llvmir` or `ptx`.

        Raises:
            CompileError: The dump lacks the kernel's metadata, or LLVM or ptxas rejects it.
        """
        metadata, rest = read_metadata_comment(source)
        if self.options.debug_waits and METADATA_KEY not in metadata:
            raise too_late(self.result.sources[0].name)
        if stage == "llvmir":
            self._run_llvm(rest, metadata, edited=True)
        else:
            self._run_ptx(rest, metadata)
        if self.losses:
            self.report(CompileError(self.losses))

    def _run_llvm(self, text: str, metadata: dict[str, Any], *, edited: bool = False) -> None:
        self.result.texts["llvmir"] = metadata_comment(metadata, ";") + text
        self.dumps.write(f"{metadata['name']}.ll", self.result.texts["llvmir"])
        if not self.options.reaches("ptx"):
            return
        with self.watch.step(_STAGE, "LLVM to PTX"):
            from tilec.codegen.ptx import emit_ptx

            ptx = emit_ptx(text, self.target, edited=edited)
        self._run_ptx(ptx, metadata)

    def _run_ptx(self, ptx: str, metadata: dict[str, Any]) -> None:
        from tilec.codegen.artifact import Artifact, HiddenParameter, KernelImage, Workspace
        from tilec.codegen.header import header_comment, strip_header

        self.result.kernel = metadata["name"]
        body = strip_header(ptx)
        assembly = self._assemble(body)
        self.result.assembly = assembly
        # A debug build is there to be right, not fast: what its waits cost is not reported.
        if assembly is not None and METADATA_KEY not in metadata:
            self.losses = assembly.losses
        if self.losses and not self.accept_losses:
            raise CompileError(self.losses)
        image = KernelImage(metadata["name"], body, metadata=metadata)
        if assembly is not None:
            image = KernelImage(
                metadata["name"],
                body,
                assembly.cubin,
                metadata,
                assembly.registers,
                assembly.stack_bytes,
                assembly.spill_stores + assembly.spill_loads,
            )
        hidden = tuple(HiddenParameter(**item) for item in metadata.get(HIDDEN_PARAMETERS, ()))
        workspaces = tuple(Workspace(**item) for item in metadata.get("workspaces", ()))
        artifact = Artifact((image,), self.target.name, workspaces, hidden)
        text = header_comment(artifact) + body
        self.result.artifact = artifact
        self.result.texts["ptx"] = text
        self.dumps.write(f"{image.name}.ptx", text + metadata_comment(metadata, "//"))
        self.result.texts["plan"] = plan_text(metadata)
        self.dumps.write("plan.json", self.result.texts["plan"])
        self._disassemble(image.name)

    def _assemble(self, ptx: str) -> Any:
        """Return what ptxas makes of `ptx`, or None when it shall not or cannot run."""
        needed = self.options.emit in ASSEMBLED
        if not self.options.assembles:
            return None
        from tilec.codegen.ptxas import assemble
        from tilec.codegen.tools import find_tool

        if not needed and find_tool("ptxas") is None:
            return None
        compiler_threads.checkpoint()
        with self.watch.step(_STAGE, "ptxas"):
            return assemble(ptx, self.target, lineinfo=self.options.lineinfo, allow_spills=True)

    def _disassemble(self, name: str) -> None:
        """Make the SASS listing when it was asked for, or is to be dumped and can be made."""
        from tilec.codegen.tools import find_tool

        assembly = self.result.assembly
        wanted = self.options.emit == "sass"
        if assembly is None or not (wanted or self.dumps.directory is not None):
            return
        if not wanted and find_tool("nvdisasm") is None:
            return
        from tilec.codegen.sass import disassemble

        with self.watch.step(_STAGE, "nvdisasm"):
            listing = disassemble(assembly.cubin)
        self.result.texts["sass"] = listing
        self.dumps.write(f"{name}.sass", listing)


def import_rest(*, ptxas: bool) -> None:
    """Import what the steps without the compiler's lock use.

    A forked child would wait forever for an import that another thread of its parent had begun.
    """
    import shutil  # noqa: F401
    import subprocess  # noqa: F401
    import tempfile  # noqa: F401

    import llvmlite.binding  # noqa: F401

    from tilec.codegen import artifact, header, ptx  # noqa: F401
    from tilec.support import isolation  # noqa: F401

    if ptxas:
        from tilec.codegen import ptxas_locations  # noqa: F401


def import_compiler() -> None:
    """Import all that compiles, in a process that will be asked to."""
    from tilec.ir.context import make_context
    from tilec.passes import load_all_passes

    load_all_passes()
    make_context()
    import_rest(ptxas=True)


def find_kernel_op(module: Any) -> Any:
    """Return the operation of the kernel in `module`, at any stage.

    Raises:
        InternalCompilerError: No operation carries the metadata of a kernel.
    """
    from tilec.ir.attributes import KERNEL_ATTRIBUTE

    for op in module.operation.regions[0].blocks[0].operations:
        if KERNEL_ATTRIBUTE in op.attributes:
            return op
    raise InternalCompilerError(f"no operation carries '{KERNEL_ATTRIBUTE}'", pass_name=_STAGE)
