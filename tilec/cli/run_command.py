"""`tilec run`: makes inputs, runs a kernel on the GPU or the CPU reference, sums up the result."""

import argparse
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from tilec.cli.files import STANDARD_STREAM, read_source
from tilec.cli.kernel_options import add_kernel_options, bind, read_request
from tilec.cli.main import EXIT_DIAGNOSTICS, EXIT_OK, UsageError
from tilec.cli.run_job import Job, Outcome, finish, prepare_arguments
from tilec.compiler.driver import emit_source
from tilec.runtime.args.arguments import check_arguments
from tilec.runtime.args.signature_binding import interface_from_signature
from tilec.runtime.args.specialize import specialize
from tilec.support.diagnostics import (
    CompileError,
    DeviceError,
    InternalCompilerError,
    error,
)
from tilec.testing.check import (
    CheckResult,
    compare,
    load_example,
    make_arguments,
)

_ELEMENTARY_ROUNDINGS = 16
"""Roundings allowed to a chain of elementary functions: libdevice is within 1 to 4 ulp of exact
(CUDA programming guide, mathematical functions), the CPU reference within 1."""
_SHOWN_ELEMENTS = 8


def _seed(text: str) -> int:
    """Parse a seed: an integer that is not negative."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{value} is negative")
    return value


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the options of `tilec run`."""
    parser.add_argument("file", metavar="FILE", help="a .tile file; '-' reads standard input")
    add_kernel_options(parser)
    parser.add_argument(
        "--device",
        default="auto",
        choices=("auto", "cpu", "gpu"),
        help="where to run; auto takes the GPU when there is one (default: %(default)s)",
    )
    parser.add_argument(
        "--grid", default="", metavar="X,Y,Z", help="blocks, for a kernel that calls no grid()"
    )
    parser.add_argument("--seed", type=_seed, default=0, help="seed of the inputs (default: 0)")
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare with the CPU reference and the NumPy function beside FILE",
    )
    parser.set_defaults(execute=execute)


