"""Computed results that wait for the next tile, on the emulator: whole ones and slices."""

from dataclasses import dataclass, field, replace

import pytest

from tests.support.gemm_source import gemm_source
from tools.emulator.fuzz.products import RandomProduct, run_product

SOURCE = gemm_source(
    hints="defer_stores=True, any_tile_extents=True{plan}",
    inputs=("v: f32[N]", "R: bf16[M, N]"),
    result="{result}",
    scalars=("scale: f32",),
    rows="{rows}",
    columns="{columns}",
    first="{first}",
    after=("x = acc + load(v, n, {columns})[None, :]",),
    value="{value}",
)
ZEROS, TILE = "zeros(({rows}, {columns}), f32)", "load(R, (m, n), ({rows}, {columns})).astype(f32)"
GELU = "x * 0.5 * (1.0 + tanh(x * (0.7978845608 + 0.0356774081 * x * x)))"
RESIDUAL = GELU + " + cast(load(R, (m, n), ({rows}, {columns})), f32)"
ROUNDED = RESIDUAL.replace("x ", "cast(cast(x, {result}), f32) ").replace(
    " x)", " cast(cast(x, {result}), f32))"
)
SUM = "cast(x, {result}) + cast(load(R, (m, n), ({rows}, {columns})), {result})"
ROUNDED_GELU = GELU.replace("x", "cast(cast(x, bf16), f32)")
SCALED = ROUNDED.replace("* 0.5", "* scale")
BIAS_LATER = "cast(cast(x, bf16), f32) * load(v, n, {columns})[None, :]"


@dataclass(frozen=True)
class Case:
    """A product with an epilogue: extents, tile, plan, layouts, multiprocessors."""

    value: str
    extents: tuple[int, int, int]
    tile: tuple[int, int]
    plan: str = ""
    layouts: dict[str, str] = field(default_factory=dict)
    multiprocessors: int = 2
    result: str = "bf16"
    first: str = ZEROS
    roundings: int | None = None

    def __str__(self) -> str:
        shape = "x".join(map(str, (*self.extents, *self.tile)))
        return "-".join(filter(None, (shape, self.plan, *self.layouts, self.result)))

    def product(self, seed: int) -> RandomProduct:
        names = {"rows": self.tile[0], "columns": self.tile[1], "result": self.result}
        plan = f", {self.plan}" if self.plan else ""
        value, first = (text.format(**names) for text in (self.value, self.first))
        source = SOURCE.format(value=value, first=first, plan=plan, **names)
        sizes = dict(zip("MNK", self.extents, strict=True))
        layouts, multiprocessors = self.layouts, self.multiprocessors
        return RandomProduct(seed, source, sizes, layouts, multiprocessors, self.roundings)


WHOLE = [
    Case("x", (256, 512, 256), (128, 256)),
    Case("maximum(x, 0.0)", (300, 200, 72), (128, 64), layouts={"C": "col"}, multiprocessors=3),
    Case(GELU, (130, 300, 264), (64, 128), "slice_columns=0", {"B": "col"}, result="f32"),
    Case("x", (200, 300, 264), (64, 128), first=TILE),
    Case("maximum(minimum(x, 100.0), -100.0)", (200, 300, 328), (64, 128), result="i8"),
]
SLICES = [
    Case(GELU, (256, 96, 64), (64, 96), "slice_columns=32", {}, 1, "f32"),
    Case(GELU, (130, 300, 192), (64, 256), "slice_columns=16, epilogue_slots=3"),
    Case(RESIDUAL, (257, 190, 200), (128, 64), "epilogue_stages=1", {"A": "col", "C": "col"}),
    Case(RESIDUAL, (300, 200, 328), (128, 64), "slice_columns=16", {"R": "odd"}, 3),
]
"""With fewer k-tiles than parts, as many, and more; the narrowest have a jump table of parts."""
TIES = 2**16
"""Two sums on two sides of a tie are rounded to bf16 2^-8 apart."""
COMPUTED = [
    Case(SCALED, (256, 384, 712), (128, 192)),
    Case(ROUNDED, (384, 128, 264), (64, 64), "cluster=(2, 1)", {"C": "col", "R": "col"}, 4),
    Case(ROUNDED, (130, 300, 264), (64, 128), "slice_columns=0", {"B": "col"}),
    Case(SUM, (200, 300, 700), (64, 128)),
    Case(BIAS_LATER, (200, 300, 264), (64, 128)),
    Case(ROUNDED_GELU, (256, 96, 640), (64, 96), multiprocessors=1),
]
"""What is computed from a rounded tile, which waits: with the slices that it needs, or whole."""


CASES = [*WHOLE, *SLICES, *(replace(case, roundings=TIES) for case in COMPUTED)]


@pytest.mark.parametrize(("seed", "case"), list(enumerate(CASES)), ids=str)
def test_results(tmp_path, seed, case):
    run_product(case.product(seed), tmp_path)


SCALED_ROUNDS = """\
@kernel(defer_stores=True)
def product[M, N, K, KB](
    A: bf16[M, K], R: f32[KB, M], B: bf16[K, N], v: f32[KB], C: bf16[M, N],
):
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    acc = zeros((64, 64), f32)
    for k in range(cdiv(K, 32)):
        scales = load(R, (k, m), (1, 64)).reshape((64, 1)) * gather(v, k)
        a, b = load(A, (m, k), (64, 32)), load(B, (k, n), (32, 64))
        acc += mma(a, b, zeros((64, 64), f32)) * scales
    store(C, (m, n), acc.astype(bf16))
"""


@pytest.mark.parametrize("seed", range(3))
def test_rounds_in_which_threads_load_scales(tmp_path, seed):
    """What they load and multiply in a round comes after the piece of the store in that round."""
    sizes = ({"K": 30, "KB": 1}, {"K": 200, "KB": 7}, {"K": 640, "KB": 20})[seed]
    run_product(RandomProduct(seed, SCALED_ROUNDS, {"M": 200, "N": 190, **sizes}, {}, 2), tmp_path)
