"""`tilec compile`: a `.tile` file, a Python file or a dump, to PTX or to any other stage."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tilec.cli.compiled_kernels import Result, compile_to_results, emitted, result_of
from tilec.cli.files import STANDARD_STREAM, read_source, write_result
from tilec.cli.kernel_binding import BoundKernel, bind_all
from tilec.cli.kernel_files import (
    PYTHON_SUFFIX,
    KernelFile,
    KernelSource,
    kernels_of_source,
    read_kernel_file,
)
from tilec.cli.kernel_options import (
    DEFAULT_TARGET,
    KernelRequest,
    add_assumption_options,
    add_kernel_options,
    read_request,
)
from tilec.cli.main import EXIT_OK, UsageError
from tilec.cli.remarks import render_remarks
from tilec.compiler.compilation import format_timings
from tilec.compiler.driver import resume
from tilec.compiler.dump_stage import find_stage, has_dump_name, require_stage
from tilec.request.options import ALL_PASSES, EMIT_CHOICES, RESUME_CHOICES, CompileOptions
from tilec.request.specialization import Specialization
from tilec.request.stages import STAGES
from tilec.support.diagnostics import Severity, SourceFile
from tilec.support.fast_dataclasses import replace
from tilec.support.suggest import did_you_mean

_BINARY = ("cubin", "package")
_SOURCE_SUFFIX = ".tile"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `tilec compile`."""
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a .tile file; a .py file with @tilec.kernel functions, which is imported, so its "
        "code runs; or a file that --dump-ir wrote; '-' reads standard input",
    )
    add_kernel_options(parser)
    add_assumption_options(parser)
    parser.add_argument(
        "--emit",
        default="ptx",
        choices=EMIT_CHOICES,
        help="what to write; a plan is JSON, cubin and package are binary; a package holds every "
        "kernel of FILE, or that of --kernel (default: %(default)s)",
    )
    parser.add_argument(
        "-o", dest="output", default=STANDARD_STREAM, metavar="PATH", help="where to write it"
    )
    parser.add_argument(
        "--start-from",
        choices=RESUME_CHOICES,
        metavar="STAGE",
        help="stage that FILE is a dump of (default: found from its text): "
        + ", ".join(RESUME_CHOICES),
    )
    _add_code_options(parser)
    _add_inspection_options(parser)
    parser.set_defaults(execute=execute)


def _add_code_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-ptxas", action="store_true", help="do not check the PTX with ptxas")
    parser.add_argument("--lineinfo", action="store_true", help="keep source lines in the code")
    parser.add_argument(
        "--allow-spills",
        action=argparse.BooleanOptionalAction,
        help="do not warn of register spills and serialised matrix operations, which no plan "
        "avoids; with --no-allow-spills they are errors",
    )
    parser.add_argument(
        "--no-cache",
        action="store_true",
        help="compile anew: do not read or write the kernel cache, which --timing, --dump-ir and "
        "--print-ir-after never use",
    )


def _add_inspection_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dump-ir",
        metavar="DIR",
        help="write the IR after every pass, the PTX and the SASS; several kernels get a folder "
        "each",
    )
    parser.add_argument(
        "--print-ir-after",
        action="append",
        default=[],
        metavar="PASS",
        help="print the IR after this pass on standard error; 'all' for every pass",
    )
    parser.add_argument("--timing", action="store_true", help="print where the time went")
    parser.add_argument("--remarks", action="store_true", help="print the compiler's choices")


