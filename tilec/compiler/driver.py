"""The driver: takes a kernel through the stages, one pass at a time, and on to PTX.

After a pass it stamps the module with the name of the pass (so that a dump can be resumed),
measures, and writes or prints what was asked for; after a stage it verifies, and after every pass
that is shown. MLIR and LLVM are imported when they are first needed: a syntax error is reported
without them.
"""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import Any

from tilec.compiler.attempts import Choose, OtherVariantError, compile_with_plans
from tilec.compiler.background_checks import BackgroundChecks
from tilec.compiler.choices import explain_choices
from tilec.compiler.compilation import Compilation, Stopwatch, Timing
from tilec.compiler.debug_build import request_debug_waits
from tilec.compiler.dumps import DumpWriter, check_module
from tilec.compiler.failure_bisection import StageStart, copy_module, naming_the_failed_pass
from tilec.compiler.program import Program
from tilec.compiler.replan import describe_plan
from tilec.compiler.user_ir import beginning, failures_as_diagnostics, run_apart
from tilec.request.options import CompileOptions, Origin
from tilec.request.specialization import Specialization
from tilec.request.stages import STAGE_NAMES, STAGES, Stage
from tilec.request.target import get_target
from tilec.support import compiler_threads
from tilec.support.diagnostics import CompileError, Severity, SourceFile, error, remark

STAMP = "tilec.after"
"""Module attribute that names the pass after which a dump was written."""
_FRONTEND = "frontend"
_PLANNED = "nv-tileas-plan-kernel"
"""The pass after which the metadata say which launches take other variants."""


def compile_source(
    source: SourceFile,
    kernel: str | None = None,
    specialization: Specialization | None = None,
    options: CompileOptions | None = None,
    module_globals: Mapping[str, Any] = MappingProxyType({}),
) -> Compilation:
    """Compile one kernel of a source that nothing else needs: see `compile_kernel`.

    Args:
        source: The program.
        kernel: Name of the kernel; None when the file has only one.
        specialization: What is known about its arguments; by default nothing.
        options: How far to go and what to show on the way.
        module_globals: Values of the Python module around a decorated kernel.
    """
    return compile_kernel(Program(source, module_globals), kernel, specialization, options)


def compile_kernel(
    program: Program,
    kernel: str | None = None,
    specialization: Specialization | None = None,
    options: CompileOptions | None = None,
    choose: Choose | None = None,
) -> Compilation:
    """Compile one kernel of a program.

    Args:
        program: The program.
        kernel: Name of the kernel; None when the program has only one.
        specialization: What is known about its arguments; by default nothing.
        options: How far to go and what to show on the way.
        choose: Asked as soon as a kernel is planned; what it returns is to be compiled instead.

    Returns:
        The compilation, finished as far as `options.emit` asks.

    Raises:
        CompileError: The program is wrong, or cannot be compiled for the target.
        OtherVariantError: `choose` returned something.
        InternalCompilerError: A pass failed; a reproducer was written.
    """
    asked, wanted = options or CompileOptions(), specialization or Specialization()
    deviate = None if choose is None else lambda metadata: choose(metadata, wanted)
    make = partial(_Steps, program, asked, deviate)
    reject = asked.allow_spills is False
    return compiler_threads.run(
        lambda: compile_with_plans(make, kernel, wanted, reject_losses=reject)
    )


