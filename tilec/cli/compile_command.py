"""`tilec compile`: a `.tile` file, or a dump of any stage, to PTX or to any other stage."""

import argparse
import difflib
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tilec.cli.files import STANDARD_STREAM, read_source, write_result
from tilec.cli.kernel_options import (
    add_assumption_options,
    add_kernel_options,
    bind,
    read_request,
)
from tilec.cli.main import EXIT_OK, UsageError
from tilec.compiler.compilation import Compilation, format_timings
from tilec.compiler.driver import compile_source, resume
from tilec.request.options import ALL_PASSES, EMIT_CHOICES, RESUME_CHOICES, CompileOptions
from tilec.request.specialization import Specialization
from tilec.request.stages import STAGES
from tilec.support.diagnostics import Severity

_BINARY = ("cubin", "package")


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `tilec compile`."""
    parser.add_argument("file", metavar="FILE", help="a .tile file; '-' reads standard input")
    add_kernel_options(parser)
    add_assumption_options(parser)
    parser.add_argument(
        "--emit",
        default="ptx",
        choices=EMIT_CHOICES,
        help="what to write; a plan is JSON, cubin and package are binary (default: %(default)s)",
    )
    parser.add_argument(
        "-o", dest="output", default=STANDARD_STREAM, metavar="PATH", help="where to write it"
    )
    parser.add_argument(
        "--start-from",
        choices=RESUME_CHOICES,
        metavar="STAGE",
        help="FILE is a dump of this stage; continue from it",
    )
    parser.add_argument("--no-ptxas", action="store_true", help="do not check the PTX with ptxas")
    parser.add_argument("--lineinfo", action="store_true", help="keep source lines in the code")
    parser.add_argument(
        "--allow-spills",
        action="store_true",
        help="accept register spills and serialised matrix operations",
    )
    _add_inspection_options(parser)
    parser.set_defaults(execute=execute)


def _add_inspection_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--dump-ir", metavar="DIR", help="write the IR after every pass, the PTX, the SASS"
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
        _check_order(options)
    _check_passes(options.print_ir_after)
    request = read_request(options)
    source = read_source(options.file)
    settings = _compile_options(options)
    if options.start_from is not None:
        hints = Specialization(sizes=request.sizes, plan=request.plan)
        compilation = resume(source, settings, hints)
    else:
        chosen: list[Any] = []

        def specialize(signature: Any) -> Specialization:
            bound = bind(request, signature)
            chosen.extend(bound.remarks)
            return bound.specialization

        compilation = compile_source(source, options.kernel, specialize, settings)
        for item in reversed(chosen):
            compilation.sink.items.insert(0, item)
    _report(compilation, options)
    write_result(options.output, _result(compilation, options.emit))
    return EXIT_OK


def _check_order(options: argparse.Namespace) -> None:
    if EMIT_CHOICES.index(options.emit) < EMIT_CHOICES.index(options.start_from):
        raise UsageError(f"--emit {options.emit} comes before --start-from {options.start_from}")


def _check_passes(names: Sequence[str]) -> None:
    """Refuse names that no pass of the pipeline has.

    Raises:
        UsageError: With the pass that was probably meant.
    """
    known = [ALL_PASSES, *(name for stage in STAGES for name in stage.passes)]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean '{near[0]}'?" if near else "; 'tilec passes' lists them"
            raise UsageError(f"--print-ir-after: the pipeline has no pass '{name}'{hint}")


def _compile_options(options: argparse.Namespace) -> CompileOptions:
    return CompileOptions(
        target=options.target,
        emit=options.emit,
        start_from=options.start_from,
        dump_directory=Path(options.dump_ir) if options.dump_ir else None,
        print_after=tuple(options.print_ir_after),
        lineinfo=options.lineinfo,
        allow_spills=options.allow_spills,
        debug_waits=options.debug_waits,
        run_ptxas=not options.no_ptxas,
        count_operations=options.timing,
    )


def _report(compilation: Compilation, options: argparse.Namespace) -> None:
    for item in compilation.remarks:
        if options.remarks or item.severity is not Severity.REMARK:
            sys.stderr.write(item.render([compilation.source]) + "\n")
    if options.timing:
        sys.stderr.write(format_timings(compilation.timings) + "\n")
        usage = compilation.resource_usage()
        if usage:
            sys.stderr.write(usage + "\n")


def _result(compilation: Compilation, emit: str) -> str | bytes:
    if emit == "cubin":
        return compilation.assembly.cubin
    if emit == "package":
        return compilation.package()
    text = compilation.module_text(emit)
    return text if text.endswith("\n") else text + "\n"
