"""snake_k: which kernels visit their k-tiles back and forth."""

import pytest

from tests.support.kernel_texts import BRANCH_WITH_LOAD
from tilec.compiler.driver import compile_source
from tilec.request.options import CompileOptions
from tilec.request.specialization import Specialization
from tilec.support.diagnostics import CompileError, SourceFile

KERNEL = """\
@kernel
def product[M, N, K](A: bf16[M, K], B: bf16[K, N], v: f32[N], C: bf16[M, N], start: i32):
    m, n = grid(cdiv(M, 128), cdiv(N, 128))
{before}    acc = {first}
    for k in range({bounds}):
        acc = mma(load(A, (m, k), (128, 64)), load(B, (k, n), (64, 128)), acc)
{again}    store(C, (m, n), cast({value}, bf16))
"""
ZEROS = "zeros((128, 128), f32)"
AGAIN = "        more = mma(load(A, (m, k), (128, 64)), load(B, (k, 0), (64, 128)), more)\n"
MORE = f"    more = {ZEROS}\n"
USUAL = {"before": "", "again": "", "first": ZEROS, "bounds": "cdiv(K, 64)", "value": "acc"}
BRANCH = BRANCH_WITH_LOAD.format(condition="start > 0", array="v", first=0, extents=128)
SUMS = {
    "all k-tiles": {},
    "every third, from the second one on": {"bounds": "1, cdiv(K, 64), 3"},
    "from where the caller says": {"bounds": "start, cdiv(K, 64)"},
    "a result that loaded tiles are added to": {"value": "acc + load(v, n, 128)[None, :]"},
    "sums on top of ones": {"first": "full((128, 128), 1.0, f32)"},
    "two products in each round": {"again": AGAIN.replace("more", "acc")},
    "two sums": {"before": MORE, "again": AGAIN, "value": "acc * more"},
}
OTHERS = {
    "bounds of the block": ({"bounds": "m + 1"}, "the number of k-tiles depends on the block"),
    "bounds of a branch that loads": (
        {"before": BRANCH, "bounds": "steps", "value": "acc + x[None, :]"},
        "the number of k-tiles comes from a branch or a loop that loads tiles",
    ),
    "a sum that is scaled in each round": (
        {"before": MORE, "again": f"{AGAIN}        more = more * 0.5\n", "value": "acc * more"},
        "the accumulator is not the sum of the products alone",
    ),
    "products in two loops": (
        {"again": "    for j in range(start):\n" + AGAIN.replace("more", "acc").replace("k", "j")},
        "its 2 products are not all in one loop",
    ),
}


def snakes(fields: dict[str, str], **plan: int) -> bool:
    text = KERNEL.format(**(USUAL | fields))
    options = CompileOptions(emit="ptx", run_ptxas=False)
    source, specialization = SourceFile("product.tile", text), Specialization(plan=plan)
    made = compile_source(source, specialization=specialization, options=options)
    (kernel,) = made.artifact.kernels
    return kernel.metadata["plan"]["snake_k"]


@pytest.mark.parametrize("name", SUMS)
def test_sums_of_products(name):
    assert snakes(SUMS[name])
    assert not snakes(SUMS[name], snake_k=0)


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_left_alone(name):
    fields, reason = OTHERS[name]
    assert not snakes(fields)
    with pytest.raises(CompileError) as caught:
        snakes(fields, snake_k=1)
    assert f"error[T0421]: snake_k = true: {reason}" in str(caught.value)
