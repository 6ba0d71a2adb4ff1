"""The text of a matrix product, which many tests vary in one place."""

from collections.abc import Sequence

Extent = int | str
"""Elements, the name of a constant, or a field for `str.format` such as `{rows}`."""


def gemm_source(
    name: str = "product",
    *,
    hints: str = "",
    operands: str = "bf16",
    result: str = "bf16",
    inputs: Sequence[str] = (),
    scalars: Sequence[str] = (),
    rows: Extent = 128,
    columns: Extent = 128,
    depth: Extent = 64,
    before: Sequence[str] = (),
    first: str = "",
    after: Sequence[str] = (),
    value: str = "acc",
    batched: bool = False,
) -> str:
    """Return a kernel that stores `value`, by default `acc = A @ B`, to C.

    Args:
        name: Its name.
        hints: Arguments of `@kernel`.
        operands: Element type of A and B.
        result: Element type of C.
        inputs: Parameters between B and C.
        scalars: Parameters after C.
        rows: Rows of a tile.
        columns: Columns of a tile.
        depth: Extent of a k-tile.
        before: Statements ahead of the loop.
        first: Where the accumulator starts; zeros by default.
        after: Statements after the loop.
        value: What is stored, as f32.
        batched: Give every array a leading axis Z, of which a block takes one matrix.
    """
    z, index, one = ("Z, ", "z, ", "1, ") if batched else ("", "", "")
    parameters = [
        f"A: {operands}[{z}M, K]",
        f"B: {operands}[{z}K, N]",
        *inputs,
        f"C: {result}[{z}M, N]",
        *scalars,
    ]
    a = f"load(A, ({index}m, k), ({one}{rows}, {depth}))"
    b = f"load(B, ({index}k, n), ({one}{depth}, {columns}))"
    stored = f"cast({value}, {result})"
    if batched:
        a, b = f"{a}.reshape(({rows}, {depth}))", f"{b}.reshape(({depth}, {columns}))"
        stored += f".reshape((1, {rows}, {columns}))"
    body = [
        f"{index}m, n = grid({z}cdiv(M, {rows}), cdiv(N, {columns}))",
        *before,
        f"acc = {first or f'zeros(({rows}, {columns}), f32)'}",
        f"for k in range(cdiv(K, {depth})):",
        f"    acc = mma({a}, {b}, acc)",
        *after,
        f"store(C, ({index}m, n), {stored})",
    ]
    lines = "".join(f"    {line}\n" for line in body)
    decorator = f"@kernel({hints})" if hints else "@kernel"
    return f"{decorator}\ndef {name}({', '.join(parameters)}):\n{lines}"
