"""The products that the GEMM benchmark measures: sizes, element types, memory orders, sets."""

import re
from dataclasses import dataclass
from typing import Literal

Kind = Literal["plain", "batched", "fused", "f32_output"]

DTYPES = {"bf16": "bfloat16", "fp16": "float16"}
"""Name in a case -> name in torch. Both have 2 bytes."""
ELEMENT_BYTES = 2
LAYOUTS = ("NN", "NT", "TN", "TT")
_SYNTAX = "[BATCHx]MxNxK[:bf16|fp16][:NN|NT|TN|TT][:column|:f32|:fused]"
_PATTERN = re.compile(
    r"(?:(\d+)x)?(\d+)x(\d+)x(\d+)(?::(bf16|fp16))?(?::(NN|NT|TN|TT))?(?::(column|f32|fused))?"
)


@dataclass(frozen=True)
class Case:
    """One product C = A @ B.

    Attributes:
        m: Rows of A and C.
        n: Columns of B and C.
        k: Columns of A and rows of B.
        dtype: Element type of A and B, and of C unless `kind` is `f32_output`.
        layout: Memory order of A and B: N is row-major, T column-major.
        kind: `plain`; `batched`; `fused` (bias, gelu and residual); `f32_output` (C is f32).
        batch: Number of independent products.
        column_major: Whether C is column-major.
    """

    m: int
    n: int
    k: int
    dtype: str = "bf16"
    layout: str = "NN"
    kind: Kind = "plain"
    batch: int = 1
    column_major: bool = False

    def __str__(self) -> str:
        """Return the spelling that `parse_case` reads."""
        batch = f"{self.batch}x" if self.kind == "batched" else ""
        last = {"f32_output": ":f32", "fused": ":fused"}.get(self.kind, "")
        last = ":column" if self.column_major else last
        return f"{batch}{self.m}x{self.n}x{self.k}:{self.dtype}:{self.layout}{last}"

    @property
    def operations(self) -> int:
        """Floating-point operations of the product: a multiply and an add for each m, n, k."""
        return 2 * self.batch * self.m * self.n * self.k

    @property
    def operand_bytes(self) -> int:
        """Bytes that a call reads and writes at least once."""
        output = 4 if self.kind == "f32_output" else ELEMENT_BYTES
        residual = ELEMENT_BYTES if self.kind == "fused" else 0
        inputs = ELEMENT_BYTES * (self.m * self.k + self.k * self.n)
        return self.batch * (inputs + (output + residual) * self.m * self.n)


def parse_case(text: str) -> Case:
    """Return the case that `text` spells, for example `4096x4096x4096:fp16:NT`.

    A fourth, leading extent is the batch.

    Raises:
        ValueError: The text is no case; the message has the syntax.
    """
    found = _PATTERN.fullmatch(text)
    if found is None:
        raise ValueError(f"'{text}' is no case: expected {_SYNTAX}")
    batch, m, n, k, dtype, layout, last = found.groups()
    if 0 in (int(m), int(n), int(k), int(batch or 1)):
        raise ValueError(f"'{text}' has an extent of 0")
    kind: Kind = "plain"
    if last in ("f32", "fused"):
        kind = "f32_output" if last == "f32" else "fused"
    if batch is not None:
        if last or layout not in (None, "NN"):
            raise ValueError(f"'{text}': a batched product is row-major and has no epilogue")
        kind = "batched"
    if kind == "f32_output" and dtype == "fp16":
        raise ValueError(f"'{text}': examples/matmul_f32out.tile takes bf16")
    return Case(
        *(int(m), int(n), int(k)),
        dtype=dtype or "bf16",
        layout=layout or "NN",
        kind=kind,
        batch=int(batch or 1),
        column_major=last == "column",
    )


def _cubes(*sizes: int, dtype: str = "bf16", layout: str = "NN") -> tuple[Case, ...]:
    return tuple(Case(n, n, n, dtype, layout) for n in sizes)


SKINNY = """
1x4096x4096:NT 1x4096x14336:NN 1x8192x8192:NN 1x8192x8192:NT 1x28672x4096:NT 2x6144x4096:NT
2x8192x8192:NN 4x3584x18944:NT 4x4608x3584:NT 4x7168x2048:NN 8x2112x7168:NT 8x4096x4096:NN
8x10240x8192:NT 16x4096x4096:NN 16x4096x4096:NT 16x4096x14336:NT 16x7168x16384:NN 16x28672x4096:NT
32x4096x7168:NT 32x6144x4096:NN 32x8192x8192:NT 48x5120x5120:NN 48x24576x1536:NT 64x2112x7168:NN
64x4096x4096:NT 64x10240x8192:NT 100x4096x14336:NT 100x7168x2048:NT 100x10240x8192:NN
128x4096x4096:NT 128x4096x7168:NT 128x28672x4096:NN 200x3584x18944:NT 200x6144x4096:NN
200x7168x2048:NN 200x7168x2048:NT 256x2112x7168:NT 256x4096x4096:NT 256x28672x4096:NT
128x128x65536:NN 128x128x65536:NT 1024x1024x8192:NN 1024x1024x8192:NT
777x3333x1111:NN 777x3333x1111:NT
"""
"""Few rows, as in the layers of language models that write one token after the other; few tiles and
a long K; pitches that TMA cannot take."""
SETS: dict[str, tuple[Case, ...]] = {
    "quick": _cubes(8192, 4096, 1024),
    "large": tuple(case for x in LAYOUTS for case in _cubes(8192, 4096, layout=x)),
    "huge": _cubes(16384),
    "short": tuple(Case(8192, 8192, k) for k in (512, 1024, 2048)),
    "small": _cubes(2048, 1024, 512),
    "fp16": _cubes(8192, 4096, dtype="fp16"),
    "odd": (Case(4095, 4104, 4104), Case(1000, 1000, 1000), Case(4096, 4096, 4001)),
    "batched": (Case(1024, 1024, 1024, kind="batched", batch=64),),
    "fused": (Case(4096, 4096, 4096, kind="fused"),),
    "outputs": (
        *(Case(n, n, n, kind="f32_output") for n in (8192, 4096)),
        *(Case(n, n, n, column_major=True) for n in (8192, 4096)),
    ),
    "skinny": tuple(map(parse_case, SKINNY.split())),
}
"""Cases by the name of their set."""
FULL = tuple(name for name in SETS if name not in ("quick", "skinny"))
"""The sets of the full protocol."""