def execute(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if options.debug_waits and options.device == "cpu":
        raise UsageError("--debug-waits is about the GPU: the CPU reference never waits")
    driver = _find_driver(options.device)
    job = make_job(options)
    extents = ", ".join(f"{name}={extent}" for name, extent in job.bound.dims.items())
    dtypes = ", ".join(f"{name}={value}" for name, value in job.bound.dtypes.items())
    print(f"{job.kernel}: {', '.join(part for part in (extents, dtypes) if part)}")
    on_cpu = _run_within_memory(job) if driver is None or options.check else None
    outcome = on_cpu
    if driver is not None:
        from tilec.cli.gpu_run import run_on_gpu

        outcome = run_on_gpu(job, driver)
    if outcome is None:
        raise InternalCompilerError("nothing was run", pass_name="run")
    print(f"ran on {outcome.device}")
    for name in outcome.outputs:
        print(summarise(name, outcome.arguments.arrays[name].data))
    return check(job, outcome, on_cpu) if options.check else EXIT_OK


def _run_within_memory(job: Job) -> Outcome:
    try:
        return run_on_cpu(job)
    except MemoryError:
        message = f"{job.kernel}: the CPU reference needs more memory than there is"
        raise CompileError(error("T0406", message, hint="run it with smaller sizes")) from None


def _find_driver(device: str) -> Any:
    """Return the GPU driver to run with, or None for the CPU reference."""
    if device == "cpu":
        return None
    from tilec.runtime.cuda.current import get_driver

    try:
        return get_driver()
    except DeviceError as failure:
        if device == "gpu":
            raise
        reason = failure.diagnostics[0].message.partition(":")[0]
        sys.stderr.write(f"tilec: remark: using the CPU reference: {reason}\n")
        return None


def make_job(options: argparse.Namespace) -> Job:
    """Return the kernel and generated arguments that the options ask for.

    Raises:
        TileError: The source, an option or an argument is wrong.
    """
    from tilec.frontend.semantics.signature import signature
    from tilec.frontend.syntax.parser import choose_kernel, parse_source

    request = read_request(options)
    source = read_source(options.file)
    tree = parse_source(source)
    kernel = signature(choose_kernel(tree, options.kernel, source), tree)
    example = load_example(options.file) if options.file != STANDARD_STREAM else None
    if example is not None and example.dtypes:
        request.definitions = {**example.dtypes[0], **request.definitions}
    choice = bind(request, kernel, for_run=True)
    arguments = make_arguments(
        kernel,
        request.sizes,
        dtypes=choice.specialization.dtypes,
        layouts=request.layouts,
        scalars=choice.scalars,
        example=example,
        seed=options.seed,
    )
    values = {**arguments.data(), **arguments.scalars, **choice.specialization.constants}
    values |= choice.specialization.dtypes
    bound = check_arguments(interface_from_signature(kernel, source), values)
    specialization = specialize(bound, plan=request.plan)
    grid = _read_grid(options.grid)
    return Job(
        source,
        kernel.name,
        options.target,
        bound,
        specialization,
        arguments,
        example,
        grid,
        options.debug_waits,
    )


def _read_grid(text: str) -> tuple[int, ...] | None:
    if not text:
        return None
    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise UsageError(f"--grid: '{text}' is not a list of integers") from None


def run_on_cpu(job: Job) -> Outcome:
    """Run a job on the CPU reference.

    Raises:
        TileError: The kernel cannot be compiled for these arguments.
    """
    from tilec.interpreter.run import run_kernel
    from tilec.ir.attributes import read_kernel_metadata
    from tilec.ir.structured import LOOPS, walk_operations

    module = emit_source(job.source, job.kernel, job.specialization)
    metadata = read_kernel_metadata(module.body.operations[0])
    arguments, before = prepare_arguments(job, metadata)
    scalars, sources = dict(job.bound.scalars), [job.source]
    run_kernel(module, arguments.data(), scalars, job.grid, job.kernel, sources)
    loops = any(op.name in LOOPS for op in walk_operations(module.body))
    return replace(finish("the CPU reference", arguments, before, metadata), loops=loops)


def summarise(name: str, data: np.ndarray) -> str:
    """Return one line about an output: shape, type, range and the first elements."""
    shape = "x".join(str(extent) for extent in data.shape)
    if data.size == 0:
        return f"{name}: {shape} {data.dtype}, empty"
    wide = data.astype(np.float64)
    first = wide.reshape(-1)[: min(_SHOWN_ELEMENTS, data.shape[-1])]
    shown = " ".join(f"{value:.4g}" for value in first)
    more = " ..." if data.size > first.size else ""
    return (
        f"{name}: {shape} {data.dtype}, min {wide.min():.4g}, max {wide.max():.4g}, "
        f"mean {wide.mean():.4g}: {shown}{more}"
    )


def _terms(job: Job, outcome: Outcome, on_cpu: Outcome | None) -> dict[str, int]:
    """Return how many products are summed into an element of each output.

    Without an example beside the source nobody says: a kernel with a loop may sum over its longest
    dim, any other one is taken for a chain of elementary functions.
    """
    if job.example is not None:
        return dict(job.example.terms(job.bound.dims))
    loops = on_cpu is not None and on_cpu.loops
    count = max(job.bound.dims.values(), default=1) if loops else _ELEMENTARY_ROUNDINGS
    return dict.fromkeys(outcome.outputs, max(count, _ELEMENTARY_ROUNDINGS))


def check(job: Job, outcome: Outcome, on_cpu: Outcome | None) -> int:
    """Compare an outcome with what is known independently; return the exit code.

    Args:
        job: What was run.
        outcome: The result to check.
        on_cpu: The outcome on the CPU reference; it may be `outcome` itself.
    """
    terms = _terms(job, outcome, on_cpu)
    results: list[tuple[str, CheckResult]] = []
    actual = outcome.arguments.data()
    if job.example is not None:
        expected = job.example.expected(job.arguments, job.bound.constants)
        results.append(("the NumPy function", compare(actual, expected, terms)))
    if on_cpu is not None and on_cpu is not outcome:
        reference = {name: on_cpu.arguments.data()[name] for name in outcome.outputs}
        results.append(("the CPU reference", compare(actual, reference, terms)))
    for against, result in results:
        for comparison in result.outputs:
            print(f"check against {against}: {comparison}")
    for name, count in outcome.stray_bytes.items():
        print(f"check: {count} bytes beside {name} were overwritten")
    if not results:
        print("check: there is no NumPy function beside the source, so nothing was compared")
    if outcome.stray_bytes or not all(result.ok for _, result in results):
        failure = error("T0011", f"{job.kernel}: the results are not what they should be")
        sys.stderr.write(failure.render() + "\n")
        return EXIT_DIAGNOSTICS
    return EXIT_OK
