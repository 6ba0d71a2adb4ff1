"""decode_attention in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"B": 2, "S": 200, "G": 2, "H": 4, "D": 128, "P": 2}
CASES = (
    {"B": 1, "S": 1, "G": 1, "H": 1, "D": 8, "P": 1},
    {"B": 4, "S": 130, "G": 1, "H": 7, "D": 40, "P": 2},
)
LAYOUTS = ({"Q": "odd", "O": "odd"}, {"K": "odd", "E": "odd", "R": "odd"})
CONSTANTS = ({"BH": 16}, {"BN": 128}, {"BP": 1})
SCALARS = {"scale": 0.125}
ROUNDINGS = {"O": 2**16, "R": 2**16}
"""The weights are rounded to bf16 before they are multiplied, each by up to 2^-8 of itself."""


def inputs(B: int, S: int, G: int) -> dict[str, np.ndarray]:  # noqa: N803
    """Return lengths, which are none, all keys, and any number between, and counters of zeros."""
    lengths = np.random.default_rng(B + S).integers(1, S + 1, B, dtype=np.int32)
    lengths[:1] = S
    lengths[3:4] = 0
    return {"L": lengths, "C": np.zeros((B, G), np.int32)}


def reference(
    scale: float,
    BN: int,  # noqa: N803
    Q: np.ndarray,  # noqa: N803
    K: np.ndarray,  # noqa: N803
    V: np.ndarray,  # noqa: N803
    L: np.ndarray,  # noqa: N803
    O: np.ndarray,  # noqa: E741, N803
    C: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return attention to the L[b] keys, to each part of them, and log-sum-exps, in f64.

    A part is a number of whole tiles of BN keys. One without keys has zeros and -inf. A single part
    is the result, and O stays as it was.
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
    top = np.maximum(sums.max(axis=0), -1e30)
    weights = np.exp(sums - top)[..., None]
    total = weights.sum(axis=0)
    whole = (weights * out).sum(axis=0) / np.where(total > 0, total, 1.0)
    found = {"R": whole.astype(Q.dtype), "E": sums.astype(np.float32), "C": np.zeros_like(C)}
    return found if parts == 1 else found | {"O": out.astype(np.float32)}