def emit_source(
    source: SourceFile,
    kernel: str | None = None,
    specialization: Specialization | None = None,
    module_globals: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """Return the cuda_tile module of one kernel of a source: see `emit_kernel`."""
    return emit_kernel(Program(source, module_globals), kernel, specialization)


def emit_kernel(
    program: Program, kernel: str | None = None, specialization: Specialization | None = None
) -> Any:
    """Return the cuda_tile module of one kernel before any pass: what the CPU reference runs.

    Args:
        program: The program.
        kernel: Name of the kernel; None when the program has only one.
        specialization: What is known about its arguments; by default nothing.

    Raises:
        CompileError: The program is wrong.
    """
    steps = _Steps(program, CompileOptions(emit=STAGE_NAMES[0]))
    wanted = specialization or Specialization()
    return compiler_threads.run_locked(lambda: steps.run_frontend(kernel, wanted))


def resume(
    source: SourceFile, options: CompileOptions, hints: Specialization | None = None
) -> Compilation:
    """Continue from a dump: `options.start_from` says of which stage.

    MLIR works on a dump in a process of its own, which some text would end
    (`tilec.compiler.user_ir`).

    Args:
        source: An `NN-stage-pass.mlir` file, LLVM IR or PTX, as `--dump-ir` wrote it or edited.
        options: How far to go and what to show on the way.
        hints: Sizes to plan for and overrides of the plan.

    Returns:
        The compilation; it holds the text of the last stages in the place of their modules.

    Raises:
        CompileError: The dump cannot be read, passes cannot work on it, or the result cannot be
            compiled.
    """
    wanted = hints or Specialization()
    arguments = (source, options, dict(wanted.sizes), dict(wanted.plan))
    if options.start_from in STAGE_NAMES:
        return run_apart(resume_here, *arguments, source=source)
    return resume_here(*arguments)


def resume_here(
    source: SourceFile, options: CompileOptions, sizes: dict[str, int], plan: dict[str, Any]
) -> Compilation:
    """Continue from a dump in this process, which MLIR may end: see `resume`."""
    with failures_as_diagnostics(options.origin, source):
        steps = _Steps(Program(source), options)
        steps.hints = Specialization(sizes=sizes, plan=plan)
        return compiler_threads.run(lambda: steps.resume(options.start_from or ""))


class _Steps:
    """The state of one compilation while it runs."""

    def __init__(
        self,
        program: Program,
        options: CompileOptions,
        deviate: Callable[[Mapping[str, Any]], Specialization | None] | None = None,
        accept_losses: bool = True,
    ) -> None:
        """Begin.

        Args:
            program: What to compile.
            options: How far to go.
            deviate: Returns what to compile instead of a planned kernel, by its metadata.
            accept_losses: Report spills and serialised products instead of raising them, unless
                `allow_spills` is false.
        """
        self.accept_losses = accept_losses and options.allow_spills is not False
        self.program = program
        self.deviate = deviate
        self.source = program.source
        self.options = options
        self.target = get_target(options.target)
        self.dumps = DumpWriter(options.dump_directory)
        self.watch = Stopwatch()
        self.result = Compilation("", (self.source,), timings=self.watch.timings)
        self.hints = Specialization()
        self.pass_context: Any = None
        self.specialization = Specialization()
        self.module: Any = None
        self.starts: list[StageStart] = []
        self.unverified = False

    def compile(self, kernel: str | None, specialization: Specialization) -> Compilation:
        """Run everything."""
        with compiler_threads.LOCK.held:
            self.module = self.run_frontend(kernel, specialization)
        return self._lower(self.module, 0, 0)

    def resume(self, stage: str) -> Compilation:
        """Run everything from the dump of a stage."""
        if stage not in STAGE_NAMES:
            self._code_generator().run_text(stage, self.source)
            return self.result
        with compiler_threads.LOCK.held:
            module, index, position = self._parse_dump(stage)
        return self._lower(module, index, position).detach()

    def follow(self, abandoned: "_Steps", failure: CompileError, reason: str) -> None:
        """Go on from a plan that was given up: with its remarks, and with its time.

        Its warnings are about code that nobody runs.
        """
        kept = (item for item in abandoned.result.sink.items if item.severity is Severity.REMARK)
        for item in (*kept, remark("T0432", reason)):
            self.result.sink.emit(item)
        with compiler_threads.LOCK.held:
            plan = describe_plan(abandoned.module, failure)
        self.watch.add_abandoned(abandoned.watch, plan)

    def _lower(self, module: Any, first_stage: int, first_pass: int) -> Compilation:
        """Run everything from a position in the pipeline."""
        with (
            naming_the_failed_pass(self.starts, self.pass_context),
            BackgroundChecks(self.pass_context.background, self.watch) as checks,
        ):
            with compiler_threads.LOCK.held:
                self._run_stages(module, first_stage, first_pass)
            return self._finish(module, checks)

    def run_frontend(self, kernel: str | None, specialization: Specialization) -> Any:
        """Return the module that the frontend emits for `kernel`."""
        with self.watch.step(_FRONTEND, "parse") as timing:
            self.result.kernel = self.program.select_kernel(kernel)
            self.result.sources = self.program.sources
        # The source may have been parsed earlier, when somebody asked for a signature.
        timing.seconds = max(timing.seconds, self.program.claim_parse_seconds())
        context = self._make_context(specialization)
        with self.watch.step(_FRONTEND, "emit") as timing:
            from tilec.frontend.emit.module import emit_module

            module = emit_module(self.program.tree, self.result.kernel, specialization, context)
            if self.options.debug_waits:
                request_debug_waits(module, self.source.name)
        self.specialization = specialization
        self._count(module, timing)
        self._after_pass(STAGES[0], _FRONTEND, module)
        return module

    def _parse_dump(self, stage_name: str) -> tuple[Any, int, int]:
        """Return the module of a dump, and the stage and pass positions to continue from."""
        context = self._make_context(self.hints)
        with self.watch.step(stage_name, "parse dump") as timing:
            from tilec.ir.text import parse_module
            from tilec.passes.runner import verify_module

            module = parse_module(self.source.text, context, self.source.name)
            verify_module(module, [self.source])
        self._count(module, timing)
        check_module(module, self.source)
        stage = STAGE_NAMES.index(stage_name)
        position = self._resume_position(module, STAGES[stage])
        if self.options.debug_waits:
            request_debug_waits(module, self.source.name, stage, position)
        return module, stage, position

    def _resume_position(self, module: Any, stage: Stage) -> int:
        """Return the index of the pass of `stage` that comes next for `module`.

        IR without a stamp was written by hand: it enters the stage after its conversion.
        """
        first = 1 if stage.passes[0].startswith("convert-") else 0
        if STAMP not in module.operation.attributes:
            return first
        stamp = module.operation.attributes[STAMP].value
        if stamp == _FRONTEND:
            return 0
        if stamp not in stage.passes:
            known = ", ".join(item.name for item in STAGES if stamp in item.passes)
            message = f"the dump was written after '{stamp}', which stage {stage.name} does not run"
            hint = f"use --start-from with one of: {known}" if known else None
            place = beginning(self.source)
            raise CompileError(error("T0009", message, place, hint=hint), [self.source])
        return stage.passes.index(stamp) + 1

    def _make_context(self, specialization: Specialization) -> Any:
        with self.watch.step(_FRONTEND, "load MLIR"):
            import tilec.passes.runner  # noqa: F401 - so that its import is measured here
            from tilec.ir.context import compiler_context
            from tilec.passes.registry import PassContext

            self.pass_context = PassContext(
                target=self.target,
                sink=self.result.sink,
                plan_overrides=specialization.fixed_fields({}),
                problem_sizes=dict(specialization.sizes),
                buffer=self.source.name,
                sources=self.result.sources,
                origin=self.options.origin,
                background=[],
            )
            return compiler_context()

    def _run_stages(self, module: Any, first_stage: int, first_pass: int) -> None:
        """Run the passes from a position in the pipeline to the last stage asked for."""
        before = copy_module(module)
        for index in range(first_stage, len(STAGES)):
            stage = STAGES[index]
            if index > first_stage and not self.options.reaches(stage.name):
                return
            first = first_pass if index == first_stage else 0
            self.starts.append(StageStart(before, stage.passes[first:]))
            for position in range(first, len(stage.passes)):
                self._run_pass(stage, position, module)
            before = self.result.snapshots[stage.name] = copy_module(module)

    def _run_pass(self, stage: Stage, position: int, module: Any) -> None:
        from tilec.passes.runner import needs_verifying, run_pass

        compiler_threads.checkpoint()
        name = stage.passes[position]
        shown = self.dumps.directory is not None or self.options.prints_after(name)
        # A plan in a file may not suit its IR: then a pass makes IR on which the next one crashes.
        is_doubtful = self.options.origin is Origin.USER
        verify = shown or is_doubtful or needs_verifying(stage.passes, position)
        with self.watch.step(stage.name, name) as timing:
            self.unverified = run_pass(
                module,
                name,
                self.pass_context,
                self.result.sources,
                verify=verify,
                unverified=self.unverified,
            )
        self._count(module, timing)
        self._after_pass(stage, name, module)
        if name == _PLANNED and self.deviate is not None:
            self._give_way(module, self.deviate)

    def _give_way(
        self, module: Any, deviate: Callable[[Mapping[str, Any]], Specialization | None]
    ) -> None:
        """Stop where a launch takes another variant.

        Raises:
            OtherVariantError: It does.
        """
        from tilec.compiler.backend import find_kernel_op
        from tilec.ir.attributes import read_kernel_metadata

        metadata = read_kernel_metadata(find_kernel_op(module))
        other = deviate(metadata)
        if other is not None:
            raise OtherVariantError(other, metadata)

    def _count(self, module: Any, timing: Timing) -> None:
        if self.options.count_operations:
            from tilec.passes.runner import count_operations

            timing.operations = count_operations(module)

    def _after_pass(self, stage: Stage, name: str, module: Any) -> None:
        """Stamp `module` and show it where that was asked for."""
        from tilec.ir.bindings import ir
        from tilec.ir.text import print_module

        with module.context:
            module.operation.attributes[STAMP] = ir.StringAttr.get(name)
        if self.dumps.directory is None and not self.options.prints_after(name):
            return
        text = print_module(module, locations=self.options.lineinfo, verified=True)
        self.dumps.write_pass(stage.name, name, text)
        if self.options.prints_after(name):
            title = self.specialization.variant
            where = f"{stage.name}; {title}" if title else stage.name
            sys.stderr.write(f"// ----- IR after {name} ({where})\n{text.rstrip()}\n")

    def _finish(self, module: Any, checks: BackgroundChecks) -> Compilation:
        """Take a lowered module to LLVM IR and on, as far as was asked for."""
        with compiler_threads.LOCK.held:
            explain_choices(module, self.result.sink)
        if not self.options.reaches("llvmir"):
            return self.result
        last = self.watch.timings[-1].step
        is_legal = last == "verify-llvm-legality"
        try:
            self._code_generator().run(module, is_legal=is_legal, meanwhile=checks.start)
        except CompileError as failure:
            raise failure.quoting(self.result.sources) from None
        return self.result

    def _code_generator(self) -> Any:
        from tilec.compiler.backend import CodeGenerator

        return CodeGenerator(
            self.result,
            self.options,
            self.target,
            self.watch,
            self.dumps,
            accept_losses=self.accept_losses,
        )
