"""`tilec run`: runs a kernel on the GPU or the CPU reference, and prints a summary of its results.

Inputs come from files or are random; results can be written to files and compared with a reference.
"""

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from tilec.cli.array_files import Inputs, output_files, write_array
from tilec.cli.files import STANDARD_STREAM
from tilec.cli.kernel_binding import BoundKernel, bind
from tilec.cli.kernel_files import KernelFile, read_kernel_file
from tilec.cli.kernel_options import KernelRequest, add_kernel_options, read_request
from tilec.cli.main import EXIT_DIAGNOSTICS, EXIT_OK, UsageError
from tilec.cli.run_job import Job, Outcome, finish, prepare_arguments
from tilec.compiler.driver import emit_kernel
from tilec.frontend.semantics.signature import Signature
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
    Arguments,
    CheckResult,
    Example,
    compare,
    example_of,
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
    parser.add_argument(
        "file",
        metavar="FILE",
        help="a .tile file, or a .py file with @tilec.kernel functions, which is imported, so its "
        "code runs; '-' reads standard input",
    )
    add_kernel_options(parser)
    _add_array_options(parser)
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
        help="compare with the CPU reference and with the function 'reference' of the .py file "
        "of the same name; without both it is an error",
    )
    parser.set_defaults(execute=execute)


def _add_array_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--input",
        dest="inputs",
        action="append",
        default=[],
        metavar="X=FILE.npy",
        help="take array X from a file; its shape gives the sizes of its dims; repeatable "
        "(default: random values)",
    )
    parser.add_argument(
        "--output",
        dest="outputs",
        action="append",
        default=[],
        metavar="X=FILE.npy",
        help="write array X to a file after the run, bf16 and 8-bit floats as float32; repeatable",
    )


def execute(options: argparse.Namespace) -> int:
    """Run the command and return its exit code."""
    if options.debug_waits and options.device == "cpu":
        raise UsageError("--debug-waits is about the GPU: the CPU reference never waits")
    driver = _find_driver(options.device)
    job, outputs = make_job(options)
    if options.check and driver is None and job.example is None:
        raise _no_reference(job, options.file)
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
    for name, path in outputs.items():
        array = outcome.arguments.arrays[name]
        write_array(path, array.data, array.dtype)
    return check(job, outcome, on_cpu, options.file) if options.check else EXIT_OK


def _no_reference(job: Job, file: str) -> CompileError:
    """Return the error that `--check` has nothing to compare with."""
    message = (
        f"--check: there is nothing to compare the results of {job.kernel} with: the run is on the "
        "CPU reference itself, and there is no NumPy function"
    )
    arrays = ", ".join(job.arguments.arrays)
    where = "in a .py file with the name of the .tile file"
    if file != STANDARD_STREAM:
        where = f"in {Path(file).with_suffix('.py')}"
    hint = (
        f"define reference(...) {where}: it takes parameters of the kernel by name ({arrays}, ...) "
        "and returns a dict from the name of each output to its expected values; or run on a GPU"
    )
    return CompileError(error("T0019", message, hint=hint))


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


def make_job(options: argparse.Namespace) -> tuple[Job, dict[str, str]]:
    """Return the kernel with its arguments, and the file for each array to write.

    Raises:
        TileError: The source, an option or an argument is wrong.
    """
    request = read_request(options)
    file = read_kernel_file(options.file)
    chosen = file.select_kernel(options.kernel)
    source, kernel = chosen.program.source, chosen.program.signature(chosen.definition)
    outputs = output_files(options.outputs, kernel)
    inputs = Inputs(options.inputs, kernel, source)
    example = _example(file, options.file)
    usual = example.dtypes[0] if example is not None and example.dtypes else {}
    request.definitions = {**usual, **inputs.dtypes(), **request.definitions}
    request.sizes = inputs.sizes(request.sizes)
    request.plan = {**chosen.plan, **request.plan}
    choice = bind(request, kernel, for_run=True)
    arguments = _arguments(request, kernel, choice, inputs, example, options.seed)
    chosen_values = {**choice.specialization.constants, **choice.specialization.dtypes}
    values = {**arguments.data(), **arguments.scalars, **chosen_values}
    bound = check_arguments(interface_from_signature(kernel, source), values)
    job = Job(
        chosen.program,
        kernel.name,
        replace(
            chosen.options,
            target=options.target or chosen.options.target,
            debug_waits=options.debug_waits or chosen.options.debug_waits,
        ),
        bound,
        specialize(bound, plan=request.plan),
        arguments,
        example,
        _read_grid(options.grid),
        frozenset(inputs.files),
    )
    return job, outputs


