"""Kernels written from the documentation alone: small arguments, and results in NumPy.

Each case returns the arrays by name, the scalars and constants, and the expected results.
"""

from itertools import accumulate, pairwise
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

PATH = Path(__file__).parent.parent / "kernels" / "strangers.tile"
BF16 = ml_dtypes.bfloat16
ROWS, EXPERT_ROWS = 300, 128


def _normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape).astype(BF16)


def _f32(*arrays):
    return [array.astype(np.float32) for array in arrays]


def moe_gather(depth=200):
    """Products of gathered rows; two blocks of rows, each with a matrix of its own."""
    x, w = _normal(0, ROWS, depth), _normal(1, 3, 136, depth)
    rows = np.random.default_rng(2).integers(0, ROWS, 2 * EXPERT_ROWS).astype(np.int32)
    experts = np.array([2, 0], np.int32)
    given = {"X": x, "W": w, "R": rows, "E": experts, "Y": np.zeros((2 * EXPERT_ROWS, 136), BF16)}
    a, b = _f32(x[rows], w)
    parts = [a[i * EXPERT_ROWS :][:EXPERT_ROWS] @ b[e].T for i, e in enumerate(experts)]
    return given, {}, {"Y": np.concatenate(parts)}


def kv8():
    """Attention of one query to keys and values of 8 bits, with a scale for each 32."""
    shape = (2, 200, 2, 128)
    rng = np.random.default_rng(3)
    k, v = (rng.integers(-127, 128, shape).astype(np.int8) for _ in range(2))
    ks, vs = ((rng.random((*shape[:3], 4)) * 0.02).astype(BF16) for _ in range(2))
    q, lengths = _normal(4, 2, 2, 16, 128), np.array([200, 77], np.int32)
    given = {"Q": q, "K": k, "V": v, "KS": ks, "VS": vs, "L": lengths}
    given["O"] = np.zeros((2, 2, 16, 128), np.float32)

    def scaled(numbers, scales):
        wide = numbers.astype(np.float32).reshape(*scales.shape, 32)
        product = (wide * scales.astype(np.float32)[..., None]).astype(BF16)
        return product.astype(np.float32).reshape(shape)

    scores = np.einsum("bghd,bsgd->bghs", q.astype(np.float32), scaled(k, ks)) * 0.09
    scores[np.broadcast_to(np.arange(200) >= lengths[:, None, None, None], scores.shape)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    return given, {"scale": 0.09}, {"O": np.einsum("bghs,bsgd->bghd", weights, scaled(v, vs))}


def stencil27():
    """A stencil of 27 points, whose tiles take more registers than four warps have."""
    a = _normal(5, 9, 17, 130).astype(np.float32)
    padded, weights = np.pad(a, 1), (1.0, 0.5, 0.25, 0.125)
    total = np.zeros_like(a)
    for place in np.ndindex(3, 3, 3):
        part = padded[tuple(slice(p, p + n) for p, n in zip(place, a.shape, strict=True))]
        total += weights[sum(abs(p - 1) for p in place)] * part
    scalars = {f"c{distance}": weight for distance, weight in enumerate(weights)}
    return {"A": a, "B": np.zeros_like(a)}, scalars, {"B": total}


def cholesky():
    """The triangular factors of 16x16 matrices."""
    root = np.random.default_rng(6).standard_normal((19, 16, 16)).astype(np.float32)
    a = root @ root.transpose(0, 2, 1) + 4 * np.eye(16, dtype=np.float32)
    return {"A": a, "L": np.zeros_like(a)}, {}, {"L": np.linalg.cholesky(a)}


def conv1d():
    """A causal convolution of four steps along time, for each channel."""
    x, w, bias = _normal(7, 2, 70, 136), _normal(8, 136, 4), _normal(9, 136)
    wide, kernel, offset = _f32(x, w, bias)
    padded = np.pad(wide, ((0, 0), (3, 0), (0, 0)))
    y = offset + sum(padded[:, i : i + 70] * kernel[:, i] for i in range(4))
    given = {"X": x, "W": kernel, "Bias": offset, "Y": np.zeros_like(x)}
    return given, {}, {"Y": y / (1 + np.exp(-y))}


def ce_backward():
    """The gradient of cross entropy with smoothed labels."""
    x, labels = _normal(10, 5, 9000), np.arange(5, dtype=np.int32) * 2000
    lse = np.log(np.exp(x.astype(np.float32)).sum(1))
    p = np.exp(x.astype(np.float32) - lse[:, None]) - 0.1 / 9000
    p[np.arange(5), labels] -= 0.9
    given = {"X": x, "Y": labels, "LSE": lse, "DX": np.zeros_like(x)}
    return given, {"scale": 0.25, "smoothing": 0.1}, {"DX": p * 0.25}


def grouped_wgrad():
    """Gradients of the weights of three groups of rows, of which one is empty."""
    x, dy, bounds = _normal(11, 300, 136), _normal(12, 300, 200), np.array([0, 77, 77, 300])
    a, b = _f32(x, dy)
    parts = [a[i:j].T @ b[i:j] for i, j in pairwise(bounds)]
    given = {"X": x, "DY": dy, "DW": np.zeros((3, 136, 200), np.float32)}
    return given | {"S": bounds.astype(np.int32)}, {}, {"DW": np.stack(parts)}


def gated_delta():
    """The gated delta rule, whose loop holds more than a thread has registers for."""
    shape, steps = (1, 150, 1, 128), np.random.default_rng(16)
    q, k, v = (_normal(13 + i, *shape).astype(np.float32) for i in range(3))
    q, k = ((x / np.linalg.norm(x, axis=-1, keepdims=True)).astype(BF16) for x in (q, k))
    v = v[..., :64].astype(BF16)
    g, beta = (steps.random(shape[:3], np.float32) for _ in range(2))
    state, o, g = np.zeros((128, 64), np.float32), np.zeros(v.shape, np.float32), -0.1 * g
    for t, (query, key, value) in enumerate(zip(*(x[0, :, 0] for x in _f32(q, k, v)), strict=True)):
        state *= np.exp(g[0, t, 0])
        state += beta[0, t, 0] * np.outer(key, value - key @ state)
        o[0, t, 0] = 0.09 * query @ state
    given = {"Q": q, "X": k, "Y": v, "G": g, "Beta": beta, "O": np.zeros(v.shape, BF16)}
    return given, {"scale": 0.09}, {"O": o}


def masked_groups():
    """Products of groups with room for 128 rows, of which some are used: blocks end early."""
    a, b, used = _normal(21, 3, 128, 72), _normal(22, 3, 136, 72), np.array([0, 64, 128], np.int32)
    c = np.einsum("gmk,gnk->gmn", *_f32(a, b))
    c[np.arange(128)[None, :] >= used[:, None]] = 0
    return {"A": a, "B": b, "Count": used, "C": np.zeros(c.shape, BF16)}, {}, {"C": c}


def bucket_bias():
    """Causal attention whose scores get a bias by the bucket of their distance."""
    q, k, v = (_normal(23 + i, 2, 300, 64) for i in range(3))
    q, bias = (_f32(q)[0] * 0.125).astype(BF16), np.random.default_rng(26).standard_normal((2, 32))
    far = np.maximum(np.arange(300)[:, None] - np.arange(300), 0)
    large = 16 + (np.log(np.maximum(far, 1) / 16) * (16 / np.log(8))).astype(int)
    scores = np.einsum("hqd,hkd->hqk", *_f32(q, k))
    scores += bias.astype(np.float32)[:, np.where(far < 16, far, np.minimum(large, 31))]
    scores[:, np.triu(np.ones((300, 300), bool), 1)] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    weights /= weights.sum(-1, keepdims=True)
    given = {"Q": q, "K": k, "V": v, "Bias": bias.astype(np.float32), "O": np.zeros(q.shape, BF16)}
    return given, {}, {"O": weights @ v.astype(np.float32)}


def lu():
    """The triangular factors of 16x16 matrices, and the order of their rows."""
    a = np.random.default_rng(27).standard_normal((19, 16, 16)).astype(np.float32)
    factors, order = a.astype(np.float64), np.tile(np.arange(16), (19, 1))
    for matrix, rows in zip(factors, order, strict=True):
        for k in range(16):
            swap = [k, k + np.abs(matrix[k:, k]).argmax()]
            matrix[swap], rows[swap] = matrix[swap[::-1]], rows[swap[::-1]]
            matrix[k + 1 :, k] /= matrix[k, k]
            matrix[k + 1 :, k + 1 :] -= np.outer(matrix[k + 1 :, k], matrix[k, k + 1 :])
    given = {"A": a, "L": np.zeros_like(a), "Perm": np.zeros((19, 16), np.int32)}
    return given, {}, {"L": factors, "Perm": order}


def nearest():
    """The nearest one of 200 centres: the last tile of centres is cut."""
    x, c = _normal(28, 150, 128), _normal(29, 200, 128)
    squares = (c.astype(np.float32) ** 2).sum(1)
    distance = squares - 2 * x.astype(np.float64) @ c.astype(np.float64).T
    given = {"X": x, "C": c, "C2": squares, "Best": np.zeros(150, np.int32)}
    return given, {}, {"Best": distance.argmin(1)}


def mxfp8():
    """A product of 8-bit floats with scales of 32: the operands of a round are computed early."""
    rng, shape = np.random.default_rng(30), (200, 544)
    a, b = (rng.standard_normal(shape).astype(ml_dtypes.float8_e4m3fn) for _ in range(2))
    sa, sb = (rng.integers(120, 130, (200, 17)).astype(np.uint8) for _ in range(2))
    wide = [
        x.astype(np.float64) * np.repeat(2.0 ** (s.astype(np.float64) - 127), 32, 1)
        for x, s in ((a, sa), (b, sb))
    ]
    given = {"A": a, "B": b, "SA": sa, "SB": sb, "C": np.zeros((200, 200), BF16)}
    return given, {}, {"C": wide[0] @ wide[1].T}


def conv_stride2():
    """A convolution with stride 2, whose three loops become one."""
    x, w = _normal(31, 2, 13, 11, 72), _normal(32, 136, 3, 3, 72)
    wide, filters = _f32(x, w)
    padded = np.pad(wide, ((0, 0), (1, 1), (1, 1), (0, 0)))
    parts = [
        padded[:, r : r + 13 : 2, s : s + 11 : 2] @ filters[:, r, s].T for r, s in np.ndindex(3, 3)
    ]
    given = {"X": x, "Wt": w, "Y": np.zeros((84, 136), BF16)}
    return given, {"OH": 7, "OW": 6}, {"Y": np.sum(parts, axis=0).reshape(84, 136)}


def depthwise():
    """A depthwise convolution of 3x3, whose tiles threads load because they overlap."""
    x, f = _normal(33, 2, 11, 13, 72), _normal(34, 3, 3, 72).astype(np.float32)
    padded = np.pad(x.astype(np.float32), ((0, 0), (1, 1), (1, 1), (0, 0)))
    y = sum(padded[:, r : r + 11, s : s + 13] * f[r, s] for r, s in np.ndindex(3, 3))
    return {"X": x, "F": f, "Y": np.zeros_like(x)}, {}, {"Y": y}


def late_bias():
    """Attention with a bias that is loaded after the values."""
    q, k, v = (_normal(seed, 2, 136, 64) for seed in (35, 36, 37))
    w = _normal(38, 136, 136)
    wide = _f32(q, k, v, w)
    scores = 0.125 * (wide[0] @ wide[1].transpose(0, 2, 1) + wide[3])
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    given = {"Q": q, "K": k, "V": v, "W": w, "O": np.zeros_like(q)}
    return given, {}, {"O": weights / weights.sum(-1, keepdims=True) @ wide[2]}


def selective_scan():
    """A state of 16 numbers for each channel: tiles that a round repeats in a larger one."""
    x, b, c = _normal(60, 2, 40, 72), _normal(61, 2, 40, 16), _normal(62, 2, 40, 16)
    step = (0.1 * np.abs(_normal(63, 2, 40, 72).astype(np.float32))).astype(BF16)
    rate = -np.abs(_normal(64, 72, 16).astype(np.float32))
    given = {"X": x, "DT": step, "A": rate, "BB": b, "CC": c, "Y": np.zeros(x.shape, BF16)}
    x, step, b, c = _f32(x, step, b, c)
    state, rows = np.zeros((2, 72, 16)), []
    for i in range(40):
        moved = (step[:, i] * x[:, i])[..., None] * b[:, i, None]
        state = np.exp(step[:, i, :, None] * rate) * state + moved
        rows.append((state * c[:, i, None]).sum(2))
    return given, {}, {"Y": np.stack(rows, 1)}


def powers():
    """Products that take the same A from registers, and share their columns."""
    a, b = _normal(39, 2, 64, 64), _normal(40, 2, 64, 64)
    given = {"A": a, "B": b, "O": np.zeros(a.shape, np.float32)}
    x, y = (item.astype(np.float64) for item in (a, b))
    p = (x @ y.transpose(0, 2, 1)).astype(BF16).astype(np.float64)
    return given, {}, {"O": p @ (p @ y).astype(BF16).astype(np.float64)}


def assign():
    """The nearest of 90 centres for points of 31 numbers."""
    rng = np.random.default_rng(11)
    x, c = (rng.standard_normal((count, 31)).astype(np.float32) for count in (150, 90))
    distances = ((x[:, None].astype(np.float64) - c[None]) ** 2).sum(-1)
    given = {"X": x, "C": c, "A": np.zeros(150, np.int32), "S": np.zeros(150, np.float32)}
    return given, {}, {"A": distances.argmin(1), "S": distances.min(1)}


SPILLS = {"gated_delta"}
"""Kernels that spill in every plan: users get a warning."""


def prefill():
    """Attention of new tokens to pages of keys, with a window, a soft cap and a sink."""
    (heads, group, depth), page, window, cap = (2, 8, 128), 32, 75, 20.0
    new, lengths = [21, 1, 40], np.array([100, 33, 40], np.int32)
    ends = np.array([0, *accumulate(new)], np.int32)
    table = np.random.default_rng(50).permutation(12).reshape(3, 4).astype(np.int32)
    q = _normal(51, ends[-1], heads * group, depth)
    k, v = (_normal(seed, 12, page, heads, depth) for seed in (52, 53))
    sinks = np.random.default_rng(54).standard_normal(heads * group).astype(np.float32)
    given = {"Q": q, "K": k, "V": v, "Table": table, "Cu": ends, "Len": lengths, "Sink": sinks}
    given["O"] = np.zeros_like(q)
    out = np.zeros(q.shape, np.float32)
    for s, (first, last) in enumerate(pairwise(ends)):
        rows = np.arange(lengths[s] - (last - first), lengths[s])[:, None]
        columns = np.arange(lengths[s])
        hidden = (columns > rows) | (columns <= rows - window)
        pages = _f32(k[table[s]], v[table[s]])
        keys, values = (x.reshape(-1, heads, depth)[: lengths[s]] for x in pages)
        for h in range(heads * group):
            scores = q[first:last, h].astype(np.float32) @ keys[:, h // group].T * 0.09
            weights = np.exp(np.where(hidden, -np.inf, cap * np.tanh(scores / cap)))
            total = weights.sum(1, keepdims=True) + np.exp(sinks[h])
            out[first:last, h] = weights / total @ values[:, h // group]
    return given, {"scale": 0.09, "cap": cap, "window": window}, {"O": out}


CASES = {
    case.__name__: case
    for case in (
        moe_gather,
        kv8,
        stencil27,
        cholesky,
        conv1d,
        ce_backward,
        grouped_wgrad,
        gated_delta,
        masked_groups,
        bucket_bias,
        lu,
        nearest,
        mxfp8,
        conv_stride2,
        depthwise,
        late_bias,
        powers,
        selective_scan,
        assign,
        prefill,
    )
}


def parameters():
    """Return the names of the cases for pytest, with the marker `spills` where it is due."""
    return [
        pytest.param(name, marks=pytest.mark.spills) if name in SPILLS else name for name in CASES
    ]
