"""Products whose B operand threads compute, as dequantized weights: kernels, sizes and layouts."""

from dataclasses import dataclass, field

import tilec
from tilec.testing.check import compare, make_arguments

ROWS_OF_B = "load(W, (k, n), ({depth}, {columns}))"
COLUMNS_OF_B = "load(W, (n, k), ({columns}, {depth}))"
FORMS = {
    "scaled": ("K, N", f"cast({ROWS_OF_B}, T) * s[None, :]"),
    "turned": ("N, K", f"(cast({COLUMNS_OF_B}, T) * s[:, None]).T"),
    "turned early": ("N, K", f"cast({COLUMNS_OF_B}.T, T) * s[None, :]"),
    "plain": ("K, N", f"cast({ROWS_OF_B}, T)"),
    "plain turned": ("N, K", f"cast({COLUMNS_OF_B}, T).T"),
    "masked": (
        "K, N",
        f"where(load(V, (k, n), ({{depth}}, {{columns}})) > 0, cast({ROWS_OF_B}, T), 0.0)",
    ),
    "wide": ("K, N", f"cast(cast({ROWS_OF_B}, f32) * cast(s, f32)[None, :], T)"),
    "by k": ("K, N", f"cast({ROWS_OF_B}, T) * load(G, k, {{depth}})[:, None]"),
    "gathered": (
        "K, N",
        "cast(gather(W, (k * {depth} + arange({depth})[:, None], n * {columns} + "
        "arange({columns})[None, :])), T)",
    ),
    "shared load": ("K, N", f"cast({ROWS_OF_B}, T) + load(P, (k, n), ({{depth}}, {{columns}}))"),
}
"""Axes of W and the text of B, by the name of a form."""
ROUNDINGS = 4
"""Tolerance for each product of a sum: operands of 16 bits."""
SOURCE = """
@kernel(any_tile_extents=True{hints})
def product[M, N, K](X: {kind}[M, K], W: {weights}[{axes}], S: {kind}[N], G: {kind}[K],
                     V: i8[K, N], P: {kind}[K, N], C: {result}[M, N], *, T: dtype = {kind}):
    m, n = grid(cdiv(M, {rows}), cdiv(N, {columns}))
    s = load(S, n, {columns})
    acc = zeros(({rows}, {columns}), f32)
    for k in range(cdiv(K, {depth})):
        x = load(X, (m, k), ({rows}, {depth}))
        acc = mma(x, {b}, acc)
    store(C, (m, n), cast({value}, {result}))
"""


@dataclass(frozen=True)
class Weights:
    """A product with computed weights.

    Attributes:
        form: A name of `FORMS`.
        weights: Element type of the weights.
        extents: M, N and K.
        tile: Rows, columns and depth of a tile.
        swapped: Whether wgmma computes the transpose.
        kind: Element type of the other operand and of the product.
        result: Element type of C.
        layouts: Layouts of the arrays that are not row-major.
        value: What is stored, as f32.
        hints: Fields of the plan to fix.
    """

    form: str
    weights: str
    extents: tuple[int, int, int]
    tile: tuple[int, int, int]
    swapped: bool = True
    kind: str = "bf16"
    result: str = "bf16"
    layouts: dict[str, str] = field(default_factory=dict)
    value: str = "acc"
    hints: str = ""

    def __str__(self) -> str:
        """Return a short name, for test reports."""
        shape = "x".join(map(str, (*self.extents, *self.tile)))
        named = (f"{name}_{layout}" for name, layout in self.layouts.items())
        words = (self.form.replace(" ", "_"), self.weights, self.kind, shape, *named, self.hints)
        return "-".join(filter(None, words))

    @property
    def source(self) -> str:
        """The text of the kernel."""
        axes, b = FORMS[self.form]
        extents = dict(zip(("rows", "columns", "depth"), self.tile, strict=True))
        return SOURCE.format(
            **extents,
            axes=axes,
            b=b.format(**extents),
            kind=self.kind,
            weights=self.weights,
            result=self.result,
            value=self.value,
            hints=f", {self.hints}" if self.hints else "",
        )

    @property
    def instruction(self) -> str:
        """The beginning of its wgmma."""
        rows, columns, _ = self.tile
        kind = f"f32.{self.kind}.{self.kind}"
        count = rows if self.swapped else columns
        return f"wgmma.mma_async.sync.aligned.m64n{count}k16.{kind}"


