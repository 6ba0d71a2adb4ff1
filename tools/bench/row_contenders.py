"""The contenders of a kernel of rows on the GPU: ours, a copy of as many bytes, torch.compile."""

import importlib
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools.bench.contenders import EXAMPLES, PROSE, ContenderError
from tools.bench.measure import operand_sets
from tools.bench.row_cases import RowCase
from tools.bench.row_kernels import KERNELS
from tools.bench.variants import Variant

PEERS = ("copy", "compile", "torch")
"""What `--peers` may name. `copy` computes nothing: it is `out.copy_(x)` of as many bytes."""


@dataclass
class Contender:
    """One that does the work of a case.

    Attributes:
        call: Launches it on one set of operands.
        result: Its result on one set; None for a copy, which has none to check.
        detail: What it chose: constants and plan.
    """

    call: Callable[[int], Any]
    result: Callable[[int], Any] | None
    detail: dict[str, Any]


@dataclass(frozen=True)
class Operands:
    """What all contenders of a case compute with: the matrix, and the arrays that go with it."""

    sets: list[tuple[Any, ...]]


def make_operands(torch: Any, case: RowCase) -> Operands:
    """Return the operands of a case, as many sets as keep L2 cold."""
    sets = operand_sets(case.moved_bytes)
    return Operands([KERNELS[case.name].operands(torch, case) for _ in range(sets)])


def ours(
    torch: Any, case: RowCase, operands: Operands, variant: Variant, file: Path | None = None
) -> Contender:
    """Return our kernel, with what a variant fixes; from `file` instead of the example."""
    import tilec

    kernel = tilec.load(file or EXAMPLES / f"{case.name}.tile")[case.name]
    if variant.plan:
        kernel = tilec.Kernel(kernel.text, case.name, variant.plan)
    known = KERNELS[case.name]
    results = [known.result(torch, matrix) for matrix, *_ in operands.sets]
    data = [
        (*known.arguments(each, result), *known.scalars)
        for each, result in zip(operands.sets, results, strict=True)
    ]
    states: tuple[Any, ...] = ()
    if case.name == "array_cumsum":
        states = _states(torch, kernel, data[0], case.columns, variant.constants)
        data = [(*arguments, *states) for arguments in data]
    compiled = kernel.compile(*data[0], **variant.constants)
    plan = {key: value for key, value in compiled.metadata["plan"].items() if key not in PROSE}
    detail = {"constants": dict(compiled.constants), "plan": plan}

    def call(number: int) -> None:
        for state in states:
            state.view(torch.int32).zero_()
        kernel(*data[number], **variant.constants)

    return Contender(call, results.__getitem__, detail)


def _states(
    torch: Any, kernel: Any, data: tuple[Any, ...], columns: int, constants: Mapping[str, int]
) -> tuple[Any, ...]:
    """Return the state of each tile and the counter of tiles of `array_cumsum`, cleared."""
    counter = torch.zeros(1, dtype=torch.int32, device="cuda")

    def words(count: int) -> Any:
        return torch.zeros(count, dtype=torch.int64, device="cuda").view(torch.uint64)

    tile = kernel.compile(*data, words(1), counter, **constants).constants["B"]
    return words(math.ceil(columns / tile)), counter


def copy(torch: Any, case: RowCase, operands: Operands) -> Contender:
    """Return a copy that reads and writes half of the case's bytes each."""
    half = case.moved_bytes // 4
    arrays = []
    for _ in operands.sets:
        source = torch.randn(half, device="cuda", dtype=torch.bfloat16)
        arrays.append((torch.empty_like(source), source))
    return Contender(lambda number: arrays[number][0].copy_(arrays[number][1]), None, {})


def of_torch(torch: Any, case: RowCase, operands: Operands, *, compiled: bool) -> Contender:
    """Return torch's function, as it is or compiled.

    Raises:
        ContenderError: A CUDA graph cannot hold it.
    """
    if KERNELS[case.name].waits:
        raise ContenderError("torch's function waits for the GPU, which a CUDA graph cannot do")
    function = KERNELS[case.name].function(torch, case)
    if compiled:
        importlib.import_module("torch._dynamo").reset()
        function = torch.compile(function, dynamic=False)
    last: dict[int, Any] = {}

    def call(number: int) -> None:
        last[number] = function(*operands.sets[number])

    return Contender(call, last.__getitem__, {})


def check(torch: Any, case: RowCase, operands: Operands, result: Any) -> float:
    """Return the relative error of a result on the first set (Frobenius norm).

    Raises:
        ContenderError: It is too far off; NaN always is.
    """
    known, (matrix, *others) = KERNELS[case.name], operands.sets[0]
    if case.name == "row_argmax":  # equal elements: any of their places
        found = matrix.gather(1, result.long()[:, None])[:, 0].float()
        expected = matrix.amax(1).float()
    else:
        exact = [_widened(torch, tensor) for tensor in (matrix, *others)]
        found, expected = result.double(), known.function(torch, case)(*exact).double()
    error = ((found - expected).norm() / expected.norm()).item()
    if not error <= known.limit:
        raise ContenderError(f"wrong result: relative error {error:.2e}, limit {known.limit:.1e}")
    return error


def _widened(torch: Any, tensor: Any) -> Any:
    """Return floats in twice the bits, integers as they are."""
    wider = {torch.bfloat16: torch.float32, torch.float32: torch.float64}
    return tensor.to(wider.get(tensor.dtype, tensor.dtype))
