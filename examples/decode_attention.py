"""decode_attention in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"B": 2, "S": 200, "G": 2, "H": 4, "D": 128, "P": 2}
CASES = (
    {"B": 1, "S": 1, "G": 1, "H": 1, "D": 8, "P": 1},
    {"B": 4, "S": 130, "G": 1, "H": 7, "D": 40, "P": 2},
)
LAYOUTS = ({"Q": "odd", "O": "odd"}, {"K": "odd", "E": "odd"})
CONSTANTS = ({"BH": 16}, {"BN": 128})
SCALARS = {"scale": 0.125}
ROUNDINGS = {"O": 2**16}
"""The weights are rounded to bf16 before they are multiplied, each by up to 2^-8 of itself."""


def inputs(B: int, S: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return lengths: none, all keys, and any number between."""
    lengths = np.random.default_rng(B + S).integers(1, S + 1, B, dtype=np.int32)
    lengths[:1] = S
    lengths[3:4] = 0
    return {"L": lengths}


def reference(
    scale: float,
    BN: int,  # noqa: N803
    Q: np.ndarray,  # noqa: N803
    K: np.ndarray,  # noqa: N803
    V: np.ndarray,  # noqa: N803
    L: np.ndarray,  # noqa: N803
    O: np.ndarray,  # noqa: E741, N803
) -> dict[str, np.ndarray]:
    """Return attention to each part of the L[b] keys and its log-sum-exp, in f64 and rounded once.

    A part is a number of whole tiles of BN keys. One without keys has zeros and -inf.
    """
    q, k, v = (item.astype(np.float64) for item in (Q, K, V))
    out, sums = np.zeros(O.shape), np.full(O.shape[:-1], -np.inf)
    parts = O.shape[0]
    for b, length in enumerate(L):
        tiles = -(-int(length) // BN)
        keys = -(-tiles // parts) * BN
        for p in range(parts):
            part = slice(p * keys, min((p + 1) * keys, length))
            if part.start >= part.stop:
                continue
            scores = scale * np.einsum("ghd,tgd->ght", q[b], k[b, part])
            top = scores.max(axis=-1, keepdims=True)
            weights = np.exp(scores - top)
            total = weights.sum(axis=-1, keepdims=True)
            out[p, b] = np.einsum("ght,tgd->ghd", weights / total, v[b, part])
            sums[p, b] = (top + np.log(total))[..., 0]
    return {"O": out.astype(O.dtype), "E": sums.astype(np.float32)}