CASES = (
    Weights("scaled", "i8", (130, 200, 136), (64, 64, 64)),
    Weights("scaled", "u8", (64, 128, 72), (64, 128, 32), kind="f16", layouts={"X": "col"}),
    Weights("scaled", "f8e4m3", (40, 72, 264), (40, 64, 64), layouts={"W": "col", "C": "col"}),
    Weights("scaled", "u8", (100, 128, 128), (104, 64, 64), layouts={"C": "odd"}),
    Weights("turned", "i8", (100, 136, 200), (64, 64, 64), result="f32"),
    Weights("turned", "f8e5m2", (130, 64, 64), (128, 64, 64), kind="f16"),
    Weights("turned", "u8", (16, 200, 328), (16, 64, 128), layouts={"X": "col"}),
    Weights("turned early", "i8", (70, 128, 136), (64, 128, 64), layouts={"X": "odd"}),
    Weights("plain", "i8", (8, 256, 200), (8, 128, 64), value="acc * cast(s, f32)[None, :]"),
    Weights("plain turned", "f8e4m3", (64, 128, 136), (64, 64, 64), value="acc * 0.5"),
    Weights("masked", "i8", (64, 72, 72), (64, 64, 64), layouts={"V": "col"}),
    Weights("wide", "i8", (64, 130, 100), (64, 64, 64)),
    Weights("by k", "f8e4m3", (64, 64, 200), (64, 64, 64)),
    Weights("shared load", "i8", (64, 64, 136), (64, 64, 32)),
    Weights("scaled", "i8", (200, 72, 136), (192, 64, 64)),
    Weights("turned", "i8", (20, 72, 1104), (24, 64, 64), hints="split_k=4"),
    Weights("scaled", "i8", (128, 128, 264), (128, 128, 64), hints="cluster=(2, 1)"),
    Weights("scaled", "i8", (128, 200, 200), (64, 128, 64), hints="rotate=True"),
    Weights("turned", "i8", (128, 200, 200), (64, 128, 64), hints="rotate=False"),
    Weights("scaled", "i8", (65, 130, 67), (64, 64, 64), layouts={"W": "odd"}),
    Weights("gathered", "i8", (64, 64, 72), (64, 64, 64)),
    Weights("gathered", "f8e4m3", (40, 76, 200), (40, 64, 64)),
    Weights("scaled", "i8", (64, 96, 72), (64, 96, 64), swapped=False),
    Weights("turned", "i8", (100, 96, 72), (64, 32, 64), swapped=False),
)
"""Every form, element type and layout; ragged extents; schedules. The last two cannot be swapped:
their columns are no slices of 64."""


def run(case: Weights, launch, folder) -> str:
    """Run a product and compare it with the CPU reference; return its PTX.

    Args:
        case: The product.
        launch: Runs a kernel on its `Arguments` and copies their memory back.
        folder: Where the source goes.
    """
    path = folder / "product.tile"
    path.write_text(case.source)
    kernel = tilec.load(path).product
    sizes = dict(zip("MNK", case.extents, strict=True))
    inputs = make_arguments(kernel.signature, sizes, layouts=case.layouts, seed=1)
    inputs.poison(["C"])
    expected, found = inputs.copy(), inputs.copy()
    kernel(**expected.data(), **expected.scalars)
    launch(kernel, found)
    terms = {"C": ROUNDINGS * case.extents[2]}
    comparison = compare(found.data(), {"C": expected.data()["C"]}, terms)
    assert comparison.ok, str(comparison)
    for name, array in found.arrays.items():
        assert array.stray_writes(inputs.arrays[name].memory) == 0, f"writes outside of {name}"
    return kernel.compile(**inputs.data(), **inputs.scalars).ptx