def execute(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if options.emit in _BINARY and options.output == STANDARD_STREAM and sys.stdout.isatty():
        raise UsageError(f"--emit {options.emit} is binary: give a file with -o")
    if options.start_from is not None:
        _check_order(options.emit, options.start_from)
    _check_passes(options.print_ir_after)
    request = read_request(options)
    results = _results(options, request)
    _report(results, options)
    write_result(options.output, emitted(results, options.emit))
    return EXIT_OK


def _results(options: argparse.Namespace, request: KernelRequest) -> list[Result]:
    """Return what is made of the file, kernel by kernel."""
    name = options.file
    if Path(name).suffix == PYTHON_SUFFIX and options.start_from is None:
        return _compile_kernels(read_kernel_file(name), options, request)
    source = read_source(name)
    stage = options.start_from or _stage_of(name, source)
    if stage is None:
        return _compile_kernels(kernels_of_source(source), options, request)
    _check_order(options.emit, stage)
    _check_dump_options(options)
    settings = replace(_compile_options(options), start_from=stage)
    hints = Specialization(sizes=request.sizes, plan=request.plan)
    return [result_of(resume(source, settings, hints))]


def _stage_of(name: str, source: SourceFile) -> str | None:
    """Return the stage that a file is a dump of; None for a `.tile` source."""
    if has_dump_name(name):
        return require_stage(source)
    return None if Path(name).suffix == _SOURCE_SUFFIX else find_stage(source)


def _compile_kernels(
    file: KernelFile, options: argparse.Namespace, request: KernelRequest
) -> list[Result]:
    """Return the compiled kernels of a file: the one to take, or all for a package."""
    if options.emit == "package" and options.kernel is None:
        # Two variables may hold one kernel, which a package takes once.
        unique = {(id(item.program), item.definition): item for item in file.kernels.values()}
        chosen = list(unique.values())
    else:
        chosen = [file.select_kernel(options.kernel)]
    signatures = [item.program.signature(item.definition) for item in chosen]
    return [
        result
        for item, bound in zip(chosen, bind_all(request, signatures), strict=True)
        for result in _compile_kernel(item, bound, options, alone=len(chosen) == 1)
    ]


def _compile_kernel(
    kernel: KernelSource, bound: BoundKernel, options: argparse.Namespace, *, alone: bool
) -> list[Result]:
    settings = _compile_options(options)
    allowed = settings.allow_spills
    settings = replace(
        settings,
        target=options.target or kernel.options.target,
        debug_waits=settings.debug_waits or kernel.options.debug_waits,
        allow_spills=kernel.options.allow_spills if allowed is None else allowed,
    )
    if settings.dump_directory is not None and not alone:
        settings = replace(settings, dump_directory=settings.dump_directory / kernel.name)
    plan = {**kernel.plan, **bound.specialization.plan}
    specialization = replace(bound.specialization, plan=plan)
    cached = not (options.no_cache or options.timing)
    first, *others = compile_to_results(kernel, specialization, settings, cached=cached)
    return [replace(first, remarks=(*bound.remarks, *first.remarks)), *others]


def _check_order(emit: str, start_from: str) -> None:
    if EMIT_CHOICES.index(emit) < EMIT_CHOICES.index(start_from):
        raise UsageError(f"--emit {emit} comes before the stage of the dump, {start_from}")


def _check_dump_options(options: argparse.Namespace) -> None:
    """Refuse options about parameters: the values in a dump are fixed.

    Raises:
        UsageError: One of them was given.
    """
    given = {
        "--kernel": options.kernel,
        "-D": options.constants,
        "--layout": options.layout,
        "--assume": options.assume,
        "--no-assume": options.no_assume,
    }
    for name, value in given.items():
        if value:
            message = f"{name} does not apply to a dump, {options.file}: give it with the source"
            raise UsageError(message)


def _check_passes(names: Sequence[str]) -> None:
    """Refuse names that no pass of the pipeline has.

    Raises:
        UsageError: With the pass that was probably meant.
    """
    known = [ALL_PASSES, *(name for stage in STAGES for name in stage.passes)]
    for name in names:
        if name not in known:
            hint = did_you_mean(name, known) or "'tilec passes' lists them"
            raise UsageError(f"--print-ir-after: the pipeline has no pass '{name}'; {hint}")


def _compile_options(options: argparse.Namespace) -> CompileOptions:
    return CompileOptions(
        target=options.target or DEFAULT_TARGET,
        emit=options.emit,
        dump_directory=Path(options.dump_ir) if options.dump_ir else None,
        print_after=tuple(options.print_ir_after),
        lineinfo=options.lineinfo,
        allow_spills=options.allow_spills,
        debug_waits=options.debug_waits,
        run_ptxas=not options.no_ptxas,
        count_operations=options.timing,
    )


def _report(results: Sequence[Result], options: argparse.Namespace) -> None:
    for result in results:
        shown = [
            item
            for item in result.remarks
            if options.remarks or item.severity is not Severity.REMARK
        ]
        sys.stderr.write(render_remarks(shown, result.sources))
    for item in results:
        made = item.compilation
        if not options.timing or made is None:
            continue
        variant = item.artifact.kernels[-1].metadata.get("variant") if item.artifact else None
        name = f"{made.kernel}, {variant}" if variant else made.kernel
        title = f"{name}:\n" if len(results) > 1 else ""
        usage = made.resource_usage()
        lines = [format_timings(made.timings), *([usage] if usage else [])]
        sys.stderr.write(title + "\n".join(lines) + "\n")
