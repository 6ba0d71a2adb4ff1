"""dropout in NumPy: the independent answer that `tilec run --check` compares with."""

import numpy as np

SIZES = {"N": 4096}
CASES = ({"N": 1}, {"N": 5000})
LAYOUTS = ({"X": "odd"}, {"Y": "odd"})
SCALARS = {"seed": 1234567890123456789, "p": 0.25}
ROUNDINGS = {"Y": 2}
_MASK = np.uint64(0xFFFFFFFF)


def philox(seed: int, counter: np.ndarray) -> list[np.ndarray]:
    """Return the four words of Philox4x32-10 for each counter, as u64."""
    key = [np.uint64(seed & 0xFFFFFFFF), np.uint64(seed >> 32 & 0xFFFFFFFF)]
    zero = np.zeros_like(counter)
    words = [counter & _MASK, counter >> np.uint64(32), zero, zero]
    for _ in range(10):
        a, b = words[0] * np.uint64(0xD2511F53), words[2] * np.uint64(0xCD9E8D57)
        high = [item >> np.uint64(32) for item in (a, b)]
        words = [high[1] ^ words[1] ^ key[0], b & _MASK, high[0] ^ words[3] ^ key[1], a & _MASK]
        key = [(key[0] + np.uint64(0x9E3779B9)) & _MASK, (key[1] + np.uint64(0xBB67AE85)) & _MASK]
    return words


def reference(
    seed: int,
    p: float,
    BN: int,  # noqa: N803
    X: np.ndarray,  # noqa: N803
) -> dict[str, np.ndarray]:
    """Return X / (1 - p) where the random number of an element is at least p, and 0 elsewhere."""
    counter = np.arange(-(-X.size // (4 * BN)) * BN, dtype=np.uint64).reshape(-1, 1, BN)
    bits = np.concatenate(philox(seed, counter), axis=1).reshape(-1)[: X.size]
    keep = (bits >> np.uint64(8)).astype(np.float32) * np.float32(2**-24) >= np.float32(p)
    scaled = X / (np.float32(1) - np.float32(p))
    return {"Y": np.where(keep, scaled, np.float32(0)).astype(X.dtype)}
