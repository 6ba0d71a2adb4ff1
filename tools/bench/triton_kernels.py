"""Matrix products in Triton: persistent with TMA, the same warp-specialised, and by pointers.

C = A @ B with f32 accumulation. A batch is stacked along the rows of every array, so tiles must
not straddle its parts: with a batch, M and K are multiples of the tile. `*_COLUMN` says that an
array is column-major; its descriptor then describes the transposed array.
"""

import triton  # pyright: ignore[reportMissingImports] - only a benchmark needs it
import triton.language as tl  # pyright: ignore[reportMissingImports]


@triton.jit
def tile_position(tile, rows, columns, GROUP: tl.constexpr):
    """Return row and column of a tile when `GROUP` rows of tiles are swept together."""
    first = tile // (GROUP * columns) * GROUP
    height = min(rows - first, GROUP)
    inside = tile % (GROUP * columns)
    return first + inside % height, inside // height


@triton.jit
def tile_product(
    a_desc,
    b_desc,
    a_row,
    b_row,
    b_column_row,
    m,
    n,
    K,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    A_COLUMN: tl.constexpr,
    B_COLUMN: tl.constexpr,
):
    """Return one tile of A @ B; the rows say where this part of the batch begins."""
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in tl.range(0, tl.cdiv(K, BK)):
        if A_COLUMN:
            a = a_desc.load([b_row + k * BK, m]).T
        else:
            a = a_desc.load([a_row + m, k * BK])
        if B_COLUMN:
            b = b_desc.load([b_column_row + n, k * BK]).T
        else:
            b = b_desc.load([b_row + k * BK, n])
        acc = tl.dot(a, b, acc)
    return acc


@triton.jit
def gemm_tma(
    a_desc,
    b_desc,
    c_desc,
    M,
    N,
    K,
    BATCH,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
    BLOCKS: tl.constexpr,
    A_COLUMN: tl.constexpr,
    B_COLUMN: tl.constexpr,
    HALVES: tl.constexpr,
):
    """Compute tiles of C, `BLOCKS` apart, with descriptors that the host made."""
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    each = rows * columns
    for tile in tl.range(tl.program_id(0), each * BATCH, BLOCKS, flatten=True):
        batch = tile // each
        row, column = tile_position(tile % each, rows, columns, GROUP)
        m, n = row * BM, column * BN
        acc = tile_product(
            *(a_desc, b_desc, batch * M, batch * K, batch * N, m, n, K, BM, BN, BK),
            *(A_COLUMN, B_COLUMN),
        )
        if HALVES:
            halves = tl.permute(tl.reshape(acc, (BM, 2, BN // 2)), (0, 2, 1))
            left, right = tl.split(halves)
            c_desc.store([batch * M + m, n], left.to(c_desc.dtype))
            c_desc.store([batch * M + m, n + BN // 2], right.to(c_desc.dtype))
        else:
            c_desc.store([batch * M + m, n], acc.to(c_desc.dtype))


@triton.jit
def gemm_specialized(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    BATCH,
    a_pitch,
    b_pitch,
    c_pitch,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
    BLOCKS: tl.constexpr,
    A_COLUMN: tl.constexpr,
    B_COLUMN: tl.constexpr,
):
    """Compute tiles of C as `gemm_tma` does, with warps that load and warps that compute."""
    if A_COLUMN:
        a_desc = tl.make_tensor_descriptor(a_ptr, [BATCH * K, M], [a_pitch, 1], [BK, BM])
    else:
        a_desc = tl.make_tensor_descriptor(a_ptr, [BATCH * M, K], [a_pitch, 1], [BM, BK])
    if B_COLUMN:
        b_desc = tl.make_tensor_descriptor(b_ptr, [BATCH * N, K], [b_pitch, 1], [BN, BK])
    else:
        b_desc = tl.make_tensor_descriptor(b_ptr, [BATCH * K, N], [b_pitch, 1], [BK, BN])
    c_desc = tl.make_tensor_descriptor(c_ptr, [BATCH * M, N], [c_pitch, 1], [BM, BN])
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    each = rows * columns
    for tile in tl.range(tl.program_id(0), each * BATCH, BLOCKS, warp_specialize=True):
        batch = tile // each
        row, column = tile_position(tile % each, rows, columns, GROUP)
        m, n = row * BM, column * BN
        acc = tile_product(
            *(a_desc, b_desc, batch * M, batch * K, batch * N, m, n, K, BM, BN, BK),
            *(A_COLUMN, B_COLUMN),
        )
        c_desc.store([batch * M + m, n], acc.to(c_desc.dtype))


@triton.jit
def gemm_pointers(
    a_ptr,
    b_ptr,
    c_ptr,
    M,
    N,
    K,
    a_m,
    a_k,
    b_k,
    b_n,
    c_m,
    c_n,
    BM: tl.constexpr,
    BN: tl.constexpr,
    BK: tl.constexpr,
    GROUP: tl.constexpr,
):
    """Compute one tile of C; every array has two strides, in elements."""
    rows, columns = tl.cdiv(M, BM), tl.cdiv(N, BN)
    row, column = tile_position(tl.program_id(0), rows, columns, GROUP)
    m = row * BM + tl.arange(0, BM)
    n = column * BN + tl.arange(0, BN)
    k = tl.arange(0, BK)
    # Rows and columns outside of C repeat inner ones: loads then need a mask along K only.
    a = a_ptr + (m % M)[:, None].to(tl.int64) * a_m + k[None, :] * a_k
    b = b_ptr + k[:, None] * b_k + (n % N)[None, :].to(tl.int64) * b_n
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for start in range(0, K, BK):
        left = tl.load(a, mask=k[None, :] < K - start, other=0.0)
        right = tl.load(b, mask=k[:, None] < K - start, other=0.0)
        acc = tl.dot(left, right, acc)
        a += BK * a_k
        b += BK * b_k
    c = c_ptr + m[:, None].to(tl.int64) * c_m + n[None, :] * c_n
    inside = (m[:, None] < M) & (n[None, :] < N)
    tl.store(c, acc.to(c_ptr.dtype.element_ty), mask=inside)


@triton.jit
def add(A, B, C, count, BLOCK: tl.constexpr):
    """C = A + B for vectors."""
    index = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = index < count
    tl.store(C + index, tl.load(A + index, mask=inside) + tl.load(B + index, mask=inside), inside)
