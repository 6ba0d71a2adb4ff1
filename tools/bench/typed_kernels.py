"""Products of other types than bf16: their examples, operands, peers and exact results."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import tilec
from tools.bench.contenders import EXAMPLES

_PATTERN = re.compile(r"(\w+):(\d+)x(\d+)x(\d+)")
_GROUP = 128
"""Elements of a row of 4-bit weights that share a scale."""
BF16_LIMIT, FP8_LIMIT, TF32_LIMIT = 2.0**-8, 2.0**-7, 2.0**-9
"""Largest relative errors (Frobenius norm): one rounding to bf16 gives 2^-9.2; tensor cores keep
about 14 bits of a sum of 8-bit floats, and 10 bits of the operands of tf32."""
Arrays = tuple[Any, ...]
Peers = Mapping[str, Callable[[], Any]]


@dataclass(frozen=True)
class TypedCase:
    """One of the examples at a size.

    Attributes:
        name: Of the kernel, which is also that of its file in `examples/`.
        m: Rows of the result.
        n: Columns of it.
        k: Elements of a sum.
    """

    name: str
    m: int
    n: int
    k: int

    def __str__(self) -> str:
        """Return the spelling that `parse_typed_case` reads."""
        return f"{self.name}:{self.m}x{self.n}x{self.k}"

    @property
    def operations(self) -> int:
        """Multiplications and additions."""
        return 2 * self.m * self.n * self.k * KERNELS[self.name].products


@dataclass(frozen=True)
class Problem:
    """A case on the GPU.

    Attributes:
        arguments: Of our kernel; the result is filled with NaN or -1.
        result: The one of them that the kernel writes.
        peers: Each computes the same, or what its name says; called without arguments.
        exact: Computes the result in f32 or f64, without tf32.
        limit: Largest relative error of the result (Frobenius norm).
        tf32: Whether torch may multiply f32 in tf32.
    """

    arguments: Arrays
    result: Any
    peers: Peers
    exact: Callable[[], Any]
    limit: float
    tf32: bool = False

    @property
    def bytes(self) -> int:
        """Bytes of the arrays."""
        return sum(each.nbytes for each in self.arguments if not isinstance(each, float))


@dataclass(frozen=True)
class TypedKernel:
    """What makes the problem of a case, and how many products the kernel computes."""

    make: Callable[[Any, TypedCase], Problem]
    products: int = 1


def parse_typed_case(text: str) -> TypedCase:
    """Return the case that `text` spells, for example `matmul_fp8:8192x8192x8192`.

    Raises:
        ValueError: The text is no case; the message has the syntax.
    """
    found = _PATTERN.fullmatch(text)
    if found is None or found[1] not in KERNELS or "0" in found.groups()[1:]:
        names = ", ".join(KERNELS)
        raise ValueError(f"'{text}' is no case: expected KERNEL:MxNxK, kernels are {names}")
    return TypedCase(found[1], *(int(size) for size in found.groups()[1:]))


def _normal(torch: Any, shape: tuple[int, int], dtype: Any) -> Any:
    return torch.randn(shape, device="cuda").to(dtype)


def _poisoned(torch: Any, case: TypedCase, dtype: Any) -> Any:
    value = -1 if dtype == torch.int32 else math.nan
    return torch.full((case.m, case.n), value, dtype=dtype, device="cuda")


def _fp8(torch: Any, case: TypedCase) -> Problem:
    dtype = torch.float8_e4m3fn
    a = _normal(torch, (case.m, case.k), dtype)
    b = _normal(torch, (case.n, case.k), dtype)
    c = _poisoned(torch, case, torch.bfloat16)
    scale, one = (torch.tensor(value, device="cuda") for value in (0.5, 1.0))

    def multiply() -> Any:
        types = {"out_dtype": torch.bfloat16, "use_fast_accum": True}
        return torch._scaled_mm(a, b.T, scale_a=scale, scale_b=one, **types)

    exact = lambda: 0.5 * (a.float() @ b.float().T)  # noqa: E731
    return Problem((a, b, c, 0.5), c, {"cublas": multiply}, exact, FP8_LIMIT)


def _int8(torch: Any, case: TypedCase) -> Problem:
    kind = {"dtype": torch.int8, "device": "cuda"}
    a = torch.randint(-128, 128, (case.m, case.k), **kind)
    b = torch.randint(-128, 128, (case.n, case.k), **kind)
    c = _poisoned(torch, case, torch.int32)
    peers = {"cublas": lambda: torch._int_mm(a, b.T)}
    return Problem((a, b, c), c, peers, lambda: a.double() @ b.double().T, 0.0)


def _tf32(torch: Any, case: TypedCase) -> Problem:
    a, b = (_normal(torch, (rows, case.k), torch.float32) for rows in (case.m, case.n))
    c = _poisoned(torch, case, torch.float32)
    peers, exact = {"cublas": lambda: a @ b.T}, lambda: a.double() @ b.double().T
    return Problem((a, b, c), c, peers, exact, TF32_LIMIT, tf32=True)


def _f64(torch: Any, case: TypedCase) -> Problem:
    a = _normal(torch, (case.m, case.k), torch.float64)
    b = _normal(torch, (case.k, case.n), torch.float64)
    c = _poisoned(torch, case, torch.float64)
    return Problem((a, b, c), c, {"cublas": lambda: a @ b}, lambda: a @ b, 1e-14)


def _int4(torch: Any, case: TypedCase) -> Problem:
    x = _normal(torch, (case.m, case.k), torch.bfloat16)
    kind = {"dtype": torch.int8, "device": "cuda"}
    packed = torch.randint(-128, 128, (case.n, case.k // 2), **kind)
    scales = (torch.rand((case.k // _GROUP, case.n), device="cuda") + 0.5).bfloat16()
    unsigned = packed.int() & 255
    weights = torch.stack((unsigned & 15, unsigned >> 4), dim=-1).reshape(case.n, case.k) - 8
    wide = (weights * scales.float().repeat_interleave(_GROUP, 0).T).bfloat16()
    return _weights(torch, case, (x, packed, scales), wide)


def _int8_weights(torch: Any, case: TypedCase) -> Problem:
    x = _normal(torch, (case.m, case.k), torch.bfloat16)
    kind = {"dtype": torch.int8, "device": "cuda"}
    weights = torch.randint(-128, 128, (case.n, case.k), **kind)
    scales = (torch.rand((case.n,), device="cuda") / 64).bfloat16()
    wide = weights.bfloat16() * scales[:, None]
    return _weights(torch, case, (x, weights, scales), wide)


def _weights(torch: Any, case: TypedCase, operands: Arrays, wide: Any) -> Problem:
    """Return a problem whose first operand is multiplied with weights that `wide` has in bf16."""
    c, plain = (_poisoned(torch, case, torch.bfloat16) for _ in range(2))
    matmul, x = tilec.load(EXAMPLES / "matmul.tile")["matmul"], operands[0]
    peers = {
        "tilec, bf16": lambda: matmul(x, wide.T, plain),
        "cublas, bf16": lambda: x @ wide.T,
    }
    return Problem((*operands, c), c, peers, lambda: x.float() @ wide.float().T, BF16_LIMIT)


def _swiglu(torch: Any, case: TypedCase) -> Problem:
    x = _normal(torch, (case.m, case.k), torch.bfloat16)
    gate, up = (_normal(torch, (case.k, case.n), torch.bfloat16) for _ in range(2))
    y = _poisoned(torch, case, torch.bfloat16)
    silu = torch.nn.functional.silu
    peers = {
        "cublas, the two products": lambda: (x @ gate, x @ up),
        "torch": lambda: silu(x @ gate) * (x @ up),
    }

    def exact() -> Any:
        wide = x.float()
        return silu(wide @ gate.float()) * (wide @ up.float())

    return Problem((x, gate, up, y), y, peers, exact, BF16_LIMIT)


KERNELS: Mapping[str, TypedKernel] = {
    "matmul_fp8": TypedKernel(_fp8),
    "matmul_int8": TypedKernel(_int8),
    "matmul_tf32": TypedKernel(_tf32),
    "matmul_f64": TypedKernel(_f64),
    "matmul_int4": TypedKernel(_int4),
    "w8a16_matmul": TypedKernel(_int8_weights),
    "swiglu": TypedKernel(_swiglu, products=2),
}
"""By name."""
