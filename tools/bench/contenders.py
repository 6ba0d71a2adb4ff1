"""The contenders of one case on the GPU: ours and its peers, with operands and a reference."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from tools.bench.cases import DTYPES, Case
from tools.bench.measure import Call, operand_sets, quick_time
from tools.bench.report import OURS, VARIANT_PREFIX
from tools.bench.triton_gemm import Problem, best_call
from tools.bench.variants import Variant

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PROSE = ("reasons", "loops")
"""Entries of a plan that explain it; a report leaves them out."""
PLANNED = Variant("")
PEERS = ("cublas", "triton")
"""What `--peers` may name. A fused case has torch's operations and our plain product instead."""
MAX_RELATIVE_ERROR = 2.0**-8
"""Of the whole result (Frobenius norm): one rounding to bf16 gives 2^-9.2."""
ELEMENT_SLACK = (2.0**-7, 0.03)
"""Allowed error of one element: part of itself, and part of the standard deviation of all."""
KERNELS = {
    "plain": ("matmul.tile", "matmul"),
    "batched": ("batched_matmul.tile", "batched_matmul"),
    "fused": ("matmul_bias_gelu.tile", "matmul_bias_gelu"),
    "f32_output": ("matmul_f32out.tile", "matmul_f32out"),
}


class ContenderError(Exception):
    """A contender cannot take part; the message says why."""


@dataclass
class Contender:
    """One that computes the product.

    Attributes:
        name: Its name in the report.
        call: Launches it on one set of operands.
        outputs: The result array of each set.
        detail: What it chose: tile and plan, or a configuration.
        same_result: Whether it computes the case's result, which is then checked; the plain
            product next to a fused one does not.
    """

    name: str
    call: Call
    outputs: Sequence[Any]
    detail: dict[str, Any] = field(default_factory=dict)
    same_result: bool = True


@dataclass
class Operands:
    """Sets of operands of one case: A, B and C of each, and bias and residual of a fused one."""

    products: list[tuple[Any, Any, Any]]
    extras: list[tuple[Any, Any]]


def make_operands(torch: Any, case: Case) -> Operands:
    """Return normally distributed operands, as many sets as keep L2 cold, and poisoned results."""
    dtype = getattr(torch, DTYPES[case.dtype])
    output = torch.float32 if case.kind == "f32_output" else dtype
    lead = (case.batch,) if case.kind == "batched" else ()

    def matrix(rows: int, columns: int, order: str) -> Any:
        shape = (rows, columns) if order == "N" else (columns, rows)
        data = torch.randn((*lead, *shape), device="cuda").to(dtype)
        return data if order == "N" else data.transpose(-1, -2)

    def result() -> Any:
        shape = (case.n, case.m) if case.column_major else (case.m, case.n)
        data = torch.full((*lead, *shape), float("nan"), device="cuda", dtype=output)
        return data.T if case.column_major else data

    sets = range(operand_sets(case.operand_bytes))
    products = [
        (matrix(case.m, case.k, case.layout[0]), matrix(case.k, case.n, case.layout[1]), result())
        for _ in sets
    ]
    extras = []
    if case.kind == "fused":
        for _ in sets:
            bias = torch.randn((case.n,), device="cuda").to(dtype)
            extras.append((bias, matrix(case.m, case.n, "N")))
    return Operands(products, extras)


def reference(torch: Any, operands: Operands, number: int) -> Any:
    """Return the f32 result of one set of operands; without tf32."""
    torch.backends.cuda.matmul.allow_tf32 = False
    a, b, _ = operands.products[number]
    product = a.float() @ b.float()
    if operands.extras:
        bias, residual = operands.extras[number]
        product = torch.nn.functional.gelu(product + bias.float(), approximate="tanh")
        product += residual.float()
    return product


def relative_error(torch: Any, result: Any, expected: Any) -> float:
    """Return the relative error of a result.

    Raises:
        ContenderError: The whole or an element is too far off; NaN always is.
    """
    difference = (result.float() - expected).abs_()
    error = (difference.norm() / expected.norm()).item()
    if not error < MAX_RELATIVE_ERROR:
        limit = f"limit {MAX_RELATIVE_ERROR:.1e}"
        raise ContenderError(f"wrong result: relative error {error:.2e}, {limit}")
    part, share = ELEMENT_SLACK
    excess = (difference - part * expected.abs()).max() / expected.std()
    if not excess.item() < share:
        raise ContenderError(
            f"wrong result: an element is off by {excess.item():.2e} standard deviations beyond "
            f"{part:.1e} of itself, limit {share}"
        )
    return error


def check(torch: Any, contender: Contender, operands: Operands, expected: Any) -> float:
    """Run a contender on the first set, with a poisoned result, and return its relative error.

    Args:
        torch: The module.
        contender: The contender; its launch may raise anything.
        operands: The sets.
        expected: f32 result of the first set.

    Raises:
        ContenderError: The result is wrong.
    """
    output = contender.outputs[0]
    output.fill_(float("nan"))
    contender.call(0)
    torch.cuda.synchronize()
    if not contender.same_result:
        a, b, _ = operands.products[0]
        return relative_error(torch, output, a.float() @ b.float())
    return relative_error(torch, output, expected)