def _arguments(
    request: KernelRequest,
    kernel: Signature,
    choice: BoundKernel,
    inputs: Inputs,
    example: Example | None,
    seed: int,
) -> Arguments:
    """Return random arguments, but those arrays that come from files."""
    dtypes = choice.specialization.dtypes
    arguments = make_arguments(
        kernel,
        request.sizes,
        dtypes=dtypes,
        layouts=request.layouts,
        scalars=choice.scalars,
        example=example,
        seed=seed,
    )
    for name, values in inputs.values(dtypes).items():
        arguments.arrays[name].data[...] = values
    return arguments


def _example(file: KernelFile, path: str) -> Example | None:
    """Return the NumPy function of a file: in the Python file itself, or in the one next to it."""
    if file.module is None:
        return load_example(path) if path != STANDARD_STREAM else None
    has_reference = callable(getattr(file.module, "reference", None))
    return example_of(file.module) if has_reference else None


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
    from tilec.ir.structured import LOOPS
    from tilec.ir.walks import walk_operations

    module = emit_kernel(job.program, job.kernel, job.specialization)
    metadata = read_kernel_metadata(module.body.operations[0])
    arguments, before = prepare_arguments(job, metadata)
    scalars, sources = dict(job.bound.scalars), job.program.sources
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

    The module of a NumPy function says so. Without one the numbers are assumed: a kernel with a
    loop may sum over its longest dim, and any other kernel is a chain of elementary functions.
    """
    if job.example is not None:
        return dict(job.example.terms(job.bound.dims))
    loops = on_cpu is not None and on_cpu.loops
    count = max(job.bound.dims.values(), default=1) if loops else _ELEMENTARY_ROUNDINGS
    return dict.fromkeys(outcome.outputs, max(count, _ELEMENTARY_ROUNDINGS))


def check(job: Job, outcome: Outcome, on_cpu: Outcome | None, file: str) -> int:
    """Compare an outcome with results that were computed independently; return the exit code.

    Args:
        job: What was run.
        outcome: The result to check.
        on_cpu: The outcome on the CPU reference; it may be `outcome` itself.
        file: Name of the file of the kernel.

    Raises:
        CompileError: There is no result to compare with (T0019).
    """
    terms = _terms(job, outcome, on_cpu)
    results: list[tuple[str, CheckResult]] = []
    actual = outcome.arguments.data()
    if job.example is not None:
        expected = job.example.expected(job.arguments, outcome.constants)
        results.append(("the NumPy function", compare(actual, expected, terms)))
    if on_cpu is not None and on_cpu is not outcome:
        reference = {name: on_cpu.arguments.data()[name] for name in outcome.outputs}
        results.append(("the CPU reference", compare(actual, reference, terms)))
    for against, result in results:
        for comparison in result.outputs:
            print(f"check against {against}: {comparison}")
    for name, count in outcome.stray_bytes.items():
        print(f"check: {count} bytes outside of {name} were overwritten")
    if not any(result.outputs for _, result in results):
        raise _no_reference(job, file)
    if outcome.stray_bytes or not all(result.ok for _, result in results):
        failure = error("T0011", f"{job.kernel}: the results differ from the reference")
        sys.stderr.write(failure.render() + "\n")
        return EXIT_DIAGNOSTICS
    return EXIT_OK
