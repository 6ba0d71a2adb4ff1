"""The kernels that are mutated: every example, and fourteen with protocols that plans can ask for.

They are small, since the emulator runs those of their mutants that the check accepts.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any
from unittest.mock import patch

import tilec
from tilec.runtime.compiled import CompiledKernel
from tilec.testing.check import Arguments, load_example, make_arguments
from tools.emulator.device import EmulatedDriver

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
PRODUCT = """@kernel({hints})
def product[M, N, K](A: bf16[M, K], B: bf16[K, N], C: bf16[M, N]):
    m, n = grid(cdiv(M, {rows}), cdiv(N, {columns}))
    acc = zeros(({rows}, {columns}), f32)
    for k in range(cdiv(K, 16)):
        acc = mma(load(A, (m, k), ({rows}, 16)), load(B, (k, n), (16, {columns})), acc)
    store(C, (m, n), cast(acc, bf16))
"""
GELU = """@kernel(defer_stores=False, slice_columns=16, epilogue_stages=2, stages=3)
def gelu[M, N, K](A: bf16[M, K], B: bf16[K, N], R: bf16[M, N], C: bf16[M, N]):
    m, n = grid(cdiv(M, 64), cdiv(N, 64))
    acc = zeros((64, 64), f32)
    for k in range(cdiv(K, 16)):
        acc = mma(load(A, (m, k), (64, 16)), load(B, (k, n), (16, 64)), acc)
    x = acc * (1.0 + tanh(acc)) + cast(load(R, (m, n), (64, 64)), f32)
    store(C, (m, n), cast(x, bf16))
"""
BATCHED = """@kernel(stages=3)
def batched[B, M, N, K](X: bf16[B, M, K], Y: bf16[B, K, N], Z: bf16[B, M, N]):
    b, m, n = grid(B, cdiv(M, 64), cdiv(N, 32))
    acc = zeros((64, 32), f32)
    for k in range(cdiv(K, 16)):
        x = load(X, (b, m, k), (1, 64, 16)).reshape((64, 16))
        y = load(Y, (b, k, n), (1, 16, 32)).reshape((16, 32))
        acc = mma(x, y, acc)
    store(Z, (b, m, n), cast(acc, bf16).reshape((1, 64, 32)))
"""
TWO_PRODUCTS = """@kernel(stages=3)
def two_products[M, N, K](A: bf16[M, K], B: bf16[K, N], D: bf16[K, N], C: bf16[M, N]):
    m, n = grid(cdiv(M, 64), cdiv(N, 32))
    left = zeros((64, 32), f32)
    right = zeros((64, 32), f32)
    for k in range(cdiv(K, 16)):
        a = load(A, (m, k), (64, 16))
        left = mma(a, load(B, (k, n), (16, 32)), left)
        right = mma(a, load(D, (k, n), (16, 32)), right)
    store(C, (m, n), cast(left * right, bf16))
"""
IN_PLACE = """@kernel
def in_place[M, N](X: f32[M, N]):
    m, n = grid(cdiv(M, 32), cdiv(N, 32))
    x = load(X, (m, n), (32, 32))
    store(X, (m, n), x * 2.0)
    y = load(X, (m, n), (32, 32))
    store(X, (m, n), y + 1.0)
"""
CONDITIONAL = """@kernel(stages=3)
def conditional[M, N, K](A: bf16[M, K], B: bf16[K, N], C: bf16[M, N], rounds: i32):
    m, n = grid(cdiv(M, 64), cdiv(N, 32))
    acc = zeros((64, 32), f32)
    if rounds > 0:
        for k in range(cdiv(K, 16)):
            acc = mma(load(A, (m, k), (64, 16)), load(B, (k, n), (16, 32)), acc)
    for k in range(rounds):
        if k % 2 == 0:
            acc = mma(load(A, (m, k), (64, 16)), load(B, (k, n), (16, 32)), acc)
    store(C, (m, n), cast(acc, bf16))
"""

ROTATED = """@kernel(stages=2)
def rotated[M, N, D](Q: bf16[M, D], K: bf16[N, D], V: bf16[N, D], O: bf16[M, D]):
    m = grid(cdiv(M, 128))
    q = load(Q, (m, 0), (128, 16))
    acc = zeros((128, 16), f32)
    for n in range(cdiv(N, 16)):
        scores = q @ load(K, (n, 0), (16, 16)).T
        weights = exp2(scores - max(scores, axis=1, keepdims=True))
        acc = mma(cast(weights, bf16), load(V, (n, 0), (16, 16)), acc)
    store(O, (m, 0), cast(acc, bf16))
"""

COPIED = """@kernel(stages=3)
def copied[T, P, N, K](X: bf16[T, K], R: i32[P], B: bf16[K, N], C: bf16[P, N]):
    m, n = grid(cdiv(P, 64), cdiv(N, 32))
    rows = (load(R, m, 64) & 31)[:, None]
    acc = zeros((64, 32), f32)
    for k in range(cdiv(K, 16)):
        x = gather(X, (rows, k * 16 + arange(16)[None, :]))
        acc = mma(x, load(B, (k, n), (16, 32)), acc)
    store(C, (m, n), cast(acc, bf16))
