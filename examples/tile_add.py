"""tile_add in NumPy: the independent answer that `tilec run --check` compares with.

The array starts as 0, 1, 2, ... in row-major order, so an 8x8 array has first row

    0 1 2 3 | 4 5 6 7

The kernel adds `row * BLOCK + col`, counted inside each BLOCK x BLOCK tile. With 4x4 tiles the
first row of every tile gains `0 1 2 3`, in both tiles of that row of tiles:

    0+0 1+1 2+2 3+3 | 4+0 5+1 6+2 7+3  =  0 2 4 6 4 6 8 10

The second half starts again at 4 because the position is counted inside the tile, not in the
array: a kernel that adds the global index, or that stores a tile to the wrong place, gives
another row.
"""

import numpy as np

SIZES = {"M": 8, "N": 8}
CASES = ({"M": 4, "N": 4}, {"M": 1, "N": 1}, {"M": 7, "N": 13}, {"M": 33, "N": 20})
LAYOUTS = ({"A": "col"}, {"A": "odd"})


def inputs(M: int, N: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return A before the kernel: M x N, counting up from 0 in row-major order."""
    return {"A": np.arange(M * N, dtype=np.float32).reshape(M, N)}


def reference(A: np.ndarray, BLOCK: int = 4) -> dict[str, np.ndarray]:  # noqa: N803
    """Return A after the kernel: every element gains its position inside its tile."""
    rows, cols = np.indices(A.shape)
    return {"A": A + (rows % BLOCK * BLOCK + cols % BLOCK).astype(np.float32)}
