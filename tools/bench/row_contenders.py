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
from tools.bench.variants import Variant

PEERS = ("copy", "compile", "torch")
"""What `--peers` may name. `copy` computes nothing: it is `out.copy_(x)` of as many bytes."""
EPSILON = 1e-5
_LIMITS = {"array_cumsum": 1e-4, "row_cumsum": 1e-5, "row_sum": 1e-4, "row_argmax": 0.0}
"""Largest relative error (Frobenius norm); of the others, results are rounded to bf16."""
_LIMIT = 2.0**-8


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
    """What all contenders of a case compute with: the matrix, and the vectors that go with it."""

    sets: list[tuple[Any, ...]]


def make_operands(torch: Any, case: RowCase) -> Operands:
    """Return normally distributed operands, as many sets as keep L2 cold."""
    wide = case.name in ("array_cumsum", "row_cumsum")
    dtype = torch.float32 if wide else torch.bfloat16
    shape = (case.columns,) if case.name == "array_cumsum" else (case.rows, case.columns)

    def vector() -> Any:
        return torch.randn(case.columns, device="cuda").to(dtype)

    def one() -> tuple[Any, ...]:
        matrix = torch.randn(shape, device="cuda").to(dtype)
        if case.name == "cross_entropy":
            limits = {"dtype": torch.int32, "device": "cuda"}
            return matrix, torch.randint(0, case.columns, (case.rows,), **limits)
        count = {"rms_norm": 1, "layer_norm": 2}.get(case.name, 0)
        return (matrix, *(vector() for _ in range(count)))

    return Operands([one() for _ in range(operand_sets(case.moved_bytes))])


def _result(torch: Any, case: RowCase, matrix: Any) -> Any:
    """Return an array for the result, filled with NaN or a wrong index."""
    if case.name == "row_argmax":
        return torch.full((case.rows,), -1, dtype=torch.int32, device="cuda")
    if case.name in ("cross_entropy", "row_sum"):
        return torch.full((case.rows,), math.nan, device="cuda")
    poisoned = torch.full_like(matrix, math.nan)
    return poisoned.reshape(case.columns, case.rows) if case.name == "transpose" else poisoned


def ours(
    torch: Any, case: RowCase, operands: Operands, variant: Variant, file: Path | None = None
) -> Contender:
    """Return our kernel, with what a variant fixes; from `file` instead of the example."""
    import tilec

    kernel = tilec.load(file or EXAMPLES / f"{case.name}.tile")[case.name]
    if variant.plan:
        kernel = tilec.Kernel(kernel.text, case.name, variant.plan)
    results = [_result(torch, case, matrix) for matrix, *_ in operands.sets]
    scalars = (EPSILON,) if case.name in ("rms_norm", "layer_norm") else ()
    data: list[tuple[Any, ...]] = [
        (matrix, *vectors, result, *scalars)
        for (matrix, *vectors), result in zip(operands.sets, results, strict=True)
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


def torch_function(torch: Any, case: RowCase) -> Callable[..., Any]:
    """Return torch's function for a case, of the operands."""
    functional = torch.nn.functional
    columns = (case.columns,)
    functions: Mapping[str, Callable[..., Any]] = {
        "softmax": lambda x: torch.softmax(x, -1),
        "rms_norm": lambda x, w: functional.rms_norm(x, columns, w, EPSILON),
        "layer_norm": lambda x, w, b: functional.layer_norm(x, columns, w, b, EPSILON),
        "cross_entropy": lambda x, t: functional.cross_entropy(
            x.float(), t.long(), reduction="none"
        ),
        "transpose": lambda x: x.T.contiguous(),
        "array_cumsum": lambda x: torch.cumsum(x, 0),
        "row_argmax": lambda x: x.argmax(-1),
        "row_cumsum": lambda x: torch.cumsum(x, -1),
        "row_sum": lambda x: x.sum(-1, dtype=torch.float32),
    }
    return functions[case.name]


def of_torch(torch: Any, case: RowCase, operands: Operands, *, compiled: bool) -> Contender:
    """Return torch's function, as it is or compiled."""
    function = torch_function(torch, case)
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
    matrix = operands.sets[0][0]
    if case.name == "row_argmax":  # equal elements: any of their places
        found = matrix.gather(1, result.long()[:, None])[:, 0].float()
        expected = matrix.amax(1).float()
    else:
        wide = case.name in ("array_cumsum", "row_cumsum")
        exact = matrix.double() if wide else matrix.float()
        others = [t if t.dtype == torch.int32 else t.float() for t in operands.sets[0][1:]]
        found, expected = result, torch_function(torch, case)(exact, *others)
    error = ((found - expected).norm() / expected.norm()).item()
    limit = _LIMITS.get(case.name, _LIMIT)
    if not error <= limit:
        raise ContenderError(f"wrong result: relative error {error:.2e}, limit {limit:.1e}")
    return error