"""


@dataclass(frozen=True)
class Case:
    """A kernel and what it is called with.

    Attributes:
        name: What `--kernel` selects.
        kernel: Name of the kernel in the source.
        source: A `.tile` file or the text of one.
        sizes: Extents by dim.
        scalars: Values of scalar parameters.
        constants: Values of `const` parameters that are not the planner's.
        multiprocessors: SMs of the device; persistent kernels launch that many CTAs.
    """

    name: str
    kernel: str
    source: Path | str
    sizes: Mapping[str, int]
    scalars: Mapping[str, Any] = field(default_factory=dict)
    constants: Mapping[str, Any] = field(default_factory=dict)
    multiprocessors: int = 2

    def load(self, folder: Path) -> Any:
        """Return the kernel; text is written to `folder`."""
        path = self.source
        if isinstance(path, str):
            path = folder / f"{self.name}.tile"
            path.write_text(str(self.source))
        return tilec.load(path)[self.kernel]

    def arguments(self, kernel: Any) -> Arguments:
        """Return what the kernel is called with: always the same."""
        example = load_example(self.source) if isinstance(self.source, Path) else None
        found = make_arguments(kernel.signature, self.sizes, example=example, seed=1)
        return Arguments(found.arrays, {**found.scalars, **self.scalars})

    def compile(self, kernel: Any, inputs: Arguments) -> CompiledKernel:
        """Compile the kernel without ptxas: the emulator takes PTX."""
        with patch("tilec.codegen.tools.find_tool", return_value=None):
            return kernel.compile(**inputs.data(), **inputs.scalars, **self.constants)

    def device(self) -> EmulatedDriver:
        """Return what runs it."""
        return EmulatedDriver(0, self.multiprocessors)


def _product(name: str, hints: str, **options: Any) -> Case:
    rows, columns = options.pop("tile", (64, 32))
    source = PRODUCT.format(hints=hints, rows=rows, columns=columns)
    sizes = options.pop("sizes", {"M": 128, "N": 64, "K": 80})
    return Case(name, "product", source, sizes, **options)


OWN = (
    _product("plain", "stages=3, defer_stores=False, mma_pending=0"),
    _product("cluster_2x1", "stages=3, cluster=(2, 1)", tile=(64, 64)),
    _product("cluster_2x2", "stages=3, cluster=(2, 2)", tile=(64, 64), multiprocessors=4),
    _product("deferred", "stages=3, defer_stores=True", multiprocessors=1),
    _product("pingpong", "stages=3, pingpong=True", multiprocessors=1),
    _product("split_k", "stages=3, split_k=3", multiprocessors=3),
    _product("one_pending", "stages=3, defer_stores=False, mma_pending=1"),
    Case("gelu", "gelu", GELU, {"M": 128, "N": 64, "K": 48}, multiprocessors=1),
    Case("batched", "batched", BATCHED, {"B": 2, "M": 64, "N": 64, "K": 64}),
    Case(
        "two_products", "two_products", TWO_PRODUCTS, {"M": 64, "N": 64, "K": 80}, multiprocessors=1
    ),
    Case("in_place", "in_place", IN_PLACE, {"M": 64, "N": 64}),
    Case(
        "conditional",
        "conditional",
        CONDITIONAL,
        {"M": 64, "N": 64, "K": 80},
        {"rounds": 3},
        multiprocessors=1,
    ),
    Case(
        "copied",
        "copied",
        COPIED,
        {"T": 32, "P": 64, "N": 64, "K": 80},
        multiprocessors=1,
    ),
    Case("rotated", "rotated", ROTATED, {"M": 256, "N": 80, "D": 16}, multiprocessors=1),
)
SMALL = {"M": 128, "N": 128, "K": 96, "B": 2}
"""Extents of the dims of examples that are products."""
TILE = {"BM": 64, "BN": 64, "BK": 32}
MOST_ELEMENTS = 2**14


def _example(path: Path) -> Case:
    """Return an example at its smallest size, or where it is a product at one of a few k-tiles."""
    example = load_example(path)
    if example is None:
        raise FileNotFoundError(path.with_suffix(".py"))
    text = path.read_text()
    if "BK: const" in text and set(example.sizes) <= set(SMALL):
        sizes = {name: SMALL[name] for name in example.sizes}
        source = text.replace("@kernel", "@kernel(stages=2)", 1)
        return Case(path.stem, path.stem, source, sizes, constants=TILE)
    sizes = [{**example.sizes, **case} for case in (example.sizes, *example.cases)]
    small = [size for size in sizes if prod(size.values()) <= MOST_ELEMENTS]
    chosen = max(small, key=lambda size: prod(size.values())) if small else sizes[0]
    return Case(path.stem, path.stem, path, chosen)


def cases() -> dict[str, Case]:
    """Return every kernel by name."""
    examples = [_example(path) for path in sorted(EXAMPLES.glob("*.tile"))]
    return {case.name: case for case in (*OWN, *examples)}
