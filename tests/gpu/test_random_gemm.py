"""300 random matrix products, in all layouts and two element types, against f64 on the GPU.

C is full of NaN before the run and lies between guards, which nobody may write.
"""

import pytest

from tests.support.gemm_cases import GUARD, draw, matmul
from tests.support.gpu_arrays import torch_dtype, wait

pytestmark = pytest.mark.gpu

ROUNDOFF = {"bf16": 2.0**-8, "f16": 2.0**-11}
"""Unit roundoff of the outputs."""
ACCUMULATION = 4 * 2.0**-23
"""Error of a sum of k products, relative to the sum of their magnitudes and to sqrt(k): rounding
errors of random data grow like the square root (Higham and Mary, "A new approach to probabilistic
rounding error analysis", 2019); tensor cores truncate to f32, hence 2^-23; 4 is for safety."""
GUARD_BITS = 0x5A5A


def operand(torch, dtype, shape, strides):
    """Return a matrix of normal random numbers."""
    memory = torch.randn(shape[0] * shape[1], device="cuda").to(torch_dtype(torch, dtype))
    return memory.as_strided(shape, strides)


def guarded(torch, dtype, shape, strides):
    """Return memory with guards at both ends, and the matrix of NaN between them."""
    count = shape[0] * shape[1]
    memory = torch.full((2 * GUARD + count,), GUARD_BITS, dtype=torch.int16, device="cuda")
    matrix = memory.view(torch_dtype(torch, dtype)).as_strided(shape, strides, GUARD)
    return memory, matrix.fill_(float("nan"))


def worst(torch, case, arrays):
    """Return the largest error of C in multiples of what is allowed."""
    a, b = arrays["A"].double(), arrays["B"].double()
    expected = a @ b
    accumulated = ACCUMULATION * case.k**0.5 * (a.abs() @ b.abs())
    normal = torch.finfo(arrays["C"].dtype).smallest_normal
    rounded = ROUNDOFF[case.dtype] * (expected.abs() + accumulated + normal)
    ratio = (arrays["C"].double() - expected).abs() / (accumulated + rounded)
    return ratio.nan_to_num(nan=float("inf")).max().item()


@pytest.mark.parametrize(("number", "case"), list(enumerate(draw())), ids=str)
def test_product(torch, number, case):
    torch.manual_seed(number)
    matrices = case.matrices()
    arrays = {name: operand(torch, case.dtype, *matrices[name]) for name in "AB"}
    memory, arrays["C"] = guarded(torch, case.dtype, *matrices["C"])
    torch.cuda.synchronize()
    matmul()(**arrays)
    wait(torch, str(case))
    error = worst(torch, case, arrays)
    assert error <= 1, f"{error:.3g} times the allowed error"
    for guard in (memory[:GUARD], memory[-GUARD:]):
        assert bool((guard == GUARD_BITS).all()), "C's guards were written"
