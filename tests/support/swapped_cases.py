"""Products of few rows, whose transpose wgmma computes: kernels, sizes and layouts."""

from dataclasses import dataclass, field

import tilec
from tests.support.gemm_source import gemm_source
from tilec.testing.check import compare, make_arguments

VECTOR = ("x = acc + cast(load(v, n, {columns}), f32)[None, :]",)
GELU = "x * 0.5 * (1.0 + tanh(x * (0.7978845608 + 0.0356774081 * x * x)))"
RESIDUAL = "cast(load(R, (m, n), ({rows}, {columns})), f32)"
EPILOGUES = {
    "plain": {},
    "gelu": {"inputs": ("v: f32[N]",), "after": VECTOR, "value": GELU},
    "residual": {
        "inputs": ("v: bf16[N]", "R: {operands}[M, N]"),
        "after": VECTOR,
        "value": f"x + {RESIDUAL}",
    },
    "by_row": {"inputs": ("w: f32[M]",), "value": "acc * load(w, m, {rows})[:, None]"},
    "sum": {"inputs": ("R: f32[M, N]",), "first": "load(R, (m, n), ({rows}, {columns}))"},
    "two": {"scalars": ("D: f32[M, N]",), "after": ("store(D, (m, n), acc * 2.0)",)},
}
"""Arguments of `gemm_source` by the name of an epilogue."""
ROUNDINGS = 4
"""Tolerance for each product of a sum: operands of 16 bits, and a tanh after it."""


@dataclass(frozen=True)
class Skinny:
    """A product of few rows.

    Attributes:
        extents: M, N and K.
        tile: Rows, columns and depth of a tile.
        epilogue: A name of `EPILOGUES`.
        layouts: Layouts of the arrays that are not row-major.
        operands: Element type of A and B.
        result: Element type of C.
        hints: Fields of the plan to fix.
    """

    extents: tuple[int, int, int]
    tile: tuple[int, int, int]
    epilogue: str = "plain"
    layouts: dict[str, str] = field(default_factory=dict)
    operands: str = "bf16"
    result: str = "bf16"
    hints: str = ""

    def __str__(self) -> str:
        """Return a short name, for test reports."""
        shape = "x".join(map(str, (*self.extents, *self.tile)))
        named = (f"{name}_{layout}" for name, layout in self.layouts.items())
        words = (shape, self.epilogue, *named, self.operands, self.result, self.hints)
        return "-".join(filter(None, words))

    @property
    def source(self) -> str:
        """The text of the kernel."""
        text = gemm_source(
            hints=", ".join(filter(None, ("any_tile_extents=True", self.hints))),
            rows="{rows}",
            columns="{columns}",
            depth="{depth}",
            operands="{operands}",
            result="{result}",
            **EPILOGUES[self.epilogue],
        )
        extents = dict(zip(("rows", "columns", "depth"), self.tile, strict=True))
        return text.format(operands=self.operands, result=self.result, **extents)


CASES = (
    Skinny((1, 256, 200), (8, 64, 128)),
    Skinny((5, 136, 328), (8, 64, 64), layouts={"A": "col", "B": "col"}),
    Skinny((16, 200, 64), (16, 128, 64), "gelu", {"C": "col"}),
    Skinny((24, 257, 136), (24, 64, 64), "residual", {"B": "col", "R": "col"}),
    Skinny((33, 130, 65), (40, 64, 64), "residual", dict.fromkeys("ABC", "odd"), result="f32"),
    Skinny((40, 300, 192), (40, 128, 64), "by_row", {"A": "col"}, "f16", "f32"),
    Skinny((9, 128, 136), (16, 64, 64), "sum", {"B": "col"}),
    Skinny((17, 192, 72), (24, 192, 64), "two", {"B": "odd_col"}, "f16", "f16"),
    Skinny((200, 136, 192), (200, 64, 64), "residual", {"A": "col", "C": "odd"}),
    Skinny((100, 200, 72), (104, 128, 64), "gelu", hints="pingpong=True"),
    Skinny((48, 260, 264), (48, 64, 64), "residual", hints="defer_stores=True"),
    Skinny((3, 512, 128), (8, 64, 64), "gelu", {"B": "col"}, hints="cluster=(1, 2)"),
    Skinny((7, 500, 328), (8, 64, 128), "gelu", hints="cluster=(1, 4)"),  # each loads its own A
    Skinny((30, 250, 264), (32, 64, 64), hints="cluster=(1, 4), dependent_launch=False"),
    Skinny((100, 200, 200), (56, 64, 64), "residual", {"B": "col"}, hints="cluster=(2, 1)"),
    Skinny((7, 100, 1160), (8, 64, 128), "gelu", {"B": "col"}, hints="split_k=4"),
    Skinny((20, 72, 1104), (24, 64, 64), "residual", {"C": "col"}, hints="split_k=16"),
)
"""Ragged extents, odd pitches, all layouts, every epilogue, every schedule."""


def run(case: Skinny, launch, folder) -> str:
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
    results = [name for name in "CD" if name in inputs.arrays]
    inputs.poison(results)
    expected, found = inputs.copy(), inputs.copy()
    kernel(**expected.data(), **expected.scalars)
    launch(kernel, found)
    terms = dict.fromkeys(results, ROUNDINGS * case.extents[2])
    wanted = {name: expected.data()[name] for name in results}
    comparison = compare(found.data(), wanted, terms)
    assert comparison.ok, str(comparison)
    for name, array in found.arrays.items():
        assert array.stray_writes(inputs.arrays[name].memory) == 0, f"writes outside of {name}"
    return kernel.compile(**inputs.data(), **inputs.scalars).ptx
