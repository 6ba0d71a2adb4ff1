"""Benchmark of products of other types than bf16: f8, i8, tf32, f64, weights of 4 bits, SwiGLU.

All contenders run in one process, interleaved, on the same operands: normally distributed, or
random integers. Each of ours is checked against an f32 or f64 result before it is timed.
"""

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import tilec
from tools.bench.contenders import EXAMPLES, PROSE, ContenderError
from tools.bench.measure import interleave, operand_sets
from tools.bench.options import add_case_options, add_run_options, chosen_cases, new_parser
from tools.bench.report import OURS, VARIANT_PREFIX
from tools.bench.session import Benchmark, Entries, add_samples, first_lines, measure, run_command
from tools.bench.typed_kernels import KERNELS, Problem, TypedCase, parse_typed_case
from tools.bench.variants import Variant

_NEEDS = """
It needs an H100, H200 or GH200, and PyTorch 2.8 or newer with CUDA.
"""
SETS = {
    "large": tuple(TypedCase(f"matmul_{name}", *[8192] * 3) for name in ("fp8", "int8", "tf32")),
    "medium": tuple(
        TypedCase(name, *[4096] * 3)
        for name in ("matmul_int4", "w8a16_matmul", "swiglu", "matmul_f64")
    ),
}
"""Cases by the name of their set."""


def parse_arguments(words: Sequence[str] | None = None) -> argparse.Namespace:
    """Return the options; `cases` holds the chosen cases."""
    parser = new_parser("typed", __doc__, _NEEDS)
    case = "a case, as matmul_fp8:8192x8192x8192"
    add_case_options(parser, SETS, parse_typed_case, case=case, variant="BM=128,BN=128,BK=128")
    add_run_options(parser, seconds=0.05)
    options = parser.parse_args(words)
    options.cases = chosen_cases(options, SETS, list(SETS))
    return options


def ours(
    case: TypedCase, problems: Sequence[Problem], variant: Variant
) -> tuple[Callable[[int], Any], Any]:
    """Return what launches our kernel, with what a variant fixes, and what it chose."""
    kernel = tilec.load(EXAMPLES / f"{case.name}.tile")[case.name]
    if variant.plan:
        kernel = tilec.Kernel(kernel.text, case.name, variant.plan)
    compiled = kernel.compile(*problems[0].arguments, **variant.constants)
    plan = {key: value for key, value in compiled.metadata["plan"].items() if key not in PROSE}
    detail = {"constants": dict(compiled.constants), "plan": plan}
    return lambda number: kernel(*problems[number].arguments, **variant.constants), detail


def check(problem: Problem, exact: Any) -> float:
    """Return the relative error of our result (Frobenius norm).

    Raises:
        ContenderError: It is too far off; NaN always is.
    """
    error = ((problem.result.double() - exact).norm() / exact.norm()).item()
    if not error <= problem.limit:
        raise ContenderError(f"wrong result: relative error {error:.2e}, limit {problem.limit:.1e}")
    return error


def run_case(
    torch: Any, case: TypedCase, options: argparse.Namespace, read: Any, entries: Entries
) -> None:
    """Check and time one case: see `Benchmark.run_case`."""
    make = KERNELS[case.name].make
    problems = [make(torch, case)]
    first = problems[0]
    problems += [make(torch, case) for _ in range(operand_sets(first.bytes) - 1)]
    torch.backends.cuda.matmul.allow_tf32 = False
    exact = first.exact().double()
    torch.backends.cuda.matmul.allow_tf32 = first.tf32
    calls: dict[str, Callable[[int], Any]] = {}
    for variant in (Variant(""), *options.variants):
        name = f"{VARIANT_PREFIX}{variant}" if str(variant) else OURS
        try:
            call, detail = ours(case, problems, variant)
            first.result.fill_(-1)
            call(0)
            torch.cuda.synchronize()
            entries[name] = {"error": check(first, exact), "detail": detail}
        except Exception as failure:  # the report says what
            entries[name] = {"failed": first_lines(failure)}
            continue
        calls[name] = call
    for name in first.peers:
        entries[name] = {"detail": {}}
        calls[name] = lambda number, name=name: problems[number].peers[name]()
    sets, rounds = len(problems), options.rounds
    add_samples(entries, interleave(torch, calls, sets, rounds, options.seconds, read))


def _prepare(torch: Any) -> None:
    del torch


def _work(case: TypedCase) -> dict[str, Any]:
    return {"operations": case.operations, "unit": "TFLOP/s"}


BENCHMARK = Benchmark("typed", run_case, _work, _prepare)


def main(words: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 when one of ours failed, 2 when it cannot run."""
    options = parse_arguments(words)
    return run_command(BENCHMARK.name, lambda: measure(BENCHMARK, options))


if __name__ == "__main__":
    raise SystemExit(main())
