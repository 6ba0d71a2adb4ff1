"""`tilec opt`: runs passes on IR in text form and prints the result, like mlir-opt."""

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from tilec.cli.files import read_source, write_result
from tilec.cli.main import EXIT_DIAGNOSTICS, EXIT_OK
from tilec.cli.verify_diagnostics import compare
from tilec.compiler.driver import STAMP
from tilec.compiler.user_ir import failures_as_diagnostics, run_apart
from tilec.request.options import Origin
from tilec.request.stages import STAGES
from tilec.request.target import get_target
from tilec.support.diagnostics import Diagnostic, SourceFile, TileError

SPLIT_MARKER = "// -----"


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `tilec opt`."""
    parser.add_argument("file", metavar="FILE", help="IR in text form; '-' reads standard input")
    parser.add_argument(
        "--passes",
        default="",
        metavar="A,B,C",
        help="passes of tilec or MLIR, in order; without any, FILE is parsed, verified and printed",
    )
    parser.add_argument("--target", default="sm_90a", help="architecture (default: %(default)s)")
    parser.add_argument("-o", dest="output", default="-", metavar="PATH", help="where to write")
    parser.add_argument(
        "--split-input-file",
        action="store_true",
        help=f"treat the parts between '{SPLIT_MARKER}' lines as separate modules",
    )
    parser.add_argument(
        "--verify-diagnostics",
        action="store_true",
        help="check that exactly the diagnostics of 'expected-...' comments are reported",
    )
    parser.add_argument("--locations", action="store_true", help="print source locations")
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    source = read_source(options.file)
    target = get_target(options.target)
    names = split_pass_names(options.passes)
    parts = list(_parts(source)) if options.split_input_file else [source]
    results = run_apart(process_parts, parts, names, target.name, options.locations, source=source)
    outputs: list[str] = []
    failed = False
    for part, (text, reported) in zip(parts, results, strict=True):
        if text is not None:
            outputs.append(text)
        if options.verify_diagnostics:
            problems = compare(part.text, reported)
            sys.stderr.writelines(f"{source.name}: {problem}\n" for problem in problems)
            failed = failed or bool(problems)
        else:
            sys.stderr.writelines(f"{item.render([source])}\n" for item in reported)
            failed = failed or text is None
    if options.verify_diagnostics or not failed:
        write_result(options.output, f"\n{SPLIT_MARKER}\n".join(outputs))
    return EXIT_DIAGNOSTICS if failed else EXIT_OK


def process_parts(
    parts: Sequence[SourceFile], names: Sequence[str], target: str, locations: bool
) -> list[tuple[str | None, list[Diagnostic]]]:
    """Run passes on modules in this process. On some IR, MLIR ends the process.

    Args:
        parts: The modules.
        names: The passes.
        target: Name of the architecture.
        locations: Whether to print source locations.

    Returns:
        For each module its text after the passes (None if one failed) and what was reported.
    """
    from tilec.ir.context import make_context
    from tilec.passes.runner import check_pass_name

    context = make_context()
    for name in names:
        check_pass_name(name, context)
    return [_process(part, names, context, target, locations) for part in parts]


def _process(
    source: SourceFile, names: Sequence[str], context: Any, target: str, locations: bool
) -> tuple[str | None, list[Diagnostic]]:
    from tilec.ir.text import parse_module, print_module
    from tilec.passes.registry import PassContext
    from tilec.passes.runner import run_pass, verify_module

    settings = PassContext(
        get_target(target), buffer=source.name, sources=(source,), origin=Origin.USER
    )
    try:
        with failures_as_diagnostics(settings.origin, source):
            module = parse_module(source.text, context, source.name)
            verify_module(module, [source])
            for name in names:
                run_pass(module, name, settings, [source])
            _stamp(module, names)
            text = print_module(module, locations=locations, verified=True)
    except TileError as failure:
        return None, [*settings.sink.items, *failure.diagnostics]
    return text if text.endswith("\n") else text + "\n", settings.sink.items


def _stamp(module: Any, names: Sequence[str]) -> None:
    """Update the stamp of a dump; IR without a stamp was written by hand and gets none."""
    from tilec.ir.bindings import ir

    attributes = module.operation.attributes
    if STAMP in attributes:
        stamp = moved_stamp(ir.StringAttr(attributes[STAMP]).value, names)
        with module.context:
            attributes[STAMP] = ir.StringAttr.get(stamp)


def moved_stamp(stamp: str, names: Sequence[str]) -> str:
    """Return the stamp of a dump after more passes: the last of them that advanced it.

    A pass advances the dump if it comes later in the stage of the dump, or first in the next stage.
    Other passes, such as an extra `cse`, do not change its position in the pipeline.

    Args:
        stamp: Pass that wrote the dump, or `frontend`.
        names: Passes that ran on it, in order, possibly with options.
    """
    for name in (item.partition("{")[0] for item in names):
        for index, stage in enumerate(STAGES):
            passes = ("frontend", *stage.passes) if index == 0 else stage.passes
            if stamp in passes:
                follows = (*passes[passes.index(stamp) + 1 :], *_first_pass(index + 1))
                if name in follows:
                    stamp = name
                    break
    return stamp


def _first_pass(stage: int) -> tuple[str, ...]:
    return STAGES[stage].passes[:1] if stage < len(STAGES) else ()


def split_pass_names(text: str) -> list[str]:
    """Split `a,b{x=1,y=2},c(d,e)` at the commas outside braces and parentheses."""
    names, depth, current = [], 0, ""
    for char in text:
        depth += (char in "({") - (char in ")}")
        if char == "," and depth == 0:
            names.append(current.strip())
            current = ""
        else:
            current += char
    return [name for name in [*names, current.strip()] if name]


def _parts(source: SourceFile) -> Iterator[SourceFile]:
    """Yield the parts of a split file, padded so that their line numbers are those of the file."""
    start = 0
    for piece in re.split(rf"(?m)^{re.escape(SPLIT_MARKER)}.*$", source.text):
        yield SourceFile(source.name, "\n" * start + piece)
        start += piece.count("\n")
