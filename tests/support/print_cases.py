"""Kernels that print, for the CPU reference, the emulator and the GPU."""

SOURCE = """
@kernel
def scalars[M, N](A: f32[M, N], B: f16[M, N], n: i32, s: f32, u: u8, b: bool):
    i, j = grid(cdiv(M, 4), cdiv(N, 8))
    print(f"n = {n:>4}, s = {s:.3f}", u, b, (i, j, 3), f32, sep=" | ")
    print("no value")
    print(n, end="")
    print(f" {n + 1=}")


@kernel
def tiles[M, N](A: f32[M, N], B: f16[M, N], n: i32, s: f32, u: u8, b: bool):
    i, j = grid(cdiv(M, 4), cdiv(N, 8))
    tile = load(A, (i, j), (4, 8))
    for k in range(n):
        if k != 1:
            print("round", k, tile)
        tile = tile + 1.0
    print(f"{load(B, (i, j), (1, 8)):.1f}", tile > 3.0, arange(4, i64) - 2)
    print(full(2, -1, i8), full(2, u, u8), cast(full(2, 0.5), f8e4m3))

"""
KERNELS = {
    "scalars": (
        {"n": 7, "s": 2.5, "u": 200, "b": True},
        "[block 0, 0] n =    7, s = 2.500 | 200 | True | (0, 0, 3) | f32\n"
        "[block 0, 0] no value\n[block 0, 0] 7[block 0, 0]  n + 1=8\n[block 1, 0] n =",
    ),
    "tiles": ({"n": 3, "s": 2.5, "u": 200, "b": True}, "[block 0, 0] round 0 [[0.0, 0.125, "),
}


def arrays(numpy):
    """Return A and B, both 6x16."""
    first = numpy.arange(96, dtype=numpy.float32).reshape(6, 16) / 8
    return {"A": first, "B": (first - 3).astype(numpy.float16)}
