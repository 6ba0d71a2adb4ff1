"""The functions of attention: steps of a softmax equal the softmax, and soft caps."""

# A kernel is Python by its syntax only.
# pyright: reportInvalidTypeForm=false, reportUndefinedVariable=false, reportCallIssue=false
# pyright: reportGeneralTypeIssues=false, reportAttributeAccessIssue=false

from __future__ import annotations

import numpy as np
import pytest

import tilec
from tilec.language import f32, grid, load, store, zeros
from tilec.lib import log_sum_exp, softcap, softmax_end, softmax_start, softmax_step

RANDOM = np.random.default_rng(3)
SCORES = 20 * RANDOM.standard_normal((16, 64)).astype(np.float32)
VALUES = RANDOM.standard_normal(64).astype(np.float32)
CAP = 30.0


@tilec.kernel
def stepwise(X: f32[16, 64], V: f32[64], O: f32[16], E: f32[16], scale: f32):  # noqa: E741
    g = grid(1)
    top, total = softmax_start(16)
    acc = zeros((16, 1), f32)
    for n in range(4):
        scores, v = load(X, (g, n), (16, 16)), load(V, n, 16)
        weights, fade, top, total = softmax_step(scores, top, total, scale)
        acc = acc * fade + sum(weights * v[None, :], axis=1, keepdims=True)
    store(O, g, softmax_end(acc, total).reshape((16,)))
    store(E, g, log_sum_exp(top, total, scale).reshape((16,)))


@tilec.kernel
def capped(X: f32[16, 64], Y: f32[16, 64], cap: f32):
    g = grid(1)
    store(Y, (g, 0), softcap(load(X, (g, 0), (16, 64)), cap))


def attend(scores, scale):
    out, sums = (np.full(16, np.nan, np.float32) for _ in range(2))
    stepwise(scores, VALUES, out, sums, scale=scale)
    return out, sums


@pytest.mark.parametrize("scale", [1.0, 0.125])
def test_steps_of_a_softmax(scale):
    scores = SCORES.copy()
    scores[:, RANDOM.integers(0, 64, 20)] = -np.inf
    scores[3, :48] = -np.inf  # its first steps see no key
    out, sums = attend(scores, scale)
    logits = scale * scores.astype(np.float64)
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    total = weights.sum(axis=1)
    np.testing.assert_allclose(out, weights @ VALUES / total, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(sums, logits.max(axis=1) + np.log(total), rtol=1e-6, atol=1e-6)


def test_a_query_without_keys():
    scores = SCORES.copy()
    scores[5] = -np.inf
    out, sums = attend(scores, 1.0)
    assert (out[5], sums[5]) == (0.0, -np.inf)
    assert np.isfinite(np.delete(sums, 5)).all()


def test_soft_caps():
    scores = np.concatenate([SCORES, 100 * SCORES], axis=1)[:, 32:96].copy()
    scores[0, :2] = -np.inf, np.inf
    found = np.full_like(scores, np.nan)
    capped(scores, found, CAP)
    np.testing.assert_allclose(found, CAP * np.tanh(scores / CAP), rtol=0, atol=CAP * 2.0**-22)