def makers(
    torch: Any,
    case: Case,
    operands: Operands,
    peers: Sequence[str],
    variants: Sequence[Variant] = (),
) -> dict[str, Callable[[], Contender]]:
    """Return what makes each contender, ours first; a maker may raise anything."""
    result: dict[str, Callable[[], Contender]] = {OURS: lambda: _ours(case, operands)}
    for variant in variants:
        name = f"{VARIANT_PREFIX}{variant}"
        result[name] = lambda variant=variant, name=name: _ours(case, operands, variant, name)
    if case.kind == "fused":
        result["tilec-plain"] = lambda: _ours_plain(torch, operands)
        result["torch"] = lambda: _torch_sequence(torch, operands)
        return result
    if "cublas" in peers:
        result["cublas"] = lambda: _cublas(torch, case, operands)
    if "triton" in peers:
        result["triton"] = lambda: _triton(torch, case, operands)
    return result


def _kernel(kind: str, variant: Variant = PLANNED) -> Any:
    """Return the tilec kernel for a kind of case.

    Raises:
        ContenderError: There is no such example.
    """
    import tilec

    file, name = KERNELS[kind]
    if not (EXAMPLES / file).is_file():
        raise ContenderError(f"no example: examples/{file} with kernel {name} does not exist")
    kernel = tilec.load(EXAMPLES / file)[name]
    return tilec.Kernel(kernel.text, name, variant.plan) if variant.plan else kernel


def _with_plan(
    kernel: Any,
    name: str,
    data: list[tuple[Any, ...]],
    results: list[Any],
    constants: Mapping[str, int] = MappingProxyType({}),
) -> Contender:
    compiled = kernel.compile(*data[0], **constants)
    plan = {key: value for key, value in compiled.metadata["plan"].items() if key not in PROSE}
    detail = {"constants": dict(compiled.constants), "plan": plan}
    return Contender(name, lambda i: kernel(*data[i], **constants), results, detail)


def _ours(
    case: Case, operands: Operands, variant: Variant = PLANNED, name: str = OURS
) -> Contender:
    data: list[tuple[Any, ...]] = list(operands.products)
    if case.kind == "fused":
        data = [
            (a, b, bias, residual, c)
            for (a, b, c), (bias, residual) in zip(data, operands.extras, strict=True)
        ]
    results = [c for *_, c in operands.products]
    return _with_plan(_kernel(case.kind, variant), name, data, results, variant.constants)


def _ours_plain(torch: Any, operands: Operands) -> Contender:
    """Return the product without the epilogue, with results of its own."""
    results = [torch.empty_like(c) for *_, c in operands.products]
    data: list[tuple[Any, ...]] = [
        (a, b, c) for (a, b, _), c in zip(operands.products, results, strict=True)
    ]
    made = _with_plan(_kernel("plain"), "tilec-plain", data, results)
    made.same_result = False
    return made


def _cublas(torch: Any, case: Case, operands: Operands) -> Contender:
    data = operands.products
    outputs = [c for *_, c in data]
    if case.kind == "batched":
        return Contender("cublas", lambda i: torch.bmm(*data[i][:2], out=data[i][2]), outputs)
    if case.kind == "f32_output":
        wide = {"out_dtype": torch.float32}
        return Contender(
            "cublas", lambda i: torch.mm(*data[i][:2], **wide, out=data[i][2]), outputs
        )
    if case.column_major:  # C^T = B^T @ A^T, which is row-major
        swapped = [(b.T, a.T, c.T) for a, b, c in data]
        return Contender("cublas", lambda i: torch.mm(*swapped[i][:2], out=swapped[i][2]), outputs)
    return Contender("cublas", lambda i: torch.mm(*data[i][:2], out=data[i][2]), outputs)


def _torch_sequence(torch: Any, operands: Operands) -> Contender:
    """Return torch's operations for the fused case: addmm, gelu, and an addition."""
    gelu = torch.nn.functional.gelu
    results = [torch.empty_like(c) for *_, c in operands.products]

    def call(number: int) -> None:
        a, b, _ = operands.products[number]
        bias, residual = operands.extras[number]
        torch.add(gelu(torch.addmm(bias, a, b), approximate="tanh"), residual, out=results[number])

    return Contender("torch", call, results)


def _triton(torch: Any, case: Case, operands: Operands) -> Contender:
    data = operands.products
    if case.kind == "batched":
        stacked = [tuple(x.reshape(-1, x.shape[-1]) for x in arrays) for arrays in data]
    else:
        stacked = data
    call, name = best_call(
        torch,
        [(a, b, c) for a, b, c in stacked],
        Problem(case.m, case.n, case.k, case.batch),
        lambda candidate: quick_time(torch, candidate, len(data)),
    )
    return Contender("triton", call, [c for *_, c in data], {"config": name})
